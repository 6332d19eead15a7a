/*
 * What a policy that buys labels is worth, in fractions: the recursion over the states it meets,
 * each of which is remembered.
 */
#include <math.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/base/stop.h"
#include "dp/engine/memo.h"
#include "dp/engine/strategy.h"
#include "dp/exact/exact_table.h"
#include "dp/families/sources.h"

/* What a state on the way needs while it is valued. */
typedef struct {
    og_arena arena; /* block NULL: not made yet */
    og_expansion x;
    uint64_t *key; /* of a successor */
    og_open *open;
    double *weight;
    mpq_t *number; /* [NUMBERS] */
} frame;

enum { VALUE, Q, PART, BEHIND, TOTAL, NUMBERS };

typedef struct {
    og_arena arena;
    const og_sources_problem *problem;
    const og_question *question;
    og_model model;
    og_exact_table *table;
    frame *frames; /* [depth_max] */
    og_stop stop;
    og_message *message;
} walk;

static og_status need_frame(const walk *w, frame *f)
{
    const og_model *model = &w->model;
    if (f->number != NULL) {
        return OG_OK;
    }
    if (f->x.scratch == NULL) {
        OG_TRY(model->expansion_new(model->self, &f->x));
    }
    f->key = og_arena_array(&f->arena, (size_t)model->key_words_max, sizeof *f->key);
    f->open = og_arena_array(&f->arena, (size_t)model->acts_max, sizeof *f->open);
    f->weight = og_arena_array(&f->arena, (size_t)model->acts_max, sizeof *f->weight);
    f->number = og_arena_fractions(&f->arena, NUMBERS);
    return og_arena_status(&f->arena);
}

/* The weights of the actions, 0 for those not taken. */
static og_status ask(const walk *w, frame *f, og_answer *kind)
{
    const og_model *model = &w->model;
    const og_strategy *by = w->question->by;
    int32_t apart;
    for (int32_t a = 0; a < f->x.action_count; a++) {
        f->open[a] = (og_open){model->act(model->self, &f->x, &f->x.action[a]),
                               (int64_t)f->x.action[a].weight};
    }
    const void *state = model->state(model->self, &f->x, NULL);
    OG_TRY(by->choose(by->self, NULL, state, NULL, f->open, f->x.action_count, f->weight, kind,
                      w->message));
    return og_strategy_weigh(by, *kind, w->question->ties, f->open, f->x.action_count, f->weight,
                             &apart, w->message);
}

static og_status value_state(walk *w, int32_t depth, const uint64_t *key, int32_t words, mpq_t out);

/* Q of an action into number[Q]. */
static og_status value_action(walk *w, int32_t depth, const og_action *action, const og_open *open)
{
    const og_model *model = &w->model;
    frame *f = &w->frames[depth];
    const og_sources_state *state = model->state(model->self, &f->x, NULL);
    const og_sources_group *group = &state->group[open->act.part[0]];
    const og_arm *arm = w->problem->arms->arm[group->arm];
    uint32_t number = og_sources_action(arm, group->node, open->act.part[1]);
    og_arm_exact_reward(arm, number, f->number[Q]);
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_outcome *outcome = &f->x.outcome[action->outcome_first + k];
        double ignored;
        int32_t words = model->successor(model->self, &f->x, outcome, f->key, &ignored);
        if (words > 0) {
            OG_TRY(value_state(w, depth + 1, f->key, words, f->number[BEHIND]));
            og_arm_exact_probability(arm, number, (int32_t)outcome->to, f->number[PART]);
            mpq_mul(f->number[PART], f->number[PART], f->number[BEHIND]);
            mpq_add(f->number[Q], f->number[Q], f->number[PART]);
        }
    }
    return OG_OK;
}

/* The mean of what is taken, or the best or the worst of it, into number[VALUE]. */
static og_status combine(walk *w, int32_t depth, og_answer kind)
{
    frame *f = &w->frames[depth];
    const og_ties ties = w->question->ties;
    const bool mean = kind == OG_ANSWER_WEIGHTS || (ties != OG_TIES_BEST && ties != OG_TIES_WORST);
    bool any = false;
    mpq_set_ui(f->number[VALUE], 0, 1);
    mpq_set_ui(f->number[TOTAL], 0, 1);
    for (int32_t a = 0; a < f->x.action_count; a++) {
        if (f->weight[a] == 0) {
            continue;
        }
        OG_TRY(value_action(w, depth, &f->x.action[a], &f->open[a]));
        int order = mpq_cmp(f->number[Q], f->number[VALUE]);
        if (mean) {
            mpq_set_d(f->number[PART], f->weight[a]);
            mpq_add(f->number[TOTAL], f->number[TOTAL], f->number[PART]);
            mpq_mul(f->number[Q], f->number[Q], f->number[PART]);
            mpq_add(f->number[VALUE], f->number[VALUE], f->number[Q]);
        } else if (!any || (ties == OG_TIES_BEST ? order > 0 : order < 0)) {
            mpq_set(f->number[VALUE], f->number[Q]);
        }
        any = true;
    }
    if (mean) {
        mpq_div(f->number[VALUE], f->number[VALUE], f->number[TOTAL]);
    }
    return OG_OK;
}

static og_status value_state(walk *w, int32_t depth, const uint64_t *key, int32_t words, mpq_t out)
{
    frame *f = &w->frames[depth];
    const uint64_t hash = og_memo_hash(key, words);
    og_answer kind;
    mpq_t known;
    if (og_exact_table_get(w->table, key, words, hash, known)) {
        mpq_set(out, known);
        return OG_OK;
    }
    if (og_stop_asked(&w->stop)) {
        return og_message_set(w->message, OG_STOPPED, "the work was stopped");
    }
    OG_TRY(need_frame(w, f));
    OG_TRY(w->model.expand(w->model.self, key, words, &f->x));
    OG_TRY(ask(w, f, &kind));
    OG_TRY(combine(w, depth, kind));
    mpq_set(out, f->number[VALUE]);
    og_status status = og_exact_table_put(w->table, key, words, hash, out);
    return status != OG_STOPPED ? status
                                : og_message_set(w->message, OG_STOPPED,
                                                 "the fractions of the policy's states take more "
                                                 "than the memory limit");
}

static og_status value_root(walk *w, mpq_t gain)
{
    og_arena arena = {0};
    og_expansion x;
    double ignored;
    uint64_t *key = og_arena_array(&arena, (size_t)w->model.key_words_max, sizeof *key);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, w->model.expansion_new(w->model.self, &x));
    if (status == OG_OK) {
        int32_t words = w->model.root(w->model.self, &x, NULL, key, &ignored);
        w->model.expansion_free(&x);
        mpq_set_ui(gain, 0, 1);
        status = words > 0 ? value_state(w, 0, key, words, gain) : OG_OK;
    }
    og_arena_clear(&arena);
    return status;
}

static void walk_clear(walk *w)
{
    for (int32_t i = 0; w->frames != NULL && i < w->model.depth_max; i++) {
        if (w->frames[i].x.scratch != NULL) {
            w->model.expansion_free(&w->frames[i].x);
        }
        og_arena_clear(&w->frames[i].arena);
    }
    og_exact_table_free(w->table);
    og_model_free(&w->model);
    og_arena_clear(&w->arena);
}

og_status og_sources_value_exact(const og_sources_problem *problem, const og_question *question,
                                 const og_settings *settings, og_found *out, og_message *message)
{
    const double begun = og_seconds();
    const og_settings filled = og_settings_filled(settings);
    walk w = {.problem = problem, .question = question, .message = message};
    og_stop_init(&w.stop, settings->watch, settings->watch_user);
    OG_TRY(og_sources_model(problem, question, &w.model, message));
    w.frames = og_arena_array(&w.arena, (size_t)w.model.depth_max, sizeof *w.frames);
    og_status status = og_arena_status(&w.arena);
    OG_THEN(status, og_exact_table_new(filled.memory_bytes, &w.table));
    OG_THEN(status, value_root(&w, out->gain));
    out->result = (og_result){.seconds = og_seconds() - begun,
                              .states = w.table != NULL ? og_exact_table_count(w.table) : 0};
    if (status == OG_OK) {
        og_arms_exact_call(problem->arms, out->value);
        mpq_add(out->value, out->value, out->gain);
        out->result.value = og_nearest(out->value);
        out->result.gain = og_nearest(out->gain);
        out->result.error_bound = out->result.value * 0x1p-53;
        out->called_value = NAN;
        out->tolerance_ties = 0;
    }
    walk_clear(&w);
    return status;
}
