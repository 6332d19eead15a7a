#ifndef OG_HEURISTICS_FAMILIES_RANKING_PLAY_H
#define OG_HEURISTICS_FAMILIES_RANKING_PLAY_H

#include <stdint.h>

#include "dp/families/ranking.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies for ranking from comparisons in simulated runs, with any number of items. Workers of
 * unknown reliability each have a Beta prior {mu, nu}. All policies return scores for sorting the
 * items:
 *
 *   uniform, sorting  any possible comparison; sorts by the belief
 *                     (heuristics/families/ranking_belief.h)
 *   distance          the pair with the closest parameters of the belief; without workers
 *   akg[:B]           the largest expected rise; B comparisons before any answer
 *   akg-printed       the same with the misprinted weights of the paper; without workers
 *   rc+uniform        like uniform; sorts by rank centrality (Negahban, Oh, Shah 2012)
 *   rc+akg            like akg; sorts likewise
 *   adaptive-polling  the largest expected information about Thurstone's means (Pfeiffer et al.
 *                     2012), also for sorting; without workers, at most 25 items
 *   crowd-bt          the same of Crowd-BT (Chen, Bennett, Collins-Thompson, Horvitz 2013),
 *                     gamma 1; with workers
 */
enum { OG_RANKING_PLAYED_MAX = 1000, OG_RANKING_CROWD_MAX = 1000, OG_RANKING_POLLING_MAX = 25 };

typedef struct {
    int32_t items;   /* 2 .. OG_RANKING_PLAYED_MAX */
    int32_t workers; /* 0: workers are always right */
    const double
        *prior;    /* [items + 2 * workers] the Dirichlet at the root; mu, nu of each worker */
    og_stop *stop; /* of choices among many pairs; NULL: none */
} og_ranking_setting;

/* The state for these policies. An act is a pair {i, j}, i < j, and the worker; the answer is 1 if
 * the worker reports that i won. */
typedef struct {
    og_ranking_state
        exact; /* ranking and counts are NULL if the exact posterior is not available */
    int32_t items;
    const int32_t *won; /* [items * items] by rows: number of reports that i beat j */
} og_ranking_played;

/* OG_BAD_INPUT with a message for another name or a setting that the policy does not support;
 * OG_NO_MEMORY. Copies the setting. For any number of threads. */
og_status og_ranking_player(const og_policy_name *named, const og_ranking_setting *setting,
                            struct og_strategy *out, og_message *message);

/*
 * Fills score[items]: the long-run share of time at each item of a random walk that starts anywhere
 * and moves to winners of the comparisons in `won`. It is exact up to rounding, and exactly 0 for
 * items that the walk leaves forever. room[og_rank_centrality_room] is scratch space. Takes
 * O(items^3).
 */
void og_rank_centrality(int32_t items, const int32_t *won, double *score, double *room);
size_t og_rank_centrality_room(int32_t items);

#endif
