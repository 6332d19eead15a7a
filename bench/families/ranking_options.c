/* The options of ranking by comparisons. */
#include "bench/families/ranking.h"

static const og_option_row rows[] = {
    OG_OPTION(TEXT, "history", "\"I>J ...\"", og_ranking_options, history,
              .help = "with --objective ranking: comparisons so far, with blanks between; 1>2 says "
                      "that item 1 won against item 2, items counted in the order given"),
    OG_OPTION_LAST,
};

const og_option_set og_ranking_option_set = {.rows = rows, .bytes = sizeof(og_ranking_options)};
