#ifndef OG_BENCH_VALUE_QUERY_H
#define OG_BENCH_VALUE_QUERY_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/engine/settings.h"
#include "heuristics/policy.h"

/*
 * One state: what doing each thing now is worth, and what policies would do.
 */
typedef struct {
    const og_family *family;
    const void *problem;            /* of the family; borrowed, like the rest */
    const og_policy_name *policies; /* [policy_count] */
    int32_t policy_count;
    og_settings settings; /* threads >= 1, memory_bytes > 0 */
    bool exact;           /* fractions; OG_BAD_INPUT if there are none */
    bool at_once;         /* Qs that take more than a moment, by counted states of few instances and
                             by memory, are bracketed */
} og_query_request;

typedef struct {
    int32_t count; /* acts at the root, whether there are labels left or not */
    int32_t policy_count;
    og_open *act; /* [count] */
    /* [count] Gain still to come if it is done now and play is optimal after that; NAN where that
     * is not known. NULL without labels left: nothing can be done. */
    double *q;
    mpq_t *q_exact;  /* [count] the same; NULL unless asked for */
    double *q_error; /* [count] proved, or as the family states: |q - exact| is at most this */
    double best;     /* the largest q, at least 0 */
    double *lost;    /* [count] best - q; 0 if optimal */
    bool *optimal;   /* [count] not proved worse than another: within the errors of the best */
    /*
     * [count] never if exact; optimal, and so is another act that is not proved to be worth the
     * same (as equal posteriors and mirror images are): which of them is truly best, or whether
     * they tie, is below the proved error.
     */
    bool *near_tie;
    /*
     * [count] q is between these, proved, where a limit came before the Qs of independent instances
     * (dp/product/bracket.h); else NULL. Then q, lost and best are NAN, and optimal means that
     * lower is at least every other act's upper, but for acts that are worth the same. `why` names
     * the limit. at_most: what choosing the act can lose at most, proved; 0 where it is optimal.
     */
    double *lower, *upper, *at_most;
    og_message why;
    bool *pick;           /* [policy_count * count] all acts tied for the policy's choice */
    og_message *not_made; /* [policy_count] why a limit kept the policy from choosing; or empty */
    uint64_t *tolerance_ties; /* [policy_count] see og_strategy */
} og_query_result;

/*
 * Fill *out; free it with og_query_clear. The policies choose first. OG_STOPPED or OG_NO_MEMORY
 * with a message when a limit was reached and there is no bracket: in fractions, and for families
 * that are no product of arms. On error *out is untouched.
 */
enum { OG_QUERY_STATES = 1 << 19 }; /* at_once */

/* The act that is best for all that is known: of the largest q, or of the largest lower end.
 * `count` where there is none. */
int32_t og_query_best(const og_query_result *result);

og_status og_query_run(const og_query_request *request, og_query_result *out, og_message *message);

void og_query_clear(og_query_result *result); /* a zeroed one is fine */

#endif
