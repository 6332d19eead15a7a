/* The root of a model in fractions: limits, the guide, the value without a label. */
#include "dp/exact/fractions.h"

#include <math.h>
#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/base/clock.h"
#include "dp/base/rational.h"
#include "dp/exact/recursion.h"

typedef struct {
    og_arena arena;
    og_settings settings;
    og_exact_guide guide;
    og_exact_work work; /* guide NULL: it is not initialised */
    og_expansion x;     /* of the root */
    uint64_t *key;
    mpq_t *number; /* [NUMBERS] */
    double start;
} fractions;

enum { PRIOR, SCALE, FOUND, PART, ROOM, NUMBERS };

/* ---- set-up ---- */

/* The guide gets half of the memory. */
static og_status make_tables(fractions *f, const og_model *model, const og_value_asked *question,
                             og_message *message)
{
    uint64_t limit = f->settings.memory_bytes;
    uint64_t rest = limit > model->bytes ? limit - model->bytes : 0;
    if (question->by == NULL && model->exact->near != NULL) {
        og_status status =
            og_exact_guide_of_model(&f->guide, model, model->exact->near(model->self), rest / 2);
        if (status != OG_OK) {
            return status == OG_NO_MEMORY ? og_exact_out_of_limit(limit, message) : status;
        }
        f->work.guide = &f->guide;
        rest -= rest / 2;
    }
    og_status status = og_exact_table_new(rest, &f->work.table);
    return status == OG_STOPPED ? og_exact_out_of_limit(limit, message) : status;
}

static og_status read_constants(fractions *f, const og_model *model)
{
    const og_model_exact *exact = model->exact;
    mpq_set_ui(f->number[SCALE], 1, 1);
    OG_TRY(exact->prior(model->self, f->number[PRIOR]));
    return exact->scale != NULL ? exact->scale(model->self, f->number[SCALE]) : OG_OK;
}

static og_status fractions_init(fractions *f, const og_model *model, const og_value_asked *question,
                                const og_settings *settings, og_message *message)
{
    *f = (fractions){.settings = og_settings_filled(settings), .start = og_seconds()};
    f->work = (og_exact_work){.model = model,
                              .question = question,
                              .settings = &f->settings,
                              .fixed_bytes = model->bytes};
    f->key = og_arena_array(&f->arena, (size_t)model->key_words_max, sizeof *f->key);
    f->number = og_arena_fractions(&f->arena, NUMBERS);
    OG_TRY(og_arena_status(&f->arena));
    OG_TRY(model->expansion_new(model->self, &f->x));
    OG_TRY(make_tables(f, model, question, message));
    return read_constants(f, model);
}

static void fractions_clear(fractions *f)
{
    if (f->x.scratch != NULL) {
        f->work.model->expansion_free(&f->x);
    }
    if (f->work.guide != NULL) {
        og_exact_guide_clear(&f->guide);
    }
    og_exact_table_free(f->work.table);
    og_arena_clear(&f->arena);
}

/* ---- values ---- */

/* The value of the successor just made (outcome NULL: of the root), in the model's units. */
static og_status value_of(fractions *f, const og_outcome *outcome, int32_t words, mpq_t out,
                          og_message *message)
{
    const og_model *model = f->work.model;
    if (words > 0) {
        return og_exact_recursion(&f->work, f->key, words, out, message);
    }
    mpq_set_ui(out, 0, 1);
    return model->exact->end != NULL ? model->exact->end(model->self, &f->x, outcome, out) : OG_OK;
}

static void read_value(const fractions *f, og_value_found *out)
{
    mpq_t *number = f->number;
    if (f->work.model->gains) {
        mpq_set(out->gain, number[FOUND]);
        mpq_add(out->value, number[FOUND], number[PRIOR]);
    } else {
        mpq_div(out->value, number[FOUND], number[SCALE]);
        mpq_sub(out->gain, out->value, number[PRIOR]);
    }
    out->result.value = og_nearest(out->value);
    out->result.gain = og_nearest(out->gain);
    out->result.error_bound = fmax(fabs(out->result.value), fabs(out->result.gain)) * 0x1p-53;
    out->called_value = NAN;
    out->tolerance_ties = 0;
}

static void sizes_of(const fractions *f, og_result *out)
{
    const og_exact_work *work = &f->work;
    *out =
        (og_result){.states = og_exact_table_count(work->table),
                    .expanded = work->expanded + (work->guide != NULL ? f->guide.info.expanded : 0),
                    .memory_bytes = og_exact_work_bytes(work),
                    .seconds = og_seconds() - f->start};
}

og_status og_fractions_value(og_model *model, const og_value_asked *question,
                             const og_settings *settings, og_value_found *out, og_message *message)
{
    fractions f;
    double ignored;
    og_status status = fractions_init(&f, model, question, settings, message);
    if (status == OG_OK) {
        int32_t words = model->root(model->self, &f.x, NULL, f.key, &ignored);
        status = value_of(&f, NULL, words, f.number[FOUND], message);
    }
    if (f.work.table != NULL && (status == OG_OK || status == OG_STOPPED)) {
        sizes_of(&f, &out->result);
    }
    if (status == OG_OK) {
        read_value(&f, out);
    }
    fractions_clear(&f);
    og_model_free(model);
    return status;
}

/* ---- acts ---- */

/* Counted from the value without a label. */
static og_status value_action(fractions *f, const og_action *action, mpq_t q, og_message *message)
{
    const og_model *model = f->work.model;
    const og_model_exact *exact = model->exact;
    mpq_t *number = f->number;
    mpq_set_ui(q, 0, 1);
    if (exact->reward != NULL) {
        mpq_set(q, exact->reward(model->self, &f->x, action, number[ROOM]));
    }
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_outcome *outcome = &f->x.outcome[action->outcome_first + k];
        double ignored;
        int32_t words = model->successor(model->self, &f->x, outcome, f->key, &ignored);
        OG_TRY(value_of(f, outcome, words, number[PART], message));
        mpq_srcptr probability =
            exact->probability != NULL
                ? exact->probability(model->self, &f->x, action, outcome, number[ROOM])
                : NULL;
        if (probability != NULL) {
            mpq_mul(number[PART], number[PART], probability);
        }
        mpq_add(q, q, number[PART]);
    }
    if (!model->gains) {
        mpq_div(q, q, number[SCALE]);
        mpq_sub(q, q, number[PRIOR]);
    }
    return OG_OK;
}

static og_status value_acts(fractions *f, const og_act_open *open, int32_t count, mpq_t *q,
                            og_message *message)
{
    const og_model *model = f->work.model;
    double ignored;
    model->root(model->self, &f->x, NULL, f->key, &ignored);
    OG_TRY(model->expand_root(model->self, &f->x));
    if (f->x.action_count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    for (int32_t a = 0; a < f->x.action_count; a++) {
        const og_act act = model->act(model->self, &f->x, &f->x.action[a]);
        for (int32_t k = 0; k < count; k++) {
            if (og_act_equal(open[k].act, act)) {
                OG_TRY(value_action(f, &f->x.action[a], q[k], message));
            }
        }
    }
    return OG_OK;
}

og_status og_fractions_q(og_model *model, const og_settings *settings, const og_act_open *open,
                         int32_t count, mpq_t *q, og_message *message)
{
    const og_value_asked optimum = {.by = NULL};
    og_arena arena = {0};
    fractions f;
    og_status status = fractions_init(&f, model, &optimum, settings, message);
    mpq_t *found = og_arena_fractions(&arena, (size_t)count);
    OG_THEN(status, og_arena_status(&arena));
    OG_THEN(status, value_acts(&f, open, count, found, message));
    for (int32_t k = 0; status == OG_OK && k < count; k++) {
        mpq_swap(q[k], found[k]);
    }
    og_arena_clear(&arena);
    fractions_clear(&f);
    og_model_free(model);
    return status;
}

/* ---- any state ---- */

static og_status value_at(void *self, const uint64_t *key, int32_t words, mpq_t out,
                          og_message *message)
{
    return og_exact_recursion(&((fractions *)self)->work, key, words, out, message);
}

static void free_fractions(void *self)
{
    fractions_clear(self);
    free(self);
}

og_status og_fractions_of_states(const og_model *model, const og_settings *settings,
                                 og_exact_values *out, og_message *message)
{
    static const og_value_asked optimum = {.by = NULL};
    fractions *f = calloc(1, sizeof *f);
    OG_TRY(OG_ALLOCATED(f));
    og_status status = fractions_init(f, model, &optimum, settings, message);
    if (status != OG_OK) {
        free_fractions(f);
        return status;
    }
    *out = (og_exact_values){.self = f, .value = value_at, .free = free_fractions};
    return OG_OK;
}

/* ---- solutions ---- */

typedef struct {
    const void *problem;
    og_model_open *open;
    og_value_asked question;
    og_settings settings;
} in_fractions;

static og_status value_in_fractions(void *self, og_value_found *out, og_message *message)
{
    const in_fractions *by = self;
    og_model model;
    OG_TRY(by->open(by->problem, &by->question, &by->settings, &model, message));
    return og_fractions_value(&model, &by->question, &by->settings, out, message);
}

static og_status q_in_fractions(void *self, const og_act_open *open, int32_t count, mpq_t *q,
                                og_message *message)
{
    const in_fractions *by = self;
    og_model model;
    OG_TRY(by->open(by->problem, &by->question, &by->settings, &model, message));
    return og_fractions_q(&model, &by->settings, open, count, q, message);
}

og_status og_solution_by_model(const void *problem, og_model_open *open,
                               const og_value_asked *question, const og_settings *settings,
                               og_solution *out, og_message *message)
{
    og_model model;
    if (!question->fractions) {
        OG_TRY(open(problem, question, settings, &model, message));
        return og_solution_by_engine(&model, question, settings, out, message);
    }
    in_fractions *by = malloc(sizeof *by);
    OG_TRY(OG_ALLOCATED(by));
    *by = (in_fractions){problem, open, *question, og_settings_filled(settings)};
    *out = (og_solution){
        .self = by, .value = value_in_fractions, .q_exact = q_in_fractions, .free = free};
    return OG_OK;
}
