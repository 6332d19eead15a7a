#ifndef OG_BENCH_RECORDED_NEXT_PAIRS_H
#define OG_BENCH_RECORDED_NEXT_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/pairs.h"

/*
 * The belief about a ranking after recorded comparisons, in the order of the file
 * (heuristics/families/ranking_belief.h), and the pairs to compare next. A draw is half a win for
 * each of its items (og_ranking_draw).
 */
typedef struct {
    double prior;     /* A > 0 of every item */
    double worker[2]; /* C, D of every worker; 0, 0: workers are always right */
    bool nearest;     /* distance in place of akg; without workers */
    int32_t batch;    /* pairs wanted, >= 0 */
    uint64_t seed;    /* for ties */
    const og_settings *settings;
} og_pairs_request;

typedef struct {
    uint32_t item[2]; /* the smaller number first */
    uint32_t worker;  /* who should compare them, if workers have a prior */
    double index;     /* akg: the expected rise of `sorted`; distance: minus the distance */
} og_next_pair;

typedef struct {
    og_arena arena;
    double *score;      /* [items] parameters of the Dirichlet, each over their sum */
    double sum;         /* of these parameters */
    double *above_next; /* [items] probability that the item at this place beats the next; 1/2 for
                           the last */
    double *worker;     /* [workers][2] posteriors, if they have a prior */
    uint32_t *ranking;  /* [items] best first */
    double sorted;      /* expected share of pairs that this ranking has in the right order */
    og_next_pair *pair; /* [count] best first */
    int32_t count;
} og_pairs_plan;

/*
 * Find the pairs that the policy ranks first, each once. With a prior of workers, a pair goes to
 * the worker who is least likely to be a coin among those who have not compared it: the belief
 * depends on a worker only through the probability of being right, and a coin tells nothing.
 * OG_BAD_INPUT with a message: more than OG_RANKING_PLAYED_MAX items, or `nearest` with workers;
 * OG_FAILED: a parameter leaves the range of doubles; OG_NO_MEMORY; OG_STOPPED. *out is written on
 * success only; clear it with og_pairs_plan_clear.
 */
og_status og_pairs_plan_find(const og_pairs *pairs, const og_pairs_request *request,
                             og_pairs_plan *out, og_message *message);
void og_pairs_plan_clear(og_pairs_plan *plan); /* a zeroed one is fine */

#endif
