/*
 * Values of a model in fractions: the recursion over the states that it meets, each of which is
 * stored and never forgotten.
 */
#include "dp/families/fractions.h"

#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/base/stop.h"
#include "dp/base/ties.h"
#include "dp/engine/memo.h"
#include "dp/engine/strategy.h"
#include "dp/exact/exact_table.h"

/* The data of a state on the path while it is evaluated. */
typedef struct {
    og_arena arena; /* block NULL: not made so far */
    og_expansion x;
    uint64_t *key; /* of a successor */
    og_open *open;
    double *weight;
    mpq_t *number; /* [NUMBERS] */
} frame;

enum { VALUE, Q, PART, BEHIND, TOTAL, NUMBERS };

typedef struct {
    og_arena arena;
    const og_exact_model *of;
    const og_model *model;
    const og_question *question;
    og_exact_table *table;
    frame *frames; /* [depth_max] */
    og_stop *stop;
    og_message *message;
} walk;

static og_status need_frame(const walk *w, frame *f)
{
    const og_model *model = w->model;
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

/* The weights of the actions, 0 for those not taken; the optimum takes the best of all. */
static og_status ask(const walk *w, frame *f, og_answer *kind)
{
    const og_model *model = w->model;
    const og_strategy *by = w->question->by;
    int32_t apart;
    *kind = OG_ANSWER_INDEX;
    for (int32_t a = 0; a < f->x.action_count; a++) {
        f->weight[a] = 1;
        f->open[a] = (og_open){model->act(model->self, &f->x, &f->x.action[a]),
                               (int64_t)f->x.action[a].weight};
    }
    if (by == NULL || f->x.combine != OG_COMBINE_MAX) { /* a chance event, not a decision */
        return OG_OK;
    }
    const void *state = model->state(model->self, &f->x, NULL);
    OG_TRY(by->choose(by->self, NULL, state, NULL, f->open, f->x.action_count, f->weight, kind,
                      w->message));
    return og_strategy_weigh(by, *kind, w->question->ties, f->open, f->x.action_count, f->weight,
                             &apart, w->message);
}

static og_status value_state(walk *w, int32_t depth, const uint64_t *key, int32_t words, mpq_t out);

/* The latest successor, or the root. */
static og_status value_end(const walk *w, const og_expansion *x, const og_outcome *outcome,
                           mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    return w->of->end != NULL ? w->of->end(w->of->context, x, outcome, out) : OG_OK;
}

/* The value of an action, into number[Q]. */
static og_status value_action(walk *w, int32_t depth, const og_action *action)
{
    const og_model *model = w->model;
    frame *f = &w->frames[depth];
    mpq_set_ui(f->number[Q], 0, 1);
    if (w->of->reward != NULL) {
        w->of->reward(w->of->context, &f->x, action, f->number[Q]);
    }
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_outcome *outcome = &f->x.outcome[action->outcome_first + k];
        double ignored;
        int32_t words = model->successor(model->self, &f->x, outcome, f->key, &ignored);
        OG_TRY(words > 0 ? value_state(w, depth + 1, f->key, words, f->number[BEHIND])
                         : value_end(w, &f->x, outcome, f->number[BEHIND]));
        w->of->probability(w->of->context, &f->x, outcome, f->number[PART]);
        mpq_mul(f->number[PART], f->number[PART], f->number[BEHIND]);
        mpq_add(f->number[Q], f->number[Q], f->number[PART]);
    }
    return OG_OK;
}

/* The mean of the actions taken, or the best or worst of them, into number[VALUE]. */
static og_status combine(walk *w, int32_t depth, og_answer kind)
{
    frame *f = &w->frames[depth];
    const og_ties ties = w->question->by != NULL ? w->question->ties : OG_TIES_BEST;
    const bool mean = kind == OG_ANSWER_WEIGHTS || !og_ties_by_value(ties);
    bool any = false;
    mpq_set_ui(f->number[VALUE], 0, 1);
    mpq_set_ui(f->number[TOTAL], 0, 1);
    for (int32_t a = 0; a < f->x.action_count; a++) {
        if (f->weight[a] == 0) {
            continue;
        }
        OG_TRY(value_action(w, depth, &f->x.action[a]));
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
    if (og_stop_asked(w->stop)) {
        return og_message_set(w->message, OG_STOPPED, "the work was stopped");
    }
    OG_TRY(need_frame(w, f));
    OG_TRY(w->model->expand(w->model->self, key, words, &f->x));
    OG_TRY(ask(w, f, &kind));
    OG_TRY(combine(w, depth, kind));
    mpq_set(out, f->number[VALUE]);
    og_status status = og_exact_table_put(w->table, key, words, hash, out);
    return status != OG_STOPPED
               ? status
               : og_message_set(w->message, OG_STOPPED,
                                w->question->by != NULL
                                    ? "the fractions of the policy's states take more than the "
                                      "memory limit"
                                    : "the fractions do not fit into the memory limit (--memory)");
}

/* ---- the root ---- */

static og_status value_root(walk *w, mpq_t out)
{
    og_arena arena = {0};
    og_expansion x;
    double ignored;
    uint64_t *key = og_arena_array(&arena, (size_t)w->model->key_words_max, sizeof *key);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, w->model->expansion_new(w->model->self, &x));
    if (status == OG_OK) {
        int32_t words = w->model->root(w->model->self, &x, NULL, key, &ignored);
        status = words > 0 ? value_state(w, 0, key, words, out) : value_end(w, &x, NULL, out);
        w->model->expansion_free(&x);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status value_acts(walk *w, const og_open *open, int32_t count, mpq_t *found)
{
    const og_model *model = w->model;
    frame *f = &w->frames[0];
    double ignored;
    OG_TRY(need_frame(w, f));
    model->root(model->self, &f->x, NULL, f->key, &ignored);
    OG_TRY(model->expand_root(model->self, &f->x));
    for (int32_t a = 0; a < f->x.action_count; a++) {
        const og_act act = model->act(model->self, &f->x, &f->x.action[a]);
        for (int32_t k = 0; k < count; k++) {
            if (og_act_equal(open[k].act, act)) {
                OG_TRY(value_action(w, 0, &f->x.action[a]));
                mpq_set(found[k], f->number[Q]);
            }
        }
    }
    return OG_OK;
}

/* ---- the whole ---- */

static og_status walk_init(walk *w, const og_exact_model *of, const og_question *question,
                           const og_settings *settings, og_message *message)
{
    const og_settings filled = og_settings_filled(settings);
    *w = (walk){.of = of, .model = of->model, .question = question, .message = message};
    w->stop = og_stop_of(settings);
    w->frames = og_arena_array(&w->arena, (size_t)w->model->depth_max, sizeof *w->frames);
    OG_TRY(og_arena_status(&w->arena));
    return og_exact_table_new(filled.memory_bytes, &w->table);
}

static void walk_clear(walk *w)
{
    for (int32_t i = 0; w->frames != NULL && i < w->model->depth_max; i++) {
        if (w->frames[i].x.scratch != NULL) {
            w->model->expansion_free(&w->frames[i].x);
        }
        og_arena_clear(&w->frames[i].arena);
    }
    og_exact_table_free(w->table);
    og_arena_clear(&w->arena);
}

og_status og_exact_model_value(const og_exact_model *of, const og_question *question,
                               const og_settings *settings, mpq_t value, og_result *sizes,
                               og_message *message)
{
    const double begun = og_seconds();
    walk w;
    mpq_t found;
    mpq_init(found);
    og_status status = walk_init(&w, of, question, settings, message);
    OG_THEN(status, value_root(&w, found));
    *sizes = (og_result){.seconds = og_seconds() - begun,
                         .states = w.table != NULL ? og_exact_table_count(w.table) : 0};
    if (status == OG_OK) {
        mpq_swap(value, found);
    }
    mpq_clear(found);
    walk_clear(&w);
    return status;
}

og_status og_exact_model_acts(const og_exact_model *of, const og_question *question,
                              const og_settings *settings, const og_open *open, int32_t count,
                              mpq_t *found, og_message *message)
{
    walk w;
    og_status status = walk_init(&w, of, question, settings, message);
    OG_THEN(status, value_acts(&w, open, count, found));
    walk_clear(&w);
    return status;
}

void og_exact_model_round(og_found *found)
{
    found->result.value = og_nearest(found->value);
    found->result.gain = og_nearest(found->gain);
    found->result.error_bound = found->result.value * 0x1p-53;
    found->called_value = NAN;
    found->tolerance_ties = 0;
}
