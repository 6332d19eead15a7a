#ifndef OG_DP_PRIOR_DIRICHLET_H
#define OG_DP_PRIOR_DIRICHLET_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * The numbers of an instance with several classes (private to dp/). Its soft label, the
 * probabilities of classes 0 .. C-1, has the prior Dirichlet(alpha). After counts[c] labels of each
 * class the posterior has the parameters alpha[c] + counts[c], written a_c here, with sum A. A
 * label is c with probability p_c = a_c / A. At the end the instance is called the class that most
 * likely has the largest probability, and h is the probability that this is right:
 *
 *   I_c(a) = Pr(chance of c is the largest) = integral of  f_c(x) * product over j /= c of F_j(x),
 *   h(a) = max_c I_c(a),     f_c and F_c the density and distribution function of Gamma(a_c).
 *
 * The leader. Exchange x and y in the event that class k has x and class l has y < x. If a_k > a_l,
 *
 *   I_k - I_l = integral over y < x of (f_k(x) f_l(y) - f_l(x) f_k(y)) * product of the other F(x)
 *             = integral of (f_k F_l - f_l F_k)(x) * product of the other F(x) =: D_kl(a) > 0,
 *
 * as f_k(x) f_l(y) / (f_l(x) f_k(y)) = (x/y)^(a_k - a_l) > 1. So the largest parameter leads:
 * comparing fractions decides the call, never an I.
 *
 * The value of a label. Each I_c is an expectation under the posterior, so I_c(a) = sum_k p_k I_c(a
 * + e_k). Let l lead a. Then h(a) = I_l(a) = sum_k p_k I_l(a + e_k) and
 *
 *   R = sum_k p_k (h(a + e_k) - I_l(a + e_k)) = sum over k with a_k + 1 > a_l, k /= l, of
 *       p_k D_kl(a + e_k),
 *
 * a sum of positive terms over the labels that change the leader; without one R is exactly 0. A
 * label that leads to an exact tie, a_k + 1 = a_l, changes nothing and gains nothing.
 *
 * One more label moves F_k by F_(a) - F_(a+1) = x^a e^-x / Gamma(a+1) = x f_k(x) / a_k, hence
 *
 *   I_c(a) - I_c(a + e_k) = U_ck(a) / a_k,   U_ck(a) = integral of  x f_c f_k * product of the
 *                                            other F,   c /= k,
 *   I_k(a + e_k) - I_k(a) = sum over c /= k of U_ck(a) / a_k,
 *
 * which gives the gains of labels, h(a + e_k) - h(a), and if k and l tie
 *
 *   D_kl(a + e_k) = (2 U_lk(a) + sum over c /= k, l of U_ck(a)) / a_k,
 *
 * all sums of positive terms. Parameters that differ by whole numbers need no other D.
 *
 * Every double here is the exact value rounded to nearest, hence a function of the multiset of
 * parameters: posteriors that are permutations of each other have the same bits, whatever their
 * priors. dp/prior/dirichlet.c has the method; C = 2 gives the bits of dp/prior/beta.h at 1/2.
 */
/* Whole parameters are exact while alpha_0 + .. + alpha_(C-1) + depth is at most this. */
enum { OG_DIRICHLET_EXACT_TOTAL = 512 };

/* Scratch and the results so far; used by one thread at a time. */
typedef struct og_dirichlet og_dirichlet;

/*
 * classes in 2 .. OG_CLASSES_MAX, alpha[classes] > 0, copied; up to `depth` labels, and alpha +
 * depth within the limits of an og_fraction.
 */
og_status og_dirichlet_new(int32_t classes, const og_fraction *alpha, int32_t depth,
                           og_dirichlet **out);
void og_dirichlet_free(og_dirichlet *dirichlet); /* NULL is fine */

/* Upper estimate, tested, of the bytes held once everything has been computed. It excludes numbers
 * that need more than the first precision, which are very rare. */
uint64_t og_dirichlet_bytes(int32_t classes, const og_fraction *alpha, int32_t depth);

/*
 * The posterior after counts[classes] labels, at most depth in all (for reward and gains depth -
 * 1). One integral takes some hundred to two thousand products of `classes` numbers of two words:
 * 50 microseconds for three classes with small parameters.
 *
 * OG_NO_MEMORY; OG_FAILED: an R other than 0 is below the normal range of double, so that no
 * relative error could be guaranteed. Outputs are then undefined.
 *
 * A worth that is not of calls, brier, squared or log, is a strictly convex function of the I_c or
 * of the parameters; with the changes D_ck = I_c(a + e_k) - I_c(a) from above
 *
 *   brier    R = sum of p_k D_ck^2,        log    R = sum of p_k I_c(a + e_k) ln(1 + D_ck / I_c),
 *   squared  h = -S / (A^2 (A+1)),                R = S / (A (A+1))^2,   S = A^2 - sum of a_c^2.
 *
 * An R below the smallest normal double is that double.
 */
og_status og_dirichlet_call(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                            double *call); /* h */
og_status og_dirichlet_reward(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                              double *reward); /* R */
/* gain[c] = h(a + e_c) - h(a) */
og_status og_dirichlet_gains(og_dirichlet *dirichlet, og_worth_kind worth, const int32_t *counts,
                             double *gain);

/* The class that is called: the first with the largest parameter. */
int32_t og_dirichlet_leader(int32_t classes, const og_fraction *posterior);

/*
 * Exact values for whole parameters (dp/prior/dirichlet_exact.c): finite sums of fractions, from
 * F_j(x) = 1 - e^-x * sum over i < a_j of x^i / i!. posterior[classes] are whole numbers; the
 * caller initialises `out`. Thread-safe. Takes some C^2/2 products of polynomials of degree up to A
 * with coefficients of A log A bits.
 */
bool og_dirichlet_is_exact(int32_t classes, const og_fraction *alpha, int32_t depth);
void og_dirichlet_exact_call(int32_t classes, const og_fraction *posterior, mpq_t out);
void og_dirichlet_exact_reward(int32_t classes, const og_fraction *posterior, mpq_t out);
/* h of brier, or of squared with any parameters. */
void og_dirichlet_exact_worth(og_worth_kind worth, int32_t classes, const og_fraction *posterior,
                              mpq_t out);
void og_dirichlet_exact_gain(int32_t classes, const og_fraction *posterior, int32_t class_,
                             mpq_t out);

#endif
