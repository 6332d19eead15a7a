/* Recorded labels from files or arrays: their prior. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench/public/recording.h"
#include "bench/recorded/fit.h"

static_assert((int)OG_FIT_CLASSES_MAX == (int)OG_CLASSES_MAX, "a fit of every file has room");

og_status og_fit_file(const char *file, const og_tables *tables, og_fit_method method,
                      double *prior, int32_t *count, og_message *message)
{
    og_labels labels = {0};
    og_fit found;
    og_settings settings;
    og_message words = {""};
    og_settings_default(&settings);
    settings.tables = tables;
    og_status status = og_labels_read(file, &settings, &labels, &words);
    OG_THEN(status, og_fit_prior(&labels, method, &found, &words));
    if (status == OG_OK) {
        memcpy(prior, found.parameter, (size_t)found.class_count * sizeof *prior);
        *count = found.class_count;
    }
    og_labels_clear(&labels);
    return og_message_pass(message, status, &words, OG_NAMED_FIELDS);
}

static og_status check_labels(int64_t count, const uint32_t *task, const uint32_t *worker,
                              const uint8_t *label, og_message *message)
{
    for (int64_t i = 0; i < count; i++) {
        if (label[i] > 1 || task[i] >= count || (worker != NULL && worker[i] >= count)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "label %lld must have a task and a worker below the number of "
                                  "labels and be 0 or 1; its task is %lu and its label %d",
                                  (long long)i, (unsigned long)task[i], label[i]);
        }
    }
    return count > 0 && count <= OG_LABELS_MAX
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                count > 0 ? "more than 2000000000 labels" : "there are no labels");
}

/* Check that every task has a label. */
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

og_status og_labels_borrow(int64_t count, const uint32_t *task, const uint32_t *worker,
                           const uint8_t *label, og_labels *out, og_message *message)
{
    OG_TRY(check_labels(count, task, worker, label, message));
    og_labels labels = {.label_count = count, /* only read */
                        .task = (uint32_t *)task,
                        .worker = (uint32_t *)worker,
                        .label = (uint8_t *)label};
    for (int64_t i = 0; i < count; i++) {
        labels.task_count = task[i] >= labels.task_count ? task[i] + 1 : labels.task_count;
        if (worker != NULL && worker[i] >= labels.worker_count) {
            labels.worker_count = labels.named_count = worker[i] + 1;
        }
    }
    OG_TRY(check_tasks(&labels, message));
    *out = labels;
    return OG_OK;
}

og_status og_fit_labels(int64_t count, const uint32_t *task, const uint8_t *label,
                        og_fit_method method, double *a, double *b, og_message *message)
{
    og_labels labels;
    og_fit found;
    og_message words = {""};
    OG_TRY(og_labels_borrow(count, task, NULL, label, &labels, message));
    og_status status = og_fit_prior(&labels, method, &found, &words);
    if (status != OG_OK) {
        return og_message_pass(message, status, &words, OG_NAMED_FIELDS);
    }
    *a = found.parameter[0];
    *b = found.parameter[1];
    return OG_OK;
}
