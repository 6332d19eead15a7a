#ifndef OG_DP_PRODUCT_OPTIMUM_KEPT_H
#define OG_DP_PRODUCT_OPTIMUM_KEPT_H

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"
#include "dp/product/policy.h"
#include "dp/product/solve.h"
#include "dp/product/state.h"

/*
 * What later states of independent instances are worth, out of blocks whose layers are all kept:
 * for who asks about many states. Where these may come after any labels, blocks save less than for
 * the root alone, since forced labels and contracted posteriors would leave states out.
 */
typedef struct og_kept og_kept;

typedef enum {
    OG_KEPT_ALL,    /* after any labels */
    OG_KEPT_FORCED, /* after labels of which those that are forced were given: far fewer, and enough
                       to follow optimal play */
} og_kept_use;

/*
 * *out is NULL, with OG_OK, where the recursion takes less or layers do not fit: the recursion goes
 * first, and what it found stays in `solver`, the optimum's of the same arms and settings. Layers
 * are taken once it has expanded a 64th of their work, if they are at most 2^26 states and within
 * half of the memory limit. settings.engine: OG_ENGINE_BLOCKS takes them wherever they fit,
 * OG_ENGINE_RECURSION never. Counted, not timed: the same question has the same bits always.
 *
 * Borrows arms. OG_NO_MEMORY; OG_STOPPED with a message where the watch ends it.
 */
og_status og_kept_new(const og_arms *arms, const og_settings *settings, og_kept_use use,
                      og_solver *solver, og_kept **out, og_message *message);

/* The same for a policy's values with random ties, `solver` being its own; *out is NULL for one
 * that has a chooser as well. Borrows ranks. */
og_status og_kept_new_policy(const og_arms *arms, const og_ranks *ranks,
                             const og_settings *settings, og_solver *solver, og_kept **out,
                             og_message *message);
void og_kept_free(og_kept *kept); /* NULL is fine */

/* The optimum from the root, as og_solver_value; seconds and memory are those of both. */
void og_kept_value(const og_kept *kept, og_result *result);

/* Proved, of every value and Q: the solver's, but for OG_KEPT_FORCED at least that. */
double og_kept_relative_error(const og_kept *kept);

/* As og_solver_value_at and og_solver_q_of. OG_BAD_INPUT: the state, or
 * one that follows it, is not among those kept, as where an instance was labelled that no label can
 * pay for; the solver knows it. */
og_status og_kept_value_at(const og_kept *kept, const og_state *state, double *gain);
og_status og_kept_q_of(const og_kept *kept, const og_state *state, int32_t group, double *q);

/* As og_solver_q_at: by layers what they know, else by the solver; kept may be NULL. */
og_status og_kept_q_at(const og_kept *kept, og_solver *solver, const og_state *state, double *q,
                       double *error, og_message *message);

#endif
