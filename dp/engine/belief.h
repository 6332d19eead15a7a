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
 * A model in which a strategy takes the decisions, again as a model (private to dp/). A state is a
 * state of the model together with the strategy's belief; histories that lead to the same bits are
 * one state.
 *
 * A strategy that makes the final calls itself has two values: under its own calls and under those
 * of the exact posterior. The first is the value of the model made with `own`. Ties best and worst
 * use it for both values, so the second model consults the first, its `guide`.
 */
typedef struct og_followed og_followed;

typedef struct {
    const og_model *model;
    og_memo *memo;
} og_guide;

/* Borrows model, strategy and guide (NULL: none). OG_STOPPED with a message if a key would be too
 * long, OG_NO_MEMORY. */
og_status og_followed_new(const og_model *model, const og_value_asked *question, bool own,
                          const og_guide *guide, og_followed **out, og_message *message);
void og_followed_free(og_followed *followed); /* NULL is fine */

/* The model that evaluates a state, and its `root`. If the strategy failed, the engine ends with
 * its status, and og_followed_failure gives the message. */
og_model og_followed_model(const og_followed *followed);

/* The first failure, if there was one. */
og_status og_followed_failure(og_followed *followed, og_message *message);

/* Number of decisions so far that depend on a tolerance. */
uint64_t og_followed_tolerance_ties(const og_followed *followed);

/*
 * Walks all histories without memory, for both values at the root, on one thread. The states of
 * *result are histories, including the root and the last ones; at most 2^31, else OG_STOPPED with a
 * message. It stops at once if two answers for each decision give that many.
 */
og_status og_followed_walk(og_followed *followed, const og_settings *settings, double *own,
                           double *exact, og_result *result, og_message *message);

#endif
