/*
 * Rows of a text file through a buffer of at most one row's largest size. The unused data are
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
#include "dp/base/utf8.h"

enum {
    BUFFER_BYTES_FIRST = 1 << 15,
    FULL_BYTES = OG_ROWS_LINE_MAX + 8, /* a row of the largest size, CRLF, a byte order mark */
    BUFFER_BYTES = FULL_BYTES + 8,
    PATH_SHOWN = 200,
};

#define TO_UTF8 "iconv -f UTF-16 -t UTF-8 FILE > NEW"

/* The place in a JSON file. */
enum { NO_JSON, JSON_BEGIN, JSON_LINES, IN_ARRAY, AFTER_ARRAY };

/* The next row of a table of JSON objects: of the current object the keys or the values, or the
 * values of the next one. */
enum { NO_TABLE, TABLE_BEGIN, TABLE_KEYS, TABLE_FIRST, TABLE_NEXT };

/* The place in a row: the next byte begins a field, or is in a field, ... */
typedef enum { AT_FIELD, IN_FIELD, IN_QUOTES, AFTER_QUOTES } place;

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

bool og_rows_fail_at(og_rows *rows, int64_t line, const char *format, ...)
{
    char what[OG_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    rows->line = line;
    rows->field_count = line > 0;
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

/* Converts `got` bytes of Latin-1 at the end of the buffer to UTF-8; returns their number there. */
static size_t widen(char *bytes, size_t got)
{
    size_t more = 0;
    for (size_t i = 0; i < got; i++) {
        more += (unsigned char)bytes[i] >= 0x80;
    }
    for (size_t i = got, to = got + more; to > i;) {
        unsigned char byte = (unsigned char)bytes[--i];
        bool wide = byte >= 0x80;
        bytes[--to] = (char)(wide ? 0x80 | (byte & 0x3F) : byte);
        if (wide) {
            bytes[--to] = (char)(0xC0 | byte >> 6);
        }
    }
    return got + more;
}

/* Reads more bytes; false at the end of the file. */
static bool read_bytes(og_rows *rows)
{
    size_t got = 0, room = (rows->room - rows->end) / (rows->latin1 ? 2 : 1);
    const char *reason = NULL;
    og_status status = og_input_read(&rows->input, rows->buffer + rows->end, room, &got, &reason);
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
    rows->end += rows->latin1 ? widen(rows->buffer + rows->end, got) : got;
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
    if (rows->room - rows->end < 2 && !grow_buffer(rows)) {
        return false;
    }
    return read_bytes(rows);
}

static bool begins_with(const og_rows *rows, const char *bytes, size_t count)
{
    size_t there = rows->end < count ? rows->end : count;
    return memcmp(rows->buffer, bytes, there) == 0;
}

/* The marks of UTF-16, as far as they are read. */
static bool is_wide(const og_rows *rows)
{
    return begins_with(rows, "\xFF\xFE", 2) || begins_with(rows, "\xFE\xFF", 2);
}

/* Sets the rows; false after a failure. */
static bool begin(og_rows *rows, const char *path, char separator, char comment,
                  const og_rows_limits *limits, og_message *message)
{
    *rows = (og_rows){.path = path, .separator = separator, .comment = comment, .message = message};
    rows->memory_bytes = limits != NULL ? limits->memory_bytes : 0;
    rows->latin1 = limits != NULL && limits->latin1;
    rows->quotes = separator != '\0' && strchr(",;|", separator) != NULL;
    rows->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return rows->plain != NULL || og_rows_no_memory(rows);
}

/* Reads the first bytes, and skips a byte order mark. */
static void read_mark(og_rows *rows)
{
    static const char mark[] = "\xEF\xBB\xBF";
    bool going = true;
    do {
        going = refill(rows);
    } while (going && !rows->ended &&
             ((rows->end < 3 && begins_with(rows, mark, 3)) || (rows->end < 2 && is_wide(rows))));
    if (going && rows->end >= 2 && is_wide(rows)) {
        og_rows_fail(rows, "the file is in UTF-16; convert it: " TO_UTF8);
    }
    rows->begin = going && rows->end >= 3 && begins_with(rows, mark, 3) ? 3 : 0;
}

void og_rows_open(og_rows *rows, const char *path, char separator, char comment,
                  const og_rows_limits *limits, og_message *message)
{
    const char *reason = NULL;
    if (!begin(rows, path, separator, comment, limits, message)) {
        return;
    }
    og_status status =
        og_input_open(&rows->input, path, limits != NULL ? limits->stop : NULL, &reason);
    if (status != OG_OK) {
        reason != NULL ? fail_file(rows, status, "opened", reason) : og_rows_no_memory(rows);
        return;
    }
    read_mark(rows);
}

void og_rows_open_text(og_rows *rows, const char *name, const char *text, size_t bytes,
                       char separator, char comment, const og_rows_limits *limits,
                       og_message *message)
{
    if (begin(rows, name, separator, comment, limits, message)) {
        og_input_text(&rows->input, text, bytes);
        read_mark(rows);
    }
}

void og_rows_reopen(og_rows *rows, const char *path, char separator, char comment,
                    const og_rows_limits *limits)
{
    const og_rows before = *rows;
    if (before.status == OG_OK) {
        og_rows_close(rows);
        og_rows_open(rows, path, separator, comment, limits, before.message);
        rows->trimmed += before.trimmed;
        rows->held = before.held;
    }
}

void og_rows_reopen_text(og_rows *rows, const char *text, size_t bytes)
{
    const og_rows before = *rows;
    const og_rows_limits limits = {.memory_bytes = before.memory_bytes};
    if (before.status == OG_OK) {
        og_rows_close(rows);
        og_rows_open_text(rows, before.path, text, bytes, OG_ROWS_BY_HEADER, '\0', &limits,
                          before.message);
        rows->trimmed += before.trimmed;
        rows->held = before.held;
    }
}

/* ---- the text of a row ---- */

/* The place after these bytes of a row. */
static place walk(const og_rows *rows, place at, const char *from, const char *to)
{
    for (; from < to; from++) {
        bool ends = rows->separator == OG_ROWS_BY_HEADER ? *from != '\0' && strchr(",;|", *from)
                                                         : *from == rows->separator;
        if (*from == '"' && at != IN_FIELD) {
            at = at == IN_QUOTES ? AFTER_QUOTES : IN_QUOTES;
        } else if (at != IN_QUOTES) {
            at = ends ? AT_FIELD : IN_FIELD;
        }
    }
    return at;
}

/* Until the first line is known, marks count unless it has a tab. */
static place walk_line(og_rows *rows, place at, const char *from, size_t length)
{
    if (rows->separator == OG_ROWS_BY_HEADER && at != IN_QUOTES) {
        rows->quotes = memchr(from, '\t', length) == NULL;
    }
    bool plain = at != IN_QUOTES && memchr(from, '"', length) == NULL;
    return plain || !rows->quotes ? IN_FIELD : walk(rows, at, from, from + length);
}

/* Finds the end of the row at `begin`: *length bytes before a line end or the end of the file. */
static bool find_row(og_rows *rows, size_t *length, bool *complete)
{
    place at = AT_FIELD;
    size_t line = 0, known = 0;
    for (;;) {
        const char *text = rows->buffer + rows->begin;
        size_t there = rows->end - rows->begin;
        const char *end = memchr(text + known, '\n', there - known);
        if (end == NULL && !rows->ended && there < FULL_BYTES) {
            known = there;
            if (!refill(rows)) {
                return false;
            }
            continue;
        }
        *complete = end != NULL;
        *length = end != NULL ? (size_t)(end - text) : there;
        at = walk_line(rows, at, text + line, *length - line);
        if (at != IN_QUOTES || end == NULL) {
            break;
        }
        line = known = *length + 1;
        rows->lines++;
    }
    rows->lines += *complete;
    return at != IN_QUOTES ||
           og_rows_fail(rows, "a quotation mark begins a field and is not closed");
}

/* Ends a row's text, which the buffer holds with one byte more; NULL if it is not text. */
static char *ended_text(og_rows *rows, char *text, size_t length)
{
    assert((size_t)(text - rows->buffer) + length <= rows->room);
    text[length] = '\0';
    if (length > OG_ROWS_LINE_MAX) {
        og_rows_fail(rows, "the line is too long for a table");
        return NULL;
    }
    if (strlen(text) != length) {
        og_rows_fail(rows,
                     "a NUL byte; this is not a text file. If it is UTF-16, convert it: " TO_UTF8);
        return NULL;
    }
    return text;
}

/* The next line, NUL-terminated; NULL after the last one and after a failure. A field in quotation
 * marks continues it over line ends. */
static char *next_line(og_rows *rows)
{
    size_t length;
    bool complete;
    if (rows->begin == rows->end && !rows->ended && !refill(rows)) {
        return NULL;
    }
    rows->field_count = rows->begin < rows->end; /* a failure reports its line */
    if (rows->field_count == 0) {
        return NULL;
    }
    rows->line = rows->lines + 1;
    if (!find_row(rows, &length, &complete)) {
        return NULL;
    }
    char *text = rows->buffer + rows->begin;
    rows->begin += length + complete;
    length -= length > 0 && text[length - 1] == '\r';
    return ended_text(rows, text, length);
}

/* ---- JSON ---- */

char og_rows_peek(og_rows *rows)
{
    for (size_t at = 0; rows->status == OG_OK; at++) {
        while (rows->begin + at == rows->end && !rows->ended && at < FULL_BYTES) {
            if (!refill(rows)) {
                return '\0';
            }
        }
        if (rows->begin + at == rows->end ||
            strchr(" \t\r\n", rows->buffer[rows->begin + at]) == NULL) {
            return rows->begin + at == rows->end ? '\0' : rows->buffer[rows->begin + at];
        }
    }
    return '\0';
}

void og_rows_values(og_rows *rows)
{
    rows->json = JSON_BEGIN;
}

void og_rows_keys(og_rows *rows)
{
    rows->table = TABLE_KEYS;
}

void og_rows_quote(og_rows *rows)
{
    rows->quotes = true;
}

/* Moves to the next byte that is no blank and no comma; '\0': the end of the file. */
static char next_byte(og_rows *rows)
{
    for (;; rows->begin++) {
        while (rows->begin == rows->end && !rows->ended) {
            if (!refill(rows)) {
                return '\0';
            }
        }
        char byte = rows->begin < rows->end ? rows->buffer[rows->begin] : '\0';
        if (byte == '\0' || strchr(" \t\r\n,", byte) == NULL) {
            return byte;
        }
        rows->lines += byte == '\n';
    }
}

/* Moves to the next object; false if there is none. */
static bool find_object(og_rows *rows)
{
    char byte = next_byte(rows);
    rows->line = rows->lines + 1;
    rows->field_count = rows->status == OG_OK;
    if (byte == '[' && rows->json == JSON_BEGIN) {
        rows->json = IN_ARRAY;
        rows->begin++;
        byte = next_byte(rows);
    } else if (rows->json == JSON_BEGIN) {
        rows->json = JSON_LINES;
    }
    if (byte == ']' && rows->json == IN_ARRAY) {
        rows->json = AFTER_ARRAY;
        rows->begin++;
        byte = next_byte(rows);
    }
    rows->line = rows->lines + 1;
    if (rows->status != OG_OK || (byte == '{' && rows->json != AFTER_ARRAY)) {
        return rows->status == OG_OK;
    }
    bool over = rows->begin == rows->end;
    if (!over || rows->json == IN_ARRAY) {
        og_rows_fail(rows, over ? "the file ends inside a JSON array"
                                : "no JSON object, {...}, begins here");
    }
    rows->field_count = 0;
    return false;
}

/* The next object's text, NUL-terminated; NULL after the last one and after a failure. */
static char *next_object(og_rows *rows)
{
    int depth = 0;
    bool quoted = false, escaped = false;
    size_t length = 0;
    if (rows->cut != NULL) {
        *rows->cut = rows->kept;
        rows->cut = NULL;
    }
    if (!find_object(rows)) {
        return NULL;
    }
    do {
        if (rows->begin + length == rows->end) {
            if (rows->ended || length >= FULL_BYTES) {
                og_rows_fail(rows, rows->ended
                                       ? "the file ends inside a JSON object"
                                       : "the JSON object has more than 1 MiB; give a list of "
                                         "objects, [{...}, {...}]");
                return NULL;
            }
            if (!refill(rows)) {
                return NULL;
            }
            continue;
        }
        const char *at = rows->buffer + rows->begin + length, *end = rows->buffer + rows->end;
        do {
            char byte = *at++;
            rows->lines += byte == '\n';
            quoted = quoted != (byte == '"' && !escaped);
            escaped = quoted && byte == '\\' && !escaped;
            depth += quoted ? 0 : (byte == '{') - (byte == '}');
        } while (depth > 0 && at < end);
        length = (size_t)(at - rows->buffer) - rows->begin;
    } while (depth > 0);
    char *text = rows->buffer + rows->begin;
    rows->begin += length;
    rows->cut = text + length;
    rows->kept = *rows->cut;
    return ended_text(rows, text, length);
}

/* ---- fields ---- */

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

/* The separator that the first row has; a tab if there is none. */
static char separator_of(const og_rows *rows, const char *line)
{
    static const char marks[] = ",;|";
    int64_t count[sizeof marks] = {0}, most = 0;
    char separator = '\t';
    place at = AT_FIELD;
    for (const char *from = line; rows->quotes && *from != '\0'; from++) {
        const char *mark = strchr(marks, *from);
        count[mark != NULL && at != IN_QUOTES ? mark - marks : 3]++;
        at = walk(rows, at, from, from + 1);
    }
    for (int i = 0; i < 3; i++) {
        separator = count[i] > most ? marks[i] : separator;
        most = count[i] > most ? count[i] : most;
    }
    return separator;
}

/* True if the next eight bytes are ASCII; there are as many. */
static bool are_plain(const char *text)
{
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    return (bytes & UINT64_C(0x8080808080808080)) == 0;
}

static bool check_utf8(og_rows *rows, const char *line)
{
    const char *end = line + strlen(line);
    for (const char *at = line; at < end;) {
        size_t bytes = end - at >= 8 && are_plain(at) ? 8 : og_utf8_bytes(at);
        if (bytes == 0) {
            return og_rows_fail(rows,
                                "the byte 0x%02X is not UTF-8; for a file in Latin-1 give "
                                "--encoding latin1",
                                (unsigned char)*at);
        }
        at += bytes;
    }
    return true;
}

static bool split(og_rows *rows, char *line)
{
    char *rest = line;
    if (rows->separator == OG_ROWS_BY_HEADER) {
        rows->trims = true;
        rows->separator = separator_of(rows, line);
        rows->quotes = rows->separator != '\t';
    }
    if (rows->trims && !check_utf8(rows, line)) {
        return false;
    }
    for (rows->field_count = 0; rest != NULL;) {
        size_t count = (size_t)rows->field_count + 1;
        char **field = og_grown(rows->field, &rows->field_room, count, sizeof *field);
        if (field == NULL) {
            return og_rows_no_memory(rows);
        }
        rows->field = field;
        field[rows->field_count++] = rest;
        rest = rows->quotes && *rest == '"' ? unquote(rest) : rest;
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

/* A JSON object as a row of one field. */
static bool next_text(og_rows *rows)
{
    char *text = next_object(rows);
    char **field = text != NULL ? og_grown(rows->field, &rows->field_room, 1, sizeof *field) : NULL;
    if (field == NULL) {
        return text != NULL && og_rows_no_memory(rows);
    }
    rows->field = field;
    field[0] = text;
    rows->field_count = 1;
    return true;
}

/* Cuts the current object; its values become the fields. */
static bool cut_object(og_rows *rows, char *text)
{
    const char *why;
    if (!check_utf8(rows, text)) {
        return false;
    }
    og_status status = og_objects_cut(&rows->keys, text, &why);
    if (status != OG_OK) {
        return status == OG_NO_MEMORY ? og_rows_no_memory(rows) : og_rows_fail(rows, "%s", why);
    }
    rows->trimmed += rows->keys.trimmed;
    rows->keys.trimmed = 0;
    return true;
}

static bool next_turned(og_rows *rows)
{
    return og_turned_next(&rows->turned, &rows->keys) ||
           (next_object(rows) != NULL &&
            og_rows_fail(rows, "another object after a table in one object"));
}

static bool next_json(og_rows *rows)
{
    if (rows->table == NO_TABLE) {
        return next_text(rows);
    }
    if (rows->turned.value != NULL && rows->table == TABLE_NEXT) {
        return next_turned(rows);
    }
    bool begins = rows->table == TABLE_BEGIN || rows->table == TABLE_KEYS;
    char *text = rows->table == TABLE_KEYS    ? rows->field[0]
                 : rows->table == TABLE_FIRST ? NULL
                                              : next_object(rows);
    if (rows->table != TABLE_FIRST && (text == NULL || !cut_object(rows, text))) {
        return false;
    }
    if (begins && og_turned_find(&rows->keys, &rows->turned) != OG_OK) {
        return og_rows_no_memory(rows);
    }
    if (begins) {
        free(rows->field);
    }
    rows->field = begins ? rows->keys.name : rows->keys.value;
    rows->field_count = rows->keys.count;
    rows->table = begins ? TABLE_FIRST : TABLE_NEXT;
    return true;
}

/* Is the file, of which nothing was returned yet, a table of JSON objects? */
static void find_objects(og_rows *rows)
{
    char first = og_rows_peek(rows);
    if (first == '{' || first == '[') {
        rows->json = JSON_BEGIN;
        rows->table = TABLE_BEGIN;
    }
}

bool og_rows_next(og_rows *rows)
{
    char *line;
    if (rows->status != OG_OK) {
        return false;
    }
    if (rows->line == 0 && rows->json == NO_JSON && rows->separator == OG_ROWS_BY_HEADER) {
        find_objects(rows);
    }
    if (rows->json != NO_JSON) {
        return rows->status == OG_OK && next_json(rows);
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
    if (rows->table == NO_TABLE || rows->table == TABLE_BEGIN || rows->table == TABLE_KEYS) {
        free(rows->field);
    }
    free(rows->turned.value);
    og_objects_clear(&rows->keys);
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
