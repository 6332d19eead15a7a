/*
 * Playing a policy. Where the order of instances does not depend on the labels left, a tournament
 * (a complete binary tree over the instances, leaves in the order given) knows the largest rank
 * and how many instances share it: a label changes one leaf and its ancestors, and the j-th of
 * the leaders is found on the way down. So random ties are uniform and "first" is j = 0.
 *
 * Where the order does depend on them, the instances that have had a label are looked at one by one
 * and the others as one crowd for each arm: all are in the same node.
 */
#include "bench/simulation/player.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/random.h"

static uint32_t width_for(uint64_t instances)
{
    uint32_t width = 1;
    while (width < instances) {
        width *= 2;
    }
    return width;
}

uint64_t og_game_bytes(const og_arms *arms, uint64_t instances)
{
    /* The gains of all outcomes of one arm at a time, before they are added up. */
    uint64_t nodes = arms->node_offset[arms->arm_count], most = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        uint64_t gains = (uint64_t)arm->node_count * (uint64_t)arm->outcome_count;
        most = gains > most ? gains : most;
    }
    return sizeof(double) * (nodes + most) + 3 * sizeof(uint32_t) * instances;
}

uint64_t og_strategy_bytes(uint64_t instances)
{
    return 2 * sizeof(og_leader) * (uint64_t)width_for(instances);
}

/* Numbers that divide the unit interval into the outcomes of a label. */
static uint32_t cuts_of(const og_arms *arms)
{
    int32_t most = 2;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        most = arms->arm[i]->outcome_count > most ? arms->arm[i]->outcome_count : most;
    }
    return (uint32_t)most - 1;
}

uint64_t og_player_bytes(const og_arms *arms, uint64_t instances)
{
    return og_strategy_bytes(instances) +
           instances * ((cuts_of(arms) + 3) * sizeof(double) + sizeof(int32_t) + sizeof(og_place) +
                        4 * sizeof(uint32_t) + sizeof(og_state_group));
}

/*
 * h(node) - h(node 0), along some path to the node. Each step adds a gain with its relative error
 * and rounds; gains and sums are at most 1 in size.
 */
static og_status sum_gains(const og_arm *arm, double **out, double *error)
{
    size_t outcomes = (size_t)arm->outcome_count;
    size_t labelled = arm->level[arm->depth];
    double *gain = malloc((labelled * outcomes + 1) * sizeof *gain);
    double *sum = calloc(arm->node_count, sizeof *sum);
    double gain_error = 0;
    og_status status =
        gain != NULL && sum != NULL ? og_arm_gains(arm, gain, &gain_error) : OG_NO_MEMORY;
    if (status != OG_OK) {
        free(gain);
        free(sum);
        return status;
    }
    for (size_t node = 0; node < labelled; node++) {
        for (size_t k = node * outcomes; k < (node + 1) * outcomes; k++) {
            sum[arm->next[k]] = sum[node] + gain[k];
        }
    }
    free(gain);
    *out = sum;
    *error = arm->depth * (gain_error + DBL_EPSILON);
    return OG_OK;
}

static void place_instances(og_game *game)
{
    const og_arms *arms = game->arms;
    uint32_t instance = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        for (int64_t copy = 0; copy < arms->group_size[g]; copy++, instance++) {
            game->group_of[instance] = (uint32_t)g;
            game->arm_of[instance] = (uint32_t)arms->arm_of_group[g];
            game->first[arms->arm_of_group[g] + 1]++;
        }
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        game->first[a + 1] += game->first[a];
    }
    for (uint32_t i = game->count; i-- > 0;) {
        /* From the back, so that first[arm + 1] ends where the arm begins. */
        game->by_arm[--game->first[game->arm_of[i] + 1]] = i;
    }
    memmove(game->first, game->first + 1, (size_t)arms->arm_count * sizeof *game->first);
    game->first[arms->arm_count] = game->count;
}

og_status og_game_init(const og_problem *problem, const og_arms *arms, const og_truth *truth,
                       const og_delay *delay, uint64_t seed, og_game *out)
{
    og_game game = {.problem = problem,
                    .arms = arms,
                    .truth = truth,
                    .delay = delay,
                    .seed = seed,
                    .count = (uint32_t)og_problem_size(problem),
                    .cuts = cuts_of(arms)};
    game.arm_of = calloc(game.count, sizeof *game.arm_of);
    game.group_of = calloc(game.count, sizeof *game.group_of);
    game.by_arm = calloc(game.count, sizeof *game.by_arm);
    game.first = calloc((size_t)arms->arm_count + 1, sizeof *game.first);
    game.gain = calloc((size_t)arms->arm_count, sizeof *game.gain);
    og_status status = OG_OK;
    if (game.arm_of == NULL || game.group_of == NULL || game.by_arm == NULL || game.first == NULL ||
        game.gain == NULL) {
        status = OG_NO_MEMORY;
    }
    for (int32_t i = 0; status == OG_OK && i < arms->arm_count; i++) {
        double error = 0;
        status = sum_gains(arms->arm[i], &game.gain[i], &error);
        game.gain_error = error > game.gain_error ? error : game.gain_error;
    }
    if (status != OG_OK) {
        og_game_clear(&game);
        return status;
    }
    place_instances(&game);
    *out = game;
    return OG_OK;
}

og_status og_game_keep_steps(og_game *game)
{
    const og_arms *arms = game->arms;
    if (game->step != NULL) {
        return OG_OK;
    }
    game->step = calloc((size_t)arms->arm_count, sizeof *game->step);
    og_status status = game->step == NULL ? OG_NO_MEMORY : OG_OK;
    for (int32_t i = 0; status == OG_OK && i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        size_t steps = (size_t)arm->level[arm->depth] * (size_t)arm->outcome_count;
        double error;
        game->step[i] = malloc((steps + 1) * sizeof *game->step[i]);
        status = game->step[i] == NULL ? OG_NO_MEMORY : og_arm_gains(arm, game->step[i], &error);
    }
    return status;
}

void og_game_clear(og_game *game)
{
    for (int32_t i = 0; game->step != NULL && i < game->arms->arm_count; i++) {
        free(game->step[i]);
    }
    free(game->step);
    for (int32_t i = 0; game->gain != NULL && i < game->arms->arm_count; i++) {
        free(game->gain[i]);
    }
    free(game->gain);
    free(game->first);
    free(game->by_arm);
    free(game->group_of);
    free(game->arm_of);
    *game = (og_game){0};
}

/* A leaf without an instance has count 0 and loses against all. */
static og_leader winner(og_leader left, og_leader right)
{
    if (left.count == 0 || right.count == 0) {
        return left.count == 0 ? right : left;
    }
    if (left.rank != right.rank) {
        return left.rank > right.rank ? left : right;
    }
    return (og_leader){left.rank, left.count + right.count};
}

og_status og_strategy_init(const og_game *game, const og_ranks *ranks, og_strategy *out)
{
    og_strategy strategy = {.ranks = ranks, .width = width_for(game->count)};
    if (!ranks->by_left && ranks->chooser_lock == NULL && game->arms->budget > 0) {
        strategy.start = calloc(2 * (size_t)strategy.width, sizeof *strategy.start);
        if (strategy.start == NULL) {
            return OG_NO_MEMORY;
        }
        for (uint32_t i = 0; i < game->count; i++) {
            const uint32_t *rank = og_ranks_of(ranks, (int32_t)game->arm_of[i], 1);
            strategy.start[strategy.width + i] = (og_leader){rank[0], 1};
        }
        for (uint32_t v = strategy.width - 1; v > 0; v--) {
            strategy.start[v] = winner(strategy.start[2 * v], strategy.start[2 * v + 1]);
        }
    }
    *out = strategy;
    return OG_OK;
}

og_strategy og_strategy_random(og_played rule)
{
    return (og_strategy){.rule = rule};
}

og_strategy og_strategy_delayed(const og_delayed_policy *policy)
{
    return (og_strategy){.delayed = policy};
}

void og_strategy_clear(og_strategy *strategy)
{
    free(strategy->start);
    *strategy = (og_strategy){0};
}

og_status og_player_new(const og_game *game, og_player **out)
{
    og_player *player = calloc(1, sizeof *player);
    if (player == NULL) {
        return OG_NO_MEMORY;
    }
    size_t arms = (size_t)game->arms->arm_count;
    player->game = game;
    player->cut = calloc(game->count, game->cuts * sizeof *player->cut);
    player->truly = calloc(game->count, sizeof *player->truly);
    player->places = calloc(game->count, sizeof *player->places);
    player->touched = calloc(game->count, sizeof *player->touched);
    player->tournament = calloc(2 * (size_t)width_for(game->count), sizeof *player->tournament);
    player->crowd = calloc(game->count, sizeof *player->crowd);
    player->crowd_first = calloc(arms, sizeof *player->crowd_first);
    player->crowd_end = calloc(arms, sizeof *player->crowd_end);
    player->at_work = calloc(game->count, sizeof *player->at_work);
    player->rank = calloc(game->count, sizeof *player->rank);
    player->group = calloc(game->count, sizeof *player->group);
    player->answer = calloc(game->count, sizeof *player->answer);
    player->gained = calloc(game->count, sizeof *player->gained);
    player->gained_squares = calloc(game->count, sizeof *player->gained_squares);
    player->ends = game->delay == NULL
                       ? calloc(1, sizeof *player->ends)
                       : calloc((size_t)game->arms->budget + 1, sizeof *player->ends);
    if (player->cut == NULL || player->truly == NULL || player->places == NULL ||
        player->touched == NULL || player->tournament == NULL || player->crowd == NULL ||
        player->crowd_first == NULL || player->crowd_end == NULL || player->at_work == NULL ||
        player->rank == NULL || player->ends == NULL || player->group == NULL ||
        player->answer == NULL || player->gained == NULL || player->gained_squares == NULL) {
        og_player_free(player);
        return OG_NO_MEMORY;
    }
    *out = player;
    return OG_OK;
}

void og_player_free(og_player *player)
{
    if (player == NULL) {
        return;
    }
    free(player->cut);
    free(player->truly);
    free(player->places);
    free(player->touched);
    free(player->tournament);
    free(player->crowd);
    free(player->crowd_first);
    free(player->crowd_end);
    free(player->at_work);
    free(player->rank);
    free(player->ends);
    free(player->group);
    free(player->answer);
    free(player->gained);
    free(player->gained_squares);
    free(player);
}

void og_player_count_labels(og_player *player, uint64_t *labels)
{
    player->labels = labels;
}

void og_player_deal(og_player *player, uint64_t run)
{
    const og_game *game = player->game;
    player->run = run;
    player->fresh_correct = 0;
    for (uint32_t i = 0; i < game->count; i++) {
        const og_group *group = &game->problem->groups[game->group_of[i]];
        double *cut = player->cut + (size_t)i * game->cuts;
        bool positive = false;
        if (group->kind == OG_PRIOR_DIRICHLET) {
            player->truly[i] = og_truth_draw_classes(group, game->seed, run, i, cut);
        } else if (game->truth->kind == OG_TRUTH_LIST) {
            og_fraction soft = game->truth->soft[i];
            cut[0] = og_fraction_double(soft);
            positive = og_fraction_compare(soft, group->threshold) >= 0;
        } else {
            cut[0] = og_truth_draw(game->truth, group, game->seed, run, i);
            positive = cut[0] >= og_fraction_double(group->threshold);
        }
        if (group->kind != OG_PRIOR_DIRICHLET) {
            player->truly[i] = positive ? 0 : 1;
        }
        int32_t called = og_arm_called(game->arms->arm[game->arm_of[i]], 0);
        player->fresh_correct += called == player->truly[i];
    }
}

uint32_t og_player_draw_tie(const og_player *player, og_ties ties, uint32_t count, int32_t left)
{
    if (ties == OG_TIES_FIRST || count == 1) {
        return 0;
    }
    uint64_t bits = og_draw(player->game->seed, OG_DRAW_TIE, player->run, 0, (uint32_t)left);
    return og_draw_below(bits, count);
}

static uint32_t choose_by_tournament(const og_player *player, const og_strategy *strategy,
                                     og_ties ties, int32_t left)
{
    const og_leader *tournament = player->tournament;
    uint32_t rank = tournament[1].rank;
    uint32_t j = og_player_draw_tie(player, ties, tournament[1].count, left);
    uint32_t v = 1;
    while (v < strategy->width) {
        v *= 2;
        uint32_t here = tournament[v].rank == rank ? tournament[v].count : 0;
        if (j >= here) {
            j -= here;
            v++;
        }
    }
    return v - strategy->width;
}

static void update_tournament(og_player *player, const og_strategy *strategy, uint32_t instance)
{
    const uint32_t *rank = og_ranks_of(strategy->ranks, (int32_t)player->game->arm_of[instance], 1);
    og_leader *tournament = player->tournament;
    uint32_t v = strategy->width + instance;
    tournament[v].rank = rank[player->places[instance].node];
    for (v /= 2; v > 0; v /= 2) {
        tournament[v] = winner(tournament[2 * v], tournament[2 * v + 1]);
    }
}

static uint32_t touched_rank(const og_player *player, const og_ranks *ranks, int32_t left,
                             uint32_t position)
{
    uint32_t instance = player->touched[position];
    return og_ranks_of(ranks, (int32_t)player->game->arm_of[instance],
                       left)[player->places[instance].node];
}

static og_leader find_leader(const og_player *player, const og_ranks *ranks, int32_t left)
{
    og_leader best = {0, 0};
    for (uint32_t i = 0; i < player->touched_count; i++) {
        best = winner(best, (og_leader){touched_rank(player, ranks, left, i), 1});
    }
    for (int32_t a = 0; a < ranks->arm_count; a++) {
        uint32_t crowd = player->crowd_end[a] - player->crowd_first[a];
        if (crowd > 0) {
            best = winner(best, (og_leader){og_ranks_of(ranks, a, left)[0], crowd});
        }
    }
    return best;
}

/* Take an instance without labels out of its crowd, which keeps its order if its first one goes. */
static uint32_t leave_crowd(og_player *player, int32_t arm, uint32_t position)
{
    uint32_t instance = player->crowd[position];
    player->crowd[position] = player->crowd[player->crowd_first[arm]];
    player->crowd_first[arm]++;
    return instance;
}

/* The first in the order given of those with this rank. */
static uint32_t first_of_rank(og_player *player, const og_ranks *ranks, int32_t left, uint32_t rank)
{
    uint32_t first = UINT32_MAX;
    int32_t from_crowd = -1;
    for (uint32_t i = 0; i < player->touched_count; i++) {
        if (player->touched[i] < first && touched_rank(player, ranks, left, i) == rank) {
            first = player->touched[i];
        }
    }
    for (int32_t a = 0; a < ranks->arm_count; a++) {
        uint32_t front = player->crowd_first[a];
        if (front < player->crowd_end[a] && player->crowd[front] < first &&
            og_ranks_of(ranks, a, left)[0] == rank) {
            first = player->crowd[front];
            from_crowd = a;
        }
    }
    return from_crowd < 0 ? first
                          : leave_crowd(player, from_crowd, player->crowd_first[from_crowd]);
}

/* The j-th of those with this rank, in some order. */
static uint32_t any_of_rank(og_player *player, const og_ranks *ranks, int32_t left, uint32_t rank,
                            uint32_t j)
{
    for (uint32_t i = 0; i < player->touched_count; i++) {
        if (touched_rank(player, ranks, left, i) == rank && j-- == 0) {
            return player->touched[i];
        }
    }
    int32_t arm = 0;
    for (;; arm++) {
        uint32_t crowd = player->crowd_end[arm] - player->crowd_first[arm];
        if (crowd == 0 || og_ranks_of(ranks, arm, left)[0] != rank) {
            continue;
        }
        if (j < crowd) {
            return leave_crowd(player, arm, player->crowd_first[arm] + j);
        }
        j -= crowd;
    }
}

static uint32_t choose_by_looking(og_player *player, const og_ranks *ranks, og_ties ties,
                                  int32_t left)
{
    og_leader best = find_leader(player, ranks, left);
    if (ties == OG_TIES_FIRST) {
        return first_of_rank(player, ranks, left, best.rank);
    }
    return any_of_rank(player, ranks, left, best.rank,
                       og_player_draw_tie(player, ties, best.count, left));
}

static void begin_play(og_player *player, const og_strategy *strategy)
{
    const og_game *game = player->game;
    player->touched_count = 0;
    if (strategy->start != NULL) {
        memcpy(player->tournament, strategy->start,
               2 * (size_t)strategy->width * sizeof *player->tournament);
        return;
    }
    size_t arms = (size_t)game->arms->arm_count;
    memcpy(player->crowd, game->by_arm, game->count * sizeof *player->crowd);
    memcpy(player->crowd_first, game->first, arms * sizeof *player->crowd_first);
    memcpy(player->crowd_end, game->first + 1, arms * sizeof *player->crowd_end);
}

void og_player_label(og_player *player, uint32_t instance)
{
    const og_game *game = player->game;
    const og_arm *arm = game->arms->arm[game->arm_of[instance]];
    og_place *at = &player->places[instance];
    uint64_t bits = og_draw(game->seed, OG_DRAW_LABEL, player->run, instance, at->labels);
    const double *cut = player->cut + (size_t)instance * game->cuts;
    double drawn = og_draw_unit(bits);
    uint32_t label = 0, last = (uint32_t)arm->outcome_count - 1;
    while (label < last && !(drawn < cut[label])) {
        label++;
    }
    if (at->labels == 0) {
        player->touched[player->touched_count++] = instance;
    }
    at->labels++;
    at->node = arm->next[(last + 1) * (size_t)at->node + label];
}

og_score_of_run og_player_end(og_player *player)
{
    const og_game *game = player->game;
    og_score_of_run score = {.gain = 0, .correct = player->fresh_correct};
    for (uint32_t i = 0; i < player->touched_count; i++) {
        uint32_t instance = player->touched[i];
        const og_arm *arm = game->arms->arm[game->arm_of[instance]];
        og_place *at = &player->places[instance];
        int32_t truly = player->truly[instance];
        score.gain += game->gain[game->arm_of[instance]][at->node];
        score.correct += (og_arm_called(arm, at->node) == truly) - (og_arm_called(arm, 0) == truly);
        if (player->labels != NULL) {
            player->labels[instance] += at->labels;
        }
        *at = (og_place){0, 0};
    }
    return score;
}

og_status og_player_status(const og_player *player)
{
    return player->status;
}

og_score_of_run og_player_play(og_player *player, const og_strategy *strategy, og_ties ties)
{
    if (strategy->delayed != NULL) {
        return og_player_play_delayed(player, strategy, ties);
    }
    if (strategy->rule != OG_PLAYED_BY_RANKS) {
        return og_player_play_random(player, strategy, ties);
    }
    if (strategy->ranks->chooser_lock != NULL) {
        return og_player_play_asked(player, strategy, ties);
    }
    begin_play(player, strategy);
    for (int32_t left = player->game->arms->budget; left > 0; left--) {
        if (strategy->start == NULL) {
            og_player_label(player, choose_by_looking(player, strategy->ranks, ties, left));
            continue;
        }
        uint32_t instance = choose_by_tournament(player, strategy, ties, left);
        og_player_label(player, instance);
        /* After the last label the node may be one without a rank. */
        if (left > 1) {
            update_tournament(player, strategy, instance);
        }
    }
    return og_player_end(player);
}
