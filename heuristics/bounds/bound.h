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
 * always B evaluated by the arm recursion at `price`, raised by `error`, a proved bound on its
 * rounding: value >= V in exact arithmetic.
 */
typedef struct {
    double value;        /* the bound, rounding included */
    double error;        /* how much of it is the allowance for rounding */
    int32_t price_count; /* scalar: 1, vector: the budget T, prevailing charges: 0, a priced end:
                            the labels that it has */
    double *price;       /* [price_count] in the order of the labels; owned */
    int32_t evaluations; /* of the arm recursion */
    bool converged;      /* false: iterations ran out; the bound is valid but could be tighter */
} og_upper_bound;

/*
 * B at given prices, price[0] for the first label (price_count == budget) or one price for all (1).
 * *value and *error as in og_upper_bound. OG_BAD_INPUT if there is another number of prices or one
 * is not within 0 .. OG_BOUND_PRICE_MAX.
 *
 * Identical arms are solved once, different ones on `threads` threads (0: one per core), which
 * changes no bit of any result. Needs memory of the order of the arms' own.
 */
#define OG_BOUND_PRICE_MAX 1e300
og_status og_bound_evaluate(const og_arms *arms, const double *price, int32_t price_count,
                            int threads, double *value, double *error);

/* One price for all labels: a moment, in which nobody is asked to stop. */
og_status og_bound_lagrangian_scalar(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out);

/*
 * Within a relative 1e-7 of the best prices, unless `converged` is false: the search ends after a
 * fixed amount of work, some ten seconds on one core, or when `stop` (NULL: nobody) says so. Small
 * problems get the best prices themselves, up to rounding (measured: 50x1,1 with T = 800). Never
 * above the scalar bound. The prices never rise from stage to stage.
 *
 * Uses GLPK on the calling thread, silently: resets this thread's glp_term_hook and glp_error_hook,
 * and should GLPK abort, calls glp_free_env. Built without GLPK, it is the bound INFINITY without
 * prices, and so is og_bound_delayed_vector.
 */
og_status og_bound_lagrangian_vector(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out);

/*
 * Prevailing charges: let gamma_m(x) be the finite-horizon Gittins index of a node with m labels
 * left, and charge the n-th label of an instance the least gamma_{T-k}(x_k), k < n, x_k its node
 * after k labels. Then
 *
 *   V <= sum of calls + integral over z > 0 of E[min(T, N(z))] dz,
 *
 * N(z) the number of all instances' charges above z. No arm earns more than it is charged [Weber,
 * "On the Gittins index for multiarmed bandits", Annals of Applied Probability 2 (1992)], and T
 * labels pay at most the T largest charges. The integrand is a step function; where all steps
 * cannot be taken within the work allowed, a cell of a grid takes what is largest in it.
 *
 * error: rounding and grid; the exact integral's bound is within value - 2 error .. value.
 * converged: that is at most 1e-6 of the value. Never above the scalar bound: where the grid was
 * left wider than that, and the value is the scalar bound's, so is the error. price_count is 0.
 * Any number of instances; a fixed amount of work at most, some thirty seconds on one core,
 * less where `stop` (NULL: nobody) says so.
 */
og_status og_bound_prevailing_charge(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out);

/*
 * Prevailing charges for all labels but the last 1, 2, 4, ..., which have the prices that the
 * vector bound gives them, or for all; how many, says the search (`price_count`). Charges do not
 * see that little is left to choose from at the end, and prices for all labels not that demand
 * varies: 50x1,1 with 200 labels has 43.0765 and 43.0624, and 43.0538 here. Up to the grid never
 * above the other bounds. Proof: bound_prevailing.c. Source: this project.
 *
 * error, converged and `stop` as above; takes the vector bound's time beside, and a few times that
 * of prevailing charges. Without GLPK INFINITY.
 */
og_status og_bound_priced_end(const og_arms *arms, int threads, og_stop *stop, og_upper_bound *out);

/* The same at given prices of the last `stages` labels, within 0 .. OG_BOUND_PRICE_MAX; any make a
 * bound. OG_BAD_INPUT: another price, or not 1 <= stages < budget. */
og_status og_bound_priced_end_at(const og_arms *arms, const double *price, int32_t stages,
                                 int threads, og_stop *stop, og_upper_bound *out);

/*
 * A joint end: charges for all labels but the last `labels`, 1 .. OG_BOUND_JOINT_LABELS_MAX, and
 * these played together from the worst state that they can begin in, whose instances are paid for.
 * Where priced_end has a price for each of the last labels, they are worth what one optimal play
 * can make of them here: 50x1,1 with 200 labels has 43.0538 there, and 43.0517 with four labels
 * together. Proof: joint_end.c. Source: this project.
 *
 * error as above, and no grid's: any number of states is left out by branch and bound; converged:
 * what that left open is at most 1e-6 of the value too. price_count is `labels`, price NULL. Not
 * comparable with the other bounds: it can be above them. INFINITY where nodes have several
 * actions, where `labels` is not below the budget, where the tables pass memory_bytes, or where
 * `stop` ended it before anything was proved.
 *
 * With more labels it is no larger. Each takes some eight times as long as the one before: 50x1,1
 * with 200 labels 6 s and 0.8 GB for six (43.0487), 71 s and 6.3 GB for seven; fifteen minutes were
 * not enough for eight. More kinds of instances take longer, up to a fixed amount of work.
 */
enum { OG_BOUND_JOINT_LABELS_MAX = 8 };
og_status og_bound_joint_end(const og_arms *arms, int32_t labels, int threads,
                             uint64_t memory_bytes, og_stop *stop, og_upper_bound *out);

/*
 * The same for labels that take time (dp/families/delayed.h): a price for each worker to arrive,
 * the budget being their number. An instance sees the arrivals and the ends of its own workers
 * only. Takes O(arms U^4) steps; OG_NO_MEMORY if the tables pass memory_bytes. The bounds above
 * hold there as well: who knows every label at once can play as if he did not.
 */
og_status og_bound_delayed_evaluate(const og_arms *arms, const og_delay *delay,
                                    uint64_t memory_bytes, const double *price, int32_t price_count,
                                    int threads, double *value, double *error);
og_status og_bound_delayed_scalar(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_upper_bound *out);

/* Looks among prices that never rise from worker to worker only; never above the scalar bound. */
og_status og_bound_delayed_vector(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_stop *stop, og_upper_bound *out);

void og_bound_clear(og_upper_bound *bound);

#endif
