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
    double *answer;    /* [open_max] */
    bool *tied;        /* [open_max] */
    double *decision;  /* [decision_count] */
    void *scratch, *belief, *after;
} act_episode;

/* Draw one act with these weights and set all other weights to 0. */
static void draw_act(act_episode *of, uint32_t number)
{
    double total = 0;
    for (int32_t i = 0; i < of->count; i++) {
        total += of->open[i].copies > 0 ? of->answer[i] : 0;
    }
    double rest = og_draw_unit(og_draw(of->seed, OG_DRAW_TIE, of->run, WEIGHT, number)) * total;
    int32_t drawn = -1;
    for (int32_t i = 0; i < of->count; i++) {
        double weight = of->open[i].copies > 0 ? of->answer[i] : 0;
        if (weight > 0 && (drawn < 0 || rest >= 0)) {
            drawn = i;
        }
        rest -= weight;
    }
    for (int32_t i = 0; i < of->count; i++) {
        of->answer[i] = i == drawn ? 1 : 0; /* if all weights are 0: any other act */
    }
}

/* Mark the acts that tie for the largest answer, and draw one of the copies. */
static int64_t draw_tie(act_episode *of, uint32_t number)
{
    double top = -INFINITY;
    int64_t copies = 0;
    for (int32_t i = 0; i < of->count; i++) {
        top = of->open[i].copies > 0 ? fmax(top, of->answer[i]) : top;
    }
    double least = og_strategy_least(of->by, top);
    for (int32_t i = 0; i < of->count; i++) {
        of->tied[i] = of->open[i].copies > 0 && of->answer[i] >= least;
        copies += of->tied[i] ? of->open[i].copies : 0;
    }
    if (of->ties == OG_TIES_FIRST || copies == 1) {
        return 0;
    }
    uint64_t bits = og_draw(of->seed, OG_DRAW_TIE, of->run, TIE, number);
    return og_draw_below(bits, (uint32_t)copies);
}

static og_strategy_view view_of(const act_episode *of)
{
    const og_environment *environment = of->environment;
    return (og_strategy_view){of->scratch, environment->state(environment->self), of->belief,
                              of->open, of->count};
}

/* If the next belief is random, draw it with the strategy's probabilities. */
static og_status learn(act_episode *of, og_act act, int32_t answer, og_message *message)
{
    const og_strategy *by = of->by;
    const og_strategy_view view = view_of(of);
    double rest = og_draw_unit(og_draw(of->seed, OG_DRAW_GUESS, of->run, UINT32_MAX, of->heard++));
    for (int32_t branch = 0; rest >= 0; branch++) {
        double chance = by->learn(by->self, &view, act, answer, branch, of->after);
        if (!(chance > 0)) {
            return og_message_set(
                message, OG_FAILED,
                "its belief leaves the range of doubles after %" PRIu32 " answers", of->heard);
        }
        rest -= chance + 0x1p-40; /* probabilities add up to 1 within rounding */
    }
    memcpy(of->belief, of->after, by->belief_bytes);
    return OG_OK;
}

static og_status hear_all(act_episode *of, og_message *message)
{
    og_act act;
    int32_t answer;
    og_status status = OG_OK;
    while (status == OG_OK && of->environment->hear != NULL &&
           of->environment->hear(of->environment->self, &act, &answer)) {
        status = of->by->learn != NULL ? learn(of, act, answer, message) : OG_OK;
    }
    return status;
}

static og_status decide(act_episode *of, og_message *message)
{
    const og_environment *environment = of->environment;
    const og_strategy *by = of->by;
    if (environment->due == NULL || !environment->due(environment->self)) {
        return OG_OK;
    }
    if (by->decide != NULL) {
        const og_strategy_view view = view_of(of);
        OG_TRY(by->decide(by->self, &view, of->decision, message));
    }
    environment->decided(environment->self, by->decide != NULL ? of->decision : NULL);
    return OG_OK;
}

static og_status play(act_episode *of, og_message *message)
{
    const og_environment *environment = of->environment;
    const og_strategy *by = of->by;
    void *self = environment->self;
    og_answer kind;
    uint32_t number;
    og_status status = og_strategy_begin(by, of->scratch, of->belief, message);
    while (status == OG_OK && (status = hear_all(of, message)) == OG_OK &&
           (status = decide(of, message)) == OG_OK) {
        if (og_stop_asked(by->stop)) {
            return og_message_set(message, OG_STOPPED, "the run was stopped");
        }
        of->count = environment->open(self, of->open, &number);
        if (of->count == 0) {
            break;
        }
        const og_strategy_view view = view_of(of);
        status = by->choose(by->self, &view, of->answer, &kind, message);
        if (status == OG_OK) {
            if (kind == OG_ANSWER_WEIGHTS) {
                draw_act(of, number);
            }
            environment->step(self, of->tied, draw_tie(of, number));
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
    act_episode of = {.environment = environment,
                      .by = by,
                      .ties = ties,
                      .seed = seed,
                      .run = run,
                      .open = og_arena_array(&arena, room, sizeof *of.open),
                      .answer = og_arena_array(&arena, room, sizeof *of.answer),
                      .tied = og_arena_array(&arena, room, sizeof *of.tied),
                      .decision = og_arena_array(&arena, (size_t)environment->decision_count,
                                                 sizeof *of.decision),
                      .scratch = og_arena_array(&arena, by->scratch_bytes, 1),
                      .belief = og_arena_array(&arena, by->belief_bytes, 1),
                      .after = og_arena_array(&arena, by->belief_bytes, 1)};
    og_status status = og_arena_status(&arena);
    OG_THEN(status, play(&of, message));
    if (status == OG_OK) {
        environment->score(environment->self, metric);
    }
    og_arena_clear(&arena);
    return status;
}
