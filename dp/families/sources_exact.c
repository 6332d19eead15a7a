/* The value of a policy that buys labels, in fractions: uses the exact numbers of the arms. */
#include "dp/families/fractions.h"
#include "dp/families/sources.h"

typedef struct {
    const og_sources_problem *problem;
    const og_model *model;
} numbers;

/* The arm of an outcome, and its action there. */
static const og_arm *asked(const numbers *of, const og_expansion *x, const og_outcome *outcome,
                           uint32_t *action)
{
    const og_sources_state *state = of->model->state(of->model->self, x, NULL);
    og_act act;
    of->model->answer(of->model->self, x, outcome, &act);
    const og_sources_group *group = &state->group[act.part[0]];
    const og_arm *arm = of->problem->arms->arm[group->arm];
    *action = og_sources_action(arm, group->node, act.part[1]);
    return arm;
}

static void reward(const void *context, const og_expansion *x, const og_action *action, mpq_t out)
{
    uint32_t number;
    const og_arm *arm = asked(context, x, &x->outcome[action->outcome_first], &number);
    og_arm_exact_reward(arm, number, out);
}

static void probability(const void *context, const og_expansion *x, const og_outcome *outcome,
                        mpq_t out)
{
    uint32_t number;
    const og_arm *arm = asked(context, x, outcome, &number);
    og_arm_exact_probability(arm, number, (int32_t)outcome->to, out);
}

og_status og_sources_value_exact(const og_sources_problem *problem, const og_question *question,
                                 const og_settings *settings, og_found *out, og_message *message)
{
    og_model model;
    OG_TRY(og_sources_model(problem, question, &model, message));
    const numbers of = {problem, &model};
    const og_exact_model exact = {&model, &of, reward, probability, NULL};
    og_status status =
        og_exact_model_value(&exact, question, settings, out->gain, &out->result, message);
    if (status == OG_OK) {
        og_arms_exact_call(problem->arms, out->value);
        mpq_add(out->value, out->value, out->gain);
        og_exact_model_round(out);
    }
    og_model_free(&model);
    return status;
}
