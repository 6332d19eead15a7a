/* Reads the price of labels and the payoff of calls, common to all instances. */
#include "bench/public/problem.h"

og_status og_stakes_read(const og_stakes *stakes, og_fraction *price, og_payoff *payoff,
                         og_message *message)
{
    *price = (og_fraction){0, 1};
    *payoff = (og_payoff){.given = false};
    if (stakes->price != NULL) {
        OG_TRY(og_price_parse(stakes->price, "--price", price, message));
    }
    return stakes->payoff != NULL ? og_payoff_parse(stakes->payoff, "--payoff", payoff, message)
                                  : OG_OK;
}

og_status og_stakes_apply(const og_stakes *stakes, const og_payoff *payoff, og_group *prior,
                          og_message *message)
{
    if (stakes->payoff == NULL) {
        return OG_OK;
    }
    if (prior->kind == OG_PRIOR_DIRICHLET && payoff->kind == OG_WORTH_CALLS) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "--payoff supports two classes only; with more, a right call is worth 1: omit it");
    }
    if (prior->payoff.given) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--payoff and the payoff of the prior cannot be combined; give one");
    }
    prior->payoff = *payoff;
    return OG_OK;
}
