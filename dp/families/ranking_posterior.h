#ifndef OG_DP_FAMILIES_RANKING_POSTERIOR_H
#define OG_DP_FAMILIES_RANKING_POSTERIOR_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * Items with scores theta > 0 that have a Dirichlet prior; a comparison of i and j is won by i with
 * probability theta_i / (theta_i + theta_j) (Chen, Jiao, Lin 2016, reliable workers). What has been
 * seen is told by how often each item won and how often each pair was compared: counts with the
 * same of both are one state, although other pairs may have won.
 *
 * Masses are integrals of prior times likelihood over one order of the scores at a time, in the
 * ratios of neighbours: every factor is positive, nothing cancels, and the integrand is analytic on
 * the closed cube, so that Gauss and Jacobi's rule converges geometrically.
 */
enum {
    OG_RANKING_ITEMS_MAX = 6,
    OG_RANKING_PAIRS_MAX = OG_RANKING_ITEMS_MAX * (OG_RANKING_ITEMS_MAX - 1) / 2,
    OG_RANKING_LABELS_MAX = 255, /* comparisons so far and to come, all together */
    OG_RANKING_NODES_MAX = 128,  /* of a coordinate */
};

/* Comparisons so far: pair (i, j), i < j, is number og_ranking_pair(items, i, j). */
typedef struct {
    uint8_t wins[OG_RANKING_ITEMS_MAX];
    uint8_t compared[OG_RANKING_PAIRS_MAX];
} og_ranking_counts;

static inline int32_t og_ranking_pair(int32_t items, int32_t i, int32_t j)
{
    return i * (2 * items - i - 1) / 2 + j - i - 1;
}

/* Owned by the structure, never changed: any number of threads may read it. */
typedef struct {
    og_arena arena;
    int32_t items; /* 2 .. OG_RANKING_ITEMS_MAX */
    int32_t pairs;
    double prior[OG_RANKING_ITEMS_MAX]; /* Dirichlet parameters, > 0 */
    int32_t labels;                     /* no state has more */
    int32_t nodes;                      /* of a coordinate, a multiple of 4 */
    double error; /* relative, of every mass: the difference to twice the nodes at the states that
                     are hardest; estimated, not proved */
    double scale; /* 1 / the integral without labels */
    uint64_t bytes;
    int32_t order_count;          /* items! */
    uint8_t *order;               /* [order_count * items] the best first */
    int32_t *rule_of;             /* [order_count] */
    struct og_ranking_rule *rule; /* private: the tables, one set for each different priors in order
                                   */
} og_ranking_posterior;

/*
 * The rule that is good to 1e-12 for up to `labels` comparisons, or to what rounding allows.
 * OG_STOPPED with a message where it takes more than OG_RANKING_NODES_MAX nodes a coordinate, or
 * tables of more than memory_bytes. OG_NO_MEMORY.
 */
og_status og_ranking_posterior_init(og_ranking_posterior *posterior, const double *prior,
                                    int32_t items, int32_t labels, uint64_t memory_bytes,
                                    og_message *message);
void og_ranking_posterior_clear(og_ranking_posterior *posterior); /* a zeroed one is fine */

/*
 * above[i * items + j], [items * items]: probability that item i has the larger score and one
 * sequence of outcomes with these counts comes about, for i /= j. Returns the probability of the
 * sequence. Takes items! * nodes^(items - 1) steps.
 */
double og_ranking_masses(const og_ranking_posterior *posterior, const og_ranking_counts *counts,
                         double *above);

/* The largest sum of above[i, j] over "i stands above j" of a ranking; divided by the number of
 * pairs, so that a mass comes out. */
double og_ranking_best(int32_t items, const double *above);

/* The same of the ranking by these scores, equal ones counting one half: scores are equal if they
 * are so to 1e-10 of the larger. */
double og_ranking_score(int32_t items, const double *above, const double *score);

#endif
