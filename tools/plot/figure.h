#ifndef OG_TOOLS_PLOT_FIGURE_H
#define OG_TOOLS_PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/document.h"
#include "dp/base/status.h"

/* The numbers of a figure and its notes. The drawing program decides its look (draw.h). */

enum { FIGURE_PANELS_MAX = 2, FIGURE_TEXT_BYTES = 256, FIGURE_FONT_BYTES = 64 };

typedef enum {
    CURVE_LINE,  /* points joined by a line */
    CURVE_MARKS, /* marks with bars from low to high */
    CURVE_TRACE, /* the same, joined with a line */
    CURVE_BAND,  /* the area from low to high */
    CURVE_MAP, /* fields of the panel's size at (x, y); their brightness shows the value `low`, also
                  printed as a number if there are few; the first curve of the panel */
    CURVE_HEAVY, /* a thick line, the reference for other curves */
} curve_kind;

typedef struct {
    double x, y, low, high; /* y NAN: a break of the line */
} curve_point;

typedef struct {
    char *name; /* in the key; owned */
    char
        *kin; /* curves of one kin have the same look, different kins have different looks; owned */
    curve_kind kind;
    int home; /* preferred look of the kin, used if no other kin has it; any number >= 0 */
    size_t count;
    curve_point *points; /* [count] in ascending order of x; owned */
} plot_curve;

typedef struct {
    char x_label[FIGURE_TEXT_BYTES];
    char y_label[FIGURE_TEXT_BYTES];
    bool from_zero;                      /* the vertical axis begins at 0 */
    bool logarithmic;                    /* then 0 has a separate line below all other values */
    double field_width, field_height;    /* for CURVE_MAP */
    char scale_label[FIGURE_TEXT_BYTES]; /* for CURVE_MAP */
    bool whole_x;                        /* ticks of x are whole numbers */
    int32_t curve_count;
    plot_curve *curves; /* [curve_count] in the order of drawing; owned */
} figure_panel;

/* Paper and font; zeros mean the defaults. */
typedef struct {
    double width, height; /* in 1/96 inch, pixels of SVG; default: 480, and as high as needed */
    double font_points;   /* 1/72 inch; default: 12 */
    char font[FIGURE_FONT_BYTES]; /* default: a sans-serif */
} figure_paper;

typedef struct {
    char title[FIGURE_TEXT_BYTES];    /* may be empty, like the subtitle */
    char subtitle[FIGURE_TEXT_BYTES]; /* below it, smaller */
    figure_paper paper;
    int panel_count; /* one above the other, with a common range of y */
    figure_panel panels[FIGURE_PANELS_MAX];
    int32_t note_count;
    char **notes; /* [note_count] sentences below the key; owned, also the array */
} plot_figure;

/* Adds an empty curve to the panel. */
plot_curve *figure_curve(figure_panel *panel, const char *name, const char *kin, curve_kind kind,
                         int home);

void curve_add(plot_curve *to, double x, double y, double low, double high);

/* True if the curve has a point; true if it has only one, so that there is no line. */
bool curve_is_drawn(const plot_curve *curve);
bool curve_is_dot(const plot_curve *curve);

/* Adds a printf-style note. */
void figure_note(plot_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* OG_BAD_INPUT with a message if a panel has no point to draw. */
og_status figure_check(const plot_figure *figure, og_message *message);

/* Writes the figure into an empty object, in the format of tools/python/optgap_figures/curves.py;
 * curves without a point are omitted. */
void figure_put(const plot_figure *figure, og_document *to);

void figure_clear(plot_figure *figure);

#endif
