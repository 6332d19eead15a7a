/*
 * Rows of a text file through a buffer of at most one line's largest size. The unused data are
 * buffer[begin .. end). A row's fields point into the buffer and are terminated in place, so that
 * nothing moves until the next row is requested.
 */
#include "dp/base/rows.h"

#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"

enum {
    BUFFER_BYTES_FIRST = 1 << 15,
    BUFFER_BYTES = OG_ROWS_LINE_MAX + 8, /* a line of the largest size, CRLF, a byte order mark */
    PATH_SHOWN = 200,
};

/* The end of a path that is too long for a message; begins with a whole character. */
static const char *shown_path(const og_rows *rows)
{
    size_t length = strlen(rows->path);
    if (length <= PATH_SHOWN) {
        return rows->path;
    }
    const char *tail = rows->path + (length - PATH_SHOWN);
    while (((unsigned char)*tail & 0xC0) == 0x80) {
        tail++;
    }
    return tail;
}

static bool fail(og_rows *rows, og_status status, const char *what)
{
    if (rows->status != OG_OK) {
        return false;
    }
    char line[32] = "";
    if (rows->line > 0 && rows->field_count > 0) {
        snprintf(line, sizeof line, ", line %" PRId64, rows->line);
    }
    rows->status = og_message_set(rows->message, status, "%s%s: %s", shown_path(rows), line, what);
    return false;
}

bool og_rows_fail(og_rows *rows, const char *format, ...)
{
    char what[OG_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail(rows, OG_BAD_INPUT, what);
}

bool og_rows_no_memory(og_rows *rows)
{
    return fail(rows, OG_NO_MEMORY, "out of memory");
}

static bool fail_file(og_rows *rows, og_status status, const char *what, const char *reason)
{
    rows->status = og_message_set(rows->message, status, "'%s' cannot be %s: %s", shown_path(rows),
                                  what, reason);
    return false;
}

static bool grow_buffer(og_rows *rows)
{
    size_t room = rows->room == 0 ? BUFFER_BYTES_FIRST : 2 * rows->room;
    room = room < BUFFER_BYTES ? room : BUFFER_BYTES;
    char *grown = realloc(rows->buffer, room + 1);
    if (grown == NULL) {
        return og_rows_no_memory(rows);
    }
    rows->buffer = grown;
    rows->room = room;
    return true;
}

bool og_rows_hold(og_rows *rows, int64_t bytes)
{
    char limit[OG_BYTES_TEXT_BYTES];
    char what[OG_MESSAGE_BYTES];
    uint64_t held = rows->held + (uint64_t)bytes;
    if (bytes > 0 && rows->memory_bytes > 0 && held > rows->memory_bytes) {
        snprintf(what, sizeof what, "the memory limit of %s does not hold what was read so far",
                 og_bytes_format(rows->memory_bytes, limit));
        return fail(rows, OG_STOPPED, what);
    }
    rows->held = held;
    return true;
}

void *og_rows_grown(og_rows *rows, void *array, size_t *room, size_t needed, size_t size)
{
    size_t before = *room;
    if (needed <= before) {
        return array;
    }
    int64_t most = (int64_t)((2 * before > needed ? 2 * before : 2 * needed + 64) * size);
    if (!og_rows_hold(rows, most)) {
        return NULL;
    }
    void *grown = og_grown(array, room, needed, size);
    og_rows_hold(rows, (int64_t)((*room - before) * size) - most); /* the actual growth, no more */
    if (grown == NULL) {
        og_rows_no_memory(rows);
    }
    return grown;
}

/* Reads more bytes; false at the end of the file. */
static bool read_bytes(og_rows *rows)
{
    size_t got = 0;
    const char *reason = NULL;
    og_status status = og_input_read(&rows->input, rows->buffer + rows->end, rows->room - rows->end,
                                     &got, &reason);
    if (status == OG_NO_MEMORY) {
        return og_rows_no_memory(rows);
    }
    if (status == OG_STOPPED) {
        rows->status =
            og_message_set(rows->message, status, "'%s' was not read to its end", shown_path(rows));
        return false;
    }
    if (status != OG_OK) {
        return reason != NULL
                   ? fail_file(rows, status, "read", reason)
                   : og_rows_fail(rows, "it begins as a gzip file, but is cut or damaged");
    }
    rows->ended = got == 0;
    rows->end += got;
    return true;
}

/* Moves the rest to the front of the buffer and fills it. */
static bool refill(og_rows *rows)
{
    if (rows->begin > 0) {
        memmove(rows->buffer, rows->buffer + rows->begin, rows->end - rows->begin);
    }
    rows->end -= rows->begin;
    rows->begin = 0;
    if (rows->end == rows->room && !grow_buffer(rows)) {
        return false;
    }
    return read_bytes(rows);
}

static bool begins_with(const og_rows *rows, const char *bytes, size_t count)
{
    size_t there = rows->end < count ? rows->end : count;
    return memcmp(rows->buffer, bytes, there) == 0;
}

void og_rows_open(og_rows *rows, const char *path, char separator, char comment,
                  const og_rows_limits *limits, og_message *message)
{
    static const char mark[] = "\xEF\xBB\xBF";
    *rows = (og_rows){.path = path, .separator = separator, .comment = comment, .message = message};
    rows->memory_bytes = limits != NULL ? limits->memory_bytes : 0;
    rows->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (rows->plain == NULL) {
        og_rows_no_memory(rows);
        return;
    }
    const char *reason = NULL;
    og_status status =
        og_input_open(&rows->input, path, limits != NULL ? limits->stop : NULL, &reason);
    if (status != OG_OK) {
        reason != NULL ? fail_file(rows, status, "opened", reason) : og_rows_no_memory(rows);
        return;
    }
    bool going = true;
    do {
        going = refill(rows);
    } while (going && !rows->ended && rows->end < 3 && begins_with(rows, mark, 3));
    rows->begin = going && rows->end >= 3 && begins_with(rows, mark, 3) ? 3 : 0;
}

/* The next line, NUL-terminated; NULL after the last one and after a failure. */
static char *next_line(og_rows *rows)
{
    size_t known = 0;
    char *end = NULL;
    while ((end = memchr(rows->buffer + rows->begin + known, '\n',
                         rows->end - rows->begin - known)) == NULL &&
           !rows->ended && rows->end - rows->begin < BUFFER_BYTES) {
        known = rows->end - rows->begin;
        if (!refill(rows)) {
            return NULL;
        }
    }
    rows->field_count = end != NULL || rows->begin < rows->end; /* a failure reports its line */
    if (rows->field_count == 0) {
        return NULL;
    }
    char *text = rows->buffer + rows->begin;
    size_t length = end != NULL ? (size_t)(end - text) : rows->end - rows->begin;
    assert(rows->begin + length <= rows->room); /* there is room for one more byte */
    rows->line++;
    rows->begin += length + (end != NULL);
    length -= length > 0 && text[length - 1] == '\r';
    text[length] = '\0';
    if (length > OG_ROWS_LINE_MAX) {
        og_rows_fail(rows, "the line is too long for a table");
        return NULL;
    }
    if (strlen(text) != length) {
        og_rows_fail(rows, "a NUL byte; this is not a text file (UTF-16 is not supported)");
        return NULL;
    }
    return text;
}

/* A field in quotation marks: moves its contents to its beginning. Returns the place from which to
 * look for the separator. */
static char *unquote(char *field)
{
    char *to = field, *from = field + 1;
    for (; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"';
        *to++ = *from;
    }
    char *rest = *from == '"' ? from + 1 : from;
    memset(to, '\0', (size_t)(rest - to));
    return rest;
}

/* Removes blanks at both ends, and tabs if they are not separators. */
static char *trimmed(og_rows *rows, char *field)
{
    char *begin = field + strspn(field, " \t"), *end = begin + strlen(begin);
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    rows->trimmed += begin > field || *end != '\0';
    *end = '\0';
    return begin;
}

static bool split(og_rows *rows, char *line)
{
    char *rest = line;
    if (rows->separator == OG_ROWS_BY_HEADER) {
        rows->trims = true;
        rows->separator = strchr(line, '\t') == NULL && strchr(line, ',') != NULL ? ',' : '\t';
    }
    for (rows->field_count = 0; rest != NULL;) {
        size_t count = (size_t)rows->field_count + 1;
        char **field = og_grown(rows->field, &rows->field_room, count, sizeof *field);
        if (field == NULL) {
            return og_rows_no_memory(rows);
        }
        rows->field = field;
        field[rows->field_count++] = rest;
        rest = rows->separator == ',' && *rest == '"' ? unquote(rest) : rest;
        rest = rows->separator == '\0' ? NULL : strchr(rest, rows->separator);
        if (rest != NULL) {
            *rest++ = '\0';
        }
        if (rows->trims) {
            char **last = &rows->field[rows->field_count - 1];
            *last = trimmed(rows, *last);
        }
    }
    return true;
}

bool og_rows_next(og_rows *rows)
{
    char *line;
    if (rows->status != OG_OK) {
        return false;
    }
    do {
        line = next_line(rows);
    } while (line != NULL && (*line == '\0' || (rows->comment != '\0' && *line == rows->comment)));
    return line != NULL && split(rows, line);
}

og_status og_rows_close(og_rows *rows)
{
    og_input_close(&rows->input);
    if (rows->plain != NULL) {
        freelocale(rows->plain);
    }
    free(rows->buffer);
    free(rows->field);
    og_status status = rows->status;
    *rows = (og_rows){.status = status, .trimmed = rows->trimmed};
    return status;
}

void og_rows_note(og_message *note, const char *path, int64_t trimmed)
{
    const og_message before = *note;
    if (trimmed > 0) {
        og_message_set(note, OG_OK, "%s%s%.200s: blanks around %" PRId64 " field%s are ignored",
                       before.text, *before.text != '\0' ? "; " : "", path, trimmed,
                       trimmed == 1 ? "" : "s");
    }
}

bool og_rows_columns(og_rows *rows, const char *const *names, int count, int *position)
{
    for (int i = 0; i < count; i++) {
        position[i] = -1;
        for (int at = 0; at < rows->field_count; at++) {
            if (strcmp(rows->field[at], names[i]) != 0) {
                continue;
            }
            if (position[i] >= 0) {
                return og_rows_fail(rows, "the column '%s' is there twice", names[i]);
            }
            position[i] = at;
        }
    }
    return true;
}

bool og_rows_decimal(const og_rows *rows, const char *text, double *out)
{
    char *end;
    assert(rows->plain != NULL); /* og_rows_open succeeded */
    *out = strtod_l(text, &end, rows->plain);
    return *text != '\0' && text[strspn(text, "+-.0123456789eE")] == '\0' && *end == '\0' &&
           isfinite(*out);
}
