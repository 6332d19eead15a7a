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

void figure_note(plot_figure *of, const char *format, ...)
{
    char text[4 * FIGURE_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    of->notes = grow(of->notes, (size_t)of->note_count + 1, sizeof *of->notes);
    of->notes[of->note_count++] = copy_text(text);
}

void curve_add(plot_curve *to, double x, double y, double low, double high)
{
    to->points = grow(to->points, to->count + 1, sizeof *to->points);
    to->points[to->count++] = (curve_point){x, y, low, high};
}

void figure_clear(plot_figure *of)
{
    for (int p = 0; p < of->panel_count; p++) {
        figure_panel *panel = &of->panels[p];
        for (int32_t i = 0; i < panel->curve_count; i++) {
            free(panel->curves[i].name);
            free(panel->curves[i].kin);
            free(panel->curves[i].points);
        }
        free(panel->curves);
    }
    for (int32_t i = 0; i < of->note_count; i++) {
        free(of->notes[i]);
    }
    free(of->notes);
    memset(of, 0, sizeof *of);
}

static size_t count_points(const plot_curve *of)
{
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        count += isfinite(of->points[i].y);
    }
    return count;
}

bool curve_is_drawn(const plot_curve *of)
{
    return count_points(of) > 0;
}

bool curve_is_dot(const plot_curve *of)
{
    return count_points(of) == 1;
}

og_status figure_check(const plot_figure *of, og_message *message)
{
    for (int p = 0; p < of->panel_count; p++) {
        const figure_panel *panel = &of->panels[p];
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
static void put_numbers(og_document *to, const char *name, const plot_curve *of, size_t at)
{
    og_document *list = og_put_array(to, name);
    for (size_t i = 0; i < of->count; i++) {
        og_put_number(list, NULL, *(const double *)((const char *)&of->points[i] + at));
    }
}

static void put_curve(const plot_curve *of, og_document *to)
{
    static const char *const kinds[] = {
        [CURVE_LINE] = "line", [CURVE_MARKS] = "marks", [CURVE_TRACE] = "trace",
        [CURVE_BAND] = "band", [CURVE_MAP] = "map",     [CURVE_HEAVY] = "heavy"};
    og_put_text(to, "name", of->name);
    og_put_text(to, "kind", kinds[of->kind]);
    og_put_text(to, "group", of->kin);
    if (of->home < LOOKS) {
        og_put_whole(to, "look", (uint64_t)of->home);
    }
    put_numbers(to, "x", of, offsetof(curve_point, x));
    put_numbers(to, "y", of, offsetof(curve_point, y));
    if (of->kind != CURVE_LINE && of->kind != CURVE_HEAVY) {
        put_numbers(to, "low", of, offsetof(curve_point, low));
        put_numbers(to, "high", of, offsetof(curve_point, high));
    }
}

static void put_panel(const figure_panel *of, og_document *to)
{
    og_put_text(to, "x_label", of->x_label);
    og_put_text(to, "y_label", of->y_label);
    og_put_bool(to, "from_zero", of->from_zero);
    og_put_bool(to, "logarithmic", of->logarithmic);
    og_put_bool(to, "whole_x", of->whole_x);
    if (of->field_width > 0) {
        og_put_number(to, "field_width", of->field_width);
        og_put_number(to, "field_height", of->field_height);
        og_put_text(to, "scale_label", of->scale_label);
    }
    og_document *curves = og_put_array(to, "curves");
    for (int32_t i = 0; i < of->curve_count; i++) {
        if (curve_is_drawn(&of->curves[i])) {
            put_curve(&of->curves[i], og_put_object(curves, NULL));
        }
    }
}

static void put_paper(const figure_paper *of, og_document *to)
{
    if (of->width > 0) {
        og_put_number(to, "width", of->width);
        og_put_number(to, "height", of->height);
    }
    if (of->font[0] != '\0') {
        og_put_text(to, "font", of->font);
    }
    if (of->font_points > 0) {
        og_put_number(to, "points", of->font_points);
    }
}

void figure_put(const plot_figure *of, og_document *to)
{
    og_put_text(to, "figure", "curves");
    og_put_text(to, "title", of->title);
    og_put_text(to, "subtitle", of->subtitle);
    put_paper(&of->paper, to);
    og_document *panels = og_put_array(to, "panels");
    for (int i = 0; i < of->panel_count; i++) {
        put_panel(&of->panels[i], og_put_object(panels, NULL));
    }
    og_document *notes = og_put_array(to, "notes");
    for (int32_t i = 0; i < of->note_count; i++) {
        og_put_text(notes, NULL, of->notes[i]);
    }
}
