#ifndef OG_TOOLS_PLOT_DRAW_H
#define OG_TOOLS_PLOT_DRAW_H

#include <stddef.h>

#include "bench/document.h"
#include "dp/base/status.h"

/*
 * Pictures, drawn by the Python module optgap_figures on matplotlib, which lies beside the program
 * in a build and in DATADIR/optgap where it is installed. The same document gives the same bytes.
 */
typedef enum {
    PICTURE_SVG,
    PICTURE_PNG,
    PICTURE_PDF
} picture_format; /* PNG: two pixels for each
                     1/96 inch */

/* By how the path ends: .svg, .png, .pdf. OG_BAD_INPUT with a message. */
og_status picture_format_of(const char *path, picture_format *out, og_message *message);

/*
 * The picture as a file would hold it, in memory that the caller frees: of the document's "figures"
 * one behind the other, if it has such an array. OG_BAD_INPUT with a message: it cannot be drawn
 * so. OG_FAILED: Python or matplotlib is missing, or failed (in its own words).
 */
og_status picture_draw(const og_document *document, picture_format format, char **bytes,
                       size_t *size, og_message *message);

/* Into a file, whole or not at all; `what` names it in messages. */
og_status picture_save(const og_document *document, const char *path, const char *what,
                       og_message *message);

#endif
