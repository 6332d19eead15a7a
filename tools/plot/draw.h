#ifndef OG_TOOLS_PLOT_DRAW_H
#define OG_TOOLS_PLOT_DRAW_H

#include <stddef.h>

#include "bench/document.h"
#include "dp/base/status.h"

/*
 * Pictures, drawn with matplotlib by the Python module optgap_figures. The module is next to the
 * program in a build, and in DATADIR/optgap after installation. The same document gives the same
 * bytes.
 */
typedef enum {
    PICTURE_SVG,
    PICTURE_PNG,
    PICTURE_PDF
} picture_format; /* PNG: two pixels for each
                     1/96 inch */

/* The format for the end of a path: .svg, .png or .pdf. OG_BAD_INPUT with a message. */
og_status picture_format_of(const char *path, picture_format *out, og_message *message);

/*
 * Draws a picture into memory, which the caller frees. If the document has an array "figures", its
 * pictures follow each other. OG_BAD_INPUT with a message: it cannot be drawn. OG_FAILED: Python or
 * matplotlib is missing or failed; the message quotes its error.
 */
og_status picture_draw(const og_document *document, picture_format format, char **bytes,
                       size_t *size, og_message *message);

/* Writes the picture to a file, whole or not at all; `what` names it in messages. */
og_status picture_save(const og_document *document, const char *path, const char *what,
                       og_message *message);

#endif
