#ifndef OG_DP_FAMILIES_RANKING_RULE_H
#define OG_DP_FAMILIES_RANKING_RULE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/families/ranking_posterior.h"

/*
 * Points of integration and the tables at them (private to dp/families/). A place is a position in
 * an order, place 0 being the best; the ratio of the scores of places k and k + 1 is coordinate k.
 * Over all nodes the last coordinate is the fastest.
 */
enum { OG_RANKING_LANES = 4 }; /* the number of nodes of the last coordinate is a multiple of it */

struct og_ranking_rule {
    double below[OG_RANKING_ITEMS_MAX - 1];  /* A_k */
    double *node[OG_RANKING_ITEMS_MAX - 1];  /* [nodes] */
    double *power[OG_RANKING_ITEMS_MAX - 1]; /* [labels + 1][nodes] weight of the node times r^e */
    double *factor[OG_RANKING_ITEMS_MAX]
                  [OG_RANKING_ITEMS_MAX]; /* p < q: [labels + 1][points of p .. q - 1] */
    double *base;                         /* [points] (sum x)^-A0 */

    /* Sums over the last coordinate: [posterior->kept][points of the others], by what happened to
     * the item at the last place. Each is written once, by the first thread that needs it: `made`
     * tells how far it is. NULL: no room. */
    double *sum;
    _Atomic uint8_t *made; /* [posterior->kept] */

    /* With workers only, [points]: the product of base and weights, and the probability that the
     * item at place p wins against that at place q. */
    double *weight;
    double *chance[OG_RANKING_ITEMS_MAX][OG_RANKING_ITEMS_MAX]; /* p /= q */
};

/* Number of nodes of coordinates p .. q - 1, all together. */
static inline size_t og_ranking_points(const og_ranking_posterior *posterior, int32_t p, int32_t q)
{
    size_t size = 1;
    for (int32_t k = p; k < q; k++) {
        size *= (size_t)posterior->nodes[k];
    }
    return size;
}

/* x_q / x_p at one of the points of coordinates p .. q - 1. */
static inline double og_ranking_ratio(const og_ranking_posterior *posterior,
                                      const struct og_ranking_rule *rule, int32_t p, int32_t q,
                                      size_t point)
{
    double ratio = 1;
    for (int32_t k = q - 1; k >= p; k--) {
        ratio *= rule->node[k][point % (size_t)posterior->nodes[k]];
        point /= (size_t)posterior->nodes[k];
    }
    return ratio;
}

/*
 * The number of nodes of a coordinate such that its rule has an error of at most `wanted` in every
 * integral, whatever the answers; *error is the proved bound for that number. `below` is the prior
 * of the items after place k, up to `labels` comparisons. 0: more than OG_RANKING_NODES_MAX.
 */
int32_t og_ranking_nodes_needed(const og_ranking_prior *prior, int32_t labels, int32_t k,
                                double below, double wanted, double *error);

/* The rule of `count` points for the weight x^(below - 1) on [0,1], each number rounded to nearest.
 * OG_FAILED if the roots are not found, OG_NO_MEMORY. */
og_status og_ranking_nodes(double below, int32_t count, double *node, double *weight);

/* Workers of unknown reliability: the size of their tables of one rule, 0 without workers; these
 * tables, OG_NO_MEMORY; and the mass of one order. */
double og_ranking_crowd_numbers(const og_ranking_posterior *posterior);
/* Checks the stop between two pairs of places; it may be NULL. */
og_status og_ranking_crowd_tables(og_ranking_posterior *posterior, struct og_ranking_rule *rule,
                                  og_stop *stop);
double og_ranking_crowd_mass(const og_ranking_posterior *posterior, int32_t which,
                             const og_ranking_counts *counts);

#endif
