/*
 * The Lagrangian bound at given prices, and the best price that is the same for every stage.
 *
 * B(z) is convex and piecewise linear, and the arm recursion says its value and its slope to the
 * right. So the least value is found from supporting lines: the bracket's two lines meet at a price
 * where no lower value of B is possible than their height there; B is valued there and replaces one
 * of them. When B is as low as the lines allow, it is the minimum. A line that stays while the
 * bracket shrinks slowly is given up for the bracket's middle.
 */
#include "heuristics/bounds/bound.h"

#include <math.h>
#include <stdlib.h>

#include "heuristics/bounds/relaxation.h"

enum { SCALAR_EVALUATIONS_MOST = 400 };

/* B around a price. */
typedef struct {
    double price;
    og_relaxed at;
    double slope;
} line;

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
    OG_TRY(og_relaxation_new(arms, delay, memory_bytes, threads, &relaxation));
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

static og_status line_at(og_relaxation *relaxation, double price, line *out)
{
    out->price = price;
    og_status status = og_relaxation_constant(relaxation, price, &out->at);
    out->slope = relaxation->arms->budget - out->at.purchases;
    return status;
}

/* Where the lines of a bracket meet, or its middle. *height: no value of B in it is lower. */
static double meeting_price(const line *left, const line *right, double *height)
{
    double slopes = right->slope - left->slope;
    double width = right->price - left->price;
    double step = (right->slope * width - (right->at.value - left->at.value)) / slopes;
    *height = left->at.value + left->slope * step;
    return left->price + step;
}

/* Shrinks the bracket to the minimum; *best is the line with the least value. */
static og_status close_in(og_relaxation *relaxation, line left, line right, line *best,
                          bool *converged)
{
    double width = INFINITY;
    for (int i = 0; i < SCALAR_EVALUATIONS_MOST; i++) {
        double height;
        double price = meeting_price(&left, &right, &height);
        bool meets = price > left.price && price < right.price;
        if (!meets || best->at.value <= height + best->at.error) {
            *converged = true;
            return OG_OK;
        }
        /* Every other round the bracket must have halved. */
        if (i % 2 == 1 && right.price - left.price > width / 2) {
            price = left.price + (right.price - left.price) / 2;
        }
        if (i % 2 == 0) {
            width = right.price - left.price;
        }
        line middle;
        OG_TRY(line_at(relaxation, price, &middle));
        if (middle.at.value < best->at.value) {
            *best = middle;
        }
        if (middle.slope < 0) {
            left = middle;
        } else {
            right = middle;
        }
    }
    return OG_OK;
}

static og_status best_constant(og_relaxation *relaxation, line *best, bool *converged)
{
    line right;
    *converged = true;
    og_status status = line_at(relaxation, 0, best);
    if (status != OG_OK || best->slope >= 0) {
        return status;
    }
    line left = *best;
    OG_TRY(line_at(relaxation, relaxation->dearest, &right));
    if (right.at.value < best->at.value) {
        *best = right;
    }
    *converged = false;
    return close_in(relaxation, left, right, best, converged);
}

og_status og_bound_delayed_scalar(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_upper_bound *out)
{
    og_relaxation *relaxation;
    og_upper_bound bound = {.price_count = 1, .price = malloc(sizeof *bound.price)};
    OG_TRY(OG_ALLOCATED(bound.price));
    og_status status = og_relaxation_new(arms, delay, memory_bytes, threads, &relaxation);
    if (status == OG_OK) {
        line best;
        status = best_constant(relaxation, &best, &bound.converged);
        bound.price[0] = best.price;
        bound.value = best.at.value + best.at.error;
        bound.error = best.at.error;
        bound.evaluations = relaxation->evaluations;
        og_relaxation_free(relaxation);
    }
    if (status != OG_OK) {
        og_bound_clear(&bound);
        return status;
    }
    *out = bound;
    return OG_OK;
}

og_status og_bound_lagrangian_scalar(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out)
{
    (void)stop;
    return og_bound_delayed_scalar(arms, NULL, 0, threads, out);
}

void og_bound_clear(og_upper_bound *bound)
{
    free(bound->price);
    *bound = (og_upper_bound){.value = 0.0};
}
