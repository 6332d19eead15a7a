#ifndef OG_TOOLS_SHOW_COLUMNS_H
#define OG_TOOLS_SHOW_COLUMNS_H

#include "bench/document.h"

/*
 * The table that a document is in a file (og_file_column), on standard output. No memory is needed.
 *
 * CSV: a first line of headings, then a line for each row, which begins with its kind. Numbers read
 * back the same, what is not known is empty, lines end in a newline. LaTeX: a tabular of booktabs
 * with the numbers that people see and a rule between rows of two kinds; `command` goes into a
 * comment before it.
 */
void csv_print(const og_document *document);
void latex_print(const og_document *document, const char *command);

/* One field of CSV, in quotation marks where it must be (RFC 4180). */
void csv_field(const char *text);

#endif
