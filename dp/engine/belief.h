#ifndef OG_DP_ENGINE_BELIEF_H
#define OG_DP_ENGINE_BELIEF_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/memo.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/engine/strategy.h"

/*
 * A model under a strategy, as a model again (private to dp/): where the model has a decision, the
 * strategy takes it. A state is one of the model with the strategy's belief beside it; histories
 * that lead to the same bits are one.
 *
 * A strategy that decides by itself in the end has two values, by its own decisions and by those of
 * the exact posterior. The first is the value of the model made with `own`. Ties best and worst go
 * by it in both, so the second asks the first, its `guide`.
 */
typedef struct og_followed og_followed;

typedef struct {
    const og_model *model;
    og_memo *memo;
} og_guide;

/* Borrows model, strategy and guide (NULL: none). OG_STOPPED with a message if a key would be too
 * long, OG_NO_MEMORY. */
og_status og_followed_new(const og_model *model, const og_question *question, bool own,
                          const og_guide *guide, og_followed **out, og_message *message);
void og_followed_free(og_followed *followed); /* NULL is fine */

/* What values a state, and `root`. Where the strategy failed, the engine's work ends with its
 * status, and the message is og_followed_failure's. */
og_model og_followed_model(const og_followed *followed);

/* What went wrong first, if anything did. */
og_status og_followed_failure(og_followed *followed, og_message *message);

/* Decisions so far that hang on a tolerance. */
uint64_t og_followed_tolerance_ties(const og_followed *followed);

/*
 * By histories, nothing remembered: both values at the root, on one thread. States of *result are
 * histories, the root and the last included; at most 2^31, else OG_STOPPED with a message, at once
 * where two answers a decision make that many.
 */
og_status og_followed_walk(og_followed *followed, const og_settings *settings, double *own,
                           double *exact, og_result *result, og_message *message);

#endif
