#include "dp/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One state in the making; one for every depth of the recursion. */
typedef struct {
    og_expansion expansion;
    uint64_t *key; /* of the successor that is being valued */
} frame;

typedef struct {
    const og_model *model;
    og_memo_user user;
    frame *frame; /* [depth_max + 1], laid out when first needed */
    og_engine_info info;
    og_status status; /* once it is not OG_OK every value is NaN and the recursion unwinds */
} worker;

static frame *frame_at(worker *w, int32_t depth)
{
    frame *f = &w->frame[depth];
    if (f->key == NULL) {
        f->key = calloc((size_t)w->model->key_words_max, sizeof *f->key);
        og_status status = OG_NO_MEMORY;
        if (f->key != NULL) {
            status = w->model->expansion_new(w->model->self, &f->expansion);
        }
        if (status != OG_OK) {
            free(f->key);
            f->key = NULL;
            w->status = status;
            return NULL;
        }
    }
    return f;
}

static double value_of(worker *w, int32_t depth, const uint64_t *key, int32_t words);

static double successor_value(worker *w, int32_t depth, frame *f, const og_outcome *outcome)
{
    double value;
    int32_t words = w->model->successor(w->model->self, &f->expansion, outcome, f->key, &value);
    w->info.looked_up++;
    return words == 0 ? value : value_of(w, depth + 1, f->key, words);
}

/* The outcome to value next: the likeliest that has not been valued. */
static int32_t likeliest(const og_outcome *outcome, const double *value, int32_t count)
{
    int32_t best = -1;
    for (int32_t k = 0; k < count; k++) {
        if (isnan(value[k]) && (best < 0 || outcome[k].probability > outcome[best].probability)) {
            best = k;
        }
    }
    return best;
}

/*
 * The value of an action, or -INFINITY if it is proved not to beat `best`. The sum is taken in the
 * order the model lists the outcomes, whatever the order they were valued in.
 */
static double action_value(worker *w, int32_t depth, frame *f, const og_action *action, double best)
{
    const og_outcome *outcome = &f->expansion.outcome[action->outcome_first];
    double value[action->outcome_count + 1];
    for (int32_t k = 0; k < action->outcome_count; k++) {
        value[k] = NAN;
    }
    double still_possible = action->bound;
    for (int32_t n = 0; n < action->outcome_count; n++) {
        int32_t k = likeliest(outcome, value, action->outcome_count);
        value[k] = successor_value(w, depth, f, &outcome[k]);
        if (isnan(value[k])) {
            return NAN;
        }
        if (isfinite(still_possible)) {
            still_possible -= outcome[k].probability * (outcome[k].bound - value[k]);
            if (still_possible + w->model->margin <= best) {
                return -INFINITY;
            }
        }
    }
    double sum = action->reward;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        sum += outcome[k].probability * value[k];
    }
    return sum;
}

static double best_action(worker *w, int32_t depth, frame *f)
{
    double best = -INFINITY;
    for (int32_t a = 0; a < f->expansion.action_count; a++) {
        const og_action *action = &f->expansion.action[a];
        if (action->bound + w->model->margin <= best) {
            continue;
        }
        double value = action_value(w, depth, f, action, best);
        if (isnan(value)) {
            return NAN;
        }
        best = value > best ? value : best;
    }
    return best;
}

static double worst_action(worker *w, int32_t depth, frame *f)
{
    double worst = INFINITY;
    for (int32_t a = 0; a < f->expansion.action_count; a++) {
        double value = action_value(w, depth, f, &f->expansion.action[a], -INFINITY);
        if (isnan(value)) {
            return NAN;
        }
        worst = value < worst ? value : worst;
    }
    return worst;
}

static double mean_action(worker *w, int32_t depth, frame *f)
{
    double sum = 0;
    double weight = 0;
    for (int32_t a = 0; a < f->expansion.action_count; a++) {
        const og_action *action = &f->expansion.action[a];
        double value = action_value(w, depth, f, action, -INFINITY);
        if (isnan(value)) {
            return NAN;
        }
        sum += action->weight * value;
        weight += action->weight;
    }
    return sum / weight;
}

static double combined_value(worker *w, int32_t depth, frame *f)
{
    switch (f->expansion.combine) {
    case OG_COMBINE_MAX:
        return best_action(w, depth, f);
    case OG_COMBINE_MIN:
        return worst_action(w, depth, f);
    case OG_COMBINE_MEAN:
        return mean_action(w, depth, f);
    }
    return NAN;
}

/* How much work a value was, on a scale of sixteen steps a doubling. */
static uint32_t cost_of(uint64_t expanded)
{
    uint32_t doublings = 63 - (uint32_t)__builtin_clzll(expanded | 1);
    uint32_t cost = doublings * 8;
    return cost < 255 ? cost : 255;
}

static double value_of(worker *w, int32_t depth, const uint64_t *key, int32_t words)
{
    uint64_t hash = og_memo_hash(key, words);
    double value;
    if (og_memo_get(&w->user, key, words, hash, &value)) {
        return value;
    }
    frame *f = frame_at(w, depth);
    if (f == NULL) {
        return NAN;
    }
    uint64_t expanded_before = w->info.expanded++;
    w->model->expand(w->model->self, key, words, &f->expansion);
    value = combined_value(w, depth, f);
    if (!isnan(value)) {
        og_memo_put(&w->user, key, words, hash, value, cost_of(w->info.expanded - expanded_before));
    }
    return value;
}

static void worker_clear(worker *w)
{
    for (int32_t d = 0; w->frame != NULL && d <= w->model->depth_max; d++) {
        if (w->frame[d].key != NULL) {
            w->model->expansion_free(&w->frame[d].expansion);
            free(w->frame[d].key);
        }
    }
    free(w->frame);
}

og_status og_engine_value(const og_model *model, og_memo *memo, const uint64_t *key, int32_t words,
                          double *value, og_engine_info *info)
{
    if (words == 0) {
        *value = 0;
        return OG_OK;
    }
    worker w = {.model = model, .status = OG_OK};
    w.frame = calloc((size_t)model->depth_max + 1, sizeof *w.frame);
    if (w.frame == NULL) {
        return OG_NO_MEMORY;
    }
    og_memo_join(memo, &w.user);
    double result = value_of(&w, 0, key, words);
    og_memo_leave(&w.user);
    worker_clear(&w);
    if (w.status != OG_OK) {
        return w.status;
    }
    info->expanded += w.info.expanded;
    info->looked_up += w.info.looked_up;
    *value = result;
    return OG_OK;
}
