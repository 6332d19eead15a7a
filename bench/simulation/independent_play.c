/*
 * Plays an index policy. If the order of instances does not depend on the labels left, a tournament
 * (bench/simulation/tournament.h) holds the largest rank and the instances that have it, in the
 * order given. Random ties are uniform, "first" is the 0-th, and the choices equal those of
 * og_environment_loop. If the order depends on the labels left, labelled instances are checked one
 * by one. The unlabelled ones form one crowd for each arm, since all are in the same node. Then
 * ties are drawn in another order than in the loop.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "bench/simulation/independent.h"
#include "bench/simulation/recorded_order.h"
#include "dp/base/parallel.h"
#include "dp/product/chooser.h"

/* Ranks of the depths after a strategy's first. */
struct og_deeper {
    const og_instances *all;
    og_policy_name policy;
    og_lock lock;                    /* for the ranks */
    og_ranks *ranks[OG_DEPTHS_MOST]; /* owned; NULL: not needed yet */
};

static og_status rank_depth(struct og_deeper *deeper, int32_t number, og_message *message)
{
    const og_depth *depth;
    og_strategy made;
    if (deeper->ranks[number] != NULL) {
        return OG_OK;
    }
    OG_TRY(og_instances_depth(deeper->all, number, &depth, message));
    OG_TRY(og_instances_check_index(deeper->all, &deeper->policy, depth->arms->budget, message));
    OG_TRY(deeper->all->make(deeper->all, &deeper->policy, depth->arms, &made, message));
    og_index_play *play = made.self;
    deeper->ranks[number] = play->ranks;
    play->ranks = NULL;
    made.free(made.self);
    return OG_OK;
}

/* The ranks of the nodes of depth *number. If their order is not proved, use the last depth and set
 * *number to it (independent.c gives the reason). */
static og_status find_ranks(const og_index_play *by, int32_t *number, const og_ranks **out,
                            og_message *message)
{
    struct og_deeper *deeper = by->deeper;
    *out = by->ranks;
    if (deeper == NULL || *number == by->first) {
        return OG_OK;
    }
    og_lock_take(&deeper->lock);
    og_status status = rank_depth(deeper, *number, message);
    if (status == OG_OK && deeper->ranks[*number]->tolerance_ties > 0) {
        *number = deeper->all->depth_last;
        status = rank_depth(deeper, *number, message);
    }
    *out = deeper->ranks[*number];
    og_lock_release(&deeper->lock);
    return status;
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const og_index_play *play = self;
    const og_ranks *ranks = play->ranks;
    const og_state *at = view->state;
    assert(play->deeper == NULL); /* those use a tournament */
    if (ranks->chooser_lock != NULL) {
        og_status status = og_ranks_ask(ranks, at, answer, kind);
        if (status != OG_OK) {
            og_ranks_failure(ranks, message);
        }
        return status;
    }
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < view->count; i++) {
        uint32_t rank = og_ranks_of(ranks, at->group[i].arm, at->left)[at->group[i].node];
        answer[i] = rank == 0 && ranks->stops ? -INFINITY : rank;
    }
    return OG_OK;
}

/* With several depths, only the last can have such ties. */
static uint64_t tolerance_ties(void *self)
{
    const og_index_play *play = self;
    const og_ranks *last =
        play->deeper != NULL ? play->deeper->ranks[play->deeper->all->depth_last] : NULL;
    return og_ranks_tolerance_ties(last != NULL ? last : play->ranks);
}

static void deeper_free(struct og_deeper *deeper)
{
    for (int32_t i = 0; deeper != NULL && i < OG_DEPTHS_MOST; i++) {
        og_ranks_free(deeper->ranks[i]);
    }
    if (deeper != NULL) {
        og_lock_clear(&deeper->lock);
    }
    free(deeper);
}

static void index_play_clear(const og_index_play *play)
{
    deeper_free(play->deeper);
    og_ranks_free(play->ranks);
    og_arms_free(play->arms);
    og_index_free(play->index);
    og_recorded_order_free(play->order);
    free(play->start);
}

static void index_play_free(void *self)
{
    index_play_clear(self);
    free(self);
}

og_status og_index_play_strategy(const og_index_play *by, og_strategy *out)
{
    og_index_play *play = malloc(sizeof *play);
    if (play == NULL) {
        index_play_clear(by);
        return OG_NO_MEMORY;
    }
    *play = *by;
    *out = (og_strategy){.self = play, .free = index_play_free};
    if (play->ranks != NULL) {
        out->ranks = play->ranks->chooser_lock == NULL ? play->ranks : NULL;
        out->choose = play->index == NULL ? choose : NULL;
        out->tolerance_ties = tolerance_ties;
    }
    return OG_OK;
}

og_status og_index_play_deepens(void *index_play, const og_instances *all,
                                const og_policy_name *policy, int32_t number)
{
    og_index_play *play = index_play;
    play->first = number;
    if (number == all->depth_last) {
        return OG_OK;
    }
    play->deeper = calloc(1, sizeof *play->deeper);
    OG_TRY(OG_ALLOCATED(play->deeper));
    play->deeper->all = all;
    play->deeper->policy = *policy;
    og_lock_init(&play->deeper->lock);
    return OG_OK;
}

/* Fill a tournament with all instances at their places; NULL means that none is labelled. `words`
 * must be 0 at places without an instance. */
static void fill_tournament(const og_instances *all, const og_ranks *ranks,
                            const og_run_place *places, uint32_t *words)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t *rank = og_ranks_of(ranks, (int32_t)all->arm_of[i], 1);
        og_tournament_put(words, i, rank[places != NULL ? places[i].node : 0]);
    }
    og_tournament_fill(&all->shape, words);
}

og_status og_index_play_new(const og_instances *all, og_ranks *ranks, og_strategy *out)
{
    og_index_play by = {.ranks = ranks};
    if (ranks->by_left || ranks->chooser_lock != NULL || all->labels == 0 || all->priced) {
        return og_index_play_strategy(&by, out);
    }
    by.start = calloc(og_tournament_words(&all->shape), sizeof *by.start);
    if (by.start == NULL) {
        og_ranks_free(ranks);
        return OG_NO_MEMORY;
    }
    fill_tournament(all, ranks, NULL, by.start);
    return og_index_play_strategy(&by, out);
}

/* Switch to deeper arms, because some instance needs them, and to the ranks of their nodes. */
static og_status deepen(og_episode *episode, const og_index_play *by, const og_ranks **ranks,
                        og_message *message)
{
    int32_t number = episode->depth_number + 1;
    OG_TRY(find_ranks(by, &number, ranks, message));
    OG_TRY(og_episode_go(episode, number, message));
    fill_tournament(episode->all, *ranks, episode->places, episode->tournament);
    return OG_OK;
}

/* True if the instances with the largest rank, and so all, are done. */
static bool is_tournament_done(const og_episode *episode, const og_ranks *ranks)
{
    const og_instances *all = episode->all;
    uint32_t instance = og_tournament_leader(&all->shape, episode->tournament, 0);
    return og_ranks_of(ranks, (int32_t)all->arm_of[instance], 1)[episode->places[instance].node] ==
           0;
}

static og_status play_by_tournament(og_episode *episode, const og_strategy *strategy, og_ties ties,
                                    og_message *message)
{
    const og_instances *all = episode->all;
    const og_index_play *by = strategy->self;
    const og_tournament_shape *shape = &all->shape;
    const og_ranks *ranks = by->ranks;
    memcpy(episode->tournament, by->start,
           og_tournament_words(shape) * sizeof *episode->tournament);
    for (int32_t left = all->labels; left > 0; left--) {
        OG_TRY(og_run_status(strategy, left));
        if (ranks->stops && is_tournament_done(episode, ranks)) {
            break;
        }
        uint32_t leaders = og_tournament_leaders(shape, episode->tournament);
        uint32_t j = og_episode_draw_tie(episode, ties, leaders, left);
        uint32_t instance = og_tournament_leader(shape, episode->tournament, j);
        og_episode_label(episode, instance);
        if (left == 1) {
            break; /* no ranks are needed again */
        }
        if (og_episode_at_end(episode, instance)) {
            OG_TRY(deepen(episode, by, &ranks, message));
        } else {
            const uint32_t *rank = og_ranks_of(ranks, (int32_t)all->arm_of[instance], 1);
            og_tournament_change(shape, episode->tournament, instance,
                                 rank[episode->places[instance].node]);
        }
    }
    return OG_OK;
}

/* ---- ranks that depend on the labels left ---- */

/* The largest rank of some instances, and how many have it; 0 without instances. */
typedef struct {
    uint32_t rank, count;
} leader;

static leader winner(leader left, leader right)
{
    if (left.count == 0 || right.count == 0) {
        return left.count == 0 ? right : left;
    }
    if (left.rank != right.rank) {
        return left.rank > right.rank ? left : right;
    }
    return (leader){left.rank, left.count + right.count};
}

static uint32_t touched_rank(const og_episode *episode, const og_ranks *ranks, int32_t left,
                             uint32_t position)
{
    uint32_t instance = episode->touched[position];
    return og_ranks_of(ranks, (int32_t)episode->all->arm_of[instance],
                       left)[episode->places[instance].node];
}

static leader find_leader(const og_episode *episode, const og_ranks *ranks, int32_t left)
{
    leader best = {0, 0};
    for (uint32_t i = 0; i < episode->touched_count; i++) {
        best = winner(best, (leader){touched_rank(episode, ranks, left, i), 1});
    }
    for (int32_t a = 0; a < ranks->arm_count; a++) {
        uint32_t crowd = episode->crowd_end[a] - episode->crowd_first[a];
        if (crowd > 0) {
            best = winner(best, (leader){og_ranks_of(ranks, a, left)[0], crowd});
        }
    }
    return best;
}

/* Remove an unlabelled instance from its crowd, which keeps its order if the first one is
 * removed. */
static uint32_t leave_crowd(og_episode *episode, int32_t arm, uint32_t position)
{
    uint32_t instance = episode->crowd[position];
    episode->crowd[position] = episode->crowd[episode->crowd_first[arm]];
    episode->crowd_first[arm]++;
    return instance;
}

/* True if the policy stops: all are done, or none is above the standard arm (og_priced_ranks). One
 * that ignores the price has ranks without that arm. */
static bool is_to_stop(const og_episode *episode, const og_ranks *ranks, int32_t left)
{
    int32_t standard = ranks->arm_count - 1;
    if (ranks->stops) {
        return find_leader(episode, ranks, left).rank == 0;
    }
    return episode->all->priced && ranks->arm_count == episode->all->arms->arm_count &&
           find_leader(episode, ranks, left).rank < og_ranks_of(ranks, standard, left)[0];
}

/* Take the first instance with this rank, in the order given. */
static uint32_t first_of_rank(og_episode *episode, const og_ranks *ranks, int32_t left,
                              uint32_t rank)
{
    uint32_t first = UINT32_MAX;
    int32_t from_crowd = -1;
    for (uint32_t i = 0; i < episode->touched_count; i++) {
        if (episode->touched[i] < first && touched_rank(episode, ranks, left, i) == rank) {
            first = episode->touched[i];
        }
    }
    for (int32_t a = 0; a < ranks->arm_count; a++) {
        uint32_t front = episode->crowd_first[a];
        if (front < episode->crowd_end[a] && episode->crowd[front] < first &&
            og_ranks_of(ranks, a, left)[0] == rank) {
            first = episode->crowd[front];
            from_crowd = a;
        }
    }
    return from_crowd < 0 ? first
                          : leave_crowd(episode, from_crowd, episode->crowd_first[from_crowd]);
}

/* Take the j-th instance with this rank, in some order. */
static uint32_t any_of_rank(og_episode *episode, const og_ranks *ranks, int32_t left, uint32_t rank,
                            uint32_t j)
{
    for (uint32_t i = 0; i < episode->touched_count; i++) {
        if (touched_rank(episode, ranks, left, i) == rank && j-- == 0) {
            return episode->touched[i];
        }
    }
    int32_t arm = 0;
    for (;; arm++) {
        uint32_t crowd = episode->crowd_end[arm] - episode->crowd_first[arm];
        if (crowd == 0 || og_ranks_of(ranks, arm, left)[0] != rank) {
            continue;
        }
        if (j < crowd) {
            return leave_crowd(episode, arm, episode->crowd_first[arm] + j);
        }
        j -= crowd;
    }
}

static uint32_t choose_by_looking(og_episode *episode, const og_ranks *ranks, og_ties ties,
                                  int32_t left)
{
    leader best = find_leader(episode, ranks, left);
    if (ties == OG_TIES_FIRST) {
        return first_of_rank(episode, ranks, left, best.rank);
    }
    return any_of_rank(episode, ranks, left, best.rank,
                       og_episode_draw_tie(episode, ties, best.count, left));
}

static og_status play_by_looking(og_episode *episode, const og_strategy *by, og_ties ties)
{
    const og_instances *all = episode->all;
    const og_ranks *ranks = ((const og_index_play *)by->self)->ranks;
    size_t arms = (size_t)all->arms->arm_count;
    memcpy(episode->crowd, all->by_arm, all->count * sizeof *episode->crowd);
    memcpy(episode->crowd_first, all->first, arms * sizeof *episode->crowd_first);
    memcpy(episode->crowd_end, all->first + 1, arms * sizeof *episode->crowd_end);
    for (int32_t left = all->labels; left > 0 && !is_to_stop(episode, ranks, left); left--) {
        OG_TRY(og_run_status(by, left));
        og_episode_label(episode, choose_by_looking(episode, ranks, ties, left));
    }
    return OG_OK;
}

og_status og_episode_play(void *self, const og_strategy *by, og_ties ties, double *metric,
                          og_message *message)
{
    og_episode *episode = self;
    const og_index_play *index = by->self;
    OG_TRY(og_episode_go(episode, index->first, message));
    if (by->choose != NULL && by->ranks == NULL) {
        return og_environment_loop(&episode->interface, by, ties, episode->seed, episode->run,
                                   metric, message);
    }
    if (by->choose == NULL) {
        OG_TRY(og_episode_play_by_chance(episode, by, ties, message));
    } else if (index->start != NULL) {
        OG_TRY(play_by_tournament(episode, by, ties, message));
    } else {
        OG_TRY(play_by_looking(episode, by, ties));
    }
    og_episode_score(episode, metric);
    return OG_OK;
}
