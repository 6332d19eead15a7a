/*
 * Computes the rows of a comparison: makes strategies, evaluates them exactly in parallel, and
 * simulates those that a limit stopped.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/questions/compare_job.h"
#include "bench/simulation/simulate.h"
#include "dp/base/clock.h"
#include "dp/base/parallel.h"

/* Memory of the solvers inside policies: half of it, if there are any; the rest is for the rows. */
static uint64_t solvers_memory(const og_compare_job *work)
{
    return work->solvers > 0 ? work->asked->request.settings.memory_bytes / 2 : 0;
}

static uint64_t rows_memory(const og_compare_job *work)
{
    return work->asked->request.settings.memory_bytes - solvers_memory(work);
}

/* True if a policy can only be simulated. Families that are not a product of arms refuse such a
 * policy. */
static bool is_played_only(const og_compare_job *work, int32_t policy)
{
    return work->family->model.arms != NULL &&
           og_policy_name_played(&work->asked->policies[policy]) != OG_PLAYED_BY_RANKS;
}

/* Time is divided equally among what is left, so that what is quick leaves its rest to the others.
 */
static double share_of_left(double end, int32_t left, int threads)
{
    double now = og_seconds();
    return left <= threads ? end : now + (end - now) * threads / left;
}

static bool is_to_make(const og_compare_job *work, int32_t policy)
{
    return work->prepared[policy] == OG_STOPPED && !is_played_only(work, policy);
}

/* Makes the strategies that are not made, those of solvers last: each has a share of the time. */
static void make_strategies(const og_compare_job *work, og_policy_use *use, double end)
{
    const og_asked *asked = work->asked;
    int32_t left = 0;
    for (int32_t i = 0; i < asked->policy_count; i++) {
        left += is_to_make(work, i);
    }
    for (int32_t place = 0; place < 2 * asked->policy_count; place++) {
        int32_t i = place % asked->policy_count;
        bool solver = og_policy_name_has_solver(&asked->policies[i]);
        if (!is_to_make(work, i) || solver != (place >= asked->policy_count)) {
            continue;
        }
        og_stop_extend(work->making, share_of_left(end, left--, 1));
        if (og_stop_look(work->making) != OG_LIMIT_NONE) {
            return; /* no time is left for any */
        }
        work->prepare_message[i].text[0] = '\0';
        work->prepared[i] = og_family_strategy(work->family, work->problem, &asked->policies[i],
                                               use, &work->strategy[i], &work->prepare_message[i]);
    }
}

void og_compare_prepare(const og_compare_job *work, double end)
{
    const og_asked *asked = work->asked;
    og_policy_use use = {.whole_budget = work->sizes.budget,
                         .threads = asked->request.settings.threads,
                         .memory_bytes = asked->request.settings.memory_bytes,
                         .stop = work->making};
    if (work->solvers > 0) {
        use.memory_bytes = solvers_memory(work) / (uint64_t)work->solvers;
    }
    for (int32_t i = 0; i < asked->policy_count; i++) {
        if (is_played_only(work, i)) {
            const og_arms *arms = og_family_arms(work->family, work->problem);
            og_message *message = &work->prepare_message[i];
            og_status fits = og_policy_name_check_arms(&asked->policies[i], arms, message);
            work->prepared[i] =
                fits != OG_OK ? fits
                              : og_message_set(message, OG_STOPPED, "it can only be simulated");
        }
    }
    make_strategies(work, &use, end);
    if (isfinite(end)) { /* those that took longer than their share share the rest */
        make_strategies(work, &use, end);
    }
    og_stop_extend(work->making, end);
}

og_status og_compare_preparing_failed(const og_compare_job *work, og_message *message)
{
    for (int32_t i = 0; i < work->asked->policy_count; i++) {
        if (work->prepared[i] != OG_OK && !og_compare_limit_reached(work->prepared[i])) {
            *message = work->prepare_message[i];
            return work->prepared[i];
        }
    }
    return OG_OK;
}

static og_limit row_limit(const og_compare_job *work, const og_stop *stop,
                          const og_compare_row *row)
{
    uint64_t states_max = work->out->policy_states_max;
    og_limit limit = og_stop_limit(stop);
    if (row->status == OG_OK) {
        return OG_LIMIT_NONE;
    }
    if (limit != OG_LIMIT_NONE) {
        return limit;
    }
    if (is_played_only(work, row->policy)) {
        return OG_LIMIT_NATURE;
    }
    limit = row->status == OG_STOPPED ? og_stop_look(work->making) : OG_LIMIT_NONE;
    if (limit != OG_LIMIT_NONE) {
        return limit; /* the policy itself was stopped */
    }
    if (work->prepared[row->policy] == OG_STOPPED) {
        return OG_LIMIT_INDEX;
    }
    if (work->sizes.unvalued) {
        return OG_LIMIT_SIZE;
    }
    return states_max > 0 && row->result.expanded > states_max ? OG_LIMIT_STATES : OG_LIMIT_MEMORY;
}

/* Evaluate one row, on the calling thread only. */
static void value_row(const og_compare_job *work, int32_t row_index, uint64_t memory_bytes,
                      double end, bool front)
{
    og_compare_row *row = &work->out->rows[row_index];
    og_stop stop = og_stop_part(work->stop, end);
    stop.quiet = !front;
    row->policy = row_index / work->asked->request.ties_count;
    row->ties = work->asked->request.ties[row_index % work->asked->request.ties_count];
    row->status = work->prepared[row->policy];
    row->called_value = NAN;
    if (og_stop_look(&stop) != OG_LIMIT_NONE && row->status == OG_OK) {
        row->status = OG_STOPPED;
    }
    if (row->status != OG_OK) {
        row->message = work->prepare_message[row->policy];
        row->limit = row_limit(work, &stop, row);
        return;
    }
    og_settings settings = og_stop_settings(&work->asked->request.settings, &stop);
    row->beyond = work->strategy[row->policy].beyond;
    settings.threads = 1;
    settings.memory_bytes = memory_bytes;
    settings.states_max = work->out->policy_states_max;
    settings.stop_when_full = true;
    og_value_found found = {.called_value = NAN};
    if (work->asked->request.explain && og_family_is_followed(work->family) && row->law == NULL) {
        row->law = calloc((size_t)work->sizes.budget + 1, sizeof *row->law);
    }
    found.law = row->law;
    if (work->out->exact) {
        found.value = row->value_exact;
        found.gain = row->gain_exact;
        found.labels_exact = row->labels_exact;
    }
    const og_value_asked question = {.by = &work->strategy[row->policy],
                                     .ties = row->ties,
                                     .reductions = settings.reductions,
                                     .fractions = work->out->exact,
                                     .labels = true};
    row->status = og_compare_value_of(work, &question, &settings, &found, &row->message);
    row->result = found.result;
    row->labels = found.labels;
    row->law_known = found.law_known;
    /* A stored state that is expanded again is counted again. Then only the policy's own counts do
     * not depend on the threads. */
    const og_strategy *by = question.by;
    row->tolerance_ties = by->forest                   ? found.tolerance_ties
                          : by->tolerance_ties != NULL ? by->tolerance_ties(by->self)
                                                       : 0;
    row->called_value = found.called_value;
    row->limit = row_limit(work, &stop, row);
}

/* Report the row that the calling thread begins, and the number of rows finished on all threads. */
static void tell_row(const og_compare_job *work, int32_t row_index, int32_t done)
{
    const og_asked *asked = work->asked;
    char stage[2 * OG_POLICY_NAME_BYTES];
    snprintf(stage, sizeof stage, "policies, %" PRId32 " of %" PRId32 " done: %s, ties %s", done,
             work->out->row_count, asked->policies[row_index / asked->request.ties_count].name,
             og_ties_name(asked->request.ties[row_index % asked->request.ties_count]));
    og_stop_tell(work->stop, stage, 0);
}

/* The row that comes at this place: those of policies without a solver come first, since a solver
 * looks at all instances together in every state. */
static int32_t row_at(const og_compare_job *work, int32_t place)
{
    const og_request *request = &work->asked->request;
    int32_t rows = work->out->row_count;
    for (int solver = 0; solver < 2; solver++) {
        for (int32_t i = 0; i < rows; i++) {
            const og_policy_name *policy = &work->asked->policies[i / request->ties_count];
            if (og_policy_name_has_solver(policy) == (solver == 1) && place-- == 0) {
                return i;
            }
        }
    }
    return rows - 1;
}

typedef struct {
    const og_compare_job *work;
    int threads;
    double end;
    _Atomic int32_t done;
} rows_work;

static void value_range(void *context, int thread, int64_t begin, int64_t end)
{
    rows_work *work = context;
    int32_t rows = work->work->out->row_count;
    uint64_t share = rows_memory(work->work) / (uint64_t)work->threads;
    for (int64_t i = begin; i < end; i++) {
        int32_t row = row_at(work->work, (int32_t)i);
        if (thread == 0) {
            tell_row(work->work, row, work->done);
        }
        value_row(work->work, row, share,
                  share_of_left(work->end, rows - (int32_t)i, work->threads), thread == 0);
        work->done++;
    }
}

static void value_rows(const og_compare_job *work, int threads, double end)
{
    rows_work rows = {.work = work, .threads = threads, .end = end};
    og_parallel_ranges(threads, work->out->row_count, 1, value_range, &rows);
}

/* Evaluate again the rows that ended early for this reason, each alone with all the memory. */
static void value_rows_again(const og_compare_job *work, og_limit reason, double end)
{
    int32_t count = work->out->row_count;
    int32_t left = 0;
    for (int32_t i = 0; i < count; i++) {
        left += work->out->rows[i].limit == reason;
    }
    for (int32_t i = 0; i < count; i++) {
        og_compare_row *row = &work->out->rows[i];
        if (row->limit == reason && work->prepared[row->policy] == OG_OK && og_seconds() < end &&
            !og_compare_is_over(work)) {
            og_compare_row before = *row;
            row->simulated = false;
            tell_row(work, i, count - left);
            value_row(work, i, rows_memory(work), share_of_left(end, left, 1), true);
            if (before.simulated && row->status != OG_OK) {
                *row = before; /* an estimate is better than nothing */
            }
            left--;
        }
    }
}

/* Simulate a row that has no exact value, if possible in the time left. */
static void simulate_row(const og_compare_job *work, og_compare_row *row, double end)
{
    const og_asked *asked = work->asked;
    og_source source = og_family_source(work->family, work->problem, NULL);
    const og_ranks *made = work->strategy[row->policy].ranks;
    bool locked = made != NULL && made->chooser_lock != NULL;
    og_stop stop = og_stop_for(og_stop_of(&asked->request.settings), 0);
    stop.quiet = true;
    source.ranks = locked ? NULL : made;
    const og_asked runs = {
        .policies = &asked->policies[row->policy],
        .policy_count = 1,
        .request = {.settings = og_stop_settings(&asked->request.settings, &stop),
                    .ties = &row->ties,
                    .ties_count = 1,
                    .runs = asked->request.runs,
                    .seed = asked->request.seed,
                    .index_seconds_max = asked->request.index_seconds_max,
                    .seconds_max = isfinite(end) ? fmax(end - og_seconds(), 1e-3) : 0}};
    og_simulation found;
    if (og_simulate_run(&runs, &source, &found, NULL) != OG_OK) {
        if (og_stop_look(&stop) == OG_LIMIT_INTERRUPT) {
            row->limit = OG_LIMIT_INTERRUPT;
        }
        return;
    }
    og_estimate estimate = found.rows[0].metric[0];
    row->status = OG_OK;
    row->simulated = true;
    row->runs = found.runs;
    row->estimate = estimate;
    row->result = (og_result){
        .value = estimate.mean,
        .gain = estimate.mean - work->out->call,
        .error_bound = fmax(estimate.high - estimate.mean, estimate.mean - estimate.low)};
    og_simulation_clear(&found);
}

/* True if a row is to be simulated. After an interrupt no more simulations begin. */
static bool is_to_simulate(const og_compare_job *work, const og_compare_row *row)
{
    return og_compare_limit_reached(row->status) && row->limit != OG_LIMIT_INTERRUPT &&
           (row->ties == OG_TIES_RANDOM || row->ties == OG_TIES_FIRST) && !og_compare_is_over(work);
}

static void simulate_rows(const og_compare_job *work)
{
    const og_asked *asked = work->asked;
    int32_t left = 0;
    if (!og_family_is_simulated(work->family) || asked->request.runs < 2 || work->out->exact) {
        return;
    }
    for (int32_t i = 0; i < work->out->row_count; i++) {
        left += is_to_simulate(work, &work->out->rows[i]);
    }
    for (int32_t i = 0; i < work->out->row_count; i++) {
        og_compare_row *row = &work->out->rows[i];
        if (is_to_simulate(work, row)) {
            char stage[2 * OG_POLICY_NAME_BYTES];
            snprintf(stage, sizeof stage, "simulating %s, ties %s",
                     asked->policies[row->policy].name, og_ties_name(row->ties));
            og_stop_tell(work->stop, stage, 0);
            simulate_row(work, row, share_of_left(work->stop->end, left, 1));
            left--;
        }
    }
}

/* Return the first failure of a row that is not a limit. */
static og_status find_failure(const og_compare_job *work, og_message *message)
{
    for (int32_t i = 0; i < work->out->row_count; i++) {
        const og_compare_row *row = &work->out->rows[i];
        if (row->status != OG_OK && !og_compare_limit_reached(row->status)) {
            *message = row->message;
            return row->status;
        }
    }
    return OG_OK;
}

/* Largest parts of the time left for making strategies, and for exact values with them. The rest is
 * for simulating rows without a value; if nothing is simulated, these steps get all the time. */
static const double share_of_making = 0.75, share_of_valuing = 0.625;

/* As many threads as rows, but only one if all histories of two answers take just a moment. */
static int threads_of_rows(const og_compare_job *work)
{
    int32_t threads = work->asked->request.settings.threads, rows = work->out->row_count;
    double histories = pow(2.0 * work->sizes.acts, work->sizes.budget);
    double each = work->asked->request.exact ? 6000 : 300; /* nanoseconds */
    return og_threads_worth(threads < rows ? threads : rows, each * rows * histories);
}

static double share_end(double share, double end)
{
    double now = og_seconds();
    return now + share * (end - now);
}

og_status og_compare_rows(const og_compare_job *work, og_message *message)
{
    int threads = threads_of_rows(work);
    if (threads < 1) {
        return OG_OK;
    }
    double end = share_end(share_of_valuing, work->stop->end);
    og_stop_tell(work->stop, "policies", 0);
    og_compare_prepare(work, share_end(share_of_making, work->stop->end));
    OG_TRY(og_compare_preparing_failed(work, message));
    og_stop_extend(work->making, end);
    for (int32_t i = 0; i < work->asked->policy_count; i++) {
        threads = work->strategy[i].one_thread ? 1 : threads;
    }
    value_rows(work, threads, end);
    if (threads > 1) {
        value_rows_again(work, OG_LIMIT_MEMORY, end);
    }
    OG_TRY(find_failure(work, message));
    simulate_rows(work);
    og_stop_extend(work->making, work->stop->end);
    value_rows_again(work, OG_LIMIT_TIME, work->stop->end);
    return find_failure(work, message);
}
