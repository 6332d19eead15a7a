#ifndef OG_BENCH_RECORDED_COLUMNS_H
#define OG_BENCH_RECORDED_COLUMNS_H

#include <stdbool.h>

#include "bench/option.h"
#include "bench/request.h"
#include "dp/base/rows.h"
#include "dp/engine/settings.h"

/*
 * The columns of a table: which one holds the tasks, the workers, and so on. Every reader of
 * recorded data finds its columns here. A column is found
 *
 *   - by the name or number that --columns gives, "task=item,worker=2";
 *   - else by a usual name (og_column_names), in any case, and without its blanks, points, lines
 *     and exclamation marks: "Worker ID" and "!worker_ids" are worker ids.
 *
 * Of several usual names the first in the list counts. A name that is spelt exactly goes before
 * others. If --columns has only numbers, the table has no header, unless its first row has usual
 * names at all of these places.
 */
typedef enum {
    OG_COLUMN_TASK,
    OG_COLUMN_WORKER,
    OG_COLUMN_LABEL,
    OG_COLUMN_GOLD,
    OG_COLUMN_CONTEXT,
    OG_COLUMN_ACCURACY,
    OG_COLUMN_LEFT,
    OG_COLUMN_RIGHT,
    OG_COLUMN_WINNER, /* --columns label=NAME */
    OG_COLUMN_WINS_LEFT,
    OG_COLUMN_WINS_RIGHT,
    OG_COLUMN_TIES,
    OG_COLUMN_TIMES,
    OG_COLUMN_RANK,
    OG_COLUMN_SESSION,
    OG_COLUMN_ITEM,
    OG_COLUMN_SCORE,
    OG_COLUMN_PROBABILITY, /* --columns p=NAME */
    OG_COLUMN_CAPACITY,
    OG_COLUMN_EVENT,
    OG_COLUMN_POSITIVE, /* labels counted */
    OG_COLUMN_NEGATIVE,
    OG_COLUMN_COUNT,
} og_column;

/* The word for it in --columns and in messages. */
const char *og_column_word(og_column column);

/* Its usual names up to NULL, the word first, as og_column_named wants them. */
const char *const *og_column_names(og_column column);

/* The columns that a table must have. */
typedef struct {
    const og_column *column; /* [count] */
    int count;
    bool main; /* words of --columns without "=" are for these, in this order. Other tables may lack
                  the names of --columns and a header; they then have these columns, in order */
    const int *usual;  /* [count] their usual places; -1, or NULL: find them by usual names */
    unsigned optional; /* bit i: the table may lack column[i]. Without a header it has it only if
                          --columns gives its number; in JSON it may come in a later row */
} og_columns_wanted;

/* The columns of an open table. */
typedef struct {
    og_rows *rows;
    int at[OG_COLUMN_COUNT]; /* positions from 0; -1: not wanted, or missing */
    int last;                /* the largest of them */
    bool pending;            /* the first row is data, and not returned yet */

    /* Private: what is looked for among new keys of JSON. */
    og_columns_wanted wanted;
    const og_tables *how;
    int known;    /* columns of the table so far */
    bool lacks;   /* one that it must have, which then has to come */
    char none[1]; /* the field of a column that is missing */
} og_columns;

/* The reader of --columns (bench/option.h); OG_BAD_INPUT with a message if the text is not valid.
 */
og_status og_columns_keep(void *options, const og_option_row *row, const char *text,
                          og_message *message);

/* The same for all of them; NULL is fine. */
og_status og_tables_check(const og_tables *how, og_message *message);

/*
 * Reads the first row of an open table and finds the columns. False, and a failure of the rows: the
 * table is empty; a column is missing, and then the message lists the columns; a name of --columns
 * is missing, or a column is there twice. `how` may be NULL. In JSON labels, and columns that the
 * table may lack, can come in a later row; og_columns_next fails at the end if those that must be
 * there or have a name of --columns did not come.
 */
bool og_columns_find(og_columns *columns, og_rows *rows, const og_tables *how,
                     const og_columns_wanted *wanted);

/* Whether the current row has this column, by --columns or by a usual name. */
bool og_columns_has(const og_rows *rows, const og_tables *how, og_column column);

/* A failure: the table lacks this column; lists those that it has. */
bool og_columns_lacks(og_rows *rows, og_column column);

/* The same for a row that was read already. */
bool og_columns_find_in(og_columns *columns, og_rows *rows, const og_tables *how,
                        const og_columns_wanted *wanted);

/* The next row of data, which has all of these columns and is not empty; false as og_rows_next. */
bool og_columns_next(og_columns *columns);

static inline bool og_columns_have(const og_columns *columns, og_column column)
{
    return columns->at[column] >= 0;
}

/* "" if the column is missing. */
static inline char *og_columns_field(const og_columns *columns, og_column column)
{
    int at = columns->at[column];
    return at >= 0 ? columns->rows->field[at] : (char *)columns->none;
}

/* A field with a whole number from 0 to `most`, also as "3.0": pandas writes it beside missing
 * ones. */
bool og_columns_whole(const char *field, int64_t most, int64_t *out);

/* Whether a name of a column or of a JSON key is this usual one, as described above. */
bool og_column_named(const char *name, const char *usual);

/* Whether a column or a key of an annotation tool holds no label: Label Studio's own ones, and
 * usual names of what is labelled. */
bool og_column_is_other(const char *name);

/* The names and values of --columns, "task=item": the value for this column into name[bytes], false
 * if there is none. `next` 0 for the first one, 1 for the second of several. */
bool og_columns_given(const og_tables *how, og_column column, int next, char *name, size_t bytes);

/*
 * Several files in one text, with line ends between their names. The first, "/dev/stdin" for "-",
 * to be freed: *files moves behind it, NULL after the last one. NULL without memory.
 */
char *og_files_next(const char **files);

/* Their names for a message: the first, and how many more. */
enum { OG_FILES_BYTES = 240 };
const char *og_files_words(const char *files, char words[OG_FILES_BYTES]);

/* Limits for a table that is read with these settings (NULL: the usual ones): the memory, the stop
 * and the encoding. */
og_rows_limits og_table_limits(const og_settings *settings);

#endif
