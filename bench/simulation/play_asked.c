/*
 * Playing a policy that looks at the whole state: instances stand in groups by arm and node, which
 * change by one instance with every label, and the policy is asked about them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/player.h"
#include "bench/simulation/random.h"
#include "dp/product/chooser.h"

/* Where the group of this arm and node stands, or would stand. */
static int32_t find_group(const og_player *player, int32_t arm, uint32_t node)
{
    int32_t low = 0;
    int32_t high = player->group_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const og_state_group *at = &player->group[middle];
        bool before = at->arm != arm ? at->arm < arm : at->node < node;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static void add_to_group(og_player *player, int32_t arm, uint32_t node, int64_t copies)
{
    int32_t at = find_group(player, arm, node);
    og_state_group *group = &player->group[at];
    size_t behind = (size_t)(player->group_count - at);
    if (behind == 0 || group->arm != arm || group->node != node) {
        memmove(group + 1, group, behind * sizeof *group);
        *group = (og_state_group){arm, node, 0};
        player->group_count++;
    }
    group->copies += copies;
}

static void leave_group(og_player *player, int32_t arm, uint32_t node)
{
    og_state_group *group = &player->group[find_group(player, arm, node)];
    if (--group->copies == 0) {
        player->group_count--;
        size_t behind = (size_t)(player->group + player->group_count - group);
        memmove(group, group + 1, behind * sizeof *group);
    }
}

/* Keep the weight of one group only, drawn by the weights. */
static void draw_group(og_player *player, int32_t left)
{
    double total = 0;
    for (int32_t i = 0; i < player->group_count; i++) {
        total += player->answer[i];
    }
    /* Ties are drawn at instance 0. */
    uint64_t bits = og_draw(player->game->seed, OG_DRAW_TIE, player->run, 1, (uint32_t)left);
    double rest = og_draw_unit(bits) * total;
    int32_t drawn = -1;
    for (int32_t i = 0; i < player->group_count; i++) {
        if (player->answer[i] > 0 && (drawn < 0 || rest >= 0)) {
            drawn = i;
        }
        rest -= player->answer[i];
    }
    for (int32_t i = 0; i < player->group_count; i++) {
        player->answer[i] = i == drawn ? 1 : 0;
    }
}

/* The j-th instance in the order given of those in groups whose answer is `top`. */
static uint32_t find_instance(const og_player *player, double top, uint32_t j)
{
    const og_game *game = player->game;
    for (uint32_t i = 0;; i++) {
        int32_t at = find_group(player, (int32_t)game->arm_of[i], player->places[i].node);
        if (player->answer[at] == top && j-- == 0) {
            return i;
        }
    }
}

static og_status choose(og_player *player, const og_strategy *strategy, og_ties ties, int32_t left,
                        uint32_t *instance)
{
    og_answer kind;
    og_state state = {left, player->game->arms->budget, player->group_count, player->group};
    og_status status = og_ranks_ask(strategy->ranks, &state, player->answer, &kind);
    if (status != OG_OK) {
        return status;
    }
    if (kind == OG_ANSWER_WEIGHTS) {
        draw_group(player, left);
    }
    double top = -INFINITY;
    uint32_t tied = 0;
    for (int32_t i = 0; i < player->group_count; i++) {
        top = fmax(top, player->answer[i]);
    }
    for (int32_t i = 0; i < player->group_count; i++) {
        tied += player->answer[i] == top ? (uint32_t)player->group[i].copies : 0;
    }
    *instance = find_instance(player, top, og_player_draw_tie(player, ties, tied, left));
    return OG_OK;
}

og_score_of_run og_player_play_asked(og_player *player, const og_strategy *strategy, og_ties ties)
{
    const og_game *game = player->game;
    player->touched_count = 0;
    player->group_count = 0;
    for (int32_t a = 0; a < game->arms->arm_count; a++) {
        int64_t copies = (int64_t)game->first[a + 1] - game->first[a];
        if (copies > 0) {
            add_to_group(player, a, 0, copies);
        }
    }
    for (int32_t left = game->arms->budget; left > 0 && player->status == OG_OK; left--) {
        uint32_t instance;
        player->status = choose(player, strategy, ties, left, &instance);
        if (player->status != OG_OK) {
            break;
        }
        int32_t arm = (int32_t)game->arm_of[instance];
        leave_group(player, arm, player->places[instance].node);
        og_player_label(player, instance);
        add_to_group(player, arm, player->places[instance].node, 1);
    }
    return og_player_end(player);
}
