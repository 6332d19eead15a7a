/* Sources of unknown accuracy: the problem, and the posterior of the truths after a table of
 * labels. */
#include "dp/families/sources_unknown.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "dp/families/crowd.h"
#include "dp/families/sources_unknown_sums.h"

bool og_crowd_any(const og_crowd_sources *sources)
{
    bool any = false;
    for (int32_t j = 0; j < sources->sources.count; j++) {
        any = any || sources->wrong[j].den > 0;
    }
    return any;
}

og_sources og_crowd_as_known(const og_crowd_sources *sources, const og_fraction *accuracy)
{
    og_sources as = sources->sources;
    for (int32_t j = 0; j < as.count; j++) {
        if (sources->wrong[j].den > 0) {
            as.source[j].accuracy = accuracy[j];
        }
    }
    return as;
}

/* ---- the problem ---- */

static bool is_parameter(og_fraction value)
{
    double parameter = og_fraction_double(value);
    return parameter >= OG_PARAMETER_MIN && parameter <= OG_PARAMETER_MAX;
}

og_status og_crowd_check(const og_crowd_sources *sources, og_message *message)
{
    og_fraction half[OG_SOURCES_MAX];
    for (int32_t j = 0; j < OG_SOURCES_MAX; j++) {
        half[j] = (og_fraction){1, 2};
    }
    const og_sources known = og_crowd_as_known(sources, half);
    OG_TRY(og_sources_check(&known, message));
    for (int32_t j = 0; j < known.count; j++) {
        if (sources->wrong[j].den > 0 && !(is_parameter(sources->sources.source[j].accuracy) &&
                                           is_parameter(sources->wrong[j]))) {
            return og_message_set(
                message, OG_BAD_INPUT,
                "the accuracy of a source must be a Beta with parameters from %g to %g",
                OG_PARAMETER_MIN, OG_PARAMETER_MAX);
        }
    }
    return OG_OK;
}

static og_status check(const og_groups *instances, const og_crowd_sources *sources,
                       og_message *message)
{
    OG_TRY(og_crowd_check(sources, message));
    for (int32_t g = 0; g < instances->group_count; g++) {
        OG_TRY(og_sources_check_group(og_groups_at(instances, g), message));
    }
    return OG_OK;
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static void read_source(const og_crowd_problem *problem, const og_crowd_sources *sources, int32_t j,
                        og_crowd_source *s)
{
    const og_label_source *given = &sources->sources.source[j];
    const int32_t affordable = problem->budget / given->price;
    const og_fraction right = given->accuracy;
    s->known = sources->wrong[j].den == 0;
    s->sure = s->known && (right.num == 0 || right.num == right.den);
    s->cancels = s->known && (given->most == 0 || given->most >= affordable);
    s->price = given->price;
    s->most = given->most == 0 || given->most >= affordable ? affordable : given->most;
    s->total = (int32_t)least(affordable, problem->instances * s->most);
    s->part[0] = right;
    s->part[1] = s->known ? og_fraction_make(right.den - right.num, right.den) : sources->wrong[j];
    s->chance[0] = og_fraction_double(s->part[0]);
    s->chance[1] = og_fraction_double(s->part[1]);
}

/* Largest number of vectors of right labels: the product of n_j + 1 is at most its value with equal
 * costs and all possible labels given. */
static double most_vectors(const og_crowd_problem *problem)
{
    double units = problem->budget, prices = 1, all = 1;
    int32_t unknown = 0;
    for (int32_t j = 0; j < problem->source_count; j++) {
        const og_crowd_source *s = &problem->source[j];
        if (!s->known && s->total > 0) {
            unknown++;
            units += s->price;
            prices *= s->price;
            all *= s->total + 1.0;
        }
    }
    double even = unknown > 0 ? pow(units / unknown, unknown) / prices : 1;
    return fmin(all, floor(even * (1 + 1e-9)) + 1);
}

/*
 * In units of u: a prior has an error of 2 + 3 + 1 = 6. A label of a known source adds 2 and a
 * product, one of an unknown source 10: its parameter has 2, so 3 above and 4 below, a quotient and
 * a product, and a product for its source. An instance takes a product and a sum forward or
 * backward, and the one in question two products. Then the vectors are summed, copies multiplied,
 * and groups summed.
 */
static double relative_error(const og_crowd_problem *problem, double vectors)
{
    double groups = (double)problem->group_count + problem->labels;
    return 1.02 * DBL_EPSILON / 2 *
           (8.0 * problem->labelled + 10.0 * problem->labels + vectors + groups + 30);
}

static og_status limit_labels(og_crowd_problem *problem, og_message *message)
{
    int64_t all = 0;
    problem->cheapest = OG_ARM_COST_MAX;
    for (int32_t j = 0; j < problem->source_count; j++) {
        all += problem->source[j].total;
        problem->cheapest = problem->source[j].price < problem->cheapest ? problem->source[j].price
                                                                         : problem->cheapest;
    }
    all = least(all, problem->budget / problem->cheapest);
    if (all > OG_UNKNOWN_LABELS_MAX) {
        return og_message_set(
            message, OG_STOPPED,
            "exact values with sources of unknown accuracy support at most %d labels, not %" PRId64
            "; use 'optgap bound'",
            OG_UNKNOWN_LABELS_MAX, all);
    }
    problem->labels = (int32_t)all;
    problem->labelled = (int32_t)least(all, problem->instances);
    double vectors = most_vectors(problem);
    if (vectors * (problem->labelled + 3) > OG_UNKNOWN_CELLS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "there are too many sources of unknown accuracy and labels for exact "
                              "values; use 'optgap bound'");
    }
    problem->room = (size_t)(vectors * (problem->labelled + 3));
    problem->error = relative_error(problem, vectors);
    return OG_OK;
}

/* The number of a group's prior; a new one if it is not in the list yet. */
static int32_t prior_of(og_crowd_problem *problem, const og_group *group)
{
    int32_t at = 0;
    while (at < problem->prior_count &&
           !(og_fraction_compare(problem->prior[at].part[0], group->a) == 0 &&
             og_fraction_compare(problem->prior[at].part[1], group->b) == 0)) {
        at++;
    }
    if (at == problem->prior_count) {
        double a = og_fraction_double(group->a), b = og_fraction_double(group->b);
        problem->prior[problem->prior_count++] =
            (og_crowd_prior){{group->a, group->b},
                             {a / (a + b), b / (a + b)},
                             og_fraction_compare(group->a, group->b) == 0};
    }
    return at;
}

static og_status make_problem(const og_groups *instances, const og_crowd_sources *sources,
                              og_crowd_problem *problem, og_message *message)
{
    const size_t groups = (size_t)instances->group_count;
    problem->budget = instances->budget;
    problem->source_count = sources->sources.count;
    problem->group_count = instances->group_count;
    problem->prior = og_arena_array(&problem->arena, groups, sizeof *problem->prior);
    problem->prior_of_group =
        og_arena_array(&problem->arena, groups, sizeof *problem->prior_of_group);
    problem->size_of_group =
        og_arena_array(&problem->arena, groups, sizeof *problem->size_of_group);
    OG_TRY(og_arena_status(&problem->arena));
    for (int32_t g = 0; g < problem->group_count; g++) {
        problem->prior_of_group[g] = prior_of(problem, og_groups_at(instances, g));
        problem->size_of_group[g] = og_groups_at(instances, g)->count;
        problem->instances += og_groups_at(instances, g)->count;
    }
    for (int32_t j = 0; j < problem->source_count; j++) {
        read_source(problem, sources, j, &problem->source[j]);
    }
    OG_TRY(limit_labels(problem, message));
    for (int32_t j = 0; j < problem->source_count; j++) {
        og_crowd_source *s = &problem->source[j];
        s->total = (int32_t)least(s->total, problem->labels);
        if (!s->known) {
            size_t side = (size_t)s->total + 1;
            s->factor = og_arena_array(&problem->arena, side * side, sizeof *s->factor);
            OG_TRY(og_arena_status(&problem->arena));
            og_crowd_factors(s->chance, s->total, s->factor);
        }
    }
    return OG_OK;
}

og_status og_crowd_problem_init(const og_groups *instances, const og_crowd_sources *sources,
                                og_crowd_problem *out, og_message *message)
{
    og_crowd_problem made = {.budget = 0};
    OG_TRY(check(instances, sources, message));
    og_status status = make_problem(instances, sources, &made, message);
    return OG_MADE_IN(status, made, og_crowd_problem_clear, out);
}

void og_crowd_problem_clear(og_crowd_problem *problem)
{
    og_arena_clear(&problem->arena);
    *problem = (og_crowd_problem){.budget = 0};
}

/* ---- tables ---- */

bool og_crowd_open(const og_crowd_problem *problem, const og_crowd_group *group, int32_t j,
                   int32_t left)
{
    const og_crowd_source *s = &problem->source[j];
    const uint8_t *label = group->label;
    bool open = s->price <= left && label[2 * j] + label[2 * j + 1] < s->most;
    for (int32_t k = 0; open && s->known && k < problem->source_count; k++) {
        open = !problem->source[k].sure || label[2 * k] + label[2 * k + 1] == 0;
    }
    return open;
}

int32_t og_crowd_label(const og_crowd_group *group, int32_t count, int32_t at, int32_t j,
                       int answer, og_crowd_group *next)
{
    int32_t used = 0;
    for (int32_t i = 0; i < count; i++) {
        next[used] = group[i];
        if (i == at) {
            next[used].copies = 1;
            next[used].label[2 * j + answer]++;
            if (group[i].copies > 1) {
                next[++used] = group[i];
                next[used].copies--;
            }
        }
        used++;
    }
    return used;
}

/* ---- the sum over truths ---- */

/* The weights of an instance of a group: the prior, and labels of known sources. */
static void weigh_group(const og_crowd_problem *problem, const og_crowd_group *group, double *plus,
                        double *minus)
{
    const og_crowd_prior *prior = &problem->prior[group->prior];
    double weight[2] = {prior->chance[0], prior->chance[1]};
    for (int32_t j = 0; j < problem->source_count; j++) {
        const og_crowd_source *source = &problem->source[j];
        for (int answer = 0; answer < 2; answer++) {
            for (int32_t k = 0; source->known && k < group->label[2 * j + answer]; k++) {
                weight[answer] *= source->chance[0];
                weight[1 - answer] *= source->chance[1];
            }
        }
    }
    *plus = weight[0];
    *minus = weight[1];
}

double og_crowd_weigh(const og_crowd_problem *problem, const og_crowd_group *group, int32_t count,
                      double *room, double *plus, double *minus)
{
    double part[2];
    sums s = sums_begin(problem, group, count);
    assert((s.instances + 3) * s.vectors <= problem->room);
    s.forward = room;
    s.forward_next = room + s.vectors;
    s.backward = room + 2 * s.vectors;
    s.part = part;
    for (int32_t j = 0; j < problem->source_count; j++) {
        size_t side = (size_t)problem->source[j].total + 1;
        s.factor[j] =
            s.stride[j] > 0 ? &problem->source[j].factor[(size_t)s.labels[j] * side] : NULL;
    }
    for (int32_t g = 0; g < count; g++) {
        weigh_group(problem, &group[g], &plus[g], &minus[g]);
    }
    sum_truths(&s, plus, minus);
    return s.backward[0];
}

double og_crowd_called(const og_crowd_group *group, int32_t count, const double *plus,
                       const double *minus)
{
    double sum = 0;
    for (int32_t g = 0; g < count; g++) {
        sum += (double)group[g].copies * fmax(plus[g], minus[g]);
    }
    return sum;
}
