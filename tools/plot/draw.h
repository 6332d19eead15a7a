#ifndef OG_TOOLS_PLOT_DRAW_H
#define OG_TOOLS_PLOT_DRAW_H

#include <stddef.h>

#include "bench/document.h"
#include "dp/base/status.h"

/*
 * Pictures, drawn with matplotlib by tools/python/optgap/_figures, which also reads studies.
 * The module is next to the program in a build, and in DATADIR/optgap after installation. The same
 * document gives the same bytes.
 */
typedef enum {
    PICTURE_SVG,
    PICTURE_PNG, /* two pixels for each 1/96 inch */
    PICTURE_PDF,
    PICTURE_NUMBERS, /* of a figure of a study, as JSON; needs no matplotlib */
    PICTURE_PAGE     /* of a study, as HTML */
} picture_format;

/* The format for the end of a path: .svg, .png or .pdf. OG_BAD_INPUT with a message. */
og_status picture_format_of(const char *path, picture_format *out, og_message *message);

/*
 * Draws a picture and writes it to a file, whole or not at all; `what` names it in messages. Of a
 * study, a path, the document says what is wanted (_figures/kinds.py); NULL: it is a figure.
 * OG_BAD_INPUT with a message: it cannot be drawn. OG_FAILED: Python or matplotlib is missing or
 * failed; the message quotes its error.
 */
og_status picture_save(const og_document *document, const char *study, picture_format format,
                       const char *path, const char *what, og_message *message);

#endif
