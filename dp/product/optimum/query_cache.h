#ifndef OG_DP_PRODUCT_OPTIMUM_QUERY_CACHE_H
#define OG_DP_PRODUCT_OPTIMUM_QUERY_CACHE_H

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/policy.h"
#include "dp/product/solve.h"
#include "dp/product/state.h"

/*
 * Values of later states of independent instances, from layers that are all kept, of blocks or of a
 * margin cut: for callers that need many states. If these states may follow any labels, blocks save
 * less than for the root alone, because forced labels and contracted posteriors would omit states.
 */
typedef struct og_query_cache og_query_cache;

typedef enum {
    OG_KEPT_ALL,    /* after any labels */
    OG_KEPT_FORCED, /* after labels that include all forced ones: far fewer states, and enough to
                     * follow optimal play */
} og_query_cache_use;

/*
 * *out is NULL, with OG_OK, if the recursion takes less or the layers do not fit. The recursion
 * goes first, and its values stay in `solver`, which is the optimum's for the same arms and
 * settings. Layers are used once it has expanded a 64th of their work, if they fit in half of the
 * memory limit: those of a margin cut that closes at the root, if blocks have ten times the states
 * or more than 2^26, else those of blocks. With settings.engine
 * OG_ENGINE_BLOCKS blocks are used whenever they fit, with OG_ENGINE_RECURSION never. Work is
 * counted, not timed: the same question always gives the same bits.
 *
 * Borrows arms. OG_NO_MEMORY; OG_STOPPED with a message if the watch ends it.
 */
og_status og_query_cache_new(const og_arms *arms, const og_settings *settings,
                             og_query_cache_use use, og_solver *solver, og_query_cache **out,
                             og_message *message);

/* The same for a policy's values with random ties; `solver` is the policy's. *out is NULL also for
 * a policy with a chooser. Borrows ranks. */
og_status og_query_cache_new_policy(const og_arms *arms, const og_ranks *ranks,
                                    const og_settings *settings, og_solver *solver,
                                    og_query_cache **out, og_message *message);
void og_query_cache_free(og_query_cache *kept); /* NULL is fine */

/* The optimum from the root, as og_solver_value; seconds and memory cover both engines. */
void og_query_cache_value(const og_query_cache *kept, og_result *result);

/* As og_solver_value_at and og_solver_q_of, with proved errors. Where both ends of a cut differ,
 * the value is the middle. OG_BAD_INPUT if the state, or one that follows it, is not kept, for
 * example because a dead instance was labelled; the solver supports such states. */
og_status og_query_cache_value_at(const og_query_cache *kept, const og_state *state, double *gain,
                                  double *error);
og_status og_query_cache_q_of(const og_query_cache *kept, const og_state *state, int32_t group,
                              double *q, double *error);

/* Like og_solver_q_at, but reads stored layers if possible; kept may be NULL. */
og_status og_query_cache_q_at(const og_query_cache *kept, og_solver *solver, const og_state *state,
                              double *q, double *error, og_message *message);

#endif
