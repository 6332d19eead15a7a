#ifndef OG_DP_ENGINE_ENGINE_H
#define OG_DP_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/memo.h"
#include "dp/engine/model.h"

/*
 * The recursion with a memory, for any model:
 *
 *   value(state): known? return it; otherwise expand it, value its actions, combine, remember,
 * return.
 *
 * Where the largest action counts, an action whose bound cannot beat the best one so far is
 * skipped, and an action is given up as soon as the values of its likelier outcomes and the bounds
 * of the others show that it cannot win. Skipped actions lie below the best by more than the
 * model's margin, so the value, the largest of the computed ones, has the same bits whatever the
 * order of events, however many threads there are and whatever the memory had forgotten.
 */
typedef struct {
    uint64_t expanded;  /* states expanded, those computed again included */
    uint64_t looked_up; /* successors asked for */
} og_engine_info;

/* How far the work has come. */
typedef struct {
    double settled;    /* share of the root's decisions, an estimate in 0 .. 1 that never falls */
    uint64_t expanded; /* states expanded by all threads; lags a little behind */
    bool counted;      /* told after a fixed number of states, not because time has passed */
    og_memo_user *memo_user; /* of the thread that tells */
} og_engine_progress;

/* Called every few thousand states from one of the threads, and ten times a second where states
 * take long; false stops the work. */
typedef bool og_engine_watch(void *user, const og_engine_progress *progress);

typedef struct {
    int threads;            /* >= 1 */
    og_engine_watch *watch; /* may be NULL */
    void *user;
} og_engine_use;

/*
 * Value of the state `key` (words == 0: nothing can be gained, value 0). Adds to *info. The memo
 * may hold values of the same model and combination only. OG_NO_MEMORY if a frame of the recursion
 * cannot be had; OG_STOPPED if the watch said so: the memo then holds what was found; what the
 * model's expand failed with.
 */
og_status og_engine_value(const og_model *model, og_memo *memo, const og_engine_use *use,
                          const uint64_t *key, int32_t words, double *value, og_engine_info *info);

#endif
