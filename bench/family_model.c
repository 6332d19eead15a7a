/*
 * The three tables of a family with their defaults: values, states and runs come from its model,
 * and words are the usual ones.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/family.h"
#include "dp/base/stop.h"
#include "heuristics/named_policy.h"

/* ---- acts by their first part ---- */

typedef struct {
    og_solution inner;
} first_part;

static og_act_open *without_parts(const og_act_open *open, int32_t count)
{
    og_act_open *plain = calloc((size_t)count + 1, sizeof *plain);
    for (int32_t i = 0; plain != NULL && i < count; i++) {
        plain[i] = (og_act_open){{{open[i].act.part[0], 0, 0}}, open[i].copies};
    }
    return plain;
}

static og_status first_part_value(void *self, og_value_found *out, og_message *message)
{
    first_part *first = self;
    return first->inner.value(first->inner.self, out, message);
}

static og_status first_part_q(void *self, const og_act_open *open, int32_t count, double *q,
                              double *error, og_message *message)
{
    first_part *first = self;
    og_act_open *plain = without_parts(open, count);
    og_status status = plain == NULL
                           ? OG_NO_MEMORY
                           : first->inner.q(first->inner.self, plain, count, q, error, message);
    free(plain);
    return status;
}

static og_status first_part_q_at(void *self, const og_counts *at, const og_act_values *out,
                                 og_message *message)
{
    first_part *first = self;
    og_act_open *plain = without_parts(out->open, out->count);
    const og_act_values inner = {plain, out->count, out->q, out->error};
    og_status status =
        plain == NULL ? OG_NO_MEMORY : first->inner.q_at(first->inner.self, at, &inner, message);
    free(plain);
    return status;
}

static og_status first_part_q_exact(void *self, const og_act_open *open, int32_t count, mpq_t *q,
                                    og_message *message)
{
    first_part *first = self;
    og_act_open *plain = without_parts(open, count);
    og_status status = plain == NULL
                           ? OG_NO_MEMORY
                           : first->inner.q_exact(first->inner.self, plain, count, q, message);
    free(plain);
    return status;
}

static og_status first_part_picks(void *self, const og_act_open *open, int32_t count, bool *pick,
                                  double *index, og_message *message)
{
    first_part *first = self;
    og_act_open *plain = without_parts(open, count);
    og_status status =
        plain == NULL ? OG_NO_MEMORY
                      : first->inner.picks(first->inner.self, plain, count, pick, index, message);
    free(plain);
    return status;
}

static void first_part_free(void *self)
{
    first_part *first = self;
    og_solution_free(&first->inner);
    free(first);
}

static og_status by_first_part(og_solution *solution)
{
    first_part *first = calloc(1, sizeof *first);
    if (first == NULL) {
        og_solution_free(solution);
        return OG_NO_MEMORY;
    }
    first->inner = *solution;
    *solution = (og_solution){.self = first,
                              .value = first_part_value,
                              .q = first_part_q,
                              .q_at = first->inner.q_at != NULL ? first_part_q_at : NULL,
                              .q_exact = first->inner.q_exact != NULL ? first_part_q_exact : NULL,
                              .picks = first_part_picks,
                              .free = first_part_free};
    return OG_OK;
}

/* ---- the model ---- */

void og_family_close(const og_family *family, void *problem)
{
    (family->model.close != NULL ? family->model.close : free)(problem);
}

const og_arms *og_family_arms(const og_family *family, const void *problem)
{
    return family->model.arms != NULL ? family->model.arms(problem) : NULL;
}

const char *og_family_policies(const og_family *family, const void *problem)
{
    return family->model.policies != NULL ? family->model.policies(problem) : "uniform";
}

bool og_family_alike(const og_family *family, const void *problem, og_act x, og_act y)
{
    return family->model.alike != NULL && family->model.alike(problem, x, y);
}

/* The model of the optimum with these reductions. */
static og_status open_optimum(const og_family *family, const void *problem, unsigned reductions,
                              bool fractions, const og_strategy *along, const og_settings *settings,
                              og_model *out, og_message *message)
{
    const og_value_asked optimum = {.by = along,
                                    .reductions = reductions,
                                    .fractions = fractions,
                                    .stop = og_stop_of(settings)};
    return family->model.model(problem, &optimum, settings, out, message);
}

static int32_t model_acts(const og_model *model, og_act_open *open, int32_t room)
{
    og_expansion x = {.action_count = 0};
    uint64_t *key = calloc((size_t)model->key_words_max, sizeof *key);
    double value;
    int32_t count = 0;
    if (key != NULL && model->expansion_new(model->self, &x) == OG_OK) {
        if (model->root(model->self, &x, NULL, key, &value) > 0 &&
            model->expand_root(model->self, &x) == OG_OK) {
            for (; count < x.action_count && count < room; count++) {
                open[count] = (og_act_open){model->act(model->self, &x, &x.action[count]), 1};
            }
        }
        model->expansion_free(&x);
    }
    free(key);
    return count;
}

int32_t og_family_acts(const og_family *family, const void *problem, og_act_open *open,
                       int32_t room)
{
    og_settings settings;
    og_model model;
    if (family->model.acts != NULL) {
        return family->model.acts(problem, open, room);
    }
    og_settings_default(&settings);
    if (family->model.model == NULL ||
        open_optimum(family, problem, 0, false, NULL, &settings, &model, NULL) != OG_OK) {
        return 0;
    }
    int32_t count = model_acts(&model, open, room);
    og_model_free(&model);
    return count;
}

og_status og_family_prior(const og_family *family, const void *problem, double *value,
                          double *error, mpq_ptr exact, og_message *message)
{
    og_settings settings;
    og_model model;
    if (family->model.prior != NULL) {
        return family->model.prior(problem, value, error, exact, message);
    }
    if (exact != NULL) {
        return og_family_lacks(family, "--arithmetic exact", message);
    }
    og_settings_default(&settings);
    OG_TRY(open_optimum(family, problem, 0, false, NULL, &settings, &model, message));
    *value = model.prior;
    *error = model.prior_error;
    og_model_free(&model);
    return OG_OK;
}

static void tell_state(const og_texts *texts, const void *state, char *text, size_t size)
{
    const og_family *family = texts->self;
    family->words.state_text(texts->problem, state, text, size);
}

static void tell_act(const og_texts *texts, og_act act, char *text, size_t size)
{
    og_family_words_of(texts->self).step_text(texts->problem, act, text, size);
}

og_status og_family_strategy(const og_family *family, const void *problem,
                             const og_policy_name *name, const og_policy_use *use, og_strategy *out,
                             og_message *message)
{
    if (og_user_policy_decides(name) && !family->model.own_policies) {
        const og_texts texts = {family, problem, tell_state, tell_act};
        return og_family_is_followed(family)
                   ? og_named_strategy(name, &texts, use->stop, out, message)
                   : og_family_lacks(family, "a policy of your own", message);
    }
    if (family->model.strategy != NULL) {
        return family->model.strategy(problem, name, use, out, message);
    }
    if (strcmp(name->name, "uniform") != 0) {
        char words[OG_MESSAGE_BYTES];
        snprintf(words, sizeof words, "policy '%.64s'", name->name);
        return og_family_lacks(family, words, message);
    }
    *out = (og_strategy){.concurrent = true, .choose = og_strategy_choose_any};
    return OG_OK;
}

og_status og_family_solve_by_model(const og_family *family, const void *problem,
                                   const og_value_asked *question, const og_settings *settings,
                                   og_solution *out, og_message *message)
{
    og_value_asked watched = *question;
    watched.stop = og_stop_of(settings);
    OG_TRY(og_solution_by_model(problem, family->model.model, &watched, settings, out, message));
    return family->model.first_part ? by_first_part(out) : OG_OK;
}

og_status og_family_solve(const og_family *family, const void *problem,
                          const og_value_asked *question, const og_settings *settings,
                          og_solution *out, og_message *message)
{
    return family->model.solve != NULL
               ? family->model.solve(problem, question, settings, out, message)
               : og_family_solve_by_model(family, problem, question, settings, out, message);
}

bool og_family_is_followed(const og_family *family)
{
    return family->model.steps != NULL || family->model.model != NULL;
}

og_status og_family_steps_by_model(const og_family *family, const void *problem,
                                   const og_steps_use *use, og_steps *out, og_message *message)
{
    const og_value_asked question = {.by = use->by, .ties = use->ties};
    const og_strategy *along =
        use->along != NULL && use->along->belief_bytes > 0 ? use->along : NULL;
    og_problem_size sizes;
    const bool named = og_strategy_keeps_names(along);
    bool as_given = family->model.keeps_names || use->ordered || use->apart || named;
    og_model model;
    if (use->by != NULL && use->by->beyond) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policies that may do what the optimum may not do not support single "
                              "states; choose another policy");
    }
    family->model.sizes(problem, &sizes);
    if (use->exact && !sizes.rational) {
        return og_family_lacks(family, "--arithmetic exact", message);
    }
    /* Where fractions exist, doubles count the same gains in the same states. */
    OG_TRY(open_optimum(family, problem, as_given ? 0 : OG_REDUCE_SORT, sizes.rational,
                        named ? NULL : along, &use->settings, &model, message));
    if (use->exact && (model.exact == NULL || !model.gains || model.measure != NULL)) {
        og_model_free(&model);
        return og_family_lacks(family, "--arithmetic exact with single states", message);
    }
    if (model.measure != NULL) {
        model.scale = 0; /* measured at each state, the root included */
    }
    return og_steps_by_engine(&model, &question, along, &use->settings,
                              use->exact ? og_fractions_of_states : NULL, out, message);
}

og_status og_family_steps(const og_family *family, const void *problem, const og_steps_use *use,
                          og_steps *out, og_message *message)
{
    OG_TRY(family->model.steps != NULL ? family->model.steps(problem, use, out, message)
           : family->model.model != NULL
               ? og_family_steps_by_model(family, problem, use, out, message)
               : og_family_lacks(family, "a walk through the states", message));
    if (use->along == NULL || use->along->belief_bytes == 0 || out->carries) {
        return OG_OK;
    }
    og_steps_free(out);
    return og_family_lacks(family, "a walk through the states with a policy's belief", message);
}
