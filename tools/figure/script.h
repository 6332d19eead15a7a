#ifndef OG_TOOLS_FIGURE_SCRIPT_H
#define OG_TOOLS_FIGURE_SCRIPT_H

#include <stdio.h>

#include "tools/figure/figure.h"
#include "tools/figure/layout.h"

/* The figure in gnuplot's language (private to tools/figure/). A curve's data is called
 * SCRIPT_CURVE, the number of its panel, "_" and its own. */
#define SCRIPT_CURVE "$curve"
void script_write(FILE *to, const figure *of, const layout *at, picture_format format);

/* May a character of the text, with so many bytes, stand in XML? gnuplot writes '>' as it is. */
bool script_shows(const char *text, const char *character, size_t bytes);

#endif
