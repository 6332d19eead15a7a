/*
 * Recorded labels: rows of dp/base/rows.h whose names become numbers in a hash table in which the
 * whole name decides.
 */
#include "bench/recorded/labels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/grow.h"
#include "dp/base/rows.h"

enum { TASK, WORKER, LABEL, COLUMN_COUNT };

static const char *const column_name[COLUMN_COUNT] = {"task", "worker", "label"};

enum { FIELD_SHOWN = 24 };

typedef struct {
    uint64_t hash;
    uint32_t number; /* of the name, plus 1; 0: free */
} slot;

/* Names numbered in order of first appearance; text holds them one after the other, NUL-ended. */
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
    bool with_workers; /* the column is read */
    int column[COLUMN_COUNT];
    int last_column; /* the largest of these */
    names tasks;
    names workers;
    int64_t label_count;
    size_t label_room;
    uint32_t *task;
    uint32_t *worker;
    uint8_t *label;
} reader;

static bool fail_without_column(reader *in, int column)
{
    const char *hint = "";
    if (in->rows.field_count == 1) {
        hint = strchr(in->rows.field[0], ',') != NULL
                   ? "; columns are separated by tabs, not commas"
                   : "; columns are separated by tabs";
    }
    return og_rows_fail(&in->rows, "no column '%s' in the header (needed: task, worker, label%s)",
                        column_name[column], hint);
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
        in->column[WORKER] = in->column[TASK]; /* read, and thrown away */
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

static bool names_double_slots(names *all)
{
    size_t count = all->slot_count == 0 ? 64 : all->slot_count * 2;
    slot *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return false;
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
    all->slots = slots;
    all->slot_count = count;
    return true;
}

static bool names_append(names *all, const char *name, size_t length)
{
    size_t bytes = all->text_bytes + length + 1;
    size_t *start = og_grown(all->start, &all->start_room, (size_t)all->count + 1, sizeof *start);
    all->start = start != NULL ? start : all->start;
    char *text = og_grown(all->text, &all->text_room, bytes, 1);
    all->text = text != NULL ? text : all->text;
    if (start == NULL || text == NULL) {
        return false;
    }
    memcpy(text + all->text_bytes, name, length + 1);
    start[all->count++] = all->text_bytes;
    all->text_bytes = bytes;
    return true;
}

/* The number of a name, a new one if it was not met before; false without memory. */
static bool names_number(names *all, const char *name, uint32_t *number)
{
    if (2 * ((size_t)all->count + 1) > all->slot_count && !names_double_slots(all)) {
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
    if (!names_append(all, name, length)) {
        return false;
    }
    all->slots[at] = (slot){hash, all->count};
    *number = all->count - 1;
    return true;
}

static bool fail_at_label(reader *in, const char *label)
{
    char shown[FIELD_SHOWN + 1] = "";
    for (size_t i = 0; i < FIELD_SHOWN && label[i] != '\0'; i++) {
        shown[i] = label[i] >= ' ' && label[i] < 127 ? label[i] : '?';
    }
    return og_rows_fail(&in->rows, "the label is '%s%s'; it must be 0 or 1", shown,
                        strlen(label) > FIELD_SHOWN ? "..." : "");
}

/* Room for one more; an array that grew before another could not is fine as it is. */
static bool reserve_label(reader *in)
{
    size_t needed = (size_t)in->label_count + 1;
    size_t room[] = {in->label_room, in->label_room, in->label_room};
    uint32_t *task = og_grown(in->task, &room[0], needed, sizeof *task);
    in->task = task != NULL ? task : in->task;
    uint32_t *worker = og_grown(in->worker, &room[1], needed, sizeof *worker);
    in->worker = worker != NULL ? worker : in->worker;
    uint8_t *label = og_grown(in->label, &room[2], needed, sizeof *label);
    in->label = label != NULL ? label : in->label;
    if (task == NULL || worker == NULL || label == NULL) {
        return og_rows_no_memory(&in->rows);
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
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (*field[in->column[column]] == '\0') {
            return og_rows_fail(&in->rows, "the %s is missing", column_name[column]);
        }
    }
    const char *label = field[in->column[LABEL]];
    if (strcmp(label, "0") != 0 && strcmp(label, "1") != 0) {
        return fail_at_label(in, label);
    }
    if (in->label_count == OG_LABELS_MAX) {
        return og_rows_fail(&in->rows, "more than 2000000000 labels");
    }
    uint32_t task, worker;
    if (!reserve_label(in)) {
        return false;
    }
    if (!names_number(&in->tasks, field[in->column[TASK]], &task) ||
        !names_number(&in->workers, field[in->column[WORKER]], &worker)) {
        return og_rows_no_memory(&in->rows);
    }
    in->task[in->label_count] = task;
    in->worker[in->label_count] = worker;
    in->label[in->label_count] = *label == '1';
    in->label_count++;
    return true;
}

/* What the reader holds; the tables of hashes are done with. */
static og_labels given(reader *in)
{
    free(in->tasks.slots);
    free(in->workers.slots);
    return (og_labels){
        .label_count = in->label_count,
        .task_count = in->tasks.count,
        .worker_count = in->workers.count,
        .task = in->task,
        .worker = in->worker,
        .label = in->label,
        .task_text = in->tasks.text,
        .task_start = in->tasks.start,
        .worker_text = in->workers.text,
        .worker_start = in->workers.start,
    };
}

static og_status read_file(const char *path, bool workers, og_labels *out, og_message *message)
{
    reader in = {.with_workers = workers};
    og_rows_open(&in.rows, path, '\t', '\0', message);
    if (read_header(&in)) {
        while (og_rows_next(&in.rows) && read_row(&in)) {
        }
        if (in.label_count == 0) {
            og_rows_fail(&in.rows, "a header, but no labels");
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

og_status og_labels_read(const char *path, og_labels *out, og_message *message)
{
    return read_file(path, true, out, message);
}

og_status og_labels_read_tasks(const char *path, og_labels *out, og_message *message)
{
    og_labels read = {0};
    OG_TRY(read_file(path, false, &read, message));
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
