/* The options of independent instances: the worth of calls. */
#include "bench/families/independent.h"

static const og_option_row rows[] = {
    OG_CALL_OPTIONS(og_independent_options, calls),
    OG_OPTION_LAST,
};

const og_option_set og_independent_option_set = {.rows = rows,
                                                 .bytes = sizeof(og_independent_options)};
