#ifndef OG_DP_FAMILIES_RANKING_H
#define OG_DP_FAMILIES_RANKING_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/engine/solution.h"
#include "dp/families/ranking_posterior.h"

/*
 * Ranking by comparisons (Chen, Jiao, Lin 2016), with reliable workers or some of unknown
 * reliability. Each comparison is of any pair, by any worker who has not compared it. After the
 * last one the items are put in an order, and the value is the expected share of pairs in the order
 * of their scores, from 0 to 1.
 */
typedef struct {
    og_ranking_posterior posterior;
    og_ranking_counts start; /* comparisons before the root */
    int32_t had;             /* of them */
    int32_t budget;          /* comparisons to give */
    double mass;             /* of `start` */
    double prior;            /* expected share without another comparison */
} og_ranking;

/* Number of comparisons possible of `left`, after `had`: each worker compares a pair once. */
int32_t og_ranking_labels(const og_ranking_prior *prior, int32_t had, int32_t left);

/*
 * `start` has the comparisons already made, a sequence of `had`; `budget` more can be made
 * (og_ranking_labels). As og_ranking_posterior_init.
 */
typedef struct {
    const og_ranking_counts *start;
    int32_t had, budget;
} og_ranking_told;
og_status og_ranking_new(const og_ranking_prior *prior, const og_ranking_told *told,
                         uint64_t memory_bytes, og_stop *stop, og_ranking **out,
                         og_message *message);
void og_ranking_free(og_ranking *ranking); /* NULL is fine */

/* Proved relative error of a value with so many comparisons to come, from the integrals and the
 * rounding of sums. */
double og_ranking_error(const og_ranking *ranking);

/*
 * The data that a policy sees (og_model.state). An act is {i, j, worker}, i < j, with worker 0 if
 * there are none; an answer is 1 if i won, 0 if j did; decision[items] are scores to sort by, equal
 * ones counting one half. Records of a belief are those of the items, then those of the workers.
 */
typedef struct {
    const og_ranking *ranking;
    int32_t left;
    const og_ranking_counts *counts;
} og_ranking_state;

/*
 * The model for a question. Values are multiplied by the probability of a state, and nothing is
 * divided: every outcome has probability 1, and a value at the root counts `mass` times. States are
 * the wins of the items and the comparisons of the pairs, or the answers of the workers, up to the
 * names of equal items and of equal workers (OG_REDUCE_SORT). Final states are stored too if no
 * strategy makes the final calls and OG_REDUCE_MERGE is set. Borrows the ranking; OG_NO_MEMORY.
 */
og_status og_ranking_model(const og_ranking *ranking, const og_value_asked *question,
                           og_model *out);

#endif
