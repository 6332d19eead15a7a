#ifndef OG_BENCH_SIMULATION_PERSON_PLAY_H
#define OG_BENCH_SIMULATION_PERSON_PLAY_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/product/optimum/query_cache.h"
#include "dp/product/solve.h"
#include "dp/product/state.h"

/*
 * One episode with labels from outside: every instance has its own number, and the solver computes
 * the value of labelling it. For one thread only.
 */
typedef struct {
    const og_arms *arms;  /* borrowed */
    int32_t left;         /* labels left */
    int32_t count;        /* instances */
    int32_t *arm;         /* [count] */
    uint32_t *node;       /* [count] */
    og_solver *solver;    /* owned, like the rest; private */
    og_query_cache *kept; /* layers for later states; NULL: none, or not needed yet */
    bool asked;
    og_settings settings;
    og_state_group *group;
    int32_t *group_of;
    double *group_q, *group_error;
    void *owned;
} og_person_play;

enum { OG_PRACTICE_INSTANCES = 1000 };

/* OG_BAD_INPUT with a message: more than OG_PRACTICE_INSTANCES instances. Else as og_solver_new. */
og_status og_person_play_init(og_person_play *episode, const og_arms *arms,
                              const og_settings *settings, og_message *message);

/* Compute for each instance the further gain if it is labelled now and play is optimal afterwards:
 * q [count], with proved errors, error [count]; left >= 1. */
og_status og_person_play_ask(og_person_play *episode, double *q, double *error,
                             og_message *message);

/* Record that an instance, 0 <= instance < count, received this label: its node changes. */
void og_person_play_hear(og_person_play *episode, int32_t instance, int32_t label);

void og_person_play_clear(og_person_play *episode); /* may be zeroed */

#endif
