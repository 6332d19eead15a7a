/* The question simulate: policies in random runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/public/handles.h"
#include "bench/simulation/curve.h"
#include "bench/simulation/simulate_document.h"
#include "dp/base/file.h"

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

/* The same, with the first run's labels in a file. */
static og_status simulate_and_trace(og_task *task, og_source *source, const og_truth *truth,
                                    const char *path, og_message *message)
{
    static const char what[] = "trace";
    og_atomic_file file;
    char *text = NULL;
    size_t length = 0;
    OG_TRY(og_atomic_file_begin(path, what, &file, message));
    source->trace = open_memstream(&text, &length);
    og_status status = OG_ALLOCATED(source->trace);
    if (status == OG_OK) {
        fputs(task->family->trace, source->trace);
        status = simulate_from(task, source, truth, message);
        bool whole = ferror(source->trace) == 0;
        whole = fclose(source->trace) == 0 && whole;
        status = status == OG_OK && !whole ? OG_NO_MEMORY : status;
    }
    if (status == OG_OK) {
        og_atomic_file_write(&file, text, length);
        status = og_atomic_file_end(&file, what, message);
    } else {
        og_atomic_file_drop(&file);
    }
    free(text);
    return status;
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
    if (status == OG_OK) {
        status = given->trace_file != NULL
                     ? simulate_and_trace(task, &source, truth, given->trace_file, message)
                     : simulate_from(task, &source, truth, message);
    }
    free(at);
    return status;
}

static og_status answer(og_task *task, og_message *message)
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

const og_question_kind og_question_simulate = {
    .answer = answer, .policies = true, .index_time = true, .own_time = true, .runs_only = true};
