/*
 * Playing a policy where labels take time: arrivals one after the other, and before each the ends
 * that came earlier. The times of the u-th arrival and of the u-th worker's work are the same for
 * all policies. Ranks are kept for every instance and made anew where the instance has changed, or
 * all of them where the workers still to come matter.
 */
#include <math.h>

#include "bench/simulation/player.h"
#include "bench/simulation/random.h"

/* Exponentially distributed, the `number`-th of its kind in this run. */
static double draw_time(const og_player *player, og_draw_purpose purpose, uint32_t number,
                        double rate)
{
    uint64_t bits = og_draw(player->game->seed, purpose, player->run, 0, number);
    return -log1p(-og_draw_unit(bits)) / rate;
}

static void push_end(og_player *player, og_end end)
{
    uint32_t at = player->end_count++;
    while (at > 0 && player->ends[(at - 1) / 2].time > end.time) {
        player->ends[at] = player->ends[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    player->ends[at] = end;
}

static og_end pop_end(og_player *player)
{
    og_end first = player->ends[0];
    og_end last = player->ends[--player->end_count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < player->end_count; child = 2 * at + 1) {
        if (child + 1 < player->end_count &&
            player->ends[child + 1].time < player->ends[child].time) {
            child++;
        }
        if (player->ends[child].time >= last.time) {
            break;
        }
        player->ends[at] = player->ends[child];
        at = child;
    }
    player->ends[at] = last;
    return first;
}

static void rank_instance(og_player *player, const og_delayed_policy *policy, uint32_t instance,
                          int32_t left)
{
    player->rank[instance] = og_delayed_policy_rank(policy, (int32_t)player->game->arm_of[instance],
                                                    player->places[instance].node,
                                                    (int32_t)player->at_work[instance], left);
}

static uint32_t choose(og_player *player, og_ties ties, int32_t left)
{
    const uint32_t *rank = player->rank;
    uint32_t count = player->game->count, most = 0, tied = 0;
    for (uint32_t i = 0; i < count; i++) {
        most = rank[i] > most ? rank[i] : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        tied += rank[i] == most;
    }
    uint32_t j = og_player_draw_tie(player, ties, tied, left);
    uint32_t i = 0;
    for (;; i++) {
        if (rank[i] == most && j-- == 0) {
            return i;
        }
    }
}

/* The ends up to `time`, in order; `left` workers are to come after them. */
static void let_end(og_player *player, const og_delayed_policy *policy, double time, int32_t left)
{
    while (player->end_count > 0 && player->ends[0].time <= time) {
        uint32_t instance = pop_end(player).instance;
        og_player_label(player, instance);
        player->at_work[instance]--;
        if (left > 0) {
            rank_instance(player, policy, instance, left);
        }
    }
}

og_score_of_run og_player_play_delayed(og_player *player, const og_strategy *strategy, og_ties ties)
{
    const og_game *game = player->game;
    const og_delayed_policy *policy = strategy->delayed;
    double arrival_rate = og_fraction_double(game->delay->arrival_rate);
    double service_rate = og_fraction_double(game->delay->service_rate);
    double now = 0;
    int32_t workers = game->arms->budget;
    player->end_count = 0;
    player->touched_count = 0;
    for (int32_t left = workers; left > 0; left--) {
        uint32_t number = (uint32_t)(workers - left);
        now += draw_time(player, OG_DRAW_ARRIVAL, number, arrival_rate);
        let_end(player, policy, now, left);
        if (left == workers || og_delayed_policy_changes(policy, left)) {
            for (uint32_t i = 0; i < game->count; i++) {
                rank_instance(player, policy, i, left);
            }
        }
        uint32_t instance = choose(player, ties, left);
        player->at_work[instance]++;
        double time = now + draw_time(player, OG_DRAW_SERVICE, number, service_rate);
        push_end(player, (og_end){time, instance});
        if (left > 1) {
            rank_instance(player, policy, instance, left - 1);
        }
    }
    let_end(player, policy, INFINITY, 0);
    return og_player_end(player);
}
