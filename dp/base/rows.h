#ifndef OG_DP_BASE_ROWS_H
#define OG_DP_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dp/base/input.h"
#include "dp/base/status.h"

/*
 * Rows of a text file, cut into fields at a separator: one way to read every table.
 *
 * The file is read once from front to end, and each row is handed out as soon as it is there, so
 * that an open pipe will do (what is not read, og_file_open says). A byte order mark, CRLF line
 * ends, empty lines and a last line without its end are fine; a NUL byte and a line longer than
 * OG_ROWS_LINE_MAX are not (whatever the size of a file that is no table, it does not fill the
 * memory). What a line is, and which columns there are, is for the caller to say. What the caller
 * keeps of an endless one is bounded too: it grows by og_rows_grown.
 *
 *     og_rows rows;
 *     og_rows_open(&rows, path, '\t', '#', &limits, message);
 *     while (og_rows_next(&rows)) {
 *         ... rows.field[0 .. rows.field_count - 1] ...
 *     }
 *     return og_rows_close(&rows);
 *
 * The first failure, of the file or told by og_rows_fail, is kept with its message and ends the
 * rows; later ones change nothing.
 */
typedef struct {
    char **field; /* [field_count] NUL-ended, the caller's to change until the next row */
    int field_count;
    int64_t line;     /* of the row, from 1; 0: the first is still to come */
    og_status status; /* the first failure */
    int64_t trimmed; /* fields with blanks around them, which are gone; stays after og_rows_close */

    /* Private. */
    bool trims;
    const char *path;
    og_message *message;
    og_input input;
    uint64_t held, memory_bytes; /* by the caller, for what was read; at most this */
    char *buffer; /* [room + 1]; what is read and not yet a row is buffer[begin .. end) */
    size_t room, begin, end;
    size_t field_room;
    char separator, comment;
    bool ended;
    void *plain; /* a locale_t, where a point is a point */
} og_rows;

enum { OG_ROWS_LINE_MAX = 1 << 20 };

/* What ends the reading of a file that is good. */
typedef struct {
    uint64_t memory_bytes; /* for what the caller keeps; 0: no limit */
    og_stop *stop;         /* borrowed until og_rows_close; NULL: nobody */
} og_rows_limits;

/* A separator: a tab where the first row has one, else a comma. Fields of such a table have no
 * blanks around them: those that are there are trimmed, and counted. */
#define OG_ROWS_BY_HEADER '\1'

/*
 * A file that gzip compressed is read as what it holds. Where fields end at commas one that begins
 * with a quotation mark ends at the next, a doubled one standing for itself; not across lines.
 *
 * Fields end at `separator` ('\0': a row is one field), lines that begin with `comment` ('\0':
 * none) are passed over. The path is borrowed until og_rows_close, which is due in any case.
 * `limits` NULL: none, for who keeps little.
 *
 * Failures, with a message that holds the path (the end of one that is very long) and the line:
 * OG_BAD_INPUT: there is no such file, it is a folder, or a line is no text. OG_FAILED: it cannot
 * be opened or read for another reason (dp/base/file.h). OG_NO_MEMORY. OG_STOPPED: a limit.
 */
void og_rows_open(og_rows *rows, const char *path, char separator, char comment,
                  const og_rows_limits *limits, og_message *message);

/* The next row; false past the last one and after a failure. */
bool og_rows_next(og_rows *rows);

/* Frees everything; the first failure, or OG_OK. */
og_status og_rows_close(og_rows *rows);

/* Behind what a note says already, "; " between: "PATH: blanks around N fields are ignored";
 * nothing where none were trimmed. */
void og_rows_note(og_message *note, const char *path, int64_t trimmed);

/* The row at hand is wrong: OG_BAD_INPUT, "PATH, line N: " and the words; without the line before
 * the first row and past the last. Returns false, to be returned. */
bool og_rows_fail(og_rows *rows, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool og_rows_no_memory(og_rows *rows); /* OG_NO_MEMORY */

/* As og_grown, for what is kept of the rows. NULL, all as it was, and a failure: OG_NO_MEMORY, or
 * OG_STOPPED where the limit does not hold it, the array that it replaces included. */
void *og_rows_grown(og_rows *rows, void *array, size_t *room, size_t needed, size_t size);

/* The caller is about to keep so many bytes more, beside such arrays; negative: it has freed them.
 * False, and OG_STOPPED, where the limit does not hold them. */
bool og_rows_hold(og_rows *rows, int64_t bytes);

/*
 * The row at hand is a header: position[i], of a column called names[i] exactly, -1 if there is
 * none. False, and a failure, if one of these columns is there twice.
 */
bool og_rows_columns(og_rows *rows, const char *const *names, int count, int *position);

/* A finite decimal number, whole: 1, -.5, 2e-3. False if `text` is none. */
bool og_rows_decimal(const og_rows *rows, const char *text, double *out);

#endif
