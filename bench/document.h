#ifndef OG_BENCH_DOCUMENT_H
#define OG_BENCH_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "optgap.h"

/*
 * A document: results, stored once for all readers. It is a tree of named values, which programs
 * read as JSON, and a list of blocks for people: fields, tables whose rows are parts of the tree,
 * and paragraphs. Code that fills a document prints nothing; code that prints it computes nothing.
 *
 * Callers need not check for errors on the way. If memory runs out, the functions return NULL in
 * place of parts, and they all accept these NULLs. In the end og_document_failed returns true, and
 * there is no JSON of the document. Texts and names are copied.
 */
og_document *og_document_new(void); /* an object without children; NULL: no memory */
bool og_document_failed(const og_document *document);

/* OG_OK, or why it failed: OG_NO_MEMORY; OG_FAILED with a message after og_put_result of a number
 * that is not finite. */
og_status og_document_status(const og_document *document, og_message *message);

void og_document_fail(og_document *document); /* memory ran out elsewhere */

/* An empty document for programs only: the og_show and og_file functions add nothing to it. */
og_document *og_document_new_bare(void);
bool og_document_is_bare(const og_document *part); /* so is NULL */

/* Set all times in it, values named "seconds" or "table_seconds", to null. */
void og_document_omit_times(og_document *document);

/* ---- values ---- */

/* Each appends a child to its parent. `name` is NULL in an array, and new in an object. */
og_document *og_put_object(og_document *parent, const char *name);
og_document *og_put_array(og_document *parent, const char *name);
void og_put_number(og_document *parent, const char *name, double value); /* not finite: null */
/* A value, a bound, a Q, an estimate, or the error of one; `known` false: null. A known one that is
 * not finite is a fault of this program, and the document has failed. */
void og_put_result(og_document *parent, const char *name, bool known, double value);
void og_put_numbers(og_document *parent, const char *name, const double *value, int32_t count);
void og_put_whole(og_document *parent, const char *name, uint64_t value);
void og_put_text(og_document *parent, const char *name, const char *text); /* NULL: null */
/* A text to fill, at first of zeros; NULL if memory runs out. */
char *og_put_buffer(og_document *parent, const char *name, size_t bytes);
void og_put_bool(og_document *parent, const char *name, bool value);
void og_put_null(og_document *parent, const char *name);
/* Append a part of this document, which has no name, once more to an array. */
void og_put_again(og_document *array, og_document *part);
/* Move the values of another whole document, without blocks, to the end of this one, and free it;
 * it may be NULL. */
void og_put_all(og_document *document, og_document *from);

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

/* A title and its text; consecutive fields form one block. */
void og_show_field(og_document *document, const char *title, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Append to the last field's text. */
void og_show_more(og_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A paragraph on separate lines; an empty line precedes it if it begins with '\n'. */
void og_show_paragraph(og_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A table with a row for each child of `rows`, an array or an object, also those put later. */
og_document *og_show_table(og_document *document, const og_document *rows);

/* Rows for a table only, which are not part of the JSON. */
og_document *og_show_rows(og_document *document);

/*
 * Add a column to a table: the value of this name in each row. If `name` is NULL, the column holds
 * the rows' names; elements of arrays use their "name", or the cell or value of "text". Null and
 * missing values are shown as "-". `align` is 'l' left, 'r' right, 'd' at the decimal point; a
 * heading may take several lines.
 */
void og_show_column(og_document *table, const char *heading, char align, const char *name,
                    og_show how);

/* Text that people see in this row, an object or an array, instead of the value of that name,
 * whether or not there is one. A second call directly after the first appends to the text. */
void og_show_cell(og_document *row, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Hide this row from all tables. */
void og_show_hide(og_document *row);

/* ---- the same as one table in a file: CSV, LaTeX ---- */

/* Add rows to that table: the children of `rows`, or for og_file_row one row, which is an object or
 * a number for the column "value". `kind` names their type, such as "policy". */
void og_file_rows(og_document *document, const char *kind, const og_document *rows);
void og_file_row(og_document *document, const char *kind, const og_document *row);

/*
 * Add a column to it, as og_show_column does; rows without the value leave it empty. The names
 * "NAME/0" and "NAME/1" are the numbers of a pair, "/0", "/1", ... the elements of a row that is an
 * array. The unit goes into the heading; NULL means none. With the `align` OG_CSV_ONLY the column
 * is for programs, not for print.
 */
void og_file_column(og_document *document, const char *heading, const char *unit, char align,
                    const char *name, og_show how);
#define OG_CSV_ONLY 'c'

/* ---- reading (more of it in optgap.h) ---- */

/* True if some value of that name, below one of these rows, is a fraction too long to show. */
bool og_document_is_long(const og_document *rows, const char *name);

/* ---- for printers of documents ---- */

/* Only the functions above write to it. */
struct og_document {
    og_document *whole;
    og_document *wrong; /* of the whole document: a result that is not finite, or NULL */
    union {
        double number;
        uint64_t whole_number;
        bool truth;
        struct {
            char *text; /* stored after the name */
            size_t length;
        } words;
        struct {
            og_document **child;
            og_document *beside; /* of the whole document: its blocks, each OG_TEXT, OG_TABLE or,
                                    for rows that are not a block, OG_ARRAY. Of a row: its cells. Of
                                    a table: its rows, borrowed, or its only row */
            int32_t count, room;
        } many;
    } is;
    enum {
        OG_OBJECT,
        OG_ARRAY,
        OG_TABLE, /* its children are its columns: texts with an alignment */
        OG_NUMBER,
        OG_WHOLE,
        OG_TEXT,
        OG_BOOL,
        OG_NULL,
    } kind : 8;
    bool failed; /* of the whole document, as the next */
    bool bare;
    bool hidden; /* no table shows this row */
    bool fields; /* a table of titles and texts, without headings */
    bool file;   /* a part of the table in a file: its columns without rows, or rows of the kind
                    `name` without columns */
    bool one;    /* `beside` is the only row, not a list of rows */
    char align;
    unsigned char how;
    int32_t again; /* parents besides the first */
    char name[];
};

enum { OG_CELL_BYTES = 48 };

/* Like og_document_json, but in one line. */
char *og_document_json_line(const og_document *document);

/* The columns of the table in a file; NULL if the document has no such table. */
const og_document *og_file_columns(const og_document *document);

/* A row's value in a column of that table, with enough digits to read back the same number. Without
 * a value it is "", except for words shown in a column aligned 'l'. The result may point into
 * `room`. */
const char *og_file_cell(const og_document *row, const og_document *column,
                         char room[OG_CELL_BYTES]);

/* The text of a row in a column, for people. The result may point into `room`. */
const char *og_document_cell(const og_document *row, const og_document *column,
                             char room[OG_CELL_BYTES]);

#endif
