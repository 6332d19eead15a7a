#ifndef OG_BENCH_QUESTIONS_VERIFY_EXACT_H
#define OG_BENCH_QUESTIONS_VERIFY_EXACT_H

#include <gmp.h>
#include <stdint.h>

#include "bench/questions/verify_optimum.h"

/*
 * Computes Q in fractions, with the same plain recursion as og_verify_optimum (private to bench/).
 * The doubles of the latter exclude actions that are proved worse; the rest is evaluated in
 * fractions, from the requested states down. Values are kept.
 */
typedef struct og_verify_exact og_verify_exact;

enum { OG_VERIFY_EXACT_STATES = 100000 };

/*
 * Borrows both. `error` is the proved relative error of the optimum's Q; limits->states_max counts
 * states with a fraction. OG_STOPPED without a message: an arm is not rational, or the limits are
 * too small for the fractions of the posteriors. GMP ends the process if memory runs out; the limit
 * prevents that.
 */
og_status og_verify_exact_new(const og_arms *arms, const og_verify_optimum *optimum, double error,
                              const og_verify_limits *limits, og_verify_exact **out);
void og_verify_exact_free(og_verify_exact *exact); /* may be NULL */

/* Q of labelling the item, as in og_verify_optimum_q. OG_STOPPED without a message: a limit was
 * reached; Q of states already evaluated is still available. */
og_status og_verify_exact_q(og_verify_exact *exact, const og_copies *list, int32_t count,
                            int32_t item, int32_t left, mpq_t q);

#endif
