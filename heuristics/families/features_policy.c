/* Creates policies for instances with features from their names: uniform, and those that look one
 * label ahead with the exact posterior, which is in the state. */
#include "heuristics/families/features_policy.h"

#include "dp/engine/strategy.h"
#include "heuristics/families/laplace.h"

/* Expected correct calls after a label. */
static og_status look_ahead(const void *self, const og_strategy_view *view, int32_t k,
                            og_prospect *out, og_message *message)
{
    const og_features_state *state = view->state;
    double correct[2], mass[2];
    (void)self;
    if (state->mass == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--features supports values for one or two features, not for %ld; "
                              "ask `optgap query` what kg and opt-kg label",
                              (long)state->features->feature_count);
    }
    og_features_ahead(state, (int32_t)view->open[k].act.part[0], correct, mass);
    double mean = (correct[0] + correct[1]) / state->total;
    for (int said = 0; said < 2; said++) {
        correct[said] /= mass[said];
        mass[said] /= state->total;
    }
    og_prospect_pair(out, mass, correct);
    out->mean = mean;
    out->mean_radius = 0;
    return OG_OK;
}

og_status og_features_strategy(const og_policy_name *named, const og_features *features,
                               og_strategy *out, og_message *message)
{
    og_rule_use use;
    if (!og_policy_name_rule(named, &use)) {
        return og_policy_name_refuse(named, "instances with features", "features", message);
    }
    bool any = use.rule->index == NULL;
    if (!any && !use.exact) {
        return og_laplace_strategy(features, &use, out, message);
    }
    OG_TRY(og_ruled_new(sizeof(og_ruled), &use, look_ahead, out));
    out->tie = OG_FEATURES_TIE;
    out->choose = any ? og_strategy_choose_any : out->choose;
    return OG_OK;
}
