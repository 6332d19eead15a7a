#ifndef OG_DP_BASE_TURNED_H
#define OG_DP_BASE_TURNED_H

#include <stdbool.h>

#include "dp/base/object.h"
#include "dp/base/status.h"

/*
 * A table in one JSON object, as pandas writes it: for each column an object with the numbers of
 * the rows as keys, or for each number of a row an object with the columns.
 */
typedef struct {
    char **value; /* NULL: the object is a row; free it */
    int rows, row;
    int steps[2]; /* from a row to the next, and from a column */
} og_turned;

/* Looks at the first object. If it is such a table, its columns become those of `objects`, and the
 * values are those of the first row. OG_NO_MEMORY. */
og_status og_turned_find(og_objects *objects, og_turned *out);

/* The values of the next row; false after the last one. */
bool og_turned_next(og_turned *turned, og_objects *objects);

#endif
