/* Reads lists of tasks and workers, and matches them with recorded labels by sorted names. */
#include "bench/recorded/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/recorded/columns.h"
#include "bench/recorded/names.h"
#include "dp/base/rows.h"

enum { SHOWN = 40 };

/* ---- reading ---- */

/* A row with numbers of names. */
typedef struct {
    uint32_t name, task;
    double probability;
    int32_t capacity;
} row;

typedef struct {
    og_rows rows;
    og_columns columns;
    bool has[OG_COLUMN_COUNT]; /* in any of the files */
    bool tasks_given;
    og_column first;
    og_names names, tasks;
    int32_t *capacity; /* [names] -1: not given; [capacity_count] */
    row *row;          /* [count] */
    size_t count, row_room, capacity_count, capacity_room;
} reader;

static bool number_name(reader *in, og_column column, og_names *names, uint32_t *out)
{
    const char *name = og_columns_field(&in->columns, column);
    return *name != '\0' ? og_names_number(names, &in->rows, name, out)
                         : og_rows_fail(&in->rows, "the %s is missing", og_column_word(column));
}

/* The field of an optional column; NULL: it is missing or empty. */
static const char *field_of(const reader *in, og_column column)
{
    bool there = og_columns_have(&in->columns, column);
    return there && *og_columns_field(&in->columns, column) != '\0'
               ? og_columns_field(&in->columns, column)
               : NULL;
}

static bool read_probability(reader *in, double *out)
{
    const char *field = field_of(in, OG_COLUMN_PROBABILITY);
    *out = NAN;
    return field == NULL || (og_rows_decimal(&in->rows, field, out) && *out >= 0 && *out <= 1) ||
           og_rows_fail(&in->rows, "p must be a number from 0 to 1, not '%.*s'", SHOWN, field);
}

/* A worker has one capacity, in any of the rows. */
static bool read_capacity(reader *in, uint32_t worker, int32_t *out)
{
    const char *field = field_of(in, OG_COLUMN_CAPACITY);
    int64_t number = -1;
    *out = -1;
    if (field != NULL && !og_columns_whole(field, INT32_MAX, &number)) {
        return og_rows_fail(&in->rows,
                            "the capacity must be a whole number of labels from 0 on, not '%.*s'",
                            SHOWN, field);
    }
    if (worker >= in->capacity_count) {
        int32_t *grown = og_rows_grown(&in->rows, in->capacity, &in->capacity_room,
                                       (size_t)worker + 1, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        in->capacity = grown;
        in->capacity[in->capacity_count++] = -1; /* names are numbered one by one */
    }
    int32_t *known = &in->capacity[worker];
    if (number >= 0 && *known >= 0 && *known != number) {
        return og_rows_fail(&in->rows, "worker '%.*s' has two capacities, %d and %d; give one",
                            SHOWN, og_name(&in->names, worker), (int)*known, (int)number);
    }
    *known = number >= 0 ? (int32_t)number : *known;
    return true;
}

/* All rows of a list of workers have a task, or none has. */
static bool check_task(reader *in)
{
    bool task = og_columns_have(&in->columns, OG_COLUMN_TASK);
    in->tasks_given = in->count == 0 ? task : in->tasks_given;
    return in->first == OG_COLUMN_TASK || task == in->tasks_given ||
           og_rows_fail(&in->rows, "all rows must have a task, or none; others %s",
                        task ? "have none" : "have one");
}

static bool read_row(reader *in)
{
    if (!check_task(in)) {
        return false;
    }
    if (in->count == UINT32_MAX / 2) {
        return og_rows_fail(&in->rows, "more than %u rows", UINT32_MAX / 2);
    }
    row *grown = og_rows_grown(&in->rows, in->row, &in->row_room, in->count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    in->row = grown;
    row *to = &grown[in->count++];
    *to = (row){.task = 0};
    return number_name(in, in->first, &in->names, &to->name) &&
           (in->first == OG_COLUMN_TASK || !og_columns_have(&in->columns, OG_COLUMN_TASK) ||
            number_name(in, OG_COLUMN_TASK, &in->tasks, &to->task)) &&
           read_probability(in, &to->probability) && read_capacity(in, to->name, &to->capacity);
}

/* Copies the names; NULL if memory runs out. */
static og_status build(const reader *in, og_list *out)
{
    og_list made = {.count = (uint32_t)in->count,
                    .name_count = in->names.count,
                    .has_task = in->first == OG_COLUMN_WORKER && in->has[OG_COLUMN_TASK],
                    .has_probability = in->has[OG_COLUMN_PROBABILITY],
                    .has_capacity = in->has[OG_COLUMN_CAPACITY],
                    .trimmed = in->rows.trimmed};
    const char *name = og_names_copy(&in->names, &made.arena);
    const char *task = og_names_copy(&in->tasks, &made.arena);
    made.row = og_arena_array(&made.arena, in->count, sizeof *made.row);
    og_status status = og_arena_status(&made.arena);
    for (size_t i = 0; status == OG_OK && i < in->count; i++) {
        const row *from = &in->row[i];
        made.row[i] = (og_list_row){
            .name = name + in->names.start[from->name],
            .number = from->name,
            .task = made.has_task ? task + in->tasks.start[from->task] : NULL,
            .probability = from->probability,
            .capacity = in->capacity[from->name],
        };
    }
    if (status != OG_OK) {
        og_arena_clear(&made.arena);
        return status;
    }
    *out = made;
    return OG_OK;
}

static bool find_columns(reader *in, og_list_kind kind, const og_settings *settings)
{
    static const og_column of_tasks[] = {OG_COLUMN_TASK, OG_COLUMN_PROBABILITY};
    static const og_column of_workers[] = {OG_COLUMN_WORKER, OG_COLUMN_TASK, OG_COLUMN_CAPACITY};
    bool workers = kind == OG_LIST_WORKERS;
    const og_columns_wanted wanted = {.column = workers ? of_workers : of_tasks,
                                      .count = workers                 ? 3
                                               : kind == OG_LIST_TASKS ? 2
                                                                       : 1,
                                      .optional = workers ? 6 : 2};
    in->first = wanted.column[0];
    return og_columns_find(&in->columns, &in->rows, settings != NULL ? settings->tables : NULL,
                           &wanted);
}

/* Columns that any of the files has, and tasks that a list of workers then needs in each row. */
static void read_file(reader *in, og_list_kind kind, const og_settings *settings)
{
    bool going = find_columns(in, kind, settings);
    while (going && og_columns_next(&in->columns)) {
        going = read_row(in);
    }
    for (int i = 0; i < OG_COLUMN_COUNT; i++) {
        in->has[i] = in->has[i] || in->columns.at[i] >= 0;
    }
}

og_status og_list_read(const char *files, og_list_kind kind, const og_settings *settings,
                       og_list *out, og_message *message)
{
    const og_rows_limits limits = og_table_limits(settings);
    reader in = {.count = 0};
    char *path = NULL;
    for (bool first = true; files != NULL && in.rows.status == OG_OK; first = false) {
        char *before = path;
        path = og_files_next(&files);
        if (first) {
            og_rows_open(&in.rows, path != NULL ? path : "", OG_ROWS_BY_HEADER, '\0', &limits,
                         message);
        } else {
            og_rows_reopen(&in.rows, path != NULL ? path : "", OG_ROWS_BY_HEADER, '\0', &limits);
        }
        free(before);
        if (path == NULL) {
            og_rows_no_memory(&in.rows);
        }
        read_file(&in, kind, settings);
    }
    og_status status = og_rows_close(&in.rows);
    free(path);
    OG_THEN(status, build(&in, out));
    og_names_clear(&in.names);
    og_names_clear(&in.tasks);
    free(in.capacity);
    free(in.row);
    return status;
}

void og_list_clear(og_list *list)
{
    og_arena_clear(&list->arena);
    *list = (og_list){.count = 0};
}

bool og_labels_empty(const char *path)
{
    struct stat found;
    og_message ignored;
    og_rows rows;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) {
        return false;
    }
    og_rows_open(&rows, path, OG_ROWS_BY_HEADER, '\0', NULL, &ignored);
    bool empty = !og_rows_next(&rows) || !og_rows_next(&rows);
    return og_rows_close(&rows) == OG_OK && empty;
}

/* ---- names ---- */

typedef og_sorted_name entry;

static int compare_entries(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare_names(const void *x, const void *y)
{
    return strcmp(((const entry *)x)->name, ((const entry *)y)->name);
}

const entry *og_sorted_find(const entry *list, size_t count, const char *name)
{
    const entry key = {name, 0};
    return count == 0 ? NULL : bsearch(&key, list, count, sizeof *list, compare_names);
}

entry *og_sorted_tasks(const og_labels *labels, og_arena *arena)
{
    entry *list = og_arena_array(arena, labels->task_count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < labels->task_count; i++) {
        list[i] = (entry){og_labels_task_name(labels, i), i};
    }
    if (list != NULL) {
        qsort(list, labels->task_count, sizeof *list, compare_entries);
    }
    return list;
}

entry *og_sorted_rows(const og_list *list, og_arena *arena)
{
    entry *sorted = og_arena_array(arena, list->count, sizeof *sorted);
    for (uint32_t i = 0; sorted != NULL && i < list->count; i++) {
        sorted[i] = (entry){list->row[i].name, i};
    }
    if (sorted != NULL) {
        qsort(sorted, list->count, sizeof *sorted, compare_entries);
    }
    return sorted;
}

/* ---- more tasks ---- */

static og_status check_once(const char *path, const og_list *list, og_arena *arena,
                            og_message *message)
{
    const entry *sorted = og_sorted_rows(list, arena);
    OG_TRY(OG_ALLOCATED(sorted));
    for (uint32_t i = 1; i < list->count; i++) {
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%.200s: task '%.*s' is there twice; list each task once", path,
                                  SHOWN, sorted[i].name);
        }
    }
    return OG_OK;
}

/* Append the names of the rows whose task[i] is UINT32_MAX, and number them. */
static og_status append_tasks(og_labels *labels, const og_list *list, uint32_t *task)
{
    size_t bytes = 0, used = 0, added = 0;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        size_t end = labels->task_start[i] + strlen(og_labels_task_name(labels, i)) + 1;
        used = end > used ? end : used;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        bytes += task[i] == UINT32_MAX ? strlen(list->row[i].name) + 1 : 0;
        added += task[i] == UINT32_MAX;
    }
    char *text = malloc(used + bytes + 1);
    size_t *start = malloc((labels->task_count + added + 1) * sizeof *start);
    if (text == NULL || start == NULL) {
        free(text);
        free(start);
        return OG_NO_MEMORY;
    }
    if (labels->task_count > 0) {
        memcpy(text, labels->task_text, used);
        memcpy(start, labels->task_start, labels->task_count * sizeof *start);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (task[i] == UINT32_MAX) {
            size_t length = strlen(list->row[i].name) + 1;
            memcpy(text + used, list->row[i].name, length);
            start[labels->task_count] = used;
            used += length;
            task[i] = labels->task_count++;
        }
    }
    free(labels->task_text);
    free(labels->task_start);
    labels->task_text = text;
    labels->task_start = start;
    return OG_OK;
}

og_status og_labels_add_tasks(og_labels *labels, const char *path, const og_list *list,
                              uint32_t *task, og_message *message)
{
    og_arena arena = {0};
    const entry *tasks = og_sorted_tasks(labels, &arena);
    og_status status = OG_ALLOCATED(tasks);
    OG_THEN(status, check_once(path, list, &arena, message));
    for (uint32_t i = 0; status == OG_OK && i < list->count; i++) {
        const entry *known = og_sorted_find(tasks, labels->task_count, list->row[i].name);
        task[i] = known != NULL ? known->number : UINT32_MAX;
    }
    OG_THEN(status, append_tasks(labels, list, task));
    og_arena_clear(&arena);
    return status;
}

og_status og_close_tasks(const og_labels *labels, const og_list *list, int32_t *room,
                         int64_t *unknown)
{
    og_arena arena = {0};
    const entry *tasks = og_sorted_tasks(labels, &arena);
    og_status status = OG_ALLOCATED(tasks);
    *unknown = 0;
    for (uint32_t i = 0; status == OG_OK && i < list->count; i++) {
        const entry *known = og_sorted_find(tasks, labels->task_count, list->row[i].name);
        if (known == NULL) {
            ++*unknown;
        } else {
            room[known->number] = 0;
        }
    }
    og_arena_clear(&arena);
    return status;
}
