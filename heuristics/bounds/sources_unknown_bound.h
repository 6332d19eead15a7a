#ifndef OG_HEURISTICS_BOUNDS_SOURCES_UNKNOWN_BOUND_H
#define OG_HEURISTICS_BOUNDS_SOURCES_UNKNOWN_BOUND_H

#include "dp/base/stop.h"
#include "dp/families/sources_unknown.h"
#include "heuristics/bounds/bound.h"

/*
 * An upper bound for sources of unknown accuracy (dp/families/sources_unknown.h), for any number of
 * instances and units: a bound on the optimum with accuracies that are revealed before the first
 * label.
 *
 *   V <= E over accuracies q of V(q known)
 *     <= sum over cells of Pr(q in the cell) * (Lagrangian bound at the cell's best accuracies).
 *
 * The first inequality holds because a policy may ignore additional information. In a cell every
 * source has l <= |q - 1/2| <= u, and its best accuracy is w = 1/2 + u. A label with accuracy q is
 * a label with accuracy w that an independent coin reverses with probability (w - q) / (2 w - 1),
 * which is within [0, 1]. So a policy with the better source can simulate the worse one, and V(q
 * known) <= V(w known) [Blackwell, "Equivalent comparisons of experiments", Annals of Mathematical
 * Statistics 24 (1953)].
 *
 * The cell with the largest width times probability is halved first. Probabilities of cells come
 * from the incomplete beta function, rounded to nearest and raised (dp/prior/beta.h), and the
 * bounds from og_bound_sources. So value includes the proved error. There is no single price:
 * price_count is 0.
 *
 * More cells improve the bound, down to the mean of the bounds with known accuracies. Their number
 * is limited to take some seconds (measured: 3 s with 5000 units and three sources, half a minute
 * with 100000 and four), or is cells_max, if that is not 0. OG_NO_MEMORY, or OG_STOPPED if `stop`
 * is set; OG_FAILED as og_beta_new.
 */
og_status og_bound_sources_unknown(const og_groups *problem, const og_crowd_sources *sources,
                                   int32_t cells_max, og_stop *stop, og_upper_bound *out);

#endif
