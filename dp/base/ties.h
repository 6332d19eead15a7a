#ifndef OG_DP_BASE_TIES_H
#define OG_DP_BASE_TIES_H

#include <math.h>
#include <stdbool.h>

#include "dp/base/status.h"

/* Tie-breaking: which of the tied instances is labelled. */
typedef enum {
    OG_TIES_RANDOM, /* each with the same probability, every copy counted */
    OG_TIES_FIRST,  /* the one given first; instances keep their order */
    OG_TIES_BEST,   /* the one whose continuation under the same rule is worth most */
    OG_TIES_WORST,  /* the one whose continuation under the same rule is worth least */
} og_ties;

enum { OG_TIES_COUNT = 4 };

/* "random", "first", "best", "worst". */
const char *og_ties_name(og_ties ties);
og_status og_ties_parse(const char *name, og_ties *out);

/* True if the rule breaks ties by the value of the choice. */
static inline bool og_ties_by_value(og_ties ties)
{
    return ties == OG_TIES_BEST || ties == OG_TIES_WORST;
}

/*
 * Indices in doubles tie in groups: the largest ties with all down to this one, the largest of the
 * rest begins the next group, and so on. Groups do not overlap, so tying is an equivalence; a chain
 * of near neighbours may be cut. With relative 0 only equal ones tie; the same holds for an
 * infinite index.
 */
static inline double og_tie_least(double largest, double relative)
{
    return relative > 0 && isfinite(largest) ? largest - relative * fabs(largest) : largest;
}

#endif
