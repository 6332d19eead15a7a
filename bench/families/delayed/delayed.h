#ifndef OG_BENCH_FAMILIES_DELAYED_DELAYED_H
#define OG_BENCH_FAMILIES_DELAYED_DELAYED_H

#include "bench/family.h"
#include "dp/families/delayed.h"

/*
 * Labels that take time (dp/families/delayed.h) as a family. The budget is the number of workers,
 * and an act serves an instance of an arm. Policies are those of
 * heuristics/families/delayed_policy.h. The Lagrangian bounds are the model's own
 * (og_bound_delayed_scalar), unless their tables would exceed some hundred million states of
 * instances with workers at work. prevailing_charge is the bound for immediate labels; delays
 * cannot exceed it.
 */
extern const og_family og_family_delayed;

/* Its options: rates, and the number of workers who arrive, which is the budget. */
typedef struct {
    og_delay delay;
    int32_t workers;
} og_delayed_options;

#endif
