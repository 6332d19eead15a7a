#ifndef OG_HEURISTICS_BOUNDS_SOURCES_UNKNOWN_BOUND_H
#define OG_HEURISTICS_BOUNDS_SOURCES_UNKNOWN_BOUND_H

#include "dp/base/stop.h"
#include "dp/families/sources_unknown.h"
#include "heuristics/bounds/bound.h"

/*
 * An upper bound for sources of unknown accuracy (dp/families/sources_unknown.h), for any number of
 * instances and units: what could be had if the accuracies were told before the first label.
 *
 *   V <= E over accuracies q of V(q known)
 *     <= sum over cells of Pr(q in the cell) * (Lagrangian bound at the cell's best accuracies).
 *
 * The first holds because who is told more can play as before. A cell says of each source that l <=
 * |q - 1/2| <= u, and its best accuracy is 1/2 + u: a label that is right with chance q is one that
 * is right with chance w = 1/2 + u, turned round with chance (w - q) / (2 w - 1), which lies within
 * [0, 1], by a coin that is independent of all else. So whoever has the better source can play as
 * with the worse one, and V(q known) <= V(w known) [Blackwell, "Equivalent comparisons of
 * experiments", Annals of Mathematical Statistics 24 (1953)].
 *
 * Cells are halved where width times chance is largest. Their chances are from the incomplete beta
 * function, rounded to nearest and raised (dp/prior/beta.h), the bounds are og_bound_sources'. So
 * value holds the error, which is proved. There is no one price: price_count is 0. More cells make
 * the bound better, down to the mean of the bounds of known accuracies; there are as many as take
 * some seconds (measured: 3 s with 5000 units and three sources, half a minute with 100000 and
 * four), or cells_max, if that is not 0. OG_NO_MEMORY, or OG_STOPPED if `stop` says so;
 * OG_FAILED as og_beta_new.
 */
og_status og_bound_sources_unknown(const og_groups *problem, const og_unknown_sources *sources,
                                   int32_t cells_max, og_stop *stop, og_upper_bound *out);

#endif
