#ifndef OG_TOOLS_FIGURE_FIGURE_H
#define OG_TOOLS_FIGURE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * Figures, drawn by gnuplot. Lines differ by colour (Okabe and Ito's, which the colour-blind can
 * tell apart), by dashes and by marks, so that any one of them is enough.
 */

enum { FIGURE_PANELS_MAX = 2, FIGURE_TEXT_BYTES = 256 };

typedef enum {
    CURVE_LINE,  /* points joined by a line */
    CURVE_MARKS, /* marks with bars from low to high */
    CURVE_TRACE, /* the same, joined by a line */
    CURVE_BAND,  /* the area from low to high */
    CURVE_HEAVY, /* a thick line without marks: what others are measured against */
} curve_kind;

typedef struct {
    double x, y, low, high;
} curve_point;

typedef struct {
    char *name; /* in the key; owned */
    curve_kind kind;
    int style; /* one number, one look; any number >= 0 */
    size_t count;
    curve_point *points; /* [count] by ascending x; owned */
} curve;

typedef struct {
    char x_label[FIGURE_TEXT_BYTES];
    char y_label[FIGURE_TEXT_BYTES];
    bool from_zero; /* the vertical axis begins at 0 */
    bool logarithmic;
    int32_t curve_count;
    curve *curves; /* [curve_count], drawn in this order; owned */
} figure_panel;

typedef struct {
    char title[FIGURE_TEXT_BYTES];
    char subtitle[FIGURE_TEXT_BYTES]; /* below it, smaller; may be empty */
    int panel_count;                  /* one above the other */
    figure_panel panels[FIGURE_PANELS_MAX];
} figure;

/* A further curve of the panel, empty. */
curve *figure_curve(figure_panel *panel, const char *name, curve_kind kind, int style);

void curve_add(curve *to, double x, double y, double low, double high);

typedef enum { PICTURE_SVG, PICTURE_PNG } picture_format;

/*
 * The picture as a file would hold it, in memory that the caller frees. OG_FAILED with a message:
 * gnuplot is not installed, or failed (in its own words).
 */
og_status figure_draw(const figure *of, picture_format format, char **bytes, size_t *size,
                      og_message *message);

void figure_clear(figure *of);

#endif
