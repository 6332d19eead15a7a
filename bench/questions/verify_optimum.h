#ifndef OG_BENCH_QUESTIONS_VERIFY_OPTIMUM_H
#define OG_BENCH_QUESTIONS_VERIFY_OPTIMUM_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/state_set.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Computes the optimum with plain recursion over multisets of posteriors (private to bench/):
 *
 *   G(S) = max over posteriors x in S of  R(x) + sum_k p_k G(S with x replaced by next_k(x))
 *
 * It takes all actions; nothing is merged, dropped, bounded or forced; every state's value is kept.
 * Members of a multiset are global nodes (og_arms). The state determines the labels left.
 */
typedef struct og_verify_optimum og_verify_optimum;

typedef struct {
    uint64_t states_max;
    uint64_t memory_bytes;
    og_stop *stop; /* a limit too; may be NULL */
} og_verify_limits;

/* Evaluate every state that is reachable from the root. OG_STOPPED without a message: a limit was
 * reached after *visited states (or was predicted). */
og_status og_verify_optimum_new(const og_arms *arms, const og_copies *root, int32_t count,
                                const og_verify_limits *limits, og_verify_optimum **out,
                                uint64_t *visited);
void og_verify_optimum_free(og_verify_optimum *optimum); /* may be NULL */

/* Q of labelling the item, in an evaluated state with `left` >= 1 labels left. */
double og_verify_optimum_q(const og_verify_optimum *optimum, const og_copies *list, int32_t count,
                           int32_t item, int32_t left);

#endif
