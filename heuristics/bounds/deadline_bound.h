#ifndef OG_HEURISTICS_BOUNDS_DEADLINE_BOUND_H
#define OG_HEURISTICS_BOUNDS_DEADLINE_BOUND_H

#include "dp/families/deadline_alone.h"
#include "heuristics/bounds/bound.h"

/*
 * The Lagrangian bound of labels with a deadline (dp/families/deadline.h). For every price z >= 0
 * of a label
 *
 *   V <= sum over instances of v_z + z E[N],   N = min(T, workers who come in time),
 *
 * v_z being what one instance on its own can gain where it takes or leaves each worker who comes at
 * this price (dp/families/deadline_alone.h). Proof: a policy asks for at most N labels, so its
 * value is at most that with z taken off for each label and z N added; what is left is a sum over
 * instances, and each of them sees the arrivals, its own labels, and others that say nothing of it.
 * With turn_away nobody may have had a worker who was let go, and he is none of the T then.
 *
 * The price is the best one; value holds the error, which is proved. One price. T is the arms'
 * budget. OG_NO_MEMORY or OG_STOPPED with a message if the states of an instance pass memory_bytes.
 */
og_status og_bound_deadline(const og_arms *arms, const og_deadline *deadline, uint64_t memory_bytes,
                            og_upper_bound *out, og_message *message);

/* B at this price, as og_bound_evaluate. */
og_status og_bound_deadline_evaluate(const og_arms *arms, const og_deadline *deadline,
                                     uint64_t memory_bytes, double price, double *value,
                                     double *error, og_message *message);

/* E[N], and its relative error, proved. */
double og_deadline_workers(const og_arms *arms, const og_deadline *deadline, double *error);

#endif
