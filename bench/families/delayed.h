#ifndef OG_BENCH_FAMILIES_DELAYED_H
#define OG_BENCH_FAMILIES_DELAYED_H

#include "bench/family.h"
#include "bench/option.h"
#include "dp/families/delayed.h"
#include "dp/prior/problem.h"

/* Names of those that such a problem is usually compared with, commas between. */
extern const char og_delayed_usual_policies[];

/*
 * Labels that take time (dp/families/delayed.h) as a family: the budget is the number of workers.
 * Policies are those of heuristics/families/delayed_policy.h. The Lagrangian bounds are the model's
 * own (og_bound_delayed_scalar) as far as their tables are worth it, up to some hundred million
 * instances with workers at work; prevailing_charge is that of labels at once, which no delay can
 * exceed.
 *
 * Borrows `problem`, copies `delay`; the rest as og_family_independent.
 */
og_status og_family_delayed(const og_problem *problem, const og_delay *delay, int32_t policy_count,
                            const og_settings *settings, og_family *out, og_message *message);

/* Its options: rates, and how many workers arrive, which is the budget. */
typedef struct {
    og_delay delay;
    int32_t workers;
} og_delayed_options;

extern const og_option_set og_delayed_option_set;

#endif
