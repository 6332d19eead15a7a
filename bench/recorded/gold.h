#ifndef OG_BENCH_RECORDED_GOLD_H
#define OG_BENCH_RECORDED_GOLD_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"

enum { OG_GOLD_NONE = 255 };

typedef struct {
    int64_t missing; /* tasks with labels and no gold */
    int64_t unknown; /* rows of gold whose task has no labels */
    int64_t trimmed; /* fields with blanks around them (dp/base/rows.h) */
} og_gold_count;

/*
 * Gold labels of the tasks of `labels`: a table with the columns task and label. OG_BAD_INPUT with
 * a message that names the file and the task: no task has gold, one has two different ones, or a
 * class that no label has; else as og_labels_read. gold: [labels->task_count], the caller's, a
 * label or OG_GOLD_NONE.
 */
og_status og_gold_read(const char *path, const og_labels *labels, const og_settings *settings,
                       uint8_t *gold, og_gold_count *count, og_message *message);

#endif
