/* Computes the integral over the time of a stage whose ties are broken at random. */
#include "dp/product/stationary/stage_time.h"

#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "dp/product/stationary/law.h"

enum { POINTS = 32 };
static const double tolerance = 1e-18; /* for each panel, as a share of the stage's largest gain */

/* The largest gain of an instance of this arm in one visit, and in all visits. */
static void visit_gains(const og_path *path, double *most, double *all)
{
    *most = *all = 0;
    for (int32_t m = 1; m <= path->visits; m++) {
        double sum = 0;
        for (int32_t n = 0; n < path->budget; n++) {
            sum += og_path_gain(path, m)[n];
        }
        *most = fmax(*most, sum);
        *all += sum;
    }
}

static int64_t instances(const og_clock_stage *stage)
{
    int64_t sum = 0;
    for (int32_t a = 0; a < stage->arm_count; a++) {
        sum += stage->copies[a];
    }
    return sum;
}

static int32_t visits_most(const og_clock_stage *stage)
{
    int32_t most = 0;
    for (int32_t a = 0; a < stage->arm_count; a++) {
        most = stage->path[a]->visits > most ? stage->path[a]->visits : most;
    }
    return most;
}

double og_clock_rounds(const og_clock_stage *stage)
{
    /* Poisson weights: an exponential and 2 a step, for up to all visits; their sums; points and
     * weights; then powers and products of distributions for all instances. */
    double visits = visits_most(stage);
    double copies = (double)instances(stage);
    return (copies + 1) * (stage->budget + 4 + 4 * visits + 8) + 16;
}

/* ---- panels ---- */

/* The panel's proved error divided by the factor M: the best of some ellipses. */
static double panel_error(double centre, double half, double copies)
{
    double least = INFINITY;
    for (double rho = 1.05; rho < 40; rho *= 1.05) {
        double x = centre - half * (rho + 1 / rho) / 2;
        double y = half * (rho - 1 / rho) / 2;
        double grows = copies * (hypot(x, y) - x) * (1 + 1e-12);
        double log_error =
            log(64.0 / 15 * half) + grows - 2 * POINTS * log(rho) - log1p(-1 / (rho * rho));
        least = fmin(least, log_error);
    }
    return exp(least) * 1.001;
}

/* Upper bound of P(Poisson(t) < m). */
static double poisson_below(double t, int32_t m)
{
    double term = exp(-t), sum = 0;
    for (int32_t k = 0; k < m; k++) {
        sum += term;
        term *= t / (k + 1);
    }
    return sum * (1 + 4 * m * 0x1p-52) + 0x1p-1000;
}

/* The ends of the panels, from 0 until hardly any visit is left. NULL: no memory. */
static double *panel_ends(const og_clock_stage *stage, double most, double all, int32_t *count,
                          double *error)
{
    double copies = (double)instances(stage);
    int32_t visits = visits_most(stage);
    double end = visits + 45, half = end / 2, begin = 0;
    while (poisson_below(end, visits) > tolerance) {
        end *= 1.1;
    }
    size_t room = 64;
    double *ends = malloc(room * sizeof *ends);
    *error = all * poisson_below(end, visits);
    *count = 0;
    while (ends != NULL && begin < end) {
        half = fmin(4 * half, (end - begin) / 2);
        double off = panel_error(begin + half, half, copies);
        while (off > tolerance) {
            half *= 0.8;
            off = panel_error(begin + half, half, copies);
        }
        if ((size_t)*count == room) {
            room *= 2;
            double *more = realloc(ends, room * sizeof *ends);
            if (more == NULL) {
                free(ends);
                return NULL;
            }
            ends = more;
        }
        begin = begin + 2 * half < end * (1 - 1e-12) ? begin + 2 * half : end;
        ends[(*count)++] = begin;
        *error += most * off;
    }
    return ends;
}

/* ---- the integrand ---- */

typedef struct {
    const og_clock_stage *stage;
    const gsl_integration_glfixed_table *rule;
    const double *ends;
    double *value;   /* [panels * POINTS], weighted */
    double *scratch; /* [threads * scratch_size] */
    size_t scratch_size;
} time_integral;

/* weight[m] = Pois(m; t) for m < visits, and weight[visits] is the probability of that many or
 * more. */
static void poisson(double t, int32_t visits, double *weight)
{
    double term = exp(-t);
    for (int32_t m = 0; m < visits; m++) {
        weight[m] = term;
        term *= t / (m + 1);
    }
    double rest = 0;
    for (int32_t m = visits; term > 0 && (m <= t || term > rest * 0x1p-56); m++) {
        rest += term;
        term *= t / (m + 1);
    }
    weight[visits] = rest;
}

static void mix(const og_path *path, const double *weight, double *law)
{
    size_t size = (size_t)path->budget + 1;
    memset(law, 0, size * sizeof *law);
    for (int32_t m = 0; m <= path->visits; m++) {
        const double *row = og_path_law(path, m);
        for (size_t n = 0; n < size; n++) {
            law[n] += weight[m] * row[n];
        }
    }
}

/* Gain of one instance of this arm, if `others` is the distribution of the labels of all others
 * until then. weight[m - 1] is also the density of the begin of visit m. */
static double earn(const og_path *path, const double *weight, const double *others)
{
    double sum = 0, within = 0;
    for (int32_t n = path->budget - 1; n >= 0; n--) {
        within += others[path->budget - 1 - n];
        double gain = 0;
        for (int32_t m = 1; m <= path->visits; m++) {
            gain += weight[m - 1] * og_path_gain(path, m)[n];
        }
        sum += gain * within;
    }
    return sum;
}

/* Uses prefixes and suffixes of the product over arms, so that each arm's own factor is omitted. */
static double integrand(const og_clock_stage *stage, double t, double *scratch)
{
    int32_t budget = stage->budget, arms = stage->arm_count;
    size_t size = (size_t)budget + 1;
    double *rest = scratch;                     /* [arms]: all copies but one */
    double *after = rest + (size_t)arms * size; /* [arms + 1]: all later arms */
    double *before = after + ((size_t)arms + 1) * size;
    double *law = before + size, *one = law + size, *two = one + size; /* two: [2] */
    double *weight = two + 2 * size;                                   /* [arms * visits] */
    size_t visits = OG_PATH_VISITS_MAX + 1;
    og_law_none(budget, after + (size_t)arms * size);
    for (int32_t a = arms - 1; a >= 0; a--) {
        poisson(t, stage->path[a]->visits, weight + (size_t)a * visits);
        mix(stage->path[a], weight + (size_t)a * visits, law);
        og_law_power(budget, law, stage->copies[a] - 1, rest + (size_t)a * size, two);
        og_law_times(budget, rest + (size_t)a * size, law, one);
        og_law_times(budget, after + ((size_t)a + 1) * size, one, after + (size_t)a * size);
    }
    double sum = 0;
    og_law_none(budget, before);
    for (int32_t a = 0; a < arms; a++) {
        const double *w = weight + (size_t)a * visits;
        og_law_times(budget, before, rest + (size_t)a * size, one);
        og_law_times(budget, after + ((size_t)a + 1) * size, one, two);
        sum += (double)stage->copies[a] * earn(stage->path[a], w, two);
        mix(stage->path[a], w, law);
        og_law_times(budget, one, law, before);
    }
    return sum;
}

static void points(void *context, int thread, int64_t begin, int64_t end)
{
    time_integral *integral = context;
    double *scratch = integral->scratch + (size_t)thread * integral->scratch_size;
    for (int64_t i = begin; i < end; i++) {
        int64_t panel = i / POINTS;
        double t, weight;
        gsl_integration_glfixed_point(panel > 0 ? integral->ends[panel - 1] : 0,
                                      integral->ends[panel], (size_t)(i % POINTS), &t, &weight,
                                      integral->rule);
        integral->value[i] = weight * integrand(integral->stage, t, scratch);
    }
}

static double products_of(const og_clock_stage *stage, int32_t panels)
{
    double each = 0;
    for (int32_t a = 0; a < stage->arm_count; a++) {
        each += 5 + 2 * log2((double)stage->copies[a]);
    }
    return each * panels * POINTS;
}

static og_status integrate(const og_clock_stage *stage, const double *ends, int32_t panels,
                           double *gain)
{
    const int64_t grain = 4;
    int64_t count = (int64_t)panels * POINTS;
    size_t size = (size_t)stage->budget + 1, arms = (size_t)stage->arm_count;
    time_integral integral = {.stage = stage,
                              .ends = ends,
                              .scratch_size =
                                  (2 * arms + 6) * size + arms * (OG_PATH_VISITS_MAX + 1)};
    og_arena arena = {0};
    integral.value = og_arena_array(&arena, (size_t)count, sizeof *integral.value);
    integral.scratch = og_arena_array(&arena, (size_t)stage->threads * integral.scratch_size,
                                      sizeof *integral.scratch);
    gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(POINTS);
    og_status status = rule == NULL ? OG_NO_MEMORY : og_arena_status(&arena);
    if (status == OG_OK) {
        integral.rule = rule;
        og_parallel_ranges(stage->threads, count, grain, points, &integral);
        *gain = 0;
        for (int64_t i = 0; i < count; i++) {
            *gain += integral.value[i];
        }
    }
    gsl_integration_glfixed_table_free(rule);
    og_arena_clear(&arena);
    return status;
}

og_status og_clock_gain(const og_clock_stage *stage, double *gain, double *error, double *products)
{
    double most = 0, all = 0;
    for (int32_t a = 0; a < stage->arm_count; a++) {
        double of_visit, of_all;
        visit_gains(stage->path[a], &of_visit, &of_all);
        most += (double)stage->copies[a] * of_visit;
        all += (double)stage->copies[a] * of_all;
    }
    int32_t panels;
    double *ends = panel_ends(stage, most, all, &panels, error);
    OG_TRY(OG_ALLOCATED(ends));
    *products = products_of(stage, panels);
    og_status status =
        *products > stage->products_max ? OG_STOPPED : integrate(stage, ends, panels, gain);
    free(ends);
    return status;
}
