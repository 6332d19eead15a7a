/* Priors on the accuracies of labelers, as finite mixtures. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "dp/base/orders.h"
#include "dp/base/rational.h"
#include "dp/families/labelers_game.h"
#include "dp/prior/beta_rule.h"

static og_status prior_new(const og_labelers *labelers, int32_t hypotheses, og_labelers_prior **out)
{
    og_labelers_prior *prior = og_arena_new(sizeof *prior);
    OG_TRY(OG_ALLOCATED(prior));
    prior->count = labelers->count;
    prior->hypotheses = hypotheses;
    prior->weight = og_arena_array(&prior->arena, (size_t)hypotheses, sizeof *prior->weight);
    prior->at = og_arena_array(&prior->arena, (size_t)hypotheses, sizeof *prior->at);
    prior->exact = og_arena_fractions(&prior->arena, (size_t)hypotheses);
    og_status status = og_arena_status(&prior->arena);
    for (int32_t h = 0; status == OG_OK && h < hypotheses; h++) {
        prior->at[h] = *labelers;
        prior->weight[h] = 1.0 / hypotheses;
        mpq_set_ui(prior->exact[h], 1, (uint32_t)hypotheses);
    }
    prior->rational = true;
    return OG_MADE(status, prior, og_labelers_prior_free, out);
}

void og_labelers_prior_free(og_labelers_prior *prior)
{
    og_arena_free(prior);
}

og_status og_labelers_prior_known(const og_labelers *labelers, og_labelers_prior **out)
{
    return prior_new(labelers, 1, out);
}

/* ---- orders ---- */

static bool costs_alike(const og_labelers *labelers)
{
    bool alike = true;
    for (int32_t i = 1; i < labelers->count; i++) {
        alike = alike && og_fraction_compare(labelers->cost[i], labelers->cost[0]) == 0;
    }
    return alike;
}

/* The first order: by number, where equal accuracies have the number of their first. */
static void first_order(const og_labelers *labelers, uint8_t *order)
{
    for (int32_t i = 0; i < labelers->count; i++) {
        int32_t first = 0, at = i;
        while (og_fraction_compare(labelers->right[first], labelers->right[i]) != 0) {
            first++;
        }
        for (; at > 0 && order[at - 1] > first; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)first;
    }
}

og_status og_labelers_prior_orders(const og_labelers *labelers, og_labelers_prior **out,
                                   og_message *message)
{
    uint8_t order[OG_LABELERS_MAX] = {0};
    int32_t count = 1;
    first_order(labelers, order);
    while (og_orders_next(NULL, labelers->count, order)) {
        count++;
    }
    if (count > OG_LABELERS_HYPOTHESES_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "the accuracies have %" PRId32 " orders, more than %d", count,
                              OG_LABELERS_HYPOTHESES_MAX);
    }
    og_labelers_prior *prior;
    OG_TRY(prior_new(labelers, count, &prior));
    prior->alike = costs_alike(labelers);
    first_order(labelers, order);
    for (int32_t h = 0; h < count; h++) {
        for (int32_t i = 0; i < labelers->count; i++) {
            og_labelers_set(&prior->at[h], i, labelers->right[order[i]]);
        }
        og_orders_next(NULL, labelers->count, order);
    }
    *out = prior;
    return OG_OK;
}

/* ---- Beta ---- */

static void fill_beta(og_labelers_prior *prior, size_t n, const double *point, const double *rest,
                      const double *weight)
{
    for (int32_t h = 0; h < prior->hypotheses; h++) {
        size_t code = (size_t)h;
        prior->weight[h] = 1;
        for (int32_t i = 0; i < prior->count; i++, code /= n) {
            og_labelers_set_double(&prior->at[h], i, point[code % n], rest[code % n]);
            prior->weight[h] *= weight[code % n];
        }
    }
}

og_status og_labelers_prior_beta(const og_labelers *labelers, og_fraction a, og_fraction b,
                                 int32_t tasks, og_labelers_prior **out, og_message *message)
{
    size_t n = ((size_t)tasks + 3) / 2;
    double hypotheses = pow((double)n, labelers->count);
    if (hypotheses > OG_LABELERS_HYPOTHESES_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "--accuracy-prior beta takes %zu points for each labeler of %" PRId32
                              " tasks, %.4g hypotheses in all, more than %d",
                              n, tasks, hypotheses, OG_LABELERS_HYPOTHESES_MAX);
    }
    og_labelers_prior *prior = NULL;
    og_arena local = {0};
    double *point = og_arena_array(&local, 3 * n, sizeof *point);
    og_status status = og_arena_status(&local);
    OG_THEN(status, prior_new(labelers, (int32_t)hypotheses, &prior));
    OG_THEN(status, og_beta_rule(a, b, (int32_t)n, point, point + n, point + 2 * n, message));
    if (status == OG_OK) {
        fill_beta(prior, n, point, point + n, point + 2 * n);
        prior->alike = costs_alike(labelers);
        prior->rational = false;
        prior->error = prior->count * DBL_EPSILON; /* a weight is the product of these */
    }
    og_arena_clear(&local);
    return OG_MADE(status, prior, og_labelers_prior_free, out);
}

/* ---- given ---- */

og_status og_labelers_prior_given(const og_labelers *labelers, const og_fraction *weight,
                                  const og_fraction *right, int32_t hypotheses,
                                  og_labelers_prior **out)
{
    og_labelers_prior *prior;
    mpq_t sum;
    OG_TRY(prior_new(labelers, hypotheses, &prior));
    mpq_init(sum);
    for (int32_t h = 0; h < hypotheses; h++) {
        og_fraction_get_mpq(prior->exact[h], weight[h]);
        mpq_add(sum, sum, prior->exact[h]);
        for (int32_t i = 0; i < labelers->count; i++) {
            og_labelers_set(&prior->at[h], i, right[h * labelers->count + i]);
        }
    }
    for (int32_t h = 0; h < hypotheses; h++) {
        mpq_div(prior->exact[h], prior->exact[h], sum);
        prior->weight[h] = og_nearest(prior->exact[h]);
    }
    mpq_clear(sum);
    *out = prior;
    return OG_OK;
}
