/*
 * Reads recorded labels: one after another from bench/recorded/answers.h, tasks and workers
 * numbered as they come. Classes are sorted at the end, and tasks without a label moved behind the
 * others.
 */
#include "bench/recorded/labels.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/recorded/answers.h"
#include "bench/recorded/columns.h"
#include "bench/recorded/names.h"
#include "dp/base/arena.h"
#include "dp/base/rows.h"

#define NAMELESS UINT32_MAX /* a worker without a name, until all names are known */

typedef struct {
    og_rows rows;
    const og_tables *how;
    og_class_list classes;
    og_names tasks, workers;
    uint32_t unlabelled, named, nameless;
    int64_t label_count, missing, repeats;
    size_t label_room;
    uint32_t *task;
    uint32_t *worker;
    uint8_t *label;
    og_message form;
    bool numbered; /* a table with a column for each worker has none with names of tasks */
} reader;

/* Make room for one more label. If only some arrays could grow, they remain valid. */
static bool reserve_label(reader *in)
{
    size_t needed = (size_t)in->label_count + 1;
    size_t room[] = {in->label_room, in->label_room, in->label_room};
    uint32_t *task = og_rows_grown(&in->rows, in->task, &room[0], needed, sizeof *task);
    in->task = task != NULL ? task : in->task;
    uint32_t *worker = og_rows_grown(&in->rows, in->worker, &room[1], needed, sizeof *worker);
    in->worker = worker != NULL ? worker : in->worker;
    uint8_t *label = og_rows_grown(&in->rows, in->label, &room[2], needed, sizeof *label);
    in->label = label != NULL ? label : in->label;
    if (task == NULL || worker == NULL || label == NULL) {
        return false;
    }
    in->label_room = room[0];
    return true;
}

static bool take(void *user, og_rows *rows, char *task, char *worker, char *label)
{
    reader *in = user;
    uint8_t class;
    uint32_t of_task, of_worker = NAMELESS;
    if (*task == '\0') {
        return og_rows_fail(rows, "the task is missing");
    }
    if (og_label_is_missing(in->how, label)) {
        in->missing++;
        return og_names_number(&in->tasks, rows, task, &of_task);
    }
    if (!og_classes_number(&in->classes, rows, label, &class)) {
        return false;
    }
    if (in->label_count == OG_LABELS_MAX) {
        return og_rows_fail(rows, "more than 2000000000 labels");
    }
    if (!reserve_label(in) || !og_names_number(&in->tasks, rows, task, &of_task) ||
        (*worker != '\0' && !og_names_number(&in->workers, rows, worker, &of_worker))) {
        return false;
    }
    in->nameless += *worker == '\0';
    in->task[in->label_count] = of_task;
    in->worker[in->label_count] = of_worker;
    in->label[in->label_count] = class;
    in->label_count++;
    return true;
}

/* ---- the end ---- */

/* Leaves out the labels that are marked. */
static void leave_out(reader *in, const bool *marked)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < in->label_count; i++) {
        in->task[kept] = in->task[i];
        in->worker[kept] = in->worker[i];
        in->label[kept] = in->label[i];
        kept += !marked[i];
    }
    in->label_count = kept;
}

/* "-" is no label, unless "+" is one: its rows are without a label. */
static bool leave_out_dashes(reader *in)
{
    int32_t dash = -1;
    bool plus = in->classes.fixed;
    for (int32_t k = 0; k < in->classes.count; k++) {
        dash = og_label_is_dash(in->classes.name[k]) ? k : dash;
        plus = plus || strcmp(in->classes.name[k], "+") == 0;
    }
    if (dash < 0 || plus) {
        return true;
    }
    bool *marked = calloc((size_t)in->label_count + 1, sizeof *marked);
    for (int64_t i = 0; marked != NULL && i < in->label_count; i++) {
        marked[i] = in->label[i] == dash;
        in->missing += marked[i];
        in->nameless -= marked[i] && in->worker[i] == NAMELESS;
        in->label[i] = (uint8_t)(in->label[i] - (in->label[i] > dash));
    }
    if (marked == NULL) {
        return og_rows_no_memory(&in->rows);
    }
    leave_out(in, marked);
    free(marked);
    free(in->classes.name[dash]);
    memmove(&in->classes.name[dash], &in->classes.name[dash + 1],
            (size_t)(--in->classes.count - dash) * sizeof *in->classes.name);
    return true;
}

static bool sort_classes(reader *in)
{
    uint8_t place[OG_CLASSES_READ];
    if (!og_classes_sort(&in->classes, &in->rows, in->how, place)) {
        return false;
    }
    for (int64_t i = 0; i < in->label_count; i++) {
        in->label[i] = place[in->label[i]];
    }
    return true;
}

/* Marks, task by task, the labels of a worker who had labelled the task before, or who labels it
 * again after; returns their number. at[]: the labels by task; seen[worker]: a task, plus 1. */
static int64_t mark_repeats(const reader *in, const uint32_t *at, bool last, uint32_t *seen,
                            bool *marked)
{
    int64_t count = 0;
    for (int64_t k = 0; k < in->label_count; k++) {
        uint32_t i = at[last ? in->label_count - 1 - k : k];
        uint32_t worker = in->worker[i], task = in->task[i] + 1;
        bool again = worker != NAMELESS && seen[worker] == task;
        count += again;
        if (worker != NAMELESS) {
            seen[worker] = task;
        }
        if (marked != NULL) {
            marked[i] = again;
        }
    }
    return count;
}

/* Counts the labels of workers who had labelled the task before, and leaves out what --repeats
 * says. */
static bool find_repeats(reader *in)
{
    const char *repeats = in->how != NULL ? in->how->repeats : NULL;
    bool first = repeats != NULL && strcmp(repeats, "first") == 0;
    bool last = repeats != NULL && strcmp(repeats, "last") == 0;
    og_arena arena = {0};
    size_t count = (size_t)in->label_count, tasks = in->tasks.count;
    uint32_t *end = og_arena_array(&arena, tasks + 1, sizeof *end);
    uint32_t *at = og_arena_array(&arena, count, sizeof *at);
    uint32_t *seen = og_arena_array(&arena, in->workers.count, sizeof *seen);
    bool *marked = first || last ? og_arena_array(&arena, count, sizeof *marked) : NULL;
    if (og_arena_status(&arena) != OG_OK) {
        og_arena_clear(&arena);
        return og_rows_no_memory(&in->rows);
    }
    for (size_t i = 0; i < count; i++) {
        end[in->task[i] + 1]++;
    }
    for (size_t i = 1; i <= tasks; i++) {
        end[i] += end[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        at[end[in->task[i]]++] = (uint32_t)i;
    }
    in->repeats = mark_repeats(in, at, last, seen, marked);
    if (marked != NULL) {
        leave_out(in, marked);
    }
    og_arena_clear(&arena);
    return true;
}

/* Numbers names anew in the order of their first labels, those without any last: as if rows without
 * a label were not there. *met counts names with labels. */
static bool number_anew(reader *in, og_names *names, uint32_t *of_label, uint32_t *met)
{
    uint32_t count = names->count, used = 0;
    *met = 0;
    if (count == 0) {
        return true;
    }
    og_arena arena = {0};
    uint32_t *place = og_arena_array(&arena, count, sizeof *place); /* plus 1 */
    size_t *start = og_arena_copy(&arena, names->start, count, sizeof *start);
    if (place == NULL || start == NULL) {
        og_arena_clear(&arena);
        return og_rows_no_memory(&in->rows);
    }
    for (int64_t i = 0; i < in->label_count; i++) {
        if (of_label[i] < count) {
            uint32_t *own = &place[of_label[i]];
            *own = *own == 0 ? ++used : *own;
            of_label[i] = *own - 1;
        }
    }
    *met = used;
    for (uint32_t i = 0; i < count; i++) {
        place[i] = place[i] == 0 ? ++used : place[i];
        names->start[place[i] - 1] = start[i];
    }
    og_arena_clear(&arena);
    return true;
}

/* Orders tasks and workers after rows without a label, and numbers workers without a name. */
static bool number_all(reader *in)
{
    uint32_t tasks = in->tasks.count, workers = in->workers.count;
    if (in->missing > 0 && (!number_anew(in, &in->tasks, in->task, &tasks) ||
                            !number_anew(in, &in->workers, in->worker, &workers))) {
        return false;
    }
    in->unlabelled = in->tasks.count - tasks;
    in->named = workers;
    for (int64_t i = 0; in->nameless > 0 && i < in->label_count; i++) {
        in->worker[i] = in->worker[i] == NAMELESS ? workers++ : in->worker[i];
    }
    return true;
}

/* Refuses a first column that seems to have the names of tasks: no label is there twice. */
static bool check_numbered(reader *in)
{
    int64_t own[OG_CLASSES_READ] = {0}, other[OG_CLASSES_READ] = {0};
    int32_t lone = 0;
    for (int64_t i = 0; i < in->label_count; i++) {
        int64_t *count = in->worker[i] == 0 ? own : other;
        count[in->label[i]]++;
    }
    for (int32_t k = 0; k < in->classes.count; k++) {
        if (own[k] > 1 || (own[k] > 0 && other[k] > 0)) {
            return true;
        }
        lone += own[k] > 0;
    }
    return lone < 3 || og_rows_fail(&in->rows,
                                    "column '%.40s' has another value in each row; if it has the "
                                    "names of the tasks, give --columns task=%.40s",
                                    og_name(&in->workers, 0), og_name(&in->workers, 0));
}

static bool finish(reader *in)
{
    if (in->rows.status != OG_OK || (in->numbered && !check_numbered(in)) ||
        !leave_out_dashes(in) || !sort_classes(in) || !find_repeats(in)) {
        return false;
    }
    return number_all(in);
}

/* Move the reader's data to labels and free the hash tables. */
static og_labels given(reader *in)
{
    og_names_finish(&in->tasks);
    og_names_finish(&in->workers);
    return (og_labels){
        .label_count = in->label_count,
        .class_count = in->classes.count,
        .task_count = in->tasks.count - in->unlabelled,
        .unlabelled_count = in->unlabelled,
        .worker_count = in->named + in->nameless,
        .named_count = in->named,
        .task = in->task,
        .worker = in->worker,
        .label = in->label,
        .trimmed = in->rows.trimmed,
        .missing = in->missing,
        .repeats = in->repeats,
        .repeats_left_out =
            in->how != NULL && in->how->repeats != NULL && strcmp(in->how->repeats, "all") != 0,
        .form = in->form,
        .task_text = in->tasks.text,
        .task_start = in->tasks.start,
        .worker_text = in->workers.text,
        .worker_start = in->workers.start,
        .classes = in->classes,
    };
}

/* Reads one file after another; the rows are those of the last one. path: its name, to be freed
 * after they are closed. */
static void read_files(reader *in, const char *files, const og_rows_limits *limits, char **path,
                       og_message *message)
{
    const og_answers answers = {.rows = &in->rows,
                                .how = in->how,
                                .take = take,
                                .user = in,
                                .form = &in->form,
                                .numbered = &in->numbered};
    bool going = true;
    for (bool first = true; going && files != NULL; first = false) {
        char *before = *path;
        *path = og_files_next(&files);
        const char *name = *path != NULL ? *path : "";
        if (first) {
            og_rows_open(&in->rows, name, OG_ROWS_BY_HEADER, '\0', limits, message);
        } else {
            og_rows_reopen(&in->rows, name, OG_ROWS_BY_HEADER, '\0', limits);
        }
        free(before);
        going = (*path != NULL || og_rows_no_memory(&in->rows)) &&
                (!first || og_classes_begin(&in->classes, &in->rows, in->how));
        if (going) {
            og_answers_read(&answers);
        }
        going = in->rows.status == OG_OK;
    }
}

og_status og_labels_read_all(const char *files, const og_settings *settings, og_labels *out,
                             og_message *message)
{
    const og_rows_limits limits = og_table_limits(settings);
    reader in = {.how = settings != NULL ? settings->tables : NULL};
    char *path = NULL;
    OG_TRY(og_tables_check(in.how, message));
    read_files(&in, files, &limits, &path, message);
    bool fine = finish(&in);
    og_status status = og_rows_close(&in.rows);
    og_labels read = given(&in);
    free(path);
    if (fine && status == OG_OK) {
        *out = read;
    } else {
        og_labels_clear(&read);
    }
    return status;
}

og_status og_labels_read(const char *files, const og_settings *settings, og_labels *out,
                         og_message *message)
{
    og_labels read;
    char names[OG_FILES_BYTES];
    OG_TRY(og_labels_read_all(files, settings, &read, message));
    og_status status = og_classes_check(read.class_count, og_files_words(files, names), message);
    if (status == OG_OK) {
        *out = read;
    } else {
        og_labels_clear(&read);
    }
    return status;
}

og_status og_labels_none(const og_settings *settings, og_labels *out, og_message *message)
{
    og_rows rows = {.path = "--classes", .message = message}; /* takes failures */
    og_labels made = {.label_count = 0};
    uint8_t place[OG_CLASSES_READ];
    const og_tables *how = settings->tables;
    if (!og_classes_begin(&made.classes, &rows, how) ||
        !og_classes_sort(&made.classes, &rows, how, place)) {
        og_classes_clear(&made.classes);
        return rows.status;
    }
    made.class_count = made.classes.count;
    og_status status = og_classes_check(made.class_count, "--classes", message);
    if (status == OG_OK) {
        *out = made;
    } else {
        og_classes_clear(&made.classes);
    }
    return status;
}

og_status og_labels_need_workers(const og_labels *labels, const char *what, og_message *message)
{
    return labels->named_count > 0 || labels->label_count == 0
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "%s requires the worker of each label, and the labels have none; "
                                "name their column by --columns worker=NAME",
                                what);
}

const char *og_labels_class_name(const og_labels *labels, int32_t label)
{
    static const char digit[OG_CLASSES_MAX][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    return label < labels->classes.count ? labels->classes.name[label] : digit[label];
}

/* ---- warnings ---- */

static void append(og_message *note, const char *path, const char *words)
{
    char names[OG_FILES_BYTES];
    const og_message before = *note;
    og_message_set(note, OG_OK, "%s%s%s: %s", before.text, *before.text != '\0' ? "; " : "",
                   og_files_words(path, names), words);
}

static void append_count(og_message *note, const char *path, int64_t count, const char *one,
                         const char *many)
{
    char words[OG_MESSAGE_BYTES];
    if (count > 0) {
        snprintf(words, sizeof words, "%" PRId64 " %s", count, count == 1 ? one : many);
        append(note, path, words);
    }
}

/* A class and those after it that differ from it only in capitals. */
static void append_alike(const og_labels *labels, const char *path, og_message *note)
{
    char alike[OG_MESSAGE_BYTES / 4] = "", words[OG_MESSAGE_BYTES];
    const og_class_list *all = &labels->classes;
    for (int32_t first = 0; first < all->count && *alike == '\0'; first++) {
        for (int32_t k = first + 1; k < all->count; k++) {
            size_t used = strlen(alike);
            if (strcasecmp(all->name[k], all->name[first]) == 0) {
                snprintf(alike + used, sizeof alike - used, "%s%.40s%s, '%.40s'",
                         used == 0 ? "'" : "", used == 0 ? all->name[first] : "",
                         used == 0 ? "'" : "", all->name[k]);
            }
        }
    }
    if (*alike != '\0') {
        snprintf(words, sizeof words,
                 "the labels %s differ only in capitals but are different classes", alike);
        append(note, path, words);
    }
}

void og_labels_warning(const og_labels *labels, const char *path, og_message *note)
{
    char words[OG_MESSAGE_BYTES], names[OG_FILES_BYTES];
    og_rows_note(note, og_files_words(path, names), labels->trimmed);
    append_count(note, path, labels->missing, "row without a label is left out",
                 "rows without a label are left out");
    if (labels->repeats_left_out) {
        append_count(note, path, labels->repeats,
                     "repeated label of a worker is left out (--repeats)",
                     "repeated labels of workers are left out (--repeats)");
    } else {
        append_count(note, path, labels->repeats,
                     "label is of a worker who had labelled the task before; --repeats first or "
                     "last leaves it out",
                     "labels are of a worker who had labelled the task before; --repeats first or "
                     "last leaves them out");
    }
    if (labels->classes.lone && labels->label_count > 0) {
        snprintf(words, sizeof words,
                 "every label is '%.40s', so this is the positive class; name both by --classes",
                 labels->classes.name[1]);
        append(note, path, words);
    }
    append_alike(labels, path, note);
}

void og_labels_clear(og_labels *labels)
{
    free(labels->task);
    free(labels->worker);
    free(labels->label);
    free(labels->task_text);
    free(labels->task_start);
    free(labels->worker_text);
    free(labels->worker_start);
    og_classes_clear(&labels->classes);
    *labels = (og_labels){0};
}
