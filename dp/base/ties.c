/* The names of the tie rules. */
#include "dp/base/ties.h"

#include <string.h>

static const char *const ties_names[OG_TIES_COUNT] = {
    [OG_TIES_RANDOM] = "random",
    [OG_TIES_FIRST] = "first",
    [OG_TIES_BEST] = "best",
    [OG_TIES_WORST] = "worst",
};

const char *og_ties_name(og_ties ties)
{
    return ties_names[ties];
}

og_status og_ties_parse(const char *name, og_ties *out)
{
    for (int i = 0; i < OG_TIES_COUNT; i++) {
        if (strcmp(name, ties_names[i]) == 0) {
            *out = (og_ties)i;
            return OG_OK;
        }
    }
    return OG_BAD_INPUT;
}
