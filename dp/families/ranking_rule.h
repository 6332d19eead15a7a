#ifndef OG_DP_FAMILIES_RANKING_RULE_H
#define OG_DP_FAMILIES_RANKING_RULE_H

#include <stddef.h>

#include "dp/families/ranking_posterior.h"

/*
 * Points of integration and what is looked up at them (private to dp/families/). A place is one in
 * an order, the best is place 0; the ratio of the scores of places k and k + 1 is coordinate k.
 * Over all nodes the last coordinate is the fastest.
 */
enum { OG_RANKING_LANES = 4 }; /* the nodes of a coordinate are a multiple */

struct og_ranking_rule {
    double below[OG_RANKING_ITEMS_MAX - 1];  /* A_k */
    double *power[OG_RANKING_ITEMS_MAX - 1]; /* [labels + 1][nodes] weight of the node times r^e */
    double *factor[OG_RANKING_ITEMS_MAX]
                  [OG_RANKING_ITEMS_MAX]; /* p < q: [labels + 1][nodes^(q - p)] */
    double *base;                         /* [nodes^(items - 1)] (sum x)^-A0 */

    /* With workers only, [nodes^(items - 1)]: the product of base and weights, and the chance that
     * the item at place p wins against that at place q. */
    double *weight;
    double *chance[OG_RANKING_ITEMS_MAX][OG_RANKING_ITEMS_MAX]; /* p /= q */
};

static inline size_t og_ranking_power(int32_t nodes, int32_t exponent)
{
    size_t size = 1;
    for (int32_t i = 0; i < exponent; i++) {
        size *= (size_t)nodes;
    }
    return size;
}

/* Workers of unknown reliability: how many numbers their tables of one rule hold, 0 without
 * workers; these tables, OG_NO_MEMORY, node[items - 1][nodes]; and the mass of one order. */
double og_ranking_crowd_numbers(const og_ranking_posterior *posterior);
og_status og_ranking_crowd_tables(og_ranking_posterior *posterior, struct og_ranking_rule *rule,
                                  const double *node);
double og_ranking_crowd_mass(const og_ranking_posterior *posterior, int32_t which,
                             const og_ranking_counts *counts);

#endif
