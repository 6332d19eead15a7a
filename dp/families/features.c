/*
 * Features: the problem in its scaled form, and the integrals on which it is based. All tables come
 * from one set of points with weights, a discrete prior on w. Sums over points have only terms >=
 * 0.
 */
#include "dp/families/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/families/features_tables.h"

static const double unit = 0x1p-53;

/* Tolerance of the rule's error; with few instances and labels the proved error is near 1e-11. */
static const double rule_tolerance = 1e-13;

/* ---- the problem ---- */

static og_status check_sd(const og_features_problem *problem, og_message *message)
{
    for (int32_t d = 0; d < problem->feature_count; d++) {
        if (!isfinite(problem->mean[d]) || !isfinite(problem->sd[d]) || problem->sd[d] <= 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "weight %ld must have a finite mean and a standard deviation > 0",
                                  (long)d + 1);
        }
    }
    return OG_OK;
}

static og_status check(const og_features_problem *problem, int64_t *had, og_message *message)
{
    if (problem->instance_count < 1 || problem->instance_count > OG_FEATURES_INSTANCES_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "there must be 1 to %d instances, not %ld",
                              OG_FEATURES_INSTANCES_MAX, (long)problem->instance_count);
    }
    if (problem->feature_count < 1 || problem->feature_count > OG_FEATURES_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "there must be 1 to %d features, not %ld",
                              OG_FEATURES_MAX, (long)problem->feature_count);
    }
    OG_TRY(problem->sd != NULL ? check_sd(problem, message) : OG_OK);
    for (int32_t i = 0; problem->positive != NULL && i < problem->instance_count; i++) {
        if (problem->positive[i] < 0 || problem->negative[i] < 0) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "instance %ld has a negative number of labels", (long)i + 1);
        }
        *had += (int64_t)problem->positive[i] + problem->negative[i];
    }
    if (problem->budget < 0 ||
        (!problem->played && problem->budget + *had > OG_FEATURES_LABELS_MAX)) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "with features at most %d labels are supported, including those given so far",
            OG_FEATURES_LABELS_MAX);
    }
    return OG_OK;
}

/* ---- the covariance ---- */

/* The lower triangle of L, [count * count], by Cholesky's method. */
static og_status factor(const og_features_problem *problem, double *lower, og_message *message)
{
    const double least = 1e-10; /* part of a variance that the weights before must leave */
    const int64_t count = problem->feature_count;
    for (int64_t d = 0; d < count; d++) {
        for (int64_t e = 0; e <= d; e++) {
            double sum = problem->covariance[d * count + e];
            for (int64_t k = 0; k < e; k++) {
                sum -= lower[d * count + k] * lower[e * count + k];
            }
            if (e < d) {
                lower[d * count + e] = sum / lower[e * count + e];
            } else if (isfinite(sum) && sum > least * problem->covariance[d * count + d]) {
                lower[d * count + d] = sqrt(sum);
            } else {
                return og_message_set(message, OG_BAD_INPUT,
                                      "the covariance of the weights must be positive definite; "
                                      "weight %ld has no variance of its own",
                                      (long)d + 1);
            }
        }
    }
    return OG_OK;
}

/* The mean in standard deviations: the root z of L z = mean. */
static void scale_mean(const og_features_problem *problem, const double *lower, double *out)
{
    const int64_t count = problem->feature_count;
    for (int64_t d = 0; d < count; d++) {
        double sum = problem->mean[d];
        for (int64_t e = 0; lower != NULL && e < d; e++) {
            sum -= lower[d * count + e] * out[e];
        }
        out[d] = sum / (lower != NULL ? lower[d * count + d] : problem->sd[d]);
    }
}

/* L'x of instance i. */
static void scale_row(const og_features_problem *problem, const double *lower, int64_t i,
                      double *out)
{
    const int64_t count = problem->feature_count;
    const double *x = &problem->row[i * count];
    for (int64_t d = 0; d < count; d++) {
        out[d] = lower != NULL ? 0 : x[d] * problem->sd[d];
        for (int64_t e = d; lower != NULL && e < count; e++) {
            out[d] += lower[e * count + d] * x[e];
        }
    }
}

static double norm(const double *x, int32_t count)
{
    double square = 0;
    for (int32_t d = 0; d < count; d++) {
        square += x[d] * x[d];
    }
    return sqrt(square);
}

/*
 * Bounds the effect of rounding L, `mean` and `row`, for at most two weights. L belongs to a
 * covariance that differs by E; in standard deviations, with the inverse C of L / sd, the total
 * variation of the prior changes by at most 3/2 |C E C'|, with |C|^2 = 2 / s for the part s of the
 * second variance that the first weight leaves. Solving L z = mean has an error of a few roundings
 * of |C| |z|, which is an upper bound of its total variation. A row's direction turns by a few
 * roundings of the ratio of |L|'|x| to L'x; at most that times 1 + |z| lies between the two lines.
 */
static void bound_input(og_features *f, const og_features_problem *problem, const double *lower)
{
    enum { WEIGHTS = OG_FEATURES_EXACT_MAX };
    const int32_t count = f->feature_count;
    double last = lower[count * count - 1];
    double left = count == 1 ? 1 : last * last / problem->covariance[count * count - 1];
    double turned = 0;
    for (int32_t i = 0; i < problem->instance_count; i++) {
        double without_signs[WEIGHTS] = {0};
        const double *x = &problem->row[i * count];
        for (int32_t d = 0; d < count; d++) {
            for (int32_t e = d; e < count; e++) {
                without_signs[d] += fabs(lower[e * count + d] * x[e]);
            }
        }
        double longest = norm(without_signs, count);
        double own = norm(&f->row[(int64_t)f->action_of[i] * count], count);
        turned = longest > 0 ? fmax(turned, longest / own) : turned;
        f->longest = fmax(f->longest, longest);
    }
    double inverse = 2 / left, away = norm(f->mean, count);
    f->input_error =
        fmin(1, unit * (24 * inverse + 8 * sqrt(inverse) * away + 4 * turned * (1 + away)));
}

/* Assigns instance i, whose scaled row comes after those of the actions, to an action. */
static void give_action(og_features *f, int32_t i, int32_t positive, int32_t negative)
{
    int32_t count = f->feature_count;
    const double *own = &f->row[(int64_t)f->action_count * count];
    int32_t action = 0;
    for (; action < f->action_count; action++) {
        const double *row = &f->row[(int64_t)action * count];
        int32_t d = 0;
        while (d < count && own[d] == row[d]) {
            d++;
        }
        if (d == count) {
            break;
        }
    }
    if (action == f->action_count) {
        f->first[action] = i;
        f->action_count++;
    }
    f->copies[action]++;
    f->action_of[i] = action;
    f->positive[action] += positive;
    f->negative[action] += negative;
}

static og_status make_features(og_features *f, const og_features_problem *problem,
                               const double *lower, og_message *message)
{
    size_t instances = (size_t)problem->instance_count;
    size_t count = (size_t)problem->feature_count;
    og_arena *arena = &f->arena;
    f->mean = og_arena_array(arena, count, sizeof *f->mean);
    f->row = og_arena_array(arena, (instances + 1) * count, sizeof *f->row);
    f->copies = og_arena_array(arena, instances, sizeof *f->copies);
    f->first = og_arena_array(arena, instances, sizeof *f->first);
    f->positive = og_arena_array(arena, instances, sizeof *f->positive);
    f->negative = og_arena_array(arena, instances, sizeof *f->negative);
    f->action_of = og_arena_array(arena, instances, sizeof *f->action_of);
    OG_TRY(og_arena_status(arena));
    scale_mean(problem, lower, f->mean);
    for (size_t d = 0; d < count; d++) {
        if (!isfinite(f->mean[d])) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "the mean of weight %zu is too many standard deviations from 0",
                                  d + 1);
        }
    }
    for (int32_t i = 0; i < problem->instance_count; i++) {
        double *own = &f->row[(size_t)f->action_count * count];
        scale_row(problem, lower, i, own);
        for (size_t d = 0; d < count; d++) {
            if (!isfinite(own[d])) {
                return og_message_set(message, OG_BAD_INPUT,
                                      "feature %zu of instance %ld is not a finite number", d + 1,
                                      (long)i + 1);
            }
        }
        give_action(f, i, problem->positive != NULL ? problem->positive[i] : 0,
                    problem->negative != NULL ? problem->negative[i] : 0);
    }
    return OG_OK;
}

/* The same, after the covariance is factored. */
static og_status fill_by_covariance(og_features *f, const og_features_problem *problem,
                                    og_message *message)
{
    size_t count = (size_t)problem->feature_count;
    if (problem->covariance == NULL) {
        return make_features(f, problem, NULL, message);
    }
    double *lower = calloc(count * count, sizeof *lower);
    OG_TRY(OG_ALLOCATED(lower));
    og_status status = factor(problem, lower, message);
    OG_THEN(status, make_features(f, problem, lower, message));
    if (status == OG_OK && problem->feature_count <= OG_FEATURES_EXACT_MAX) {
        bound_input(f, problem, lower);
    }
    free(lower);
    return status;
}

/* ---- sums ---- */

double og_features_sum(const double *x, int64_t count)
{
    double part[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            part[k] += x[i + k];
        }
    }
    for (; i < count; i++) {
        part[0] += x[i];
    }
    return (part[0] + part[1]) + (part[2] + part[3]);
}

double og_features_dot(const double *x, const double *y, int64_t count)
{
    double part[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; k++) {
            part[k] += x[i + k] * y[i + k];
        }
    }
    for (; i < count; i++) {
        part[0] += x[i] * y[i];
    }
    return (part[0] + part[1]) + (part[2] + part[3]);
}

double og_features_mass(const og_features *features, const double *mass)
{
    double total = 0;
    for (int32_t c = 0; c < features->tables->rule->cell_count; c++) {
        total += mass[c];
    }
    return total;
}

double og_features_correct(const og_features *features, const double *mass)
{
    int32_t cells = features->tables->rule->cell_count;
    double total = 0;
    for (int32_t a = 0; a < features->action_count; a++) {
        const bool *side = &features->tables->side[(int64_t)a * cells];
        double half[2] = {0, 0};
        for (int32_t c = 0; c < cells; c++) {
            half[side[c]] += mass[c];
        }
        total += (double)features->copies[a] * fmax(half[0], half[1]);
    }
    return total;
}

/* ---- tables ---- */

/* Probabilities of labels at every point: sigma(t) and sigma(-t), each without cancellation. */
static void fill_chances(const og_features *f, og_features_tables *t, int64_t points)
{
    int32_t p = f->feature_count;
    for (int32_t a = 0; a < f->action_count; a++) {
        const double *x = &f->row[(int64_t)a * p];
        for (int64_t i = 0; i < points; i++) {
            double product = 0;
            for (int32_t d = 0; d < p; d++) {
                product += x[d] * t->rule->point[i * p + d];
            }
            double less = exp(-fabs(product));
            double smaller = less / (1 + less);
            double larger = 1 / (1 + less);
            t->chance[1][a * points + i] = product >= 0 ? larger : smaller;
            t->chance[0][a * points + i] = product >= 0 ? smaller : larger;
        }
        for (int32_t c = 0; c < t->rule->cell_count; c++) {
            double product = 0;
            for (int32_t d = 0; d < p; d++) {
                product += x[d] * t->rule->inside[c * p + d];
            }
            t->side[a * t->rule->cell_count + c] = product >= 0;
        }
    }
}

static void fill_prior(const og_features *f, og_features_tables *t, int64_t points)
{
    memcpy(t->prior, t->rule->weight, (size_t)points * sizeof *t->prior);
    for (int32_t a = 0; a < f->action_count; a++) {
        for (int outcome = 0; outcome < 2; outcome++) {
            int32_t labels = outcome == 1 ? f->positive[a] : f->negative[a];
            const double *chance = &t->chance[outcome][a * points];
            for (int64_t i = 0; labels > 0 && i < points; i++) {
                t->prior[i] *= pow(chance[i], labels);
            }
        }
    }
}

/*
 * The call at the root, and the error of any value there, in four parts.
 *
 * First the rule's own error, for all outcomes together (dp/prior/gauss_rule.h), relative to the
 * evidence, once in the numerator and once in the denominator.
 *
 * Second, rounded weights and probabilities are those of another discrete prior, whose products
 * differ by a factor of at most 1 + `input`. Points have errors of 32 roundings of their distance
 * from 0, which changes the density's logarithm by radius + labels * length times that; the
 * density's own exponent has 4 radius^2 + 2 reach * radius, <w, x> 4 reach * length for each label.
 *
 * A covariance adds the rounding of the prior itself (bound_input).
 *
 * Last, the recursion's roundings on every level: products, and sums of chunks (OG_FEATURES_CHUNK),
 * of cells and instances.
 */
static og_status fill_root(const og_features *f, og_features_tables *t, int64_t points)
{
    const og_gauss_rule *rule = t->rule;
    double *mass = calloc((size_t)rule->cell_count, sizeof *mass);
    OG_TRY(OG_ALLOCATED(mass));
    for (int32_t c = 0; c < rule->cell_count; c++) {
        for (int64_t i = rule->cell_first[c]; i < rule->cell_first[c + 1]; i += OG_FEATURES_CHUNK) {
            int64_t rest = rule->cell_first[c + 1] - i;
            mass[c] +=
                og_features_sum(&t->prior[i], rest < OG_FEATURES_CHUNK ? rest : OG_FEATURES_CHUNK);
        }
    }
    t->evidence = og_features_mass(f, mass);
    t->prior_value = og_features_correct(f, mass) / t->evidence;
    free(mass);
    double length = f->longest;
    for (int32_t a = 0; a < f->action_count; a++) {
        length = fmax(length, norm(&f->row[(int64_t)a * f->feature_count], f->feature_count));
    }
    double labels = f->had + f->budget;
    double reach = rule->reach;
    double input = 32 * reach * (rule->radius + labels * length) + 4 * rule->radius * rule->radius +
                   2 * reach * rule->radius + labels * (4 * reach * length + 8) + 32;
    double level = labels + OG_FEATURES_CHUNK / 4.0 + (double)points / OG_FEATURES_CHUNK +
                   2.0 * rule->cell_count + f->action_count + 16;
    t->value_error = 1.01 * f->instance_count *
                     (2 * (rule->error + 2 * f->input_error) / t->evidence +
                      unit * (2 * input + (2 * labels + 3) * level));
    return OG_OK;
}

/* For every point: the point, its weight, the probabilities of all labels, and its place in
 * `prior`. */
static uint64_t bytes_of_point(const og_features *f)
{
    return (2 * (uint64_t)f->action_count + (uint64_t)f->feature_count + 2) * sizeof(double);
}

static og_status allocate(const og_features *f, og_features_tables *t)
{
    size_t points = (size_t)t->rule->cell_first[t->rule->cell_count];
    size_t actions = (size_t)f->action_count;
    t->bytes = bytes_of_point(f) * points;
    t->chance[0] = og_arena_array(&t->arena, actions * points, sizeof(double));
    t->chance[1] = og_arena_array(&t->arena, actions * points, sizeof(double));
    t->prior = og_arena_array(&t->arena, points, sizeof(double));
    t->side = og_arena_array(&t->arena, actions * (size_t)t->rule->cell_count, sizeof *t->side);
    return og_arena_status(&t->arena);
}

/* The points, as many as limit and memory hold. */
static og_status make_rule(const og_features *f, uint64_t memory_bytes, og_gauss_rule **out,
                           og_message *message)
{
    uint64_t room = memory_bytes / bytes_of_point(f);
    bool little = room < OG_FEATURES_POINTS_MAX;
    og_gauss_wish wish = {.dimension = f->feature_count,
                          .mean = f->mean,
                          .row_count = f->action_count,
                          .row = f->row,
                          .labels = f->had + f->budget,
                          .tolerance = rule_tolerance,
                          .points_max = little ? (int64_t)room : OG_FEATURES_POINTS_MAX};
    og_status status = og_gauss_rule_new(&wish, out, message);
    if (status == OG_STOPPED && little) {
        char text[OG_BYTES_TEXT_BYTES];
        og_message_set(message, status,
                       "the memory limit of %s does not hold the points of integration over the "
                       "weights",
                       og_bytes_format(memory_bytes, text));
    }
    return status;
}

static void tables_free(og_features_tables *tables)
{
    if (tables != NULL) {
        og_gauss_rule_free(tables->rule);
        og_arena_free(tables);
    }
}

static og_status tables_new(const og_features *features, uint64_t memory_bytes,
                            og_features_tables **out, og_message *message)
{
    og_features_tables *t = og_arena_new(sizeof *t);
    OG_TRY(OG_ALLOCATED(t));
    og_status status = make_rule(features, memory_bytes, &t->rule, message);
    OG_THEN(status, allocate(features, t));
    if (status == OG_OK) {
        int64_t points = t->rule->cell_first[t->rule->cell_count];
        og_features half_made = *features;
        half_made.tables = t;
        fill_chances(features, t, points);
        fill_prior(features, t, points);
        status = fill_root(&half_made, t, points);
    }
    return OG_MADE(status, t, tables_free, out);
}

/* ---- the whole ---- */

og_status og_features_new(const og_features_problem *problem, uint64_t memory_bytes,
                          og_features **out, og_message *message)
{
    int64_t had = 0;
    OG_TRY(check(problem, &had, message));
    og_features *f = og_arena_new(sizeof *f);
    OG_TRY(OG_ALLOCATED(f));
    f->instance_count = problem->instance_count;
    f->feature_count = problem->feature_count;
    f->budget = problem->budget;
    f->had = (int32_t)had;
    og_status status = fill_by_covariance(f, problem, message);
    if (status == OG_OK && !problem->played && f->feature_count <= OG_FEATURES_EXACT_MAX) {
        status = tables_new(f, memory_bytes, &f->tables, message);
    }
    return OG_MADE(status, f, og_features_free, out);
}

void og_features_free(og_features *features)
{
    if (features != NULL) {
        tables_free(features->tables);
        og_arena_free(features);
    }
}

/* ---- small questions ---- */

int64_t og_features_points(const og_features *features)
{
    const og_features_tables *t = features->tables;
    return t != NULL ? t->rule->cell_first[t->rule->cell_count] : 0;
}

double og_features_prior(const og_features *features, double *error)
{
    *error = features->tables->value_error;
    return features->tables->prior_value;
}
