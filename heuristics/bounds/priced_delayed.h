#ifndef OG_HEURISTICS_BOUNDS_PRICED_DELAYED_H
#define OG_HEURISTICS_BOUNDS_PRICED_DELAYED_H

#include <stdint.h>

#include "dp/families/delayed.h"
#include "heuristics/bounds/priced_arm.h"

/*
 * One arm on its own where labels cost money and take time (private to heuristics/): the part of
 * heuristics/bounds/priced_arm.h in the relaxation of dp/families/delayed.h [Hu and Frazier,
 * section 5]. The instance sees every worker arrive, m still to come, may take him at the price of
 * his number, and sees its own workers end. With everything counted when it is ordered,
 *
 *   v(x, w, m) = [ rho max(v(x, w, m-1), D(x, w) - price + v(x, w+1, m-1))
 *                  + mu w sum_k p_k v(next_k, w-1, m) ] / (rho + mu w),     v(., ., 0) = 0,
 *
 * over the classes of dp/families/delayed_layers.h. The workers of other instances are not seen:
 * what happens to them says nothing of this instance, and arrivals come at the same times without
 * them.
 *
 * A handle is scratch for one arm; it borrows the arm; one thread at a time. Takes the steps and
 * the memory of og_delayed_layers_new once, then O(classes) for each valuation.
 */
typedef struct og_priced_delayed og_priced_delayed;

/* OG_NO_MEMORY if the tables pass memory_bytes. */
og_status og_priced_delayed_new(const og_arm *arm, const og_delay *delay, uint64_t memory_bytes,
                                og_priced_delayed **out, og_message *message);

void og_priced_delayed_free(og_priced_delayed *priced); /* NULL is fine */

/* As og_priced_arm_dearest, og_priced_arm_work. */
double og_priced_delayed_dearest(const og_priced_delayed *priced);
uint64_t og_priced_delayed_work(const og_priced_delayed *priced);

/*
 * Prices of the first, second ... worker to arrive, price[depth], all >= 0 and finite. If `bought`
 * is not NULL, bought[l] receives the probability that worker l + 1 is taken, [depth]. Where taking
 * one gains nothing none is taken.
 */
og_status og_priced_delayed_stages(og_priced_delayed *priced, const double *price, double *bought,
                                   og_priced *out);

#endif
