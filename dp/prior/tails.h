#ifndef OG_DP_PRIOR_TAILS_H
#define OG_DP_PRIOR_TAILS_H

#include <gmp.h>
#include <stdbool.h>

#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * The probabilities that a soft label with this posterior is below its threshold, and that it is
 * not. `group` is a Beta; its count is ignored.
 *
 * Each is the exact value rounded to nearest or, if that is nearly halfway between two doubles, one
 * of them; *below and *above are written on success only. OG_FAILED as og_beta_new. Whole
 * parameters take a few products of (a + b) log2(denominator) bits, others milliseconds.
 */
og_status og_beta_tails(const og_group *group, double *below, double *above);

/* The same as fractions, initialised by the caller, after at most `labels` labels, some of which
 * the group has had. False: not supported (parameters that are not whole, or OG_BETA_EXACT_BITS
 * exceeded); then nothing is written. */
bool og_beta_tails_are_exact(const og_group *group, int32_t labels);
bool og_beta_exact_tails(const og_group *group, mpq_t below, mpq_t above);

/*
 * The same for a mixture after this many positive and negative labels: each component counts with
 * its weight times the probability of these labels under it, and with its own tails. Rounding and
 * errors as above.
 */
og_status og_mixture_tails(const og_group *mixture, int32_t positive, int32_t negative,
                           double *below, double *above);
bool og_mixture_tails_are_exact(const og_group *mixture, int32_t labels);
bool og_mixture_exact_tails(const og_group *mixture, int32_t positive, int32_t negative,
                            mpq_t below, mpq_t above);

#endif
