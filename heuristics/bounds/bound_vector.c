/*
 * Finds the best price for each stage with cutting planes (price_search.h).
 *
 * Prices that never rise are enough. Proof with the dual programme, in which price_l belongs to the
 * constraint "at stage l at most one label in expectation". Replace these constraints with "in
 * stages 1 .. l at most l labels"; their prices mu_l give price_l = sum over m >= l of mu_m. A plan
 * that satisfies the new constraints can be changed into one that satisfies the old ones. While a
 * stage has more than one label, and the stage before it less than one, some instances are labelled
 * at the stage and not at the one before. Their label can be bought one stage earlier, since the
 * instance is in the same state at both.
 *
 * This makes the search much shorter, because the best prices are constant except for a decline
 * towards the end.
 */
#include <stdlib.h>
#include <string.h>

#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/price_search.h"

/* Limit on the work, in evaluated nodes and processed matrix entries: about ten seconds on one
 * core. */
static const uint64_t work_most = UINT64_C(1500000000);

/* The parts are the arms, each with all its instances. */
typedef struct {
    og_relaxation *relaxation;
    og_price_search search;
} price_vector;

/* Adds the plane of an arm that was just evaluated at `price`. */
static og_status add_cut(price_vector *vector, int32_t i, const double *price)
{
    const og_relaxation *relaxation = vector->relaxation;
    const double *bought = relaxation->bought + (size_t)i * (size_t)vector->search.stages;
    double *slope = vector->search.slope;
    double intercept = relaxation->count[i] * relaxation->part[i].gain;
    for (int32_t l = 0; l < vector->search.stages; l++) {
        slope[l] = relaxation->count[i] * bought[l];
        intercept += slope[l] * price[l];
    }
    return og_price_search_cut(
        &vector->search,
        &(og_price_plane){.part = i, .weight = 1, .intercept = intercept, .bought = slope});
}

static og_status value_and_cut(void *user, const double *price, og_relaxed *out)
{
    price_vector *vector = user;
    OG_TRY(og_relaxation_stages(vector->relaxation, price, true, out));
    for (int32_t i = 0; i < vector->relaxation->arms->arm_count; i++) {
        OG_TRY(add_cut(vector, i, price));
    }
    return OG_OK;
}

static uint64_t work_of(void *user)
{
    const price_vector *vector = user;
    return og_relaxation_work(vector->relaxation);
}

static og_status run(price_vector *vector, const og_upper_bound *scalar)
{
    og_relaxation *relaxation = vector->relaxation;
    og_price_search *search = &vector->search;
    for (int32_t l = 0; l < search->stages; l++) {
        search->best[l] = scalar->price[0];
    }
    OG_TRY(og_relaxation_stages(relaxation, search->best, false, &search->found));
    if (search->stages == 0 || relaxation->dearest == 0) {
        search->converged = true;
        return OG_OK;
    }
    search->base = relaxation->prior;
    search->work_most = work_most;
    search->problem = (og_price_problem){vector, value_and_cut, work_of};
    OG_TRY(og_price_master_new(relaxation->arms->arm_count, search->stages, relaxation->dearest,
                               &search->master));
    og_status status = og_price_search_value(search, search->best);
    OG_THEN(status, og_price_search_run(search));
    return status == OG_FAILED || status == OG_STOPPED ? OG_OK : status; /* the best so far */
}

/* Copies the best prices, which the result owns. */
static og_status take(const price_vector *vector, int32_t before, og_upper_bound *out)
{
    const og_price_search *search = &vector->search;
    double *price = calloc((size_t)search->stages + 1, sizeof *price);
    OG_TRY(OG_ALLOCATED(price));
    memcpy(price, search->best, (size_t)search->stages * sizeof *price);
    *out = (og_upper_bound){.value = search->found.value + search->found.error,
                            .error = search->found.error,
                            .price_count = search->stages,
                            .price = price,
                            .evaluations = before + vector->relaxation->evaluations,
                            .converged = search->converged};
    return OG_OK;
}

og_status og_bound_delayed_vector(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_stop *stop, og_upper_bound *out)
{
    og_upper_bound scalar;
    price_vector vector = {.relaxation = NULL};
    OG_TRY(og_bound_delayed_scalar(arms, delay, memory_bytes, threads, stop, &scalar));
    og_status status = og_price_search_init(arms->budget, &vector.search);
    OG_THEN(status, og_price_search_parts(&vector.search, arms->arm_count));
    OG_THEN(status,
            og_relaxation_new(arms, delay, memory_bytes, threads, stop, &vector.relaxation));
    vector.search.stop = stop;
    OG_THEN(status, run(&vector, &scalar));
    OG_THEN(status, take(&vector, scalar.evaluations, out));
    og_price_search_clear(&vector.search);
    og_relaxation_free(vector.relaxation);
    og_bound_clear(&scalar);
    return status;
}

og_status og_bound_lagrangian_vector(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out)
{
    return og_bound_delayed_vector(arms, NULL, 0, threads, stop, out);
}
