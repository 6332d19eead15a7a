/*
 * The root, Q and picks of any model. A value is computed once and kept in the memory of `ready`,
 * which Q shares. The second value of a strategy that makes the final calls itself has a separate
 * memory.
 */
#include "dp/engine/solution.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/ties.h"
#include "dp/engine/belief.h"
#include "dp/engine/strategy.h"
#include "dp/engine/valuation.h"

typedef struct {
    og_arena arena;
    og_model base; /* owned */
    og_value_asked question;
    og_settings settings;
    og_followed *followed; /* NULL: the model answers the question directly */
    og_model model;        /* the model to evaluate */
    og_valuation ready;    /* memo NULL: not made yet */
    uint64_t *key;         /* [model.key_words_max] scratch */
} solution;

void og_solution_free(og_solution *solved)
{
    if (solved->free != NULL) {
        solved->free(solved->self);
    }
    memset(solved, 0, sizeof *solved);
}

/* ---- the root ---- */

static og_status value_root(og_valuation *valuation, uint64_t *key, double *value,
                            og_engine_info *info, og_message *message)
{
    const og_model *model = &valuation->model;
    og_expansion x;
    OG_TRY(model->expansion_new(model->self, &x));
    int32_t words = model->root(model->self, &x, NULL, key, value);
    model->expansion_free(&x);
    return words > 0 ? og_valuation_run(valuation, key, words, value, info, message) : OG_OK;
}

/* A strategy's failure takes precedence over the engine's message. */
static og_status blame(og_followed *followed, og_status status, og_message *message)
{
    og_status own = followed != NULL ? og_followed_failure(followed, message) : OG_OK;
    return own != OG_OK ? own : status;
}

/* ---- values ---- */

static bool is_guided(const solution *s)
{
    return s->followed != NULL && s->question.by->decide != NULL &&
           og_ties_by_value(s->question.ties);
}

/* Two memories that exist at once get half each. */
static og_status make_ready(solution *s, og_message *message)
{
    og_settings settings = s->settings;
    settings.memory_bytes /= is_guided(s) ? 2 : 1;
    return s->ready.memo != NULL
               ? OG_OK
               : og_valuation_init(&s->ready, &s->model, &settings, s->base.bytes, message);
}

/* The value if the exact posterior makes the final calls. */
static og_status value_called(solution *s, const og_guide *guide, double *value, og_result *result,
                              og_message *message)
{
    double start = og_seconds();
    og_engine_info info = {0, 0};
    og_settings settings = s->settings;
    og_valuation valuation = {.memo = NULL};
    og_followed *followed = NULL;
    settings.memory_bytes /= guide != NULL ? 2 : 1;
    OG_TRY(og_followed_new(&s->base, &s->question, false, guide, &followed, message));
    og_model model = og_followed_model(followed);
    og_status status = og_valuation_init(&valuation, &model, &settings, s->base.bytes, message);
    if (status == OG_OK) {
        status = value_root(&valuation, s->key, value, &info, message);
        og_valuation_sizes(&valuation, start, &info, result);
    }
    status = blame(followed, status, message);
    og_valuation_clear(&valuation);
    og_followed_free(followed);
    return status;
}

/* With a memory: the question's value, and the second one if it exists. */
static og_status value_remembered(solution *s, double *value, double *called, og_result *result,
                                  og_message *message)
{
    bool guided = is_guided(s);
    double start = og_seconds();
    og_engine_info info = {0, 0};
    if (s->followed != NULL && s->question.by->decide != NULL && !guided) {
        OG_TRY(value_called(s, NULL, called, result, message));
        start = og_seconds();
    }
    OG_TRY(make_ready(s, message));
    og_status status = value_root(&s->ready, s->key, value, &info, message);
    if (status == OG_OK && guided) {
        const og_guide guide = {&s->model, s->ready.memo};
        status = value_called(s, &guide, called, result, message);
    }
    og_valuation_sizes(&s->ready, start, &info, result);
    return status;
}

static double scaled(const og_model *model, double value)
{
    return model->scale > 0 ? value / model->scale : value;
}

static og_status value_of(void *self, og_value_found *out, og_message *message)
{
    solution *s = self;
    const og_model *base = &s->base;
    const og_strategy *by = s->question.by;
    og_value_found found = {.called_value = NAN};
    og_result *result = &found.result;
    double value = 0, called = NAN;
    bool walks = s->followed != NULL && by->forest;
    og_status status =
        walks ? og_followed_walk(s->followed, &s->settings, &value, &called, result, message)
              : value_remembered(s, &value, &called, result, message);
    status = blame(s->followed, status, message);
    if (status == OG_OK) {
        value = scaled(base, value);
        result->value = base->gains ? base->prior + value : value;
        result->gain = base->gains ? value : value - base->prior;
        result->error_bound = base->error(base->self, value, false);
        if (base->gains) {
            result->error_bound += base->prior_error;
            result->error_bound += result->value * 0x1p-53;
        }
        bool decides = s->followed != NULL && by->decide != NULL;
        found.called_value = decides ? scaled(base, called) : NAN;
        found.tolerance_ties = s->followed != NULL ? og_followed_tolerance_ties(s->followed)
                               : by != NULL && by->tolerance_ties != NULL
                                   ? by->tolerance_ties(by->self)
                                   : 0;
    }
    if (status == OG_OK || status == OG_STOPPED) {
        *out = found;
    }
    return status;
}

/* ---- the root's acts ---- */

static bool is_among(og_act act, const og_act_open *open, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (og_act_equal(open[i].act, act)) {
            return true;
        }
    }
    return false;
}

/* Counted from `prior`. */
static og_status value_action(solution *s, const og_expansion *x, const og_action *action,
                              double prior, double *q, og_message *message)
{
    const og_model *model = &s->model;
    og_engine_info info = {0, 0};
    double sum = model->gains ? action->reward : action->reward - prior;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_outcome *o = &x->outcome[action->outcome_first + k];
        double value = 0;
        int32_t words = model->successor(model->self, x, o, s->key, &value);
        if (words > 0) {
            OG_TRY(og_valuation_run(&s->ready, s->key, words, &value, &info, message));
        }
        sum += o->probability * value;
    }
    *q = sum;
    return OG_OK;
}

/* `at` NULL: the root. */
static og_status value_acts(solution *s, og_expansion *x, const og_counts *at,
                            const og_act_values *out, og_message *message)
{
    const og_model *model = &s->model;
    og_state_value placed = {.mass = model->scale > 0 ? model->scale : 1, .prior = model->prior};
    double ignored;
    if (at == NULL) {
        model->root(model->self, x, NULL, s->key, &ignored);
    } else {
        model->place(model->self, x, at, &placed);
    }
    if (!(placed.mass >= DBL_MIN)) {
        return og_message_set(message, OG_BAD_INPUT, "these labels are impossible");
    }
    OG_TRY(model->expand_root(model->self, x));
    if (x->action_count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    for (int32_t a = 0; a < x->action_count; a++) {
        og_act act = model->act(model->self, x, &x->action[a]);
        double found;
        if (!is_among(act, out->open, out->count)) {
            continue;
        }
        OG_TRY(value_action(s, x, &x->action[a], placed.mass * placed.prior, &found, message));
        found /= placed.mass;
        for (int32_t i = 0; i < out->count; i++) {
            if (og_act_equal(out->open[i].act, act)) {
                out->q[i] = found;
                out->error[i] = at == NULL ? model->error(model->self, found, true) : placed.error;
            }
        }
    }
    return OG_OK;
}

static og_status q_at(void *self, const og_counts *at, const og_act_values *out,
                      og_message *message)
{
    solution *s = self;
    og_arena arena = {0};
    og_expansion x;
    assert(s->question.by == NULL);
    const size_t count = (size_t)out->count;
    double *found = og_arena_array(&arena, 2 * count, sizeof *found);
    og_status status = found == NULL ? OG_NO_MEMORY : make_ready(s, message);
    if (status == OG_OK) {
        status = s->model.expansion_new(s->model.self, &x);
    }
    if (status == OG_OK) {
        const og_act_values values = {out->open, out->count, found, found + count};
        status = value_acts(s, &x, at, &values, message);
        s->model.expansion_free(&x);
    }
    if (status == OG_OK) {
        memcpy(out->q, found, count * sizeof *found);
        memcpy(out->error, found + count, count * sizeof *found);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status q_of(void *self, const og_act_open *open, int32_t count, double *q, double *error,
                      og_message *message)
{
    return q_at(self, NULL, &(og_act_values){open, count, q, error}, message);
}

static og_status picks_of(void *self, const og_act_open *open, int32_t count, bool *pick,
                          double *index, og_message *message)
{
    const solution *s = self;
    const og_model *base = &s->base;
    og_expansion x;
    double ignored;
    assert(s->question.by != NULL && base->state != NULL);
    OG_TRY(base->expansion_new(base->self, &x));
    base->root(base->self, &x, NULL, s->key, &ignored);
    og_status status = base->expand_root(base->self, &x);
    if (status == OG_OK && x.action_count == 0) {
        status =
            og_message_set(message, OG_BAD_INPUT, "with no labels left there is nothing to choose");
    }
    OG_THEN(status, og_strategy_picks(s->question.by,
                                      (og_strategy_view){.state = base->state(base->self, &x, NULL),
                                                         .open = open,
                                                         .count = count},
                                      pick, index, message));
    base->expansion_free(&x);
    return status;
}

/* ---- the whole ---- */

static void free_all(void *self)
{
    solution *s = self;
    og_valuation_clear(&s->ready);
    og_followed_free(s->followed);
    og_model_free(&s->base);
    og_arena_free(s);
}

og_status og_solution_by_engine(og_model *model, const og_value_asked *question,
                                const og_settings *settings, og_solution *out, og_message *message)
{
    assert(model->root != NULL && model->error != NULL);
    solution *s = og_arena_new(sizeof *s);
    if (s == NULL) {
        og_model_free(model);
        return OG_NO_MEMORY;
    }
    s->base = s->model = *model;
    s->question = *question;
    s->settings = og_settings_filled(settings);
    s->settings.checkpoint = NULL;
    og_status status = OG_OK;
    if (question->by != NULL && !model->decided) {
        status = og_followed_new(&s->base, question, true, NULL, &s->followed, message);
    }
    if (s->followed != NULL) {
        s->model = og_followed_model(s->followed);
    }
    if (status == OG_OK) {
        s->key = og_arena_array(&s->arena, (size_t)s->model.key_words_max, sizeof *s->key);
        status = og_arena_status(&s->arena);
    }
    if (status != OG_OK) {
        free_all(s);
        return status;
    }
    *model = (og_model){.self = NULL};
    *out = (og_solution){.self = s,
                         .value = value_of,
                         .q = q_of,
                         .q_at = s->model.place != NULL ? q_at : NULL,
                         .picks = picks_of,
                         .free = free_all};
    return OG_OK;
}
