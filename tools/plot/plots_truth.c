/*
 * Figures of exact cells whose labels do not follow the prior that policies assume
 * (bench/study/law.h): curves over a grid of truths, and the map of the regret of a wrong prior.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/fraction.h"
#include "tools/plot/plotting.h"

enum { SQL_BYTES = 1024 };

static const char optimal[] = "optimal";

/* ---- curves over truths ---- */

static const char listed[] = "AND runs = 0 AND (truth LIKE 'grid:%%' OR truth LIKE 'list:%%')";

/* The policy that is optimal under the assumed prior is the reference, drawn as a thick line. */
static plot_curve *curve_for(const plotting *plot, const answers *rows)
{
    figure_panel *panel = &plot->out->panels[0];
    const char *policy = plot_text(rows, 1);
    if (strcmp(policy, optimal) != 0) {
        return plot_curve_of(plot, panel, policy, plot_text(rows, 2), 0);
    }
    for (int32_t i = 0; i < panel->curve_count; i++) {
        if (panel->curves[i].kind == CURVE_HEAVY) {
            return &panel->curves[i];
        }
    }
    return figure_curve(panel, "optimal as believed", optimal, CURVE_HEAVY, 0);
}

/* The right call changes at the threshold: lines are broken there. */
static double threshold_of(const char *prior)
{
    og_group group;
    char word[FIGURE_TEXT_BYTES];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(prior, " "), prior);
    return og_group_parse(word, &group, NULL) == OG_OK ? og_fraction_double(group.threshold) : NAN;
}

static void add_point(plot_curve *to, double x, double y, double threshold)
{
    double last = to->count > 0 ? to->points[to->count - 1].x : INFINITY;
    if (last < threshold && x >= threshold) {
        curve_add(to, threshold, NAN, NAN, NAN);
    }
    curve_add(to, x, y, y, y);
}

static og_status add_curves(plotting *plot, bool wrong, double threshold)
{
    char sql[SQL_BYTES];
    snprintf(sql, sizeof sql,
             "SELECT s.soft, r.policy, r.ties, %s FROM (SELECT * FROM result WHERE policy IS NOT"
             " NULL %s %%s) r JOIN cell c ON c.prior = r.prior AND c.instances = r.instances"
             " AND c.budget = r.budget AND c.runs = r.runs AND c.truth = r.truth"
             " JOIN spent s ON s.cell = c.id AND s.policy = r.policy AND s.ties = r.ties"
             " AND s.instance = 0 ORDER BY r.policy = 'optimal', r.policy, r.ties, s.soft",
             wrong ? "s.wrong" : "r.correct", listed);
    answers rows = plot_ask(plot, sql);
    while (plot_next(&rows)) {
        add_point(curve_for(plot, &rows), plot_real(&rows, 0), plot_real(&rows, 3), threshold);
    }
    return plot_done(&rows);
}

og_status plot_truth(plotting *plot, bool wrong)
{
    char prior[FIGURE_TEXT_BYTES], instances[FIGURE_TEXT_BYTES], budget[FIGURE_TEXT_BYTES];
    plot_figure *out = plot->out;
    figure_panel *panel = &out->panels[0];
    OG_TRY(plot_find_one(plot, "prior", "--prior", listed, prior));
    OG_TRY(plot_find_one(plot, "instances", "--instances", listed, instances));
    OG_TRY(plot_find_one(plot, "budget", "--budget", listed, budget));
    OG_TRY(plot_find_names(plot, listed));
    bool one = strcmp(instances, "1") == 0;
    out->panel_count = 1;
    panel->from_zero = wrong;
    snprintf(out->title, sizeof out->title,
             wrong ? "How often decisions are wrong" : "How many decisions are correct");
    snprintf(out->subtitle, sizeof out->subtitle, "%.20s instance%s, %.20s label%s, prior %.100s",
             instances, one ? "" : "s", budget, strcmp(budget, "1") == 0 ? "" : "s", prior);
    snprintf(panel->x_label, sizeof panel->x_label,
             "true soft label%s (chance of a positive label)", one ? "" : " of the first instance");
    if (wrong) {
        snprintf(panel->y_label, sizeof panel->y_label, "chance that it is called wrong");
    } else {
        snprintf(panel->y_label, sizeof panel->y_label, "expected correct calls, of %.40s",
                 instances);
    }
    return add_curves(plot, wrong, threshold_of(prior));
}

/* ---- the map of assumed priors ---- */

static const char believed[] = "AND truth LIKE 'believe:%%'";

/* The policy that is optimal under the assumed prior, unless policies were chosen. */
static og_status find_player(const plotting *plot, char who[FIGURE_TEXT_BYTES],
                             char ties[FIGURE_TEXT_BYTES])
{
    if (plot->request->only->policy_count == 0) {
        snprintf(who, FIGURE_TEXT_BYTES, "%s", optimal);
        snprintf(ties, FIGURE_TEXT_BYTES, "random");
        return OG_OK;
    }
    OG_TRY(plot_find_one(plot, "policy", "--policies", believed, who));
    return plot_find_one(plot, "ties", "--ties", believed, ties);
}

static bool read_pair(const char *text, double *a, double *b)
{
    og_fraction x, y;
    const char *comma = strchr(text, ',');
    bool good = comma != NULL && og_fraction_parse(text, (size_t)(comma - text), &x) == OG_OK &&
                og_fraction_parse(comma + 1, strlen(comma + 1), &y) == OG_OK;
    *a = good ? og_fraction_double(x) : NAN;
    *b = good ? og_fraction_double(y) : NAN;
    return good;
}

static int by_number(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The smallest difference between distinct numbers; 1 if there is none. Sorts them. */
static double least_step(double *number, size_t count)
{
    double step = INFINITY;
    qsort(number, count, sizeof *number, by_number);
    for (size_t i = 1; i < count; i++) {
        step = number[i] > number[i - 1] ? fmin(step, number[i] - number[i - 1]) : step;
    }
    return isfinite(step) ? step : 1;
}

static og_status find_fields(figure_panel *panel)
{
    const plot_curve *map = &panel->curves[0];
    double *number = malloc((map->count + 1) * sizeof *number);
    OG_TRY(OG_ALLOCATED(number));
    for (size_t i = 0; i < map->count; i++) {
        number[i] = map->points[i].x;
    }
    panel->field_width = least_step(number, map->count);
    for (size_t i = 0; i < map->count; i++) {
        number[i] = map->points[i].y;
    }
    panel->field_height = least_step(number, map->count);
    free(number);
    return OG_OK;
}

static og_status add_map(plotting *plot, const char *who, const char *ties)
{
    figure_panel *panel = &plot->out->panels[0];
    char sql[SQL_BYTES];
    figure_curve(panel, "regret", "regret", CURVE_MAP, 0);
    snprintf(sql, sizeof sql,
             "SELECT substr(truth, 9), gap * f, policy, ties, coalesce(reason, cell_reason) FROM"
             " (SELECT *, %s AS f FROM result WHERE policy IS NOT NULL %s %%s) ORDER BY truth",
             plot_units[plot->request->axis].factor, believed);
    answers rows = plot_ask(plot, sql);
    while (plot_next(&rows)) {
        double a, b, gap = plot_real(&rows, 1);
        if (strcmp(plot_text(&rows, 2), who) != 0 || strcmp(plot_text(&rows, 3), ties) != 0 ||
            !read_pair(plot_text(&rows, 0), &a, &b)) {
            continue;
        }
        if (isnan(gap)) {
            figure_note(plot->out, "No regret at %.60s: %.100s.", plot_text(&rows, 0),
                        plot_text(&rows, 4));
        } else {
            curve_add(&panel->curves[0], a, b, gap, gap);
        }
    }
    return plot_done(&rows);
}

/* Marks the true prior on the map. */
static void mark_prior(figure_panel *panel, const char *prior)
{
    double a, b, low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    char pair[FIGURE_TEXT_BYTES];
    snprintf(pair, sizeof pair, "%.*s", (int)strcspn(prior, "@ "), prior);
    const plot_curve *map = &panel->curves[0];
    for (size_t i = 0; i < map->count; i++) {
        low_x = fmin(low_x, map->points[i].x);
        high_x = fmax(high_x, map->points[i].x);
        low_y = fmin(low_y, map->points[i].y);
        high_y = fmax(high_y, map->points[i].y);
    }
    if (read_pair(pair, &a, &b) && a >= low_x && a <= high_x && b >= low_y && b <= high_y) {
        plot_curve *mark =
            figure_curve(panel, "the prior that labels fall by", "prior", CURVE_LINE, 1);
        curve_add(mark, a, b, NAN, NAN);
    }
}

og_status plot_beliefs(plotting *plot)
{
    char prior[FIGURE_TEXT_BYTES], instances[FIGURE_TEXT_BYTES], budget[FIGURE_TEXT_BYTES];
    char who[FIGURE_TEXT_BYTES], ties[FIGURE_TEXT_BYTES];
    plot_figure *out = plot->out;
    figure_panel *panel = &out->panels[0];
    OG_TRY(plot_find_one(plot, "prior", "--prior", believed, prior));
    OG_TRY(plot_find_one(plot, "instances", "--instances", believed, instances));
    OG_TRY(plot_find_one(plot, "budget", "--budget", believed, budget));
    OG_TRY(find_player(plot, who, ties));
    out->panel_count = 1;
    bool is_optimal = strcmp(who, optimal) == 0;
    snprintf(out->title, sizeof out->title, "What a wrong prior costs %.80s",
             is_optimal ? "the optimal policy" : plot_name_of(plot->request, who));
    snprintf(out->subtitle, sizeof out->subtitle,
             "%.20s instance%s, %.20s label%s, labels fall by %.100s, ties %.20s", instances,
             strcmp(instances, "1") == 0 ? "" : "s", budget, strcmp(budget, "1") == 0 ? "" : "s",
             prior, ties);
    snprintf(panel->x_label, sizeof panel->x_label, "A of the believed Beta(A, B) (labels)");
    snprintf(panel->y_label, sizeof panel->y_label, "B (labels)");
    const char *unit = plot_units[plot->request->axis].label;
    bool gap = strncmp(unit, "gap", 3) == 0;
    snprintf(panel->scale_label, sizeof panel->scale_label, "%s%s", gap ? "regret" : "",
             gap ? unit + 3 : unit);
    OG_TRY(add_map(plot, who, ties));
    OG_TRY(find_fields(panel));
    mark_prior(panel, prior);
    return OG_OK;
}
