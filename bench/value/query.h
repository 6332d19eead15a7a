#ifndef OG_BENCH_VALUE_QUERY_H
#define OG_BENCH_VALUE_QUERY_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/engine/settings.h"
#include "dp/prior/problem.h"
#include "heuristics/policy.h"

/*
 * One state laid open: what labelling each instance now is worth, and what policies would label.
 */
typedef struct {
    const og_problem *problem; /* borrowed; its budget is the number of labels left */
    int32_t whole_budget;      /* T, for policies that depend on it; >= problem->budget */
    const og_policy *policies; /* [policy_count] */
    int32_t policy_count;
    og_settings settings; /* threads >= 1, memory_bytes > 0 */
    bool exact;           /* fractions (dp/exact/exact.h); OG_BAD_INPUT if an arm is not rational */
} og_query_request;

typedef struct {
    int32_t group_count;
    int32_t policy_count;
    /*
     * [group_count] Gain still to come if an instance of the group is labelled now and play is
     * optimal after that. NULL without labels left: nothing can be labelled, no
     * group is optimal and policies pick nothing.
     */
    double *q;
    mpq_t *q_exact;  /* [group_count] the same; NULL unless asked for, or without labels left */
    double *q_error; /* [group_count] proved: |q - exact| is at most this */
    double best;     /* the largest q; 0 without labels left */
    double *lost;    /* [group_count] best - q; 0 if optimal */
    bool *optimal; /* [group_count] not proved worse than another: within the errors of the best */
    /*
     * [group_count] never if exact; optimal, and so is another group that is not proved to be worth
     * the same (as equal posteriors and mirror images are): which of them is truly best, or whether
     * they tie, is below the proved error.
     */
    bool *near_tie;
    bool *pick; /* [policy_count * group_count] all the instances tied for the policy's choice */
    uint64_t *tolerance_ties; /* [policy_count] see og_ranks */
} og_query_result;

/*
 * Fill *out; free it with og_query_clear. OG_STOPPED or OG_NO_MEMORY with a message when a limit
 * was reached. On error *out is untouched.
 */
og_status og_query(const og_query_request *request, og_query_result *out, og_message *message);

void og_query_clear(og_query_result *result); /* a zeroed one is fine */

#endif
