/* Reads the price of labels and the payoff of calls, common to all instances. */
#include "bench/public/problem.h"

og_status og_stakes_price(const og_stakes *stakes, og_fraction *price, og_message *message)
{
    *price = (og_fraction){0, 1};
    return stakes->price != NULL ? og_price_parse(stakes->price, "--price", price, message) : OG_OK;
}

og_status og_stakes_apply(const og_stakes *stakes, og_group *prior, og_worth_values **values,
                          og_message *message)
{
    *values = NULL;
    if (stakes->payoff == NULL) {
        return OG_OK;
    }
    if (prior->payoff.given) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--payoff and the payoff of the prior cannot be combined; give one");
    }
    const char *table = og_payoff_file(stakes->payoff);
    if (table != NULL) {
        OG_TRY(og_worth_values_read(table, NULL, values, message));
        prior->payoff = (og_payoff){.given = true, .kind = OG_WORTH_VALUES, .values = *values};
        return OG_OK;
    }
    return og_payoff_parse(stakes->payoff, "--payoff", &prior->payoff, message);
}
