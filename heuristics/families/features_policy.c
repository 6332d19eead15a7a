/* Creates policies for instances with features from their names: uniform, and those that look one
 * label ahead with the exact posterior, which is in the state. */
#include "heuristics/families/features_policy.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "heuristics/families/laplace.h"

static const bool optimistic = true, neutral = false;

/* `self` points to the policy's kind. */
static og_status look_ahead(void *self, const og_strategy_view *view, double *answer,
                            og_answer *kind, og_message *message)
{
    const og_features_state *state = view->state;
    const bool *by_the_better = self;
    if (state->mass == NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--features supports values for one or two features, not for %ld; "
                              "ask `optgap query` what kg and opt-kg label",
                              (long)state->features->feature_count);
    }
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < view->count; i++) {
        double correct[2], mass[2];
        og_features_ahead(state, (int32_t)view->open[i].act.part[0], correct, mass);
        answer[i] = *by_the_better ? fmax(mass[1] > 0 ? correct[1] / mass[1] : 0,
                                          mass[0] > 0 ? correct[0] / mass[0] : 0)
                                   : (correct[0] + correct[1]) / state->total;
    }
    return OG_OK;
}

og_status og_features_strategy(const og_policy_name *named, const og_features *features,
                               og_strategy *out, og_message *message)
{
    static const struct {
        const char *name;
        og_strategy by; /* choose NULL: with Laplace's approximation */
        og_laplace_index index;
    } rows[] = {
        {"uniform", {.choose = og_strategy_choose_any}, 0},
        {"kg", {.choose = NULL}, OG_LAPLACE_KG},
        {"opt-kg", {.choose = NULL}, OG_LAPLACE_OPT_KG},
        {"kg-exact", {.self = (void *)&neutral, .choose = look_ahead}, 0},
        {"opt-kg-exact", {.self = (void *)&optimistic, .choose = look_ahead}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, named->name) != 0) {
            continue;
        }
        if (rows[i].by.choose == NULL) {
            return og_laplace_strategy(features, rows[i].index, out, message);
        }
        *out = rows[i].by;
        out->concurrent = true;
        out->tie = OG_FEATURES_TIE;
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' does not support instances with features; choose "
                          "uniform, kg, opt-kg, kg-exact or opt-kg-exact",
                          named->name);
}
