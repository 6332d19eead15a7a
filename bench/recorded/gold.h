#ifndef OG_BENCH_RECORDED_GOLD_H
#define OG_BENCH_RECORDED_GOLD_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"

/*
 * Gold labels of the tasks of `labels`: a table with the columns task and label. OG_BAD_INPUT with
 * a message that names the file and the task: one that has gold and no labels, one that has labels
 * and no gold, or gold twice; else as og_labels_read. gold: [labels->task_count], the caller's.
 */
og_status og_gold_read(const char *path, const og_labels *labels, uint8_t *gold,
                       og_message *message);

#endif
