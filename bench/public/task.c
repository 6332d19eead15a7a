/* A question's report: its memory, its rows, and the calls that report progress. */
#include "bench/public/task.h"

#include <math.h>
#include <string.h>

#include "bench/public/handles.h"

og_status og_task_init(og_task *task, bool own_time)
{
    og_stop_take(&task->stop, &task->request.settings);
    if (!own_time && task->request.seconds_max > 0) {
        task->stop.end = task->stop.begun + task->request.seconds_max;
    }
    task->box = og_arena_new(sizeof *task->box);
    if (task->box == NULL) {
        return OG_NO_MEMORY;
    }
    og_report *report = &task->box->report;
    report->prior = report->value = report->gain = report->error_bound = NAN;
    report->lower = report->upper = NAN;
    report->warning = "";
    return OG_OK;
}

void og_task_clear(og_task *task)
{
    og_report_free(task->box != NULL ? &task->box->report : NULL);
    if (task->problem != NULL) {
        task->family->close(task->problem);
    }
    task->box = NULL;
    task->problem = NULL;
}

void og_report_free(og_report *report)
{
    if (report != NULL) {
        og_report_box *box = (og_report_box *)((char *)report - offsetof(og_report_box, report));
        og_document_free(box->document);
        og_arena_free(box);
    }
}

const char *og_keep_text(og_arena *arena, const char *text)
{
    return og_arena_copy(arena, text, strlen(text) + 1, 1);
}

og_status og_message_pass(og_message *message, og_status status, const og_message *words)
{
    const char *text = words->text[0] != '\0' ? words->text : og_status_text(status);
    return status == OG_OK ? OG_OK : og_message_set(message, status, "%s", text);
}

/* ---- rows ---- */

void og_report_bounds(og_report_box *box, const og_bounds *found)
{
    og_report_bound *bound = og_arena_array(&box->arena, (size_t)found->count + 1, sizeof *bound);
    for (int32_t i = 0; bound != NULL && i < found->count; i++) {
        double value = found->bound[i].value;
        bound[i] = (og_report_bound){found->name[i], isfinite(value) ? value : NAN};
    }
    box->report.bound = bound;
    box->report.bound_count = bound != NULL ? found->count : 0;
}

og_report_policy *og_report_rows(og_report_box *box, int32_t count)
{
    og_report_policy *row = og_arena_array(&box->arena, (size_t)count + 1, sizeof *row);
    box->report.policy = row;
    box->report.policy_count = row != NULL ? count : 0;
    return row;
}

og_report_policy og_report_row(og_task *task, int32_t policy, og_ties ties, og_status status,
                               const og_message *message)
{
    og_arena *arena = &task->box->arena;
    const char *why = status == OG_OK            ? ""
                      : message->text[0] != '\0' ? message->text
                                                 : og_status_text(status);
    return (og_report_policy){.policy = og_keep_text(arena, task->policies[policy].name),
                              .ties = ties,
                              .status = status,
                              .why = og_keep_text(arena, why),
                              .value = NAN,
                              .gain = NAN,
                              .error_bound = NAN,
                              .gap = NAN,
                              .gap_error = NAN,
                              .gap_most = NAN,
                              .accuracy = NAN,
                              .difference = NAN,
                              .difference_error = NAN};
}

void og_report_estimate(og_report_policy *row, const og_estimate *value,
                        const og_estimate *difference)
{
    row->simulated = true;
    row->value = value->mean;
    row->error_bound = fmax(value->high - value->mean, value->mean - value->low);
    row->difference = difference->mean;
    row->difference_error = difference->standard_error;
}
