#ifndef OG_DP_PRIOR_MIXTURE_SWEEP_H
#define OG_DP_PRIOR_MIXTURE_SWEEP_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arb.h"
#include "dp/prior/beta_walk.h"
#include "dp/prior/mixture.h"

/*
 * The sweep over all posteriors of a mixture (private to dp/), from the last level to the first.
 */

/* The sums of one level, [width] each: low, up and Z of dp/prior/mixture.h. */
typedef struct {
    arb_ptr low, up, total;
} sum_level;

typedef struct {
    const og_mixture *mixture;
    og_payoff_whole payoff;
    slong precision;
    int tiny_bits;         /* OG_BETA_TINY_BITS if no more precision is available, else 0 */
    bool undecided;        /* output: this precision was too low; the results are invalid */
    sum_level here, below; /* level n and level n + 1 */
    arb_t value, other;
} level_sweep;

/* Called for a level, whose next one is in sweep->below; level `depth` has none. */
typedef void visit_level(level_sweep *sweep, int32_t n, void *data);

/* Uses the mixture's group, depth and `exact`. Sweeps again with more precision until all visits
 * are decided; OG_FAILED if the last precision leaves one open. */
og_status og_mixture_sweep(const og_mixture *mixture, visit_level *visit, void *data);

/* Rounds sweep->value to the nearest double; uses the exact value if the ball leaves a choice and
 * `exact` is not NULL. */
typedef void exact_value(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out);
double og_sweep_nearest(level_sweep *sweep, exact_value *exact, int32_t n, int32_t s, int outcome);

#endif
