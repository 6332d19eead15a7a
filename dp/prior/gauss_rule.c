/*
 * Points and weights for integrals over a normal weight vector, cut where a call changes, that is
 * where some <w, x_i> changes its sign; with a proved error.
 */
#include "dp/prior/gauss_rule.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dp/base/arb.h"
#include "dp/base/grow.h"

enum {
    RULE_POINTS_MAX = 64, /* of one panel */
    PANELS_MAX = 1 << 20,
    RHO_STEPS = 48,
};

/* Shares of the tolerance for the radius, the angle and the tail; the jumps' rounding is extra. */
static const double radius_share = 0.4;
static const double angle_share = 0.4;
static const double tail_share = 0.1;

/* Jumps nearer than this, in radians, are one. */
static const double angle_apart = 1e-15;

/* ---- the integrand ---- */

typedef struct {
    og_arena arena;
    const og_gauss_wish *wish;
    double longest; /* of the rows; the largest norm */
    double away;    /* |mean| */
    double radius;  /* distance from the mean at which the tail begins */
    double from;    /* least and largest distance from 0; in one dimension the ends of the line */
    double to;
    double *rule_point[RULE_POINTS_MAX + 1]; /* Legendre's rule of each order, once computed */
    double *rule_weight[RULE_POINTS_MAX + 1];
    double *border; /* two dimensions: [border_count + 1] angles, the last 2 pi after the first */
    int32_t border_count;
    og_gauss_rule *rule;
    size_t room; /* of the rule's points and weights */
    int64_t count;
} work;

/* ln of the largest sum of the likelihoods of all outcomes if <w, x> has at most this imaginary
 * part; INFINITY: not analytic there. */
static double likelihood_growth(const work *w, double imaginary)
{
    return imaginary >= M_PI ? INFINITY : -w->wish->labels * log(cos(imaginary / 2));
}

/* ln M of a panel's ellipse with these half axes. */
typedef double growth(const work *w, double at, double major, double minor);

/* One dimension: density 1 / sqrt(2 pi) at most. */
static double line_growth(const work *w, double at, double major, double minor)
{
    (void)at;
    (void)major;
    return minor * minor / 2 - log(sqrt(2 * M_PI)) + likelihood_growth(w, minor * w->longest);
}

/* The radius: the integral over all angles of |r| times the density, 1 / (2 pi) at most. */
static double radius_growth(const work *w, double at, double major, double minor)
{
    (void)at;
    return log(w->to + major) + minor * minor / 2 + likelihood_growth(w, minor * w->longest);
}

/* The angle at radius `at`. */
static double angle_growth(const work *w, double at, double major, double minor)
{
    (void)major;
    double nearest = at - w->away;
    return at * w->away * (cosh(minor) - 1) - nearest * nearest / 2 - log(2 * M_PI) +
           likelihood_growth(w, at * w->longest * sinh(minor));
}

/* ---- how many points ---- */

typedef struct {
    int32_t panels;
    int32_t points; /* of each */
} plan;

/* Number of points of a panel with an error of at most the tolerance; 0: more than
 * RULE_POINTS_MAX. */
static int32_t points_of_panel(const work *w, growth *most, double at, double half,
                               double tolerance)
{
    double least = INFINITY;
    for (int i = 1; i <= RHO_STEPS; i++) {
        double step = 4.0 * i / RHO_STEPS; /* ln rho */
        double need = log(64.0 / 15.0 * half / tolerance) - log1p(-exp(-2 * step)) +
                      most(w, at, half * cosh(step), half * sinh(step));
        least = fmin(least, fmax(ceil(need / (2 * step)), 2));
    }
    return least <= RULE_POINTS_MAX ? (int32_t)least : 0;
}

/* The panels of an interval that need the fewest points in all; 0 panels: none found. */
static plan plan_of(const work *w, growth *most, double at, double length, double tolerance)
{
    plan best = {0, 0};
    for (int32_t panels = 1; panels <= PANELS_MAX; panels += panels / 4 + 1) {
        int32_t points = points_of_panel(w, most, at, length / panels / 2, tolerance / panels);
        if (points > 0 &&
            (best.panels == 0 || (int64_t)panels * points < (int64_t)best.panels * best.points)) {
            best = (plan){panels, points};
        }
        if (best.panels > 0 && panels > 4 * best.panels) {
            break;
        }
    }
    return best;
}

/* ---- Legendre's rule, rounded to nearest from Arb's balls ---- */

static og_status need_rule(work *w, int32_t points)
{
    enum { BITS = 128 };
    if (w->rule_point[points] != NULL) {
        return OG_OK;
    }
    double *both = og_arena_array(&w->arena, (size_t)points, 2 * sizeof *both);
    OG_TRY(OG_ALLOCATED(both));
    arb_t place, weight;
    arb_init(place);
    arb_init(weight);
    for (int32_t k = 0; k < points; k++) {
        arb_hypgeom_legendre_p_ui_root(place, weight, (uint32_t)points, (uint32_t)k, BITS);
        both[k] = arf_get_d(arb_midref(place), ARF_RND_NEAR);
        both[points + k] = arf_get_d(arb_midref(weight), ARF_RND_NEAR);
    }
    arb_clear(place);
    arb_clear(weight);
    w->rule_point[points] = both;
    w->rule_weight[points] = both + points;
    return OG_OK;
}

/* The k-th point of an interval in a plan, and its weight. */
static double place_of(const work *w, plan p, double from, double to, int64_t k, double *weight)
{
    double half = (to - from) / p.panels / 2;
    int64_t panel = k / p.points;
    *weight = half * w->rule_weight[p.points][k % p.points];
    return from + half * (2 * (double)panel + 1 + w->rule_point[p.points][k % p.points]);
}

/* ---- points ---- */

static og_status too_many(const work *w, og_message *message)
{
    return og_message_set(message, OG_STOPPED,
                          "features up to %.3g standard deviations long would take more than %lld "
                          "points of integration; smaller features or a smaller --weight-sd take "
                          "fewer",
                          w->longest, (long long)w->wish->points_max);
}

static og_status make_room(work *w, int64_t more, og_message *message)
{
    og_gauss_rule *rule = w->rule;
    if (more > w->wish->points_max - w->count) {
        return too_many(w, message);
    }
    size_t need = (size_t)(w->count + more), weights = w->room, size = sizeof(double);
    double *point = og_grown(rule->point, &w->room, need, size * (size_t)rule->dimension);
    rule->point = point != NULL ? point : rule->point;
    double *weight = og_grown(rule->weight, &weights, need, size);
    rule->weight = weight != NULL ? weight : rule->weight;
    return point != NULL && weight != NULL ? OG_OK : OG_NO_MEMORY;
}

static void add_point(work *w, const double *point, double weight)
{
    og_gauss_rule *rule = w->rule;
    double distance = 0;
    double size = 0;
    for (int32_t d = 0; d < rule->dimension; d++) {
        double off = point[d] - w->wish->mean[d];
        distance += off * off;
        size += point[d] * point[d];
        rule->point[w->count * rule->dimension + d] = point[d];
    }
    rule->reach = fmax(rule->reach, sqrt(size));
    rule->weight[w->count] = weight * exp(-distance / 2) * pow(2 * M_PI, -rule->dimension / 2.0);
    w->count++;
}

static og_status add_interval(work *w, int32_t cell, double from, double to, double tolerance,
                              og_message *message)
{
    og_gauss_rule *rule = w->rule;
    plan p = plan_of(w, line_growth, 0, to - from, tolerance);
    if (p.panels == 0) {
        return too_many(w, message);
    }
    OG_TRY(need_rule(w, p.points));
    int64_t points = (int64_t)p.panels * p.points;
    OG_TRY(make_room(w, points, message));
    for (int64_t k = 0; k < points; k++) {
        double weight;
        double point = place_of(w, p, from, to, k, &weight);
        add_point(w, &point, weight);
    }
    rule->cell_first[cell + 1] = w->count;
    return OG_OK;
}

/* The half-lines; one of them may be entirely in the tail. */
static og_status fill_line(work *w, og_message *message)
{
    og_gauss_rule *rule = w->rule;
    bool cut = w->longest > 0 && w->from < 0 && w->to > 0;
    double tolerance = (radius_share + angle_share) * w->wish->tolerance;
    double middle = cut ? 0 : w->to;
    rule->cell_count = cut ? 2 : 1;
    rule->inside[0] = cut ? -1 : w->from + w->to;
    OG_TRY(add_interval(w, 0, w->from, middle, tolerance / rule->cell_count, message));
    if (cut) {
        rule->inside[1] = 1;
        OG_TRY(add_interval(w, 1, 0, w->to, tolerance / 2, message));
    }
    rule->error = tolerance;
    return OG_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The angles at which an instance's call flips, 0 .. 2 pi; without any, the single cell begins at
 * 0. */
static void find_borders(work *w)
{
    const og_gauss_wish *wish = w->wish;
    int32_t count = 0;
    for (int32_t i = 0; i < wish->row_count; i++) {
        const double *x = &wish->row[2 * i];
        if (x[0] != 0 || x[1] != 0) {
            double angle = atan2(x[0], -x[1]); /* a quarter turn from the row's own */
            w->border[count++] = angle < 0 ? angle + M_PI : angle < M_PI ? angle : 0;
        }
    }
    qsort(w->border, (size_t)count, sizeof *w->border, compare_doubles);
    int32_t distinct = 0;
    for (int32_t i = 0; i < count; i++) {
        if (distinct == 0 || w->border[i] - w->border[distinct - 1] > angle_apart) {
            w->border[distinct++] = w->border[i];
        }
    }
    if (distinct > 1 && w->border[0] + M_PI - w->border[distinct - 1] <= angle_apart) {
        distinct--;
    }
    for (int32_t i = 0; i < distinct; i++) {
        w->border[distinct + i] = w->border[i] + M_PI;
    }
    w->border_count = distinct > 0 ? 2 * distinct : 1;
    if (distinct == 0) {
        w->border[0] = 0;
    }
    w->border[w->border_count] = w->border[0] + 2 * M_PI;
}

/* One cell: for every radius, separate points on the arc. */
static og_status add_sector(work *w, int32_t cell, plan radii, double tolerance,
                            og_message *message)
{
    double from = w->border[cell];
    double to = w->border[cell + 1];
    int64_t radius_count = (int64_t)radii.panels * radii.points;
    for (int64_t j = 0; j < radius_count; j++) {
        double radius_weight;
        double radius = place_of(w, radii, w->from, w->to, j, &radius_weight);
        plan arc = plan_of(w, angle_growth, radius, to - from, tolerance);
        if (arc.panels == 0) {
            return too_many(w, message);
        }
        OG_TRY(need_rule(w, arc.points));
        int64_t points = (int64_t)arc.panels * arc.points;
        OG_TRY(make_room(w, points, message));
        for (int64_t k = 0; k < points; k++) {
            double weight;
            double angle = place_of(w, arc, from, to, k, &weight);
            double point[2] = {radius * cos(angle), radius * sin(angle)};
            add_point(w, point, weight * radius_weight * radius);
        }
    }
    w->rule->cell_first[cell + 1] = w->count;
    return OG_OK;
}

static og_status fill_plane(work *w, og_message *message)
{
    const og_gauss_wish *wish = w->wish;
    og_gauss_rule *rule = w->rule;
    find_borders(w);
    rule->cell_count = w->border_count;
    plan radii = plan_of(w, radius_growth, 0, w->to - w->from, radius_share * wish->tolerance);
    if (radii.panels == 0 || (int64_t)radii.panels * radii.points > wish->points_max / 2) {
        return too_many(w, message); /* each radius has two points at least */
    }
    /* The weights of the radii, times the radii, sum to half the difference of the squares. */
    double area = (w->to - w->from) * (w->to + w->from) / 2;
    double tolerance = angle_share * wish->tolerance / (area * rule->cell_count);
    OG_TRY(need_rule(w, radii.points));
    for (int32_t cell = 0; cell < rule->cell_count; cell++) {
        double middle = (w->border[cell] + w->border[cell + 1]) / 2;
        rule->inside[2 * cell] = cos(middle);
        rule->inside[2 * cell + 1] = sin(middle);
        OG_TRY(add_sector(w, cell, radii, tolerance, message));
    }
    /* A border with an error in its angle moves at most that times the largest density of the
     * angle, 1 / (2 pi) + |mean| / sqrt(2 pi). */
    double border_error = angle_apart + 4 * 0x1p-52 * M_PI;
    rule->error = (radius_share + angle_share) * wish->tolerance +
                  rule->cell_count * border_error * (0.16 + 0.4 * w->away);
    return OG_OK;
}

/* ---- all of it ---- */

static og_status work_init(work *w)
{
    const og_gauss_wish *wish = w->wish;
    size_t cells = 2 * (size_t)wish->row_count + 2;
    for (int32_t i = 0; i < wish->row_count; i++) {
        const double *x = &wish->row[(int64_t)i * wish->dimension];
        w->longest = fmax(w->longest, wish->dimension == 1 ? fabs(x[0]) : hypot(x[0], x[1]));
    }
    /* The probability beyond this distance from the mean is at most exp(-radius^2 / 2). */
    w->radius = sqrt(-2 * log(tail_share * wish->tolerance));
    w->away = wish->dimension == 1 ? fabs(wish->mean[0]) : hypot(wish->mean[0], wish->mean[1]);
    bool line = wish->dimension == 1;
    w->from = line ? wish->mean[0] - w->radius : fmax(0, w->away - w->radius);
    w->to = line ? wish->mean[0] + w->radius : w->away + w->radius;
    w->rule->dimension = wish->dimension;
    w->rule->radius = w->radius;
    w->border = og_arena_array(&w->arena, cells + 1, sizeof *w->border);
    w->rule->cell_first = og_arena_array(&w->rule->arena, cells + 1, sizeof(int64_t));
    w->rule->inside = og_arena_array(&w->rule->arena, 2 * cells, sizeof(double));
    OG_TRY(og_arena_status(&w->arena));
    return og_arena_status(&w->rule->arena);
}

og_status og_gauss_rule_new(const og_gauss_wish *wish, og_gauss_rule **out, og_message *message)
{
    work w = {.wish = wish, .rule = og_arena_new(sizeof(og_gauss_rule))};
    OG_TRY(OG_ALLOCATED(w.rule));
    og_status status = work_init(&w);
    if (status == OG_OK) {
        status = wish->dimension == 1 ? fill_line(&w, message) : fill_plane(&w, message);
        w.rule->error += tail_share * wish->tolerance;
    }
    og_arena_clear(&w.arena);
    return OG_MADE(status, w.rule, og_gauss_rule_free, out);
}

void og_gauss_rule_free(og_gauss_rule *rule)
{
    if (rule != NULL) {
        free(rule->point);
        free(rule->weight);
    }
    og_arena_free(rule);
}
