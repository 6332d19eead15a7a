#ifndef OG_BENCH_SIMULATION_SIMULATE_H
#define OG_BENCH_SIMULATION_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/environment.h"
#include "bench/estimate.h"
#include "bench/limit.h"
#include "dp/base/ties.h"
#include "heuristics/policy.h"

/*
 * Policies played many times: their values on problems far beyond exact valuation, and on recorded
 * labels.
 *
 * Common random numbers: all policies meet the same run (bench/simulation/environment.h). So
 * differences between policies are known far better than each value alone; identical policies get
 * identical results.
 */
typedef struct {
    const og_source *source;        /* borrowed, like the rest */
    const og_policy_name *policies; /* [policy_count >= 1] */
    int32_t policy_count;
    /* Of the only policy, made before for the same problem, and without a function that is asked:
     * not made again then. NULL elsewhere. */
    const og_ranks *ranks;
    const og_ties *ties; /* [ties_count >= 1] OG_TIES_RANDOM or OG_TIES_FIRST */
    int32_t ties_count;
    int64_t runs; /* 2 .. OG_RUNS_MAX */
    uint64_t seed;
    int threads;           /* 0: one per core */
    uint64_t memory_bytes; /* limit for the tables; > 0 */
    int32_t first_depth;   /* as in og_environment_use */
    bool count_labels;     /* fill rows' labels */
    bool rows_may_fail;    /* a policy that cannot be played, or fails, is a row that says so; else
                              it ends the call, and only limits are rows */
    double index_seconds_max; /* a policy whose index would take longer is not simulated; 0: any */
    double seconds_max;       /* for the whole call; then it ends with the runs done; 0: any */
    /* True ends the work with the runs done, two at least; ten times a second or so, by a policy's
     * own solver from any thread; may be NULL. */
    bool (*interrupted)(void *user);
    /* Told what is going on and which share of it is done, from the calling thread; may be NULL. */
    void (*progress)(void *user, const char *stage, double share);
    void *user;
} og_simulate_request;

#define OG_RUNS_MAX INT64_C(1000000000)

/* One policy under one tie rule. */
typedef struct {
    int32_t policy; /* index into the request's policies */
    og_ties ties;
    og_status status; /* OG_OK; or why it was not simulated: message says it */
    og_message message;
    uint64_t tolerance_ties; /* see og_ranks; of the deepest tables that a run needed */
    double table_seconds;    /* wall clock, once: what was made before it could be played */
    og_estimate *metric;     /* [metric_count] as the source says */
    og_estimate *difference; /* [metric_count] the same minus those of the first row, run by run */
    /* [instances] labels that each was given, mean over the runs, in the order of the instances;
     * NULL unless count_labels. They sum to T. */
    double *labels;
} og_simulate_row;

typedef struct {
    int64_t runs; /* done; fewer than asked for where the time was over */
    og_limit limit;
    int32_t metric_count;
    int32_t row_count; /* policy_count * ties_count, policies in order, tie rules within */
    og_simulate_row *rows;
    int64_t instances; /* whose labels are counted; 0: none */
    int32_t first_row; /* the row that differences are taken to */
    double call;       /* metric 0 without any label; 0 for recorded labels */
    double all_labels; /* metric 0 with all labels that are recorded; NAN where they are not */
    double rounding;   /* proved: each mean is within this of that of exact arithmetic */
    double seconds;    /* wall clock */
    void *owned;       /* what rows point to */
} og_simulation;

/*
 * Fill *out; free it with og_simulation_clear. The result depends on the request's source, runs and
 * seed alone: on no thread count, and no row on the others; times apart.
 *
 * OG_BAD_INPUT with a message: runs or ties out of range, or what the source says. OG_NO_MEMORY:
 * the posteriors, or K instances, do not fit. If no policy can be simulated, the status and message
 * of the first. OG_STOPPED: interrupted before two runs were done. On error *out is untouched.
 *
 * Cost: one label is O(log K) for policies whose order of instances does not depend on the labels
 * left, O(min(K, T)) for the others, O(K log T) and the answer for those that look at the whole
 * state; a run takes O(K) more for its soft labels. Memory: about 60
 * bytes a posterior, 4 more for each policy, and O(K) for each thread and policy (count_labels: for
 * each thread and row). Where labels take time a worker is O(K), and so is a recorded label.
 *
 * Posteriors are those of any number of labels up to T. But where labels come at once and have no
 * price they are, for policies that look one label ahead or are only played, those of about twice
 * as many labels as an instance has had in any run.
 *
 * The tables of an index can take hours where T is large. Before one is made, it is timed for fewer
 * labels, and refused if the time that follows from that passes index_seconds_max.
 */
og_status og_simulate_run(const og_simulate_request *request, og_simulation *out,
                          og_message *message);

void og_simulation_clear(og_simulation *simulation); /* a zeroed one is fine */

#endif
