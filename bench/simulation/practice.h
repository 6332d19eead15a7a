#ifndef OG_BENCH_SIMULATION_PRACTICE_H
#define OG_BENCH_SIMULATION_PRACTICE_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/optimum/kept.h"
#include "dp/product/solve.h"
#include "dp/product/state.h"

/*
 * One episode of labels that come from outside: every instance has a number of its own, and the
 * solver says what a label of it is worth. Not to be shared between threads.
 */
typedef struct {
    const og_arms *arms; /* borrowed */
    int32_t left;        /* labels left */
    int32_t count;       /* instances */
    int32_t *arm;        /* [count] */
    uint32_t *node;      /* [count] */
    og_solver *solver;   /* owned, like the rest; private */
    og_kept *kept;       /* layers for later states; NULL: none, or not asked yet */
    bool asked;
    og_settings settings;
    og_state_group *group;
    int32_t *group_of;
    double *group_q, *group_error;
    void *owned;
} og_practice;

enum { OG_PRACTICE_INSTANCES = 1000 };

/* OG_BAD_INPUT with a message: more than OG_PRACTICE_INSTANCES instances. Else as og_solver_new. */
og_status og_practice_init(og_practice *episode, const og_arms *arms, const og_settings *settings,
                           og_message *message);

/* Each instance's gain still to come if it is labelled now and play is optimal after that: q
 * [count], with proved errors, error [count]; left >= 1. */
og_status og_practice_ask(og_practice *episode, double *q, double *error, og_message *message);

/* An instance, 0 <= instance < count, got this label: its node moves on. */
void og_practice_hear(og_practice *episode, int32_t instance, int32_t label);

void og_practice_clear(og_practice *episode); /* a zeroed one is fine */

#endif
