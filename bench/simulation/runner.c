/*
 * Many runs, shared out to threads. A block's sums are formed in the order of its runs and blocks
 * are merged in their order, so neither the number of threads nor who played which run changes a
 * bit. Random numbers have addresses (bench/simulation/random.h).
 *
 * Means and variances are kept as Welford does and merged as Chan, Golub and LeVeque do [American
 * Statistician 37 (1983), 242-247]: of gains, not of values, so that little is lost to rounding.
 */
#include "bench/simulation/runner.h"

#include <math.h>
#include <string.h>

#include "dp/base/clock.h"

static const double wave_seconds = 0.05; /* between two looks at the clock */

void og_runner_tell(const og_simulate_request *request, const char *stage, double share)
{
    if (request->progress != NULL) {
        request->progress(request->user, stage, share);
    }
}

og_limit og_runner_stop_cause(const og_runner *work)
{
    const og_simulate_request *request = work->request;
    if (request->interrupted != NULL && request->interrupted(request->user)) {
        return OG_LIMIT_INTERRUPT;
    }
    bool late = request->seconds_max > 0 && og_seconds() - work->begun >= request->seconds_max;
    return late ? OG_LIMIT_TIME : OG_LIMIT_NONE;
}

/* ---- playing ---- */

static double *scores_of(const og_runner *work, int64_t at, int32_t row)
{
    const og_simulation *out = work->out;
    return work->score + (at * out->row_count + row) * out->metric_count;
}

static void fail_row(og_runner *work, int32_t row, og_status status, const og_message *message)
{
    og_lock_take(&work->lock);
    if (work->failure[row].status == OG_OK) {
        work->failure[row] = (og_row_failure){status, *message};
    }
    og_lock_release(&work->lock);
}

static void play_run(og_runner *work, int thread, int64_t at)
{
    const og_simulation *out = work->out;
    const og_environment *environment = &work->environments[thread];
    for (int32_t i = out->first_row; i < out->row_count; i++) {
        const og_simulate_row *row = &out->rows[i];
        og_message message = {""};
        if (row->status != OG_OK) {
            continue;
        }
        uint64_t *labels = work->labels != NULL ? og_labels_of(work, thread, i) : NULL;
        uint64_t run = (uint64_t)(work->done + at);
        environment->begin(environment->self, work->request->seed, run, labels);
        og_status status = environment->play(environment->self, &work->strategies[row->policy],
                                             row->ties, scores_of(work, at, i), &message);
        if (status != OG_OK) {
            fail_row(work, i, status, &message);
        }
    }
}

static void play_runs(void *context, int thread, int64_t begin, int64_t end)
{
    for (int64_t at = begin; at < end; at++) {
        play_run(context, thread, at);
    }
}

/* ---- counting ---- */

static void moments_add(og_moments *to, int64_t count, double value)
{
    double off = value - to->mean;
    to->mean += off / (double)count;
    to->squares += off * (value - to->mean);
}

static void moments_merge(og_moments *to, double count, const og_moments *other, double other_count)
{
    double off = other->mean - to->mean, both = count + other_count;
    to->mean += off * (other_count / both);
    to->squares += other->squares + off * off * (count * (other_count / both));
}

/* Merge a row's block, which ends with run `end`. */
static void close_block(const og_runner *work, int32_t row, int64_t runs, int64_t end)
{
    int32_t count = 2 * work->out->metric_count;
    og_moments *block = work->block + (size_t)row * (size_t)count;
    og_moments *total = work->total + (size_t)row * (size_t)count;
    for (int32_t q = 0; q < count; q++) {
        moments_merge(&total[q], (double)(end - runs), &block[q], (double)runs);
        block[q] = (og_moments){0, 0};
    }
}

typedef struct {
    og_runner *work;
    int64_t runs;
} counting;

static void count_rows(void *context, int thread, int64_t begin, int64_t end)
{
    const counting *of = context;
    const og_runner *work = of->work;
    int32_t metrics = work->out->metric_count;
    int64_t block_runs = og_block_runs(work);
    (void)thread;
    for (int32_t row = (int32_t)begin; row < end; row++) {
        og_moments *block = work->block + 2 * (size_t)row * (size_t)metrics;
        for (int64_t at = 0; work->out->rows[row].status == OG_OK && at < of->runs; at++) {
            const double *score = scores_of(work, at, row);
            const double *first = scores_of(work, at, work->out->first_row);
            int64_t number = (work->done + at) % block_runs + 1;
            for (int32_t q = 0; q < metrics; q++) {
                moments_add(&block[q], number, score[q]);
                moments_add(&block[metrics + q], number, score[q] - first[q]);
            }
            if (number == block_runs) {
                close_block(work, row, block_runs, work->done + at + 1);
            }
        }
    }
}

static void count_wave(og_runner *work, int64_t runs)
{
    counting of = {work, runs};
    bool large = runs * work->out->row_count * work->out->metric_count > 20000;
    og_parallel_ranges(large ? work->threads : 1, work->out->row_count, 1, count_rows, &of);
    work->done += runs;
}

/* ---- all runs ---- */

/* Rows that failed, and whether that ends the call: then the status, and whose it was. */
static og_status settle_failures(og_runner *work, og_message *message)
{
    const og_simulate_request *request = work->request;
    for (int32_t i = 0; i < work->out->row_count; i++) {
        const og_row_failure *failure = &work->failure[i];
        og_simulate_row *row = &work->out->rows[i];
        if (failure->status == OG_OK || row->status != OG_OK) {
            continue;
        }
        if (!request->rows_may_fail) {
            return og_message_set(message, failure->status, "%.100s: %s",
                                  request->policies[row->policy].name, failure->message.text);
        }
        row->status = failure->status;
        row->message = failure->message;
    }
    return OG_OK;
}

static og_status play_wave(og_runner *work, int64_t runs, og_message *message)
{
    int64_t grain = work->from.block_runs > 0 ? work->from.block_runs : 1;
    og_parallel_ranges(work->threads, runs, grain, play_runs, work);
    og_status status = settle_failures(work, message);
    if (status == OG_OK) {
        count_wave(work, runs);
    }
    return status;
}

static void close_last_blocks(og_runner *work)
{
    int64_t rest = work->done % og_block_runs(work);
    for (int32_t i = 0; rest > 0 && i < work->out->row_count; i++) {
        close_block(work, i, rest, work->done);
    }
}

og_status og_runner_play(og_runner *work, og_message *message)
{
    og_simulation *out = work->out;
    int64_t all = work->request->runs, wave = og_wave_min(work);
    while (work->done < all && out->limit == OG_LIMIT_NONE) {
        double begun = og_seconds();
        wave = wave < work->wave_max ? wave : work->wave_max;
        og_status status =
            play_wave(work, wave < all - work->done ? wave : all - work->done, message);
        if (status != OG_OK) {
            /* The time may have ended a policy's own solver; what was done before stands. */
            out->limit =
                status == OG_STOPPED && work->done > 1 ? og_runner_stop_cause(work) : OG_LIMIT_NONE;
            if (out->limit == OG_LIMIT_NONE) {
                return status;
            }
            break;
        }
        og_runner_tell(work->request, "runs", (double)work->done / (double)all);
        bool may_stop = work->done > 1 && work->done < all;
        out->limit = may_stop ? og_runner_stop_cause(work) : OG_LIMIT_NONE;
        double took = og_seconds() - begun;
        if (took < wave_seconds) {
            wave *= took < wave_seconds / 8 ? 8 : 2;
        } else if (took > 4 * wave_seconds && wave / 2 >= og_wave_min(work)) {
            wave /= 2;
        }
    }
    close_last_blocks(work);
    out->runs = work->done;
    return OG_OK;
}

og_estimate og_runner_estimate(const og_runner *work, const og_moments *of, double base, double t,
                               double rounding)
{
    double runs = (double)work->done;
    double error = sqrt(of->squares / (runs - 1) / runs);
    double half = t * error + rounding;
    double mean = base + of->mean;
    return (og_estimate){mean, error, mean - half, mean + half};
}
