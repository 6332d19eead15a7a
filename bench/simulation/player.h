#ifndef OG_BENCH_SIMULATION_PLAYER_H
#define OG_BENCH_SIMULATION_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/simulation/play.h"
#include "dp/base/ties.h"
#include "dp/product/state.h"

/* What a player is made of (private to bench/simulation/). */

typedef struct {
    uint32_t node;
    uint32_t labels; /* had so far */
} og_place;

/* A worker who is at work. */
typedef struct {
    double time; /* when he labels */
    uint32_t instance;
} og_end;

struct og_player {
    const og_game *game;
    uint64_t run;
    double *cut;    /* [count][game->cuts] a label is the first outcome whose cut, the sum of
                       its share and those before it, is above a uniform number; else the last */
    int32_t *truly; /* [count] the outcome that the instance should be called (og_arm_called) */
    double fresh_correct; /* correct calls before any label */
    og_place *places;     /* [count] all {0, 0} between plays */
    uint32_t *touched;    /* [touched_count] instances that had a label, by their first one */
    uint32_t touched_count;
    og_leader *tournament; /* [2 * width] */
    uint32_t *crowd;       /* [count] by_arm, those without labels in front from crowd_first on */
    uint32_t *crowd_first; /* [arm_count] */
    uint32_t *crowd_end;   /* [arm_count] */
    uint64_t *labels;      /* [count] given in all plays; borrowed; NULL: not counted */
    /* Where the policy is asked: */
    og_state_group *group; /* [count] instances by arm and node, ascending */
    double *answer;        /* [count] of the groups */
    int32_t group_count;
    /* Where it goes by what labels gained: */
    double *gained;         /* [count] sum of the gains of an instance's labels */
    double *gained_squares; /* [count] of their squares */
    og_status status;       /* of the first question that failed */
    /* Where labels take time: */
    uint32_t *at_work; /* [count] all 0 between plays */
    uint32_t *rank;    /* [count] */
    og_end *ends;      /* [budget] a heap: none is before its parent */
    uint32_t end_count;
};

/* Which of `count` tied instances with `left` labels left. */
uint32_t og_player_draw_tie(const og_player *player, og_ties ties, uint32_t count, int32_t left);

/* Buy the instance's next label and move it on. */
void og_player_label(og_player *player, uint32_t instance);

/* What came of it; puts all instances back to where they began. */
og_score_of_run og_player_end(og_player *player);

/* Policies that are only played. */
og_score_of_run og_player_play_random(og_player *player, const og_strategy *strategy, og_ties ties);

/* Policies with a chooser. */
og_score_of_run og_player_play_asked(og_player *player, const og_strategy *strategy, og_ties ties);

og_score_of_run og_player_play_delayed(og_player *player, const og_strategy *strategy,
                                       og_ties ties);

#endif
