#ifndef OG_BENCH_FAMILIES_DEADLINE_H
#define OG_BENCH_FAMILIES_DEADLINE_H

#include "bench/family.h"
#include "dp/families/deadline.h"

/*
 * Labels with a deadline (dp/families/deadline.h) as a family: the budget is the number of labels
 * that may be asked for, and an act gives a worker who has come in the first slot an instance, or
 * sends him away. Policies are those of heuristics/families/deadline_policy.h. Bounds:
 * lagrangian_scalar and lagrangian_vector are this problem's own
 * (heuristics/bounds/deadline_bound.h); prevailing_charge, and lagrangian_vector where that is
 * lower, are those of labels at once, as many as can be asked for in time, which no delay can
 * exceed.
 */
extern const og_family og_family_deadline;

typedef struct {
    og_deadline deadline;
} og_deadline_options;

extern const og_option_set og_deadline_option_set;

#endif
