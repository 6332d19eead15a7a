/*
 * Successors are looked up a window at a time: their keys are written and their places in the memory
 * fetched ahead, then the known values are taken, and only what is still open after that is recursed into.
 * Besides hiding the latency of the table, values that are known for free settle many states at once.
 */
#include "dp/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_WORDS = 128 }; /* of key buffer in a frame, unless one action needs more */

/* A successor within the window. */
typedef struct {
    double value; /* NaN: not known yet */
    uint64_t hash;
    uint64_t *key;
    int32_t words;
} successor;

/* One state in the making; one for every depth of the recursion. */
typedef struct {
    og_expansion expansion;
    successor *successor; /* [window_outcomes] */
    uint64_t *keys;       /* [window_outcomes * key_words_max] */
} frame;

typedef struct {
    const og_model *model;
    og_memo_user user;
    int32_t window_outcomes;
    frame *frame; /* [depth_max + 1], laid out when first needed */
    og_engine_info info;
    og_status status; /* once it is not OG_OK every value is NaN and the recursion unwinds */
} worker;

static void frame_clear(worker *w, frame *f)
{
    if (f->expansion.action != NULL) {
        w->model->expansion_free(&f->expansion);
    }
    free(f->successor);
    free(f->keys);
    memset(f, 0, sizeof *f);
}

static frame *frame_at(worker *w, int32_t depth)
{
    frame *f = &w->frame[depth];
    if (f->keys != NULL) {
        return f;
    }
    size_t outcomes = (size_t)w->window_outcomes;
    size_t words = (size_t)w->model->key_words_max;
    f->successor = calloc(outcomes, sizeof *f->successor);
    f->keys = calloc(outcomes * words, sizeof *f->keys);
    og_status status = OG_NO_MEMORY;
    if (f->successor != NULL && f->keys != NULL) {
        status = w->model->expansion_new(w->model->self, &f->expansion);
    }
    if (status != OG_OK) {
        frame_clear(w, f);
        w->status = status;
        return NULL;
    }
    for (size_t i = 0; i < outcomes; i++) {
        f->successor[i].key = &f->keys[i * words];
    }
    return f;
}

static double value_unknown(worker *w, int32_t depth, const uint64_t *key, int32_t words, uint64_t hash);

/* Write the keys of an action's successors from `place` on and fetch their places in the memory. */
static void prepare(worker *w, frame *f, const og_action *action, successor *place)
{
    for (int32_t k = 0; k < action->outcome_count; k++) {
        successor *s = &place[k];
        s->words = w->model->successor(w->model->self, &f->expansion,
                                       &f->expansion.outcome[action->outcome_first + k], s->key, &s->value);
        if (s->words > 0) {
            s->value = NAN;
            s->hash = og_memo_hash(s->key, s->words);
            og_memo_prefetch(w->user.memo, s->words, s->hash);
        }
    }
    w->info.looked_up += (uint64_t)action->outcome_count;
}

static void look_up(worker *w, successor *place, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        double value;
        if (isnan(place[k].value) &&
            og_memo_get(&w->user, place[k].key, place[k].words, place[k].hash, &value)) {
            place[k].value = value;
        }
    }
}

/* The outcome to value next: the likeliest that has not been valued; -1 if none is left. */
static int32_t likeliest(const og_outcome *outcome, const successor *place, int32_t count)
{
    int32_t best = -1;
    for (int32_t k = 0; k < count; k++) {
        if (isnan(place[k].value) && (best < 0 || outcome[k].probability > outcome[best].probability)) {
            best = k;
        }
    }
    return best;
}

/* What the action can still be worth, given the successors known so far. */
static double still_possible(const og_action *action, const og_outcome *outcome, const successor *place)
{
    double sum = action->bound;
    if (isfinite(sum)) {
        for (int32_t k = 0; k < action->outcome_count; k++) {
            if (!isnan(place[k].value)) {
                sum -= outcome[k].probability * (outcome[k].bound - place[k].value);
            }
        }
    }
    return sum;
}

/* The sum is taken in the order in which the model lists the outcomes, whatever the order they were valued in. */
static double value_from(const og_action *action, const og_outcome *outcome, const successor *place)
{
    double sum = action->reward;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        sum += outcome[k].probability * place[k].value;
    }
    return sum;
}

/* The value of a prepared action; -INFINITY if it is proved not to beat `best`; NaN if the work was stopped. */
static double action_value(worker *w, int32_t depth, frame *f, const og_action *action, successor *place,
                           double best)
{
    const og_outcome *outcome = &f->expansion.outcome[action->outcome_first];
    for (;;) {
        int32_t k = likeliest(outcome, place, action->outcome_count);
        if (k < 0) {
            return value_from(action, outcome, place);
        }
        if (still_possible(action, outcome, place) + w->model->margin <= best) {
            return -INFINITY;
        }
        place[k].value = value_unknown(w, depth + 1, place[k].key, place[k].words, place[k].hash);
        if (isnan(place[k].value)) {
            return NAN;
        }
    }
}

/* A running maximum, minimum or mean. */
typedef struct {
    og_combine combine;
    double value;
    double weight;
} combination;

static void combination_begin(combination *c, og_combine combine)
{
    c->combine = combine;
    c->weight = 0;
    c->value = combine == OG_COMBINE_MAX ? -INFINITY : combine == OG_COMBINE_MIN ? INFINITY : 0;
}

static void combination_add(combination *c, const og_action *action, double value)
{
    switch (c->combine) {
    case OG_COMBINE_MAX:
        c->value = value > c->value ? value : c->value;
        break;
    case OG_COMBINE_MIN:
        c->value = value < c->value ? value : c->value;
        break;
    case OG_COMBINE_MEAN:
        c->value += action->weight * value;
        c->weight += action->weight;
        break;
    }
}

static double combination_end(const combination *c)
{
    return c->combine == OG_COMBINE_MEAN ? c->value / c->weight : c->value;
}

/* What an action has to beat: nothing unless the largest counts. */
static double to_beat(const combination *c)
{
    return c->combine == OG_COMBINE_MAX ? c->value : -INFINITY;
}

/*
 * Prepare the next actions that can still win, as many as fit; picked[] receives them. Returns how many;
 * *next moves past the actions that were looked at.
 */
static int32_t fill_window(worker *w, frame *f, const combination *c, int32_t *next, int32_t *picked)
{
    int32_t used = 0;
    int32_t count = 0;
    while (*next < f->expansion.action_count) {
        const og_action *action = &f->expansion.action[*next];
        if (action->bound + w->model->margin > to_beat(c)) {
            if (used + action->outcome_count > w->window_outcomes) {
                break;
            }
            prepare(w, f, action, &f->successor[used]);
            picked[count++] = *next;
            used += action->outcome_count;
        }
        (*next)++;
    }
    look_up(w, f->successor, used);
    return count;
}

/* Value and add the actions of a window: first those that are known at sight, which may settle the others. */
static bool add_window(worker *w, int32_t depth, frame *f, combination *c, const int32_t *picked, int32_t count)
{
    for (int pass = c->combine == OG_COMBINE_MAX ? 0 : 1; pass < 2; pass++) {
        successor *place = f->successor;
        for (int32_t i = 0; i < count; i++) {
            const og_action *action = &f->expansion.action[picked[i]];
            bool known = likeliest(&f->expansion.outcome[action->outcome_first], place, action->outcome_count) < 0;
            if (pass == 1 || known) {
                double value = action_value(w, depth, f, action, place, to_beat(c));
                if (isnan(value)) {
                    return false;
                }
                combination_add(c, action, value);
            }
            place += action->outcome_count;
        }
    }
    return true;
}

static double combined_value(worker *w, int32_t depth, frame *f)
{
    combination c;
    combination_begin(&c, f->expansion.combine);
    int32_t picked[w->window_outcomes + 1];
    int32_t next = 0;
    while (next < f->expansion.action_count) {
        int32_t count = fill_window(w, f, &c, &next, picked);
        if (!add_window(w, depth, f, &c, picked, count)) {
            return NAN;
        }
    }
    return combination_end(&c);
}

/* How much work a value was, on a scale of sixteen steps a doubling. */
static uint32_t cost_of(uint64_t expanded)
{
    uint32_t doublings = 63 - (uint32_t)__builtin_clzll(expanded | 1);
    uint32_t cost = doublings * 8;
    return cost < 255 ? cost : 255;
}

static double value_unknown(worker *w, int32_t depth, const uint64_t *key, int32_t words, uint64_t hash)
{
    frame *f = frame_at(w, depth);
    if (f == NULL) {
        return NAN;
    }
    uint64_t expanded_before = w->info.expanded++;
    w->model->expand(w->model->self, key, words, &f->expansion);
    double value = combined_value(w, depth, f);
    if (!isnan(value)) {
        og_memo_put(&w->user, key, words, hash, value, cost_of(w->info.expanded - expanded_before));
    }
    return value;
}

static double value_of(worker *w, const uint64_t *key, int32_t words)
{
    uint64_t hash = og_memo_hash(key, words);
    double value;
    return og_memo_get(&w->user, key, words, hash, &value) ? value : value_unknown(w, 0, key, words, hash);
}

static void worker_clear(worker *w)
{
    for (int32_t d = 0; w->frame != NULL && d <= w->model->depth_max; d++) {
        frame_clear(w, &w->frame[d]);
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
    int32_t fit = WINDOW_WORDS / model->key_words_max;
    w.window_outcomes = fit > model->outcomes_max ? fit : model->outcomes_max;
    w.frame = calloc((size_t)model->depth_max + 1, sizeof *w.frame);
    if (w.frame == NULL) {
        return OG_NO_MEMORY;
    }
    og_memo_join(memo, &w.user);
    double result = value_of(&w, key, words);
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
