#ifndef OG_BENCH_RECORDED_EVENTS_H
#define OG_BENCH_RECORDED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"
#include "dp/engine/settings.h"

typedef struct {
    bool arrives; /* a worker; else a label of this task ends */
    uint32_t task;
} og_arrival_event;

/*
 * Read the order in which workers arrive and labels end, from a table with the columns event and
 * task: "arrive", whose task is ignored, or "done". OG_BAD_INPUT with a message that gives the path
 * and, if there is one, the line: another word, a task without labels, more labels that end than
 * workers who arrived before, or another number of arrivals than `workers`. Other errors as
 * og_labels_read. The caller frees *out, [*count].
 */
og_status og_events_read(const char *path, const og_labels *labels, int32_t workers,
                         const og_settings *settings, og_arrival_event **out, int64_t *count,
                         og_message *message);

#endif
