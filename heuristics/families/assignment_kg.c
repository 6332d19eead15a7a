/*
 * Rules of one label on cells, as in [Chen, Lin and Zhou 2015, section 5]: Betas of tasks and
 * workers with moment matching (heuristics/families/workers_policy.h). The index of a cell depends
 * only on the Betas of its task and its worker, so a label changes the indices of one row and one
 * column.
 */
#include <math.h>
#include <string.h>

#include "heuristics/families/assignment_rule.h"
#include "heuristics/families/workers_policy.h"

static const double task_prior[2] = {1, 1}, worker_prior[2] = {4, 1};

typedef struct {
    og_assignment_rule rule;
    og_rule_use gain;     /* its rule */
    int32_t groups;       /* number of contexts, if each has a separate budget; else 1 */
    int32_t *quota;       /* [groups] number of labels for each group */
    int32_t *group_tasks; /* [groups] */
    size_t task, worker, index, used;
} knowledge;

static double *numbers(const void *state, size_t at)
{
    return (double *)((const char *)state + at);
}

static int32_t *used_of(const knowledge *policy, const void *state)
{
    return (int32_t *)((const char *)state + policy->used);
}

static int32_t group_of(const knowledge *policy, int32_t task)
{
    return policy->groups > 1 ? policy->rule.setting.context[task] : 0;
}

static double *worker_of(const knowledge *policy, const void *state, int32_t group, int32_t worker)
{
    return numbers(state, policy->worker) + 2 * (group * policy->rule.setting.workers + worker);
}

static void renew(const knowledge *policy, void *state, int32_t task, int32_t worker)
{
    og_prospect at;
    og_workers_prospect(numbers(state, policy->task) + 2 * task,
                        worker_of(policy, state, group_of(policy, task), worker), NULL, &at);
    numbers(state, policy->index)[task * policy->rule.setting.workers + worker] =
        og_rule_value(&policy->gain, &at);
}

static void begin(const void *self, void *state)
{
    const knowledge *policy = self;
    const og_assignment_setting *setting = &policy->rule.setting;
    size_t cells = og_assignment_cell_count(&policy->rule);
    double *index = numbers(state, policy->index);
    memset(state, 0, cells);
    memset(used_of(policy, state), 0, (size_t)policy->groups * sizeof(int32_t));
    for (int32_t i = 0; i < setting->tasks; i++) {
        memcpy(numbers(state, policy->task) + 2 * i, task_prior, sizeof task_prior);
    }
    for (int32_t w = 0; w < policy->groups * setting->workers; w++) {
        memcpy(worker_of(policy, state, 0, w), worker_prior, sizeof worker_prior);
    }
    og_prospect at;
    og_workers_prospect(task_prior, worker_prior, NULL, &at);
    double first = og_rule_value(&policy->gain, &at);
    for (size_t k = 0; k < cells; k++) {
        index[k] = first;
    }
}

static bool tell(const void *self, void *state, int32_t cell, int8_t label)
{
    const knowledge *policy = self;
    const og_assignment_setting *setting = &policy->rule.setting;
    int32_t task = cell / setting->workers, worker = cell % setting->workers;
    int32_t group = group_of(policy, task);
    ((int8_t *)state)[cell] = label;
    used_of(policy, state)[group]++;
    og_workers_match(numbers(state, policy->task) + 2 * task,
                     worker_of(policy, state, group, worker), label > 0);
    for (int32_t j = 0; j < setting->workers; j++) {
        renew(policy, state, task, j);
    }
    for (int32_t i = 0; i < setting->tasks; i++) {
        if (group_of(policy, i) == group) {
            renew(policy, state, i, worker);
        }
    }
    return false;
}

/* ---- choosing ---- */

/* Keeps only the cells with the largest index. */
static void keep_largest(const double *index, og_assignment_choice *list)
{
    double largest = -INFINITY;
    int32_t kept = 0;
    for (int32_t k = 0; k < list->count; k++) {
        largest = fmax(largest, index[list->cell[k]]);
    }
    for (int32_t k = 0; k < list->count; k++) {
        if (index[list->cell[k]] >= largest - OG_WORKERS_TIE) {
            list->cell[kept++] = list->cell[k];
        }
    }
    list->count = kept;
}

/* The group that is furthest behind its share of the labels so far; -1: no group has labels left.
 */
static int32_t next_group(const knowledge *policy, const void *state)
{
    const int32_t *used = used_of(policy, state);
    double all = 1, most = -INFINITY;
    int32_t next = -1;
    for (int32_t g = 0; g < policy->groups; g++) {
        all += used[g];
    }
    for (int32_t g = 0; g < policy->groups; g++) {
        double behind = all * policy->group_tasks[g] / policy->rule.setting.tasks - used[g];
        if (used[g] < policy->quota[g] && behind > most) {
            most = behind;
            next = g;
        }
    }
    return next;
}

static og_assignment_move next(const void *self, void *state, og_assignment_choice *out)
{
    const knowledge *policy = self;
    for (int32_t g = 0; (g = next_group(policy, state)) >= 0;) {
        out->count =
            og_assignment_free_cells(&policy->rule, state, policy->groups > 1 ? g : -1, out->cell);
        if (out->count > 0) {
            keep_largest(numbers(state, policy->index), out);
            return OG_ASSIGNMENT_TIED;
        }
        used_of(policy, state)[g] = policy->quota[g]; /* the rest of its quota is lost */
    }
    return OG_ASSIGNMENT_OVER;
}

static void call(const void *self, const void *state, double *positive)
{
    const double rounding = 1e-12;
    const knowledge *policy = self;
    const double *task = numbers(state, policy->task);
    for (int32_t i = 0; i < policy->rule.setting.tasks; i++) {
        double a = task[2 * i], b = task[2 * i + 1];
        positive[i] = fabs(a - b) <= rounding * (a + b) ? 0.5 : a > b;
    }
}

/* ---- making ---- */

/* Divides the budget in proportion to tasks; the largest remainders are rounded up, the first of
 * equal ones. */
static void share(knowledge *policy)
{
    int64_t tasks = policy->rule.setting.tasks, given = 0, budget = policy->rule.setting.budget;
    for (int32_t g = 0; g < policy->groups; g++) {
        policy->quota[g] = (int32_t)(budget * policy->group_tasks[g] / tasks);
        given += policy->quota[g];
    }
    for (; given < budget; given++) {
        int32_t next = 0;
        int64_t most = INT64_MIN;
        for (int32_t g = 0; g < policy->groups; g++) {
            int64_t remainder = budget * policy->group_tasks[g] - tasks * policy->quota[g];
            if (remainder > most) {
                most = remainder;
                next = g;
            }
        }
        policy->quota[next]++;
    }
}

static size_t lay_out(knowledge *policy)
{
    const og_assignment_setting *setting = &policy->rule.setting;
    size_t tasks = (size_t)setting->tasks, workers = (size_t)setting->workers;
    size_t groups = (size_t)policy->groups, bytes = 0;
    og_assignment_place(&bytes, tasks * workers, sizeof(int8_t));
    policy->task = og_assignment_place(&bytes, 2 * tasks, sizeof(double));
    policy->worker = og_assignment_place(&bytes, 2 * groups * workers, sizeof(double));
    policy->index = og_assignment_place(&bytes, tasks * workers, sizeof(double));
    policy->used = og_assignment_place(&bytes, groups, sizeof(int32_t));
    return bytes;
}

static og_status make(const og_rule_use *use, bool multi, const og_assignment_setting *setting,
                      og_assignment_player *out)
{
    void *made;
    OG_TRY(og_assignment_rule_new(sizeof(knowledge), setting, &made));
    knowledge *policy = made;
    policy->gain = *use;
    policy->groups = multi ? setting->contexts : 1;
    policy->quota =
        og_arena_array(&policy->rule.arena, (size_t)policy->groups, sizeof *policy->quota);
    policy->group_tasks =
        og_arena_array(&policy->rule.arena, (size_t)policy->groups, sizeof *policy->group_tasks);
    og_status status = og_arena_status(&policy->rule.arena);
    if (status != OG_OK) {
        og_arena_free(policy);
        return status;
    }
    for (int32_t i = 0; i < setting->tasks; i++) {
        policy->group_tasks[group_of(policy, i)]++;
    }
    if (setting->budget > 0) {
        share(policy);
    }
    *out = (og_assignment_player){.self = policy,
                                  .state_bytes = lay_out(policy),
                                  .begin = begin,
                                  .next = next,
                                  .tell = tell,
                                  .call = call,
                                  .free = og_arena_free};
    return OG_OK;
}

og_status og_assignment_make_rule(const og_rule_use *use, const og_assignment_setting *setting,
                                  og_assignment_player *out)
{
    return make(use, false, setting, out);
}

og_status og_assignment_make_kg_multi(const char *name, const char *parameter,
                                      const og_assignment_setting *setting,
                                      og_assignment_player *out, og_message *message)
{
    if (parameter != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' takes no parameter; omit ':%.40s'", name, parameter);
    }
    return make(&(const og_rule_use){.rule = &og_rule_best}, true, setting, out);
}
