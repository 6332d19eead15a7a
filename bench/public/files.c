/* Questions about files: an exported policy, and recorded labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/public/handles.h"
#include "bench/recorded/fit.h"
#include "bench/recorded/labels.h"
#include "bench/verify/verify_document.h"

/* ---- verify ---- */

static void report_verified(og_report *report, const og_verification *found)
{
    report->prior = found->value - found->gain;
    report->value = found->value;
    report->gain = found->gain;
    report->error_bound = found->error_bound;
    report->lower = found->value - found->error_bound;
    report->upper = found->optimal ? found->value + found->error_bound + found->loss_bound : NAN;
    report->states = found->states;
    report->warning = "";
}

static og_status verify(const char *file, const og_settings *given, og_report_box *box,
                        og_message *message)
{
    og_settings settings;
    og_verification found;
    og_settings_default(&settings);
    settings = og_settings_filled(given != NULL ? given : &settings);
    const og_verify_request wanted = {.threads = settings.threads,
                                      .memory_bytes = settings.memory_bytes};
    OG_TRY(og_verify_path(file, &wanted, &found, message));
    report_verified(&box->report, &found);
    box->document = og_verification_describe(file, &found);
    box->report.document = box->document;
    return og_document_failed(box->document) ? OG_NO_MEMORY : OG_OK;
}

og_status og_verify(const char *file, const og_settings *settings, og_report **out,
                    og_message *message)
{
    og_message words = {""};
    og_report_box *box = og_arena_new(sizeof *box);
    og_status status = box == NULL ? OG_NO_MEMORY : verify(file, settings, box, &words);
    if (status == OG_OK) {
        *out = &box->report;
        return OG_OK;
    }
    og_report_free(box != NULL ? &box->report : NULL);
    return og_message_set(message, status, "%s",
                          words.text[0] != '\0' ? words.text : og_status_text(status));
}

/* ---- fit ---- */

static og_status fit(const og_labels *labels, bool maximum_likelihood, double *a, double *b,
                     og_message *message)
{
    og_fit found;
    OG_TRY(maximum_likelihood ? og_fit_ml(labels, &found, message)
                              : og_fit_moments(labels, &found, message));
    *a = found.a;
    *b = found.b;
    return OG_OK;
}

og_status og_fit_file(const char *file, bool maximum_likelihood, double *a, double *b,
                      og_message *message)
{
    og_labels labels = {0};
    og_message words = {""};
    og_status status = og_labels_read(file, &labels, &words);
    if (status == OG_OK) {
        status = fit(&labels, maximum_likelihood, a, b, &words);
    }
    og_labels_clear(&labels);
    return status == OG_OK
               ? OG_OK
               : og_message_set(message, status, "%s",
                                words.text[0] != '\0' ? words.text : og_status_text(status));
}

/* The number of tasks; 0 with a message where the arrays are not as they must be. */
static uint32_t count_tasks(int64_t count, const uint32_t *task, const uint8_t *label,
                            og_message *message)
{
    uint32_t tasks = 0;
    for (int64_t i = 0; i < count; i++) {
        if (label[i] > 1 || task[i] >= count) {
            og_message_set(message, OG_BAD_INPUT,
                           "label %lld: task %lu and label %d, but there are no more tasks than "
                           "labels, and a label is 0 or 1",
                           (long long)i, (unsigned long)task[i], label[i]);
            return 0;
        }
        tasks = task[i] >= tasks ? task[i] + 1 : tasks;
    }
    if (tasks == 0) {
        og_message_set(message, OG_BAD_INPUT, "there are no labels");
    }
    return tasks;
}

/* Every task has a label. */
static og_status check_tasks(const og_labels *labels, og_message *message)
{
    bool *seen = calloc(labels->task_count, sizeof *seen);
    uint32_t task = 0;
    if (seen == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "%s", og_status_text(OG_NO_MEMORY));
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        seen[labels->task[i]] = true;
    }
    while (task < labels->task_count && seen[task]) {
        task++;
    }
    free(seen);
    return task == labels->task_count
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT, "task %lu has no label",
                                (unsigned long)task);
}

og_status og_fit_labels(int64_t count, const uint32_t *task, const uint8_t *label,
                        bool maximum_likelihood, double *a, double *b, og_message *message)
{
    og_labels labels = {.label_count = count, /* only read, as fits do */
                        .task_count = count_tasks(count, task, label, message),
                        .task = (uint32_t *)task,
                        .label = (uint8_t *)label};
    if (labels.task_count == 0) {
        return OG_BAD_INPUT;
    }
    OG_TRY(check_tasks(&labels, message));
    return fit(&labels, maximum_likelihood, a, b, message);
}
