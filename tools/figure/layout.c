/*
 * Where the parts of a figure stand. From above: title, subtitle, panels with their axes' labels,
 * the key, notes. Invariant: every text has as many lines as its letters need at a width that no
 * usual font exceeds, so that nothing is cut.
 */
#include "tools/figure/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/utf8.h"

static const double USUAL_WIDTH = 480, PANEL_SHARE = 0.66; /* a panel's height of its width */
static const double POINT = 96.0 / 72, USUAL_POINTS = 12;
static const double LETTER = 0.58;    /* width of a letter, of its height; DejaVu Sans is wide */
static const double TIED = 1.0 / 300; /* of the axis: less than a line is thick */

/* ---- texts ---- */

double text_size(const layout *at, int kind)
{
    static const double sizes[] = {[TEXT_TITLE] = 1.125,
                                   [TEXT_SUBTITLE] = 0.9,
                                   [TEXT_LABEL] = 1,
                                   [TEXT_KEY] = 0.95,
                                   [TEXT_NOTE] = 0.85};
    return at->font * sizes[kind];
}

double text_line(const layout *at, int kind)
{
    return 1.4 * text_size(at, kind);
}

int32_t text_letters(const layout *at, int kind, double width)
{
    double letters = floor(width / (LETTER * text_size(at, kind)));
    return letters > 1 ? (int32_t)letters : 1;
}

const char *text_next_line(const char **text, int32_t letters, size_t *bytes)
{
    const char *begin = *text + strspn(*text, " ");
    const char *end = begin, *blank = NULL;
    for (int32_t i = 0; i < letters && *end != '\0'; i++) {
        size_t one = og_utf8_bytes(end);
        blank = *end == ' ' ? end : blank;
        end += one > 0 ? one : 1;
    }
    end = *end != '\0' && *end != ' ' && blank != NULL ? blank : end;
    *bytes = (size_t)(end - begin);
    *text = end;
    return end > begin ? begin : NULL;
}

int32_t text_lines(const char *text, int32_t letters)
{
    int32_t lines = 0;
    size_t bytes;
    while (text_next_line(&text, letters, &bytes) != NULL) {
        lines++;
    }
    return lines;
}

/* ---- curves ---- */

static size_t count_points(const curve *of)
{
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        count += isfinite(of->points[i].y);
    }
    return count;
}

bool curve_is_drawn(const curve *of)
{
    return count_points(of) > 0;
}

bool curve_is_dot(const curve *of)
{
    return count_points(of) == 1;
}

bool layout_in_key(const figure *of, int panel, int32_t number)
{
    const curve *at = &of->panels[panel].curves[number];
    for (int p = 0; p < panel; p++) {
        for (int32_t i = 0; i < of->panels[p].curve_count; i++) {
            const curve *other = &of->panels[p].curves[i];
            if (curve_is_drawn(other) && strcmp(other->name, at->name) == 0) {
                return false;
            }
        }
    }
    return curve_is_drawn(at) && at->kind != CURVE_MAP;
}

static double height_of(const axis_range *range, bool logarithmic, double y)
{
    double low = range->y_low, high = range->y_high;
    if (logarithmic) {
        y = log(y > 0 ? y : range->zero);
        low = log(low);
        high = log(high);
    }
    return (y - low) / (high - low);
}

/* All points of the one with fewer lie on the other, as far as anybody can see. */
static bool coincide(const figure_panel *panel, const axis_range *range, const curve *x,
                     const curve *y)
{
    const curve *few = x->count <= y->count ? x : y, *many = few == x ? y : x;
    size_t met = 0, j = 0;
    if (few->kind == CURVE_BAND || many->kind == CURVE_BAND || x->kind == CURVE_MAP ||
        few->kind == CURVE_MARKS || many->kind == CURVE_MARKS ||
        (curve_is_dot(few) && !curve_is_dot(many))) {
        return false;
    }
    for (size_t i = 0; i < few->count; i++) {
        double at = few->points[i].x, height = few->points[i].y;
        while (j + 1 < many->count && many->points[j].x < at) {
            j++;
        }
        if (isfinite(height)) {
            if (many->points[j].x != at ||
                !(fabs(height_of(range, panel->logarithmic, height) -
                       height_of(range, panel->logarithmic, many->points[j].y)) < TIED)) {
                return false;
            }
            met++;
        }
    }
    return met > 0;
}

/* The first curve that this one lies on; itself, where there is none. */
static int32_t lies_on(const figure_panel *panel, const axis_range *range, int32_t number)
{
    for (int32_t i = 0; i < number; i++) {
        if (curve_is_drawn(&panel->curves[i]) &&
            coincide(panel, range, &panel->curves[i], &panel->curves[number]) &&
            lies_on(panel, range, i) == i) {
            return i;
        }
    }
    return number;
}

int32_t curve_in_heap(const figure_panel *panel, const axis_range *range, int32_t number,
                      int32_t *size)
{
    int32_t leader = lies_on(panel, range, number), at = 0;
    *size = 0;
    for (int32_t i = leader; i < panel->curve_count; i++) {
        if (lies_on(panel, range, i) == leader && curve_is_drawn(&panel->curves[i])) {
            at = i == number ? *size : at;
            ++*size;
        }
    }
    return at;
}

static void say_heaps(figure *of, const figure_panel *panel, const axis_range *range)
{
    for (int32_t i = 0; i < panel->curve_count; i++) {
        char names[FIGURE_TEXT_BYTES * 2] = "";
        int32_t size = 1;
        if (!curve_is_drawn(&panel->curves[i]) || curve_in_heap(panel, range, i, &size) != 0 ||
            size < 2) {
            continue;
        }
        for (int32_t j = i; j < panel->curve_count; j++) {
            if (lies_on(panel, range, j) == i && curve_is_drawn(&panel->curves[j])) {
                size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, "%s%.100s", used > 0 ? "; " : "",
                         panel->curves[j].name);
            }
        }
        figure_note(of, "Too close to tell apart%s: %s.", of->panel_count > 1 ? " in a panel" : "",
                    names);
    }
}

/* ---- axes ---- */

/* Heights of the points of a panel that can be drawn, bars included; of positive ones alone. */
static void widen(const figure_panel *panel, axis_range *range, double *least)
{
    for (int32_t i = 0; i < panel->curve_count; i++) {
        const curve *at = &panel->curves[i];
        bool bars = at->kind != CURVE_LINE && at->kind != CURVE_HEAVY && at->kind != CURVE_MAP;
        for (size_t j = 0; j < at->count; j++) {
            const curve_point *point = &at->points[j];
            double low = bars ? fmin(point->low, point->y) : point->y;
            if (!isfinite(point->y)) {
                continue;
            }
            range->x_low = fmin(range->x_low, point->x);
            range->x_high = fmax(range->x_high, point->x);
            range->y_low = fmin(range->y_low, low);
            range->y_high = fmax(range->y_high, bars ? fmax(point->high, point->y) : point->y);
            *least = point->y > 0 ? fmin(*least, point->y) : *least;
        }
    }
}

/* A point alone, or all at one height, leaves gnuplot without a range. */
static axis_range find_range(const figure *of, int number)
{
    const figure_panel *panel = &of->panels[number];
    axis_range range = {INFINITY, -INFINITY, INFINITY, -INFINITY, NAN};
    double least = INFINITY;
    for (int p = 0; p < of->panel_count; p++) {
        widen(&of->panels[p], &range, &least);
    }
    axis_range own = {INFINITY, -INFINITY, INFINITY, -INFINITY, NAN};
    double unused = INFINITY;
    widen(panel, &own, &unused);
    double edge = own.x_high > own.x_low ? 0.02 * (own.x_high - own.x_low) : 1;
    range.x_low = own.x_low - edge;
    range.x_high = own.x_high + edge;
    if (figure_has_map(panel)) { /* whole fields */
        range.x_low = own.x_low - panel->field_width / 2;
        range.x_high = own.x_high + panel->field_width / 2;
        range.y_low = own.y_low - panel->field_height / 2;
        range.y_high = own.y_high + panel->field_height / 2;
        return range;
    }
    if (panel->logarithmic) {
        double low = pow(10, floor(log10(isfinite(least) ? least : 1)));
        bool zeros = range.y_low <= 0;
        range.zero = zeros ? low / 3 : NAN;
        range.y_low = zeros ? low / 4 : low;
        range.y_high = fmax(1.3 * range.y_high, 2 * low);
        return range;
    }
    double bottom = panel->from_zero ? 0 : range.y_low;
    double rise = range.y_high > bottom ? 0.06 * (range.y_high - bottom) : 0.5;
    range.y_low = panel->from_zero ? -0.3 * rise : bottom - rise;
    range.y_high += rise;
    return range;
}

/* ---- heights ---- */

static double find_key(const figure *of, layout *at)
{
    double sample = 4 * at->font, room = at->width - at->font;
    int32_t longest = 0, lines = 0, entries = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < of->panel_count; p++) {
            for (int32_t i = 0; i < of->panels[p].curve_count; i++) {
                const char *name = of->panels[p].curves[i].name;
                int32_t letters = (int32_t)strlen(name);
                if (layout_in_key(of, p, i) && pass == 0) {
                    longest = letters > longest ? letters : longest;
                    entries++;
                } else if (layout_in_key(of, p, i)) {
                    lines += text_lines(name, at->key_letters);
                }
            }
        }
        at->key_columns = 1;
        for (int columns = 3; columns > 1 && at->key_columns == 1; columns--) {
            double width = room / columns;
            bool fits = longest <= text_letters(at, TEXT_KEY, width - sample);
            at->key_columns = fits && entries >= columns ? columns : 1;
        }
        at->key_column = room / at->key_columns;
        at->key_letters = text_letters(at, TEXT_KEY, at->key_column - sample);
    }
    int32_t rows = at->key_columns == 1 ? lines : (entries + at->key_columns - 1) / at->key_columns;
    return rows * text_line(at, TEXT_KEY);
}

static double find_notes(const figure *of, const layout *at)
{
    int32_t lines = 0;
    for (int32_t i = 0; i < of->note_count; i++) {
        lines += text_lines(of->notes[i], text_letters(at, TEXT_NOTE, at->width - at->font));
    }
    return lines > 0 ? lines * text_line(at, TEXT_NOTE) + 0.4 * at->font : 0;
}

int32_t layout_axis_letters(const layout *at)
{
    return text_letters(at, TEXT_LABEL, 2 * at->width - (at->left + at->right) - at->font);
}

/* Of what stands below a panel's axis: its numbers and its label. */
static double below(const figure *of, const layout *at, int panel)
{
    return 2.3 * at->font + text_lines(of->panels[panel].x_label, layout_axis_letters(at)) *
                                text_line(at, TEXT_LABEL);
}

static double find_head(const figure *of, const layout *at)
{
    double room = at->width - at->font;
    return at->font +
           text_lines(of->title, text_letters(at, TEXT_TITLE, room)) * text_line(at, TEXT_TITLE) +
           text_lines(of->subtitle, text_letters(at, TEXT_SUBTITLE, room)) *
               text_line(at, TEXT_SUBTITLE);
}

og_status layout_find(figure *of, layout *out, og_message *message)
{
    const figure_paper *paper = &of->paper;
    layout at = {.font = POINT * (paper->font_points > 0 ? paper->font_points : USUAL_POINTS),
                 .width = paper->width > 0 ? paper->width : USUAL_WIDTH};
    for (int i = 0; i < of->panel_count; i++) {
        at.range[i] = find_range(of, i);
        say_heaps(of, &of->panels[i], &at.range[i]);
    }
    at.left = 5.4 * at.font;
    at.right = at.width - (figure_has_map(&of->panels[0]) ? 7 : 1.3) * at.font;
    double head = find_head(of, &at), key = find_key(of, &at), notes = find_notes(of, &at);
    double rest = head + key + notes + 0.8 * at.font;
    for (int i = 0; i < of->panel_count; i++) {
        rest += below(of, &at, i) + (i > 0 ? at.font : 0);
    }
    double panel =
        paper->height > 0 ? (paper->height - rest) / of->panel_count : ceil(PANEL_SHARE * at.width);
    if (panel < 5 * at.font || at.right - at.left < 8 * at.font) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%.0fx%.0f pixels are too small for this figure's text: at least "
                              "%.0fx%.0f at that width, or a smaller --font",
                              at.width, paper->height > 0 ? paper->height : panel + rest,
                              fmax(at.width, ceil(14.7 * at.font)),
                              ceil(rest + of->panel_count * 5 * at.font));
    }
    double y = head;
    for (int i = 0; i < of->panel_count; i++) {
        at.top[i] = y + (i > 0 ? at.font : 0);
        at.bottom[i] = at.top[i] + panel;
        y = at.bottom[i] + below(of, &at, i);
    }
    at.key_top = y + 0.3 * at.font;
    at.notes_top = at.key_top + key + 0.4 * at.font;
    at.height = paper->height > 0 ? paper->height : ceil(rest + of->panel_count * panel);
    *out = at;
    return OG_OK;
}
