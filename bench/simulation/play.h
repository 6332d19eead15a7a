#ifndef OG_BENCH_SIMULATION_PLAY_H
#define OG_BENCH_SIMULATION_PLAY_H

#include <stdint.h>

#include "bench/simulation/truth.h"
#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/product/policy.h"
#include "heuristics/families/delayed_policy.h"

/*
 * One run of one policy with random labels (private to bench/): what og_simulate does many times.
 * A game is what all runs and policies share, a strategy is one policy in it, a player is
 * the scratch of one thread.
 */
typedef struct {
    const og_problem *problem; /* borrowed */
    const og_arms *arms;       /* borrowed */
    const og_truth *truth;     /* borrowed */
    const og_delay *delay;     /* borrowed; NULL: labels come at once */
    uint64_t seed;
    uint32_t count;     /* K, instances in the order given */
    uint32_t *arm_of;   /* [count] */
    uint32_t *group_of; /* [count] */
    uint32_t *by_arm;   /* [count] the instances of arm 0 in order, of arm 1, ... */
    uint32_t *first;    /* [arm_count + 1] where an arm begins in by_arm */
    uint32_t cuts;      /* one less than there are outcomes, at most */
    double **gain;      /* [arm_count][node] h(node) - h(node 0) */
    double gain_error;  /* proved: |stored - exact| of each */
    double **step;      /* [arm_count] of og_arm_gains, one label each; NULL: og_game_keep_steps
                           was not called */
} og_game;

og_status og_game_init(const og_problem *problem, const og_arms *arms, const og_truth *truth,
                       const og_delay *delay, uint64_t seed, og_game *out);

/* For policies that are only played: fill `step`. OG_NO_MEMORY or OG_FAILED. */
og_status og_game_keep_steps(og_game *game);
void og_game_clear(og_game *game); /* a zeroed one is fine */

/* Bytes of a game beside its arms, of a strategy and of a player, for limits. */
uint64_t og_game_bytes(const og_arms *arms, uint64_t instances);
uint64_t og_strategy_bytes(uint64_t instances);
uint64_t og_player_bytes(const og_arms *arms, uint64_t instances);

/* The largest rank below a vertex of a tournament, and how many instances have it. */
typedef struct {
    uint32_t rank;
    uint32_t count;
} og_leader;

typedef struct {
    const og_ranks *ranks;            /* borrowed; NULL where labels take time */
    const og_delayed_policy *delayed; /* borrowed; NULL where they do not */
    og_played rule;                   /* else than by ranks: neither of the two */
    uint32_t width;                   /* leaves of the tournament, a power of two >= K */
    og_leader *start; /* [2 * width] before any label; NULL where ranks depend on labels left */
} og_strategy;

og_status og_strategy_init(const og_game *game, const og_ranks *ranks, og_strategy *out);

/* Of a policy that is only played; the game must have steps. */
og_strategy og_strategy_random(og_played rule);

/* Where labels take time. */
og_strategy og_strategy_delayed(const og_delayed_policy *policy);
void og_strategy_clear(og_strategy *strategy);

typedef struct og_player og_player;

og_status og_player_new(const og_game *game, og_player **out);
void og_player_free(og_player *player); /* NULL is fine */

/* From now on add to labels[instance] the labels that each play gives it: [K], borrowed; NULL:
 * count none. */
void og_player_count_labels(og_player *player, uint64_t *labels);

/* Draw the soft labels of a run. O(K). */
void og_player_deal(og_player *player, uint64_t run);

typedef struct {
    double gain;    /* sum of h at the end minus that at the start */
    double correct; /* calls at the end that are correct */
} og_score_of_run;

/*
 * Play the run that was dealt. ties: OG_TIES_RANDOM or OG_TIES_FIRST. A policy that looks at the
 * whole state is asked once for every label; where it answers weights, OG_TIES_FIRST labels the
 * first instance of the group that is drawn. See og_player_status.
 */
og_score_of_run og_player_play(og_player *player, const og_strategy *strategy, og_ties ties);

/* OG_OK, or how asking a policy failed first; nothing that was played since then means anything. */
og_status og_player_status(const og_player *player);

#endif
