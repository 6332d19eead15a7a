#ifndef OG_TOOLS_SHOW_BLOCKS_H
#define OG_TOOLS_SHOW_BLOCKS_H

#include "bench/document.h"

enum { LINE_WIDTH = 80, COLUMNS_MAX = 12 };

/*
 * A document's blocks for people, on standard output: tables of aligned columns, two spaces apart,
 * and paragraphs, broken at blanks to keep lines within blocks_width(); so is the last cell of a
 * row. An empty line stands around tables, and before a paragraph whose text begins with '\n'. No
 * memory is needed.
 */
void blocks_print(const og_document *document);

/* LINE_WIDTH, or what a narrower terminal has, 40 at least. */
int blocks_width(void);

#endif
