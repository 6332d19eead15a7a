/*
 * Computes the Lagrangian bound at given prices, and finds the best price that is the same for
 * every stage.
 */
#include "heuristics/bounds/bound.h"

#include <math.h>
#include <stdlib.h>

#include "heuristics/bounds/relaxation.h"
#include "heuristics/bounds/upper_lines.h"

og_status og_bound_delayed_evaluate(const og_arms *arms, const og_delay *delay,
                                    uint64_t memory_bytes, const double *price, int32_t price_count,
                                    int threads, double *value, double *error)
{
    og_relaxation *relaxation;
    if (price_count != 1 && price_count != arms->budget) {
        return OG_BAD_INPUT;
    }
    for (int32_t l = 0; l < price_count; l++) {
        if (!(price[l] >= 0 && price[l] <= OG_BOUND_PRICE_MAX)) {
            return OG_BAD_INPUT;
        }
    }
    OG_TRY(og_relaxation_new(arms, delay, memory_bytes, threads, NULL, &relaxation));
    og_relaxed found;
    og_status status = price_count == 1 ? og_relaxation_constant(relaxation, price[0], &found)
                                        : og_relaxation_stages(relaxation, price, false, &found);
    og_relaxation_free(relaxation);
    OG_TRY(status);
    *value = found.value + found.error;
    *error = found.error;
    return OG_OK;
}

og_status og_bound_evaluate(const og_arms *arms, const double *price, int32_t price_count,
                            int threads, double *value, double *error)
{
    return og_bound_delayed_evaluate(arms, NULL, 0, price, price_count, threads, value, error);
}

static og_status line_at(void *context, double price, og_line *out)
{
    og_relaxation *relaxation = context;
    og_relaxed at;
    OG_TRY(og_relaxation_constant(relaxation, price, &at));
    *out = (og_line){price, at.value, at.error, relaxation->labels - at.purchases};
    return OG_OK;
}

/* A limit ended the search: each line that it found is a bound. */
static og_status keep_best(og_status status, const og_relaxation *relaxation, const og_line *best,
                           og_upper_bound *bound)
{
    bool ended = status == OG_STOPPED && relaxation->evaluations > 0;
    bound->converged = bound->converged && !ended;
    if (best->value + best->error < bound->value) {
        bound->price[0] = best->price;
        bound->value = best->value + best->error;
        bound->error = best->error;
    }
    bound->evaluations += relaxation->evaluations;
    return ended ? OG_OK : status;
}

/* The bound at the best single price, if only this share of the instances is there. */
static og_status best_line(const og_arms *arms, const og_delay *delay, double share,
                           uint64_t memory_bytes, int threads, og_stop *stop, og_upper_bound *out)
{
    og_relaxation *relaxation;
    og_upper_bound bound = {
        .price_count = 1, .value = INFINITY, .price = malloc(sizeof *bound.price)};
    OG_TRY(OG_ALLOCATED(bound.price));
    og_status status = og_relaxation_new(arms, delay, memory_bytes, threads, stop, &relaxation);
    if (status == OG_OK) {
        og_relaxation_keep(relaxation, share);
        og_line best = {0};
        status =
            og_lines_least(line_at, relaxation, 0, relaxation->dearest, &best, &bound.converged);
        status = keep_best(status, relaxation, &best, &bound);
        og_relaxation_free(relaxation);
    }
    return OG_MADE_IN(status, bound, og_bound_clear, out);
}

og_status og_bound_delayed_scalar(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_stop *stop, og_upper_bound *out)
{
    return best_line(arms, delay, 1, memory_bytes, threads, stop, out);
}

og_status og_bound_delayed_drawn(const og_arms *arms, const og_delay *delay, int64_t drawn,
                                 uint64_t memory_bytes, int threads, og_stop *stop,
                                 og_upper_bound *out)
{
    double share = (double)drawn / (double)og_arms_instances(arms);
    return best_line(arms, delay, share, memory_bytes, threads, stop, out);
}

og_status og_bound_lagrangian_scalar(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out)
{
    return og_bound_delayed_scalar(arms, NULL, 0, threads, stop, out);
}

/* ---- without tables of all labels ---- */

enum { SHORT_LABELS_LEAST = 64 };

bool og_bound_short_fits(const og_groups *problem)
{
    bool fits = problem->objective == OG_OBJECTIVE_CALLS;
    for (int32_t i = 0; i < problem->group_count; i++) {
        const og_group *group = og_groups_at(problem, i);
        fits = fits && group->kind == OG_PRIOR_BETA && !group->payoff.given &&
               og_group_bonus(group).num == 0;
    }
    return fits;
}

/* At this price or above no instance buys more than so many labels; rounded up. */
static double last_price(const og_groups *problem, int32_t labels)
{
    double least = INFINITY;
    for (int32_t i = 0; i < problem->group_count; i++) {
        const og_group *group = og_groups_at(problem, i);
        double sum = og_fraction_double(group->a) + og_fraction_double(group->b) + labels;
        least = fmin(least, sum);
    }
    return exp(1 / (12 * least)) / sqrt(2 * acos(-1) * least) * (1 + 0x1p-40);
}

/* The best price among those at which so many labels of an instance suffice; *inside: no lower one
 * is better. Keeps bound's if it is better. */
static og_status best_short(const og_arms *arms, const og_groups *problem, const og_settings *use,
                            og_upper_bound *bound, bool *inside)
{
    og_relaxation *relaxation;
    og_line best = {0};
    double least = arms->budget < problem->budget ? last_price(problem, arms->budget) : 0;
    OG_TRY(og_relaxation_new(arms, NULL, 0, use->threads, og_stop_of(use), &relaxation));
    og_relaxation_lengthen(relaxation, problem->budget);
    double dearest = fmax(relaxation->dearest, least);
    og_status status =
        og_lines_least(line_at, relaxation, least, dearest, &best, &bound->converged);
    if (status == OG_OK || relaxation->evaluations > 0) {
        *inside = best.price > least || arms->budget == problem->budget;
        status = keep_best(status, relaxation, &best, bound);
    }
    og_relaxation_free(relaxation);
    return status;
}

og_status og_bound_short(const og_groups *problem, const og_settings *settings, og_upper_bound *out,
                         og_message *message)
{
    /* All calls are right: a bound at any price. */
    og_upper_bound bound = {.price_count = 1, .value = (double)og_groups_size(problem)};
    og_groups part = *problem;
    og_message ignored = {""};
    bool inside = false;
    message = message != NULL ? message : &ignored;
    OG_TRY(og_bound_short_fits(problem) ? OG_OK : OG_BAD_INPUT);
    bound.price = calloc(1, sizeof *bound.price);
    og_status status = OG_ALLOCATED(bound.price);
    int32_t labels = problem->budget < SHORT_LABELS_LEAST ? problem->budget : SHORT_LABELS_LEAST;
    while (status == OG_OK && !inside) {
        og_arms *arms = NULL;
        part.budget = labels;
        status = og_arms_new(&part, settings, &arms, message);
        OG_THEN(status, best_short(arms, problem, settings, &bound, &inside));
        og_arms_free(arms);
        inside = inside || og_stop_look(og_stop_of(settings)) != OG_LIMIT_NONE;
        labels = labels < problem->budget / 2 ? 2 * labels : problem->budget;
    }
    if (bound.price != NULL && (status == OG_NO_MEMORY || status == OG_STOPPED)) {
        message->text[0] = '\0'; /* each is a bound */
        bound.converged = false;
        status = OG_OK;
    }
    return OG_MADE_IN(status, bound, og_bound_clear, out);
}

void og_bound_clear(og_upper_bound *bound)
{
    free(bound->price);
    *bound = (og_upper_bound){.value = 0.0};
}
