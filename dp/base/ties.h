#ifndef OG_DP_BASE_TIES_H
#define OG_DP_BASE_TIES_H

#include <math.h>
#include <stdbool.h>

#include "dp/base/status.h"

/* "random", "first", "best", "worst". */
const char *og_ties_name(og_ties ties);
og_status og_ties_parse(const char *name, og_ties *out);

/* Does what ties are broken by depend on what follows? */
static inline bool og_ties_by_value(og_ties ties)
{
    return ties == OG_TIES_BEST || ties == OG_TIES_WORST;
}

/*
 * Indices in doubles tie in groups: the largest takes all down to this with it, the largest of the
 * rest begins the next group, and so on. Groups do not overlap, so tying is an equivalence; a chain
 * of near neighbours may be cut. relative 0 leaves equal ones only, and so does an infinite index.
 */
static inline double og_tie_least(double largest, double relative)
{
    return relative > 0 && isfinite(largest) ? largest - relative * fabs(largest) : largest;
}

#endif
