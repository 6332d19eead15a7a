#ifndef OG_BENCH_SIMULATION_SIMULATE_H
#define OG_BENCH_SIMULATION_SIMULATE_H

#include <stdint.h>

#include "bench/asked.h"
#include "bench/environment.h"
#include "bench/estimate.h"
#include "dp/base/limit.h"
#include "dp/base/ties.h"
#include "heuristics/policy.h"

/*
 * Simulates policies with many runs: estimates their values on problems too large for exact values,
 * and on recorded labels.
 *
 * All policies meet the same runs, with common random numbers (bench/environment.h). So differences
 * between policies are far more precise than the values themselves, and identical policies have
 * identical results.
 */
#define OG_RUNS_MAX INT64_C(1000000000)

/* One policy under one tie rule. */
typedef struct {
    int32_t policy; /* index into the question's policies */
    og_ties ties;
    og_status status; /* OG_OK; or why it was not simulated, with a message */
    og_message message;
    uint64_t tolerance_ties; /* see og_ranks; of the deepest tables that a run needed */
    double table_seconds;    /* wall clock time to build its tables, once */
    og_estimate *metric;     /* [metric_count] as defined by the source */
    og_estimate *difference; /* [metric_count] the same minus the first row's, run by run */
    double used;             /* mean number of labels of a run; NAN: not counted */
    /* [instances] mean number of labels of each instance over the runs, in the order of the
     * instances; NULL unless counts are wanted. They sum to `used`. */
    double *labels;
} og_simulate_row;

typedef struct {
    int64_t runs; /* done; fewer than requested if the time ran out */
    og_limit limit;
    int32_t metric_count;
    int32_t totals;    /* as in og_environments */
    int32_t row_count; /* policy_count * ties_count, policies in order, tie rules within */
    og_simulate_row *rows;
    int64_t instances; /* number of instances whose labels are counted; 0: none */
    int32_t first_row; /* the row subtracted in differences */
    double call;       /* metric 0 without any label; 0 for recorded labels */
    double all_labels; /* metric 0 with all recorded labels; NAN if labels are not recorded */
    double rounding;   /* proved bound of the difference of each mean from exact arithmetic */
    double seconds;    /* wall clock */
    /* "results": an object for each row that was played, with "policy", "ties" and what the
     * environment concluded in the first run; owned. NULL: none. */
    og_document *result;
    void *owned; /* memory of the rows' arrays */
} og_simulation;

/*
 * Simulate the policies of a question under its tie rules, random and first, in runs from this
 * source, with counts and a `result` if it wants them; a policy whose index would take longer than
 * index_seconds_max is not simulated, and after seconds_max, or when the stop is over, the call
 * ends with the runs done. Stages and the share of runs go to the stop, from the
 * calling thread. Fill *out; free it with og_simulation_clear. Except for times, the result depends
 * only on source, runs and seed, not on the number of threads, and no row depends on the others.
 *
 * OG_BAD_INPUT with a message: runs or ties out of range, or an error of the source. OG_NO_MEMORY:
 * the posteriors, or K instances, do not fit. If no policy can be simulated, the status and message
 * of the first policy. OG_STOPPED: ended before two runs were done. On error *out is
 * untouched.
 *
 * Cost: one label is O(log K) for policies whose order of instances does not depend on the labels
 * left, O(min(K, T)) for the others, and O(K log T) plus the time of the answer for those that use
 * the whole state. A run takes O(K) more for its soft labels. If labels take time, each worker
 * costs O(K), and so does each recorded label. Memory: about 60 bytes for each posterior, 4 more
 * for each policy, and O(K) for each thread and policy (with counts for each thread and row).
 *
 * There is a posterior for any number of labels up to T. But policies that look one label ahead, or
 * can only be simulated, need fewer if labels are immediate and free: up to about twice the labels
 * of an instance in any run.
 *
 * The tables of an index can take hours if T is large. Before one is built, it is timed for fewer
 * labels, and refused if the estimated time exceeds index_seconds_max.
 */
og_status og_simulate_run(const og_asked *asked, const og_source *source, og_simulation *out,
                          og_message *message);

void og_simulation_clear(og_simulation *simulation); /* a zeroed one is fine */

#endif
