#ifndef OG_BENCH_RECORDED_NEXT_PAIRS_H
#define OG_BENCH_RECORDED_NEXT_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"
#include "bench/recorded/pairs.h"

/*
 * The belief about a ranking after recorded comparisons (bench/recorded/pairs_belief.h), and the
 * pairs to compare next.
 */

typedef struct {
    uint32_t item[2]; /* the smaller number first */
    uint32_t worker;  /* who should compare them, if workers have a prior */
    double index;     /* akg: the expected rise of the share of pairs in order; distance: minus the
                         distance of the scores */
} og_next_pair;

typedef struct {
    og_arena arena;
    double *score; /* [items] their sum is 1 */
    double sum;    /* of the parameters of a Dirichlet with these scores; NAN: too many items */
    double *above_next; /* [items] probability that the item at this place beats the next; 1/2 for
                           the last. NAN: too many items */
    bool nearest;       /* by distance, not by akg */
    double *worker;     /* [workers][2] posteriors, if they have a prior */
    uint32_t *ranking;  /* [items] best first */
    double sorted; /* expected share of pairs that this ranking has in the right order; NAN: too
                      many items */
    bool settled;  /* false: the belief about workers is not final */
    og_next_pair *pair; /* [count] best first */
    int32_t count;
} og_pairs_plan;

/*
 * Find the pairs that the policy of a question with an og_batch ranks first, each once; with
 * final_calls none. Without a policy it is akg, or distance for more than OG_RANKING_PLAYED_MAX
 * items. akg uses the Dirichlet of the belief. With a prior of workers, a pair goes to the worker
 * who is least likely to be a coin among those who have not compared it: the belief depends on a
 * worker only through the probability of being right, and a coin tells nothing.
 *
 * in_order: the belief is that of the policies in place of the other one, a Dirichlet after one
 * comparison after another in their order (heuristics/families/ranking_belief.h).
 *
 * OG_BAD_INPUT with a message: too many items for akg or for workers; OG_FAILED: a parameter leaves
 * the range of doubles; OG_NO_MEMORY; OG_STOPPED. *out is written on success only; clear it with
 * og_pairs_plan_clear.
 */
og_status og_pairs_plan_find(const og_asked *asked, const og_pairs *pairs,
                             const og_pairs_prior *prior, bool in_order, og_pairs_plan *out,
                             og_message *message);
void og_pairs_plan_clear(og_pairs_plan *plan); /* a zeroed one is fine */

#endif
