#ifndef OG_TOOLS_PLOT_FIGURE_H
#define OG_TOOLS_PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/document.h"
#include "dp/base/status.h"

/* The numbers behind a figure, and what is said about them. How they look is the drawer's matter
 * (draw.h). */

enum { FIGURE_PANELS_MAX = 2, FIGURE_TEXT_BYTES = 256, FIGURE_FONT_BYTES = 64 };

typedef enum {
    CURVE_LINE,  /* points joined by a line */
    CURVE_MARKS, /* marks with bars from low to high */
    CURVE_TRACE, /* the same, joined by a line */
    CURVE_BAND,  /* the area from low to high */
    CURVE_MAP,   /* fields of the panel's size at (x, y), whose value, `low`, is told by a scale of
                    brightness and, where there are few, in numbers; the first curve of the panel */
    CURVE_HEAVY, /* a thick line: what others are measured against */
} curve_kind;

typedef struct {
    double x, y, low, high; /* y NAN: the line is broken here */
} curve_point;

typedef struct {
    char *name; /* in the key; owned */
    char *kin;  /* curves of one kin look alike, those of two never do; owned */
    curve_kind kind;
    int home; /* the look of the kin where no other has it yet; any number >= 0 */
    size_t count;
    curve_point *points; /* [count] by ascending x; owned */
} curve;

typedef struct {
    char x_label[FIGURE_TEXT_BYTES];
    char y_label[FIGURE_TEXT_BYTES];
    bool from_zero;                      /* the vertical axis begins at 0 */
    bool logarithmic;                    /* 0 has a line of its own then, below all others */
    double field_width, field_height;    /* of CURVE_MAP */
    char scale_label[FIGURE_TEXT_BYTES]; /* of its scale */
    bool whole_x; /* x counts something: no mark of its axis lies between two whole numbers */
    int32_t curve_count;
    curve *curves; /* [curve_count], drawn in this order; owned */
} figure_panel;

/* Zeros are the usual ones. */
typedef struct {
    double width, height; /* in 1/96 inch, pixels of SVG; usual: 480, and as high as it needs */
    double font_points;   /* 1/72 inch; usual: 12 */
    char font[FIGURE_FONT_BYTES]; /* usual: a sans-serif */
} figure_paper;

typedef struct {
    char title[FIGURE_TEXT_BYTES];    /* may be empty, like the subtitle */
    char subtitle[FIGURE_TEXT_BYTES]; /* below it, smaller */
    figure_paper paper;
    int panel_count; /* one above the other, with one range of y */
    figure_panel panels[FIGURE_PANELS_MAX];
    int32_t note_count;
    char **notes; /* [note_count] sentences below the key; owned, like the array */
} figure;

/* A further curve of the panel, empty. */
curve *figure_curve(figure_panel *panel, const char *name, const char *kin, curve_kind kind,
                    int home);

void curve_add(curve *to, double x, double y, double low, double high);

/* Has it a point; has it one only, so that there is no line? */
bool curve_is_drawn(const curve *of);
bool curve_is_dot(const curve *of);

/* A further note; printf-style. */
void figure_note(figure *of, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* OG_BAD_INPUT with a message: a panel has no point to draw. */
og_status figure_check(const figure *of, og_message *message);

/* Into an empty object, as tools/python/optgap_figures/curves.py reads it; curves without a point
 * are left out. */
void figure_put(const figure *of, og_document *to);

void figure_clear(figure *of);

#endif
