/*
 * A simulation from its request to its rows: what is played, with which strategies, and what the
 * runs say of them. Who plays them is bench/simulation/runner.h's business.
 */
#include "bench/simulation/simulate.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/simulation/block.h"
#include "bench/simulation/runner.h"
#include "dp/base/clock.h"

/* Of the scores of a wave of runs. */
static const int64_t wave_numbers = 1 << 21;

static og_status check_request(const og_simulate_request *request, og_message *message)
{
    if (request->runs < 2 || request->runs > OG_RUNS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the number of runs must lie between 2 and %" PRId64, OG_RUNS_MAX);
    }
    if (request->policy_count < 1 || request->ties_count < 1) {
        return og_message_set(message, OG_BAD_INPUT, "there is no policy to simulate");
    }
    for (int32_t i = 0; i < request->ties_count; i++) {
        if (request->ties[i] != OG_TIES_RANDOM && request->ties[i] != OG_TIES_FIRST) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "ties %s cannot be simulated: it takes the values of all "
                                  "continuations; random and first can",
                                  og_ties_name(request->ties[i]));
        }
    }
    return OG_OK;
}

/* ---- strategies ---- */

/* The rows of a policy get its status; anything but a limit may end the call. */
static og_status make_strategy(og_runner *work, int32_t policy)
{
    const og_simulate_request *request = work->request;
    og_message message = {""};
    char stage[OG_POLICY_NAME_BYTES + 16];
    snprintf(stage, sizeof stage, "index of %s", request->policies[policy].name);
    og_runner_tell(request, stage, (double)policy / request->policy_count);
    double begun = og_seconds();
    og_status status = work->from.strategy(work->from.self, &request->policies[policy],
                                           &work->strategies[policy], &message);
    for (int32_t i = 0; i < request->ties_count; i++) {
        og_simulate_row *row = &work->out->rows[policy * request->ties_count + i];
        row->policy = policy;
        row->ties = request->ties[i];
        row->status = status;
        row->message = message;
        row->table_seconds = og_seconds() - begun;
    }
    bool limit = status == OG_STOPPED || status == OG_NO_MEMORY || request->rows_may_fail;
    return limit ? OG_OK : status;
}

static og_status make_strategies(og_runner *work, og_message *message)
{
    og_simulation *out = work->out;
    for (int32_t i = 0; i < work->request->policy_count; i++) {
        og_status status = make_strategy(work, i);
        if (status != OG_OK) {
            *message = out->rows[i * work->request->ties_count].message;
            return status;
        }
    }
    while (out->first_row < out->row_count && out->rows[out->first_row].status != OG_OK) {
        out->first_row++;
    }
    return OG_OK;
}

/* Is there a row to show? Else the status of the first. */
static og_status check_rows(const og_runner *work, og_message *message)
{
    const og_simulate_row *first = &work->out->rows[0];
    for (int32_t i = 0; i < work->out->row_count; i++) {
        if (first[i].status == OG_OK) {
            return OG_OK;
        }
    }
    if (first->status == OG_BAD_INPUT) { /* which names the policy */
        *message = first->message;
        return first->status;
    }
    return og_message_set(message, first->status, "%s: %.400s", work->request->policies[0].name,
                          first->message.text);
}

/* ---- results ---- */

/*
 * Rounding of a mean. One run: as the environment says. Means: the n-th update of a mean of
 * numbers of size at most K rounds by u K, and by at most 6 u K / n on the way; it keeps (n - 1)/n
 * of the error before. That adds up to at most u K (n / 2 + 7), for the runs of a block and again
 * for the blocks. Then the sum with the prior value.
 */
static double rounding_of(const og_runner *work)
{
    const og_environments *from = &work->from;
    double u = DBL_EPSILON / 2;
    double block_runs = (double)og_block_runs(work);
    double updates = block_runs + (double)work->done / block_runs;
    double means = u * from->size * (updates / 2 + 15);
    return from->run_error + means + from->prior_error + u * (from->prior + from->gain_max);
}

static void fill_labels(const og_runner *work, int32_t row)
{
    double *mean = work->out->rows[row].labels;
    for (int64_t i = 0; mean != NULL && i < work->from.instances; i++) {
        uint64_t sum = 0; /* whole numbers: it does not matter which thread counted what */
        for (int t = 0; t < work->threads; t++) {
            sum += og_labels_of(work, t, row)[i];
        }
        mean[i] = (double)sum / (double)work->done;
    }
}

static void fill_rows(og_runner *work)
{
    og_simulation *out = work->out;
    int32_t metrics = out->metric_count;
    double t = gsl_cdf_tdist_Pinv(0.975, (double)work->done - 1);
    out->call = work->from.prior;
    out->all_labels = work->from.all_labels;
    out->rounding = rounding_of(work);
    for (int32_t i = 0; i < out->row_count; i++) {
        og_simulate_row *row = &out->rows[i];
        const og_play_strategy *by = &work->strategies[row->policy];
        const og_moments *of = work->total + 2 * (size_t)i * (size_t)metrics;
        if (row->status != OG_OK) {
            continue;
        }
        row->tolerance_ties = by->tolerance_ties != NULL ? by->tolerance_ties(by->self) : 0;
        for (int32_t q = 0; q < metrics; q++) {
            double base = q == 0 ? out->call : 0;
            row->metric[q] = og_runner_estimate(work, &of[q], base, t, out->rounding);
            row->difference[q] =
                og_runner_estimate(work, &of[metrics + q], 0, t, 2 * out->rounding);
        }
        fill_labels(work, i);
    }
}

/* ---- the whole ---- */

static void assign_rows(void *object, og_block *block)
{
    og_simulation *out = object;
    size_t metrics = (size_t)out->metric_count, rows = (size_t)out->row_count;
    out->rows = og_block_take(block, rows, sizeof *out->rows);
    for (size_t i = 0; i < rows; i++) {
        og_estimate *metric = og_block_take(block, 2 * metrics, sizeof *metric);
        double *labels = og_block_take(block, (size_t)out->instances, sizeof *labels);
        if (out->rows != NULL) {
            out->rows[i].metric = metric;
            out->rows[i].difference = metric + metrics;
            out->rows[i].labels = out->instances > 0 ? labels : NULL;
        }
    }
}

static void assign(void *object, og_block *block)
{
    og_runner *work = object;
    size_t rows = (size_t)work->out->row_count, threads = (size_t)work->threads;
    size_t numbers = rows * (size_t)work->out->metric_count;
    size_t labels = threads * rows * (size_t)work->out->instances;
    work->environments = og_block_take(block, threads, sizeof *work->environments);
    work->strategies =
        og_block_take(block, (size_t)work->request->policy_count, sizeof *work->strategies);
    work->block = og_block_take(block, 2 * numbers, sizeof *work->block);
    work->total = og_block_take(block, 2 * numbers, sizeof *work->total);
    work->failure = og_block_take(block, rows, sizeof *work->failure);
    work->labels = og_block_take(block, labels, sizeof *work->labels);
    work->score = og_block_take(block, (size_t)work->wave_max * numbers, sizeof *work->score);
    work->labels = labels > 0 ? work->labels : NULL;
}

static og_status play(og_runner *work, og_message *message)
{
    og_status status = OG_OK;
    for (int i = 0; status == OG_OK && i < work->threads; i++) {
        status = work->from.environment(work->from.self, &work->environments[i]);
    }
    if (status == OG_OK) {
        status = make_strategies(work, message);
    }
    if (status == OG_OK) {
        status = check_rows(work, message);
    }
    if (status == OG_OK) {
        status = og_runner_play(work, message);
    }
    if (status == OG_OK) {
        status = check_rows(work, message);
    }
    if (status == OG_OK) {
        fill_rows(work);
    }
    for (int32_t i = 0; i < work->request->policy_count; i++) {
        if (work->strategies[i].free != NULL) {
            work->strategies[i].free(work->strategies[i].self);
        }
    }
    for (int i = 0; i < work->threads; i++) {
        if (work->environments[i].free != NULL) {
            work->environments[i].free(work->environments[i].self);
        }
    }
    return status;
}

/* *out is made anew. */
static og_status allocate_and_play(og_runner *start, og_simulation *out, og_message *message)
{
    const og_simulate_request *request = start->request;
    og_simulation sizes = {.metric_count = start->from.metric_count,
                           .row_count = request->policy_count * request->ties_count,
                           .instances = request->count_labels ? start->from.instances : 0};
    int64_t most = wave_numbers / sizes.row_count / sizes.metric_count;
    int64_t least = og_wave_min(start);
    most = most > least ? most : least;
    start->wave_max = most < request->runs ? most : request->runs;
    start->out = og_block_build(&sizes, sizeof sizes, assign_rows);
    if (start->out == NULL) {
        return OG_NO_MEMORY;
    }
    og_runner *work = og_block_build(start, sizeof *start, assign);
    og_status status = OG_NO_MEMORY;
    if (work != NULL) {
        og_lock_init(&work->lock);
        status = play(work, message);
        og_lock_clear(&work->lock);
    }
    free(work);
    if (status == OG_OK) {
        *out = *start->out;
        out->owned = start->out;
    } else {
        free(start->out);
    }
    return status;
}

/* Of the solvers inside policies. */
static bool solver_watch(void *user, const og_progress *progress)
{
    (void)progress;
    return og_runner_stop_cause(user) == OG_LIMIT_NONE;
}

static og_status simulate(og_runner *work, og_simulation *out, og_message *message)
{
    const og_simulate_request *request = work->request;
    uint64_t rows = (uint64_t)request->policy_count * (uint64_t)request->ties_count;
    uint64_t count_bytes = sizeof(double) * ((uint64_t)work->threads + 1) * rows;
    og_environment_use use = {.threads = work->threads,
                              .memory_bytes = request->memory_bytes,
                              .index_seconds_max = request->index_seconds_max,
                              .policy_count = request->policy_count,
                              .count_bytes = request->count_labels ? count_bytes : 0,
                              .watch = solver_watch,
                              .watch_user = work};
    og_runner_tell(request, "posteriors", 0);
    og_status status = request->source->open(request->source, &use, &work->from, message);
    if (status == OG_OK) {
        status = allocate_and_play(work, out, message);
        work->from.free(work->from.self);
    }
    return status;
}

og_status og_simulate(const og_simulate_request *request, og_simulation *out, og_message *message)
{
    og_message why = {""};
    og_runner work = {
        .request = request, .threads = og_thread_count(request->threads), .begun = og_seconds()};
    og_status status = check_request(request, &why);
    if (status == OG_OK) {
        status = simulate(&work, out, &why);
    }
    if (status != OG_OK) {
        return og_message_set(message, status, "%s",
                              why.text[0] != '\0' ? why.text : og_status_text(status));
    }
    out->seconds = og_seconds() - work.begun;
    return OG_OK;
}

void og_simulation_clear(og_simulation *simulation)
{
    free(simulation->owned);
    *simulation = (og_simulation){.runs = 0};
}
