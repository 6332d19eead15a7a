#ifndef OG_BENCH_SIMULATION_PRACTICE_H
#define OG_BENCH_SIMULATION_PRACTICE_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/solve.h"
#include "dp/product/state.h"

/*
 * One episode of somebody who labels by hand: every instance has a number of its own, labels are
 * drawn from the posterior, and the solver says what each choice cost. Not to be shared between
 * threads.
 */
typedef struct {
    const og_arms *arms; /* borrowed */
    uint64_t seed;       /* of the labels: the n-th label of an instance is always the same */
    int32_t left;        /* labels left */
    int32_t count;       /* instances */
    int32_t *arm;        /* [count] */
    uint32_t *node;      /* [count] */
    double *q;           /* [count] of the state at hand; see og_practice_ask */
    double best;         /* the largest */
    double error;        /* proved, of best */
    double cost;         /* of all choices so far: the sum of best - q */
    og_solver *solver;   /* owned, like the rest; private */
    og_state_group *group;
    int32_t *group_of;
    double *group_q, *group_error;
    void *owned;
} og_practice;

enum { OG_PRACTICE_INSTANCES = 1000 };

/* OG_BAD_INPUT with a message: more than OG_PRACTICE_INSTANCES instances. Else as og_solver_new. */
og_status og_practice_init(og_practice *episode, const og_arms *arms, const og_settings *settings,
                           uint64_t seed, og_message *message);

/* Fill q, best and error for the state at hand; left >= 1. */
og_status og_practice_ask(og_practice *episode, og_message *message);

/* Label an instance, 0 <= instance < count, after og_practice_ask: its node moves on, its cost
 * is added. Returns what the label says. */
int32_t og_practice_label(og_practice *episode, int32_t instance);

/* The same where the answer is known: the outcome of the label. Costs nothing. */
void og_practice_hear(og_practice *episode, int32_t instance, int32_t label);

/* Does the choice lose something, beyond doubt? */
bool og_practice_is_worse(const og_practice *episode, int32_t instance);

void og_practice_clear(og_practice *episode); /* a zeroed one is fine */

#endif
