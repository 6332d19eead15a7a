/*
 * The policy bbta, bandit-based task assignment [Zhang, Ma and Sugiyama, Neural Computation 27
 * (2015)]: in each context workers are arms of a bandit with a loss when a label differs from the
 * weighted vote on its task. The scores of all tasks use the current weights; choices that the
 * paper leaves open are options.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/base/number.h"
#include "heuristics/families/assignment_rule.h"

typedef struct {
    og_assignment_rule rule;
    bool skip, fresh, plus;
    int32_t *cell; /* [cell_count] cells of the exploration */
    int32_t cell_count;
    size_t head, loss, weight, chance, score, steps, count; /* offsets within a state */
} bbta;

/* The last step. */
typedef struct {
    int32_t cell, worker;
    int32_t done;   /* labelled cells of the exploration */
    bool exploring; /* true if it belongs to the exploration */
    double eta;
} head;

static head *head_of(const bbta *policy, void *state)
{
    return (head *)((char *)state + policy->head);
}

static double *numbers(const void *state, size_t at)
{
    return (double *)((const char *)state + at); /* the caller may change states */
}

static int32_t *counts(const void *state, size_t at)
{
    return (int32_t *)((const char *)state + at);
}

static int32_t context_of(const bbta *policy, int32_t task)
{
    return policy->rule.setting.context[task];
}

/* ---- scores ---- */

/* Several classes: the classes that a task may be called, with their number; and the score, by
 * which the first is ahead of the second, *ahead. */
static int32_t leaders_of(const bbta *policy, const void *state, int32_t task, int8_t *leader,
                          double *ahead)
{
    int32_t workers = policy->rule.setting.workers, classes = policy->rule.setting.classes;
    const double *weight = numbers(state, policy->weight) + context_of(policy, task) * workers;
    const int8_t *label = (const int8_t *)state + (size_t)task * (size_t)workers;
    double vote[OG_CLASSES_MAX] = {0}, all = 0, first = 0, second = 0;
    for (int32_t j = 0; j < workers; j++) {
        if (label[j] != 0) {
            vote[label[j] - 1] += weight[j];
        }
        all += weight[j];
    }
    for (int32_t c = 0; c < classes; c++) {
        second = fmax(second, fmin(first, vote[c]));
        first = fmax(first, vote[c]);
    }
    *ahead = (first - second) / all;
    return og_assignment_leaders(vote, classes, OG_ASSIGNMENT_ZERO * all, leader);
}

static void score_task(const bbta *policy, void *state, int32_t task)
{
    int32_t workers = policy->rule.setting.workers;
    if (og_assignment_several(&policy->rule.setting)) {
        int8_t leader[OG_CLASSES_MAX];
        leaders_of(policy, state, task, leader, &numbers(state, policy->score)[task]);
        return;
    }
    const double *weight = numbers(state, policy->weight) + context_of(policy, task) * workers;
    const int8_t *label = (const int8_t *)state + (size_t)task * (size_t)workers;
    double sum = 0, all = 0;
    for (int32_t j = 0; j < workers; j++) {
        sum += label[j] > 0 ? weight[j] : label[j] < 0 ? -weight[j] : 0;
        all += weight[j];
    }
    numbers(state, policy->score)[task] = sum / all;
}

static void score_context(const bbta *policy, void *state, int32_t context)
{
    for (int32_t i = 0; i < policy->rule.setting.tasks; i++) {
        if (context_of(policy, i) == context) {
            score_task(policy, state, i);
        }
    }
}

static void renew_weights(const bbta *policy, void *state, int32_t context, double eta)
{
    int32_t workers = policy->rule.setting.workers;
    const double *loss = numbers(state, policy->loss) + context * workers;
    double *weight = numbers(state, policy->weight) + context * workers, least = INFINITY;
    for (int32_t j = 0; j < workers; j++) {
        least = fmin(least, loss[j]);
    }
    for (int32_t j = 0; j < workers; j++) {
        weight[j] = exp(-eta * (loss[j] - least));
    }
}

/* The sign of a score; 0: a coin decides. */
static int8_t sign_of(const bbta *policy, double score)
{
    bool zero = fabs(score) < OG_ASSIGNMENT_ZERO;
    return zero ? policy->plus : score > 0 ? 1 : -1;
}

/* The class of a task with these labels and scores; 0: a coin, or one of equally good classes. */
static int8_t class_of(const bbta *policy, const void *state, int32_t task)
{
    int8_t leader[OG_CLASSES_MAX];
    double ahead;
    if (!og_assignment_several(&policy->rule.setting)) {
        return sign_of(policy, numbers(state, policy->score)[task]);
    }
    return leaders_of(policy, state, task, leader, &ahead) == 1 ? leader[0] : 0;
}

/* ---- a step ---- */

static void begin(const void *self, void *state)
{
    const bbta *policy = self;
    const og_assignment_setting *setting = &policy->rule.setting;
    memset(state, 0, policy->count + (size_t)setting->tasks * sizeof(int32_t));
    double *weight = numbers(state, policy->weight);
    for (int32_t k = 0; k < setting->contexts * setting->workers; k++) {
        weight[k] = 1;
    }
}

static void lose(double *loss, double by)
{
    *loss = fmin(*loss + by, DBL_MAX); /* so that differences of losses are finite */
}

/* Adds the losses when a task of the exploration has all its labels and is called. */
static void settle_explored(const bbta *policy, void *state, int32_t task, int8_t called)
{
    int32_t workers = policy->rule.setting.workers;
    double *loss = numbers(state, policy->loss) + context_of(policy, task) * workers;
    const int8_t *label = (const int8_t *)state + (size_t)task * (size_t)workers;
    for (int32_t j = 0; j < workers; j++) {
        loss[j] += label[j] != 0 && label[j] != called;
    }
}

static void weigh_answer(const bbta *policy, void *state, int8_t called)
{
    const head *at = head_of(policy, state);
    int32_t workers = policy->rule.setting.workers,
            context = context_of(policy, at->cell / workers);
    const int8_t *label = state;
    if (label[at->cell] != called) {
        lose(numbers(state, policy->loss) + context * workers + at->worker,
             1 / numbers(state, policy->chance)[at->worker]);
    }
    if (policy->fresh) {
        renew_weights(policy, state, context, at->eta);
    }
    score_context(policy, state, context);
}

/* Continues after the task's call. */
static void go_on(const bbta *policy, void *state, int8_t called)
{
    const head *at = head_of(policy, state);
    if (at->exploring) {
        settle_explored(policy, state, at->cell / policy->rule.setting.workers, called);
    } else {
        weigh_answer(policy, state, called);
    }
}

static int32_t sides(const void *self, const void *state)
{
    const bbta *policy = self;
    const head *at = (const head *)((const char *)state + policy->head);
    int8_t leader[OG_CLASSES_MAX];
    double ahead;
    return leaders_of(policy, state, at->cell / policy->rule.setting.workers, leader, &ahead);
}

static void toss(const void *self, void *state, int8_t side)
{
    const bbta *policy = self;
    int8_t leader[OG_CLASSES_MAX];
    double ahead;
    if (og_assignment_several(&policy->rule.setting)) {
        leaders_of(policy, state, head_of(policy, state)->cell / policy->rule.setting.workers,
                   leader, &ahead);
        go_on(policy, state, leader[side - 1]);
    } else {
        go_on(policy, state, side);
    }
}

static bool tell(const void *self, void *state, int32_t cell, int8_t label)
{
    const bbta *policy = self;
    head *at = head_of(policy, state);
    int8_t *table = state;
    int32_t workers = policy->rule.setting.workers, task = cell / workers;
    int32_t *labelled = &counts(state, policy->count)[task];
    *labelled += table[cell] == 0;
    table[cell] = label;
    at->cell = cell;
    at->worker = cell % workers;
    at->exploring = at->done < policy->cell_count;
    at->done += at->exploring;
    score_task(policy, state, task);
    if (at->exploring && *labelled < policy->rule.askable[task]) {
        return false;
    }
    int8_t called = class_of(policy, state, task);
    if (called != 0) {
        go_on(policy, state, called);
    }
    return called == 0;
}

/* ---- choosing ---- */

/* The least certain task that lacks labels; -1: none. */
static int32_t least_certain(const bbta *policy, const void *state)
{
    const double *score = numbers(state, policy->score);
    int32_t task = -1;
    for (int32_t i = 0; i < policy->rule.setting.tasks; i++) {
        bool open = counts(state, policy->count)[i] < policy->rule.askable[i];
        if (open && (task < 0 || fabs(score[i]) < fabs(score[task]) - OG_ASSIGNMENT_ZERO)) {
            task = i;
        }
    }
    return task;
}

static bool can_be_drawn(const bbta *policy, const int8_t *table, int32_t cell)
{
    return og_assignment_there(&policy->rule, cell) && (!policy->skip || table[cell] == 0);
}

/* Probabilities of the workers who can be drawn; those that underflow are omitted. */
static void draw(const bbta *policy, void *state, int32_t task, og_assignment_choice *out)
{
    int32_t workers = policy->rule.setting.workers;
    const double *loss = numbers(state, policy->loss) + context_of(policy, task) * workers;
    double *chance = numbers(state, policy->chance), eta = head_of(policy, state)->eta;
    double least = INFINITY, all = 0;
    for (int32_t j = 0; j < workers; j++) {
        if (can_be_drawn(policy, state, task * workers + j)) {
            least = fmin(least, loss[j]);
        }
    }
    for (int32_t j = 0; j < workers; j++) {
        bool in = can_be_drawn(policy, state, task * workers + j);
        chance[j] = in ? exp(-eta * (loss[j] - least)) : 0;
        all += chance[j];
    }
    out->count = 0;
    for (int32_t j = 0; j < workers; j++) {
        chance[j] /= all;
        if (chance[j] >= DBL_MIN) { /* otherwise its inverse overflows */
            out->cell[out->count] = task * workers + j;
            out->chance[out->count++] = chance[j];
        }
    }
}

static og_assignment_move next(const void *self, void *state, og_assignment_choice *out)
{
    const bbta *policy = self;
    head *at = head_of(policy, state);
    if (at->done < policy->cell_count) {
        out->cell[0] = policy->cell[at->done];
        out->count = 1;
        return OG_ASSIGNMENT_ALIKE;
    }
    int32_t task = least_certain(policy, state);
    if (task < 0) {
        return OG_ASSIGNMENT_OVER;
    }
    int32_t context = context_of(policy, task), workers = policy->rule.setting.workers;
    int32_t steps = ++counts(state, policy->steps)[context];
    at->eta = sqrt(log(workers) / ((double)steps * workers));
    renew_weights(policy, state, context, at->eta);
    draw(policy, state, task, out);
    return OG_ASSIGNMENT_DRAWN;
}

static void call(const void *self, const void *state, double *positive)
{
    const bbta *policy = self;
    int32_t classes = policy->rule.setting.classes;
    for (int32_t i = 0; i < policy->rule.setting.tasks; i++) {
        int8_t leader[OG_CLASSES_MAX];
        double ahead;
        if (og_assignment_several(&policy->rule.setting)) {
            int32_t count = leaders_of(policy, state, i, leader, &ahead);
            og_assignment_share(leader, count, classes, &positive[i * classes]);
            continue;
        }
        int8_t sign = sign_of(policy, numbers(state, policy->score)[i]);
        positive[i] = sign > 0 ? 1 : sign < 0 ? 0 : 0.5;
    }
}

static void losses(const void *self, const void *state, int32_t task, const int8_t *label,
                   double *loss)
{
    const bbta *policy = self;
    int32_t workers = policy->rule.setting.workers;
    const double *weight = numbers(state, policy->weight) + context_of(policy, task) * workers;
    const int8_t *known = (const int8_t *)state + (size_t)task * (size_t)workers;
    double sum = 0, all = 0;
    for (int32_t j = 0; j < workers; j++) {
        sum += known[j] * weight[j];
        all += weight[j];
    }
    for (int32_t b = 0; b < workers; b++) {
        double with = sum + (known[b] == 0 ? label[b] * weight[b] : 0);
        int8_t sign = sign_of(policy, with / all);
        loss[b] = sign == 0 ? 0.5 : sign != label[b];
    }
}

static void standing(const void *self, const void *state, double *loss, double *weight,
                     double *score)
{
    const bbta *policy = self;
    const og_assignment_setting *setting = &policy->rule.setting;
    size_t cells = (size_t)setting->contexts * (size_t)setting->workers;
    memcpy(loss, numbers(state, policy->loss), cells * sizeof *loss);
    memcpy(weight, numbers(state, policy->weight), cells * sizeof *weight);
    memcpy(score, numbers(state, policy->score), (size_t)setting->tasks * sizeof *score);
}

/* ---- making ---- */

static og_status bad_option(const char *parameter, og_message *message)
{
    return og_message_set(
        message, OG_BAD_INPUT,
        "policy 'bbta:%.60s' must be bbta[:N'[,skip][,fresh][,plus]] with N' >= 0 "
        "tasks of each context to explore, such as bbta:2,skip",
        parameter);
}

static og_status read_options(bbta *policy, const char *parameter, int64_t *explore,
                              og_message *message)
{
    enum { WORD = 16 };
    const struct {
        const char *word;
        bool *set;
    } options[] = {{"skip", &policy->skip}, {"fresh", &policy->fresh}, {"plus", &policy->plus}};
    char word[WORD];
    const char *rest = parameter;
    for (int32_t k = 0; rest != NULL; k++) {
        size_t length = strcspn(rest, ",");
        if (length >= sizeof word) {
            return bad_option(parameter, message);
        }
        memcpy(word, rest, length);
        word[length] = '\0';
        bool known = k == 0 && og_number_parse(word, 0, INT32_MAX, explore);
        for (int32_t o = 0; k > 0 && o < 3; o++) {
            if (strcmp(word, options[o].word) == 0) {
                *options[o].set = known = true;
            }
        }
        if (!known) {
            return bad_option(parameter, message);
        }
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return OG_OK;
}

/* Lists the cells of the first `each` tasks of each context, in the order of the tasks. */
static og_status explore(bbta *policy, int64_t each, og_message *message)
{
    const og_assignment_setting *setting = &policy->rule.setting;
    og_arena arena = {0};
    int32_t *taken = og_arena_array(&arena, (size_t)setting->contexts, sizeof *taken);
    policy->cell = og_arena_array(&policy->rule.arena, og_assignment_cell_count(&policy->rule),
                                  sizeof *policy->cell);
    og_status status = og_arena_status(&policy->rule.arena);
    OG_THEN(status, og_arena_status(&arena));
    for (int32_t i = 0; status == OG_OK && i < setting->tasks; i++) {
        if (taken[setting->context[i]]++ >= each) {
            continue;
        }
        for (int32_t j = 0; j < setting->workers; j++) {
            int32_t cell = i * setting->workers + j;
            if (og_assignment_there(&policy->rule, cell)) {
                policy->cell[policy->cell_count++] = cell;
            }
        }
    }
    og_arena_clear(&arena);
    if (status == OG_OK && setting->budget >= 0 && policy->cell_count > setting->budget) {
        return og_message_set(message, OG_BAD_INPUT,
                              "bbta:%lld explores with %d labels, but the budget (-T) is only %d",
                              (long long)each, policy->cell_count, setting->budget);
    }
    return status;
}

static size_t lay_out(bbta *policy)
{
    const og_assignment_setting *setting = &policy->rule.setting;
    size_t tasks = (size_t)setting->tasks, workers = (size_t)setting->workers;
    size_t contexts = (size_t)setting->contexts, bytes = 0;
    og_assignment_place(&bytes, tasks * workers, sizeof(int8_t));
    policy->head = og_assignment_place(&bytes, 1, sizeof(head));
    policy->loss = og_assignment_place(&bytes, contexts * workers, sizeof(double));
    policy->weight = og_assignment_place(&bytes, contexts * workers, sizeof(double));
    policy->chance = og_assignment_place(&bytes, workers, sizeof(double));
    policy->score = og_assignment_place(&bytes, tasks, sizeof(double));
    policy->steps = og_assignment_place(&bytes, contexts, sizeof(int32_t));
    policy->count = og_assignment_place(&bytes, tasks, sizeof(int32_t));
    return bytes;
}

og_status og_assignment_make_bbta(const char *name, const char *parameter,
                                  const og_assignment_setting *setting, og_assignment_player *out,
                                  og_message *message)
{
    void *made;
    int64_t each = 0;
    (void)name;
    OG_TRY(og_assignment_rule_new(sizeof(bbta), setting, &made));
    bbta *policy = made;
    og_status status = read_options(policy, parameter, &each, message);
    if (status == OG_OK && policy->plus && og_assignment_several(setting)) {
        status = og_message_set(message, OG_BAD_INPUT,
                                "policy 'bbta:%.60s': plus requires labels of two classes, got %d; "
                                "omit it",
                                parameter, setting->classes);
    }
    OG_THEN(status, explore(policy, each, message));
    if (status != OG_OK) {
        og_arena_free(policy);
        return status;
    }
    *out = (og_assignment_player){.self = policy,
                                  .state_bytes = lay_out(policy),
                                  .begin = begin,
                                  .next = next,
                                  .tell = tell,
                                  .toss = toss,
                                  .sides = sides,
                                  .call = call,
                                  .losses = losses,
                                  .standing = standing,
                                  .free = og_arena_free};
    return OG_OK;
}

double og_bbta_bound(double budget, double contexts, double workers, double explored)
{
    double exploring = contexts * workers * explored, log_workers = log(workers);
    return 2 * sqrt((budget - exploring) * contexts * workers * log_workers) +
           contexts * explored * explored / 4 * sqrt(log_workers / workers) + contexts * explored;
}
