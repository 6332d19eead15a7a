#ifndef OG_HEURISTICS_FAMILIES_RANKING_TINY_H
#define OG_HEURISTICS_FAMILIES_RANKING_TINY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parameters of a ranking's belief below the range of doubles. A parameter is stored unchanged if
 * it is a normal double, and as its logarithm to base 2, a negative number, if it is smaller. So
 * stored numbers have the order of the parameters, and are equal if the parameters are. A logarithm
 * L determines its parameter to a relative 2^-53 |L|.
 */

/* The parameter as a double: a tiny one is 0. */
double og_ranking_plain(double parameter);

/* x / (x + y). */
double og_ranking_share(double x, double y);

/* Like og_ranking_match, for all such parameters, but does not update the worker: favoured[2] are
 * the probabilities that the winner, and that the loser, was the better one; without a worker they
 * are given, 1 and 0 if the comparison is right. False, with a unchanged, if a parameter is too
 * large for a double, or its logarithm is below -2^40. */
bool og_ranking_match_tiny(double *a, int32_t items, const double *worker, int32_t winner,
                           int32_t loser, double favoured[2]);

#endif
