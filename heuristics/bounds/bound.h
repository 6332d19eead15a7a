#ifndef OG_HEURISTICS_BOUNDS_BOUND_H
#define OG_HEURISTICS_BOUNDS_BOUND_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/families/delayed.h"

/*
 * Upper bounds on the optimal value without solving the problem: the Lagrangian
 * relaxation of "one label at a time" [Hu and Frazier, sections 5 and 6].
 *
 *   B(lambda) = sum over instances of v_lambda(arm) + sum_l lambda_l,
 *
 * where at stage l an instance may buy a label at price lambda_l >= 0. B is convex and an upper
 * bound on the value for every lambda >= 0, so the prices need no proof of optimality. `value` is
 * always B at `price` from the arm recursion, raised by `error`, a proved bound on its rounding:
 * value >= V in exact arithmetic.
 */
typedef struct {
    double value;        /* the upper bound, rounding included */
    double error;        /* the part of `value` that allows for rounding */
    int32_t price_count; /* scalar: 1, vector: the budget T, prevailing charges: 0, priced end: its
                            number of labels */
    double *price;       /* [price_count] in the order of the labels; owned */
    int32_t evaluations; /* number of arm recursions */
    bool converged; /* false: the search ended early; the bound is valid but could be tighter */
} og_upper_bound;

/*
 * Computes B at given prices, price[0] for the first label (price_count == budget) or one price for
 * all (1). *value and *error as in og_upper_bound. OG_BAD_INPUT for another number of prices or a
 * price outside 0 .. OG_BOUND_PRICE_MAX.
 *
 * Each distinct arm is solved once, on `threads` threads (0: one per core), which does not change
 * any bit of a result. Memory is of the order of the arms' memory.
 */
#define OG_BOUND_PRICE_MAX 1e300
og_status og_bound_evaluate(const og_arms *arms, const double *price, int32_t price_count,
                            int threads, double *value, double *error);

/* The best bound with one price for all labels. Takes little time; `stop` is not checked. */
og_status og_bound_lagrangian_scalar(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out);

/*
 * The same without tables of all labels, for budgets of any size: instances with a Beta prior whose
 * right calls are worth 1 (og_bound_short_fits; others: OG_BAD_INPUT). A label after n others, with
 * s = a + b + n, gains at most
 *
 *   R <= exp(1 / (12 s)) / sqrt(2 pi s),
 *
 * so at this price or above no instance buys more than n labels, and an arm of n labels gives B
 * exactly. n doubles from 64 on until the minimum of B lies above that price, or the arms exceed
 * settings->memory_bytes: then the bound is valid, but not `converged`, and at most the number of
 * instances.
 *
 * Proof. A label changes P = Pr(theta >= d) by X / a if it is positive, which has probability a /
 * s, and by -X / b else, X = d^a (1-d)^b / B(a, b). As max(P, 1 - P) has slopes of size 1, R is at
 * most twice the expected change to one side, 2 X / s. X is largest at d = a / s, and with
 * Stirling's formula (Gamma(x) = sqrt(2 pi) x^(x - 1/2) e^(-x + c), 0 < c < 1 / (12 x)) at most
 * sqrt(a b / (2 pi s)) exp(1 / (12 s)); and a b <= s^2 / 4.
 */
bool og_bound_short_fits(const og_groups *problem);
og_status og_bound_short(const og_groups *problem, const og_settings *settings, og_upper_bound *out,
                         og_message *message);

/*
 * A price for each label, within a relative 1e-7 of the best bound unless `converged` is false. The
 * search ends after a fixed amount of work, some ten seconds on one core, or when `stop` (NULL:
 * never) is set. For small problems the prices are optimal up to rounding (measured: 50x1,1 with T
 * = 800). Never above the scalar bound. The prices never rise from stage to stage.
 *
 * Uses GLPK on the calling thread without output: resets this thread's glp_term_hook and
 * glp_error_hook, and calls glp_free_env if GLPK aborts. In a build without GLPK this bound and
 * og_bound_delayed_vector are INFINITY, without prices.
 */
og_status og_bound_lagrangian_vector(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out);

/*
 * Prevailing charges. Let gamma_m(x) be the finite-horizon Gittins index of a node with m labels
 * left, and x_k an instance's node after k labels. The charge of the instance's n-th label is the
 * least gamma_{T-k}(x_k), k < n. Then
 *
 *   V <= sum of calls + integral over z > 0 of E[min(T, N(z))] dz,
 *
 * where N(z) is the number of charges above z over all instances. No arm earns more than its
 * charges [Weber, "On the Gittins index for multiarmed bandits", Annals of Applied Probability 2
 * (1992)], and T labels pay at most the T largest charges. The integrand is a step function; if the
 * work limit does not allow all steps, each cell of a grid uses its largest value.
 *
 * error: rounding and grid; the bound with the exact integral is within value - 2 error .. value.
 * converged: 2 error is at most 1e-6 of the value. Never above the scalar bound; if the grid's
 * result would be, value and error are those of the scalar bound. price_count is 0. Supports any
 * number of instances, with a fixed limit on the work, some thirty seconds on one core; `stop`
 * (NULL: never) can end it earlier.
 */
og_status og_bound_prevailing_charge(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out);

/*
 * A priced end: the last 1, 2, 4, ... labels, or none, have the prices of the vector bound, and the
 * labels before them prevailing charges. The search determines the number of priced labels
 * (`price_count`). Charges ignore that few choices remain at the end, and prices for all labels
 * ignore that demand varies: for 50x1,1 with 200 labels these bounds are 43.0765 and 43.0624, and
 * this one 43.0538. Up to the grid it is never above the other bounds. Proof: bound_prevailing.c.
 * Source: this project.
 *
 * error, converged and `stop` as above. Takes the time of the vector bound and a few times that of
 * prevailing charges. INFINITY without GLPK.
 */
og_status og_bound_priced_end(const og_arms *arms, int threads, og_stop *stop, og_upper_bound *out);

/* The same at given prices of the last `stages` labels, within 0 .. OG_BOUND_PRICE_MAX; all such
 * prices give a valid bound. OG_BAD_INPUT: another price, or not 1 <= stages < budget. */
og_status og_bound_priced_end_at(const og_arms *arms, const double *price, int32_t stages,
                                 int threads, og_stop *stop, og_upper_bound *out);

/*
 * A joint end: the last `labels` labels, 1 .. OG_BOUND_JOINT_LABELS_MAX, are played jointly, and
 * the labels before them have charges. The joint part is the maximum over all states that it can
 * start in, minus a payment for the state's instances. Where priced_end has a price for each of the
 * last labels, this bound uses their optimal joint value: for 50x1,1 with 200 labels it is 43.0517
 * with four joint labels, against 43.0538. Proof: joint_end.c. Source: this project.
 *
 * error as above; branch and bound omits states and adds no error. converged: in addition, its
 * remaining gap is at most 1e-6 of the value. price_count is `labels`, price NULL. This bound can
 * be above the other bounds. It is INFINITY if nodes have several actions, `labels` is not below
 * the budget, the tables exceed memory_bytes, or `stop` ended it before a bound was proved.
 *
 * With more joint labels it is no larger. Each additional label takes some eight times as long:
 * 50x1,1 with 200 labels took 6 s and 0.8 GB for six (43.0487) and 71 s and 6.3 GB for seven;
 * fifteen minutes were not enough for eight. More different instances take longer, up to a fixed
 * amount of work.
 */
enum { OG_BOUND_JOINT_LABELS_MAX = 8 };
og_status og_bound_joint_end(const og_arms *arms, int32_t labels, int threads,
                             uint64_t memory_bytes, og_stop *stop, og_upper_bound *out);

/*
 * The same for labels that take time (dp/families/delayed.h): each arriving worker has a price, and
 * the budget is the number U of workers. In the relaxation an instance sees all arrivals and the
 * ends of its workers only. Takes O(arms U^4) steps; OG_NO_MEMORY if the tables exceed
 * memory_bytes, OG_STOPPED if `stop` ends the work. The bounds above are valid there as well, since
 * a policy may ignore early information.
 */
og_status og_bound_delayed_evaluate(const og_arms *arms, const og_delay *delay,
                                    uint64_t memory_bytes, const double *price, int32_t price_count,
                                    int threads, double *value, double *error);
og_status og_bound_delayed_scalar(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_stop *stop, og_upper_bound *out);

/* The same for `drawn` of the instances, drawn at random: a bound on the mean optimal value over
 * the draws. */
og_status og_bound_delayed_drawn(const og_arms *arms, const og_delay *delay, int64_t drawn,
                                 uint64_t memory_bytes, int threads, og_stop *stop,
                                 og_upper_bound *out);

/* Searches only prices that never rise from worker to worker; never above the scalar bound. */
og_status og_bound_delayed_vector(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_stop *stop, og_upper_bound *out);

void og_bound_clear(og_upper_bound *bound);

#endif
