/*
 * The optimum in fractions. Values are not normalised, as in the model: the value of a state is the
 * sum of the two values after its best act, so that all but the last states need only additions. An
 * act is skipped if its double is smaller than the largest by more than both errors.
 */
#include "dp/families/assignment_fractions.h"

#include <math.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/base/stop.h"
#include "dp/engine/valuation.h"
#include "dp/exact/exact_table.h"

typedef struct {
    og_expansion expansion;
    uint64_t *key;
    double *near;            /* [acts] doubles of the acts */
    mpq_t *sum, *best, *one; /* one number each */
} frame;

typedef struct {
    og_arena arena;
    const og_assignment_start *start;
    og_model model;
    og_valuation doubles;
    og_exact_table *table;
    frame *frame;                          /* [budget + 1] by labels left */
    mpq_t *plus, *minus, *scratch, *found; /* [tasks], [tasks], [1], [1] */
    double error;                          /* relative, of the doubles */
    og_stop *stop;
    og_message *message;
} recursion;

static og_status walk(recursion *r, const uint64_t *key, int32_t words, mpq_t out);

/* ---- room ---- */

static og_status make_frames(recursion *r)
{
    const size_t acts = (size_t)r->model.acts_max, levels = (size_t)r->start->budget + 1;
    r->frame = og_arena_array(&r->arena, levels, sizeof *r->frame);
    OG_TRY(og_arena_status(&r->arena));
    for (size_t k = 0; k < levels; k++) {
        frame *f = &r->frame[k];
        OG_TRY(r->model.expansion_new(r->model.self, &f->expansion));
        f->key = og_arena_array(&r->arena, (size_t)r->model.key_words_max, sizeof *f->key);
        f->near = og_arena_array(&r->arena, acts, sizeof *f->near);
        f->sum = og_arena_fractions(&r->arena, 1);
        f->best = og_arena_fractions(&r->arena, 1);
        f->one = og_arena_fractions(&r->arena, 1);
        OG_TRY(og_arena_status(&r->arena));
    }
    return OG_OK;
}

static og_status recursion_init(recursion *r, const og_assignment_start *start,
                                const og_settings *settings, og_message *message)
{
    const og_question optimum = {.reductions = OG_REDUCE_ALL};
    og_settings half = og_settings_filled(settings);
    const size_t tasks = (size_t)start->of->tasks;
    *r = (recursion){.start = start, .error = 4 * og_assignment_error(start), .message = message};
    r->stop = og_stop_of(settings);
    half.memory_bytes /= 2;
    half.checkpoint = NULL;
    r->plus = og_arena_fractions(&r->arena, tasks);
    r->minus = og_arena_fractions(&r->arena, tasks);
    r->scratch = og_arena_fractions(&r->arena, 1);
    r->found = og_arena_fractions(&r->arena, 1);
    OG_TRY(og_arena_status(&r->arena));
    OG_TRY(og_assignment_model(start, &optimum, &r->model));
    OG_TRY(make_frames(r));
    OG_TRY(og_exact_table_new(half.memory_bytes, &r->table));
    return og_valuation_init(&r->doubles, &r->model, &half, 0, message);
}

static void recursion_clear(recursion *r)
{
    for (int32_t k = 0; r->frame != NULL && k <= r->start->budget; k++) {
        if (r->frame[k].expansion.scratch != NULL) {
            r->model.expansion_free(&r->frame[k].expansion);
        }
    }
    og_valuation_clear(&r->doubles);
    og_exact_table_free(r->table);
    og_model_free(&r->model);
    og_arena_clear(&r->arena);
}

/* ---- values ---- */

static og_status called(recursion *r, const int8_t *label, mpq_t out)
{
    OG_TRY(og_assignment_weigh_exact(r->start->of, label, r->scratch[0], r->plus, r->minus));
    mpq_set_ui(out, 0, 1);
    for (int32_t i = 0; i < r->start->of->tasks; i++) {
        mpq_add(out, out, mpq_cmp(r->plus[i], r->minus[i]) > 0 ? r->plus[i] : r->minus[i]);
    }
    mpq_set_ui(r->scratch[0], 1, (uint32_t)r->start->of->tasks);
    mpq_mul(out, out, r->scratch[0]);
    return OG_OK;
}

/* The sum of both outcomes, in fractions. */
static og_status sum_act(recursion *r, frame *f, const og_action *action, mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_outcome *o = &f->expansion.outcome[action->outcome_first + k];
        double ignored;
        int32_t words = r->model.successor(r->model.self, &f->expansion, o, f->key, &ignored);
        if (words > 0) {
            OG_TRY(walk(r, f->key, words, f->one[0]));
        } else {
            const og_assignment_state *end = r->model.state(r->model.self, &f->expansion, o);
            OG_TRY(called(r, end->label, f->one[0]));
        }
        mpq_add(out, out, f->one[0]);
    }
    return OG_OK;
}

static og_status near_act(recursion *r, frame *f, const og_action *action, double *out)
{
    og_engine_info info = {0, 0};
    *out = 0;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        double value = 0;
        int32_t words =
            r->model.successor(r->model.self, &f->expansion,
                               &f->expansion.outcome[action->outcome_first + k], f->key, &value);
        if (words > 0) {
            OG_TRY(og_valuation_run(&r->doubles, f->key, words, &value, &info, r->message));
        }
        *out += value;
    }
    return OG_OK;
}

/* The best act of the state expanded in f. */
static og_status combine(recursion *r, frame *f)
{
    double most = 0;
    for (int32_t a = 0; a < f->expansion.action_count; a++) {
        OG_TRY(near_act(r, f, &f->expansion.action[a], &f->near[a]));
        most = fmax(most, f->near[a]);
    }
    mpq_set_ui(f->best[0], 0, 1);
    for (int32_t a = 0; a < f->expansion.action_count; a++) {
        if (f->near[a] >= most * (1 - r->error) - 0x1p-900) {
            OG_TRY(sum_act(r, f, &f->expansion.action[a], f->sum[0]));
            if (mpq_cmp(f->sum[0], f->best[0]) > 0) {
                mpq_swap(f->sum[0], f->best[0]);
            }
        }
    }
    return OG_OK;
}

static og_status walk(recursion *r, const uint64_t *key, int32_t words, mpq_t out)
{
    const uint64_t hash = og_memo_hash(key, words);
    mpq_t known;
    int32_t left;
    if (og_exact_table_get(r->table, key, words, hash, known)) {
        mpq_set(out, known);
        return OG_OK;
    }
    if (og_stop_asked(r->stop)) {
        return og_message_set(r->message, OG_STOPPED, "the work in fractions was stopped");
    }
    uint64_t own[OG_ASSIGNMENT_TASKS_MAX + 1]; /* a copy, because the caller's buffer will change */
    memcpy(own, key, (size_t)words * sizeof *own);
    r->model.stage(r->model.self, key, words, &left);
    frame *f = &r->frame[left];
    OG_TRY(r->model.expand(r->model.self, own, words, &f->expansion));
    OG_TRY(combine(r, f));
    mpq_set(out, f->best[0]);
    og_status status = og_exact_table_put(r->table, own, words, hash, f->best[0]);
    return status != OG_STOPPED
               ? status
               : og_message_set(r->message, status,
                                "the fractions do not fit into the memory limit (--memory)");
}

/* ---- the root ---- */

static og_status mass_of(const og_assignment_start *start, mpq_t out)
{
    return og_assignment_weigh_exact(start->of, start->label, out, NULL, NULL);
}

static og_status value_root(recursion *r, mpq_t out)
{
    frame *f = &r->frame[r->start->budget];
    double ignored;
    int32_t words = r->model.root(r->model.self, &f->expansion, NULL, f->key, &ignored);
    OG_TRY(words > 0 ? walk(r, f->key, words, out) : called(r, r->start->label, out));
    OG_TRY(mass_of(r->start, r->scratch[0]));
    mpq_div(out, out, r->scratch[0]);
    return OG_OK;
}

og_status og_assignment_exact_optimum(const og_assignment_start *start, const og_settings *settings,
                                      mpq_t value, og_result *result, og_message *message)
{
    const double begun = og_seconds();
    recursion r;
    og_status status = recursion_init(&r, start, settings, message);
    OG_THEN(status, value_root(&r, r.found[0]));
    if (status == OG_OK) {
        mpq_swap(value, r.found[0]);
        *result = (og_result){.value = og_nearest(value),
                              .error_bound = 0x1p-53,
                              .states = og_exact_table_count(r.table),
                              .expanded = og_exact_table_count(r.table),
                              .memory_bytes = og_exact_table_bytes(r.table),
                              .seconds = og_seconds() - begun};
        result->gain = result->value - start->prior;
    }
    recursion_clear(&r);
    return status;
}

og_status og_assignment_exact_prior(const og_assignment_start *start, mpq_t value)
{
    og_arena arena = {0};
    mpq_t *plus = og_arena_fractions(&arena, (size_t)start->of->tasks);
    recursion r = {.start = start, .plus = plus};
    r.minus = og_arena_fractions(&arena, (size_t)start->of->tasks);
    r.scratch = og_arena_fractions(&arena, 1);
    mpq_t *found = og_arena_fractions(&arena, 2);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, called(&r, start->label, found[0]));
    OG_THEN(status, mass_of(start, found[1]));
    if (status == OG_OK) {
        mpq_div(value, found[0], found[1]);
    }
    og_arena_clear(&arena);
    return status;
}

static og_status q_of(recursion *r, og_act act, mpq_t prior, mpq_t out)
{
    frame *f = &r->frame[r->start->budget];
    for (int32_t a = 0; a < f->expansion.action_count; a++) {
        if (og_act_equal(r->model.act(r->model.self, &f->expansion, &f->expansion.action[a]),
                         act)) {
            OG_TRY(sum_act(r, f, &f->expansion.action[a], out));
            OG_TRY(mass_of(r->start, r->scratch[0]));
            mpq_div(out, out, r->scratch[0]);
            mpq_sub(out, out, prior);
        }
    }
    return OG_OK;
}

og_status og_assignment_exact_q(const og_assignment_start *start, const og_settings *settings,
                                const og_open *open, int32_t count, mpq_t *q, og_message *message)
{
    recursion r;
    og_arena arena = {0};
    double ignored;
    if (start->budget == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    mpq_t *found = og_arena_fractions(&arena, (size_t)count);
    mpq_t *prior = og_arena_fractions(&arena, 1);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_assignment_exact_prior(start, prior[0]));
    if (status == OG_OK) {
        status = recursion_init(&r, start, settings, message);
        if (status == OG_OK) {
            frame *f = &r.frame[start->budget];
            r.model.root(r.model.self, &f->expansion, NULL, f->key, &ignored);
            r.model.expand_root(r.model.self, &f->expansion);
        }
        for (int32_t k = 0; k < count; k++) {
            OG_THEN(status, q_of(&r, open[k].act, prior[0], found[k]));
        }
        recursion_clear(&r);
    }
    for (int32_t k = 0; status == OG_OK && k < count; k++) {
        mpq_swap(q[k], found[k]);
    }
    og_arena_clear(&arena);
    return status;
}
