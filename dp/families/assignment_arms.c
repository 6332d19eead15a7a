/*
 * Task assignment with known accuracies as a product of arms. Tasks of one context share an arm and
 * form one group at first; a table is a list of nodes, equal ones counted together. After a worker
 * who is never wrong an arm ends: later labels of that task are wasted.
 */
#include "dp/families/assignment_arms.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/arm/sources.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/product/solve.h"

typedef struct {
    og_arena arena;
    const og_assignment_start *start; /* borrowed */
    og_value_asked question;
    og_settings settings;
    og_arms *arms;
    int32_t *group_of; /* [contexts] of the arms; -1: the context has no task */
    og_solver *solver; /* NULL: not needed so far */
    og_exact *exact;   /* NULL: not needed so far */
    int8_t *label;     /* [cells] the table of the question */
    og_state_group *group;
    int32_t *place; /* [tasks] in group[] of that table */
} by_arms;

bool og_assignment_has_arms(const og_assignment_start *start)
{
    const og_assignment *assignment = start->assignment;
    const int32_t labels = start->had + start->budget;
    double rows = 0, here = assignment->contexts; /* with d labels: C(workers, d) 2^d */
    if (!assignment->known || assignment->tasks < 2 || start->budget < 1 ||
        assignment->workers > OG_ASSIGNMENT_ARMS_WORKERS_MAX) {
        return false;
    }
    for (int32_t d = 0; d <= labels && d <= assignment->workers; d++) {
        rows += here;
        here *= 2. * (assignment->workers - d) / (d + 1);
    }
    return rows <= OG_ASSIGNMENT_ARMS_ROWS_MAX;
}

/* ---- the arms ---- */

static void sources_of(const og_assignment *assignment, int32_t s, og_sources *out)
{
    out->count = assignment->workers;
    for (int32_t j = 0; j < assignment->workers; j++) {
        out->source[j] = (og_label_source){
            assignment->accuracy[(int64_t)s * assignment->workers + j][0], .price = 1, .most = 1};
    }
}

static og_status make_arms(by_arms *p, og_message *message)
{
    const og_assignment *assignment = p->start->assignment;
    const size_t contexts = (size_t)assignment->contexts;
    og_group *group = og_arena_array(&p->arena, contexts, sizeof *group);
    og_sources *sources = og_arena_array(&p->arena, contexts, sizeof *sources);
    int32_t *sources_of_group = og_arena_array(&p->arena, contexts, sizeof *sources_of_group);
    int32_t count = 0;
    OG_TRY(og_arena_status(&p->arena));
    for (int32_t s = 0; s < assignment->contexts; s++) {
        sources_of(assignment, s, &sources[s]);
        p->group_of[s] = -1;
    }
    for (int32_t i = 0; i < assignment->tasks; i++) {
        int32_t s = assignment->context[i], g = p->group_of[s];
        if (g < 0) {
            g = p->group_of[s] = count++;
            sources_of_group[g] = s;
            group[g] =
                (og_group){.kind = OG_PRIOR_BETA, .a = {1, 1}, .b = {1, 1}, .threshold = {1, 2}};
        }
        group[g].count++;
    }
    og_groups groups = og_groups_of(group, count);
    groups.budget = p->start->had + p->start->budget;
    return og_arms_new_sources_of(&groups, sources, assignment->contexts, sources_of_group,
                                  &p->settings, &p->arms, message);
}

static uint32_t action_count(const og_arm *arm, uint32_t node, uint32_t *first)
{
    if (node >= arm->level[arm->depth]) {
        return 0;
    }
    *first = arm->action_first[node];
    return arm->action_first[node + 1] - *first;
}

/* Finds the action of a label by this worker; false if there is none. */
static bool find_action(const og_arm *arm, uint32_t node, int32_t worker, uint32_t *action)
{
    uint32_t first = 0, count = action_count(arm, node, &first);
    for (uint32_t k = 0; k < count; k++) {
        if (og_sources_of_action(arm, first + k) == worker) {
            *action = first + k;
            return true;
        }
    }
    return false;
}

/* The node of a task's row. */
static uint32_t node_of(const by_arms *p, const og_arm *arm, const int8_t *row)
{
    uint32_t node = 0, action;
    for (int32_t j = 0; j < p->start->assignment->workers; j++) {
        if (row[j] != 0 && find_action(arm, node, j, &action)) {
            node = arm->next[2 * action + (row[j] < 0)];
        }
    }
    return node;
}

/* The state of a table; its groups are stored in p, until the next call. */
static og_state state_of(by_arms *p, const int8_t *label, int32_t left)
{
    const og_assignment *assignment = p->start->assignment;
    og_state out = {.left = left, .budget = p->arms->budget, .group = p->group};
    for (int32_t i = 0; i < assignment->tasks; i++) {
        int32_t a = p->arms->arm_of_group[p->group_of[assignment->context[i]]], g = 0;
        uint32_t node = node_of(p, p->arms->arm[a], label + (int64_t)i * assignment->workers);
        while (g < out.count && (p->group[g].arm != a || p->group[g].node != node)) {
            g++;
        }
        if (g == out.count) {
            p->group[out.count++] = (og_state_group){a, node, 0};
        }
        p->group[g].copies++;
        p->place[i] = g;
    }
    return out;
}

static og_status need_solver(by_arms *p, og_message *message)
{
    return p->solver != NULL ? OG_OK : og_solver_new(p->arms, &p->settings, &p->solver, message);
}

static og_status need_exact(by_arms *p, og_message *message)
{
    return p->exact != NULL ? OG_OK : og_exact_new(p->arms, &p->settings, &p->exact, message);
}

/* ---- the value ---- */

/* Converts gains in tasks, together with the value without a label; error is absolute. */
static void scale_result(const by_arms *p, double error, og_result *out)
{
    const int32_t tasks = p->start->assignment->tasks;
    const double rounding = 4 * DBL_EPSILON; /* for a quotient and a sum of numbers up to 1 */
    out->gain /= tasks;
    out->value = p->start->prior + out->gain;
    out->error_bound = error / tasks + og_assignment_error(p->start) + rounding;
}

static og_status value_near(by_arms *p, og_result *out, og_message *message)
{
    const double begun = og_seconds();
    const og_state at = state_of(p, p->start->label, p->start->budget);
    og_result found = {.value = 0};
    OG_TRY(need_solver(p, message));
    og_status status = p->start->had == 0
                           ? og_solver_value(p->solver, &found, message)
                           : og_solver_value_at(p->solver, &at, &found.gain, message);
    if (p->start->had > 0) {
        found.states = found.expanded = og_solver_expanded(p->solver);
        found.memory_bytes = og_solver_bytes(p->solver);
        found.error_bound = 1.01 * og_solver_relative_error(p->solver) * found.gain;
    }
    found.seconds = og_seconds() - begun;
    if (status == OG_OK) {
        scale_result(p, found.error_bound, &found);
    }
    if (status == OG_OK || status == OG_STOPPED) {
        *out = found;
    }
    return status;
}

/* Converts gains of tasks to a share and adds the value without a label. */
static og_status tell_exact(const by_arms *p, mpq_t gain, og_value_found *out)
{
    og_arena arena = {0};
    mpq_t *scratch = og_arena_fractions(&arena, 2);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_assignment_prior_exact(p->start, scratch[0]));
    if (status == OG_OK) {
        mpq_set_si(scratch[1], p->start->assignment->tasks, 1);
        mpq_div(out->gain, gain, scratch[1]);
        mpq_add(out->value, out->gain, scratch[0]);
        out->result.value = og_nearest(out->value);
        out->result.gain = og_nearest(out->gain);
        out->result.error_bound = 0x1p-53;
    }
    og_arena_clear(&arena);
    return status;
}

/* The largest Q of a state in fractions. */
static og_status gain_exact(by_arms *p, const og_state *at, mpq_t gain, og_message *message)
{
    og_arena arena = {0};
    mpq_t *q = og_arena_fractions(&arena, (size_t)at->count);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_exact_q_at(p->exact, at, q, message));
    mpq_set_ui(gain, 0, 1);
    for (int32_t g = 0; status == OG_OK && g < at->count; g++) {
        if (mpq_cmp(q[g], gain) > 0) {
            mpq_set(gain, q[g]);
        }
    }
    og_arena_clear(&arena);
    return status;
}

static og_status value_exact(by_arms *p, og_value_found *out, og_message *message)
{
    const double begun = og_seconds();
    const og_state at = state_of(p, p->start->label, p->start->budget);
    og_arena arena = {0};
    mpq_t *gain = og_arena_fractions(&arena, 1);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, need_exact(p, message));
    OG_THEN(status, p->start->had == 0
                        ? og_exact_value(p->exact, NULL, *gain, &out->result, message)
                        : gain_exact(p, &at, *gain, message));
    OG_THEN(status, tell_exact(p, *gain, out));
    out->result.seconds = og_seconds() - begun;
    og_arena_clear(&arena);
    return status;
}

static og_status value(void *self, og_value_found *out, og_message *message)
{
    by_arms *p = self;
    og_value_found found = {.value = out->value, .gain = out->gain, .called_value = NAN};
    og_status status = p->question.fractions ? value_exact(p, &found, message)
                                             : value_near(p, &found.result, message);
    if (status == OG_OK || status == OG_STOPPED) {
        *out = found;
    }
    return status;
}

/* ---- Q ---- */

static og_status check_open(int32_t count, og_message *message)
{
    return count > 0 ? OG_OK
                     : og_message_set(message, OG_BAD_INPUT,
                                      "with no labels left there is nothing to choose");
}

/* A task about which nothing can be learnt has no action: its label is wasted, as in the solver's
 * value of such a group. */
static og_status q_one(by_arms *p, const og_state *at, og_act act, double *q, og_message *message)
{
    const int32_t g = p->place[act.part[0]];
    const og_state_group *group = &at->group[g];
    uint32_t action;
    return find_action(p->arms->arm[group->arm], group->node, (int32_t)act.part[1], &action)
               ? og_solver_q_of_action(p->solver, at, g, action, q, message)
               : og_solver_q_of(p->solver, at, g, q, message);
}

static og_status q_of_table(by_arms *p, const int8_t *label, int32_t left, const og_act_values *out,
                            og_message *message)
{
    const int32_t tasks = p->start->assignment->tasks;
    og_arena arena = {0};
    OG_TRY(check_open(out->count, message));
    OG_TRY(need_solver(p, message));
    const og_state at = state_of(p, label, left);
    double *found = og_arena_array(&arena, (size_t)out->count, sizeof *found);
    og_status status = og_arena_status(&arena);
    for (int32_t k = 0; status == OG_OK && k < out->count; k++) {
        status = q_one(p, &at, out->open[k].act, &found[k], message);
    }
    for (int32_t k = 0; status == OG_OK && k < out->count; k++) {
        out->q[k] = found[k] / tasks;
        out->error[k] = 1.01 * (og_solver_relative_error(p->solver) + DBL_EPSILON) * out->q[k];
    }
    og_arena_clear(&arena);
    return status;
}

static og_status q_root(void *self, const og_act_open *open, int32_t count, double *q,
                        double *error, og_message *message)
{
    by_arms *p = self;
    return q_of_table(p, p->start->label, p->start->budget, &(og_act_values){open, count, q, error},
                      message);
}

static og_status q_at(void *self, const og_counts *counts, const og_act_values *out,
                      og_message *message)
{
    by_arms *p = self;
    for (int64_t k = 0; k < og_assignment_cells(p->start->assignment); k++) {
        p->label[k] = (int8_t)(p->start->label[k] + counts->positive[k] - counts->negative[k]);
    }
    if (!(og_assignment_weigh(&p->start->posterior, p->label, NULL, NULL) >= DBL_MIN)) {
        return og_message_set(message, OG_BAD_INPUT, "these labels are impossible");
    }
    return q_of_table(p, p->label, counts->left, out, message);
}

static og_status q_one_exact(by_arms *p, const og_state *at, og_act act, mpq_t *lost, mpq_t q,
                             og_message *message)
{
    const int32_t g = p->place[act.part[0]];
    const og_state_group *group = &at->group[g];
    uint32_t action;
    if (find_action(p->arms->arm[group->arm], group->node, (int32_t)act.part[1], &action)) {
        return og_exact_q_of_action(p->exact, at, g, action, q, message);
    }
    OG_TRY(og_exact_q_at(p->exact, at, lost, message));
    mpq_set(q, lost[g]);
    return OG_OK;
}

static og_status q_exact(void *self, const og_act_open *open, int32_t count, mpq_t *q,
                         og_message *message)
{
    by_arms *p = self;
    og_arena arena = {0};
    const size_t tasks = (size_t)p->start->assignment->tasks;
    OG_TRY(check_open(count, message));
    OG_TRY(need_exact(p, message));
    const og_state at = state_of(p, p->start->label, p->start->budget);
    mpq_t *scratch = og_arena_fractions(&arena, tasks + 1);
    mpq_t *found = og_arena_fractions(&arena, (size_t)count);
    og_status status = og_arena_status(&arena);
    for (int32_t k = 0; status == OG_OK && k < count; k++) {
        mpq_set_ui(scratch[tasks], tasks, 1);
        status = q_one_exact(p, &at, open[k].act, scratch, found[k], message);
        mpq_div(found[k], found[k], scratch[tasks]);
    }
    for (int32_t k = 0; status == OG_OK && k < count; k++) {
        mpq_set(q[k], found[k]);
    }
    og_arena_clear(&arena);
    return status;
}

/* ---- the whole ---- */

static void free_all(void *self)
{
    by_arms *p = self;
    if (p != NULL) {
        og_solver_free(p->solver);
        og_exact_free(p->exact);
        og_arms_free(p->arms);
    }
    og_arena_free(p);
}

static og_status init(by_arms *p, og_message *message)
{
    const og_assignment *assignment = p->start->assignment;
    const size_t tasks = (size_t)assignment->tasks, contexts = (size_t)assignment->contexts;
    p->group_of = og_arena_array(&p->arena, contexts, sizeof *p->group_of);
    p->label = og_arena_array(&p->arena, (size_t)og_assignment_cells(assignment), sizeof *p->label);
    p->group = og_arena_array(&p->arena, tasks, sizeof *p->group);
    p->place = og_arena_array(&p->arena, tasks, sizeof *p->place);
    OG_TRY(og_arena_status(&p->arena));
    return make_arms(p, message);
}

og_status og_assignment_arms(const og_assignment_start *start, const og_value_asked *question,
                             const og_settings *settings, og_solution *out, og_message *message)
{
    by_arms *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    p->start = start;
    p->question = *question;
    p->settings = og_settings_filled(settings);
    p->settings.checkpoint = NULL;
    og_status status = init(p, message);
    if (status != OG_OK) {
        free_all(p);
        return status;
    }
    *out = (og_solution){
        .self = p, .value = value, .q = q_root, .q_at = q_at, .q_exact = q_exact, .free = free_all};
    return OG_OK;
}
