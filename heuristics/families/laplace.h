#ifndef OG_HEURISTICS_FAMILIES_LAPLACE_H
#define OG_HEURISTICS_FAMILIES_LAPLACE_H

#include "dp/base/status.h"
#include "dp/families/features.h"
#include "heuristics/rule.h"

/*
 * Policies for instances with features as in Chen, Lin and Zhou (2015, section 6.1): the weights
 * are normal, N(mu, Sigma), and Laplace's approximation keeps them normal. After a label y = 1, -1
 * of x the mean is the maximum of
 *
 *   ln sigma(y <w, x>) - (w - mu)' Sigma^-1 (w - mu) / 2,
 *
 * which lies in the direction Sigma x from mu, so it is a root in one dimension. The precision
 * grows by s (1 - s) x x', s = sigma(<mu', x>), and the covariance follows with the
 * Sherman-Morrison formula. An instance is positive with probability P = Phi(<mu, x> / sqrt(x'
 * Sigma x)), and its next label with about sigma(<mu, x> / sqrt(1 + pi x' Sigma x / 8)). A label
 * changes the P of all instances, so R1 and R2 are sums over all of them.
 *
 * Only <mu, x_i> and x_i' Sigma x_j are needed, so the belief consists of these, and the cost does
 * not depend on the number of features: all means, then the covariances row by row.
 */
enum { OG_LAPLACE_ACTIONS_MAX = 2000 }; /* a belief takes 8 bytes times the square of the actions */

/*
 * Creates the policy of a rule; one label takes O(actions^2) steps. Borrows the features. Labels so
 * far are applied action by action, positive ones first, since their order is unknown. OG_BAD_INPUT
 * with a message for more than OG_LAPLACE_ACTIONS_MAX actions; OG_NO_MEMORY. For any number of
 * threads.
 */
og_status og_laplace_strategy(const og_features *features, const og_rule_use *use, og_strategy *out,
                              og_message *message);

/* Gives a strategy without a belief, which it takes over in any case, the belief and the final
 * calls of Laplace's approximation; for runs, where no exact posterior makes the calls. Errors as
 * above. */
og_status og_laplace_calls(const og_features *features, og_strategy *own, og_strategy *out,
                           og_message *message);

#endif
