#ifndef OG_DP_FAMILIES_RANKING_POSTERIOR_H
#define OG_DP_FAMILIES_RANKING_POSTERIOR_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Items with scores theta > 0 that have a Dirichlet prior; a comparison of i and j is won by i with
 * probability theta_i / (theta_i + theta_j) (Chen, Jiao, Lin 2016). Without workers anybody tells
 * who won. Worker w of unknown reliability does so with probability rho_w ~ Beta(mu_w, nu_w), and
 * else names the other; he compares a pair once at most.
 *
 * What has been seen without workers is told by how often each item won and how often each pair was
 * compared: counts with the same of both are one state, although other pairs may have won.
 *
 * Masses are integrals of prior times likelihood over one order of the scores at a time, in the
 * ratios of neighbours: every factor is positive, nothing cancels, and the integrand is analytic on
 * the closed cube, so that Gauss and Jacobi's rule converges geometrically.
 */
enum {
    OG_RANKING_ITEMS_MAX = 6,
    OG_RANKING_PAIRS_MAX = OG_RANKING_ITEMS_MAX * (OG_RANKING_ITEMS_MAX - 1) / 2,
    OG_RANKING_WORKERS_MAX = 8,
    OG_RANKING_LABELS_MAX = 255, /* comparisons so far and to come, all together */
    OG_RANKING_NODES_MAX = 128,  /* of a coordinate */
};

/* What is believed without any comparison. */
typedef struct {
    int32_t items;                            /* 2 .. OG_RANKING_ITEMS_MAX */
    double item[OG_RANKING_ITEMS_MAX];        /* Dirichlet parameters, > 0 */
    int32_t workers;                          /* 0: anybody tells who won */
    double worker[OG_RANKING_WORKERS_MAX][2]; /* mu, nu > 0 */
} og_ranking_prior;

/* Comparisons so far: pair (i, j), i < j, is number og_ranking_pair(items, i, j). */
typedef struct {
    uint8_t wins[OG_RANKING_ITEMS_MAX]; /* these two are 0 with workers, */
    uint8_t compared[OG_RANKING_PAIRS_MAX];
    uint32_t said[OG_RANKING_WORKERS_MAX]; /* and this without: two bits of each pair, by worker */
} og_ranking_counts;

/* The same of (i, j) and (j, i). */
static inline int32_t og_ranking_pair(int32_t items, int32_t i, int32_t j)
{
    int32_t low = i < j ? i : j, high = i < j ? j : i;
    return low * (2 * items - low - 1) / 2 + high - low - 1;
}

/* What a worker said of a pair i < j. */
typedef enum { OG_RANKING_UNASKED, OG_RANKING_FIRST, OG_RANKING_SECOND } og_ranking_said;

static inline og_ranking_said og_ranking_answer(const og_ranking_counts *counts, int32_t worker,
                                                int32_t pair)
{
    return (og_ranking_said)(counts->said[worker] >> 2 * pair & 3);
}

/* One more comparison, which the winner won as this worker says; he is not looked at where there
 * are none. */
void og_ranking_add(const og_ranking_prior *prior, og_ranking_counts *counts, int32_t winner,
                    int32_t loser, int32_t worker);

/* Owned by the structure, never changed: any number of threads may read it. */
typedef struct {
    og_arena arena;
    og_ranking_prior prior;
    int32_t pairs;
    int32_t labels;                          /* no state has more */
    int32_t nodes[OG_RANKING_ITEMS_MAX - 1]; /* of each coordinate */
    double error; /* relative, of every mass, proved (ranking_error.c), rounding included */
    double scale; /* 1 / the integral without labels */
    uint64_t bytes;
    int32_t order_count;          /* items! */
    uint8_t *order;               /* [order_count * items] the best first */
    int32_t *rule_of;             /* [order_count] */
    struct og_ranking_rule *rule; /* private: the tables, one set for each different priors in order
                                   */
} og_ranking_posterior;

/*
 * The rule that is proved to be good to 1e-13 a coordinate for up to `labels` comparisons, rounding
 * apart. Parameters are what their doubles are. OG_STOPPED with a message where it takes more than
 * OG_RANKING_NODES_MAX nodes a coordinate, or tables of more than memory_bytes; OG_FAILED where the
 * points of integration are not found; OG_NO_MEMORY. OG_STOPPED too where the stop says so (NULL:
 * nobody), which og_ranking_stopped tells from the other.
 */
og_status og_ranking_posterior_init(og_ranking_posterior *posterior, const og_ranking_prior *prior,
                                    int32_t labels, uint64_t memory_bytes, og_stop *stop,
                                    og_message *message);
void og_ranking_posterior_clear(og_ranking_posterior *posterior); /* a zeroed one is fine */

/*
 * above[i * items + j], [items * items]: probability that item i has the larger score and one
 * sequence of outcomes with these counts comes about, for i /= j. Returns the probability of the
 * sequence. Takes items! * nodes^(items - 1) steps, with workers for each the square of what they
 * said.
 */
double og_ranking_masses(const og_ranking_posterior *posterior, const og_ranking_counts *counts,
                         double *above);

/* The same; asked between two orders, and stopped the masses mean nothing. */
double og_ranking_masses_until(const og_ranking_posterior *posterior,
                               const og_ranking_counts *counts, og_stop *stop, double *above);

/* OG_STOPPED with a message where the stop ended the work, else OG_OK. */
og_status og_ranking_stopped(const og_stop *stop, og_message *message);

/* The largest sum of above[i, j] over "i stands above j" of a ranking; divided by the number of
 * pairs, so that a mass comes out. */
double og_ranking_best(int32_t items, const double *above);

/* The same of the ranking by these scores, equal ones counting one half: scores are equal if they
 * are so to 1e-10 of the larger. */
double og_ranking_score(int32_t items, const double *above, const double *score);

#endif
