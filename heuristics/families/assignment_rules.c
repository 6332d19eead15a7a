/*
 * Policies of task assignment based on counts: naive, which takes any free cell; and IEThresh and
 * CrowdSense, which process tasks in order and ask workers until they are certain. The table of
 * labels shows which workers were asked for a task.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "dp/base/fraction.h"
#include "heuristics/families/assignment_rule.h"

/* ---- naive ---- */

static void begin_naive(const void *self, void *state)
{
    memset(state, 0, og_assignment_cell_count(self));
}

static og_assignment_move next_naive(const void *self, void *state, og_assignment_choice *out)
{
    out->count = og_assignment_free_cells(self, state, -1, out->cell);
    return out->count > 0 ? OG_ASSIGNMENT_ALIKE : OG_ASSIGNMENT_OVER;
}

static bool tell_naive(const void *self, void *state, int32_t cell, int8_t label)
{
    (void)self;
    ((int8_t *)state)[cell] = label;
    return false;
}

og_status og_assignment_make_naive(const char *name, const char *parameter,
                                   const og_assignment_setting *setting, og_assignment_player *out,
                                   og_message *message)
{
    void *object;
    if (parameter != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s' takes no parameter; omit ':%.40s'", name, parameter);
    }
    OG_TRY(og_assignment_rule_new(sizeof(og_assignment_rule), setting, &object));
    *out = (og_assignment_player){.self = object,
                                  .state_bytes = og_assignment_cell_count(object),
                                  .begin = begin_naive,
                                  .next = next_naive,
                                  .tell = tell_naive,
                                  .call = og_assignment_majority,
                                  .free = og_arena_free};
    return OG_OK;
}

/* ---- tasks in order ---- */

typedef struct in_order in_order;
struct in_order {
    og_assignment_rule rule;
    double eps;
    /* Writes the cells of this task to ask next, in ascending order; returns their number, 0 if the
     * task needs no more labels. */
    int32_t (*ask)(const in_order *policy, const void *state, int32_t *cell);
    bool weighted; /* votes weighted with quality */
    double
        *quantile; /* [tasks + 1] quantile of the upper interval, by number of rewards; iethresh */
    size_t head, n, ok, call;
};

/* The current task; those before it are called. */
static int32_t *task_of(const in_order *policy, const void *state)
{
    return (int32_t *)((const char *)state + policy->head);
}

/* How often each worker was asked, or agreed with the call. */
static int32_t *counts(const void *state, size_t at)
{
    return (int32_t *)((const char *)state + at);
}

static int8_t *call_of(const in_order *policy, const void *state)
{
    return (int8_t *)((const char *)state + policy->call);
}

static const int8_t *labels_of(const in_order *policy, const void *state, int32_t task)
{
    return (const int8_t *)state + (size_t)task * (size_t)policy->rule.setting.workers;
}

static double quality(const in_order *policy, const void *state, int32_t worker)
{
    return (counts(state, policy->ok)[worker] + 100.) / (counts(state, policy->n)[worker] + 200.);
}

static double vote(const in_order *policy, const void *state, int32_t task)
{
    const int8_t *label = labels_of(policy, state, task);
    double sum = 0;
    for (int32_t j = 0; j < policy->rule.setting.workers; j++) {
        sum += label[j] * (policy->weighted ? quality(policy, state, j) : 1);
    }
    return sum;
}

static int8_t sign_of(double sum)
{
    return fabs(sum) < OG_ASSIGNMENT_ZERO ? 0 : sum > 0 ? 1 : -1;
}

/* Continues after the task's call, with or without a coin. */
static void toss(const void *self, void *state, int8_t called)
{
    const in_order *policy = self;
    int32_t *task = task_of(policy, state);
    const int8_t *label = labels_of(policy, state, *task);
    for (int32_t j = 0; j < policy->rule.setting.workers; j++) {
        counts(state, policy->n)[j] += label[j] != 0;
        counts(state, policy->ok)[j] += label[j] == called;
    }
    call_of(policy, state)[(*task)++] = called;
}

static void begin(const void *self, void *state)
{
    const in_order *policy = self;
    memset(state, 0, policy->call + (size_t)policy->rule.setting.tasks);
}

static og_assignment_move next(const void *self, void *state, og_assignment_choice *out)
{
    const in_order *policy = self;
    int32_t *task = task_of(policy, state);
    while (*task < policy->rule.setting.tasks && policy->rule.askable[*task] == 0) {
        ++*task; /* no worker is available: its call remains a coin and changes no counts */
    }
    if (*task == policy->rule.setting.tasks) {
        return OG_ASSIGNMENT_OVER;
    }
    out->count = policy->ask(policy, state, out->cell);
    return OG_ASSIGNMENT_ALIKE;
}

static bool tell(const void *self, void *state, int32_t cell, int8_t label)
{
    const in_order *policy = self;
    ((int8_t *)state)[cell] = label;
    if (policy->ask(policy, state, NULL) > 0) {
        return false;
    }
    int8_t called = sign_of(vote(policy, state, *task_of(policy, state)));
    if (called != 0) {
        toss(policy, state, called);
    }
    return called == 0;
}

static void call(const void *self, const void *state, double *positive)
{
    const in_order *policy = self;
    int32_t task = *task_of(policy, state);
    for (int32_t i = 0; i < policy->rule.setting.tasks; i++) {
        int8_t sign = i < task    ? call_of(policy, state)[i]
                      : i == task ? sign_of(vote(policy, state, i)) /* the vote so far */
                                  : 0;
        positive[i] = sign > 0 ? 1 : sign < 0 ? 0 : 0.5;
    }
}

static bool free_cell(const in_order *policy, const void *state, int32_t cell)
{
    return ((const int8_t *)state)[cell] == 0 && og_assignment_there(&policy->rule, cell);
}

/* ---- IEThresh ---- */

static double quantile_of(int32_t n)
{
    return n < 2 ? INFINITY : gsl_cdf_tdist_Pinv(0.975, n - 1);
}

static double upper(const in_order *policy, const void *state, int32_t worker)
{
    int32_t n = counts(state, policy->n)[worker];
    if (n < 2) {
        return INFINITY;
    }
    double mean = (double)counts(state, policy->ok)[worker] / n;
    double deviation = sqrt(mean * (1 - mean) * n / (n - 1));
    return mean + policy->quantile[n] * deviation / sqrt(n);
}

/* Asks one worker after the other. Counts change only when the task is called, so the set of
 * workers is constant until then. */
static int32_t ask_thresh(const in_order *policy, const void *state, int32_t *cell)
{
    int32_t workers = policy->rule.setting.workers, first = *task_of(policy, state) * workers;
    double largest = 0;
    for (int32_t j = 0; j < workers; j++) {
        if (og_assignment_there(&policy->rule, first + j)) {
            largest = fmax(largest, upper(policy, state, j));
        }
    }
    for (int32_t j = 0; j < workers; j++) {
        double own = upper(policy, state, j);
        bool asked =
            isinf(largest) ? isinf(own) : own >= policy->eps * largest - OG_ASSIGNMENT_ZERO;
        if (asked && free_cell(policy, state, first + j)) {
            if (cell != NULL) {
                cell[0] = first + j;
            }
            return 1;
        }
    }
    return 0;
}

/* ---- CrowdSense ---- */

/* The free worker with the largest quality; -1: none. */
static int32_t best_outside(const in_order *policy, const void *state, int32_t first)
{
    int32_t best = -1;
    for (int32_t j = 0; j < policy->rule.setting.workers; j++) {
        if (free_cell(policy, state, first + j) &&
            (best < 0 || quality(policy, state, j) > quality(policy, state, best))) {
            best = j;
        }
    }
    return best;
}

static int32_t ask_crowd(const in_order *policy, const void *state, int32_t *cell)
{
    enum { SURE = 2, START = 3 }; /* the best ones; the same plus one at random */
    int32_t workers = policy->rule.setting.workers, task = *task_of(policy, state);
    int32_t first = task * workers, asked = 0, count = 0;
    const int8_t *label = labels_of(policy, state, task);
    for (int32_t j = 0; j < workers; j++) {
        asked += label[j] != 0;
    }
    int32_t best = best_outside(policy, state, first);
    bool few = policy->rule.askable[task] <= START;
    if (best < 0) {
        return 0;
    }
    if (!few && asked == SURE) {
        for (int32_t j = 0; j < workers; j++) {
            if (free_cell(policy, state, first + j)) {
                if (cell != NULL) {
                    cell[count] = first + j;
                }
                count++;
            }
        }
        return count;
    }
    if (asked >= START) {
        double margin =
            (fabs(vote(policy, state, task)) - quality(policy, state, best)) / (asked + 1);
        if (!(margin < policy->eps - OG_ASSIGNMENT_ZERO)) {
            return 0;
        }
    }
    if (cell != NULL) {
        cell[0] = first + best;
    }
    return 1;
}

/* ---- making ---- */

static bool read_number(const char *text, double *out)
{
    og_fraction size;
    bool negative = text[0] == '-';
    text += negative;
    if (og_fraction_parse(text, strlen(text), &size) != OG_OK) {
        return false;
    }
    *out = negative ? -og_fraction_double(size) : og_fraction_double(size);
    return true;
}

static og_status make(const char *name, const char *parameter, const og_assignment_setting *setting,
                      in_order **out, og_message *message)
{
    void *made;
    double eps = NAN;
    if (parameter == NULL || !read_number(parameter, &eps)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%s': EPS is a number, such as %s:0.5, not '%.40s'", name,
                              name, parameter == NULL ? "" : parameter);
    }
    OG_TRY(og_assignment_rule_new(sizeof(in_order), setting, &made));
    in_order *policy = made;
    size_t tasks = (size_t)setting->tasks, workers = (size_t)setting->workers, bytes = 0;
    policy->eps = eps;
    og_assignment_place(&bytes, tasks * workers, sizeof(int8_t));
    policy->head = og_assignment_place(&bytes, 1, sizeof(int32_t));
    policy->n = og_assignment_place(&bytes, workers, sizeof(int32_t));
    policy->ok = og_assignment_place(&bytes, workers, sizeof(int32_t));
    policy->call = og_assignment_place(&bytes, tasks, sizeof(int8_t));
    *out = policy;
    return OG_OK;
}

static og_assignment_player player_of(in_order *policy)
{
    return (og_assignment_player){
        .self = policy,
        .state_bytes = (policy->call + (size_t)policy->rule.setting.tasks + 7) / 8 * 8,
        .ends = true,
        .begin = begin,
        .next = next,
        .tell = tell,
        .toss = toss,
        .call = call,
        .free = og_arena_free};
}

og_status og_assignment_make_iethresh(const char *name, const char *parameter,
                                      const og_assignment_setting *setting,
                                      og_assignment_player *out, og_message *message)
{
    in_order *policy = NULL;
    OG_TRY(make(name, parameter, setting, &policy, message));
    size_t sizes = (size_t)setting->tasks + 1;
    policy->ask = ask_thresh;
    policy->quantile = og_arena_array(&policy->rule.arena, sizes, sizeof *policy->quantile);
    if (policy->quantile == NULL) {
        og_arena_free(policy);
        return OG_NO_MEMORY;
    }
    for (size_t n = 0; n < sizes; n++) {
        policy->quantile[n] = quantile_of((int32_t)n);
    }
    *out = player_of(policy);
    return OG_OK;
}

og_status og_assignment_make_crowdsense(const char *name, const char *parameter,
                                        const og_assignment_setting *setting,
                                        og_assignment_player *out, og_message *message)
{
    in_order *policy = NULL;
    OG_TRY(make(name, parameter, setting, &policy, message));
    policy->ask = ask_crowd;
    policy->weighted = true;
    *out = player_of(policy);
    return OG_OK;
}
