#ifndef OG_DP_ENGINE_SETTINGS_H
#define OG_DP_ENGINE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * How a value is computed, and what comes of it: limits, watchers, sizes. The same for every model.
 */

/* The design's reductions, each exact and each switchable, so that a test can compare a value with
 * and without it. */
enum {
    OG_REDUCE_SORT = 1,   /* 1: the order of instances does not matter */
    OG_REDUCE_MERGE = 2,  /* 2: equivalent nodes are one class, dead ones are dropped */
    OG_REDUCE_CAP = 4,    /* 3: copies that can never all be used are dropped; needs SORT */
    OG_REDUCE_FORCE = 8,  /* 4: a label that is at least as good as anything later is taken */
    OG_REDUCE_BOUND = 16, /* 5: actions that cannot win are skipped */
    OG_REDUCE_ALL = 31,
};

/* How far a long computation has come. */
typedef struct {
    uint64_t states;       /* remembered so far, forgotten ones included; lags a little behind */
    uint64_t memory_bytes; /* held by the tables now */
    double settled;        /* share of the first decisions that is settled, 0 .. 1; an estimate */
    double seconds;        /* since the call */
} og_progress;

/* Called about ten times a second from one of the threads at work; false stops the computation. */
typedef bool og_watch(void *user, const og_progress *progress);

typedef struct {
    int threads;           /* 0: one per core */
    uint64_t memory_bytes; /* hard limit for tables; 0: three quarters of the physical memory */
    unsigned
        reductions;  /* OG_REDUCE_*; the optimum uses all of them, a policy what is exact for it */
    og_watch *watch; /* NULL: nobody is told */
    void *watch_user;
    uint64_t states_max; /* stop after so many states were expanded; 0: no such limit. Every thread
                            looks at this and the other limits each 4096 states of its own */
    bool stop_when_full; /* stop when the memory limit is reached, instead of forgetting what is
                            cheapest to compute again */
    /*
     * A file for what is known: read when the solver is made, if it is there; written at intervals
     * and when the computation is stopped (dp/engine/checkpoint.h). Borrowed; NULL: none. Not for
     * policies.
     */
    const char *checkpoint;
    /* Between two writings, at least; they take a tenth of the time at most. 0:
     * OG_CHECKPOINT_SECONDS. */
    double checkpoint_seconds;
} og_settings;

enum { OG_CHECKPOINT_SECONDS = 300 };

void og_settings_default(og_settings *settings);

typedef struct {
    double value;          /* expected number of correct calls at the end */
    double gain;           /* value minus the expected number without any label */
    double error_bound;    /* |value - exact| and |gain - exact| are at most this; proved */
    uint64_t states;       /* states remembered, forgotten ones included */
    uint64_t forgotten;    /* of them, given up because the memory was full */
    uint64_t expanded;     /* states expanded, those done twice included */
    uint64_t memory_bytes; /* largest use of the tables, arms included */
    double seconds;        /* wall clock */
} og_result;

/* The settings with what is 0 filled in. */
og_settings og_settings_filled(const og_settings *given);

#endif
