/*
 * A map of how often each pair of items is compared, from the JSON of simulate or replay with
 * --counts (bench/simulation/ranking_document.h).
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/plot/plots.h"
#include "tools/plot/plotting.h"

static og_status refuse(og_message *message, const char *path)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "'%.300s' has no counts of pairs: write it with 'optgap simulate "
                          "--problem ranking --counts --json' (at most 100 items)",
                          path);
}

static bool is_wanted(const og_study *only, const char *name)
{
    bool wanted = only->policy_count == 0;
    for (int32_t i = 0; i < only->policy_count; i++) {
        wanted = wanted || strcmp(only->policies[i].name, name) == 0;
    }
    return wanted;
}

/* The policy to draw; OG_BAD_INPUT if there is none or more than one. */
static og_status find_policy(const json_t *policies, const plot_request *request, const char *path,
                             const json_t **out, og_message *message)
{
    char names[FIGURE_TEXT_BYTES] = "";
    size_t used = 0;
    int32_t count = 0;
    *out = NULL;
    for (size_t i = 0; i < json_array_size(policies); i++) {
        const json_t *policy = json_array_get(policies, i);
        const char *name = json_string_value(json_object_get(policy, "name"));
        if (name == NULL || !json_is_array(json_object_get(policy, "comparisons_by_rank"))) {
            continue;
        }
        if (is_wanted(request->only, name)) {
            *out = policy;
            count++;
        }
        int length =
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", name);
        used = used + (size_t)length < sizeof names ? used + (size_t)length : sizeof names - 1;
    }
    if (used == 0) {
        return refuse(message, path);
    }
    return count == 1 ? OG_OK
                      : og_message_set(message, OG_BAD_INPUT,
                                       "this figure needs one policy: give --policies with one of "
                                       "%s",
                                       names);
}

/* Adds a field for each two ranks; the sum over pairs. NAN: no such matrix. */
static double add_fields(const json_t *rows, figure_panel *panel)
{
    size_t items = json_array_size(rows);
    double sum = 0;
    plot_curve *map = figure_curve(panel, "comparisons", "comparisons", CURVE_MAP, 0);
    for (size_t i = 0; i < items; i++) {
        const json_t *row = json_array_get(rows, i);
        for (size_t j = 0; j < items; j++) {
            const json_t *cell = json_array_get(row, j);
            if (!json_is_number(cell) || json_array_size(row) != items) {
                return NAN;
            }
            double value = json_number_value(cell);
            if (i != j) {
                curve_add(map, (double)i + 1, (double)j + 1, value, value);
            }
            sum += i < j ? value : 0;
        }
    }
    return sum;
}

static og_status make(const json_t *document, const plot_request *request, const char *path,
                      plot_figure *out, og_message *message)
{
    const json_t *policy;
    OG_TRY(find_policy(json_object_get(document, "policies"), request, path, &policy, message));
    const json_t *rows = json_object_get(policy, "comparisons_by_rank");
    figure_panel *panel = &out->panels[0];
    out->panel_count = 1;
    out->paper = request->paper;
    panel->field_width = panel->field_height = 1;
    panel->whole_x = true;
    double sum = add_fields(rows, panel);
    if (isnan(sum)) {
        return refuse(message, path);
    }
    const char *name = json_string_value(json_object_get(policy, "name"));
    snprintf(out->title, sizeof out->title, "Which pairs are compared: %.100s",
             plot_name_of(request, name));
    snprintf(out->subtitle, sizeof out->subtitle,
             "%zu items, %.6g comparisons, mean of %" JSON_INTEGER_FORMAT " runs",
             json_array_size(rows), sum, json_integer_value(json_object_get(document, "runs")));
    snprintf(panel->x_label, sizeof panel->x_label,
             "rank of one item by true score; 1 is the best");
    snprintf(panel->y_label, sizeof panel->y_label, "rank of the other");
    snprintf(panel->scale_label, sizeof panel->scale_label, "comparisons of the pair");
    return OG_OK;
}

og_status plot_pairs(const char *path, const plot_request *request, plot_figure *out,
                     og_message *message)
{
    return plot_json(path, request, make, out, message);
}
