/*
 * Values over histories, for policies whose belief depends on the order of labels. The recursion
 * carries the weights of all points times the likelihood of the history, so nothing is divided and
 * what a history is worth counts as often as it happens:
 *
 *   U(history) = sum over tied actions of share * (U(history, positive) + U(history, negative)),
 *
 * and after the last label the mass of what is called correctly. The value is U of the empty
 * history over the evidence.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/engine/settings.h"
#include "dp/families/features.h"
#include "dp/families/features_tables.h"

static const uint64_t histories_max = UINT64_C(1) << 31;

enum { WATCH_HISTORIES = 256, DEPTH_MAX = 31 };

/* What a history is worth, times its probability: with the policy's calls, with the exact ones. */
typedef struct {
    double own;
    double exact;
} worth;

/* One history for each number of labels, and what it needs. */
typedef struct {
    double *product; /* [points] */
    void *belief;
    double *index; /* [action_count] */
    bool *pick;    /* [action_count] */
} level;

typedef struct {
    const og_features *features;
    const og_features_policy *policy;
    og_ties ties;
    const og_settings *settings;
    og_message *message;
    double start;
    uint64_t histories;
    uint64_t tolerance_ties;
    level *level; /* [budget + 1] */
    double *mass; /* [cell_count] */
    bool *call;   /* [action_count] */
    uint64_t bytes;
} walk;

/* ---- the end of a history ---- */

static worth final_worth(walk *w, const level *now)
{
    const og_features *f = w->features;
    const og_gauss_rule *rule = f->tables->rule;
    for (int32_t c = 0; c < rule->cell_count; c++) {
        w->mass[c] = 0;
        for (int64_t i = rule->cell_first[c]; i < rule->cell_first[c + 1]; i += OG_FEATURES_CHUNK) {
            int64_t rest = rule->cell_first[c + 1] - i;
            w->mass[c] += og_features_sum(&now->product[i],
                                          rest < OG_FEATURES_CHUNK ? rest : OG_FEATURES_CHUNK);
        }
    }
    w->policy->call(w->policy->self, now->belief, w->call);
    worth found = {0, og_features_correct(f, w->mass)};
    for (int32_t a = 0; a < f->action_count; a++) {
        const bool *side = &f->tables->side[(int64_t)a * rule->cell_count];
        double right = 0;
        for (int32_t c = 0; c < rule->cell_count; c++) {
            right += side[c] == w->call[a] ? w->mass[c] : 0;
        }
        found.own += (double)f->copies[a] * right;
    }
    return found;
}

/* ---- the recursion ---- */

static og_status look_up(walk *w)
{
    const og_settings *settings = w->settings;
    w->histories++;
    if (w->histories > histories_max) {
        return og_message_set(w->message, OG_STOPPED, "there are more than 2^31 histories");
    }
    if (settings->states_max > 0 && w->histories > settings->states_max) {
        return og_message_set(w->message, OG_STOPPED,
                              "the limit on states was reached after %llu histories",
                              (unsigned long long)settings->states_max);
    }
    if (settings->watch != NULL && w->histories % WATCH_HISTORIES == 0) {
        og_progress progress = {
            .states = w->histories, .memory_bytes = w->bytes, .seconds = og_seconds() - w->start};
        if (!settings->watch(settings->watch_user, &progress)) {
            return og_message_set(w->message, OG_STOPPED,
                                  "the work was stopped after %llu histories",
                                  (unsigned long long)w->histories);
        }
    }
    return OG_OK;
}

/* The history with one more label. */
static void follow(const walk *w, const level *now, int32_t action, bool positive, level *next)
{
    int64_t points = og_features_points(w->features);
    const double *chance = &w->features->tables->chance[positive][action * points];
    for (int64_t i = 0; i < points; i++) {
        next->product[i] = now->product[i] * chance[i];
    }
    w->policy->learn(w->policy->self, now->belief, action, positive, next->belief);
}

static void choose(walk *w, level *now)
{
    int32_t actions = w->features->action_count;
    w->policy->index(w->policy->self, now->belief, now->index);
    w->tolerance_ties += og_features_tied(now->index, actions, now->pick) > 0;
    bool taken = false;
    for (int32_t a = 0; a < actions && w->ties == OG_TIES_FIRST; a++) {
        now->pick[a] = now->pick[a] && !taken;
        taken = taken || now->pick[a];
    }
}

/* Add one tied action: `copies` of `all` so far. */
static void combine(og_ties ties, worth *sum, worth next, double copies, bool first)
{
    if (ties == OG_TIES_BEST || ties == OG_TIES_WORST) {
        bool better = ties == OG_TIES_BEST ? next.own > sum->own : next.own < sum->own;
        *sum = first || better ? next : *sum;
    } else {
        sum->own += copies * next.own;
        sum->exact += copies * next.exact;
    }
}

static og_status value_of(walk *w, int32_t left, worth *out)
{
    const og_features *f = w->features;
    level *now = &w->level[left];
    og_status status = look_up(w);
    if (status != OG_OK || left == 0) {
        *out = status == OG_OK ? final_worth(w, now) : (worth){0, 0};
        return status;
    }
    choose(w, now);
    worth sum = {0, 0};
    double copies = 0;
    for (int32_t a = 0; a < f->action_count && status == OG_OK; a++) {
        if (!now->pick[a]) {
            continue;
        }
        worth action = {0, 0};
        for (int k = 0; k < 2 && status == OG_OK; k++) {
            worth next;
            follow(w, now, a, k == 1, &w->level[left - 1]);
            status = value_of(w, left - 1, &next);
            action.own += next.own;
            action.exact += next.exact;
        }
        combine(w->ties, &sum, action, (double)f->copies[a], copies == 0);
        copies += (double)f->copies[a];
    }
    /* walk_clear frees all levels: NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    double share = w->ties == OG_TIES_BEST || w->ties == OG_TIES_WORST ? 1 : 1 / copies;
    *out = (worth){sum.own * share, sum.exact * share};
    return status;
}

/* ---- the whole ---- */

static void walk_clear(walk *w)
{
    for (int32_t i = 0; w->level != NULL && i <= w->features->budget; i++) {
        free(w->level[i].product);
        free(w->level[i].belief);
        free(w->level[i].index);
        free(w->level[i].pick);
    }
    free(w->level);
    free(w->mass);
    free(w->call);
}

static og_status walk_init(walk *w)
{
    const og_features *f = w->features;
    size_t actions = (size_t)f->action_count;
    size_t points = (size_t)og_features_points(f);
    size_t levels = (size_t)f->budget + 1;
    w->bytes = f->tables->bytes +
               levels * (points * sizeof(double) + w->policy->belief_bytes + actions * 9);
    if (w->bytes > og_settings_filled(w->settings).memory_bytes) {
        return og_message_set(w->message, OG_STOPPED,
                              "the memory limit does not hold the points of a history");
    }
    w->level = calloc(levels, sizeof *w->level);
    w->mass = calloc((size_t)f->tables->rule->cell_count, sizeof *w->mass);
    w->call = calloc(actions, sizeof *w->call);
    bool whole = w->level != NULL && w->mass != NULL && w->call != NULL;
    for (size_t i = 0; whole && i < levels; i++) {
        level *at = &w->level[i];
        at->product = malloc(points * sizeof *at->product);
        at->belief = malloc(w->policy->belief_bytes);
        at->index = calloc(actions, sizeof *at->index);
        at->pick = calloc(actions, sizeof *at->pick);
        whole = at->product != NULL && at->belief != NULL && at->index != NULL && at->pick != NULL;
    }
    return whole ? OG_OK : OG_NO_MEMORY;
}

og_status og_features_policy_value(const og_features *features, const og_features_policy *policy,
                                   og_ties ties, const og_settings *settings, og_result *result,
                                   double *called_value, uint64_t *tolerance_ties,
                                   og_message *message)
{
    const og_features_tables *t = features->tables;
    if (features->budget > DEPTH_MAX) {
        *result = (og_result){.states = 0};
        return og_message_set(message, OG_STOPPED,
                              "%ld labels have more than 2^31 histories, and this policy depends "
                              "on their order",
                              (long)features->budget);
    }
    walk w = {.features = features,
              .policy = policy,
              .ties = ties,
              .settings = settings,
              .message = message,
              .start = og_seconds()};
    og_result found = {.value = 0};
    worth all = {0, 0};
    og_status status = walk_init(&w);
    if (status == OG_OK) {
        level *root = &w.level[features->budget];
        assert(root->product != NULL); /* walk_init made all */
        memcpy(root->product, t->prior, (size_t)og_features_points(features) * sizeof(double));
        policy->begin(policy->self, root->belief);
        status = value_of(&w, features->budget, &all);
    }
    found.states = w.histories;
    found.expanded = w.histories;
    found.memory_bytes = w.bytes;
    found.seconds = og_seconds() - w.start;
    walk_clear(&w);
    if (status == OG_OK) {
        found.value = all.own / t->evidence;
        found.gain = found.value - t->call;
        found.error_bound = t->value_error;
        *called_value = all.exact / t->evidence;
        *tolerance_ties = w.tolerance_ties;
    }
    if (status == OG_OK || status == OG_STOPPED) {
        *result = found;
    }
    return status;
}
