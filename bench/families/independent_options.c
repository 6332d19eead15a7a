/* The options of independent instances: what calls are worth. */
#include "bench/families/independent.h"

static og_status read_payoff(void *options, const og_option_row *row, const char *text,
                             og_message *message)
{
    return og_payoff_parse(text, "--payoff", og_option_value(options, row), message);
}

static const og_option_row rows[] = {
    OG_OPTION(CUSTOM, "payoff", "TP,FP,FN,TN", og_independent_options, payoff,
              .help = "what a call is worth: called positive and truly positive, called positive "
                      "but negative, called negative but positive, called negative and negative; "
                      "each instance is called what is worth more (default: 1,0,0,1)",
              .read = read_payoff),
    OG_OPTION_LAST,
};

const og_option_set og_independent_option_set = {.rows = rows,
                                                 .bytes = sizeof(og_independent_options)};
