#ifndef OG_TOOLS_SHOW_COLUMNS_H
#define OG_TOOLS_SHOW_COLUMNS_H

#include "bench/document.h"

/*
 * Prints a document's table (og_file_column) on standard output. Allocates no memory.
 *
 * CSV: a line of headings, then a line for each row, whose first field is the kind of row. Numbers
 * have all their digits, unknown values are empty, lines end in a newline. LaTeX: a booktabs
 * tabular with rounded numbers and a rule between two kinds of rows; a comment before it shows
 * `command`.
 */
void csv_print(const og_document *document);
void latex_print(const og_document *document, const char *command);

#endif
