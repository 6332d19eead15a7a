#ifndef OG_DP_PRIOR_DIRICHLET_RULE_H
#define OG_DP_PRIOR_DIRICHLET_RULE_H

#include <stdint.h>

#include "dp/base/arb.h"
#include "dp/prior/dirichlet.h"

/*
 * The integrals of dp/prior/dirichlet.h as rigorous balls (private to dp/): one trapezoidal rule
 * for all of an arm, with a proved relative error.
 *
 * With x = e^t every integral is that of a g(t) over the real line, and the rule is h * sum of
 * g(ih) over all whole i. Three arguments prove it.
 *
 * The rule's error. g is analytic for |Im t| < pi/2. For x = r e^(i phi) and rho = r cos(phi)
 *
 *   |x f_a(x)| = r^a e^-rho / Gamma(a)                               = cos(phi)^-a rho f_a(rho),
 *   |F_a(x)|   = |x^a / Gamma(a) * integral over 0 < s < 1 of s^(a-1) e^-xs|
 *                                                                    <= cos(phi)^-a F_a(rho),
 *   x (f_k F_l - f_l F_k)(x) = x^(a_k + a_l) e^-x / (Gamma(a_k) Gamma(a_l))
 *                * integral over 0 < s < 1 of (s^(a_l - 1) - s^(a_k - 1)) e^-xs,
 *                                                                    likewise, as a_k > a_l.
 *
 * So the integral of |g(u + i phi)| over u is at most cos(phi)^-A times that of g, which is the
 * value V itself, and by Trefethen and Weideman, "The exponentially convergent trapezoidal rule",
 * SIAM Review 56 (2014), Theorem 5.1, for every d < pi/2,
 *
 *   |rule - V| <= V * 2 cos(d)^-A / (e^(2 pi d / h) - 1).
 *
 * The end of the sum. g is log-concave: x f_a is (log: a t - e^t), F_a is as the distribution
 * function of a log-concave density, f_k F_l - f_l F_k as a marginal of e^(b(u+v)) e^(-e^u - e^v)
 * (e^(delta u) - e^(delta v)) over v <= u (Prekopa), and products are. So falling terms fall ever
 * faster: the rest after g_i is at most g_i r/(1-r), r = g_i / g_(i-1) < 1.
 *
 * The terms of g. F_a(x) = sum over k >= 0 of t_(a+k), t_b = x^b e^-x / Gamma(b+1): the terms give
 * F for all a, a+1, ... at once, as sums of positive numbers. Only f_k F_l - f_l F_k cancels, by
 * some log2(1/(a_k - a_l)) bits; balls account for that, and more precision settles it.
 *
 * Small A, for which g falls slowly to the left, does not occur: all the integrals are expectations
 * under the posterior, V(a) = sum_k p_k V(a + e_k), which is used if A < 1.
 */
typedef struct dirichlet_rule dirichlet_rule;

og_status og_dirichlet_rule_new(int32_t classes, const og_fraction *alpha, int32_t depth,
                                slong precision, dirichlet_rule **out);
void og_dirichlet_rule_free(dirichlet_rule *rule);

/* Upper estimate of the number of columns that a rule can hold; and the bytes of each. */
uint64_t og_dirichlet_rule_columns(int32_t classes, const og_fraction *alpha, int32_t depth,
                                   slong precision);
uint64_t og_dirichlet_rule_column_bytes(int32_t classes, int32_t depth, slong precision);

/* The integral: I_first, U_first,second or D_first,second. */
typedef enum { DIRICHLET_CHANCE, DIRICHLET_PAIR, DIRICHLET_LEAD } dirichlet_kind;

typedef struct {
    dirichlet_kind kind;
    int32_t first, second;
    /* The classes in the order in which their factors are multiplied: by decreasing parameters, so
     * that permuted posteriors of symmetric priors get the same balls. */
    const int32_t *order;
    int32_t counts[OG_CLASSES_MAX];
} dirichlet_integral;

/*
 * *out receives the integral, to about precision - OG_DIRICHLET_GUARD bits if nothing cancels.
 * OG_STOPPED: the precision is too low. OG_NO_MEMORY. counts sum to at most depth; a D has sum A >=
 * 1 and a_first > a_second.
 */
enum { OG_DIRICHLET_GUARD = 28 };
og_status og_dirichlet_integrate(dirichlet_rule *rule, const dirichlet_integral *integral,
                                 arb_t out);

/* p_c of a posterior. */
void og_dirichlet_share(const dirichlet_rule *rule, const int32_t *counts, int32_t class_,
                        arb_t out);
/* value /= a_c. */
void og_dirichlet_divide(const dirichlet_rule *rule, const int32_t *counts, int32_t class_,
                         arb_t value);

#endif
