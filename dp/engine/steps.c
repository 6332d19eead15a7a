/*
 * Shows the states of any model one at a time. A value is multiplied by how often its state occurs
 * (og_model.measure), so it is divided by that, and so are the probabilities after it.
 */
#include "dp/engine/steps.h"

#include <assert.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/belief.h"
#include "dp/engine/strategy.h"
#include "dp/engine/valuation.h"

typedef struct {
    og_arena arena;
    og_model model;        /* owned */
    og_followed *followed; /* NULL: values are optimal */
    og_valuation valuation;
    og_expansion x; /* action NULL: not allocated */
    uint64_t *key;  /* [key_words_max] of the current state */
    int32_t words;
    uint64_t *after; /* [key_words_max] scratch */
    double measure;  /* of the current state */
    double relative_error, absolute_error;
    og_exact_values exact;    /* self NULL: no fractions */
    mpq_t *number;            /* [NUMBERS] scratch of fractions */
    const og_strategy *along; /* NULL: no belief, of which all is empty: */
    bool moves;               /* the model renames its records */
    size_t belief_words;      /* they follow the model's in a key */
    uint64_t *first;          /* [belief_words] at the root, like the next two */
    uint64_t *belief;         /* of the current state */
    uint64_t *learnt;         /* of the successor just made */
    void *scratch;
    og_message why; /* why it failed to learn; "": it did not */
} walker;

enum { PART, ROOM, NUMBERS };

void og_steps_free(og_steps *steps)
{
    if (steps->free != NULL) {
        steps->free(steps->self);
    }
    memset(steps, 0, sizeof *steps);
}

static double measure_of(const walker *w, const og_outcome *outcome)
{
    const og_model *model = &w->model;
    return model->measure != NULL ? model->measure(model->self, &w->x, outcome) : 1;
}

static void end_at(const walker *w, const og_outcome *outcome, double value, og_step_state *out)
{
    const og_model *model = &w->model;
    out->stage = 0;
    out->value = value;
    out->state = model->state(model->self, &w->x, outcome);
}

static og_belief learnt_of(const walker *w)
{
    const og_strategy *by = w->along;
    return (og_belief){w->learnt, by->belief_bytes, {by->item_bytes[0], by->item_bytes[1]}};
}

/* Complete a place by its stage and belief. */
static void settle(const walker *w, og_step_state *out)
{
    int32_t left;
    out->stage = w->model.stage(w->model.self, out->key, out->words, &left);
    memcpy(&out->key[out->words], w->learnt, w->belief_words * sizeof *w->learnt);
    out->words += (int32_t)w->belief_words;
}

static void root(void *self, og_step_state *out)
{
    walker *w = self;
    const og_model *model = &w->model;
    og_belief belief;
    double value = 0;
    if (w->along != NULL) {
        memcpy(w->learnt, w->first, w->belief_words * sizeof *w->learnt);
        belief = learnt_of(w);
    }
    out->words = model->root(model->self, &w->x, w->moves ? &belief : NULL, out->key, &value);
    out->probability = 1;
    if (out->words == 0) {
        end_at(w, NULL, value, out);
    } else {
        settle(w, out);
    }
}

static og_status take(void *self, const og_step_state *place, og_step_view *out,
                      og_message *message)
{
    walker *w = self;
    const og_model *model = &w->model;
    if (w->why.text[0] != '\0') {
        return og_message_set(message, OG_FAILED, "%s", w->why.text);
    }
    w->words = place->words - (int32_t)w->belief_words;
    memcpy(w->key, place->key, (size_t)w->words * sizeof *w->key);
    memcpy(w->belief, &place->key[w->words], w->belief_words * sizeof *w->belief);
    OG_TRY(model->expand(model->self, w->key, w->words, &w->x));
    w->measure = measure_of(w, NULL);
    out->x = &w->x;
    out->state = model->state(model->self, &w->x, NULL);
    out->belief = w->along != NULL ? w->belief : NULL;
    model->stage(model->self, w->key, w->words, &out->left);
    return OG_OK;
}

static og_act act(void *self, const og_action *action)
{
    const walker *w = self;
    return w->model.act(w->model.self, &w->x, action);
}

static void reward_exact(const walker *w, const og_action *action, mpq_ptr out)
{
    const og_model *model = &w->model;
    mpq_set_ui(out, 0, 1);
    if (model->exact->reward != NULL) {
        mpq_set(out, model->exact->reward(model->self, &w->x, action, w->number[ROOM]));
    }
}

static double reward(void *self, const og_action *action, mpq_ptr exact)
{
    const walker *w = self;
    if (w->exact.self != NULL && exact != NULL) {
        reward_exact(w, action, exact);
    }
    return action->reward / w->measure;
}

static int32_t answer(void *self, const og_outcome *outcome, og_act *act)
{
    const walker *w = self;
    return w->model.answer(w->model.self, &w->x, outcome, act);
}

/* The belief after an outcome, into w->learnt. */
static void learn(walker *w, const og_outcome *outcome)
{
    const og_model *model = &w->model;
    const og_strategy *by = w->along;
    og_act act = {{0}};
    int32_t heard = model->answer(model->self, &w->x, outcome, &act);
    assert(heard != OG_ANSWER_SEVERAL); /* the model was made for this strategy */
    const og_strategy_view view = {.scratch = w->scratch,
                                   .state = model->state(model->self, &w->x, NULL),
                                   .belief = w->belief};
    memcpy(w->learnt, w->belief, w->belief_words * sizeof *w->learnt);
    if (heard != OG_ANSWER_NONE && !(by->learn(by->self, &view, act, heard, 0, w->learnt) > 0)) {
        og_message_set(&w->why, OG_FAILED, "the policy failed to learn an answer");
    }
}

static void next(void *self, const og_outcome *outcome, og_step_state *out)
{
    walker *w = self;
    const og_model *model = &w->model;
    double value = 0;
    if (w->along != NULL) {
        learn(w, outcome);
    }
    if (w->moves) {
        og_belief belief = learnt_of(w);
        out->words = model->successor_with(model->self, &w->x, outcome, &belief, out->key, &value);
    } else {
        out->words = model->successor(model->self, &w->x, outcome, out->key, &value);
    }
    double measure = measure_of(w, outcome);
    out->probability = outcome->probability * (measure / w->measure);
    if (out->words == 0) {
        end_at(w, outcome, value / measure, out);
    } else {
        settle(w, out);
    }
}

static og_status value_at(walker *w, const uint64_t *key, int32_t words, double *value,
                          og_message *message)
{
    og_engine_info info = {0, 0};
    og_status status = og_valuation_run(&w->valuation, key, words, value, &info, message);
    og_status own = w->followed != NULL ? og_followed_failure(w->followed, message) : OG_OK;
    return own != OG_OK ? own : status;
}

static double error_of(const walker *w, double value)
{
    return w->absolute_error + w->relative_error * fabs(value);
}

static og_status value_of(void *self, double *value, double *error, og_message *message)
{
    walker *w = self;
    OG_TRY(value_at(w, w->key, w->words, value, message));
    *value /= w->measure;
    *error = error_of(w, *value);
    return OG_OK;
}

static og_status q_of(void *self, int32_t action, double *q, double *error, og_message *message)
{
    walker *w = self;
    const og_model *model = &w->model;
    const og_action *at = &w->x.action[action];
    double sum = at->reward;
    for (int32_t k = 0; k < at->outcome_count; k++) {
        const og_outcome *o = &w->x.outcome[at->outcome_first + k];
        double value = 0;
        int32_t words = model->successor(model->self, &w->x, o, w->after, &value);
        if (words > 0) {
            OG_TRY(value_at(w, w->after, words, &value, message));
        }
        sum += o->probability * value;
    }
    *q = sum / w->measure;
    *error = error_of(w, *q);
    return OG_OK;
}

static og_status q_of_all(void *self, double *q, double *error, og_message *message)
{
    const walker *w = self;
    for (int32_t a = 0; a < w->x.action_count; a++) {
        OG_TRY(q_of(self, a, &q[a], &error[a], message));
    }
    return OG_OK;
}

static mpq_srcptr chance_exact(const walker *w, const og_action *action, const og_outcome *outcome)
{
    const og_model *model = &w->model;
    return model->exact->probability == NULL
               ? NULL
               : model->exact->probability(model->self, &w->x, action, outcome, w->number[ROOM]);
}

static void probability_exact(void *self, const og_outcome *outcome, mpq_ptr exact)
{
    const walker *w = self;
    const og_action *action = w->x.action;
    while (outcome - w->x.outcome >= action->outcome_first + action->outcome_count ||
           outcome - w->x.outcome < action->outcome_first) {
        action++;
    }
    mpq_srcptr chance = chance_exact(w, action, outcome);
    if (chance != NULL) {
        mpq_set(exact, chance);
    } else {
        mpq_set_ui(exact, 1, 1);
    }
}

/* Of one action in fractions; an end is worth nothing more. */
static og_status add_exact(walker *w, const og_action *action, mpq_t q, og_message *message)
{
    const og_model *model = &w->model;
    mpq_t *part = &w->number[PART];
    double ignored;
    reward_exact(w, action, q);
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_outcome *o = &w->x.outcome[action->outcome_first + k];
        int32_t words = model->successor(model->self, &w->x, o, w->after, &ignored);
        if (words == 0) {
            continue;
        }
        OG_TRY(w->exact.value(w->exact.self, w->after, words, *part, message));
        mpq_srcptr chance = chance_exact(w, action, o);
        if (chance != NULL) {
            mpq_mul(*part, *part, chance);
        }
        mpq_add(q, q, *part);
    }
    return OG_OK;
}

static og_status q_exact(void *self, mpq_t *q, og_message *message)
{
    walker *w = self;
    for (int32_t a = 0; a < w->x.action_count; a++) {
        OG_TRY(add_exact(w, &w->x.action[a], q[a], message));
    }
    return OG_OK;
}

static void free_walker(void *self)
{
    walker *w = self;
    if (w->exact.self != NULL) {
        w->exact.free(w->exact.self);
    }
    if (w->x.action != NULL) {
        w->model.expansion_free(&w->x);
    }
    og_valuation_clear(&w->valuation);
    og_followed_free(w->followed);
    og_model_free(&w->model);
    og_arena_free(w);
}

static og_status init_walker(walker *w, const og_value_asked *question, const og_settings *settings,
                             og_exact_values_new *exact, og_message *message)
{
    const og_model *model = &w->model;
    og_model valued = w->model;
    og_settings plain = *settings;
    plain.checkpoint = NULL;
    w->key = og_arena_array(&w->arena, (size_t)model->key_words_max, sizeof *w->key);
    w->after = og_arena_array(&w->arena, (size_t)model->key_words_max, sizeof *w->after);
    w->number = og_arena_fractions(&w->arena, exact != NULL ? NUMBERS : 0);
    w->first = og_arena_array(&w->arena, w->belief_words, sizeof *w->first);
    w->belief = og_arena_array(&w->arena, w->belief_words, sizeof *w->belief);
    w->learnt = og_arena_array(&w->arena, w->belief_words, sizeof *w->learnt);
    w->scratch = og_arena_array(&w->arena, w->along != NULL ? w->along->scratch_bytes : 0, 1);
    OG_TRY(og_arena_status(&w->arena));
    OG_TRY(w->along != NULL ? og_strategy_begin(w->along, w->scratch, w->first, message) : OG_OK);
    OG_TRY(exact != NULL ? exact(model, settings, &w->exact, message) : OG_OK);
    if (question->by != NULL) {
        OG_TRY(og_followed_new(model, question, false, NULL, &w->followed, message));
        valued = og_followed_model(w->followed);
    }
    OG_TRY(og_valuation_init(&w->valuation, &valued, &plain, model->bytes, message));
    og_expansion made;
    OG_TRY(model->expansion_new(model->self, &made));
    w->x = made;
    return OG_OK;
}

static int32_t labels_at_root(const walker *w)
{
    const og_model *model = &w->model;
    double value;
    int32_t left = 0;
    int32_t words = model->root(model->self, &w->x, NULL, w->key, &value);
    if (words > 0) {
        model->stage(model->self, w->key, words, &left);
    }
    return left;
}

og_status og_steps_by_engine(og_model *model, const og_value_asked *question,
                             const og_strategy *along, const og_settings *settings,
                             og_exact_values_new *exact, og_steps *out, og_message *message)
{
    assert(exact == NULL || (model->exact != NULL && model->gains && model->measure == NULL));
    assert(model->root != NULL && model->stage != NULL && model->act != NULL);
    assert(model->answer != NULL && model->state != NULL && !(model->scale > 0));
    assert(question->by == NULL || question->by->belief_bytes == 0);
    assert(along == NULL || (along->belief_bytes > 0 && along->branches_max <= 1));
    walker *w = og_arena_new(sizeof *w);
    if (w == NULL) {
        og_model_free(model);
        return OG_NO_MEMORY;
    }
    w->along = along;
    w->moves = along != NULL && !og_strategy_keeps_names(along);
    w->belief_words =
        along != NULL ? (along->belief_bytes + sizeof *w->belief - 1) / sizeof *w->belief : 0;
    w->model = *model;
    *model = (og_model){.self = NULL};
    og_status status = init_walker(w, question, settings, exact, message);
    if (status != OG_OK) {
        free_walker(w);
        return status;
    }
    w->absolute_error = w->model.error(w->model.self, 0, false);
    w->relative_error = w->model.error(w->model.self, 1, false) - w->absolute_error;
    *out = (og_steps){.self = w,
                      .key_words_max = w->model.key_words_max + (int32_t)w->belief_words,
                      .carries = along != NULL,
                      .acts_max = w->model.acts_max,
                      .budget = labels_at_root(w),
                      .gains = w->model.gains,
                      .root_errors = 2,
                      .root = root,
                      .take = take,
                      .act = act,
                      .reward = reward,
                      .answer = answer,
                      .next = next,
                      .value = value_of,
                      .q = q_of_all,
                      .q_of = q_of,
                      .q_exact = exact != NULL ? q_exact : NULL,
                      .probability_exact = exact != NULL ? probability_exact : NULL,
                      .free = free_walker};
    return OG_OK;
}
