#ifndef OG_BENCH_COMPARE_H
#define OG_BENCH_COMPARE_H

#include <stdint.h>

#include "dp/problem.h"
#include "dp/solve.h"
#include "heuristics/bound.h"
#include "heuristics/policy.h"

/*
 * The main job: the optimum of a problem, the exact value of policies on it and
 * upper bounds, side by side.
 */
typedef struct {
    const og_problem *problem; /* borrowed, like the rest */
    const og_policy *policies; /* [policy_count] */
    int32_t policy_count;
    const og_ties *ties; /* [ties_count] every policy is valued under each of them */
    int32_t ties_count;
    og_settings settings; /* threads >= 1, memory_bytes > 0 */
    /* Told what begins, from the calling thread; may be NULL. */
    void (*progress)(void *user, const char *stage);
    void *user;
} og_compare_request;

/* One policy under one tie rule. */
typedef struct {
    int32_t policy; /* index into the request's policies */
    og_ties ties;
    og_status status; /* OG_OK; OG_STOPPED or OG_NO_MEMORY: not valued, and message says why */
    og_message message;
    og_result result;
    uint64_t tolerance_ties; /* see og_ranks */
    /*
     * Where the optimum is known too: optimal gain minus this gain, 0 where rounding alone made
     * it negative; exact within gap_error. Percentages of the optimal value and of the optimal
     * gain, the latter 0 where that gain is 0.
     */
    double gap;
    double gap_error;
    double gap_percent;
    double gain_lost_percent;
    /*
     * Proved whether or not the optimum is known, from the best upper bound; rounded to nearest.
     * The percentages are those of a problem whose optimum is as large as it can be: they grow
     * with it.
     */
    double gap_most;
    double gap_most_percent;
    double gain_lost_most_percent;
} og_compare_row;

typedef struct {
    double call; /* expected number of correct calls without any label */
    double call_error;
    og_status optimal_status; /* OG_OK; OG_STOPPED or OG_NO_MEMORY: a limit was reached */
    og_message optimal_message;
    og_result optimal;
    int32_t row_count; /* policy_count * ties_count, policies in order, tie rules within */
    og_compare_row *rows;
    og_bound scalar;
    og_bound vector;
    double lower; /* proved: lower <= optimal value <= upper, errors included */
    double upper;
    int32_t lower_row; /* the row behind `lower`; -1: the optimum itself, or no label at all */
} og_comparison;

/*
 * Fill *out; free it with og_comparison_clear. Returns OG_OK also when a limit was reached on the
 * optimum or on a row: their statuses say so, and the rest holds. On any other error *out is
 * untouched. OG_FAILED with a message if what was computed contradicts itself (a policy above the
 * optimum or the optimum above a bound, beyond their proved errors): then nothing can be trusted.
 *
 * Rows are valued in parallel, one thread each, sharing the memory limit; a row that did not fit in
 * its share is valued again alone. The result does not depend on the number of threads.
 */
og_status og_compare(const og_compare_request *request, og_comparison *out, og_message *message);

/*
 * The last step of og_compare: from call, optimal, rows (status and result), scalar and vector,
 * check that they agree, and fill the gaps and the bracket. OG_FAILED as og_compare.
 */
og_status og_comparison_conclude(og_comparison *comparison, og_message *message);

void og_comparison_clear(og_comparison *comparison); /* a zeroed one is fine */

#endif
