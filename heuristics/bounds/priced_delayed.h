#ifndef OG_HEURISTICS_BOUNDS_PRICED_DELAYED_H
#define OG_HEURISTICS_BOUNDS_PRICED_DELAYED_H

#include <stdint.h>

#include "dp/families/delayed.h"
#include "heuristics/bounds/priced_arm.h"

/*
 * A single arm with labels that have prices and take time (private to heuristics/). It has the role
 * of heuristics/bounds/priced_arm.h in the relaxation of dp/families/delayed.h [Hu and Frazier,
 * section 5]. The instance sees every worker arrive, with m still to come, may take the worker at
 * the price of the worker's number, and sees its workers finish. With rewards and prices counted
 * when a label is ordered,
 *
 *   v(x, w, m) = [ rho max(v(x, w, m-1), D(x, w) - price + v(x, w+1, m-1))
 *                  + mu w sum_k p_k v(next_k, w-1, m) ] / (rho + mu w),     v(., ., 0) = 0,
 *
 * over the classes of dp/families/delayed_layers.h. The instance does not see the workers of other
 * instances: they are independent of this instance and do not change the times of arrivals.
 *
 * A handle is work space for one arm, which it borrows; one thread at a time. It takes the time and
 * memory of og_delayed_layers_new once, then O(classes) for each evaluation.
 */
typedef struct og_priced_delayed og_priced_delayed;

/* `workers` is U, at most the arm's depth unless delay->most[1] is given. OG_NO_MEMORY if the
 * tables exceed memory_bytes. The handle keeps `stop`, which may be NULL; OG_STOPPED if it ends
 * this or an evaluation. */
og_status og_priced_delayed_new(const og_arm *arm, int32_t workers, const og_delay *delay,
                                uint64_t memory_bytes, og_stop *stop, og_priced_delayed **out,
                                og_message *message);

void og_priced_delayed_free(og_priced_delayed *priced); /* NULL is fine */

/* As og_priced_arm_dearest, og_priced_arm_work. */
double og_priced_delayed_dearest(const og_priced_delayed *priced);
uint64_t og_priced_delayed_work(const og_priced_delayed *priced);

/*
 * Evaluates the arm at the prices of the first, second ... worker to arrive, price[workers], all >=
 * 0 and finite. If `bought` is not NULL, bought[l] receives the probability that worker l + 1 is
 * taken, [workers]. A worker is not taken if that gains nothing.
 */
og_status og_priced_delayed_stages(og_priced_delayed *priced, const double *price, double *bought,
                                   og_priced *out);

#endif
