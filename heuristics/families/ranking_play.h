#ifndef OG_HEURISTICS_FAMILIES_RANKING_PLAY_H
#define OG_HEURISTICS_FAMILIES_RANKING_PLAY_H

#include <stdint.h>

#include "dp/families/ranking.h"
#include "heuristics/policy.h"

struct og_strategy; /* dp/engine/strategy.h */

/*
 * Policies for ranking by comparisons where runs are played, of any number of items, and with
 * workers of unknown reliability, each with a Beta prior {mu, nu} of his own. All answer with
 * scores to sort the items by:
 *
 *   uniform, sorting  anything that is open; sorts the belief
 * (heuristics/families/ranking_belief.h) distance          the pair whose parameters of the belief
 * are nearest; without workers akg[:B]           the largest expected rise; B of them before any
 * answer is heard akg-printed       the same with the misprinted weights of its paper; without
 * workers rc+uniform        as uniform; sorts by rank centrality (Negahban, Oh, Shah 2012) rc+akg
 * as akg; likewise adaptive-polling  the largest expected information about Thurstone's means
 * (Pfeiffer et al. 2012), by which it sorts; without workers, at most 25 items crowd-bt the same of
 * Crowd-BT (Chen, Bennett, Collins-Thompson, Horvitz 2013), gamma 1; with workers
 */
enum { OG_RANKING_PLAYED_MAX = 1000, OG_RANKING_CROWD_MAX = 1000, OG_RANKING_POLLING_MAX = 25 };

typedef struct {
    int32_t items;   /* 2 .. OG_RANKING_PLAYED_MAX */
    int32_t workers; /* 0: all of them are always right */
    const double
        *prior; /* [items + 2 * workers] the Dirichlet at the root; mu, nu of each worker */
} og_ranking_setting;

/* What they are shown. An act is a pair {i, j}, i < j, and the worker; an answer 1 where i is said
 * to have won. */
typedef struct {
    og_ranking_state exact; /* ranking and counts NULL where the exact posterior is not known */
    int32_t items;
    const int32_t *won; /* [items * items] by rows: how often i is said to have beaten j */
} og_ranking_played;

/* OG_BAD_INPUT with a message for another name or a setting that the policy is not for;
 * OG_NO_MEMORY. Copies the setting. For any number of threads. */
og_status og_ranking_player(const og_policy_name *named, const og_ranking_setting *setting,
                            struct og_strategy *out, og_message *message);

/*
 * score[items]: how much of its time a random walk from anywhere that moves to winners is at each
 * item in the end, by the comparisons in won as above; solved exactly, but for rounding, and
 * exactly 0 where it does not return. room[og_rank_centrality_room]. Takes O(items^3).
 */
void og_rank_centrality(int32_t items, const int32_t *won, double *score, double *room);
size_t og_rank_centrality_room(int32_t items);

#endif
