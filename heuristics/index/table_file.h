#ifndef OG_HEURISTICS_INDEX_TABLE_FILE_H
#define OG_HEURISTICS_INDEX_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/rows.h"
#include "dp/base/status.h"

/*
 * A user's own index as a file of tab separated columns (private to heuristics/), as `optgap index`
 * prints it:
 *
 *   a  b  left  index      the posterior Beta(a, b), labels left, the index
 *
 * or without `left`, for an index that does not depend on it. A first line of names may put the
 * columns in any order; without one they are a, b, index or a, b, left, index. Lines that start
 * with # say nothing; what else a file may look like is in dp/base/rows.h. a and b are
 * decimals as in an INSTANCE; an index is a decimal of at most OG_TABLE_DIGITS characters, with a
 * sign and an exponent if need be, or a fraction such as -1/3, and within the range of double.
 *
 * Where all indices of the file are whole numbers or fractions, equal ones tie and no others. Else
 * those of the whole file tie in the groups of og_tie_least (dp/base/ties.h).
 */
enum { OG_TABLE_DIGITS = 400 };

typedef struct {
    og_fraction a, b;
    int32_t left;   /* 0 where the file has no such column */
    double index;   /* rounded to nearest */
    uint32_t value; /* in the order of the decimals themselves: the same for equal ones only */
    uint32_t place; /* the same for all that tie */
    int64_t line;
} og_table_row;

typedef struct {
    bool by_left;
    size_t row_count;
    og_table_row *row; /* sorted by a, b, left; no two the same */
} og_table;

/*
 * Read the whole file; `tie_relative` >= 0 is og_tie_least's. A posterior may be told twice if its
 * index is the same decimal value both times (as tables of several priors do).
 *
 * With a message: OG_FAILED if the file cannot be opened or read, OG_BAD_INPUT if there is none of
 * that name (dp/base/file.h). OG_BAD_INPUT with a message that names the line: a wrong number of
 * columns, a name that is not one of the above, what should be a number and is not, two different
 * indices for one posterior; or no row at all. OG_NO_MEMORY. OG_STOPPED: one of the limits, NULL:
 * there are none.
 */
og_status og_table_read(const char *path, double tie_relative, const og_rows_limits *limits,
                        og_table **out, og_message *message);

/* NULL if there is none. `left` is ignored where the file has no such column. */
const og_table_row *og_table_find(const og_table *table, og_fraction a, og_fraction b,
                                  int32_t left);

void og_table_free(og_table *table); /* NULL is fine */

#endif
