#ifndef OG_BENCH_VALUE_PLAY_H
#define OG_BENCH_VALUE_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/engine/steps.h"

/*
 * One episode of somebody who plays by hand, in any family whose states are known: answers are
 * drawn from the posterior, and optimal values say what each choice costs. Not to be shared between
 * threads.
 */
typedef struct {
    og_arena arena;
    const og_family *family; /* borrowed, like the problem */
    const void *problem;
    og_steps steps;
    uint64_t seed; /* the n-th answer to what is listed at one place is always the same */
    bool over;     /* nothing can be done any more */
    int32_t left;
    const void *state; /* as the family tells it; until the next call */
    int32_t count;     /* acts that can be done now */
    double *q;         /* [count] as og_query_result.q counts: from the value without any label */
    double *q_error;   /* [count] proved */
    double best;       /* the largest */
    double cost;       /* of all choices so far: the sum of best - q */
    double value;      /* of optimal play from the start */
    double prior;      /* of no label at all; with `gains` values are counted from it */
    og_place here, next;
    og_stand stand;
    uint32_t *asked; /* [acts_max] how often */
    int32_t done;    /* choices so far */
    int32_t *chosen; /* [done] what they were */
    size_t chosen_room;
} og_play;

enum { OG_PLAY_DECISIONS = 1000 };

/* OG_BAD_INPUT with a message: more than OG_PLAY_DECISIONS decisions in the end, or a family
 * without steps; else as og_family.steps, and what values fail with. Clear it in any case. */
og_status og_play_begin(const og_family *family, const void *problem, const og_settings *settings,
                        uint64_t seed, og_play *play, og_message *message);
void og_play_clear(og_play *play); /* a zeroed one is fine */

/* Does the act lose something, beyond doubt? */
bool og_play_is_worse(const og_play *play, int32_t act);

/* The words of an act: "instance 3", which is the number of the act where states are shown as
 * tables, or the family's. */
void og_play_act_text(const og_play *play, int32_t act, char *text, size_t size);

/* Do an act, 0 <= act < count: its cost is added, its answer goes to `answer`, "" if nobody answers
 * yet. Where chance is next then, og_play_wait is to be called until `waits` is false. */
og_status og_play_do(og_play *play, int32_t act, char *answer, size_t size, og_message *message);
bool og_play_waits(const og_play *play);

/* Take the last choice back, done > 0, with what came after it. Asked again, it gets the answer
 * that it got. Fails as og_play_do; then the game can only be cleared. */
og_status og_play_undo(og_play *play, og_message *message);
og_status og_play_wait(og_play *play, char *event, size_t size, og_message *message);

#endif
