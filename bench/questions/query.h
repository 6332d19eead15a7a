#ifndef OG_BENCH_QUESTIONS_QUERY_H
#define OG_BENCH_QUESTIONS_QUERY_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"

/*
 * One state: the value of each act, and the choices of policies. Without a time limit
 * (request.seconds_max) it answers within a moment: Qs that would need too many states or too much
 * memory get brackets.
 */
typedef struct {
    int32_t count; /* acts at the root, also if no labels are left */
    int32_t policy_count;
    og_act_open *act; /* [count] */
    /* [count] The further gain if this act is taken now and play is optimal afterwards; NAN if
     * unknown. NULL if no labels are left. */
    double *q;
    mpq_t *q_exact;  /* [count] the same; NULL unless requested */
    double *q_error; /* [count] proved, or as in the family's note: |q - exact| is at most this */
    double best;     /* the largest q, at least 0 */
    double *lost;    /* [count] best - q; 0 if optimal */
    bool *optimal;   /* [count] not proved worse than another act: within the errors of the best */
    /*
     * [count] True if this act is optimal and so is another act that is not proved to be worth the
     * same (equal posteriors and mirror images are). The proved error cannot show which is best, or
     * whether they tie. Never true in fractions.
     */
    bool *near_tie;
    /*
     * [count] Proved bounds of q, if a limit was reached before the Qs of independent instances
     * (dp/product/bracket.h); else NULL. Then q, lost and best are NAN, and optimal means that
     * lower is at least the upper of every other act that is not worth the same. `why` names the
     * limit. at_most is a proved bound of the loss from choosing the act; 0 if it is optimal.
     */
    double *lower, *upper, *at_most;
    og_message why;
    bool *pick;           /* [policy_count * count] all acts tied for the policy's choice */
    bool *stops;          /* [policy_count] it stops, perhaps by a draw, without an act for that */
    og_message *not_made; /* [policy_count] the limit that kept the policy from choosing; or
                             empty */
    double *index;        /* [policy_count * count] the numbers that a policy chose by: indices, or
                             weights; NAN: unknown */
    uint64_t *tolerance_ties; /* [policy_count] see og_strategy */
} og_query_result;

/*
 * Fill *out; free it with og_query_clear. The policies choose first. OG_STOPPED or OG_NO_MEMORY
 * with a message if a limit was reached and there is no bracket: in fractions, and for families
 * that are not a product of arms. On error *out is untouched.
 */
enum { OG_QUERY_STATES = 1 << 19 }; /* of a moment */

/* The best act as far as known: with the largest q, or the largest lower bound. `count` if there is
 * none. */
int32_t og_query_best(const og_query_result *result);

og_status og_query_run(const og_asked *asked, og_query_result *out, og_message *message);

void og_query_clear(og_query_result *result); /* a zeroed one is fine */

#endif
