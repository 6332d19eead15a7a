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
 *   value(state): if known, return it; otherwise expand the state, evaluate its actions, combine
 *                 them, store the value, return it.
 *
 * If the largest action counts, an action whose bound cannot exceed the best one so far is skipped.
 * An action is also given up as soon as the values of its likelier outcomes and the bounds of the
 * others show that it cannot win. Skipped actions are below the best by more than the model's
 * margin. So the value, the largest of the computed ones, has the same bits for every order of
 * events, number of threads, and set of forgotten values.
 */
typedef struct {
    uint64_t expanded;  /* states expanded, including those computed again */
    uint64_t looked_up; /* successors looked up */
} og_engine_info;

/* Progress of the work. */
typedef struct {
    double settled;    /* share of the root's decisions, an estimate in 0 .. 1 that never falls */
    uint64_t expanded; /* states expanded by all threads; lags a little behind */
    bool counted;      /* called after a fixed number of states, not because time has passed */
    og_memo_user *memo_user; /* of the calling thread */
} og_engine_progress;

/* Called every few thousand states from one of the threads, and ten times a second if states take
 * long; false stops the work. */
typedef bool og_engine_watch(void *user, const og_engine_progress *progress);

typedef struct {
    int threads;            /* >= 1 */
    og_engine_watch *watch; /* may be NULL */
    void *user;
} og_engine_use;

/*
 * The value of the state `key` (words == 0: nothing can be gained, value 0). Adds to *info. The
 * memo may hold only values of the same model and combination. OG_NO_MEMORY if a frame of the
 * recursion cannot be allocated; OG_STOPPED if the watch stopped the work: the memo then holds the
 * values found so far; any error of the model's expand.
 */
og_status og_engine_value(const og_model *model, og_memo *memo, const og_engine_use *use,
                          const uint64_t *key, int32_t words, double *value, og_engine_info *info);

#endif
