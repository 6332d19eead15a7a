/* Labels with a deadline in fractions: uses the exact numbers of the arms and of the options. */
#include "dp/families/deadline.h"
#include "dp/families/fractions.h"

typedef struct {
    const og_arms *arms;
    const og_deadline *deadline;
    const og_model *model;
} numbers;

static void chance_of(og_fraction chance, bool complement, mpq_t out)
{
    mpq_t one;
    og_fraction_get_mpq(out, chance);
    if (complement) {
        mpq_init(one);
        mpq_set_ui(one, 1, 1);
        mpq_sub(out, one, out);
        mpq_clear(one);
    }
}

/* R if a label arrives; it has the last outcomes of the action. */
static void reward(const void *context, const og_expansion *x, const og_action *action, mpq_t out)
{
    const numbers *of = context;
    og_deadline_step step;
    og_deadline_step_of(of->model, x,
                        &x->outcome[action->outcome_first + action->outcome_count - 1], &step);
    mpq_set_ui(out, 0, 1);
    if (step.event < OG_DEADLINE_ARRIVES) {
        return;
    }
    og_arm_exact_reward(of->arms->arm[step.arm], step.node, out);
    if (step.event == OG_DEADLINE_ARRIVES) {
        mpq_t chance;
        mpq_init(chance);
        chance_of(of->deadline->advance, false, chance);
        mpq_mul(out, out, chance);
        mpq_clear(chance);
    }
}

static void probability(const void *context, const og_expansion *x, const og_outcome *outcome,
                        mpq_t out)
{
    const numbers *of = context;
    og_deadline_step step;
    mpq_t chance;
    og_deadline_step_of(of->model, x, outcome, &step);
    mpq_init(chance);
    mpq_set_ui(out, 1, 1);
    if (step.event == OG_DEADLINE_COMES || step.event == OG_DEADLINE_NONE_COMES) {
        chance_of(og_deadline_arrival(of->deadline, step.come),
                  step.event == OG_DEADLINE_NONE_COMES, out);
    } else if (step.event != OG_DEADLINE_GIVEN && step.event != OG_DEADLINE_IS_DUE) {
        chance_of(of->deadline->advance, step.event == OG_DEADLINE_STAYS, out);
    }
    if (step.event >= OG_DEADLINE_ARRIVES) {
        og_arm_exact_probability(of->arms->arm[step.arm], step.node, step.answer, chance);
        mpq_mul(out, out, chance);
    }
    mpq_clear(chance);
}

/* The model without merging: an outcome belongs to a node. */
static og_status open_model(const og_arms *arms, const og_deadline *deadline,
                            const og_question *question, const og_settings *settings, og_model *out,
                            og_message *message)
{
    og_question named = *question;
    named.reductions &= ~(unsigned)OG_REDUCE_MERGE;
    return og_deadline_model(arms, deadline, &named, settings->memory_bytes, out, message);
}

og_status og_deadline_value_exact(const og_arms *arms, const og_deadline *deadline,
                                  const og_question *question, const og_settings *settings,
                                  og_found *out, og_message *message)
{
    og_model model;
    OG_TRY(open_model(arms, deadline, question, settings, &model, message));
    const numbers of = {arms, deadline, &model};
    const og_exact_model exact = {&model, &of, reward, probability, NULL};
    og_status status =
        og_exact_model_value(&exact, question, settings, out->gain, &out->result, message);
    if (status == OG_OK) {
        og_arms_exact_call(arms, out->value);
        mpq_add(out->value, out->value, out->gain);
        og_exact_model_round(out);
    }
    og_model_free(&model);
    return status;
}

og_status og_deadline_q_exact(const og_arms *arms, const og_deadline *deadline,
                              const og_settings *settings, const og_open *open, int32_t count,
                              mpq_t *found, og_message *message)
{
    const og_question question = {.reductions = OG_REDUCE_ALL};
    og_model model;
    OG_TRY(open_model(arms, deadline, &question, settings, &model, message));
    const numbers of = {arms, deadline, &model};
    const og_exact_model exact = {&model, &of, reward, probability, NULL};
    og_status status =
        og_exact_model_acts(&exact, &question, settings, open, count, found, message);
    og_model_free(&model);
    return status;
}
