#ifndef OG_BENCH_SIMULATION_ACT_H
#define OG_BENCH_SIMULATION_ACT_H

#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/product/chooser.h"

/* What can be done, and who decides it when a run is played. */

/* A family says what the parts mean: an instance; a task and a worker; a pair. */
typedef struct {
    uint32_t part[3];
} og_act;

/* `copies` acts alike; 0 where it cannot be done now. */
typedef struct {
    og_act act;
    int64_t copies;
} og_open;

/* A policy as an environment plays it. The environment says what `state` is. */
typedef struct {
    void *self;
    const og_ranks *ranks; /* of an index policy, which the environment may play faster; or NULL */
    double tie_relative;   /* answers so near the largest tie, as a share of it */
    size_t belief_bytes;   /* carried along a run; 0: the state says all */
    size_t scratch_bytes;  /* of one run, for all calls below */
    /* Fill the belief before the first answer; NULL where there is none. */
    og_status (*begin)(void *self, void *scratch, void *belief, og_message *message);
    /* The belief after an answer, and the chance of this branch of the policy's own coins: branch
     * 0, 1, ... until the chances add up to 1. */
    double (*learn)(void *self, void *scratch, const void *state, const void *before, og_act act,
                    int32_t answer, int32_t branch, void *after);
    /* answer[count] as og_chooser says; NULL: the environment's own `play` knows the policy. */
    og_status (*choose)(void *self, void *scratch, const void *state, const void *belief,
                        const og_open *open, int32_t count, double *answer, og_answer *kind,
                        og_message *message);
    uint64_t (*tolerance_ties)(void *self); /* see og_ranks; NULL: none */
    void (*free)(void *self);
} og_play_strategy;

#endif
