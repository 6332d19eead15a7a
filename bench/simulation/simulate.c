/*
 * Many runs, shared out in blocks. A block's sums are formed in the order of its runs and blocks
 * are merged in their order, so neither the number of threads nor who played which block changes a
 * bit. Random numbers have addresses (bench/simulation/random.h).
 *
 * Means and variances are kept as Welford does and merged as Chan, Golub and LeVeque do [American
 * Statistician 37 (1983), 242-247]: of gains, not of values, so that little is lost to rounding.
 */
#include "bench/simulation/simulate.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/index_cost.h"
#include "bench/simulation/play.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"
#include "dp/product/chooser.h"

enum {
    BLOCK_RUNS = 64,
    WAVE_BLOCKS_MAX = 4096, /* blocks between two looks at the clock */
};

static const double wave_seconds = 0.05;

typedef struct {
    double mean;
    double squares; /* sum of squared deviations from the mean */
} moments;

/* What is counted of each row. */
enum { EXPECTED, CORRECT, EXPECTED_DIFFERENCE, CORRECT_DIFFERENCE, QUANTITIES };

typedef struct {
    moments of[QUANTITIES];
} tally;

/* What a policy goes by: the first, or where labels take time the second. */
typedef struct {
    og_ranks *ranks;
    og_delayed_policy delayed;
} order;

typedef struct {
    const og_simulate_request *request;
    og_truth truth;
    int threads;
    double begun;
    og_arms *arms;
    og_game game;
    order *orders;           /* [policy_count] empty where the policy is not simulated */
    og_strategy *strategies; /* [policy_count] */
    og_player **players;     /* [threads] */
    tally *waves;            /* [WAVE_BLOCKS_MAX][row_count] */
    tally *total;            /* [row_count] */
    uint64_t *labels;        /* [threads][row_count][K] given so far; NULL: not counted */
    int64_t done;            /* runs in total */
    og_simulation *out;
} job;

static void tell(const og_simulate_request *request, const char *stage, double share)
{
    if (request->progress != NULL) {
        request->progress(request->user, stage, share);
    }
}

static og_limit stop_cause(const job *work)
{
    const og_simulate_request *request = work->request;
    if (request->interrupted != NULL && request->interrupted(request->user)) {
        return OG_LIMIT_INTERRUPT;
    }
    bool late = request->seconds_max > 0 && og_seconds() - work->begun >= request->seconds_max;
    return late ? OG_LIMIT_TIME : OG_LIMIT_NONE;
}

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

/* -- Indices: what they would cost, and their ranks ------------------------------------------- */

/* Of the solvers inside policies, which share half of the memory. */
static bool solver_watch(void *user, const og_progress *progress)
{
    (void)progress;
    return stop_cause(user) == OG_LIMIT_NONE;
}

static og_status make_order(const job *work, const og_policy *policy, const og_arms *arms,
                            order *out, og_message *message)
{
    const og_simulate_request *request = work->request;
    og_policy_use use = {.whole_budget = arms->budget,
                         .threads = work->threads,
                         .memory_bytes =
                             request->memory_bytes / 2 / (uint64_t)request->policy_count,
                         .watch = solver_watch,
                         .watch_user = (void *)work};
    return request->delay == NULL
               ? og_policy_ranks_for(policy, arms, &use, &out->ranks, message)
               : og_delayed_policy_init(&out->delayed, policy, arms, request->delay, work->threads,
                                        request->memory_bytes, message);
}

static void clear_order(order *of)
{
    og_ranks_free(of->ranks);
    og_delayed_policy_clear(&of->delayed);
}

/* The ranks that are by the posterior alone; NULL: there are none. */
static const og_ranks *ranks_of(const order *of)
{
    return of->ranks != NULL ? of->ranks : of->delayed.ranks;
}

static uint64_t tolerance_ties(const order *of)
{
    return of->ranks != NULL ? og_ranks_tolerance_ties(of->ranks) : of->delayed.tolerance_ties;
}

typedef struct {
    const job *work;
    const og_policy *policy;
} making;

static og_status make_smaller(void *user, const og_arms *arms, bool *by_left, og_message *message)
{
    const making *of = user;
    order made = {.ranks = NULL};
    og_status status = make_order(of->work, of->policy, arms, &made, message);
    const og_ranks *ranks = ranks_of(&made);
    *by_left = ranks != NULL && ranks->by_left;
    clear_order(&made);
    return status;
}

/* Is the index worth beginning? */
static og_status forecast(const job *work, const og_policy *policy, og_message *message)
{
    making of = {work, policy};
    og_index_cost cost = {.problem = work->request->problem,
                          .threads = work->threads,
                          .memory_bytes = work->request->memory_bytes,
                          .seconds_max = work->request->index_seconds_max,
                          .make = make_smaller,
                          .user = &of};
    return og_index_cost_check(&cost, work->arms, message);
}

/* thompson draws from posteriors that are Betas. */
static og_status check_random(job *work, const og_policy *policy, og_message *message)
{
    for (int32_t i = 0; i < work->arms->arm_count; i++) {
        if (og_policy_played(policy) == OG_PLAYED_THOMPSON &&
            og_arm_group(work->arms->arm[i]) == NULL) {
            return og_message_set(message, OG_BAD_INPUT, "policy '%s' takes Beta priors only",
                                  policy->name);
        }
    }
    return og_game_keep_steps(&work->game);
}

/* The rows of a policy get its status; anything but a limit ends the call. */
static og_status make_strategy(job *work, int32_t policy)
{
    const og_simulate_request *request = work->request;
    const og_policy *of = &request->policies[policy];
    og_message message = {""};
    char stage[OG_POLICY_NAME_BYTES + 16];
    snprintf(stage, sizeof stage, "index of %s", of->name);
    tell(request, stage, (double)policy / request->policy_count);
    order *made = &work->orders[policy];
    og_played rule = og_policy_played(of);
    og_status status = OG_OK;
    if (rule != OG_PLAYED_BY_RANKS && request->delay == NULL) {
        status = check_random(work, of, &message);
        work->strategies[policy] = og_strategy_random(rule);
    } else {
        status = forecast(work, of, &message);
        if (status == OG_OK) {
            status = make_order(work, of, work->arms, made, &message);
        }
        if (status == OG_OK && request->delay != NULL) {
            work->strategies[policy] = og_strategy_delayed(&made->delayed);
        } else if (status == OG_OK) {
            status = og_strategy_init(&work->game, made->ranks, &work->strategies[policy]);
        }
    }
    for (int32_t i = 0; i < request->ties_count; i++) {
        og_simulate_row *row = &work->out->rows[policy * request->ties_count + i];
        row->policy = policy;
        row->ties = request->ties[i];
        row->status = status;
        row->message = message;
    }
    return status == OG_STOPPED || status == OG_NO_MEMORY ? OG_OK : status;
}

static og_status make_strategies(job *work, og_message *message)
{
    og_simulation *out = work->out;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < work->request->policy_count; i++) {
        status = make_strategy(work, i);
        if (status != OG_OK) {
            *message = out->rows[i * work->request->ties_count].message;
        }
    }
    if (status != OG_OK) {
        return status;
    }
    out->first_row = 0;
    while (out->first_row < out->row_count && out->rows[out->first_row].status != OG_OK) {
        out->first_row++;
    }
    if (out->first_row < out->row_count) {
        return OG_OK;
    }
    return og_message_set(message, out->rows[0].status, "%s: %.400s",
                          work->request->policies[0].name, out->rows[0].message.text);
}

/* -- Runs ------------------------------------------------------------------------------------- */

static void moments_add(moments *to, int64_t count, double value)
{
    double off = value - to->mean;
    to->mean += off / (double)count;
    to->squares += off * (value - to->mean);
}

static void moments_merge(moments *to, double count, const moments *other, double other_count)
{
    double off = other->mean - to->mean, both = count + other_count;
    to->mean += off * (other_count / both);
    to->squares += other->squares + off * off * (count * (other_count / both));
}

static void tally_add(tally *to, int64_t count, og_score_of_run score, og_score_of_run first)
{
    moments_add(&to->of[EXPECTED], count, score.gain);
    moments_add(&to->of[CORRECT], count, score.correct);
    moments_add(&to->of[EXPECTED_DIFFERENCE], count, score.gain - first.gain);
    moments_add(&to->of[CORRECT_DIFFERENCE], count, score.correct - first.correct);
}

static int64_t block_end(const job *work, int64_t block)
{
    int64_t end = (block + 1) * BLOCK_RUNS;
    return end < work->request->runs ? end : work->request->runs;
}

/* Whole numbers: their sums do not depend on which thread counted what. */
static uint64_t *labels_of(const job *work, int thread, int32_t row)
{
    return work->labels + ((size_t)thread * work->out->row_count + row) * work->game.count;
}

static void play_block(const job *work, int thread, int64_t block, tally *rows)
{
    const og_simulation *out = work->out;
    og_player *player = work->players[thread];
    int64_t begin = block * BLOCK_RUNS, end = block_end(work, block);
    memset(rows, 0, (size_t)out->row_count * sizeof *rows);
    for (int64_t run = begin; run < end; run++) {
        og_score_of_run first = {0, 0};
        og_player_deal(player, (uint64_t)run);
        for (int32_t i = out->first_row; i < out->row_count; i++) {
            const og_simulate_row *row = &out->rows[i];
            if (row->status != OG_OK) {
                continue;
            }
            if (work->labels != NULL) {
                og_player_count_labels(player, labels_of(work, thread, i));
            }
            og_score_of_run score =
                og_player_play(player, &work->strategies[row->policy], row->ties);
            if (i == out->first_row) {
                first = score;
            }
            tally_add(&rows[i], run - begin + 1, score, first);
        }
    }
}

typedef struct {
    const job *work;
    int64_t first_block;
} wave_work;

static void play_blocks(void *context, int thread, int64_t begin, int64_t end)
{
    const wave_work *of = context;
    size_t rows = (size_t)of->work->out->row_count;
    for (int64_t i = begin; i < end; i++) {
        play_block(of->work, thread, of->first_block + i, of->work->waves + (size_t)i * rows);
    }
}

static void play_wave(const job *work, int64_t first_block, int64_t blocks)
{
    wave_work of = {work, first_block};
    og_parallel_ranges(work->threads, blocks, 1, play_blocks, &of);
}

static void merge_wave(job *work, int64_t first_block, int64_t blocks)
{
    int32_t rows = work->out->row_count;
    for (int64_t i = 0; i < blocks; i++) {
        int64_t runs = block_end(work, first_block + i) - work->done;
        for (int32_t r = 0; r < rows; r++) {
            for (int q = 0; q < QUANTITIES; q++) {
                moments_merge(&work->total[r].of[q], (double)work->done,
                              &work->waves[i * rows + r].of[q], (double)runs);
            }
        }
        work->done += runs;
    }
}

/* How asking a policy failed, if one did. */
static og_status find_failure(const job *work, og_message *message)
{
    og_status status = OG_OK;
    for (int t = 0; status == OG_OK && t < work->threads; t++) {
        status = og_player_status(work->players[t]);
    }
    for (int32_t i = 0; status != OG_OK && i < work->request->policy_count; i++) {
        og_message why = {""};
        if (work->orders[i].ranks != NULL) {
            og_ranks_failure(work->orders[i].ranks, &why);
        }
        if (why.text[0] != '\0') {
            og_message_set(message, status, "%.100s: %s", work->request->policies[i].name,
                           why.text);
            break;
        }
    }
    return status;
}

static og_status play_all(job *work, og_message *message)
{
    int64_t blocks = (work->request->runs + BLOCK_RUNS - 1) / BLOCK_RUNS;
    int64_t wave = work->threads;
    og_simulation *out = work->out;
    for (int64_t block = 0; block < blocks;) {
        double begun = og_seconds();
        wave = wave < WAVE_BLOCKS_MAX ? wave : WAVE_BLOCKS_MAX;
        int64_t now = wave < blocks - block ? wave : blocks - block;
        play_wave(work, block, now);
        og_status status = find_failure(work, message);
        if (status != OG_OK) {
            /* The time may have ended a policy's own solver; what was done before stands. */
            out->limit = status == OG_STOPPED && work->done > 1 ? stop_cause(work) : OG_LIMIT_NONE;
            out->runs = work->done;
            return out->limit != OG_LIMIT_NONE ? OG_OK : status;
        }
        merge_wave(work, block, now);
        block += now;
        tell(work->request, "runs", (double)work->done / (double)work->request->runs);
        out->limit = block < blocks ? stop_cause(work) : OG_LIMIT_NONE;
        if (out->limit != OG_LIMIT_NONE) {
            break;
        }
        double took = og_seconds() - begun;
        if (took < wave_seconds) {
            wave *= 2;
        } else if (took > 4 * wave_seconds && wave > work->threads) {
            wave /= 2;
        }
    }
    out->runs = work->done;
    return OG_OK;
}

/* -- Results ---------------------------------------------------------------------------------- */

static og_estimate estimate(const job *work, const moments *of, double base, double rounding)
{
    double runs = (double)work->done;
    double error = sqrt(of->squares / (runs - 1) / runs);
    double half = gsl_cdf_tdist_Pinv(0.975, runs - 1) * error + rounding;
    double mean = base + of->mean;
    return (og_estimate){mean, error, mean - half, mean + half};
}

/*
 * Rounding of a mean. One run: m <= min(K, T) instances off by gain_error each, and the sum of m
 * numbers of size at most 1/2, off by at most u m^2 / 2. Means: the n-th update of a mean of
 * numbers of size at most K rounds by u K, and by at most 6 u K / n on the way; it keeps (n - 1)/n
 * of the error before. That adds up to at most u K (n / 2 + 7), for the runs of a block and again
 * for the blocks. Then the sum with call.
 */
static double rounding_of(const job *work, double call, double call_error)
{
    double u = DBL_EPSILON / 2;
    double size = (double)work->game.count;
    double m = fmin(size, (double)work->arms->budget);
    double updates = BLOCK_RUNS + (double)work->done / BLOCK_RUNS;
    double means = u * size * (updates / 2 + 15);
    return m * work->game.gain_error + u * m * m / 2 + means + call_error + u * (call + m);
}

static void fill_labels(job *work, int32_t row)
{
    double *mean = work->out->rows[row].labels;
    for (uint32_t i = 0; mean != NULL && i < work->game.count; i++) {
        uint64_t sum = 0;
        for (int t = 0; t < work->threads; t++) {
            sum += labels_of(work, t, row)[i];
        }
        mean[i] = (double)sum / (double)work->done;
    }
}

static void fill_rows(job *work)
{
    og_simulation *out = work->out;
    double call_error = 0;
    out->call = og_arms_call(work->arms, &call_error);
    out->rounding = rounding_of(work, out->call, call_error);
    for (int32_t i = 0; i < out->row_count; i++) {
        og_simulate_row *row = &out->rows[i];
        const tally *of = &work->total[i];
        if (row->status != OG_OK) {
            continue;
        }
        double twice = 2 * out->rounding;
        row->tolerance_ties = tolerance_ties(&work->orders[row->policy]);
        row->expected = estimate(work, &of->of[EXPECTED], out->call, out->rounding);
        row->correct = estimate(work, &of->of[CORRECT], 0, out->rounding);
        row->expected_difference = estimate(work, &of->of[EXPECTED_DIFFERENCE], 0, twice);
        row->correct_difference = estimate(work, &of->of[CORRECT_DIFFERENCE], 0, twice);
        fill_labels(work, i);
    }
}

/* -- Setting up ------------------------------------------------------------------------------- */

static og_status check_memory(const job *work, og_message *message)
{
    const og_simulate_request *request = work->request;
    uint64_t size = (uint64_t)og_problem_size(request->problem);
    uint64_t arms = og_arms_bytes(work->arms);
    uint64_t rows = (uint64_t)request->policy_count * (uint64_t)request->ties_count;
    uint64_t counting = sizeof(double) * (uint64_t)(work->threads + 1) * rows * size;
    uint64_t bytes = arms + og_game_bytes(work->arms, size) +
                     (uint64_t)request->policy_count * og_strategy_bytes(size) +
                     (uint64_t)work->threads * og_player_bytes(work->arms, size) +
                     (request->count_labels ? counting : 0);
    if (bytes <= request->memory_bytes) {
        return OG_OK;
    }
    char need[OG_BYTES_TEXT_BYTES], limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_NO_MEMORY,
                          "simulating %" PRIu64 " instances and %" PRId32
                          " labels takes %s; the limit is %s",
                          size, work->arms->budget, og_bytes_format(bytes, need),
                          og_bytes_format(request->memory_bytes, limit));
}

static og_status allocate_labels(job *work)
{
    size_t size = (size_t)og_problem_size(work->request->problem);
    size_t rows = (size_t)work->out->row_count;
    work->labels = calloc((size_t)work->threads * rows * size, sizeof *work->labels);
    bool complete = work->labels != NULL;
    for (size_t i = 0; complete && i < rows; i++) {
        work->out->rows[i].labels = calloc(size, sizeof *work->out->rows[i].labels);
        complete = work->out->rows[i].labels != NULL;
    }
    return complete ? OG_OK : OG_NO_MEMORY;
}

static og_status allocate(job *work)
{
    const og_simulate_request *request = work->request;
    size_t policies = (size_t)request->policy_count;
    size_t rows = policies * (size_t)request->ties_count;
    work->orders = calloc(policies, sizeof *work->orders);
    work->strategies = calloc(policies, sizeof *work->strategies);
    work->players = calloc((size_t)work->threads, sizeof *work->players);
    work->waves = calloc(WAVE_BLOCKS_MAX * rows, sizeof *work->waves);
    work->total = calloc(rows, sizeof *work->total);
    work->out->rows = calloc(rows, sizeof *work->out->rows);
    work->out->row_count = (int32_t)rows;
    bool complete = work->orders != NULL && work->strategies != NULL && work->players != NULL &&
                    work->waves != NULL && work->total != NULL && work->out->rows != NULL;
    og_status status = complete ? OG_OK : OG_NO_MEMORY;
    if (status == OG_OK && request->count_labels) {
        status = allocate_labels(work);
    }
    if (status == OG_OK) {
        status = og_game_init(request->problem, work->arms, &work->truth, request->delay,
                              request->seed, &work->game);
    }
    for (int i = 0; status == OG_OK && i < work->threads; i++) {
        status = og_player_new(&work->game, &work->players[i]);
    }
    return status;
}

static void job_clear(job *work)
{
    for (int32_t i = 0; i < work->request->policy_count; i++) {
        if (work->orders != NULL) {
            clear_order(&work->orders[i]);
        }
        if (work->strategies != NULL) {
            og_strategy_clear(&work->strategies[i]);
        }
    }
    for (int i = 0; work->players != NULL && i < work->threads; i++) {
        og_player_free(work->players[i]);
    }
    free(work->orders);
    free(work->strategies);
    free(work->players);
    free(work->waves);
    free(work->total);
    free(work->labels);
    og_game_clear(&work->game);
    og_arms_free(work->arms);
}

static og_status simulate(job *work, og_message *message)
{
    const og_simulate_request *request = work->request;
    tell(request, "posteriors", 0);
    og_status status =
        og_arms_new(request->problem, work->threads, request->memory_bytes, &work->arms, message);
    if (status != OG_OK) {
        return status;
    }
    status = check_memory(work, message);
    if (status != OG_OK) {
        return status;
    }
    status = allocate(work);
    if (status != OG_OK) {
        return og_message_set(message, status, "%s", og_status_text(status));
    }
    status = make_strategies(work, message);
    if (status != OG_OK) {
        return status;
    }
    status = play_all(work, message);
    if (status == OG_OK) {
        fill_rows(work);
    }
    return status;
}

og_status og_simulate(const og_simulate_request *request, og_simulation *out, og_message *message)
{
    og_simulation found = {0};
    job work = {.request = request,
                .threads = og_thread_count(request->threads),
                .begun = og_seconds(),
                .out = &found};
    og_status status = check_request(request, message);
    if (status == OG_OK && request->delay != NULL) {
        status = og_delay_check(request->delay, message);
    }
    if (request->truth != NULL) {
        work.truth = *request->truth;
    }
    if (status == OG_OK) {
        status = og_truth_check(&work.truth, request->problem, message);
    }
    if (status != OG_OK) {
        return status;
    }
    status = simulate(&work, message);
    found.seconds = og_seconds() - work.begun;
    job_clear(&work);
    if (status != OG_OK) {
        og_simulation_clear(&found);
        return status;
    }
    *out = found;
    return OG_OK;
}

void og_simulation_clear(og_simulation *simulation)
{
    for (int32_t i = 0; simulation->rows != NULL && i < simulation->row_count; i++) {
        free(simulation->rows[i].labels);
    }
    free(simulation->rows);
    *simulation = (og_simulation){0};
}
