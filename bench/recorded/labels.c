/*
 * Reads recorded labels: one after another from bench/recorded/answers.h, tasks and workers
 * numbered as they come. Classes are sorted at the end, and tasks without a label moved behind the
 * others.
 */
#include "bench/recorded/labels.h"

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

typedef struct {
    og_rows rows;
    const og_tables *how;
    og_class_list classes;
    og_names tasks, workers;
    uint32_t unlabelled;
    int64_t label_count, missing;
    size_t label_room;
    uint32_t *task;
    uint32_t *worker;
    uint8_t *label;
    og_message form;
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
    uint32_t of_task, of_worker;
    if (*task == '\0') {
        return og_rows_fail(rows, "the task is missing");
    }
    if (og_label_is_missing(in->how, label)) {
        in->missing++;
        return og_names_number(&in->tasks, rows, task, &of_task);
    }
    if (*worker == '\0') {
        return og_rows_fail(rows, "the worker is missing");
    }
    if (!og_classes_number(&in->classes, rows, label, &class)) {
        return false;
    }
    if (in->label_count == OG_LABELS_MAX) {
        return og_rows_fail(rows, "more than 2000000000 labels");
    }
    if (!reserve_label(in) || !og_names_number(&in->tasks, rows, task, &of_task) ||
        !og_names_number(&in->workers, rows, worker, &of_worker)) {
        return false;
    }
    in->task[in->label_count] = of_task;
    in->worker[in->label_count] = of_worker;
    in->label[in->label_count] = class;
    in->label_count++;
    return true;
}

/* ---- the end ---- */

static bool sort_classes(reader *in)
{
    uint8_t place[OG_CLASSES_MAX];
    if (!og_classes_sort(&in->classes, &in->rows, in->how, place)) {
        return false;
    }
    for (int64_t i = 0; i < in->label_count; i++) {
        in->label[i] = place[in->label[i]];
    }
    return true;
}

/* Numbers the tasks anew in the order of their first labels, those without any last: as if rows
 * without a label were not there. */
static bool move_unlabelled(reader *in)
{
    uint32_t count = in->tasks.count, met = 0;
    og_arena arena = {0};
    uint32_t *place = og_arena_array(&arena, count, sizeof *place); /* plus 1 */
    size_t *start = og_arena_copy(&arena, in->tasks.start, count, sizeof *start);
    if (place == NULL || start == NULL) {
        og_arena_clear(&arena);
        return og_rows_no_memory(&in->rows);
    }
    for (int64_t i = 0; i < in->label_count; i++) {
        uint32_t *own = &place[in->task[i]];
        *own = *own == 0 ? ++met : *own;
        in->task[i] = *own - 1;
    }
    in->unlabelled = count - met;
    for (uint32_t i = 0; i < count; i++) {
        place[i] = place[i] == 0 ? ++met : place[i];
        in->tasks.start[place[i] - 1] = start[i];
    }
    og_arena_clear(&arena);
    return true;
}

static bool finish(reader *in)
{
    if (in->rows.status != OG_OK) {
        return false;
    }
    if (in->label_count == 0) {
        return in->missing == 0 ? og_rows_fail(&in->rows, "a header, but no labels")
                                : og_rows_fail(&in->rows, "none of its %lld rows has a label",
                                               (long long)in->missing);
    }
    return sort_classes(in) && (in->missing == 0 || move_unlabelled(in));
}

/* Move the reader's data to labels and free the hash tables. */
static og_labels given(reader *in)
{
    og_names_finish(&in->tasks);
    og_names_finish(&in->workers);
    og_labels made = {
        .label_count = in->label_count,
        .class_count = in->classes.count,
        .task_count = in->tasks.count - in->unlabelled,
        .unlabelled_count = in->unlabelled,
        .worker_count = in->workers.count,
        .task = in->task,
        .worker = in->worker,
        .label = in->label,
        .trimmed = in->rows.trimmed,
        .missing = in->missing,
        .form = in->form,
        .task_text = in->tasks.text,
        .task_start = in->tasks.start,
        .worker_text = in->workers.text,
        .worker_start = in->workers.start,
    };
    memcpy(made.class_name, in->classes.name, sizeof made.class_name);
    return made;
}

og_status og_labels_read(const char *path, const og_settings *settings, og_labels *out,
                         og_message *message)
{
    const og_rows_limits limits = og_table_limits(settings);
    reader in = {.how = settings != NULL ? settings->tables : NULL};
    OG_TRY(og_tables_check(in.how, message));
    og_rows_open(&in.rows, strcmp(path, "-") == 0 ? "/dev/stdin" : path, OG_ROWS_BY_HEADER, '\0',
                 &limits, message);
    const og_answers answers = {
        .rows = &in.rows, .how = in.how, .take = take, .user = &in, .form = &in.form};
    og_answers_read(&answers);
    bool fine = finish(&in);
    og_status status = og_rows_close(&in.rows);
    og_labels read = given(&in);
    if (fine && status == OG_OK) {
        *out = read;
    } else {
        og_labels_clear(&read);
    }
    return status;
}

const char *og_labels_class_name(const og_labels *labels, int32_t label)
{
    static const char digit[OG_CLASSES_MAX][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    const char *name = labels->class_name[label];
    return *name != '\0' ? name : digit[label];
}

/* List a class and those after it that differ from it only in capitals; "" if there are none. */
static void list_alike(const og_labels *labels, int32_t first, char *words, size_t bytes)
{
    size_t used = 0;
    *words = '\0';
    for (int32_t k = first + 1; k < labels->class_count; k++) {
        if (strcasecmp(labels->class_name[k], labels->class_name[first]) == 0) {
            used += (size_t)snprintf(words + used, bytes - used, "%s%s%s'%s'", used == 0 ? "'" : "",
                                     used == 0 ? labels->class_name[first] : "",
                                     used == 0 ? "', " : ", ", labels->class_name[k]);
        }
    }
}

void og_labels_warning(const og_labels *labels, const char *path, og_message *note)
{
    char alike[OG_CLASSES_MAX * (OG_CLASS_NAME_BYTES + 4)] = "";
    og_rows_note(note, path, labels->trimmed);
    if (labels->missing > 0) {
        const og_message before = *note;
        og_message_set(note, OG_OK, "%s%s%.200s: %lld row%s without a label %s left out",
                       before.text, *before.text != '\0' ? "; " : "", path,
                       (long long)labels->missing, labels->missing == 1 ? "" : "s",
                       labels->missing == 1 ? "is" : "are");
    }
    for (int32_t k = 0; k < labels->class_count && *alike == '\0'; k++) {
        list_alike(labels, k, alike, sizeof alike);
    }
    if (*alike != '\0') {
        const og_message before = *note;
        og_message_set(note, OG_OK,
                       "%s%s%.200s: the labels %s differ only in capitals but are different "
                       "classes",
                       before.text, *before.text != '\0' ? "; " : "", path, alike);
    }
}

static int compare_pairs(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

og_status og_labels_repeats(const og_labels *labels, int64_t *repeats)
{
    uint64_t *who = malloc(((size_t)labels->label_count + 1) * sizeof *who);
    OG_TRY(OG_ALLOCATED(who));
    for (int64_t i = 0; i < labels->label_count; i++) {
        who[i] = (uint64_t)labels->task[i] << 32 | labels->worker[i];
    }
    qsort(who, (size_t)labels->label_count, sizeof *who, compare_pairs);
    *repeats = 0;
    for (int64_t i = 1; i < labels->label_count; i++) {
        *repeats += who[i] == who[i - 1];
    }
    free(who);
    return OG_OK;
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
    *labels = (og_labels){0};
}
