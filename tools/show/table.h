#ifndef OG_TOOLS_SHOW_TABLE_H
#define OG_TOOLS_SHOW_TABLE_H

#include <stdio.h>

enum { PAGE_WIDTH = 80, TABLE_COLUMNS_MAX = 12 };

/*
 * Text in aligned columns, two spaces apart. Columns are as wide as their widest cell. If the last
 * cell is too long for the line, it is broken at blanks to keep lines within PAGE_WIDTH.
 */
typedef struct table table;

/*
 * One letter of `align` for each column: 'l' left, 'r' right, 'd' at the decimal
 * point. `headings` holds one text for each, with '\n' where it takes several
 * lines; NULL prints none. The pointers are kept.
 */
table *table_new(const char *align, const char *const *headings);

/* The next cell, printf-style; a full row begins the next. */
void table_cell(table *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

void table_print(const table *grid, FILE *out);

void table_free(table *grid);

/* Print words, printf-style, broken at blanks to keep lines within PAGE_WIDTH; ends the line. */
void print_paragraph(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
