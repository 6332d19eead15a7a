#ifndef OG_DP_FAMILIES_RANKING_POSTERIOR_H
#define OG_DP_FAMILIES_RANKING_POSTERIOR_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Items with scores theta > 0 that have a Dirichlet prior; i wins a comparison of i and j with
 * probability theta_i / (theta_i + theta_j) (Chen, Jiao, Lin 2016). Without workers every answer is
 * the winner. Worker w of unknown reliability names the winner with probability rho_w ~ Beta(mu_w,
 * nu_w), and the other item otherwise; a worker compares a pair at most once.
 *
 * Without workers, the number of wins of each item and the number of comparisons of each pair
 * determine the posterior: counts that agree in both are one state, even if other pairs won.
 *
 * Masses are integrals of prior times likelihood over one order of the scores at a time, in the
 * ratios of neighbours. Every factor is positive, nothing cancels, and the integrand is analytic on
 * the closed cube, so the Gauss-Jacobi rule converges geometrically.
 */
enum {
    OG_RANKING_ITEMS_MAX = 6,
    OG_RANKING_PAIRS_MAX = OG_RANKING_ITEMS_MAX * (OG_RANKING_ITEMS_MAX - 1) / 2,
    OG_RANKING_WORKERS_MAX = 8,
    OG_RANKING_LABELS_MAX = 255, /* comparisons so far and to come, all together */
    OG_RANKING_NODES_MAX = 128,  /* of a coordinate */
};

/* The prior, before any comparison. */
typedef struct {
    int32_t items;                            /* 2 .. OG_RANKING_ITEMS_MAX */
    double item[OG_RANKING_ITEMS_MAX];        /* Dirichlet parameters, > 0 */
    int32_t workers;                          /* 0: every answer is the winner */
    double worker[OG_RANKING_WORKERS_MAX][2]; /* mu, nu > 0 */
} og_ranking_prior;

/* Comparisons so far: pair (i, j), i < j, is number og_ranking_pair(items, i, j). */
typedef struct {
    uint8_t wins[OG_RANKING_ITEMS_MAX]; /* these two are 0 with workers, */
    uint8_t compared[OG_RANKING_PAIRS_MAX];
    uint32_t said[OG_RANKING_WORKERS_MAX]; /* and this without: two bits for each pair, by worker */
} og_ranking_counts;

/* The same of (i, j) and (j, i). */
static inline int32_t og_ranking_pair(int32_t items, int32_t i, int32_t j)
{
    int32_t low = i < j ? i : j, high = i < j ? j : i;
    return low * (2 * items - low - 1) / 2 + high - low - 1;
}

/* A worker's answer for a pair i < j. */
typedef enum { OG_RANKING_UNASKED, OG_RANKING_FIRST, OG_RANKING_SECOND } og_ranking_said;

static inline og_ranking_said og_ranking_answer(const og_ranking_counts *counts, int32_t worker,
                                                int32_t pair)
{
    return (og_ranking_said)(counts->said[worker] >> 2 * pair & 3);
}

/* Adds a comparison that this worker says the winner won; without workers, `worker` is ignored. */
void og_ranking_add(const og_ranking_prior *prior, og_ranking_counts *counts, int32_t winner,
                    int32_t loser, int32_t worker);

/* Owned by the structure: any number of threads may ask for masses, whose bits do not depend on
 * them. */
typedef struct {
    og_arena arena;
    og_ranking_prior prior;
    int32_t pairs;
    int32_t labels;                          /* largest number in any state */
    int32_t nodes[OG_RANKING_ITEMS_MAX - 1]; /* of each coordinate */
    double error; /* relative, of every mass, proved (ranking_error.c), including rounding */
    double scale; /* 1 / the integral without labels */
    uint64_t bytes;
    size_t kept;         /* sums over the last coordinate for which a rule has room; 0: none */
    int32_t order_count; /* items! */
    uint8_t *order;      /* [order_count * items] the best first */
    int32_t *rule_of;    /* [order_count] */
    struct og_ranking_rule *rule; /* private: the tables, one set for each different sequence of
                                   * priors */
} og_ranking_posterior;

/*
 * The rule with a proved error of 1e-13 a coordinate for up to `labels` comparisons, without
 * rounding. Parameters are taken as exact doubles. OG_STOPPED with a message if it takes more than
 * OG_RANKING_NODES_MAX nodes a coordinate, or tables of more than memory_bytes; OG_FAILED if the
 * points of integration are not found; OG_NO_MEMORY. OG_STOPPED also if the stop (may be NULL) ends
 * the work; og_ranking_stopped distinguishes the two.
 */
og_status og_ranking_posterior_init(og_ranking_posterior *posterior, const og_ranking_prior *prior,
                                    int32_t labels, uint64_t memory_bytes, og_stop *stop,
                                    og_message *message);
void og_ranking_posterior_clear(og_ranking_posterior *posterior); /* a zeroed one is fine */

/*
 * above[i * items + j], [items * items]: probability that item i has the larger score and one
 * sequence of outcomes with these counts occurs, for i /= j. Returns the probability of the
 * sequence. Takes items! * nodes^(items - 2) steps, and nodes^(items - 1) once for what happened to
 * the last item, if there is room; with workers items! * nodes^(items - 1), multiplied by the
 * squares of their numbers of answers.
 */
double og_ranking_masses(const og_ranking_posterior *posterior, const og_ranking_counts *counts,
                         double *above);

/* The same, but checks the stop between two orders; if stopped, the masses are undefined. */
double og_ranking_masses_until(const og_ranking_posterior *posterior,
                               const og_ranking_counts *counts, og_stop *stop, double *above);

/* OG_STOPPED with a message if the stop ended the work, else OG_OK. */
og_status og_ranking_stopped(const og_stop *stop, og_message *message);

/* The largest sum, over all rankings, of above[i, j] for i above j in the ranking, divided by the
 * number of pairs, so that the result is a mass. */
double og_ranking_best(int32_t items, const double *above);

/* The same for the ranking by these scores, equal ones counting one half: scores are equal if they
 * differ by at most 1e-10 of the larger. */
double og_ranking_score(int32_t items, const double *above, const double *score);

#endif
