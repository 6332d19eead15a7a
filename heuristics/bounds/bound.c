/*
 * Computes the Lagrangian bound at given prices, and finds the best price that is the same for
 * every stage.
 */
#include "heuristics/bounds/bound.h"

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
    *out = (og_line){price, at.value, at.error, relaxation->arms->budget - at.purchases};
    return OG_OK;
}

/* The bound at the best single price, if only this share of the instances is there. */
static og_status best_line(const og_arms *arms, const og_delay *delay, double share,
                           uint64_t memory_bytes, int threads, og_stop *stop, og_upper_bound *out)
{
    og_relaxation *relaxation;
    og_upper_bound bound = {.price_count = 1, .price = malloc(sizeof *bound.price)};
    OG_TRY(OG_ALLOCATED(bound.price));
    og_status status = og_relaxation_new(arms, delay, memory_bytes, threads, stop, &relaxation);
    if (status == OG_OK) {
        og_relaxation_keep(relaxation, share);
        og_line best = {0};
        status = og_lines_least(line_at, relaxation, relaxation->dearest, &best, &bound.converged);
        if (status == OG_STOPPED && relaxation->evaluations > 0) { /* each line is a bound */
            bound.converged = false;
            status = OG_OK;
        }
        bound.price[0] = best.price;
        bound.value = best.value + best.error;
        bound.error = best.error;
        bound.evaluations = relaxation->evaluations;
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

void og_bound_clear(og_upper_bound *bound)
{
    free(bound->price);
    *bound = (og_upper_bound){.value = 0.0};
}
