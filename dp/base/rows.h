#ifndef OG_DP_BASE_ROWS_H
#define OG_DP_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dp/base/input.h"
#include "dp/base/object.h"
#include "dp/base/status.h"
#include "dp/base/turned.h"

/*
 * Rows of a text file, cut into fields at a separator: the only reader for all tables. A table may
 * also be JSON, an array of objects or objects one after another (JSON lines): its first row then
 * has the keys of the first object, and each object is a row (dp/base/object.h). A row has more
 * fields than the first one after new keys, whose names are `keys.name`. Or it is one object, as
 * pandas writes it: for each column an object with the numbers of the rows as keys, or for each
 * number of a row an object with the columns.
 *
 * The file is read once from front to end, and each row is returned as soon as it is complete, so
 * open pipes work (og_file_open lists the files that are refused). A byte order mark, CRLF line
 * ends, empty lines and a last line without its end are fine. A NUL byte, UTF-16 and a line longer
 * than OG_ROWS_LINE_MAX are not, so a file that is not a table never fills the memory. The caller
 * defines the meaning of lines and columns. Data that the caller keeps are limited too: they grow
 * with og_rows_grown.
 *
 *     og_rows rows;
 *     og_rows_open(&rows, path, '\t', '#', &limits, message);
 *     while (og_rows_next(&rows)) {
 *         ... rows.field[0 .. rows.field_count - 1] ...
 *     }
 *     return og_rows_close(&rows);
 *
 * The first failure, of the file or reported with og_rows_fail, is kept with its message and ends
 * the rows; later ones change nothing.
 */
typedef struct {
    char **field; /* [field_count] NUL-terminated; the caller may change them until the next row */
    int field_count;
    int64_t line;     /* of the row, from 1; 0: before the first */
    og_status status; /* the first failure */
    int64_t trimmed;  /* fields whose surrounding blanks were removed; kept after og_rows_close */
    og_objects keys;  /* of a table of JSON objects; else no columns */

    /* Private. */
    bool trims, latin1, quotes;
    int json;         /* the place in a JSON file (dp/base/rows.c) */
    int table;        /* the place in a table of JSON objects */
    og_turned turned; /* a table in one object */
    char *cut;        /* JSON: the byte after the row's text, replaced by NUL; NULL: none */
    char kept;        /* that byte */
    int64_t lines;    /* line ends before `begin` */
    const char *path;
    og_message *message;
    og_input input;
    uint64_t held, memory_bytes; /* held by the caller for the data; its limit */
    char *buffer;                /* [room + 1]; data not used yet are buffer[begin .. end) */
    size_t room, begin, end;
    size_t field_room;
    char separator, comment;
    bool ended;
    void *plain; /* a locale_t whose decimal mark is a point */
} og_rows;

enum { OG_ROWS_LINE_MAX = 1 << 20 };

/* Limits that end the reading of a valid file, and the encoding of a table. */
typedef struct {
    uint64_t memory_bytes; /* for the caller's data; 0: no limit */
    og_stop *stop;         /* borrowed until og_rows_close; may be NULL */
    bool latin1;           /* the file is in Latin-1 (ISO 8859-1); fields are in UTF-8 */
} og_rows_limits;

/* Separator: a tab if the first row has one; else the comma, semicolon or | that it has most often
 * outside of quotation marks. JSON is recognized by its first bytes. Blanks around the fields of
 * such a table are removed, and counted; bytes that are not UTF-8 are refused. */
#define OG_ROWS_BY_HEADER '\1'

/*
 * Gzip files are decompressed. If fields end at commas, semicolons or |, one that begins with a
 * quotation mark ends at the next one and may contain line ends; a doubled mark means the mark
 * itself. og_rows_quote does so for tabs.
 *
 * Fields end at `separator` ('\0': a row is one field); lines that begin with `comment` ('\0':
 * none) are skipped. The path is borrowed until og_rows_close, which must be called in any case.
 * `limits` NULL: none, for callers that keep little.
 *
 * Failures have a message with the path (its end if it is very long) and the line: OG_BAD_INPUT:
 * there is no such file, it is a folder, or a line is not text. OG_FAILED: it cannot be opened or
 * read for another reason (dp/base/file.h). OG_NO_MEMORY. OG_STOPPED: a limit.
 */
void og_rows_open(og_rows *rows, const char *path, char separator, char comment,
                  const og_rows_limits *limits, og_message *message);

/* The same for the bytes of a text, borrowed until og_rows_close, instead of a file; messages begin
 * with `name`. */
void og_rows_open_text(og_rows *rows, const char *name, const char *text, size_t bytes,
                       char separator, char comment, const og_rows_limits *limits,
                       og_message *message);

/* Ends this file, if nothing failed, and opens another one in the same way: what the caller holds
 * still counts, and fields that were trimmed add up. */
void og_rows_reopen(og_rows *rows, const char *path, char separator, char comment,
                    const og_rows_limits *limits);

/* The same for a text in UTF-8 that takes the place of the file, with its name; borrowed until
 * all of its rows were returned. */
void og_rows_reopen_text(og_rows *rows, const char *text, size_t bytes);

/* The next row; false after the last one and after a failure. */
bool og_rows_next(og_rows *rows);

/* Before the first row: the first byte of the file that is no blank and no line end; 0: there is
 * none, or a failure. */
char og_rows_peek(og_rows *rows);

/* Before the first row: the file is JSON. Each object is a row with its text as the only field;
 * `line` is the object's first. Whether the text is valid JSON is for the caller to check; at most
 * OG_ROWS_LINE_MAX bytes. */
void og_rows_values(og_rows *rows);

/* After the first row of og_rows_values: the file is a table after all, and the next row has the
 * keys. */
void og_rows_keys(og_rows *rows);

/* After the first row was asked for: whether the file is JSON. */
static inline bool og_rows_are_json(const og_rows *rows)
{
    return rows->json != 0;
}

/* Quotation marks count as they do between commas, also between tabs. */
void og_rows_quote(og_rows *rows);

/* Frees everything; returns the first failure, or OG_OK. */
og_status og_rows_close(og_rows *rows);

/* Appends to a note, after "; " if it is not empty: "PATH: blanks around N fields are ignored";
 * nothing if there were none. */
void og_rows_note(og_message *note, const char *path, int64_t trimmed);

/* Reports an error in the current row: OG_BAD_INPUT, "PATH, line N: " and the text; without the
 * line before the first row and after the last. Returns false, for the caller to return. */
bool og_rows_fail(og_rows *rows, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for an earlier line; 0: none. */
bool og_rows_fail_at(og_rows *rows, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool og_rows_no_memory(og_rows *rows); /* OG_NO_MEMORY */

/* Like og_grown, for data kept of the rows. NULL with everything unchanged, and a failure:
 * OG_NO_MEMORY, or OG_STOPPED if the limit does not hold it together with the array that it
 * replaces. */
void *og_rows_grown(og_rows *rows, void *array, size_t *room, size_t needed, size_t size);

/* The caller is about to keep so many more bytes, in addition to such arrays; negative: it has
 * freed them. False, and OG_STOPPED, if the limit does not hold them. */
bool og_rows_hold(og_rows *rows, int64_t bytes);

/*
 * The current row is a header: position[i] of the column called names[i] exactly, -1 if there is
 * none. False, and a failure, if one of these columns occurs twice.
 */
bool og_rows_columns(og_rows *rows, const char *const *names, int count, int *position);

/* A finite decimal number, the whole text: 1, -.5, 2e-3. False if `text` is not one. */
bool og_rows_decimal(const og_rows *rows, const char *text, double *out);

#endif
