#ifndef OG_BENCH_QUESTIONS_PLAY_H
#define OG_BENCH_QUESTIONS_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/engine/steps.h"

/*
 * One game played by a person, in any family with steps. Answers are drawn from the posterior, and
 * optimal values give the cost of each choice. For one thread only.
 */
typedef struct {
    og_arena arena;
    const og_family *family; /* borrowed, like the problem */
    const void *problem;
    og_steps steps;
    uint64_t seed; /* the n-th answer to the act at one place of the list is always the same */
    bool over;     /* no act is left */
    int32_t left;
    const void *state; /* in the family's form; valid until the next call */
    int32_t count;     /* number of possible acts */
    double *q;         /* [count] counted as in og_query_result.q: over the value without any
                          label */
    double *q_error;   /* [count] proved */
    double best;       /* the largest */
    double cost;       /* of all choices so far: the sum of best - q */
    double value;      /* of an optimal policy from the start */
    double prior;      /* value without any label; with `gains` values are counted over it */
    og_step_state here, next;
    og_step_view stand;
    uint32_t *asked; /* [acts_max] how often each was labelled */
    int32_t done;    /* choices so far */
    int32_t *chosen; /* [done] the acts chosen */
    size_t chosen_room;
} og_play;

enum { OG_PLAY_DECISIONS = 1000 };

/* OG_BAD_INPUT with a message: more than OG_PLAY_DECISIONS final calls, or a family without steps.
 * Other errors are those of og_family.model.steps and of values. `by`: who plays, borrowed; NULL: a
 * person. Clear it in any case. */
og_status og_play_begin(const og_family *family, const void *problem, const og_settings *settings,
                        const og_strategy *by, uint64_t seed, og_play *play, og_message *message);
void og_play_clear(og_play *play); /* a zeroed one is fine */

/* True if the act certainly loses value. */
bool og_play_is_worse(const og_play *play, int32_t act);

/* The text of an act: "instance 3" with the act's number if states are shown as tables, or the
 * family's text. */
void og_play_act_text(const og_play *play, int32_t act, char *text, size_t size);

/* Take an act, 0 <= act < count: add its cost and write its answer to `answer`, "" if there is no
 * answer yet. Afterwards, while og_play_waits is true, chance moves next: call og_play_wait. */
og_status og_play_do(og_play *play, int32_t act, char *answer, size_t size, og_message *message);
bool og_play_waits(const og_play *play);

/* Undo the last choice, done > 0, and everything after it. The same choice would receive the same
 * answer again. Fails like og_play_do; then the game can only be cleared. */
og_status og_play_undo(og_play *play, og_message *message);
og_status og_play_wait(og_play *play, char *event, size_t size, og_message *message);

#endif
