#ifndef OG_BENCH_QUESTIONS_FRONTIER_H
#define OG_BENCH_QUESTIONS_FRONTIER_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"

/*
 * F(n): the largest expected gain of all policies, drawn ones included, with at most n expected
 * labels. The pairs (expected labels, expected gain) of all policies are the convex hull of those
 * of finitely many, and F is its upper edge. With W(z) the optimal gain if a label costs z and a
 * policy may stop,
 *
 *   F(n) = min over z >= 0 of W(z) + z n,   and   F(n) >= g exactly if n >= (g - W(z)) / z for all
 * z.
 *
 * W is convex and falls, with slopes between -labels_max and 0. So prices at which it is known
 * bound it from above by chords and from below by the chords of their neighbours, continued. The
 * next price is the one where the lower bound is attained: where two of those lines cross. Once two
 * prices lie on each side of a kink, the crossing is the kink itself, so fractions end exactly. All
 * questions share the prices that were solved.
 */
typedef struct {
    void *self;
    /* *low <= W(price) <= *high. */
    og_status (*gain)(void *self, og_fraction price, mpq_t low, mpq_t high, og_message *message);
    int64_t labels_max;     /* most labels of a policy */
    og_fraction price_none; /* a price > 0 at which no label has a gain */
} og_priced_gains;

typedef struct og_frontier og_frontier;

/* Begins with low <= W(0) <= high, the gain without a price. Borrows what `gains` borrows.
 * OG_NO_MEMORY. */
og_status og_frontier_new(const og_priced_gains *gains, const mpq_t low, const mpq_t high,
                          og_frontier **out);
void og_frontier_free(og_frontier *frontier); /* NULL is fine */

/* How far a question goes: until the bounds are this near, or so many prices are solved for all
 * questions together. */
typedef struct {
    double width; /* of gains; 0: until they are equal */
    int32_t solved_max;
} og_frontier_end;

/* low <= F(labels) <= high, and a price near one at which that is the optimum: W(price) + price *
 * labels == high. Errors are those of `gain`. */
og_status og_frontier_gain(og_frontier *frontier, const mpq_t labels, const og_frontier_end *end,
                           mpq_t low, mpq_t high, mpq_t price, og_message *message);

/* low <= the least n with F(n) >= gain <= high; gain <= W(0); and the price of the lower bound. The
 * width is that of the gain. */
og_status og_frontier_labels(og_frontier *frontier, const mpq_t gain, const og_frontier_end *end,
                             mpq_t low, mpq_t high, mpq_t price, og_message *message);

int32_t og_frontier_solved(const og_frontier *frontier);

#endif
