/* Recorded labels from arrays. */
#include <stdlib.h>

#include "bench/public/recording.h"

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
