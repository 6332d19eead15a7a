#ifndef OG_HEURISTICS_BOUNDS_SOURCES_BOUND_H
#define OG_HEURISTICS_BOUNDS_SOURCES_BOUND_H

#include "dp/arm/sources.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/bound.h"

/*
 * The Lagrangian bound for labels that are bought from sources (dp/arm/sources.h), for any number
 * of instances and units. For every price z >= 0 of a unit
 *
 *   V <= z T + sum over instances of W_T(p),
 *   W_n(p) = max(p, 1 - p, max over sources j that cost at most n of
 *                -z price_j + sum over labels y of Pr(y) W_(n - price_j)(p after y)),
 *
 * where p is the probability that the instance is positive. If a source has a limit, W also depends
 * on the labels that it has given. W_n is convex in p, so between two points of a grid it is at
 * most on the line between them [Lovejoy, "Computationally feasible bounds for partially observed
 * Markov decision processes", Operations Research 39 (1991)]. So all W of one price come from one
 * table, for all priors, and the cost does not grow with the number of possible posteriors.
 * Posteriors after few labels are points of the grid, so for small problems the bound is exact up
 * to rounding. A limit on labels is ignored if the tables would be too large; the bound remains
 * valid.
 *
 * With a group's Beta(a, b) an instance is positive with probability a / (a + b); groups and
 * sources must have passed their checks. value includes the proved error; there is one price.
 * OG_NO_MEMORY, or OG_STOPPED if `stop` is set. Takes at most some seconds on one core for problems
 * of any size.
 */
og_status og_bound_sources(const og_groups *problem, const og_sources *sources, og_stop *stop,
                           og_upper_bound *out);

enum { OG_ROOM_ANY = INT32_MAX };

/* Equal instances, perhaps after some labels. */
typedef struct {
    double positive; /* the probability that an instance is positive */
    int64_t count;
    int32_t room;                 /* most further labels, of all sources together; OG_ROOM_ANY */
    int32_t used[OG_SOURCES_MAX]; /* labels of each source, which count for its limit */
} og_sources_start;

/* What the policy of the relaxed problem does at a price of a unit. */
typedef struct {
    int32_t source; /* whose label to buy now; -1: none is worth its price. Of equal ones the
                       cheapest, then the one with the largest gain now */
    double gain;    /* expected rise of max(p, 1 - p) from all further labels, less their prices;
                       0 for none */
} og_sources_advice;

/* The same bound, with the two policies that meet at the best price: one spends at least the
 * budget, the other at most. Mixed, they spend all of it, or all that gains anything; never more.
 */
typedef struct {
    og_upper_bound bound;
    og_sources_advice *advice;     /* [count][2] of the policy that spends more, and of the other */
    double share;                  /* of instances that should follow the first policy, 0 .. 1 */
    double bought[OG_SOURCES_MAX]; /* expected labels of each source, mixed */
} og_sources_mix;

/*
 * Finds the bound and the policies for these instances and a budget of units; the caller provides
 * `advice`, and clears `bound`. All but the bound are doubles without a proved error. Errors as in
 * og_bound_sources.
 */
og_status og_sources_plan(const og_sources_start *start, int32_t count, int32_t budget,
                          const og_sources *sources, og_stop *stop, og_sources_mix *out);

#endif
