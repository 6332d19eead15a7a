#ifndef OG_HEURISTICS_FAMILIES_RANKING_BELIEF_H
#define OG_HEURISTICS_FAMILIES_RANKING_BELIEF_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An approximate posterior of a ranking: scores have a Dirichlet, a[items], and each worker has a
 * Beta, worker = {mu, nu}, for the probability of reporting the winner and not the loser. After a
 * comparison all means and the sum of second moments match those of the exact update (Chen, Jiao,
 * Lin 2016, section 4). Tiny parameters keep all digits. Parameters are > 0 and finite; those of
 * items below the range of doubles are stored as logarithms (ranking_tiny.h).
 */

/*
 * Updates a and worker[2] after the report that `winner` won against `loser`; worker NULL: the
 * worker is always right. False if a parameter is too large, a worker's parameter leaves the range
 * of doubles or a logarithm is below -2^40; then the belief must not be used. Takes O(items).
 */
bool og_ranking_match(double *a, int32_t items, double *worker, int32_t winner, int32_t loser);

/* The same for a draw: the belief becomes the mixture of those after a win of each of the two,
 * with the weight 1/2 each. It tells nothing about the worker. */
bool og_ranking_draw(double *a, int32_t items, int32_t i, int32_t j);

/* The probability that this worker (NULL: one who is always right) reports that `winner` won. */
double og_ranking_chance(const double *a, const double *worker, int32_t winner, int32_t loser);

/* Fills above[count]: the probability that an item with parameter x[k] has a larger score than one
 * with y[k]. This is the probability that Beta(x, y) is above 1/2, which is x / (x + y) to 1e-290
 * if one of them is below the range of doubles. No bit depends on the other entries. */
void og_ranking_above(const double *x, const double *y, int32_t count, double *above);

/* The expected share of pairs in correct order if items with this Dirichlet are sorted by its
 * parameters. */
double og_ranking_sorted(const double *a, int32_t items);

/* A worker (NULL: one who is always right) is asked about items i and j under the belief a[items].
 */
typedef struct {
    const double *a;
    int32_t items;
    const double *worker;
    int32_t i, j;
} og_ranking_match_up;

/* sorted[0] is og_ranking_sorted after this worker reports that i won against j; sorted[1] after
 * the report that j won. after[items] is scratch space. False as og_ranking_match. */
bool og_ranking_outcomes(const og_ranking_match_up *match, double *after, double sorted[2]);

/*
 * The expected rise of og_ranking_sorted, `now`, from asking a worker about i and j (akg). It can
 * be negative, and is exactly 0 for a worker with mu = nu, who is uninformative. after[items] is
 * scratch space. NAN if a belief leaves the range of doubles.
 */
double og_ranking_rise(const og_ranking_match_up *match, double now, double *after);

#endif
