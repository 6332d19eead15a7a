/* Reads a list of arrivals and of labels that end. */
#include "bench/recorded/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/columns.h"
#include "bench/recorded/names.h"

enum { SHOWN = 40 };

typedef struct {
    og_rows rows;
    og_columns columns;
    const og_labels *labels;
    og_names names; /* of the tasks */
    og_arrival_event *event;
    size_t count, room;
    int64_t arrived, ended;
} reader;

static bool number_tasks(reader *in)
{
    uint32_t number;
    bool fine = true;
    for (uint32_t i = 0; fine && i < in->labels->task_count; i++) {
        fine = og_names_number(&in->names, &in->rows, og_labels_task_name(in->labels, i), &number);
    }
    return fine;
}

static bool read_done(reader *in, og_arrival_event *out)
{
    const char *task = og_columns_field(&in->columns, OG_COLUMN_TASK);
    if (*task == '\0') {
        return og_rows_fail(&in->rows, "the task of the label that ends is missing");
    }
    if (!og_names_number(&in->names, &in->rows, task, &out->task)) {
        return false;
    }
    if (out->task >= in->labels->task_count) {
        return og_rows_fail(&in->rows, "a label of task '%.*s' ends, which has no labels", SHOWN,
                            task);
    }
    in->ended++;
    return in->ended <= in->arrived ||
           og_rows_fail(&in->rows, "a label of task '%.*s' ends, but none is under way", SHOWN,
                        task);
}

static bool read_row(reader *in)
{
    const char *word = og_columns_field(&in->columns, OG_COLUMN_EVENT);
    og_arrival_event event = {.arrives = strcmp(word, "arrive") == 0};
    og_arrival_event *grown =
        og_rows_grown(&in->rows, in->event, &in->room, in->count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    in->event = grown;
    if (event.arrives) {
        in->arrived++;
    } else if (strcmp(word, "done") != 0) {
        return og_rows_fail(&in->rows, "the event must be arrive or done, not '%.*s'", SHOWN, word);
    } else if (!read_done(in, &event)) {
        return false;
    }
    in->event[in->count++] = event;
    return true;
}

og_status og_events_read(const char *path, const og_labels *labels, int32_t workers,
                         const og_settings *settings, og_arrival_event **out, int64_t *count,
                         og_message *message)
{
    static const og_column both[] = {OG_COLUMN_EVENT, OG_COLUMN_TASK};
    const og_columns_wanted wanted = {.column = both, .count = 2, .optional = 2};
    const og_rows_limits limits = og_table_limits(settings);
    reader in = {.labels = labels};
    og_rows_open(&in.rows, path, OG_ROWS_BY_HEADER, '\0', &limits, message);
    bool going =
        number_tasks(&in) &&
        og_columns_find(&in.columns, &in.rows, settings != NULL ? settings->tables : NULL, &wanted);
    while (going && og_columns_next(&in.columns)) {
        going = read_row(&in);
    }
    og_status status = og_rows_close(&in.rows);
    og_names_clear(&in.names);
    if (status == OG_OK && in.arrived != workers) {
        status = og_message_set(message, OG_BAD_INPUT,
                                "%.200s has %" PRId64 " arrivals, but --arrivals is %" PRId32
                                "; give the same number",
                                path, in.arrived, workers);
    }
    if (status != OG_OK) {
        free(in.event);
        return status;
    }
    *out = in.event;
    *count = (int64_t)in.count;
    return OG_OK;
}
