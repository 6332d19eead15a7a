/*
 * Plays a run by asking the strategy at every decision. This defines a run, and policies that use
 * the whole state are always played like this. Faster ways must give the same scores.
 */
#include "bench/environment.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/random.h"
#include "dp/base/arena.h"

/* Addresses of random numbers: ties use instance 0, choices by weight use instance 1. */
enum { TIE, WEIGHT };

typedef struct {
    const og_environment *environment;
    const og_strategy *by;
    og_ties ties;
    uint64_t seed, run;
    uint32_t heard; /* answers */
    int32_t count;
    og_act_open *open; /* [open_max] */
    double *answer;    /* [open_max + 1] the last: the index or weight of stopping */
    bool *tied;        /* [open_max] */
    double *decision;  /* [decision_count] */
    void *scratch, *belief, *after;
} act_episode;

/* Draw one act with these weights and set all other weights to 0; false if the policy draws to
 * stop.
 */
static bool draw_act(act_episode *episode, uint32_t number)
{
    const double stop = episode->answer[episode->count];
    double total = 0;
    for (int32_t i = 0; i < episode->count; i++) {
        total += episode->open[i].copies > 0 ? episode->answer[i] : 0;
    }
    total += stop;
    double rest =
        og_draw_unit(og_draw(episode->seed, OG_DRAW_TIE, episode->run, WEIGHT, number)) * total;
    int32_t drawn = -1;
    for (int32_t i = 0; i < episode->count; i++) {
        double weight = episode->open[i].copies > 0 ? episode->answer[i] : 0;
        if (weight > 0 && (drawn < 0 || rest >= 0)) {
            drawn = i;
        }
        rest -= weight;
    }
    for (int32_t i = 0; i < episode->count; i++) {
        episode->answer[i] = i == drawn ? 1 : 0; /* if all weights are 0: any other act */
    }
    return !(stop > 0 && (drawn < 0 || rest >= 0));
}

/* The largest answer of an open act. */
static double find_top(const act_episode *episode)
{
    double top = -INFINITY;
    for (int32_t i = 0; i < episode->count; i++) {
        top = episode->open[i].copies > 0 ? fmax(top, episode->answer[i]) : top;
    }
    return top;
}

/* Mark the acts that tie for the largest answer, and draw one of the copies. */
static int64_t draw_tie(act_episode *episode, uint32_t number)
{
    int64_t copies = 0;
    double least = og_strategy_least(episode->by, find_top(episode));
    for (int32_t i = 0; i < episode->count; i++) {
        episode->tied[i] = episode->open[i].copies > 0 && episode->answer[i] >= least;
        copies += episode->tied[i] ? episode->open[i].copies : 0;
    }
    if (episode->ties == OG_TIES_FIRST || copies == 1) {
        return 0;
    }
    uint64_t bits = og_draw(episode->seed, OG_DRAW_TIE, episode->run, TIE, number);
    return og_draw_below(bits, (uint32_t)copies);
}

static og_strategy_view view_of(const act_episode *episode)
{
    const og_environment *environment = episode->environment;
    return (og_strategy_view){episode->scratch, environment->state(environment->self),
                              episode->belief, episode->open, episode->count};
}

/* If the next belief is random, draw it with the strategy's probabilities. */
static og_status learn(act_episode *episode, og_act act, int32_t answer, og_message *message)
{
    const og_strategy *by = episode->by;
    const og_strategy_view view = view_of(episode);
    double rest = og_draw_unit(
        og_draw(episode->seed, OG_DRAW_GUESS, episode->run, UINT32_MAX, episode->heard++));
    for (int32_t branch = 0; rest >= 0; branch++) {
        double chance = by->learn(by->self, &view, act, answer, branch, episode->after);
        if (!(chance > 0)) {
            return og_message_set(
                message, OG_FAILED,
                "its belief leaves the range of doubles after %" PRIu32 " answers", episode->heard);
        }
        rest -= chance + 0x1p-40; /* probabilities add up to 1 within rounding */
    }
    memcpy(episode->belief, episode->after, by->belief_bytes);
    return OG_OK;
}

static og_status hear_all(act_episode *episode, og_message *message)
{
    og_act act;
    int32_t answer;
    og_status status = OG_OK;
    while (status == OG_OK && episode->environment->hear != NULL &&
           episode->environment->hear(episode->environment->self, &act, &answer)) {
        status = episode->by->learn != NULL ? learn(episode, act, answer, message) : OG_OK;
    }
    return status;
}

/* The final calls, if they are due or the policy has stopped. */
static og_status decide(act_episode *episode, bool stopped, og_message *message)
{
    const og_environment *environment = episode->environment;
    const og_strategy *by = episode->by;
    if (environment->due == NULL || !(stopped || environment->due(environment->self))) {
        return OG_OK;
    }
    if (by->decide != NULL) {
        const og_strategy_view view = view_of(episode);
        OG_TRY(by->decide(by->self, &view, episode->decision, message));
    }
    environment->decided(environment->self, by->decide != NULL ? episode->decision : NULL);
    return OG_OK;
}

/* Ask the strategy; *stops: it ends the run. */
static og_status choose(act_episode *episode, uint32_t number, bool *stops, og_message *message)
{
    const og_strategy *by = episode->by;
    const og_strategy_view view = view_of(episode);
    double *stop = &episode->answer[episode->count];
    og_answer kind;
    *stop = -INFINITY;
    OG_TRY(by->choose(by->self, &view, episode->answer, &kind, message));
    OG_TRY(og_stopping_check(kind, stop, message));
    *stops = kind == OG_ANSWER_WEIGHTS ? !draw_act(episode, number)
                                       : *stop >= og_strategy_least(by, find_top(episode));
    return OG_OK;
}

static og_status play(act_episode *episode, og_message *message)
{
    const og_environment *environment = episode->environment;
    const og_strategy *by = episode->by;
    void *self = environment->self;
    bool stops = false;
    uint32_t number;
    og_status status = og_strategy_begin(by, episode->scratch, episode->belief, message);
    while (status == OG_OK && (status = hear_all(episode, message)) == OG_OK &&
           (status = decide(episode, false, message)) == OG_OK) {
        OG_TRY(og_run_status(by, 0)); /* a decision may take long */
        episode->count = environment->open(self, episode->open, &number);
        if (episode->count == 0) {
            break;
        }
        status = choose(episode, number, &stops, message);
        if (status == OG_OK && stops) {
            return decide(episode, true, message);
        }
        if (status == OG_OK) {
            environment->step(self, episode->tied, draw_tie(episode, number));
        }
    }
    return status;
}

og_status og_environment_loop(const og_environment *environment, const og_strategy *by,
                              og_ties ties, uint64_t seed, uint64_t run, double *metric,
                              og_message *message)
{
    size_t room = (size_t)environment->open_max;
    og_arena arena = {0};
    act_episode episode = {.environment = environment,
                           .by = by,
                           .ties = ties,
                           .seed = seed,
                           .run = run,
                           .open = og_arena_array(&arena, room, sizeof *episode.open),
                           .answer = og_arena_array(&arena, room + 1, sizeof *episode.answer),
                           .tied = og_arena_array(&arena, room, sizeof *episode.tied),
                           .decision = og_arena_array(&arena, (size_t)environment->decision_count,
                                                      sizeof *episode.decision),
                           .scratch = og_arena_array(&arena, by->scratch_bytes, 1),
                           .belief = og_arena_array(&arena, by->belief_bytes, 1),
                           .after = og_arena_array(&arena, by->belief_bytes, 1)};
    og_status status = og_arena_status(&arena);
    OG_THEN(status, play(&episode, message));
    if (status == OG_OK) {
        environment->score(environment->self, metric);
    }
    og_arena_clear(&arena);
    return status;
}
