#ifndef OG_TOOLS_SHOW_BLOCKS_H
#define OG_TOOLS_SHOW_BLOCKS_H

#include "bench/document.h"

enum { LINE_WIDTH = 80, COLUMNS_MAX = 12 };

/*
 * Prints a document's blocks for people on standard output. Tables have aligned columns, two spaces
 * apart. Paragraphs and the last cell of a row are broken at blanks, so that lines stay within
 * blocks_width(). An empty line is printed around tables, and before a paragraph whose text begins
 * with '\n'. Allocates no memory.
 */
void blocks_print(const og_document *document);

/* LINE_WIDTH, or the width of a narrower terminal, but at least 40. */
int blocks_width(void);

#endif
