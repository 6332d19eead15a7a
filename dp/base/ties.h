#ifndef OG_DP_BASE_TIES_H
#define OG_DP_BASE_TIES_H

#include "dp/base/status.h"

/* Which of the tied instances is labelled. */
typedef enum {
    OG_TIES_RANDOM, /* every tied instance with the same probability, copies counted */
    OG_TIES_FIRST,  /* the one given first; instances keep their order */
    OG_TIES_BEST,   /* the one whose continuation under the same rule is worth most */
    OG_TIES_WORST,  /* the one whose continuation under the same rule is worth least */
} og_ties;

enum { OG_TIES_COUNT = 4 };

/* "random", "first", "best", "worst". */
const char *og_ties_name(og_ties ties);
og_status og_ties_parse(const char *name, og_ties *out);

#endif
