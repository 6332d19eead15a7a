#ifndef OG_BENCH_RECORDED_GOLD_H
#define OG_BENCH_RECORDED_GOLD_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"

enum { OG_GOLD_NONE = 255 };

typedef struct {
    int64_t missing; /* tasks with labels and no gold */
    int64_t unknown; /* rows of gold for tasks without labels */
    int64_t trimmed; /* fields with blanks around them (dp/base/rows.h) */
} og_gold_count;

/*
 * Read gold labels for the tasks of `labels` from a table with the columns task and label.
 * OG_BAD_INPUT with a message that names the file and the task: there are no labels, no task has
 * gold, a task has two different ones, or gold is a class that no label has. Other errors as in
 * og_labels_read. The caller provides gold: [labels->task_count], filled with labels or
 * OG_GOLD_NONE.
 */
og_status og_gold_read(const char *path, const og_labels *labels, const og_settings *settings,
                       uint8_t *gold, og_gold_count *count, og_message *message);

#endif
