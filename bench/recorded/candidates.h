#ifndef OG_BENCH_RECORDED_CANDIDATES_H
#define OG_BENCH_RECORDED_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"

/*
 * Lists of tasks and workers in addition to a table of labels: tasks that may have no label yet,
 * tasks that are closed, and workers who are free.
 */

/* The columns of a list. */
typedef struct {
    const char *first;  /* names; required */
    const char *second; /* more names; NULL: not read. May be missing in the file */
    const char *share;  /* numbers from 0 to 1, likewise */
} og_list_columns;

/* A row of a list; names point into the list. */
typedef struct {
    const char *first, *second; /* second NULL: the column is missing */
    double share;               /* NAN: the column is missing, or the field empty */
} og_list_row;

typedef struct {
    og_arena arena;
    og_list_row *row; /* [count] in the order of the file */
    uint32_t count;
    bool has_second, has_share; /* columns of the file */
    int64_t trimmed;            /* fields with blanks around them */
} og_list;

/*
 * Read a list, whose format is that of og_labels_read. OG_BAD_INPUT with a message that gives the
 * path and the line: the first column is missing in the header, a name is empty, or a number is not
 * from 0 to 1. A header without rows is an empty list. Other errors as in og_labels_read. *out is
 * written on success only; free it with og_list_clear.
 */
og_status og_list_read(const char *path, const og_list_columns *columns,
                       const og_settings *settings, og_list *out, og_message *message);
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

/* Workers who can give labels now. */
typedef struct {
    og_arena arena;
    const char **name; /* [count] borrowed from the list, each worker once */
    uint32_t count;
    bool listed;    /* `pair` has the pairs that are free; otherwise those that are not */
    uint64_t *pair; /* [pair_count] task << 32 | worker, in ascending order */
    size_t pair_count;
} og_free_workers;

/*
 * Find the free workers of a list with the columns worker and, perhaps, task. A worker is free for
 * a task if the list has this pair, or the worker if it has no tasks, and the worker has not
 * labelled the task. Lower room[task] to the number of workers who are free for the task.
 * OG_NO_MEMORY. Time O(n log n) for n labels and rows.
 */
og_status og_free_workers_find(const og_labels *labels, const og_list *list, int32_t *room,
                               og_free_workers *out);
void og_free_workers_clear(og_free_workers *workers); /* a zeroed one is fine */

/*
 * Assign a free worker to each of these labels, no worker twice to one task, and workers in turn.
 * Each task must occur at most as often as workers are free for it. worker[count] receives numbers
 * of og_free_workers. OG_NO_MEMORY.
 */
og_status og_free_workers_assign(const og_free_workers *workers, const uint32_t *task,
                                 int32_t count, uint32_t *worker);

#endif
