/*
 * Simulates policies: from a request to its rows. Threads share the runs. The sums of a block are
 * formed in the order of its runs, and blocks are merged in order, so no bit depends on the
 * threads. Random numbers have addresses (bench/random.h). Means and variances are updated with
 * Welford's method and merged with that of Chan, Golub and LeVeque [American Statistician 37
 * (1983), 242-247]. They are those of gains, not of values, to reduce rounding.
 */
#include "bench/simulation/simulate.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/simulation/run_block.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"

/* Most scores in a wave of runs. */
static const int64_t wave_numbers = 1 << 21;

static const double wave_seconds = 0.05; /* between two readings of the clock */

enum { WAVE_MIN = 2 }; /* runs */

typedef struct {
    double mean;
    double squares; /* sum of squared deviations from the mean */
} run_moments;

typedef struct {
    og_status status;
    og_message message;
} failure_of;

typedef struct {
    const og_asked *asked;
    const og_request *request; /* of it */
    const og_source *source;
    og_simulation *out;
    double begun;
    int threads;
    og_environments from;
    og_environment *environments; /* [threads] */
    og_strategy *strategies;      /* [policy_count] empty if the policy is not simulated */
    bool one_thread;              /* one of them needs the calling thread */
    int64_t wave_max;             /* runs */
    double *score;                /* [wave_max][row_count][metric_count] */
    run_moments *block;           /* [row_count][2 * metric_count] metrics, then differences: of the
                                 current block */
    run_moments *total;           /* the same for the blocks before */
    uint64_t *labels;    /* [threads][row_count][instances] of this wave; NULL: do not count */
    uint64_t *given;     /* [row_count][instances] of the runs completed */
    int64_t *wave_used;  /* [threads][row_count] labels of the wave; -1: not counted */
    int64_t *used;       /* [row_count] of the runs completed; -1 */
    failure_of *failure; /* [row_count] */
    og_lock lock;        /* of failure */
    int64_t done;        /* runs completed */
    og_stop *stop;       /* of all, solvers inside policies included */
} job;

static int64_t block_runs_of(const job *work)
{
    return work->from.block_runs > 0 ? work->from.block_runs : OG_RUNS_MAX;
}

static uint64_t *labels_of(const job *work, int thread, int32_t row)
{
    size_t at = (size_t)thread * (size_t)work->out->row_count + (size_t)row;
    return work->labels + at * (size_t)work->from.instances;
}

static og_status check_request(const og_asked *asked, og_message *message)
{
    const og_request *request = &asked->request;
    if (request->runs < 2 || request->runs > OG_RUNS_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "--runs must be from 2 to %" PRId64,
                              OG_RUNS_MAX);
    }
    if (asked->policy_count < 1 || request->ties_count < 1) {
        return og_message_set(message, OG_BAD_INPUT, "no policy to simulate; give --policies");
    }
    for (int32_t i = 0; i < request->ties_count; i++) {
        if (request->ties[i] != OG_TIES_RANDOM && request->ties[i] != OG_TIES_FIRST) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "simulations support only --ties random and first, not '%s'",
                                  og_ties_name(request->ties[i]));
        }
    }
    return OG_OK;
}

/* ---- strategies ---- */

/* Make a strategy and give its status to the policy's rows; a failure other than a limit may end
 * the call. */
static og_status make_strategy(job *work, int32_t policy)
{
    const og_request *request = work->request;
    const og_policy_name *name = &work->asked->policies[policy];
    og_message message = {""};
    char stage[OG_POLICY_NAME_BYTES + 16];
    snprintf(stage, sizeof stage, "index of %s", name->name);
    og_stop_tell(work->stop, stage, (double)policy / work->asked->policy_count);
    double begun = og_seconds();
    og_status status =
        work->from.strategy(work->from.self, name, &work->strategies[policy], &message);
    work->strategies[policy].stop = work->stop;
    work->one_thread = work->one_thread || work->strategies[policy].one_thread;
    og_message_complete(&message, status);
    for (int32_t i = 0; i < request->ties_count; i++) {
        og_simulate_row *row = &work->out->rows[policy * request->ties_count + i];
        row->policy = policy;
        row->ties = request->ties[i];
        row->status = status;
        row->message = message;
        row->table_seconds = og_seconds() - begun;
    }
    bool limit = status == OG_STOPPED || status == OG_NO_MEMORY || work->source->rows_may_fail;
    return limit ? OG_OK : status;
}

/* Find the first row that is simulated. */
static void find_first_row(og_simulation *out)
{
    while (out->first_row < out->row_count && out->rows[out->first_row].status != OG_OK) {
        out->first_row++;
    }
}

static og_status make_strategies(job *work, og_message *message)
{
    og_simulation *out = work->out;
    for (int32_t i = 0; i < work->asked->policy_count; i++) {
        og_status status = make_strategy(work, i);
        if (status != OG_OK) {
            *message = out->rows[i * work->request->ties_count].message;
            return status;
        }
    }
    find_first_row(out);
    return OG_OK;
}

/* OG_OK if there is a row to show; else the status of the first row. */
static og_status check_rows(const job *work, og_message *message)
{
    const og_simulate_row *first = &work->out->rows[0];
    for (int32_t i = 0; i < work->out->row_count; i++) {
        if (first[i].status == OG_OK) {
            return OG_OK;
        }
    }
    if (first->status == OG_BAD_INPUT) { /* its message names the policy */
        *message = first->message;
        return first->status;
    }
    return og_message_set(message, first->status, "%s: %.400s", work->asked->policies[0].name,
                          first->message.text);
}

/* ---- playing ---- */

static double *scores_of(const job *work, int64_t at, int32_t row)
{
    const og_simulation *out = work->out;
    return work->score + (at * out->row_count + row) * out->metric_count;
}

static void fail_row(job *work, int32_t row, og_status status, const og_message *message)
{
    og_lock_take(&work->lock);
    if (work->failure[row].status == OG_OK) {
        work->failure[row] = (failure_of){status, *message};
    }
    og_lock_release(&work->lock);
}

/* Keep what the first run of this row concluded; its rows are played one after another. */
static og_status keep_result(job *work, const og_environment *environment,
                             const og_simulate_row *row, og_message *message)
{
    og_document *object = og_put_object(og_document_find(work->out->result, "results"), NULL);
    og_put_text(object, "policy", og_policy_name_shown(&work->asked->policies[row->policy]));
    og_put_text(object, "ties", og_ties_name(row->ties));
    return environment->result != NULL
               ? environment->result(environment->self, &work->strategies[row->policy], object,
                                     message)
               : OG_OK;
}

static void add_used(const job *work, int thread, int32_t row)
{
    const og_environment *environment = &work->environments[thread];
    int64_t *used = &work->wave_used[(int64_t)thread * work->out->row_count + row];
    *used = environment->used != NULL ? *used + environment->used(environment->self) : -1;
}

static void play_run(job *work, int thread, int64_t at)
{
    const og_simulation *out = work->out;
    const og_environment *environment = &work->environments[thread];
    for (int32_t i = out->first_row; i < out->row_count; i++) {
        const og_simulate_row *row = &out->rows[i];
        og_message message = {""};
        if (row->status != OG_OK || og_stop_status(work->stop) != OG_OK) {
            continue;
        }
        uint64_t *labels = work->labels != NULL ? labels_of(work, thread, i) : NULL;
        uint64_t run = (uint64_t)(work->done + at);
        const og_strategy *by = &work->strategies[row->policy];
        double *metric = scores_of(work, at, i);
        environment->begin(environment->self, work->request->seed, run, labels);
        og_status status =
            environment->play != NULL
                ? environment->play(environment->self, by, row->ties, metric, &message)
                : og_environment_loop(environment, by, row->ties, work->request->seed, run, metric,
                                      &message);
        if (status == OG_OK) {
            add_used(work, thread, i);
        }
        if (status == OG_OK && run == 0 && work->request->result) {
            status = keep_result(work, environment, row, &message);
        }
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

static void moments_add(run_moments *to, int64_t count, double value)
{
    double off = value - to->mean;
    to->mean += off / (double)count;
    to->squares += off * (value - to->mean);
}

static void moments_merge(run_moments *to, double count, const run_moments *other,
                          double other_count)
{
    double off = other->mean - to->mean, both = count + other_count;
    to->mean += off * (other_count / both);
    to->squares += other->squares + off * off * (count * (other_count / both));
}

/* Merge a row's block, which ends with run `end`, into the total. */
static void close_block(const job *work, int32_t row, int64_t runs, int64_t end)
{
    int32_t count = 2 * work->out->metric_count;
    run_moments *block = work->block + (size_t)row * (size_t)count;
    run_moments *total = work->total + (size_t)row * (size_t)count;
    for (int32_t q = 0; q < count; q++) {
        moments_merge(&total[q], (double)(end - runs), &block[q], (double)runs);
        block[q] = (run_moments){0, 0};
    }
}

typedef struct {
    job *work;
    int64_t runs;
} label_counting;

static void count_rows(void *context, int thread, int64_t begin, int64_t end)
{
    const label_counting *counting = context;
    const job *work = counting->work;
    int32_t metrics = work->out->metric_count;
    int64_t block_runs = block_runs_of(work);
    (void)thread;
    for (int32_t row = (int32_t)begin; row < end; row++) {
        run_moments *block = work->block + 2 * (size_t)row * (size_t)metrics;
        for (int64_t at = 0; work->out->rows[row].status == OG_OK && at < counting->runs; at++) {
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

/* Whole numbers: the division among threads does not matter. */
static void count_labels(job *work)
{
    size_t counts = (size_t)work->out->row_count * (size_t)work->from.instances;
    for (size_t i = 0; work->labels != NULL && i < counts; i++) {
        for (size_t t = 0; t < (size_t)work->threads; t++) {
            work->given[i] += work->labels[t * counts + i];
            work->labels[t * counts + i] = 0;
        }
    }
    for (int32_t at = 0; at < work->threads * work->out->row_count; at++) {
        int64_t *sum = &work->used[at % work->out->row_count], *more = &work->wave_used[at];
        *sum = *more < 0 ? -1 : *sum + *more;
        *more = 0;
    }
}

static void count_wave(job *work, int64_t runs)
{
    count_labels(work);
    label_counting counting = {work, runs};
    bool large = runs * work->out->row_count * work->out->metric_count > 20000;
    og_parallel_ranges(large ? work->threads : 1, work->out->row_count, 1, count_rows, &counting);
    work->done += runs;
}

/* ---- all runs ---- */

/* Handle failed rows; if a failure ends the call, return its status and name the policy.
 * Differences refer to the first row, so that row cannot be omitted once runs are counted. */
static og_status settle_failures(job *work, og_message *message)
{
    for (int32_t i = 0; i < work->out->row_count; i++) {
        failure_of *failure = &work->failure[i];
        og_simulate_row *row = &work->out->rows[i];
        if (failure->status == OG_OK || row->status != OG_OK) {
            continue;
        }
        og_message_complete(&failure->message, failure->status);
        bool limit = failure->status == OG_NO_MEMORY ||
                     (failure->status == OG_STOPPED && og_stop_look(work->stop) == OG_LIMIT_NONE);
        if (!(limit || work->source->rows_may_fail) ||
            (i == work->out->first_row && work->done > 0)) {
            return og_message_set(message, failure->status, "%.100s: %s",
                                  work->asked->policies[row->policy].name, failure->message.text);
        }
        row->status = failure->status;
        row->message = failure->message;
    }
    find_first_row(work->out);
    return OG_OK;
}

/* Play a wave of runs. If a run is not completed, the whole wave is not counted. */
static og_status play_wave(job *work, int64_t runs, og_message *message)
{
    int64_t grain = work->from.block_runs > 0 ? work->from.block_runs : 1;
    og_parallel_ranges(work->one_thread ? 1 : work->threads, runs, grain, play_runs, work);
    if (og_stop_status(work->stop) != OG_OK) {
        return og_message_set(message, OG_STOPPED, "stopped before two runs were done");
    }
    OG_TRY(settle_failures(work, message));
    count_wave(work, runs);
    return OG_OK;
}

static void close_last_blocks(job *work)
{
    int64_t rest = work->done % block_runs_of(work);
    for (int32_t i = 0; rest > 0 && i < work->out->row_count; i++) {
        close_block(work, i, rest, work->done);
    }
}

static og_status play_all(job *work, og_message *message)
{
    og_simulation *out = work->out;
    int64_t all = work->request->runs, wave = WAVE_MIN;
    while (work->done < all && out->limit == OG_LIMIT_NONE) {
        double begun = og_seconds();
        wave = wave < work->wave_max ? wave : work->wave_max;
        og_status status =
            play_wave(work, wave < all - work->done ? wave : all - work->done, message);
        if (status != OG_OK) {
            /* A run, or a policy's own solver, was stopped; earlier waves remain valid. */
            bool stopped = status == OG_STOPPED && work->done > 1;
            out->limit = stopped ? og_stop_look(work->stop) : OG_LIMIT_NONE;
            if (out->limit == OG_LIMIT_NONE) {
                return status;
            }
            break;
        }
        og_stop_tell(work->stop, "runs", (double)work->done / (double)all);
        out->limit = work->done < all ? og_stop_look(work->stop) : OG_LIMIT_NONE;
        double took = og_seconds() - begun;
        if (took < wave_seconds) {
            wave *= took < wave_seconds / 8 ? 8 : 2;
        } else if (took > 4 * wave_seconds && wave / 2 >= WAVE_MIN) {
            wave /= 2;
        }
    }
    close_last_blocks(work);
    out->runs = work->done;
    return OG_OK;
}

static og_estimate estimate(const job *work, const run_moments *moments, double base, double t,
                            double rounding)
{
    double runs = (double)work->done;
    double error = sqrt(moments->squares / (runs - 1) / runs);
    double half = t * error + rounding;
    double mean = base + moments->mean;
    /* Runs that differ only by their rounding agree. */
    return (og_estimate){mean, error > rounding ? error : 0, mean - half, mean + half};
}

/* Wilson's interval [Journal of the American Statistical Association 22 (1927), 209-212] for a
 * share of `whole`. */
static og_estimate estimate_share(const job *work, const run_moments *moments, double base,
                                  double t, double whole)
{
    og_estimate found = estimate(work, moments, base, t, work->out->rounding);
    double share = fmin(fmax(found.mean / whole, 0), 1), error = found.standard_error / whole;
    double chance = share * (1 - share);
    double runs = error > 0 ? fmax(chance / (error * error), 1) : (double)work->done;
    double shrink = t * t / runs, middle = (share + shrink / 2) / (1 + shrink);
    double half = sqrt(shrink * (chance + shrink / 4)) / (1 + shrink);
    double rounding = work->out->rounding;
    found.low = fmax(0, fmin(found.mean, whole * (middle - half)) - rounding);
    found.high = fmin(whole, fmax(found.mean, whole * (middle + half)) + rounding);
    return found;
}

/* ---- results ---- */

/*
 * Rounding of a mean. For one run it is the environment's. For means: the n-th update of a
 * mean of numbers of size at most K rounds the result by u K, and intermediate steps by at most 6 u
 * K / n; it keeps (n - 1)/n of the previous error. That adds up to at most u K (n / 2 + 7), for the
 * runs of a block and again for the blocks. Then comes the sum with the prior value.
 * Checked by tests/test_simulate.c: simulate_is_exact_where_nothing_is_left_to_chance
 */
static double rounding_of(const job *work)
{
    const og_environments *from = &work->from;
    double u = DBL_EPSILON / 2;
    double block_runs = (double)block_runs_of(work);
    double updates = block_runs + (double)work->done / block_runs;
    double means = u * from->size * (updates / 2 + 15);
    return from->run_error + means + from->prior_error + u * (fabs(from->prior) + from->gain_max);
}

static void fill_labels(const job *work, int32_t row)
{
    double *mean = work->out->rows[row].labels;
    for (int64_t i = 0; mean != NULL && i < work->from.instances; i++) {
        mean[i] = (double)work->given[row * work->from.instances + i] / (double)work->done;
    }
}

static void fill_rows(job *work)
{
    og_simulation *out = work->out;
    int32_t metrics = out->metric_count;
    double t = gsl_cdf_tdist_Pinv(0.975, (double)work->done - 1);
    out->call = work->from.prior;
    out->all_labels = work->from.all_labels;
    out->rounding = rounding_of(work);
    for (int32_t i = 0; i < out->row_count; i++) {
        og_simulate_row *row = &out->rows[i];
        const og_strategy *by = &work->strategies[row->policy];
        const run_moments *moments = work->total + 2 * (size_t)i * (size_t)metrics;
        if (row->status != OG_OK) {
            continue;
        }
        row->tolerance_ties = by->tolerance_ties != NULL ? by->tolerance_ties(by->self) : 0;
        for (int32_t q = 0; q < metrics; q++) {
            double base = q == 0 ? out->call : 0;
            double whole =
                work->from.whole != NULL
                    ? work->from.whole(work->from.self, &work->asked->policies[row->policy], q)
                    : 0;
            row->metric[q] = whole > 0 ? estimate_share(work, &moments[q], base, t, whole)
                                       : estimate(work, &moments[q], base, t, out->rounding);
            row->difference[q] = estimate(work, &moments[metrics + q], 0, t, 2 * out->rounding);
        }
        fill_labels(work, i);
        row->used = work->used[i] < 0 ? NAN : (double)work->used[i] / (double)work->done;
    }
}

/* ---- the simulation ---- */

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
    job *work = object;
    size_t rows = (size_t)work->out->row_count, threads = (size_t)work->threads;
    size_t numbers = rows * (size_t)work->out->metric_count;
    size_t given = rows * (size_t)work->out->instances, labels = threads * given;
    work->environments = og_block_take(block, threads, sizeof *work->environments);
    work->strategies =
        og_block_take(block, (size_t)work->asked->policy_count, sizeof *work->strategies);
    work->block = og_block_take(block, 2 * numbers, sizeof *work->block);
    work->total = og_block_take(block, 2 * numbers, sizeof *work->total);
    work->failure = og_block_take(block, rows, sizeof *work->failure);
    work->labels = og_block_take(block, labels, sizeof *work->labels);
    work->given = og_block_take(block, given, sizeof *work->given);
    work->wave_used = og_block_take(block, threads * rows, sizeof *work->wave_used);
    work->used = og_block_take(block, rows, sizeof *work->used);
    work->score = og_block_take(block, (size_t)work->wave_max * numbers, sizeof *work->score);
    work->labels = labels > 0 ? work->labels : NULL;
}

static og_status play(job *work, og_message *message)
{
    og_status status = OG_OK;
    for (int i = 0; status == OG_OK && i < work->threads; i++) {
        status = work->from.environment(work->from.self, &work->environments[i]);
    }
    OG_THEN(status, make_strategies(work, message));
    OG_THEN(status, check_rows(work, message));
    OG_THEN(status, play_all(work, message));
    OG_THEN(status, check_rows(work, message));
    if (status == OG_OK) {
        fill_rows(work);
    }
    for (int32_t i = 0; i < work->asked->policy_count; i++) {
        og_strategy_free(&work->strategies[i]);
    }
    for (int i = 0; i < work->threads; i++) {
        if (work->environments[i].free != NULL) {
            work->environments[i].free(work->environments[i].self);
        }
    }
    return status;
}

/* *Fill a new *out. */
static og_status allocate_and_play(job *start, og_simulation *out, og_message *message)
{
    const og_request *request = start->request;
    og_simulation sizes = {.metric_count = start->from.metric_count,
                           .totals = start->from.totals,
                           .row_count = start->asked->policy_count * request->ties_count,
                           .instances = request->counts ? start->from.instances : 0};
    int64_t most = wave_numbers / sizes.row_count / sizes.metric_count;
    most = most > WAVE_MIN ? most : WAVE_MIN;
    start->wave_max = most < request->runs ? most : request->runs;
    start->out = og_block_build(&sizes, sizeof sizes, assign_rows);
    OG_TRY(OG_ALLOCATED(start->out));
    job *work = og_block_build(start, sizeof *start, assign);
    og_status status = OG_NO_MEMORY;
    if (work != NULL && request->result) {
        work->out->result = og_document_new();
        og_put_array(work->out->result, "results");
    }
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
        og_document_free(start->out->result);
        free(start->out);
    }
    return status;
}

static og_status simulate(job *work, og_simulation *out, og_message *message)
{
    const og_request *request = work->request;
    double limit = request->seconds_max, index = request->index_seconds_max;
    int32_t policies = work->asked->policy_count;
    uint64_t rows = (uint64_t)policies * (uint64_t)request->ties_count;
    uint64_t count_bytes = sizeof(double) * ((uint64_t)work->threads + 2) * rows;
    og_environment_use use = {.threads = work->threads,
                              .memory_bytes = request->settings.memory_bytes,
                              .index_seconds_max = limit > 0 && limit < index ? limit : index,
                              .policy_count = policies,
                              .count_bytes = request->counts ? count_bytes : 0,
                              .stop = work->stop};
    og_stop_tell(work->stop, "posteriors", 0);
    og_status status = work->source->open(work->source, &use, &work->from, message);
    if (status == OG_OK) {
        status = request->counts && work->from.instances == 0 && work->asked->family != NULL
                     ? og_family_lacks(work->asked->family, "--counts", message)
                     : allocate_and_play(work, out, message);
        if (work->from.free != NULL) {
            work->from.free(work->from.self);
        }
    }
    return status;
}

og_status og_simulate_run(const og_asked *asked, const og_source *source, og_simulation *out,
                          og_message *message)
{
    og_message why = {""};
    const og_request *request = &asked->request;
    og_stop *whole = og_stop_of(&request->settings);
    og_stop stop = og_stop_for(whole, request->seconds_max);
    job work = {.asked = asked,
                .request = request,
                .source = source,
                .threads = og_thread_count(request->settings.threads),
                .begun = og_seconds(),
                .stop = &stop};
    og_status status = check_request(asked, &why);
    OG_THEN(status, simulate(&work, out, &why));
    if (status != OG_OK) {
        return og_message_set(message, status, "%s", og_message_words(&why, status));
    }
    out->seconds = og_seconds() - work.begun;
    return OG_OK;
}

void og_simulation_clear(og_simulation *simulation)
{
    og_document_free(simulation->result);
    free(simulation->owned);
    *simulation = (og_simulation){.runs = 0};
}
