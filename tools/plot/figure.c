/* Converts figures to documents. */
#include "tools/plot/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/memory.h"

static char *copy_text(const char *text)
{
    char *copy = allocate(strlen(text), 1); /* and its terminating byte */
    memcpy(copy, text, strlen(text));
    return copy;
}

plot_curve *figure_curve(figure_panel *panel, const char *name, const char *kin, curve_kind kind,
                         int home)
{
    size_t count = (size_t)panel->curve_count + 1;
    panel->curves = grow(panel->curves, count, sizeof *panel->curves);
    plot_curve *made = &panel->curves[panel->curve_count++];
    *made =
        (plot_curve){.kind = kind, .home = home, .name = copy_text(name), .kin = copy_text(kin)};
    return made;
}

void figure_note(plot_figure *figure, const char *format, ...)
{
    char text[4 * FIGURE_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    figure->notes = grow(figure->notes, (size_t)figure->note_count + 1, sizeof *figure->notes);
    figure->notes[figure->note_count++] = copy_text(text);
}

void curve_add(plot_curve *to, double x, double y, double low, double high)
{
    to->points = grow(to->points, to->count + 1, sizeof *to->points);
    to->points[to->count++] = (curve_point){x, y, low, high};
}

void figure_clear(plot_figure *figure)
{
    for (int p = 0; p < figure->panel_count; p++) {
        figure_panel *panel = &figure->panels[p];
        for (int32_t i = 0; i < panel->curve_count; i++) {
            free(panel->curves[i].name);
            free(panel->curves[i].kin);
            free(panel->curves[i].points);
        }
        free(panel->curves);
    }
    for (int32_t i = 0; i < figure->note_count; i++) {
        free(figure->notes[i]);
    }
    free(figure->notes);
    memset(figure, 0, sizeof *figure);
}

static size_t count_points(const plot_curve *curve)
{
    size_t count = 0;
    for (size_t i = 0; i < curve->count; i++) {
        count += isfinite(curve->points[i].y);
    }
    return count;
}

bool curve_is_drawn(const plot_curve *curve)
{
    return count_points(curve) > 0;
}

bool curve_is_dot(const plot_curve *curve)
{
    return count_points(curve) == 1;
}

og_status figure_check(const plot_figure *figure, og_message *message)
{
    for (int p = 0; p < figure->panel_count; p++) {
        const figure_panel *panel = &figure->panels[p];
        bool drawn = false;
        for (int32_t i = 0; i < panel->curve_count; i++) {
            drawn = drawn || curve_is_drawn(&panel->curves[i]);
        }
        if (!drawn) {
            return og_message_set(message, OG_BAD_INPUT, "there is nothing to draw");
        }
    }
    return OG_OK;
}

/* -- As a document ---------------------------------------------------------------------------- */

enum {
    LOOKS = 7
}; /* number of different looks: colour, dashes and mark (optgap_figures/looks.py) */

/* Puts one number of every point into an array. */
static void put_numbers(og_document *to, const char *name, const plot_curve *curve, size_t at)
{
    og_document *list = og_put_array(to, name);
    for (size_t i = 0; i < curve->count; i++) {
        og_put_number(list, NULL, *(const double *)((const char *)&curve->points[i] + at));
    }
}

static void put_curve(const plot_curve *curve, og_document *to)
{
    static const char *const kinds[] = {
        [CURVE_LINE] = "line", [CURVE_MARKS] = "marks", [CURVE_TRACE] = "trace",
        [CURVE_BAND] = "band", [CURVE_MAP] = "map",     [CURVE_HEAVY] = "heavy"};
    og_put_text(to, "name", curve->name);
    og_put_text(to, "kind", kinds[curve->kind]);
    og_put_text(to, "group", curve->kin);
    if (curve->home < LOOKS) {
        og_put_whole(to, "look", (uint64_t)curve->home);
    }
    put_numbers(to, "x", curve, offsetof(curve_point, x));
    put_numbers(to, "y", curve, offsetof(curve_point, y));
    if (curve->kind != CURVE_LINE && curve->kind != CURVE_HEAVY) {
        put_numbers(to, "low", curve, offsetof(curve_point, low));
        put_numbers(to, "high", curve, offsetof(curve_point, high));
    }
}

static void put_panel(const figure_panel *panel, og_document *to)
{
    og_put_text(to, "x_label", panel->x_label);
    og_put_text(to, "y_label", panel->y_label);
    og_put_bool(to, "from_zero", panel->from_zero);
    og_put_bool(to, "logarithmic", panel->logarithmic);
    og_put_bool(to, "whole_x", panel->whole_x);
    if (panel->field_width > 0) {
        og_put_number(to, "field_width", panel->field_width);
        og_put_number(to, "field_height", panel->field_height);
        og_put_text(to, "scale_label", panel->scale_label);
    }
    og_document *curves = og_put_array(to, "curves");
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (curve_is_drawn(&panel->curves[i])) {
            put_curve(&panel->curves[i], og_put_object(curves, NULL));
        }
    }
}

static void put_paper(const figure_paper *paper, og_document *to)
{
    if (paper->width > 0) {
        og_put_number(to, "width", paper->width);
        og_put_number(to, "height", paper->height);
    }
    if (paper->font[0] != '\0') {
        og_put_text(to, "font", paper->font);
    }
    if (paper->font_points > 0) {
        og_put_number(to, "points", paper->font_points);
    }
}

void figure_put(const plot_figure *figure, og_document *to)
{
    og_put_text(to, "figure", "curves");
    og_put_text(to, "title", figure->title);
    og_put_text(to, "subtitle", figure->subtitle);
    put_paper(&figure->paper, to);
    og_document *panels = og_put_array(to, "panels");
    for (int i = 0; i < figure->panel_count; i++) {
        put_panel(&figure->panels[i], og_put_object(panels, NULL));
    }
    og_document *notes = og_put_array(to, "notes");
    for (int32_t i = 0; i < figure->note_count; i++) {
        og_put_text(notes, NULL, figure->notes[i]);
    }
}
