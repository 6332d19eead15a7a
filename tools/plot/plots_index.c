/*
 * A map of an index over posteriors Beta(a, b), from the JSON of the command index
 * (bench/questions/index.c).
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/plot/plots.h"
#include "tools/plot/plotting.h"

enum { COLUMNS = 4 }; /* a, b, left, index */

static og_status refuse(og_message *message, const char *path)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "'%.300s' has no index over a and b: write it with 'optgap index --json' "
                          "for a Beta prior",
                          path);
}

static bool has_columns(const json_t *document)
{
    static const char *const names[COLUMNS] = {"a", "b", "left", "index"};
    const json_t *columns = json_object_get(document, "columns");
    bool same = json_array_size(columns) == COLUMNS;
    for (size_t i = 0; same && i < COLUMNS; i++) {
        const char *name = json_string_value(json_array_get(columns, i));
        same = name != NULL && strcmp(name, names[i]) == 0;
    }
    return same;
}

static bool read_row(const json_t *row, double number[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        number[i] = json_is_number(json_array_get(row, i))
                        ? json_number_value(json_array_get(row, i))
                        : NAN; /* an infinite index is null */
    }
    return json_array_size(row) == COLUMNS && !isnan(number[0] + number[1] + number[2]);
}

/* Adds a field for each posterior with so many labels left; false: a row is wrong. */
static bool add_fields(const json_t *rows, int64_t left, figure_panel *panel)
{
    plot_curve *map = figure_curve(panel, "index", "index", CURVE_MAP, 0);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        double number[COLUMNS];
        if (!read_row(json_array_get(rows, i), number)) {
            return false;
        }
        if (number[2] == (double)left && !isnan(number[3])) {
            curve_add(map, number[0], number[1], number[3], number[3]);
        }
    }
    return true;
}

/* What an index is a number of, per label. */
static const char *unit_of(const json_t *problem)
{
    const char *objective = json_string_value(json_object_get(problem, "objective"));
    const json_t *first = json_array_get(json_object_get(problem, "instances"), 0);
    return objective != NULL && strcmp(objective, "bandit") == 0 ? "positive labels"
           : json_object_get(first, "payoff") != NULL            ? "payoff"
                                                                 : "correct calls";
}

static og_status make(const json_t *document, const plot_request *request, const char *path,
                      plot_figure *out, og_message *message)
{
    const og_study *only = request->only;
    const json_t *problem = json_object_get(document, "problem");
    const char *policy = json_string_value(json_object_get(document, "policy"));
    int64_t left = only->budget_count > 0 ? only->budgets[0] : 1;
    figure_panel *panel = &out->panels[0];
    if (policy == NULL || !has_columns(document)) {
        return refuse(message, path);
    }
    if (only->budget_count > 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "this figure needs one number of labels left: give -T with one");
    }
    out->panel_count = 1;
    out->paper = request->paper;
    panel->field_width = panel->field_height = 1;
    if (!add_fields(json_object_get(document, "rows"), left, panel)) {
        return refuse(message, path);
    }
    if (panel->curves[0].count == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "-T must be a number of labels left that is in '%.300s', "
                              "not %" PRId64,
                              path, left);
    }
    snprintf(out->title, sizeof out->title, "How %.100s rates an instance",
             plot_name_of(request, policy));
    snprintf(out->subtitle, sizeof out->subtitle,
             "the largest index is labelled; %" PRId64 " label%s left", left, left == 1 ? "" : "s");
    snprintf(panel->x_label, sizeof panel->x_label, "a of the posterior Beta(a, b)");
    snprintf(panel->y_label, sizeof panel->y_label, "b");
    snprintf(panel->scale_label, sizeof panel->scale_label, "index (%s per label)",
             unit_of(problem));
    return OG_OK;
}

og_status plot_index_map(const char *path, const plot_request *request, plot_figure *out,
                         og_message *message)
{
    return plot_json(path, request, make, out, message);
}
