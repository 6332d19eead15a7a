/* Reads lists of tasks and workers, and matches them with recorded labels by sorted names. */
#include "bench/recorded/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/recorded/columns.h"
#include "dp/base/rows.h"
#include "dp/engine/settings.h"

enum { FIRST, SECOND, SHARE, COLUMNS, SHOWN = 40 };

/* ---- reading ---- */

typedef struct {
    og_rows rows;
    const og_list_columns *columns;
    int column[COLUMNS]; /* -1: missing */
    int last;
    char *text;
    size_t bytes, text_room;
    size_t *start; /* [2 * count] of the names */
    double *share; /* [count] */
    size_t count, start_room, share_room;
} reader;

static bool read_header(reader *in)
{
    const char *const names[COLUMNS] = {in->columns->first,
                                        in->columns->second != NULL ? in->columns->second : "",
                                        in->columns->share != NULL ? in->columns->share : ""};
    if (!og_rows_next(&in->rows)) {
        return og_rows_fail(&in->rows,
                            "the file is empty; its first line must have the column "
                            "'%s'",
                            names[FIRST]);
    }
    for (int k = FIRST; k < COLUMNS; k++) {
        in->column[k] = -1;
        if (*names[k] != '\0' && !og_rows_columns(&in->rows, &names[k], 1, &in->column[k])) {
            return false;
        }
        in->last = in->column[k] > in->last ? in->column[k] : in->last;
    }
    return in->column[FIRST] >= 0 ||
           og_rows_fail(&in->rows, "no column '%s' in the header", names[FIRST]);
}

static bool add_name(reader *in, int k)
{
    const char *name = in->rows.field[in->column[k]];
    size_t length = strlen(name) + 1;
    if (length == 1) {
        return og_rows_fail(&in->rows, "the %s is missing",
                            k == FIRST ? in->columns->first : in->columns->second);
    }
    char *text = og_rows_grown(&in->rows, in->text, &in->text_room, in->bytes + length, 1);
    if (text == NULL) {
        return false;
    }
    in->text = text;
    memcpy(text + in->bytes, name, length);
    in->start[2 * in->count + (size_t)k] = in->bytes;
    in->bytes += length;
    return true;
}

static bool read_share(reader *in, double *out)
{
    *out = NAN;
    if (in->column[SHARE] < 0 || *in->rows.field[in->column[SHARE]] == '\0') {
        return true;
    }
    const char *field = in->rows.field[in->column[SHARE]];
    if (og_rows_decimal(&in->rows, field, out) && *out >= 0 && *out <= 1) {
        return true;
    }
    return og_rows_fail(&in->rows, "%s must be a number from 0 to 1, not '%.*s'",
                        in->columns->share, SHOWN, field);
}

static bool read_row(reader *in)
{
    if (in->rows.field_count <= in->last) {
        return og_rows_fail(&in->rows, "%d field%s, the header needs %d", in->rows.field_count,
                            in->rows.field_count == 1 ? "" : "s", in->last + 1);
    }
    if (in->count == UINT32_MAX / 2) {
        return og_rows_fail(&in->rows, "more than %u rows", UINT32_MAX / 2);
    }
    size_t *start =
        og_rows_grown(&in->rows, in->start, &in->start_room, 2 * in->count + 2, sizeof *start);
    in->start = start != NULL ? start : in->start;
    double *share =
        og_rows_grown(&in->rows, in->share, &in->share_room, in->count + 1, sizeof *share);
    in->share = share != NULL ? share : in->share;
    if (start == NULL || share == NULL || !add_name(in, FIRST) ||
        (in->column[SECOND] >= 0 && !add_name(in, SECOND)) ||
        !read_share(in, &in->share[in->count])) {
        return false;
    }
    in->count++;
    return true;
}

static og_status build(const reader *in, og_list *out)
{
    og_list made = {.count = (uint32_t)in->count,
                    .has_second = in->column[SECOND] >= 0,
                    .has_share = in->column[SHARE] >= 0,
                    .trimmed = in->rows.trimmed};
    const char *text = og_arena_copy(&made.arena, in->text != NULL ? in->text : "", in->bytes, 1);
    made.row = og_arena_array(&made.arena, in->count, sizeof *made.row);
    og_status status = og_arena_status(&made.arena);
    for (size_t i = 0; status == OG_OK && i < in->count; i++) {
        made.row[i] = (og_list_row){
            text + in->start[2 * i],
            made.has_second ? text + in->start[2 * i + SECOND] : NULL,
            in->share[i],
        };
    }
    if (status != OG_OK) {
        og_arena_clear(&made.arena);
        return status;
    }
    *out = made;
    return OG_OK;
}

og_status og_list_read(const char *path, const og_list_columns *columns,
                       const og_settings *settings, og_list *out, og_message *message)
{
    const og_rows_limits limits = og_table_limits(settings);
    reader in = {.columns = columns};
    og_rows_open(&in.rows, strcmp(path, "-") == 0 ? "/dev/stdin" : path, OG_ROWS_BY_HEADER, '\0',
                 &limits, message);
    if (read_header(&in)) {
        while (og_rows_next(&in.rows) && read_row(&in)) {
        }
    }
    og_status status = og_rows_close(&in.rows);
    OG_THEN(status, build(&in, out));
    free(in.text);
    free(in.start);
    free(in.share);
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

typedef struct {
    const char *name;
    uint32_t number;
} entry;

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

static const entry *find_name(const entry *list, size_t count, const char *name)
{
    const entry key = {name, 0};
    return count == 0 ? NULL : bsearch(&key, list, count, sizeof *list, compare_names);
}

/* The tasks of the labels, sorted by name; NULL if memory runs out. */
static entry *sorted_tasks(const og_labels *labels, og_arena *arena)
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

static entry *sorted_rows(const og_list *list, og_arena *arena)
{
    entry *sorted = og_arena_array(arena, list->count, sizeof *sorted);
    for (uint32_t i = 0; sorted != NULL && i < list->count; i++) {
        sorted[i] = (entry){list->row[i].first, i};
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
    const entry *sorted = sorted_rows(list, arena);
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
        bytes += task[i] == UINT32_MAX ? strlen(list->row[i].first) + 1 : 0;
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
            size_t length = strlen(list->row[i].first) + 1;
            memcpy(text + used, list->row[i].first, length);
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
    const entry *tasks = sorted_tasks(labels, &arena);
    og_status status = OG_ALLOCATED(tasks);
    OG_THEN(status, check_once(path, list, &arena, message));
    for (uint32_t i = 0; status == OG_OK && i < list->count; i++) {
        const entry *known = find_name(tasks, labels->task_count, list->row[i].first);
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
    const entry *tasks = sorted_tasks(labels, &arena);
    og_status status = OG_ALLOCATED(tasks);
    *unknown = 0;
    for (uint32_t i = 0; status == OG_OK && i < list->count; i++) {
        const entry *known = find_name(tasks, labels->task_count, list->row[i].first);
        if (known == NULL) {
            ++*unknown;
        } else {
            room[known->number] = 0;
        }
    }
    og_arena_clear(&arena);
    return status;
}

/* ---- free workers ---- */

static int compare_pairs(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Sort, and keep each pair once. */
static size_t sort_pairs(uint64_t *pair, size_t count)
{
    size_t kept = 0;
    qsort(pair, count, sizeof *pair, compare_pairs);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || pair[kept - 1] != pair[i]) {
            pair[kept++] = pair[i];
        }
    }
    return kept;
}

static bool has_pair(const uint64_t *pair, size_t count, uint64_t wanted)
{
    return count > 0 && bsearch(&wanted, pair, count, sizeof *pair, compare_pairs) != NULL;
}

/* number[row]: the worker of each row; workers are numbered in the order of the list. */
static void number_workers(const og_list *list, const entry *sorted, uint32_t *number,
                           og_free_workers *out)
{
    for (uint32_t i = 0; i < list->count; i++) { /* first the first row of the same name */
        bool other = i == 0 || compare_names(&sorted[i - 1], &sorted[i]) != 0;
        number[sorted[i].number] = other ? sorted[i].number : number[sorted[i - 1].number];
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (number[i] == i) {
            out->name[out->count] = list->row[i].first;
            number[i] = out->count++;
        } else {
            number[i] = number[number[i]];
        }
    }
}

/* The input of the search, with its work space. */
typedef struct {
    og_arena arena;
    const og_labels *labels;
    const og_list *list;
    entry *sorted;    /* [list->count] */
    uint32_t *number; /* [list->count] worker of a row */
    uint32_t
        *worker; /* [labels->worker_count] the same worker among the free ones, or UINT32_MAX */
    uint64_t *labelled; /* [labelled_count] pairs of tasks and free workers with labels */
    size_t labelled_count;
} matching;

static void list_labelled(matching *of)
{
    const og_labels *labels = of->labels;
    for (uint32_t w = 0; w < labels->worker_count; w++) {
        const entry *known =
            find_name(of->sorted, of->list->count, og_labels_worker_name(labels, w));
        of->worker[w] = known != NULL ? of->number[known->number] : UINT32_MAX;
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        uint32_t worker = of->worker[labels->worker[i]];
        if (worker != UINT32_MAX) {
            of->labelled[of->labelled_count++] = (uint64_t)labels->task[i] << 32 | worker;
        }
    }
    of->labelled_count = sort_pairs(of->labelled, of->labelled_count);
}

/* The pairs of the list whose task is known and not labelled by the worker. */
static og_status list_free(matching *of, og_free_workers *out)
{
    const entry *tasks = sorted_tasks(of->labels, &of->arena);
    out->pair = og_arena_array(&out->arena, of->list->count, sizeof *out->pair);
    OG_TRY(OG_ALLOCATED(tasks));
    OG_TRY(OG_ALLOCATED(out->pair));
    for (uint32_t i = 0; i < of->list->count; i++) {
        const entry *task = find_name(tasks, of->labels->task_count, of->list->row[i].second);
        uint64_t pair = task != NULL ? (uint64_t)task->number << 32 | of->number[i] : 0;
        if (task != NULL && !has_pair(of->labelled, of->labelled_count, pair)) {
            out->pair[out->pair_count++] = pair;
        }
    }
    out->pair_count = sort_pairs(out->pair, out->pair_count);
    return OG_OK;
}

static og_status limit_room(const og_labels *labels, const og_free_workers *of, int32_t *room)
{
    int32_t *count = calloc((size_t)labels->task_count + 1, sizeof *count);
    OG_TRY(OG_ALLOCATED(count));
    for (size_t i = 0; i < of->pair_count; i++) {
        count[of->pair[i] >> 32]++;
    }
    int32_t all = of->count < INT32_MAX ? (int32_t)of->count : INT32_MAX;
    for (uint32_t i = 0; i < labels->task_count; i++) {
        int32_t most = of->listed ? count[i] : all - count[i];
        room[i] = room[i] < most ? room[i] : most;
    }
    free(count);
    return OG_OK;
}

og_status og_free_workers_find(const og_labels *labels, const og_list *list, int32_t *room,
                               og_free_workers *out)
{
    matching of = {.labels = labels, .list = list};
    og_free_workers made = {.listed = list->has_second};
    made.name = og_arena_array(&made.arena, list->count, sizeof *made.name);
    of.sorted = sorted_rows(list, &of.arena);
    of.number = og_arena_array(&of.arena, list->count, sizeof *of.number);
    of.worker = og_arena_array(&of.arena, labels->worker_count, sizeof *of.worker);
    of.labelled = og_arena_array(&of.arena, (size_t)labels->label_count, sizeof *of.labelled);
    og_status status = og_arena_status(&of.arena);
    OG_THEN(status, og_arena_status(&made.arena));
    if (status == OG_OK) {
        number_workers(list, of.sorted, of.number, &made);
        list_labelled(&of);
        if (made.listed) {
            status = list_free(&of, &made);
        } else {
            made.pair_count = of.labelled_count;
            made.pair =
                og_arena_copy(&made.arena, of.labelled, of.labelled_count, sizeof *made.pair);
            status = OG_ALLOCATED(made.pair);
        }
    }
    OG_THEN(status, limit_room(labels, &made, room));
    og_arena_clear(&of.arena);
    if (status != OG_OK) {
        og_free_workers_clear(&made);
        return status;
    }
    *out = made;
    return OG_OK;
}

void og_free_workers_clear(og_free_workers *workers)
{
    og_arena_clear(&workers->arena);
    *workers = (og_free_workers){.count = 0};
}

static bool is_free(const og_free_workers *of, uint32_t task, uint32_t worker)
{
    return has_pair(of->pair, of->pair_count, (uint64_t)task << 32 | worker) == of->listed;
}

/* The labels of a batch, each with the one before of the same task; -1: none. */
static og_status find_before(const uint32_t *task, int32_t count, int32_t *before)
{
    uint64_t *sorted = calloc((size_t)count + 1, sizeof *sorted);
    OG_TRY(OG_ALLOCATED(sorted));
    for (int32_t i = 0; i < count; i++) {
        sorted[i] = (uint64_t)task[i] << 32 | (uint32_t)i;
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_pairs);
    for (int32_t i = 0; i < count; i++) {
        bool same = i > 0 && sorted[i] >> 32 == sorted[i - 1] >> 32;
        before[(uint32_t)sorted[i]] = same ? (int32_t)(uint32_t)sorted[i - 1] : -1;
    }
    free(sorted);
    return OG_OK;
}

static bool is_used(const uint32_t *worker, const int32_t *before, int32_t label, uint32_t wanted)
{
    int32_t at = before[label];
    while (at >= 0 && worker[at] != wanted) {
        at = before[at];
    }
    return at >= 0;
}

og_status og_free_workers_assign(const og_free_workers *workers, const uint32_t *task,
                                 int32_t count, uint32_t *worker)
{
    int32_t *before = calloc((size_t)count + 1, sizeof *before);
    OG_TRY(OG_ALLOCATED(before));
    og_status status = find_before(task, count, before);
    uint32_t turn = 0;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        uint32_t tried = 0;
        while (tried + 1 < workers->count &&
               (!is_free(workers, task[i], turn) || is_used(worker, before, i, turn))) {
            turn = (turn + 1) % workers->count;
            tried++;
        }
        worker[i] = turn;
        turn = (turn + 1) % workers->count;
    }
    free(before);
    return status;
}
