#ifndef OG_BENCH_DOCUMENT_H
#define OG_BENCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "optgap.h"

/*
 * What was found, once for all readers. A document is a tree of named values, which programs read
 * as JSON, and beside it a list of blocks for people: fields, tables whose rows are parts of the
 * tree, and paragraphs. Whoever fills it prints nothing; whoever prints it computes nothing.
 *
 * Nothing here is checked on the way: a document that met a lack of memory says so at the end
 * (og_document_failed), all functions accept the NULLs that it gives instead of its parts, and
 * there is no JSON of it. Texts and names are copied.
 */
og_document *og_document_new(void); /* an object without children; NULL: no memory */
bool og_document_failed(const og_document *document);

/* ---- values ---- */

/* Each is the last child of its parent. `name` is NULL in an array, and new in an object. */
og_document *og_put_object(og_document *parent, const char *name);
og_document *og_put_array(og_document *parent, const char *name);
void og_put_number(og_document *parent, const char *name, double value); /* not finite: null */
void og_put_numbers(og_document *parent, const char *name, const double *value, int32_t count);
void og_put_whole(og_document *parent, const char *name, uint64_t value);
void og_put_text(og_document *parent, const char *name, const char *text); /* NULL: null */
char *og_put_room(og_document *parent, const char *name, size_t bytes); /* a text to be written; may
                                                                           be NULL */
void og_put_bool(og_document *parent, const char *name, bool value);
void og_put_null(og_document *parent, const char *name);

/* ---- the same for people ---- */

typedef enum {
    OG_SHOW_PLAIN, /* a text as it is, a whole number, yes or no */
    OG_SHOW_VALUE, /* this and the next three: as in bench/words.h */
    OG_SHOW_GAP,
    OG_SHOW_MOST,
    OG_SHOW_BOUND,
    OG_SHOW_FRACTION, /* a text, "long" if it has more than 24 characters */
} og_show;

/* All of these take any part of the document, and add to the end of its blocks. Texts are
 * printf-style. */

/* A title and what belongs to it; fields that follow each other are one block. */
void og_show_field(og_document *document, const char *title, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The last field's text goes on. */
void og_show_more(og_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Words, in lines of their own; an empty line before them where they begin with '\n'. */
void og_show_paragraph(og_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A table with a row for each child of `rows`, an array or an object, also those put later. */
og_document *og_show_table(og_document *document, const og_document *rows);

/* The children are for this table alone, and no part of the JSON. */
og_document *og_show_rows(og_document *document);

/*
 * The next column of a table: what each row has under this name; NULL: what the row itself is
 * called, elements of arrays by their "name" or what they show as "text". Null and what is missing
 * is "-". `align` is 'l' left, 'r' right, 'd' at the decimal point; a heading may take several
 * lines.
 */
void og_show_column(og_document *table, const char *heading, char align, const char *name,
                    og_show how);

/* What people see in this row, an object or an array, instead of the value of that name, whether
 * there is one or not. Said again at once, it goes on. */
void og_show_cell(og_document *row, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* No table shows this row. */
void og_show_not(og_document *row);

/* ---- the same as one table in a file: CSV, LaTeX ---- */

/* More rows of that table: the children of `rows`, or, one, the part itself, an object or a number,
 * which stands in the column of "value". `kind` says what they are: "policy". */
void og_file_rows(og_document *document, const char *kind, const og_document *rows);
void og_file_row(og_document *document, const char *kind, const og_document *row);

/*
 * Its next column, as og_show_column; rows without the value leave it empty. The unit, NULL: none,
 * goes into the heading. An `align` of OG_CSV_ONLY: for programs, not for print.
 */
void og_file_column(og_document *document, const char *heading, const char *unit, char align,
                    const char *name, og_show how);
#define OG_CSV_ONLY 'c'

/* ---- reading (more of it in optgap.h) ---- */

/* Some value of that name, below one of these rows, is a fraction too long to be shown. */
bool og_document_is_long(const og_document *rows, const char *name);

/* ---- for those who print it ---- */

/* Written by the functions above alone. */
struct og_document {
    og_document *whole;
    union {
        double number;
        uint64_t whole_number;
        bool truth;
        struct {
            char *text; /* behind the name */
            size_t length;
        } words;
        struct {
            og_document **child;
            og_document *beside; /* of the whole document its blocks, each OG_TEXT, OG_TABLE or
                                    OG_ARRAY, rows that are no block; of a row its cells; of a
                                    table its rows, borrowed, or the one row */
            int32_t count, room;
        } many;
    } is;
    enum {
        OG_OBJECT,
        OG_ARRAY,
        OG_TABLE, /* its children are its columns, texts with an alignment */
        OG_NUMBER,
        OG_WHOLE,
        OG_TEXT,
        OG_BOOL,
        OG_NULL,
    } kind : 8;
    bool failed; /* of the whole document */
    bool hidden; /* no table shows this row */
    bool fields; /* a table of titles and texts, without headings */
    bool file;   /* a part of the table in a file: its columns, without rows, or rows, without
                    columns, which are `name` */
    bool one;    /* the row itself stands where a table has its rows */
    char align;
    unsigned char how;
    char name[];
};

enum { OG_CELL_BYTES = 48 };

/* JSON as og_document_json gives it, in one line. */
char *og_document_json_line(const og_document *document);

/* The columns of the table in a file; NULL: the document has no such table. */
const og_document *og_file_columns(const og_document *document);

/* The value under a column of it as it is, in as many digits as read back the same; "" where there
 * is none, but for words that are shown under 'l'. `room` may hold it. */
const char *og_file_cell(const og_document *row, const og_document *column,
                         char room[OG_CELL_BYTES]);

/* What stands there; `room` may hold it. */
const char *og_document_cell(const og_document *row, const og_document *column,
                             char room[OG_CELL_BYTES]);

#endif
