#ifndef OG_HEURISTICS_FAMILIES_RANKING_TINY_H
#define OG_HEURISTICS_FAMILIES_RANKING_TINY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parameters of a ranking's belief below the range of doubles. A parameter is carried as itself
 * where it is a normal double, and below them as its logarithm to base 2, which is negative: so any
 * two stand in order, and are equal where the parameters are. A logarithm L tells its parameter to
 * a relative 2^-53 |L|.
 */

/* The parameter as a double: a tiny one is 0. */
double og_ranking_plain(double parameter);

/* x / (x + y). */
double og_ranking_share(double x, double y);

/* As og_ranking_match, of any such parameters, but leaves the worker as he is: favoured[2] are the
 * chances that the winner, and that the loser, was the better one. False, with a as it was, where a
 * parameter is too large for a double, or its logarithm below -2^40. */
bool og_ranking_match_tiny(double *a, int32_t items, const double *worker, int32_t winner,
                           int32_t loser, double favoured[2]);

#endif
