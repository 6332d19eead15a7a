#ifndef OG_HEURISTICS_BOUNDS_SOURCES_BOUND_H
#define OG_HEURISTICS_BOUNDS_SOURCES_BOUND_H

#include "dp/arm/sources.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/bound.h"

/*
 * The Lagrangian bound of labels that are bought from sources (dp/arm/sources.h), for any number of
 * instances and units. For every price z >= 0 of a unit
 *
 *   V <= z T + sum over instances of W_T(p),
 *   W_n(p) = max(p, 1 - p, max over sources j that cost at most n of
 *                -z price_j + sum over labels y of Pr(y) W_(n - price_j)(p after y)),
 *
 * p being the chance that the instance is positive, and W also a function of the labels that a
 * source with a limit has given. W_n is convex in p, so what lies between two points of a grid is
 * at most on the line between them [Lovejoy, "Computationally feasible bounds for partially
 * observed Markov decision processes", Operations Research 39 (1991)]: all W of one price come from
 * one table, whatever the priors, and nothing grows with the posteriors that can be met. Posteriors
 * after few labels are points of the grid, so that the bound of a small problem is the exact one
 * but for rounding. A limit on labels is forgotten where the tables would be too large, which
 * leaves a valid bound.
 *
 * A group's Beta(a, b) says that an instance is positive with chance a / (a + b); groups and
 * sources pass their checks. value holds the error, which is proved; one price. OG_NO_MEMORY, or
 * OG_STOPPED if `stop` says so. Takes some seconds at most on one core, whatever the numbers.
 */
og_status og_bound_sources(const og_groups *problem, const og_sources *sources, og_stop *stop,
                           og_upper_bound *out);

#endif
