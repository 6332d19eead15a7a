#ifndef OG_BENCH_FAMILIES_INDEPENDENT_H
#define OG_BENCH_FAMILIES_INDEPENDENT_H

#include "bench/family.h"

/* Independent instances, the product of arms, as a family: an act labels an instance of a group. */
extern const og_family og_family_independent;

#endif
