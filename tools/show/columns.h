#ifndef OG_TOOLS_SHOW_COLUMNS_H
#define OG_TOOLS_SHOW_COLUMNS_H

#include <stdio.h>

#include "bench/document.h"

/* A column of a LaTeX table: the name of its values in JSON, "name" for that of the row, and its
 * heading; NULL: the usual one. */
typedef struct {
    const char *name, *heading;
} latex_choice;

/*
 * Prints a document's table (og_file_column), CSV on standard output. Allocates no memory.
 *
 * CSV: a line of headings, then a line for each row, whose first field is the kind of row. Numbers
 * have all their digits, unknown values are empty, lines end in a newline. LaTeX: a booktabs
 * tabular with rounded numbers and a rule between two kinds of rows; a comment before it shows
 * `command`.
 */
void csv_print(const og_document *document);

/* chosen: [count], the columns; NULL: the usual ones. False, with no output, if the document has no
 * table, or no such column. */
bool latex_print(FILE *to, const og_document *document, const char *command,
                 const latex_choice *chosen, int32_t count);

#endif
