#ifndef OG_HEURISTICS_FAMILIES_RANKING_POLICY_H
#define OG_HEURISTICS_FAMILIES_RANKING_POLICY_H

#include "dp/engine/strategy.h"
#include "dp/families/ranking.h"
#include "heuristics/policy.h"

/*
 * Policies for ranking from comparisons. The policies with a belief
 * (heuristics/families/ranking_belief.h) return the items sorted by the belief's parameters, and
 * depend on the order of comparisons:
 *
 *   akg       the largest expected rise of the accuracy expected under the belief
 *   distance  the pair with the closest parameters; without workers of unknown reliability
 *   sorting   any pair; sorts by the belief
 *
 * kg-exact and the other exact rules (heuristics/rule.h) look one comparison ahead with the exact
 * posterior, uniform compares any pair; they sort with the exact posterior.
 */
enum { OG_RANKING_BELIEF_MAX = OG_RANKING_ITEMS_MAX + 2 * OG_RANKING_WORKERS_MAX };

/* OG_BAD_INPUT with a message for any other name; OG_NO_MEMORY. Borrows the ranking; `belief` is
 * the belief at the root: the Dirichlet's parameters [items], then mu and nu of each worker
 * [workers][2]. For any number of threads. */
og_status og_ranking_strategy(const og_policy_name *named, const og_ranking *ranking,
                              const double *belief, og_strategy *out, og_message *message);

/* True for a rule that looks one comparison ahead: an exact one, or a user's. */
bool og_ranking_looks_ahead(const og_policy_name *named, og_rule_use *use);

/* The pair with the closest parameters, for a belief that starts with the parameters. */
og_strategy_choose og_ranking_choose_nearest;

/* Indices within this tie; for kg-exact relative to the largest. */
#define OG_RANKING_TIE 1e-12
#define OG_RANKING_TIE_EXACT 1e-11

#endif
