#ifndef OG_HEURISTICS_BOUNDS_DEADLINE_BOUND_H
#define OG_HEURISTICS_BOUNDS_DEADLINE_BOUND_H

#include "dp/families/deadline_alone.h"
#include "heuristics/bounds/bound.h"

/*
 * Lagrangian bounds of labels with a deadline (dp/families/deadline.h). The moment of a worker is
 * the slot, the number of earlier workers in the slot and, unless workers may be turned away, the
 * labels left. For all prices z >= 0 of the workers of each moment
 *
 *   V <= sum over instances of v_z + C_z.
 *
 * v_z is the most that a single instance can gain if it may take each arriving worker at the
 * worker's price (dp/families/deadline_alone.h). C_z is the expected sum of the prices of the
 * workers among the T; with turn_away it is the largest such sum over all ways to select T of them
 * as they come.
 *
 * Proof: a policy asks each of these T workers for at most one label. So its value does not fall if
 * every label costs its worker's price and each of the T workers pays this price. The rest is a sum
 * over instances. Each instance sees the arrivals, its labels, and other labels that are
 * independent of it. An arriving worker is one of the T whatever the policy does, so all instances
 * see the same labels left. With turn_away, a worker who is turned away labels no instance and is
 * not one of the T.
 *
 * Every value includes its proved error. T is the arms' budget. OG_NO_MEMORY or OG_STOPPED with a
 * message if the states of an instance exceed memory_bytes.
 */

/* The best bound with one price for all workers. */
og_status og_bound_deadline(const og_arms *arms, const og_deadline *deadline, uint64_t memory_bytes,
                            og_stop *stop, og_upper_bound *out, og_message *message);

/*
 * A price for each moment: the smallest value found by a search that ends after a fixed amount of
 * work, some seconds, or when `stop` (NULL: never) is set. It starts at the best single price, so
 * it is never above that bound. The prices are not returned (price_count 0). `converged`: the
 * search reached a minimum.
 */
og_status og_bound_deadline_vector(const og_arms *arms, const og_deadline *deadline,
                                   uint64_t memory_bytes, og_stop *stop, og_upper_bound *out,
                                   og_message *message);

/* Prices: a function of the slots left, the workers before in the slot, and the labels left (-1
 * with turn_away). */
typedef struct {
    double (*at)(void *context, int32_t slots, int32_t come, int32_t left);
    void *context;
} og_deadline_prices;

/* B at these prices: out->value and out->error. */
og_status og_bound_deadline_evaluate(const og_arms *arms, const og_deadline *deadline,
                                     uint64_t memory_bytes, const og_deadline_prices *prices,
                                     og_upper_bound *out, og_message *message);

#endif
