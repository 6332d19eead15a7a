/*
 * Reads recorded labels: rows of dp/base/rows.h. A hash table, which compares whole names, turns
 * names into numbers. Classes are numbered as they come and sorted at the end.
 */
#include "bench/recorded/labels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

#include "dp/base/rows.h"
#include "dp/engine/settings.h"

enum { TASK, WORKER, LABEL, COLUMN_COUNT };

static const char *const column_name[COLUMN_COUNT] = {"task", "worker", "label"};

enum { FIELD_SHOWN = 24 };

typedef struct {
    uint64_t hash;
    uint32_t number; /* number of the name, plus 1; 0: free */
} slot;

/* Names numbered in order of first appearance; text holds them one after another, each ended by
 * NUL. */
typedef struct {
    uint32_t count;
    size_t slot_count; /* a power of two, at least twice count */
    slot *slots;
    size_t *start;
    size_t start_room;
    char *text;
    size_t text_bytes;
    size_t text_room;
} names;

typedef struct {
    og_rows rows;
    bool with_workers; /* read the column */
    int column[COLUMN_COUNT];
    int last_column; /* the largest column number needed */
    names tasks;
    names workers;
    int64_t label_count;
    size_t label_room;
    uint32_t *task;
    uint32_t *worker;
    uint8_t *label;
    const og_labels *like; /* use its classes; NULL: classes as they come */
    int32_t class_count;
    char class_name[OG_CLASSES_MAX][OG_CLASS_NAME_BYTES];
} reader;

/* Words for label 0 and 1. */
static const char *const pair[][2] = {
    {"0", "1"}, {"no", "yes"},  {"false", "true"},        {"n", "y"},
    {"f", "t"}, {"neg", "pos"}, {"negative", "positive"}, {"-1", "1"},
};

enum { PAIR_COUNT = sizeof pair / sizeof *pair };

static bool has_column(const reader *in, const char *name)
{
    int i = 0;
    while (i < in->rows.field_count && strcmp(in->rows.field[i], name) != 0) {
        i++;
    }
    return i < in->rows.field_count;
}

/* A hint for a file without this column: its likely kind, and the option or command that reads
 * it. */
static const char *column_hint(const reader *in, int column)
{
    if (in->rows.field_count == 1) {
        return "; columns are separated by tabs or commas";
    }
    if (column == TASK && has_column(in, "left")) {
        return "; comparisons are not labels: give them to query or compare with --problem ranking "
               "--history \"1>2 ...\", for few items";
    }
    if (column == WORKER && has_column(in, "label") && in->rows.field_count > 3) {
        return "; give instances with features to --features FILE of query, compare and simulate, "
               "without their columns task and label";
    }
    if (column == WORKER && has_column(in, "label")) {
        return "; give true labels with --gold of replay; if the workers are unknown, name another "
               "one for each label";
    }
    return "";
}

static bool fail_without_column(reader *in, int column)
{
    return og_rows_fail(&in->rows, "no column '%s' in the header (needed: task, worker, label%s)",
                        column_name[column], column_hint(in, column));
}

static bool read_header(reader *in)
{
    if (!og_rows_next(&in->rows)) {
        return og_rows_fail(&in->rows, "the file is empty");
    }
    if (!og_rows_columns(&in->rows, column_name, COLUMN_COUNT, in->column)) {
        return false;
    }
    if (!in->with_workers) {
        in->column[WORKER] = in->column[TASK]; /* read, and discarded */
    }
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (in->column[column] < 0) {
            return fail_without_column(in, column);
        }
        if (in->column[column] > in->last_column) {
            in->last_column = in->column[column];
        }
    }
    return true;
}

static bool names_double_slots(reader *in, names *all)
{
    size_t count = all->slot_count == 0 ? 64 : all->slot_count * 2;
    if (!og_rows_hold(&in->rows, (int64_t)(count * sizeof(slot)))) {
        return false;
    }
    slot *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return og_rows_no_memory(&in->rows);
    }
    for (size_t i = 0; i < all->slot_count; i++) {
        if (all->slots[i].number == 0) {
            continue;
        }
        size_t at = all->slots[i].hash & (count - 1);
        while (slots[at].number != 0) {
            at = (at + 1) & (count - 1);
        }
        slots[at] = all->slots[i];
    }
    free(all->slots);
    og_rows_hold(&in->rows, -(int64_t)(all->slot_count * sizeof(slot)));
    all->slots = slots;
    all->slot_count = count;
    return true;
}

static bool names_append(reader *in, names *all, const char *name, size_t length)
{
    size_t bytes = all->text_bytes + length + 1;
    size_t *start = og_rows_grown(&in->rows, all->start, &all->start_room, (size_t)all->count + 1,
                                  sizeof *start);
    all->start = start != NULL ? start : all->start;
    char *text = og_rows_grown(&in->rows, all->text, &all->text_room, bytes, 1);
    all->text = text != NULL ? text : all->text;
    if (start == NULL || text == NULL) {
        return false;
    }
    memcpy(text + all->text_bytes, name, length + 1);
    start[all->count++] = all->text_bytes;
    all->text_bytes = bytes;
    return true;
}

/* Find the number of a name, or assign a new one; false with a message if memory runs out. */
static bool names_number(reader *in, names *all, const char *name, uint32_t *number)
{
    if (2 * ((size_t)all->count + 1) > all->slot_count && !names_double_slots(in, all)) {
        return false;
    }
    size_t length = strlen(name);
    uint64_t hash = XXH3_64bits(name, length);
    size_t mask = all->slot_count - 1;
    size_t at = hash & mask;
    for (; all->slots[at].number != 0; at = (at + 1) & mask) {
        uint32_t known = all->slots[at].number - 1;
        if (all->slots[at].hash == hash && strcmp(all->text + all->start[known], name) == 0) {
            *number = known;
            return true;
        }
    }
    if (!names_append(in, all, name, length)) {
        return false;
    }
    all->slots[at] = (slot){hash, all->count};
    *number = all->count - 1;
    return true;
}

static bool fail_at_label(reader *in, const char *label, const char *why)
{
    char shown[FIELD_SHOWN + 1] = "";
    for (size_t i = 0; i < FIELD_SHOWN && label[i] != '\0'; i++) {
        shown[i] = label[i] >= ' ' && label[i] < 127 ? label[i] : '?';
    }
    return og_rows_fail(&in->rows, "the label is '%s%s'%s", shown,
                        strlen(label) > FIELD_SHOWN ? "..." : "", why);
}

/* ---- classes ---- */

static bool is_number(const char *text)
{
    text += *text == '-';
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Normalise a label: 1.0 becomes 1, True becomes true. */
static void make_plain(char *label)
{
    size_t length = strlen(label);
    if (length > 2 && strcmp(label + length - 2, ".0") == 0) {
        label[length - 2] = '\0';
        label[length - 2] = is_number(label) ? '\0' : '.';
    }
    for (int i = 0; i < 2 * PAIR_COUNT; i++) {
        if (strcasecmp(label, pair[i / 2][i % 2]) == 0) {
            memcpy(label, pair[i / 2][i % 2], strlen(label));
        }
    }
}

/* Find or assign the number of a class. */
static bool read_class(reader *in, char *label, uint8_t *number)
{
    make_plain(label);
    int32_t at = 0;
    while (at < in->class_count && strcmp(in->class_name[at], label) != 0) {
        at++;
    }
    *number = (uint8_t)at;
    if (at < in->class_count) {
        return true;
    }
    if (in->like != NULL) {
        return fail_at_label(in, label, ", which is not among the recorded labels");
    }
    if (strlen(label) >= OG_CLASS_NAME_BYTES) {
        return fail_at_label(in, label, "; a class has at most 31 bytes");
    }
    if (at > 0 && is_number(label) != is_number(in->class_name[0])) {
        return fail_at_label(in, label,
                             is_number(label) ? "; those before it are words, not numbers"
                                              : "; those before it are numbers");
    }
    if (at == OG_CLASSES_MAX) {
        return fail_at_label(in, label, ", an eleventh class; at most ten are supported");
    }
    strcpy(in->class_name[in->class_count++], label);
    return true;
}

/* For gold: take the classes of the labels, in their order. */
static void take_classes(reader *in)
{
    in->class_count = og_labels_classes(in->like);
    for (int32_t k = 0; k < in->class_count; k++) {
        strcpy(in->class_name[k], og_labels_class_name(in->like, k));
    }
}

static int compare_classes(const char *x, const char *y)
{
    long a = strtol(x, NULL, 10), b = strtol(y, NULL, 10);
    return is_number(x) && is_number(y) && a != b ? (a > b) - (a < b) : strcmp(x, y);
}

/* If there is only one class, add the other of its pair, if it has one. */
static bool complete_pair(reader *in)
{
    for (int i = 0; i < 2 * PAIR_COUNT; i++) {
        if (strcmp(in->class_name[0], pair[i / 2][i % 2]) == 0) {
            strcpy(in->class_name[in->class_count++], pair[i / 2][1 - i % 2]);
            return true;
        }
    }
    return og_rows_fail(&in->rows, "every label is '%s': there must be two classes",
                        in->class_name[0]);
}

/* Number the classes in sorted order. */
static bool sort_classes(reader *in)
{
    uint8_t place[OG_CLASSES_MAX] = {0};
    char name[OG_CLASSES_MAX][OG_CLASS_NAME_BYTES];
    if (in->class_count == 1 && !complete_pair(in)) {
        return false;
    }
    memcpy(name, in->class_name, sizeof name);
    for (int32_t k = 0; k < in->class_count; k++) {
        for (int32_t other = 0; other < in->class_count; other++) {
            place[k] += compare_classes(name[other], name[k]) < 0;
        }
        strcpy(in->class_name[place[k]], name[k]);
    }
    for (int64_t i = 0; i < in->label_count; i++) {
        in->label[i] = place[in->label[i]];
    }
    return true;
}

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

static bool read_row(reader *in)
{
    char **field = in->rows.field;
    int count = in->rows.field_count;
    if (count <= in->last_column) {
        return og_rows_fail(&in->rows, "%d field%s, the header needs %d", count,
                            count == 1 ? "" : "s", in->last_column + 1);
    }
    if (in->like != NULL && *field[in->column[LABEL]] == '\0') {
        return true;
    }
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (*field[in->column[column]] == '\0') {
            return og_rows_fail(&in->rows, "the %s is missing", column_name[column]);
        }
    }
    uint8_t label;
    if (!read_class(in, field[in->column[LABEL]], &label)) {
        return false;
    }
    if (in->label_count == OG_LABELS_MAX) {
        return og_rows_fail(&in->rows, "more than 2000000000 labels");
    }
    uint32_t task, worker;
    if (!reserve_label(in) || !names_number(in, &in->tasks, field[in->column[TASK]], &task) ||
        !names_number(in, &in->workers, field[in->column[WORKER]], &worker)) {
        return false;
    }
    in->task[in->label_count] = task;
    in->worker[in->label_count] = worker;
    in->label[in->label_count] = label;
    in->label_count++;
    return true;
}

/* Move the reader's data to labels and free the hash tables. */
static og_labels given(reader *in)
{
    free(in->tasks.slots);
    free(in->workers.slots);
    og_labels made = {
        .label_count = in->label_count,
        .class_count = in->class_count,
        .task_count = in->tasks.count,
        .worker_count = in->workers.count,
        .task = in->task,
        .worker = in->worker,
        .label = in->label,
        .trimmed = in->rows.trimmed,
        .task_text = in->tasks.text,
        .task_start = in->tasks.start,
        .worker_text = in->workers.text,
        .worker_start = in->workers.start,
    };
    memcpy(made.class_name, in->class_name, sizeof made.class_name);
    return made;
}

static og_status read_file(const char *path, const og_labels *like, const og_settings *settings,
                           og_labels *out, og_message *message)
{
    const og_settings filled = og_settings_filled(settings != NULL ? settings : &(og_settings){0});
    const og_rows_limits limits = {.memory_bytes = filled.memory_bytes,
                                   .stop = og_stop_of(&filled)};
    reader in = {.with_workers = like == NULL, .like = like};
    if (like != NULL) {
        take_classes(&in);
    }
    og_rows_open(&in.rows, strcmp(path, "-") == 0 ? "/dev/stdin" : path, OG_ROWS_BY_HEADER, '\0',
                 &limits, message);
    if (read_header(&in)) {
        while (og_rows_next(&in.rows) && read_row(&in)) {
        }
        if (in.label_count == 0) {
            og_rows_fail(&in.rows, "a header, but no labels");
        } else if (in.rows.status == OG_OK && like == NULL) {
            sort_classes(&in);
        }
    }
    og_status status = og_rows_close(&in.rows);
    og_labels read = given(&in);
    if (status == OG_OK) {
        *out = read;
    } else {
        og_labels_clear(&read);
    }
    return status;
}

og_status og_labels_read(const char *path, const og_settings *settings, og_labels *out,
                         og_message *message)
{
    return read_file(path, NULL, settings, out, message);
}

og_status og_labels_read_tasks(const char *path, const og_labels *like, const og_settings *settings,
                               og_labels *out, og_message *message)
{
    og_labels read = {0};
    OG_TRY(read_file(path, like, settings, &read, message));
    free(read.worker);
    free(read.worker_text);
    free(read.worker_start);
    read.worker = NULL;
    read.worker_text = NULL;
    read.worker_start = NULL;
    read.worker_count = 0;
    *out = read;
    return OG_OK;
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

void og_labels_count(const og_labels *labels, int64_t *ones, int64_t *total)
{
    memset(ones, 0, labels->task_count * sizeof *ones);
    memset(total, 0, labels->task_count * sizeof *total);
    for (int64_t i = 0; i < labels->label_count; i++) {
        ones[labels->task[i]] += labels->label[i];
        total[labels->task[i]]++;
    }
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
