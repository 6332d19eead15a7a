#ifndef OG_DP_PRIOR_MIXTURE_H
#define OG_DP_PRIOR_MIXTURE_H

#include <gmp.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/prior/beta.h"

/*
 * The numbers of an arm whose prior is a mixture of Betas (private to dp/). The node (n, s) has had
 * n labels, s of them positive. With t the soft label, d the threshold, and one given sequence of
 * such labels, let
 *
 *   low(n, s) = Pr(the labels and t < d),   up(n, s) = Pr(the labels and t >= d),
 *   Z = up + low,   E = u up - v low;       P = up/Z = Pr(t >= d | the labels),
 *
 * u = TP - FN and v = TN - FP of the payoff (dp/prior/payoff.h), usually 1 and 1.
 *
 * The next label is positive or negative, so for each f of low, up, Z and E
 *
 *   f(n, s) = f(n+1, s+1) + f(n+1, s),      p1 = Z(n+1, s+1) / Z(n, s).
 *
 * The last level is computed from incomplete beta functions, all levels above it by adding positive
 * numbers: low and up keep their relative accuracy, whatever the prior. A factor common to all
 * nodes makes the weights whole.
 *
 * P grows with s at fixed n. *Proof.* Given s of n labels, the density of t is the prior's times
 * t^s (1-t)^(n-s), up to a factor; from s to s+1 it is multiplied by t/(1-t), which grows with t.
 * So mass moves up, for any prior; strictly, because the prior has a density. (n, s) lies between
 * (n+1, s) and (n+1, s+1). Hence all statements of dp/prior/beta.h about boundaries hold here: at
 * most one node in each level has a call that a label can flip. There, with E' the E of the node
 * that the flipping label leads to,
 *
 *   R = |E'| / Z,
 *
 * the same as p D' or p (-D') there, and 0 if that E' is exactly 0.
 *
 * Doubles are exact values rounded to nearest, as in dp/prior/beta.h, which also defines undecided
 * ties. Ties at threshold 1/2, u = v, that follow from symmetry (the posterior is its own mirror
 * image) are found by comparing parameters and weights. For whole parameters, integers decide all
 * others.
 */
typedef og_beta og_mixture; /* free it with og_beta_free; `exact` refers to og_mixture_exact_* */

/*
 * `prior` is a plain mixture. Writes probability[2 * (n (n+1) / 2 + s) + k] for n < depth too, each
 * rounded to nearest. OG_FAILED as og_beta_new; OG_NO_MEMORY. Takes O(depth^2) operations on balls.
 */
og_status og_mixture_new(const og_group *prior, int32_t depth, double *probability,
                         og_mixture **out);

/* Bytes of one og_mixture, including temporary memory while it is built. */
uint64_t og_mixture_bytes(int32_t depth);

/* Both gains of every node of levels 0 .. depth-1, [node][2] level by level, each rounded to
 * nearest: relative error at most *error. */
og_status og_mixture_gains(const og_mixture *mixture, double *gain, double *error);

/* Exact values, if mixture->exact; probabilities always. */
void og_mixture_exact_call(const og_mixture *mixture, mpq_t out);
void og_mixture_exact_reward(const og_mixture *mixture, int32_t n, int32_t s, mpq_t out);
void og_mixture_exact_gain(const og_mixture *mixture, int32_t n, int32_t s, int outcome, mpq_t out);
void og_mixture_exact_probability(const og_mixture *mixture, int32_t n, int32_t s, int outcome,
                                  mpq_t out);

/* A component's part of Z: its weight times the probability of one sequence of s positive and f
 * negative labels. */
void og_mixture_exact_share(const og_component *part, int32_t s, int32_t f, mpq_t out);

/* The sign of E, if mixture->exact. */
int og_mixture_exact_sign(const og_mixture *mixture, int32_t n, int32_t s);

/* Finds the diagonal of nodes that are mirror images of themselves. */
void og_mixture_find_diagonal(og_mixture *mixture);

#endif
