#ifndef OG_TOOLS_FIGURE_LAYOUT_H
#define OG_TOOLS_FIGURE_LAYOUT_H

#include "tools/figure/figure.h"

/*
 * Where everything stands (private to tools/figure/), in pixels of 1/96 inch from the upper left
 * corner. gnuplot guesses how wide letters are, and leaves out what finds no room by that guess; so
 * the key, the title and all labels are placed here, and only curves and ticks are gnuplot's.
 */
typedef struct {
    double x_low, x_high, y_low, y_high; /* of the axes */
    double zero; /* logarithmic: the height at which 0 is drawn; NAN: no point is 0 */
} axis_range;

typedef struct {
    double font; /* height of the usual letters */
    double width, height;
    double left, right;            /* of all panels */
    double top[FIGURE_PANELS_MAX]; /* of the panel's axes */
    double bottom[FIGURE_PANELS_MAX];
    double key_top, key_column;
    int key_columns;
    int32_t key_letters; /* in one line of a name */
    double notes_top;
    axis_range range[FIGURE_PANELS_MAX];
} layout;

enum { TEXT_TITLE, TEXT_SUBTITLE, TEXT_LABEL, TEXT_KEY, TEXT_NOTE };

/* OG_BAD_INPUT with a message: the paper is too small. Says in notes of the figure what curves are
 * too close to tell apart. */
og_status layout_find(figure *of, layout *out, og_message *message);

/* Height of the letters of a text, and of its lines. */
double text_size(const layout *at, int kind);
double text_line(const layout *at, int kind);

/* The next line of a text of which so many letters stand in one: returns where it begins, with its
 * bytes, and moves the text behind it. NULL: there is none left. */
const char *text_next_line(const char **text, int32_t letters, size_t *bytes);
int32_t text_lines(const char *text, int32_t letters);

/* Letters of this kind in so many pixels, at least 1. */
int32_t text_letters(const layout *at, int kind, double width);

/* Letters below an axis, whose label stands at its middle. */
int32_t layout_axis_letters(const layout *at);

/* Is it in the key? Of curves of two panels with one name the first is. */
bool layout_in_key(const figure *of, int panel, int32_t curve);

/* Has it a point; has it one only, so that there is no line? */
bool curve_is_drawn(const curve *of);
bool curve_is_dot(const curve *of);

/* The curve's number among those of its panel that lie on one another, which are *size; 0 of 1 for
 * one by itself. */
int32_t curve_in_heap(const figure_panel *panel, const axis_range *range, int32_t number,
                      int32_t *size);

#endif
