#ifndef OG_HEURISTICS_FAMILIES_DELAYED_INDEX_H
#define OG_HEURISTICS_FAMILIES_DELAYED_INDEX_H

#include <stdint.h>

#include "dp/families/delayed.h"
#include "heuristics/policy.h"

/*
 * The index of Hu and Frazier for labels that take time (section 6): the largest price of a worker
 * at which a single instance gains at least as much from the worker who has just arrived as from
 * waiting,
 *
 *   D(x, w) - price + v(x, w + 1, m - 1) >= v(x, w, m - 1),
 *
 * with v at this price for all m workers to come (heuristics/bounds/priced_delayed.h). It depends
 * on the posterior, the workers at work on the instance and the workers to come.
 *
 * v is a convex piecewise linear function of the price; all these functions are computed in
 * doubles, for each class of dp/families/delayed_layers.h. So equivalent instances, including
 * mirror images, have the same index, the same bits and the same rank. Indices that differ by at
 * most OG_DELAYED_TIE of the largest D also share a rank: a tolerance of hundreds of times the
 * expected rounding error, but not a proved bound.
 */
#define OG_DELAYED_TIE 1e-9

typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    og_delayed_layers *layers;
    size_t *first;           /* [U + 1] position of a layer's first class among all classes */
    double *index;           /* by class */
    uint32_t *rank;          /* by class: larger for a larger index, comparable between layers */
    uint64_t tolerance_ties; /* neighbours in order with different doubles and the same rank */
} og_delayed_index;

/* U is the arms' budget; with og_delay.most arms may be less deep. OG_STOPPED if use->stop ends it;
 * OG_NO_MEMORY with a message if the tables exceed use->memory_bytes. They take some hundred bytes
 * for each of the U^4 / 24 classes, of half as many with mirror images. */
og_status og_delayed_index_new(const og_arms *arms, const og_delay *delay, const og_policy_use *use,
                               og_delayed_index **out, og_message *message);
void og_delayed_index_free(og_delayed_index *index); /* NULL is fine */

/* The index of an instance with `left` >= 1 workers to come, including the one who has just
 * arrived. */
double og_delayed_index_at(const og_delayed_index *index, int32_t arm, uint32_t node,
                           int32_t at_work, int32_t left);
uint32_t og_delayed_index_rank(const og_delayed_index *index, int32_t arm, uint32_t node,
                               int32_t at_work, int32_t left);

#endif
