#ifndef OG_HEURISTICS_FAMILIES_LABELERS_POLICY_H
#define OG_HEURISTICS_FAMILIES_LABELERS_POLICY_H

#include "dp/families/labelers_game.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/* The policies that choose labelers, with their names: */
typedef enum {
    OG_LABELERS_BY_LS_OL,          /* ls-ol: Liu and Liu's, dp/families/labelers.h */
    OG_LABELERS_BY_LS_OL_WEIGHTED, /* ls-ol-weighted */
    OG_LABELERS_BY_EVERYBODY,      /* everybody */
    OG_LABELERS_BY_BEST_SET,       /* best-set: the best set for known accuracies */
    OG_LABELERS_BY_GREEDY,         /* greedy: og_labelers_greedy */
    OG_LABELERS_BY_BAYES_VOTE,     /* bayes-vote: og_labelers_any_rule */
} og_labelers_way;
enum { OG_LABELERS_WAYS = 6 };

/* OG_BAD_INPUT with a message for any other name. */
og_status og_labelers_way_parse(const char *name, og_labelers_way *out, og_message *message);

/*
 * Creates the strategy, which borrows the game. The engine's questions do not support LS_OL and
 * bayes-vote, which may do more than the optimum: LS_OL asks about a task again, and bayes-vote
 * calls labels with its posterior. OG_BAD_INPUT with a message there; OG_NO_MEMORY.
 */
og_status og_labelers_strategy(og_labelers_way way, const og_labelers_problem *game,
                               struct og_strategy *out);
og_labelers_way og_labelers_way_of(const struct og_strategy *strategy);

/* True for such a strategy; others are models' policies like any. */
bool og_labelers_has_way(const struct og_strategy *strategy);

#endif
