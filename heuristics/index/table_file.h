#ifndef OG_HEURISTICS_INDEX_TABLE_FILE_H
#define OG_HEURISTICS_INDEX_TABLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/fraction.h"
#include "dp/base/rows.h"
#include "dp/base/status.h"

/*
 * A user-defined index in a file of tab-separated columns (private to heuristics/), as `optgap
 * index` prints it:
 *
 *   a  b  left  index      the posterior Beta(a, b), labels left, the index
 *
 * or without `left`, for an index that does not depend on it. With a first line of names the
 * columns may have any order; without one they are a, b, index or a, b, left, index. Lines that
 * start with # are ignored; dp/base/rows.h has the other rules for files. a and b are decimals as
 * in an INSTANCE. An index is a decimal or a fraction such as -1/3 (og_rational_parse), within the
 * range of double; or -inf: an instance with this posterior is done.
 *
 * In a table for arms of nodes, a first line of names has `node` instead of a and b: a node's name.
 *
 * If all indices of the file are whole numbers or fractions, only equal ones tie. Otherwise the
 * indices of the whole file tie in the groups of og_tie_least (dp/base/ties.h).
 */
typedef struct {
    og_fraction a, b; /* 0 in a table of nodes */
    const char *node; /* NULL in a table of posteriors */
    int32_t left;     /* 0 if the file has no such column */
    double index;     /* rounded to nearest; -INFINITY: done, which has value and place 0 alone */
    uint32_t value;   /* in the exact order of the decimals: the same only for equal ones */
    uint32_t place;   /* the same for all indices that tie */
    int64_t line;
} og_table_row;

typedef struct {
    bool by_left, by_node;
    bool stops; /* some row has the index -INFINITY */
    size_t row_count;
    og_table_row *row; /* sorted by a, b or node, then left; no two the same */
    og_arena names;    /* of nodes */
} og_table;

/*
 * Reads the whole file; `tie_relative` >= 0 is og_tie_least's. A posterior may occur twice if its
 * index has the same decimal value both times (as in tables for several priors).
 *
 * With a message: OG_FAILED if the file cannot be opened or read, OG_BAD_INPUT if there is no file
 * with this name (dp/base/file.h). OG_BAD_INPUT with a message that names the line: a wrong number
 * of columns, an unknown column name, an invalid number, or two different indices for one
 * posterior; also if there are no rows. OG_NO_MEMORY. OG_STOPPED: one of `limits` was exceeded;
 * NULL: no limits.
 */
og_status og_table_read(const char *path, double tie_relative, const og_rows_limits *limits,
                        og_table **out, og_message *message);

/* Finds a row of a node; NULL if there is none. */
const og_table_row *og_table_find_node(const og_table *table, const char *node, int32_t left);

/* Finds a row; NULL if there is none. `left` is ignored if the file has no such column. */
const og_table_row *og_table_find(const og_table *table, og_fraction a, og_fraction b,
                                  int32_t left);

void og_table_free(og_table *table); /* NULL is fine */

#endif
