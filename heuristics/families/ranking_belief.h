#ifndef OG_HEURISTICS_FAMILIES_RANKING_BELIEF_H
#define OG_HEURISTICS_FAMILIES_RANKING_BELIEF_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What stands in for the posterior of a ranking: scores have a Dirichlet, a[items], and each worker
 * a Beta of his own, worker = {mu, nu}, that he tells who won as it was and not the opposite. After
 * a comparison all means and the sum of second moments are those of the exact belief (Chen, Jiao,
 * Lin 2016, section 4). No digits are lost where a parameter is tiny. Parameters are > 0 and
 * finite; items' below the range of doubles are told by their logarithms (ranking_tiny.h).
 */

/*
 * The belief after `winner` is said to have won against `loser`, a and worker[2] replaced; worker
 * NULL: one who is always right. False if a parameter is too large, a worker's leaves the range of
 * doubles or a logarithm is below -2^40: the belief must not be used then.
 * Takes O(items).
 */
bool og_ranking_match(double *a, int32_t items, double *worker, int32_t winner, int32_t loser);

/* The chance that this worker, or one who is always right, says that `winner` won. */
double og_ranking_chance(const double *a, const double *worker, int32_t winner, int32_t loser);

/* above[count]: has an item with x[count] a larger score than one with y[count]? Beta(x, y) has
 * more than 1/2 with this chance, which is x / (x + y) to 1e-290 where one is below the range of
 * doubles. No bit depends on what else is asked for. */
void og_ranking_above(const double *x, const double *y, int32_t count, double *above);

/* The expected share of pairs that stand right if items with this Dirichlet are sorted by it. */
double og_ranking_sorted(const double *a, int32_t items);

/* sorted[0]: og_ranking_sorted once this worker, NULL: one who is always right, has said that i won
 * against j; sorted[1]: that j did. after[items] is room. False as og_ranking_match. */
bool og_ranking_outcomes(const double *a, int32_t items, const double *worker, int32_t i, int32_t j,
                         double *after, double sorted[2]);

/*
 * The expected rise of og_ranking_sorted, `now`, by asking a worker about i and j (akg): it can be
 * negative, and is exactly 0 of a worker with mu = nu, who says nothing. after[items] is room. NAN
 * if a belief leaves the range of doubles.
 */
double og_ranking_rise(const double *a, int32_t items, const double *worker, int32_t i, int32_t j,
                       double now, double *after);

#endif
