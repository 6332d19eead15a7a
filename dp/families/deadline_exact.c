/* Labels with a deadline in fractions: uses the exact numbers of the arms and of the options. */
#include "dp/families/deadline.h"

/* Multiplies by the probability, or by 1 less it. */
static void multiply(mpq_t out, og_fraction chance, bool complement)
{
    mpq_t factor;
    mpq_init(factor);
    og_fraction_get_mpq(factor, chance);
    if (complement) {
        mpz_sub(mpq_numref(factor), mpq_denref(factor), mpq_numref(factor));
    }
    mpq_mul(out, out, factor);
    mpq_clear(factor);
}

/* R if a label arrives; it has the last outcomes of the action. */
static mpq_srcptr reward(const void *self, const og_expansion *x, const og_action *action,
                         mpq_t room)
{
    const og_deadline_step step = og_deadline_step_of(
        self, x, &x->outcome[action->outcome_first + action->outcome_count - 1]);
    mpq_set_ui(room, 0, 1);
    if (step.event >= OG_DEADLINE_ARRIVES) {
        og_arm_exact_reward(step.arms->arm[step.arm], step.node, room);
    }
    if (step.event == OG_DEADLINE_ARRIVES) {
        multiply(room, step.deadline->advance, false);
    }
    return room;
}

static mpq_srcptr probability(const void *self, const og_expansion *x, const og_action *action,
                              const og_outcome *outcome, mpq_t room)
{
    const og_deadline_step step = og_deadline_step_of(self, x, outcome);
    (void)action;
    if (step.event == OG_DEADLINE_GIVEN) {
        return NULL;
    }
    mpq_set_ui(room, 1, 1);
    if (step.event >= OG_DEADLINE_ARRIVES) {
        og_arm_exact_probability(step.arms->arm[step.arm], step.node, step.answer, room);
    }
    if (step.event == OG_DEADLINE_COMES || step.event == OG_DEADLINE_NONE_COMES) {
        multiply(room, og_deadline_arrival(step.deadline, step.come),
                 step.event == OG_DEADLINE_NONE_COMES);
    } else if (step.event != OG_DEADLINE_IS_DUE) {
        multiply(room, step.deadline->advance, step.event == OG_DEADLINE_STAYS);
    }
    return room;
}

const og_model_exact og_deadline_exact = {
    .reward = reward, .probability = probability, .prior = og_deadline_prior_exact};
