#ifndef OG_BENCH_RECORDED_CANDIDATES_H
#define OG_BENCH_RECORDED_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * Lists of tasks and workers in addition to a table of labels: tasks that may have no label yet,
 * tasks that are closed, and workers who are free (bench/recorded/free_workers.h).
 */
typedef enum {
    OG_LIST_CLOSED,  /* task */
    OG_LIST_TASKS,   /* task and, optionally, p */
    OG_LIST_WORKERS, /* worker and, optionally, task and capacity */
} og_list_kind;

/* A row of a list; names point into the list. */
typedef struct {
    const char *name;   /* of the task, or of the worker */
    uint32_t number;    /* of the name, 0 .. name_count - 1 in the order of first appearance */
    const char *task;   /* of a worker; NULL: the column is missing */
    double probability; /* 0 to 1; NAN: the column is missing, or the field empty */
    int32_t capacity;   /* labels that the worker can give; -1: likewise */
} og_list_row;

typedef struct {
    og_arena arena;
    og_list_row *row; /* [count] in the order of the file */
    uint32_t count, name_count;
    bool has_task, has_probability,
        has_capacity; /* columns of the file, in addition to the first */
    int64_t trimmed;  /* fields with blanks around them */
} og_list;

/*
 * Read a list, perhaps of several files (og_files_next), whose format is that of og_labels_read
 * (bench/recorded/columns.h has the names of the columns). OG_BAD_INPUT with a message that gives
 * the path and the line: the first column is missing, a name is empty, a probability is not from 0
 * to 1, a capacity is not a whole number >= 0 or a worker has two different ones. A header without
 * rows is an empty list. Other errors as in og_labels_read. *out is written on success only; free
 * it with og_list_clear.
 */
og_status og_list_read(const char *files, og_list_kind kind, const og_settings *settings,
                       og_list *out, og_message *message);
void og_list_clear(og_list *list); /* a zeroed one is fine */

/* True if the path is a regular file without labels: it is empty, or has only a header. */
bool og_labels_empty(const char *path);

/*
 * Add the tasks of the list that are not there, without labels. task[list->count] receives the
 * tasks of the rows. OG_BAD_INPUT with a message that names a task that the list has twice;
 * OG_NO_MEMORY. After an error the labels are unchanged.
 */
og_status og_labels_add_tasks(og_labels *labels, const char *path, const og_list *list,
                              uint32_t *task, og_message *message);

/* Set room[task] to 0 for the tasks of the list; *unknown counts rows without such a task.
 * OG_NO_MEMORY. */
og_status og_close_tasks(const og_labels *labels, const og_list *list, int32_t *room,
                         int64_t *unknown);

/* Names in order, for searches (private to bench/recorded/). */
typedef struct {
    const char *name;
    uint32_t number;
} og_sorted_name;

/* The tasks of the labels, and the names of the rows; NULL if memory runs out. */
og_sorted_name *og_sorted_tasks(const og_labels *labels, og_arena *arena);
og_sorted_name *og_sorted_rows(const og_list *list, og_arena *arena);
/* NULL: not there. Of equal names any. */
const og_sorted_name *og_sorted_find(const og_sorted_name *list, size_t count, const char *name);

#endif
