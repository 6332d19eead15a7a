#ifndef OG_HEURISTICS_BOUNDS_DEADLINE_BOUND_H
#define OG_HEURISTICS_BOUNDS_DEADLINE_BOUND_H

#include "dp/families/deadline_alone.h"
#include "heuristics/bounds/bound.h"

/*
 * Lagrangian bounds of labels with a deadline (dp/families/deadline.h). The moment of a worker is
 * the slot, who came before him in it, and, unless workers may be turned away, the labels left. For
 * all prices z >= 0 of the workers of each moment
 *
 *   V <= sum over instances of v_z + C_z.
 *
 * v_z is what one instance on its own can gain where it takes or leaves each worker who comes at
 * his price (dp/families/deadline_alone.h), and C_z the expected sum of the prices of those who are
 * among the T; with turn_away, the largest that there can be by any choice of T of them as they
 * come. Proof: a policy asks for at most one label of each of those, so its value is at most that
 * with his price taken off for each label and put on for each worker; what is left is a sum over
 * instances, and each of them sees the arrivals, its own labels, and others that say nothing of it.
 * Who comes is one of the T whatever is done with him, so that all instances see the same labels
 * left; with turn_away nobody may have had a worker who was let go, and he is none of the T then.
 *
 * Every value holds its error, which is proved. T is the arms' budget. OG_NO_MEMORY or OG_STOPPED
 * with a message if the states of an instance pass memory_bytes.
 */

/* One price for all workers, the best one. */
og_status og_bound_deadline(const og_arms *arms, const og_deadline *deadline, uint64_t memory_bytes,
                            og_stop *stop, og_upper_bound *out, og_message *message);

/*
 * A price for each moment: the least value met on a search that ends after a fixed amount of work,
 * some seconds, or when `stop` (NULL: nobody) says so. It begins at the best single price, so it is
 * never above that bound. The prices are not told (price_count 0); `converged`: the search met a
 * point below which there is no lower value.
 */
og_status og_bound_deadline_vector(const og_arms *arms, const og_deadline *deadline,
                                   uint64_t memory_bytes, og_stop *stop, og_upper_bound *out,
                                   og_message *message);

/* B at this price, as og_bound_evaluate; or at the price that price_of says for a worker with this
 * many slots and labels left after so many in his slot (labels -1 with turn_away). */
og_status og_bound_deadline_evaluate(const og_arms *arms, const og_deadline *deadline,
                                     uint64_t memory_bytes, double price, double *value,
                                     double *error, og_message *message);
typedef double og_deadline_price(void *context, int32_t slots, int32_t come, int32_t left);
og_status og_bound_deadline_evaluate_all(const og_arms *arms, const og_deadline *deadline,
                                         uint64_t memory_bytes, og_deadline_price *price_of,
                                         void *context, double *value, double *error,
                                         og_message *message);

#endif
