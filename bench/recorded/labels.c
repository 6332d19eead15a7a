/*
 * Reads recorded labels in one pass through a buffer of at most one line's largest size, so that a
 * pipe will do and a file that is no table ends in an error before it fills the memory.
 * Names become numbers in a hash table in which the whole name decides.
 */
#include "bench/recorded/labels.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/file.h"

enum { TASK, WORKER, LABEL, COLUMN_COUNT };

static const char *const column_name[COLUMN_COUNT] = {"task", "worker", "label"};

typedef struct {
    const char *text;
    size_t length;
} span;

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
    size_t start_capacity;
    char *text;
    size_t text_bytes;
    size_t text_capacity;
} names;

typedef struct {
    const char *path;
    og_message *message;
    FILE *file;
    char *buffer; /* [room] */
    size_t room;  /* grows up to BUFFER_BYTES while a line does not fit */
    size_t begin; /* what has been read and not yet handed out: buffer[begin .. end) */
    size_t end;
    bool ended;
    int64_t line_number; /* of the line handed out last */
    bool with_workers;   /* the column is asked for */
    int column[COLUMN_COUNT];
    int last_column; /* the largest of these */
    names tasks;
    names workers;
    int64_t label_count;
    int64_t label_capacity;
    uint32_t *task;
    uint32_t *worker;
    uint8_t *label;
} reader;

enum {
    BUFFER_BYTES_FIRST = 1 << 15,
    BUFFER_BYTES = OG_LABELS_LINE_MAX + 8, /* a line of the largest size, its CRLF, and a byte order
                                              mark */
    PATH_SHOWN = 200,
    FIELD_SHOWN = 24,
};

/* The end of a path that is too long for a message; it begins with a whole character. */
static const char *shown_path(const char *path)
{
    size_t length = strlen(path);
    if (length <= PATH_SHOWN) {
        return path;
    }
    const char *tail = path + (length - PATH_SHOWN);
    while (((unsigned char)*tail & 0xC0) == 0x80) {
        tail++;
    }
    return tail;
}

static og_status fail(const reader *in, const char *what)
{
    return og_message_set(in->message, OG_BAD_INPUT, "%s: %s", shown_path(in->path), what);
}

static og_status fail_at_line(const reader *in, const char *what)
{
    return og_message_set(in->message, OG_BAD_INPUT, "%s, line %" PRId64 ": %s",
                          shown_path(in->path), in->line_number, what);
}

static og_status no_memory(const reader *in)
{
    return og_message_set(in->message, OG_NO_MEMORY, "%s, line %" PRId64 ": out of memory",
                          shown_path(in->path), in->line_number);
}

static bool buffer_grow(reader *in)
{
    size_t room = in->room == 0 ? BUFFER_BYTES_FIRST : 2 * in->room;
    if (room > BUFFER_BYTES) {
        room = BUFFER_BYTES;
    }
    char *grown = realloc(in->buffer, room);
    if (grown == NULL) {
        return false;
    }
    in->buffer = grown;
    in->room = room;
    return true;
}

/* Move what is left to the front and fill up. */
static og_status refill(reader *in)
{
    if (in->begin > 0) {
        memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
    }
    in->end -= in->begin;
    in->begin = 0;
    if (in->end == in->room && in->room < BUFFER_BYTES && !buffer_grow(in)) {
        return no_memory(in);
    }
    errno = 0;
    in->end += fread(in->buffer + in->end, 1, in->room - in->end, in->file);
    if (ferror(in->file)) {
        /* a folder opens like a file and fails here */
        int reason = errno;
        return og_message_set(in->message, og_file_status(reason), "%s: cannot read: %s",
                              shown_path(in->path), strerror(reason));
    }
    in->ended = feof(in->file) != 0;
    return OG_OK;
}

/* The next line without its end; line->text is NULL past the last. */
static og_status next_line(reader *in, span *line)
{
    char *text = in->buffer + in->begin;
    char *newline = memchr(text, '\n', in->end - in->begin);
    while (newline == NULL && !in->ended && in->end - in->begin < BUFFER_BYTES) {
        size_t known = in->end - in->begin;
        og_status status = refill(in);
        if (status != OG_OK) {
            return status;
        }
        text = in->buffer;
        newline = memchr(text + known, '\n', in->end - known);
    }
    *line = (span){0};
    if (newline == NULL && in->begin == in->end) {
        return OG_OK;
    }
    in->line_number++;
    size_t length = newline != NULL ? (size_t)(newline - text) : in->end - in->begin;
    in->begin += length + (newline != NULL);
    if (length > 0 && text[length - 1] == '\r') {
        length--;
    }
    if (length > OG_LABELS_LINE_MAX) {
        return fail_at_line(in, "the line is too long for a table of labels");
    }
    if (memchr(text, '\0', length) != NULL) {
        return fail_at_line(in, "a NUL byte; this is not a text file (UTF-16 is not read)");
    }
    *line = (span){text, length};
    return OG_OK;
}

/* As next_line, past empty lines. */
static og_status next_row(reader *in, span *line)
{
    og_status status;
    do {
        status = next_line(in, line);
    } while (status == OG_OK && line->text != NULL && line->length == 0);
    return status;
}

/* Cut the first field off the line; false when the line has no more. */
static bool next_field(span *line, span *field)
{
    if (line->text == NULL) {
        return false;
    }
    const char *tab = memchr(line->text, '\t', line->length);
    if (tab == NULL) {
        *field = *line;
        *line = (span){0};
        return true;
    }
    field->text = line->text;
    field->length = (size_t)(tab - line->text);
    line->text = tab + 1;
    line->length -= field->length + 1;
    return true;
}

static int column_called(span field)
{
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (strlen(column_name[column]) == field.length &&
            memcmp(column_name[column], field.text, field.length) == 0) {
            return column;
        }
    }
    return -1;
}

static og_status fail_without_column(const reader *in, span header, int column)
{
    const char *hint = "";
    if (memchr(header.text, '\t', header.length) == NULL) {
        hint = memchr(header.text, ',', header.length) != NULL
                   ? "; columns are separated by tabs, not commas"
                   : "; columns are separated by tabs";
    }
    return og_message_set(in->message, OG_BAD_INPUT,
                          "%s, line %" PRId64 ": no column '%s' in the header (needed: task, "
                          "worker, label%s)",
                          shown_path(in->path), in->line_number, column_name[column], hint);
}

static og_status read_header(reader *in)
{
    span header, rest, field;
    og_status status = next_row(in, &header);
    if (status != OG_OK) {
        return status;
    }
    if (header.text == NULL) {
        return fail(in, "the file is empty");
    }
    for (int column = 0; column < COLUMN_COUNT; column++) {
        in->column[column] = -1;
    }
    rest = header;
    for (int position = 0; next_field(&rest, &field); position++) {
        int column = column_called(field);
        if (column == WORKER && !in->with_workers) {
            continue;
        }
        if (column >= 0 && in->column[column] >= 0) {
            return fail_at_line(in, "a column stands twice in the header");
        }
        if (column >= 0) {
            in->column[column] = position;
            in->last_column = position;
        }
    }
    if (!in->with_workers) {
        in->column[WORKER] = in->column[TASK]; /* read, and thrown away */
    }
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (in->column[column] < 0) {
            return fail_without_column(in, header, column);
        }
    }
    return OG_OK;
}

/* Room for `needed` elements of `size` bytes, by doubling. */
static bool reserve(void **array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity) {
        return true;
    }
    size_t larger = *capacity < 64 ? 64 : *capacity;
    while (larger < needed) {
        if (__builtin_mul_overflow(larger, (size_t)2, &larger)) {
            return false;
        }
    }
    size_t bytes;
    if (__builtin_mul_overflow(larger, size, &bytes)) {
        return false;
    }
    void *grown = realloc(*array, bytes);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *capacity = larger;
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

static bool names_append(names *all, span name)
{
    void *start = all->start, *text = all->text;
    bool fits = reserve(&start, &all->start_capacity, (size_t)all->count + 1, sizeof *all->start);
    all->start = start;
    fits = fits && reserve(&text, &all->text_capacity, all->text_bytes + name.length + 1, 1);
    all->text = text;
    if (!fits) {
        return false;
    }
    memcpy(all->text + all->text_bytes, name.text, name.length);
    all->text[all->text_bytes + name.length] = '\0';
    all->start[all->count] = all->text_bytes;
    all->text_bytes += name.length + 1;
    all->count++;
    return true;
}

static bool names_equal(const names *all, uint32_t number, span name)
{
    const char *text = all->text + all->start[number];
    return strncmp(text, name.text, name.length) == 0 && text[name.length] == '\0';
}

/* The number of a name, a new one if it was not met before; false without memory. */
static bool names_number(names *all, span name, uint32_t *number)
{
    if (2 * ((size_t)all->count + 1) > all->slot_count && !names_double_slots(all)) {
        return false;
    }
    uint64_t hash = XXH3_64bits(name.text, name.length);
    size_t mask = all->slot_count - 1;
    size_t at = hash & mask;
    for (; all->slots[at].number != 0; at = (at + 1) & mask) {
        if (all->slots[at].hash != hash || !names_equal(all, all->slots[at].number - 1, name)) {
            continue;
        }
        *number = all->slots[at].number - 1;
        return true;
    }
    if (!names_append(all, name)) {
        return false;
    }
    all->slots[at] = (slot){hash, all->count};
    *number = all->count - 1;
    return true;
}

static void names_clear(names *all)
{
    free(all->slots);
    free(all->start);
    free(all->text);
}

static og_status fail_at_label(const reader *in, span field)
{
    char shown[FIELD_SHOWN + 1];
    size_t length = field.length < FIELD_SHOWN ? field.length : FIELD_SHOWN;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)field.text[i];
        shown[i] = byte >= ' ' && byte < 127 ? (char)byte : '?';
    }
    shown[length] = '\0';
    return og_message_set(
        in->message, OG_BAD_INPUT, "%s, line %" PRId64 ": the label is '%s%s'; it must be 0 or 1",
        shown_path(in->path), in->line_number, shown, field.length > FIELD_SHOWN ? "..." : "");
}

/* The three fields of a row, all present and not empty. */
static og_status split_row(const reader *in, span line, span field[COLUMN_COUNT])
{
    for (int position = 0; position <= in->last_column; position++) {
        span next;
        if (!next_field(&line, &next)) {
            return og_message_set(in->message, OG_BAD_INPUT,
                                  "%s, line %" PRId64 ": %d field%s, the header needs %d",
                                  shown_path(in->path), in->line_number, position,
                                  position == 1 ? "" : "s", in->last_column + 1);
        }
        for (int column = 0; column < COLUMN_COUNT; column++) {
            if (in->column[column] == position) {
                field[column] = next;
            }
        }
    }
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (field[column].length == 0) {
            return og_message_set(in->message, OG_BAD_INPUT,
                                  "%s, line %" PRId64 ": the %s is missing", shown_path(in->path),
                                  in->line_number, column_name[column]);
        }
    }
    return OG_OK;
}

static bool reserve_label(reader *in)
{
    if (in->label_count < in->label_capacity) {
        return true;
    }
    int64_t capacity = in->label_capacity == 0 ? 256 : in->label_capacity * 2;
    uint32_t *task = realloc(in->task, (size_t)capacity * sizeof *task);
    if (task == NULL) {
        return false;
    }
    in->task = task;
    uint32_t *worker = realloc(in->worker, (size_t)capacity * sizeof *worker);
    if (worker == NULL) {
        return false;
    }
    in->worker = worker;
    uint8_t *label = realloc(in->label, (size_t)capacity);
    if (label == NULL) {
        return false;
    }
    in->label = label;
    in->label_capacity = capacity;
    return true;
}

static og_status read_row(reader *in, span line)
{
    span field[COLUMN_COUNT] = {{0}};
    og_status status = split_row(in, line, field);
    if (status != OG_OK) {
        return status;
    }
    span label = field[LABEL];
    if (label.length != 1 || (label.text[0] != '0' && label.text[0] != '1')) {
        return fail_at_label(in, label);
    }
    if (in->label_count == OG_LABELS_MAX) {
        return fail_at_line(in, "more than 2000000000 labels");
    }
    uint32_t task, worker;
    if (!reserve_label(in) || !names_number(&in->tasks, field[TASK], &task) ||
        !names_number(&in->workers, field[WORKER], &worker)) {
        return no_memory(in);
    }
    in->task[in->label_count] = task;
    in->worker[in->label_count] = worker;
    in->label[in->label_count] = label.text[0] == '1';
    in->label_count++;
    return OG_OK;
}

static og_status read_rows(reader *in)
{
    span line;
    og_status status;
    while ((status = next_row(in, &line)) == OG_OK && line.text != NULL) {
        if ((status = read_row(in, line)) != OG_OK) {
            break;
        }
    }
    if (status == OG_OK && in->label_count == 0) {
        return fail(in, "a header, but no labels");
    }
    return status;
}

static og_status read_all(reader *in)
{
    og_status status = refill(in);
    if (status != OG_OK) {
        return status;
    }
    if (in->end >= 3 && memcmp(in->buffer, "\xEF\xBB\xBF", 3) == 0) {
        in->begin = 3;
    }
    status = read_header(in);
    return status == OG_OK ? read_rows(in) : status;
}

/* Hand the arrays over; what stays in the reader is freed by reader_clear. */
static void give(reader *in, og_labels *out)
{
    *out = (og_labels){
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
    in->task = in->worker = NULL;
    in->label = NULL;
    in->tasks.text = in->workers.text = NULL;
    in->tasks.start = in->workers.start = NULL;
}

static void reader_clear(reader *in)
{
    names_clear(&in->tasks);
    names_clear(&in->workers);
    free(in->task);
    free(in->worker);
    free(in->label);
    free(in->buffer);
}

static og_status read_file(const char *path, bool workers, og_labels *out, og_message *message)
{
    reader in = {.path = path, .message = message, .with_workers = workers};
    in.file = fopen(path, "rb");
    if (in.file == NULL) {
        int reason = errno;
        return og_message_set(message, og_file_status(reason), "cannot open '%s': %s",
                              shown_path(path), strerror(reason));
    }
    og_status status = read_all(&in);
    fclose(in.file);
    if (status == OG_OK) {
        give(&in, out);
    }
    reader_clear(&in);
    return status;
}

og_status og_labels_read(const char *path, og_labels *out, og_message *message)
{
    return read_file(path, true, out, message);
}

og_status og_labels_read_tasks(const char *path, og_labels *out, og_message *message)
{
    og_labels read = {0};
    og_status status = read_file(path, false, &read, message);
    if (status != OG_OK) {
        return status;
    }
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
