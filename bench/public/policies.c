/* Questions about policies: compared with the optimum, and simulated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/public/handles.h"
#include "bench/public/traced.h"
#include "bench/simulation/curve.h"
#include "bench/simulation/simulate_document.h"
#include "bench/truth_grid.h"
#include "bench/value/compare_document.h"
#include "bench/value/regret.h"

/* ---- compare ---- */

static og_report_policy compared(og_task *task, const og_comparison *found,
                                 const og_compare_row *row)
{
    og_report_policy out = og_report_row(task, row->policy, row->ties, row->status, &row->message);
    if (row->status == OG_OK) {
        out.simulated = row->simulated;
        out.value = row->result.value;
        out.gain = row->result.gain;
        out.error_bound = row->result.error_bound;
        out.gap_most = row->gap_most;
    }
    if (row->status == OG_OK && found->optimal_status == OG_OK) {
        out.gap = row->gap;
        out.gap_error = row->gap_error;
    }
    return out;
}

static void report_comparison(og_task *task, const og_comparison *found)
{
    og_report *report = &task->box->report;
    og_report_policy *row = og_report_rows(task->box, found->row_count);
    for (int32_t i = 0; i < report->policy_count; i++) {
        row[i] = compared(task, found, &found->rows[i]);
    }
    og_report_bounds(task->box, &found->bounds);
    report->optimal_status = found->optimal_status;
    report->prior = found->call;
    report->lower = found->lower;
    report->upper = found->upper;
    report->states = found->optimal.states;
    report->seconds = found->optimal.seconds;
    if (found->optimal_status == OG_OK) {
        report->value = found->optimal.value;
        report->gain = found->optimal.gain;
        report->error_bound = found->optimal.error_bound;
    }
    task->limit = found->optimal_limit;
    if (found->optimal_message.text[0] != '\0') {
        task->warning = found->optimal_message;
    }
}

/* Truths of a comparison: one, or a grid. */
typedef struct {
    const og_truth *truth; /* [count] */
    int32_t count;
    bool grid;
} truths;

static og_status compare_with(og_task *task, const truths *under, const og_group *belief,
                              og_message *message)
{
    const og_request *request = &task->request;
    og_compare_request wanted = {.family = task->family,
                                 .problem = task->problem,
                                 .policies = task->policies,
                                 .policy_count = task->policy_count,
                                 .ties = request->ties,
                                 .ties_count = request->ties_count,
                                 .settings = request->settings,
                                 .exact = request->exact,
                                 .explain = request->explain,
                                 .truth = under->grid ? NULL : under->truth,
                                 .grid = under->truth,
                                 .grid_count = under->grid ? under->count : 0,
                                 .truth_text = belief != NULL ? request->believe : request->truth,
                                 .believed = belief,
                                 .policy_states_max = request->policy_states_max,
                                 .optimum_states_max = request->optimum_states_max,
                                 .index_seconds_max = request->index_seconds_max,
                                 .runs = request->runs,
                                 .seed = request->seed,
                                 .seconds_max = request->seconds_max,
                                 .without_tables = task->without_tables};
    og_comparison found = {0};
    if (request->runs < 0 || request->runs == 1 || request->runs > OG_RUNS_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "runs must be 0, or 2 to 10^9");
    }
    OG_TRY(og_compare_run(&wanted, &found, message));
    report_comparison(task, &found);
    task->box->document = og_comparison_describe(&wanted, &found);
    og_comparison_clear(&found);
    return OG_OK;
}

/* ---- compare, over a list of priors ---- */

/* Record a requested result that is missing in the report; only the first is kept. */
static void take_missing(og_task *task, og_status status, const char *what, const og_message *why)
{
    og_report *report = &task->box->report;
    if (status != OG_OK && report->optimal_status == OG_OK) {
        report->optimal_status = status;
        og_message_set(&task->warning, status, "%s was not found: %.300s", what, why->text);
    }
}

static void report_regret(og_task *task, const og_regret *found)
{
    og_report *report = &task->box->report;
    og_report_policy *rows = og_report_rows(task->box, found->row_count);
    for (int32_t i = 0; i < report->policy_count; i++) {
        const og_regret_row *from = &found->rows[i];
        og_report_policy out = og_report_row(task, from->policy < 0 ? 0 : from->policy, from->ties,
                                             from->status, &from->message);
        out.policy = from->policy < 0 ? "optimal" : out.policy;
        if (from->status == OG_OK) {
            out.gap = from->regret[from->worst];
            out.gap_error = from->error[from->worst];
        }
        rows[i] = out;
        if (found->stopped) {
            take_missing(task, from->status, "a regret", &from->message);
        }
    }
    if (task->request.minimax) {
        take_missing(task, found->minimax == NULL ? OG_STOPPED : OG_OK, "the least largest regret",
                     &found->minimax_message);
    }
    if (found->minimax != NULL) {
        report->lower = found->minimax->lower;
        report->upper = found->minimax->upper;
    }
}

static og_status check_regret(const og_request *request, og_message *message)
{
    return request->truth == NULL && request->believe == NULL && !request->explain
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "priors does not support truth, believe and explain; omit them");
}

static og_status compare_over_priors(og_task *task, og_message *message)
{
    const og_request *request = &task->request;
    const og_regret_request wanted = {.family = task->family,
                                      .problem = task->problem,
                                      .policies = task->policies,
                                      .policy_count = task->policy_count,
                                      .ties = request->ties,
                                      .ties_count = request->ties_count,
                                      .settings = request->settings,
                                      .priors = request->priors,
                                      .minimax = request->minimax,
                                      .exact = request->exact,
                                      .policy_states_max = request->policy_states_max,
                                      .optimum_states_max = request->optimum_states_max,
                                      .seconds_max = request->seconds_max};
    og_regret found;
    OG_TRY(check_regret(request, message));
    og_status status = og_regret_find(&wanted, &found, message);
    if (status == OG_OK) {
        report_regret(task, &found);
        task->box->document = og_regret_describe(&wanted, &found);
    }
    og_regret_clear(&found);
    return status;
}

typedef struct {
    int64_t instances;
    og_truth *truth; /* [count] */
    int32_t count, room;
} points;

static og_status take_point(void *user, const char *text, og_message *message)
{
    points *of = user;
    if (of->count == of->room) {
        int32_t room = 2 * of->room + 1;
        og_truth *more = realloc(of->truth, (size_t)room * sizeof *more);
        if (more == NULL) {
            return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
        }
        of->truth = more;
        of->room = room;
    }
    of->truth[of->count] = (og_truth){.kind = OG_TRUTH_PRIOR};
    OG_TRY(og_truth_at(text, of->instances, &of->truth[of->count], message));
    of->count++;
    return OG_OK;
}

/* The number of instances; the decisions of a bandit are labels, not calls. */
static int64_t instances_of(const og_task *task)
{
    const og_family *family = task->family;
    const og_arms *arms = family->arms != NULL ? family->arms(task->problem) : NULL;
    return arms != NULL ? og_arms_instances(arms) : task->sizes.decisions;
}

og_status og_task_compare(og_task *task, og_message *message)
{
    const og_request *request = &task->request;
    if (request->priors != NULL) {
        return compare_over_priors(task, message);
    }
    if (request->minimax) {
        return og_message_set(message, OG_BAD_INPUT, "minimax needs a list of priors; set priors");
    }
    og_group belief;
    if (request->truth != NULL && request->believe != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "truth and believe cannot be combined; give one");
    }
    if (request->believe != NULL) {
        OG_TRY(og_belief_parse(request->believe, &belief, message));
    }
    points all = {.instances = instances_of(task)};
    og_status status = request->truth == NULL ? OG_OK
                       : og_truth_is_grid(request->truth)
                           ? og_truth_points(request->truth, take_point, &all, message)
                           : take_point(&all, request->truth, message);
    const truths under = {all.truth, all.count,
                          request->truth != NULL && og_truth_is_grid(request->truth)};
    OG_THEN(status, compare_with(task, &under, request->believe != NULL ? &belief : NULL, message));
    for (int32_t i = 0; i < all.count; i++) {
        og_truth_clear(&all.truth[i]);
    }
    free(all.truth);
    return status;
}

/* ---- simulate ---- */

static og_report_policy simulated(og_task *task, const og_simulation *found,
                                  const og_simulate_row *row)
{
    og_report_policy out = og_report_row(task, row->policy, row->ties, row->status, &row->message);
    if (row->status == OG_OK) {
        const og_estimate *estimate = &row->metric[OG_EXPECTED];
        og_report_estimate(&out, estimate, &row->difference[OG_EXPECTED]);
        out.gain = estimate->mean - found->call;
        out.accuracy = task->sizes.metric.amount || task->sizes.metric.rewards
                           ? NAN
                           : row->metric[OG_CORRECT].mean / (double)task->sizes.decisions;
    }
    return out;
}

og_simulate_request og_task_runs(og_task *task)
{
    const og_request *request = &task->request;
    return (og_simulate_request){.policies = task->policies,
                                 .policy_count = task->policy_count,
                                 .ties = request->ties,
                                 .ties_count = request->ties_count,
                                 .runs = request->runs,
                                 .seed = request->seed,
                                 .threads = request->settings.threads,
                                 .memory_bytes = request->settings.memory_bytes,
                                 .stop = &task->stop};
}

/* Runs a simulation with this source, and reports it. */
static og_status simulate_from(og_task *task, const og_source *source, const og_truth *truth,
                               og_message *message)
{
    const og_request *request = &task->request;
    double limit = request->seconds_max, index = request->index_seconds_max;
    og_simulate_request wanted = og_task_runs(task);
    wanted.source = source;
    wanted.count_labels = request->counts;
    wanted.index_seconds_max = limit > 0 && limit < index ? limit : index;
    wanted.seconds_max = limit;
    og_simulation found = {0};
    OG_TRY(og_simulate_run(&wanted, &found, message));
    og_report *report = &task->box->report;
    og_report_policy *row = og_report_rows(task->box, found.row_count);
    for (int32_t i = 0; i < report->policy_count; i++) {
        row[i] = simulated(task, &found, &found.rows[i]);
    }
    report->prior = found.call;
    report->runs = found.runs;
    report->seconds = found.seconds;
    const og_simulation_report seen = {
        .family = task->family,
        .problem = task->problem,
        .request = &wanted,
        .found = &found,
        .truth = truth,
        .truth_text = request->truth != NULL ? request->truth : "prior",
        .at = source->at,
        .at_count = source->at_count,
    };
    task->box->document = og_simulation_describe(&seen);
    og_simulation_clear(&found);
    return OG_OK;
}

typedef struct {
    og_task *task;
    og_source *source;
    const og_truth *truth;
} simulating;

static og_status simulate_traced(void *user, FILE *trace, og_message *message)
{
    const simulating *with = user;
    with->source->trace = trace;
    return simulate_from(with->task, with->source, with->truth, message);
}

static og_status simulate_with(og_task *task, const og_truth *truth, og_message *message)
{
    static const og_curve none = {.at_count = 0};
    const og_curve *given = task->given != NULL ? task->given : &none;
    og_source source = task->family->source(task->problem, truth);
    int32_t *at = calloc((size_t)given->at_count + 1, sizeof *at);
    og_status status = OG_ALLOCATED(at);
    if (task->family->put_point != NULL) {
        source.at = at;
        OG_THEN(status, og_curve_budgets(given->at, given->at_count, task->sizes.left, at,
                                         &source.at_count, message));
    } else if (given->at_count > 0) {
        OG_THEN(status, og_family_lacks(task->family, "--at", message));
    }
    if (given->trace_file != NULL && task->family->trace == NULL) {
        OG_THEN(status, og_family_lacks(task->family, "--trace", message));
    }
    simulating with = {task, &source, truth};
    OG_THEN(status,
            og_traced(given->trace_file, task->family->trace, simulate_traced, &with, message));
    free(at);
    return status;
}

og_status og_task_simulate(og_task *task, og_message *message)
{
    og_truth truth = {0};
    if (task->family->source == NULL) {
        return og_family_lacks(task->family, "simulate", message);
    }
    if (task->request.counts && task->family->put_counts == NULL) {
        return og_family_lacks(task->family, "--counts", message);
    }
    if (task->request.truth != NULL) {
        OG_TRY(og_truth_parse(task->request.truth, &truth, message));
    }
    og_status status = simulate_with(task, &truth, message);
    og_truth_clear(&truth);
    return status;
}
