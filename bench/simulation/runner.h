#ifndef OG_BENCH_SIMULATION_RUNNER_H
#define OG_BENCH_SIMULATION_RUNNER_H

#include "bench/simulation/simulate.h"
#include "dp/base/parallel.h"

/* Runs on threads, and what is counted of them (private to bench/simulation/). */

typedef struct {
    double mean;
    double squares; /* sum of squared deviations from the mean */
} og_moments;

typedef struct {
    og_status status;
    og_message message;
} og_row_failure;

typedef struct {
    const og_simulate_request *request;
    og_simulation *out;
    double begun;
    int threads;
    og_environments from;
    og_environment *environments; /* [threads] */
    og_play_strategy *strategies; /* [policy_count] empty where the policy is not simulated */
    int64_t wave_max;             /* runs */
    double *score;                /* [wave_max][row_count][metric_count] */
    og_moments *block;            /* [row_count][2 * metric_count] metrics, then differences: of the
                                     block at hand */
    og_moments *total;            /* the same of the blocks before */
    uint64_t *labels;        /* [threads][row_count][instances] given so far; NULL: not counted */
    og_row_failure *failure; /* [row_count] */
    og_lock lock;            /* of failure */
    int64_t done;            /* runs counted */
} og_runner;

static inline int64_t og_block_runs(const og_runner *work)
{
    return work->from.block_runs > 0 ? work->from.block_runs : OG_RUNS_MAX;
}

/* Threads take so many runs in all, at least. */
static inline int64_t og_wave_min(const og_runner *work)
{
    return (int64_t)work->threads * (work->from.block_runs > 0 ? work->from.block_runs : 1);
}

static inline uint64_t *og_labels_of(const og_runner *work, int thread, int32_t row)
{
    size_t at = (size_t)thread * (size_t)work->out->row_count + (size_t)row;
    return work->labels + at * (size_t)work->from.instances;
}

void og_runner_tell(const og_simulate_request *request, const char *stage, double share);

/* Is it time to end? */
og_limit og_runner_stop_cause(const og_runner *work);

/* Play all runs, or until there is a limit. `score` and `block` are the runner's to fill, `total`
 * ends with all of it. */
og_status og_runner_play(og_runner *work, og_message *message);

/* base + the mean of all runs; t is Student's 97.5 % point for them. */
og_estimate og_runner_estimate(const og_runner *work, const og_moments *of, double base, double t,
                               double rounding);

#endif
