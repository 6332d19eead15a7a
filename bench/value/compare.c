/*
 * The work of a comparison around the engine: what is asked of whom, with how much time and memory,
 * and in what order. Whether the answers agree is bench/value/conclude.c's.
 */
#include "bench/value/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/simulate.h"
#include "dp/base/clock.h"
#include "dp/base/file.h"
#include "dp/base/parallel.h"
#include "dp/exact/exact.h"

typedef struct {
    const og_compare_request *request;
    const og_family *family;
    const void *problem;
    og_sizes sizes;
    og_file_lock *lock;    /* of the checkpoint; held to the end */
    og_steps *steps;       /* [2] kept for explanations: optimal, and with instances in order;
                              zeroed until the first of each */
    og_strategy *strategy; /* [policy_count] zeroed where it could not be made */
    og_status *prepared;   /* [policy_count] */
    int32_t solvers;       /* policies that hold one */
    double *solvers_end; /* when these must stop, by the clock; moves between the rounds of rows */
    og_message *prepare_message;
    double end; /* by the clock; INFINITY: no limit */
    og_comparison *out;
} job;

/* What stops one computation. */
typedef struct {
    const job *work;
    double deadline;
    bool front; /* on the calling thread, which shows progress */
    og_limit limit;
} guard;

static void tell(const og_compare_request *request, const char *stage)
{
    if (request->progress != NULL) {
        request->progress(request->user, stage);
    }
}

static bool limit_reached(og_status status)
{
    return status == OG_STOPPED || status == OG_NO_MEMORY;
}

static og_limit stop_cause(const job *work, double deadline)
{
    const og_compare_request *request = work->request;
    if (request->interrupted != NULL && request->interrupted(request->user)) {
        return OG_LIMIT_INTERRUPT;
    }
    return og_seconds() >= deadline ? OG_LIMIT_TIME : OG_LIMIT_NONE;
}

static bool guard_watch(void *user, const og_progress *progress)
{
    guard *by = user;
    const og_settings *settings = &by->work->request->settings;
    bool go_on =
        !by->front || settings->watch == NULL || settings->watch(settings->watch_user, progress);
    by->limit = stop_cause(by->work, by->deadline);
    if (!go_on && by->limit == OG_LIMIT_NONE) {
        by->limit = OG_LIMIT_TIME;
    }
    return by->limit == OG_LIMIT_NONE;
}

/* The solvers inside policies answer rows of any thread: not a row's own time ends them, but that
 * of all rows. */
static bool solvers_watch(void *user, const og_progress *progress)
{
    const job *work = user;
    (void)progress;
    return stop_cause(work, *work->solvers_end) == OG_LIMIT_NONE;
}

/* Half of the memory is for them, if there are any, the rest for the rows. */
static uint64_t solvers_memory(const job *work)
{
    return work->solvers > 0 ? work->request->settings.memory_bytes / 2 : 0;
}

static uint64_t rows_memory(const job *work)
{
    return work->request->settings.memory_bytes - solvers_memory(work);
}

static og_status value_of(const job *work, const og_question *question, const og_settings *settings,
                          og_found *out, og_message *message)
{
    og_solution solution = {.self = NULL};
    og_status status = work->family->solve(work->problem, question, settings, &solution, message);
    if (status == OG_OK) {
        status = solution.value(solution.self, out, message);
    }
    og_solution_free(&solution);
    return status;
}

static og_status solve_optimum(const job *work)
{
    og_comparison *out = work->out;
    guard by = {.work = work, .deadline = work->end, .front = true};
    og_settings settings = work->request->settings;
    settings.watch = guard_watch;
    settings.watch_user = &by;
    settings.states_max = work->request->optimum_states_max;
    by.limit = stop_cause(work, work->end);
    og_status status = OG_STOPPED;
    if (by.limit != OG_LIMIT_NONE) {
        og_message_set(&out->optimal_message, OG_STOPPED, "the optimum was not begun");
    } else {
        og_found found = {.result = {0}};
        if (out->exact) {
            found.value = out->optimal_exact;
            found.gain = out->gain_exact;
        }
        const og_question question = {.reductions = settings.reductions, .fractions = out->exact};
        status = value_of(work, &question, &settings, &found, &out->optimal_message);
        out->optimal = found.result;
    }
    out->optimal_status = status;
    if (limit_reached(status)) {
        uint64_t most = work->request->optimum_states_max;
        bool many = most > 0 && out->optimal.expanded > most;
        out->optimal_limit = by.limit != OG_LIMIT_NONE ? by.limit
                             : many                    ? OG_LIMIT_STATES
                                                       : OG_LIMIT_MEMORY;
        return OG_OK;
    }
    return status;
}

/* A checkpoint that cannot be continued from, or that another process uses, is refused before hours
 * are spent on the rest. */
static og_status check_checkpoint(const job *work, og_message *message)
{
    const og_settings *settings = &work->request->settings;
    const og_family *family = work->family;
    if (settings->checkpoint == NULL) {
        return OG_OK;
    }
    if (work->out->exact) {
        return og_message_set(message, OG_BAD_INPUT,
                              "exact arithmetic has no checkpoint: fractions are not saved");
    }
    if (family->check_checkpoint == NULL) {
        return og_family_lacks(family, "--checkpoint", message);
    }
    OG_TRY(og_file_lock_take(settings->checkpoint, "checkpoint", work->lock, message));
    og_status status = family->check_checkpoint(work->problem, settings, message);
    return limit_reached(status) ? OG_OK : status;
}

/* Families that are no product of arms refuse such a policy. */
static bool is_played_only(const job *work, int32_t policy)
{
    return work->family->arms != NULL &&
           og_policy_name_played(&work->request->policies[policy]) != OG_PLAYED_BY_RANKS;
}

/* A policy that cannot be prepared is not valued; the others are. */
static void prepare_policies(const job *work)
{
    const og_compare_request *request = work->request;
    const og_family *family = work->family;
    og_policy_use use = {.whole_budget = work->sizes.budget,
                         .threads = request->settings.threads,
                         .memory_bytes = request->settings.memory_bytes,
                         .watch = solvers_watch,
                         .watch_user = (void *)work};
    if (work->solvers > 0) {
        use.memory_bytes = solvers_memory(work) / (uint64_t)work->solvers;
    }
    for (int32_t i = 0; i < request->policy_count; i++) {
        work->prepared[i] = OG_STOPPED;
        if (is_played_only(work, i)) {
            og_message_set(&work->prepare_message[i], OG_STOPPED, "it can only be simulated");
        } else if (stop_cause(work, work->end) == OG_LIMIT_NONE) {
            work->prepared[i] = family->strategy(work->problem, &request->policies[i], &use,
                                                 &work->strategy[i], &work->prepare_message[i]);
        }
    }
}

static og_limit row_limit(const guard *by, const og_compare_row *row)
{
    uint64_t states_max = by->work->request->policy_states_max;
    if (row->status == OG_OK) {
        return OG_LIMIT_NONE;
    }
    if (by->limit != OG_LIMIT_NONE) {
        return by->limit;
    }
    if (by->work->prepared[row->policy] == OG_STOPPED) {
        return is_played_only(by->work, row->policy) ? OG_LIMIT_NATURE : OG_LIMIT_INDEX;
    }
    if (row->status == OG_STOPPED && by->work->solvers > 0) {
        og_limit cause = stop_cause(by->work, *by->work->solvers_end);
        if (cause != OG_LIMIT_NONE) {
            return cause; /* it was a solver inside the policy that was stopped */
        }
    }
    return states_max > 0 && row->result.expanded > states_max ? OG_LIMIT_STATES : OG_LIMIT_MEMORY;
}

/* One row, on the calling thread only. */
static void value_row(const job *work, int32_t row_index, uint64_t memory_bytes, double deadline,
                      bool front)
{
    og_compare_row *row = &work->out->rows[row_index];
    guard watch = {.work = work, .deadline = deadline, .front = front};
    watch.limit = stop_cause(work, deadline);
    row->policy = row_index / work->request->ties_count;
    row->ties = work->request->ties[row_index % work->request->ties_count];
    row->status = work->prepared[row->policy];
    row->called_value = NAN;
    if (row->status == OG_OK && watch.limit != OG_LIMIT_NONE) {
        row->status = OG_STOPPED;
    }
    if (row->status != OG_OK) {
        row->message = work->prepare_message[row->policy];
        row->limit = row_limit(&watch, row);
        return;
    }
    og_settings settings = work->request->settings;
    settings.threads = 1;
    settings.memory_bytes = memory_bytes;
    settings.watch = guard_watch;
    settings.watch_user = &watch;
    settings.states_max = work->request->policy_states_max;
    settings.stop_when_full = true;
    og_found found = {.called_value = NAN};
    if (work->out->exact) {
        found.value = row->value_exact;
        found.gain = row->gain_exact;
    }
    const og_question question = {.by = &work->strategy[row->policy],
                                  .ties = row->ties,
                                  .reductions = settings.reductions,
                                  .fractions = work->out->exact};
    row->status = value_of(work, &question, &settings, &found, &row->message);
    row->result = found.result;
    /* A remembered state that is expanded again counts again: then only what the policy itself
     * says does not depend on the threads. */
    const og_strategy *by = question.by;
    row->tolerance_ties = by->forest                   ? found.tolerance_ties
                          : by->tolerance_ties != NULL ? by->tolerance_ties(by->self)
                                                       : 0;
    row->called_value = found.called_value;
    row->limit = row_limit(&watch, row);
}

/* What the calling thread turns to, and how many rows all threads have finished. */
static void tell_row(const job *work, int32_t row_index, int32_t done)
{
    const og_compare_request *request = work->request;
    char stage[2 * OG_POLICY_NAME_BYTES];
    snprintf(stage, sizeof stage, "policies, %" PRId32 " of %" PRId32 " done: %s, ties %s", done,
             work->out->row_count, request->policies[row_index / request->ties_count].name,
             og_ties_name(request->ties[row_index % request->ties_count]));
    tell(request, stage);
}

/* Time is shared alike among the rows that are still to come. */
static double row_deadline(double end, int32_t rows_left, int threads)
{
    double now = og_seconds();
    return rows_left <= threads ? end : now + (end - now) * threads / rows_left;
}

typedef struct {
    const job *work;
    int threads;
    double end;
    _Atomic int32_t done;
} rows_work;

static void value_range(void *context, int thread, int64_t begin, int64_t end)
{
    rows_work *of = context;
    int32_t rows = of->work->out->row_count;
    uint64_t share = rows_memory(of->work) / (uint64_t)of->threads;
    for (int64_t i = begin; i < end; i++) {
        if (thread == 0) {
            tell_row(of->work, (int32_t)i, of->done);
        }
        value_row(of->work, (int32_t)i, share,
                  row_deadline(of->end, rows - (int32_t)i, of->threads), thread == 0);
        of->done++;
    }
}

static void value_rows(const job *work, int threads, double end)
{
    rows_work of = {.work = work, .threads = threads, .end = end};
    og_parallel_ranges(threads, work->out->row_count, 1, value_range, &of);
}

/* Rows that ended early for this reason, each alone with all the memory. */
static void value_rows_again(const job *work, og_limit reason, double end)
{
    int32_t count = work->out->row_count;
    int32_t left = 0;
    for (int32_t i = 0; i < count; i++) {
        left += work->out->rows[i].limit == reason;
    }
    for (int32_t i = 0; i < count; i++) {
        og_compare_row *row = &work->out->rows[i];
        if (row->limit == reason && work->prepared[row->policy] == OG_OK &&
            stop_cause(work, end) == OG_LIMIT_NONE) {
            og_compare_row before = *row;
            row->simulated = false;
            tell_row(work, i, count - left);
            value_row(work, i, rows_memory(work), row_deadline(end, left, 1), true);
            if (before.simulated && row->status != OG_OK) {
                *row = before; /* an estimate is better than nothing */
            }
            left--;
        }
    }
}

/* A row that has no exact value gets an estimate, if there is a way and time for it. */
static void simulate_row(const job *work, og_compare_row *row, double end)
{
    const og_compare_request *request = work->request;
    const og_source source = work->family->source(work->problem, NULL);
    const og_simulate_request runs = {.source = &source,
                                      .policies = &request->policies[row->policy],
                                      .policy_count = 1,
                                      .ties = &row->ties,
                                      .ties_count = 1,
                                      .runs = request->runs,
                                      .seed = request->seed,
                                      .threads = request->settings.threads,
                                      .memory_bytes = request->settings.memory_bytes,
                                      .index_seconds_max = request->index_seconds_max,
                                      .seconds_max =
                                          isfinite(end) ? fmax(end - og_seconds(), 1e-3) : 0,
                                      .interrupted = request->interrupted,
                                      .user = request->user};
    og_simulation found;
    if (og_simulate_run(&runs, &found, NULL) != OG_OK) {
        return;
    }
    if (found.runs == request->runs) {
        og_estimate estimate = found.rows[0].metric[0];
        row->status = OG_OK;
        row->simulated = true;
        row->runs = found.runs;
        row->estimate = estimate;
        row->result = (og_result){
            .value = estimate.mean,
            .gain = estimate.mean - work->out->call,
            .error_bound = fmax(estimate.high - estimate.mean, estimate.mean - estimate.low)};
    }
    og_simulation_clear(&found);
}

static void simulate_rows(const job *work, double end)
{
    const og_compare_request *request = work->request;
    if (work->family->source == NULL || request->runs < 2 || work->out->exact) {
        return;
    }
    for (int32_t i = 0; i < work->out->row_count; i++) {
        og_compare_row *row = &work->out->rows[i];
        bool playable = row->ties == OG_TIES_RANDOM || row->ties == OG_TIES_FIRST;
        if (limit_reached(row->status) && row->limit != OG_LIMIT_INTERRUPT && playable &&
            stop_cause(work, end) == OG_LIMIT_NONE) {
            char stage[2 * OG_POLICY_NAME_BYTES];
            snprintf(stage, sizeof stage, "simulating %s, ties %s",
                     request->policies[row->policy].name, og_ties_name(row->ties));
            tell(request, stage);
            simulate_row(work, row, end);
        }
    }
}

/* As many threads as rows, or one where even all histories of two answers are done in a moment. */
static int threads_of_rows(const job *work)
{
    int32_t threads = work->request->settings.threads, rows = work->out->row_count;
    double histories = pow(2.0 * work->sizes.acts, work->sizes.budget);
    double each = work->request->exact ? 6000 : 300; /* nanoseconds */
    return og_threads_worth(threads < rows ? threads : rows, each * rows * histories);
}

static void value_policies(const job *work)
{
    int threads = threads_of_rows(work);
    if (threads < 1) {
        return;
    }
    double now = og_seconds();
    double last = now + (work->end - now) / 2;
    double end = now + (last - now) * 3 / 4;
    *work->solvers_end = end;
    tell(work->request, "policies");
    prepare_policies(work);
    value_rows(work, threads, end);
    if (threads > 1) {
        value_rows_again(work, OG_LIMIT_MEMORY, end);
    }
    simulate_rows(work, last);
}

/* Something went wrong with a row that was no limit. */
static og_status find_failure(const job *work, og_message *message)
{
    for (int32_t i = 0; i < work->out->row_count; i++) {
        const og_compare_row *row = &work->out->rows[i];
        if (row->status != OG_OK && !limit_reached(row->status)) {
            *message = row->message;
            return row->status;
        }
    }
    return OG_OK;
}

static bool bounds_stop(void *user)
{
    const job *work = user;
    return stop_cause(work, work->end) != OG_LIMIT_NONE;
}

static og_status find_bounds(const job *work, og_message *message)
{
    tell(work->request, "bounds");
    const og_bounds_request request = {.family = work->family,
                                       .problem = work->problem,
                                       .settings = &work->request->settings,
                                       .exact = work->out->exact,
                                       .stop = bounds_stop,
                                       .user = (void *)work};
    return og_bounds_find(&request, &work->out->bounds, message);
}

/* What is expected without any label; refuses problems that fractions do not know. */
static og_status find_prior(const job *work, og_message *message)
{
    og_comparison *out = work->out;
    return work->family->prior(work->problem, &out->call, &out->call_error,
                               out->exact ? out->call_exact : NULL, message);
}

/* The optimum state by state, solved once for all rows in half of the memory; once more for the
 * instances in order where the family lends no values. */
static og_status prepare_steps(const job *work, og_ties ties, const og_settings *half,
                               og_message *message)
{
    bool ordered = ties == OG_TIES_FIRST;
    bool both = false;
    og_steps_use use = {.settings = *half, .ordered = ordered};
    for (int32_t i = 0; i < work->request->ties_count; i++) {
        both = both || (work->request->ties[i] == OG_TIES_FIRST) != ordered;
    }
    use.settings.states_max = 0;
    use.settings.memory_bytes /= both ? 2 : 1;
    use.like = work->steps[!ordered].self != NULL ? &work->steps[!ordered] : NULL;
    return work->steps[ordered].self != NULL
               ? OG_OK
               : work->family->steps(work->problem, &use, &work->steps[ordered], message);
}

static og_status explain(const job *work, og_compare_row *row, const og_settings *settings,
                         og_message *message)
{
    og_settings half = *settings;
    half.memory_bytes /= 2;
    half.checkpoint = NULL;
    OG_TRY(prepare_steps(work, row->ties, &half, message));
    const og_explain_request request = {.family = work->family,
                                        .problem = work->problem,
                                        .by = &work->strategy[row->policy],
                                        .ties = row->ties,
                                        .optimum = &work->steps[row->ties == OG_TIES_FIRST],
                                        .settings = half};
    return og_explain(&request, &row->explanation, message);
}

static og_status explain_row(const job *work, int32_t index, const og_settings *settings, guard *by,
                             og_message *message)
{
    og_compare_row *row = &work->out->rows[index];
    char stage[OG_POLICY_NAME_BYTES + 64];
    snprintf(stage, sizeof stage, "why: %s, ties %s", work->request->policies[row->policy].name,
             og_ties_name(row->ties));
    const char *refusal = og_explain_refusal(work->family, &work->strategy[row->policy]);
    if (refusal != NULL) {
        return og_message_set(&row->explain_message, OG_OK, "%s", refusal);
    }
    tell(work->request, stage);
    by->limit = stop_cause(work, work->end);
    og_status status = by->limit != OG_LIMIT_NONE
                           ? OG_STOPPED
                           : explain(work, row, settings, &row->explain_message);
    row->explained = status == OG_OK;
    row->explain_limit = by->limit;
    if (status == OG_OK) {
        return og_comparison_check_explanation(row, message);
    }
    if (row->explain_message.text[0] == '\0') {
        og_message_set(&row->explain_message, status, "%s", og_status_text(status));
    }
    if (!limit_reached(status)) {
        *message = row->explain_message;
        return status;
    }
    return OG_OK;
}

static og_status explain_rows(const job *work, og_message *message)
{
    const og_comparison *out = work->out;
    guard by = {.work = work, .deadline = work->end, .front = true};
    og_settings settings = work->request->settings;
    settings.watch = guard_watch;
    settings.watch_user = &by; /* which the kept optimum calls too */
    settings.states_max = work->request->policy_states_max;
    og_status status = OG_OK;
    for (int32_t i = 0; status == OG_OK && i < out->row_count; i++) {
        bool can = work->family->steps != NULL && out->optimal_status == OG_OK &&
                   out->rows[i].status == OG_OK && !out->rows[i].simulated;
        status = can ? explain_row(work, i, &settings, &by, message) : OG_OK;
    }
    return status;
}

static og_status run(const job *work, og_message *message)
{
    const og_compare_request *request = work->request;
    og_status status = check_checkpoint(work, message);
    if (status == OG_OK) {
        status = find_prior(work, message);
    }
    if (status != OG_OK) {
        return status;
    }
    status = find_bounds(work, message);
    if (status != OG_OK) {
        return status;
    }
    value_policies(work);
    status = find_failure(work, message);
    if (status != OG_OK) {
        return status;
    }
    tell(request, "optimum");
    status = solve_optimum(work);
    if (status != OG_OK) {
        *message = work->out->optimal_message;
        return status;
    }
    *work->solvers_end = work->end;
    value_rows_again(work, OG_LIMIT_TIME, work->end);
    status = find_failure(work, message);
    work->out->instances = work->sizes.decisions;
    if (status == OG_OK) {
        status = og_comparison_conclude(work->out, message);
    }
    return status == OG_OK && request->explain ? explain_rows(work, message) : status;
}

static void job_clear(job *work)
{
    og_file_lock_release(work->lock);
    og_steps_free(&work->steps[0]);
    og_steps_free(&work->steps[1]);
    for (int32_t i = 0; work->strategy != NULL && i < work->request->policy_count; i++) {
        og_strategy_free(&work->strategy[i]);
    }
    free(work->strategy);
    free(work->prepared);
    free(work->prepare_message);
}

static void comparison_init_exact(og_comparison *comparison)
{
    comparison->exact = true;
    mpq_inits(comparison->call_exact, comparison->optimal_exact, comparison->gain_exact, NULL);
    for (int32_t i = 0; i < comparison->row_count; i++) {
        og_compare_row *row = &comparison->rows[i];
        mpq_inits(row->value_exact, row->gain_exact, row->gap_exact, NULL);
    }
}

static void comparison_clear_exact(og_comparison *comparison)
{
    for (int32_t i = 0; i < comparison->row_count; i++) {
        og_compare_row *row = &comparison->rows[i];
        mpq_clears(row->value_exact, row->gain_exact, row->gap_exact, NULL);
    }
    mpq_clears(comparison->call_exact, comparison->optimal_exact, comparison->gain_exact, NULL);
}

static og_status job_init(job *work, og_message *message)
{
    const og_compare_request *request = work->request;
    size_t policies = (size_t)request->policy_count;
    size_t rows = policies * (size_t)request->ties_count;
    work->strategy = calloc(policies + 1, sizeof *work->strategy);
    work->prepared = calloc(policies + 1, sizeof *work->prepared);
    work->prepare_message = calloc(policies + 1, sizeof *work->prepare_message);
    work->out->rows = calloc(rows + 1, sizeof *work->out->rows);
    if (work->strategy == NULL || work->prepared == NULL || work->prepare_message == NULL ||
        work->out->rows == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    work->out->row_count = (int32_t)rows;
    if (request->exact) {
        comparison_init_exact(work->out);
    }
    return OG_OK;
}

/* A state costs the more the more labels there are: in proportion, the limit takes about as long
 * with any number of them. What needs more is simulated, or ends as a bracket. */
static uint64_t usual_states(int32_t budget)
{
    const uint64_t most = 20000000, labels = 100;
    return budget <= (int32_t)labels ? most : most * labels / (uint64_t)budget;
}

/* Whoever limits time or saves what is found has said how long the optimum may take. */
void og_compare_settle(og_compare_request *request, int32_t budget)
{
    bool limited = request->seconds_max > 0 || request->settings.checkpoint != NULL;
    if (request->optimum_states_max == OG_STATES_USUAL) {
        request->optimum_states_max = limited ? 0 : usual_states(budget);
    }
    if (request->policy_states_max == OG_STATES_USUAL) {
        request->policy_states_max = usual_states(budget);
    }
}

og_status og_compare_run(const og_compare_request *request, og_comparison *out, og_message *message)
{
    og_comparison result = {0};
    og_message ignored;
    double limit = request->seconds_max > 0 ? request->seconds_max : INFINITY;
    double solvers_end = INFINITY;
    og_steps steps[2] = {{.self = NULL}, {.self = NULL}};
    og_file_lock lock = {.path = NULL};
    job work = {.request = request,
                .family = request->family,
                .problem = request->problem,
                .steps = steps,
                .lock = &lock,
                .solvers_end = &solvers_end,
                .end = og_seconds() + limit,
                .out = &result};
    work.family->sizes(work.problem, &work.sizes);
    for (int32_t i = 0; i < request->policy_count; i++) {
        work.solvers += og_policy_name_has_solver(&request->policies[i]);
    }
    if (message == NULL) {
        message = &ignored;
    }
    og_status status = job_init(&work, message);
    if (status == OG_OK) {
        status = run(&work, message);
    }
    job_clear(&work);
    if (status == OG_OK) {
        *out = result;
    } else {
        og_comparison_clear(&result);
    }
    return status;
}

void og_comparison_clear(og_comparison *comparison)
{
    if (comparison->exact) {
        comparison_clear_exact(comparison);
    }
    for (int32_t i = 0; i < comparison->row_count; i++) {
        og_explanation_clear(&comparison->rows[i].explanation);
    }
    free(comparison->rows);
    og_bounds_clear(&comparison->bounds);
    memset(comparison, 0, sizeof *comparison);
}
