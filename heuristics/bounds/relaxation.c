/*
 * Evaluates the Lagrangian relaxation at given prices: B = prior value + sum over arms of count *
 * gain + sum of prices.
 *
 * Rounding. Every term is >= 0. Each part has a proved error; the sum of n rounded terms (the
 * product of a count with a gain is one more rounding) adds at most 1.01 (n + 1) u times itself.
 * Counts are whole numbers below 2^53; if only a share is counted, it and each product with it are
 * rounded too. The last factor 1.01 covers the rounding of the error's sum,
 * and 4 u of the total covers the addition of value and error.
 * Checked by tests/test_priced_arm.c: evaluate_is_not_below_the_relaxation_in_fractions
 */
#include "heuristics/bounds/relaxation.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "dp/base/parallel.h"

/* With fewer nodes than this, threads would cost more time than they save. */
enum { PARALLEL_WORK = 100000 };

/* Arguments of the threads that evaluate the arms. */
typedef struct {
    og_relaxation *relaxation;
    const double *price; /* [budget], or NULL: `constant` */
    double constant;
    bool follow; /* fill `bought` */
} job;

/* Arguments of the threads that create the parts. */
typedef struct {
    og_relaxation *relaxation;
    const og_delay *delay;
    uint64_t memory_bytes; /* of one arm's tables */
    og_stop *stop;
} weight_making;

static og_status new_arm(void *context, int thread, int64_t i)
{
    const weight_making *making = context;
    const og_arms *arms = making->relaxation->arms;
    (void)thread;
    if (making->delay == NULL) {
        return og_priced_arm_new(arms->arm[i], &making->relaxation->priced[i]);
    }
    og_delay own = *making->delay;
    own.most = own.most != NULL ? &own.most[i] : NULL;
    return og_priced_delayed_new(arms->arm[i], arms->budget, &own, making->memory_bytes,
                                 making->stop, &making->relaxation->delayed[i], NULL);
}

static og_status allocate(og_relaxation *relaxation, const og_delay *delay, uint64_t memory_bytes,
                          og_stop *stop)
{
    size_t arms = (size_t)relaxation->arms->arm_count;
    size_t budget = (size_t)relaxation->arms->budget;
    og_arena *arena = &relaxation->arena;
    relaxation->count = og_arena_array(arena, arms, sizeof *relaxation->count);
    relaxation->priced = og_arena_array(arena, arms, sizeof(og_priced_arm *));
    relaxation->delayed = og_arena_array(arena, arms, sizeof(og_priced_delayed *));
    relaxation->part = og_arena_array(arena, arms, sizeof *relaxation->part);
    relaxation->bought = og_arena_array(arena, arms * budget, sizeof(double));
    relaxation->same = og_arena_array(arena, budget, sizeof *relaxation->same);
    OG_TRY(og_arena_status(arena));
    relaxation->is_delayed = delay != NULL;
    weight_making making = {relaxation, delay, arms > 0 ? memory_bytes / arms : memory_bytes, stop};
    int threads = relaxation->threads;
    if (delay == NULL) {
        threads = og_threads_worth(threads, 500.0 * relaxation->arms->node_offset[arms]);
    }
    return og_parallel_items(threads, (int64_t)arms, 1, new_arm, &making);
}

static double part_dearest(const og_relaxation *relaxation, int32_t arm)
{
    return relaxation->is_delayed ? og_priced_delayed_dearest(relaxation->delayed[arm])
                                  : og_priced_arm_dearest(relaxation->priced[arm]);
}

og_status og_relaxation_new(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                            int threads, og_stop *stop, og_relaxation **out)
{
    og_relaxation *relaxation = og_arena_new(sizeof *relaxation);
    OG_TRY(OG_ALLOCATED(relaxation));
    relaxation->arms = arms;
    relaxation->threads = og_thread_count(threads);
    relaxation->stop = stop;
    og_status status = allocate(relaxation, delay, memory_bytes, stop);
    if (status != OG_OK) {
        og_relaxation_free(relaxation);
        return status;
    }
    for (int32_t i = 0; i < arms->group_count; i++) {
        relaxation->count[arms->arm_of_group[i]] += (double)arms->group_size[i];
    }
    for (int32_t i = 0; i < arms->arm_count; i++) {
        relaxation->dearest = fmax(relaxation->dearest, part_dearest(relaxation, i));
    }
    relaxation->prior = og_arms_prior_value(arms, &relaxation->prior_error);
    relaxation->share = 1;
    relaxation->labels = arms->budget;
    *out = relaxation;
    return OG_OK;
}

void og_relaxation_free(og_relaxation *relaxation)
{
    if (relaxation == NULL) {
        return;
    }
    for (int32_t i = 0; !relaxation->arena.failed && i < relaxation->arms->arm_count; i++) {
        og_priced_arm_free(relaxation->priced[i]);
        og_priced_delayed_free(relaxation->delayed[i]);
    }
    og_arena_free(relaxation);
}

void og_relaxation_keep(og_relaxation *relaxation, double share)
{
    relaxation->share = share;
    relaxation->prior *= share;
    /* The share is rounded, and the product with it. */
    relaxation->prior_error =
        share < 1
            ? 1.01 * (share * relaxation->prior_error + 2 * DBL_EPSILON * fabs(relaxation->prior))
            : relaxation->prior_error;
    for (int32_t i = 0; i < relaxation->arms->arm_count; i++) {
        relaxation->count[i] *= share;
    }
}

void og_relaxation_lengthen(og_relaxation *relaxation, int32_t labels)
{
    assert(!relaxation->is_delayed && labels >= relaxation->arms->budget);
    relaxation->labels = labels;
}

static og_status value_arm(void *context, int thread, int64_t i)
{
    const job *work = context;
    og_relaxation *relaxation = work->relaxation;
    og_priced *part = &relaxation->part[i];
    double *bought = relaxation->bought + (size_t)i * (size_t)relaxation->arms->budget;
    (void)thread;
    if (relaxation->is_delayed) {
        return og_priced_delayed_stages(relaxation->delayed[i], work->price,
                                        work->follow ? bought : NULL, part);
    }
    return work->price != NULL
               ? og_priced_arm_stages(relaxation->priced[i], work->price, bought, part)
               : og_priced_arm_constant(relaxation->priced[i], work->constant, NULL, part);
}

/* Adds the parts; `charge` is the sum of the prices, with error `charge_error`.
 */
static void add_up(const og_relaxation *relaxation, double charge, double charge_error,
                   og_relaxed *out)
{
    int32_t arms = relaxation->arms->arm_count;
    double unit = DBL_EPSILON / 2;
    *out = (og_relaxed){.value = 0.0, .error = relaxation->prior_error + charge_error};
    for (int32_t i = 0; i < arms; i++) {
        out->value += relaxation->count[i] * relaxation->part[i].gain;
        out->error += relaxation->count[i] * relaxation->part[i].error;
        out->purchases += relaxation->count[i] * relaxation->part[i].purchases;
    }
    out->error += 1.01 * (arms + (relaxation->share < 1 ? 3.0 : 1.0)) * unit * out->value;
    out->value = relaxation->prior + (out->value + charge);
    out->error = 1.01 * out->error + 8 * unit * fmax(fabs(relaxation->prior), fabs(out->value));
}

uint64_t og_relaxation_work(const og_relaxation *relaxation)
{
    uint64_t work = 0;
    for (int32_t i = 0; i < relaxation->arms->arm_count; i++) {
        work += relaxation->is_delayed ? og_priced_delayed_work(relaxation->delayed[i])
                                       : og_priced_arm_work(relaxation->priced[i]);
    }
    return work;
}

static og_status value_all(job *work, double charge, double charge_error, og_relaxed *out)
{
    og_relaxation *relaxation = work->relaxation;
    uint64_t before = og_relaxation_work(relaxation);
    if (relaxation->evaluations > 0 && og_stop_asked(relaxation->stop)) {
        return OG_STOPPED;
    }
    int threads = relaxation->last_work < PARALLEL_WORK ? 1 : relaxation->threads;
    og_status status = og_parallel_items(threads, relaxation->arms->arm_count, 1, value_arm, work);
    relaxation->last_work = og_relaxation_work(relaxation) - before;
    OG_TRY(status);
    relaxation->evaluations++;
    add_up(relaxation, charge, charge_error, out);
    return OG_OK;
}

og_status og_relaxation_constant(og_relaxation *relaxation, double price, og_relaxed *out)
{
    assert(price >= 0 && isfinite(price));
    job work = {.relaxation = relaxation, .constant = price};
    double charge = price * relaxation->labels;
    for (int32_t l = 0; relaxation->is_delayed && l < relaxation->arms->budget; l++) {
        relaxation->same[l] = price;
    }
    if (relaxation->is_delayed) {
        work.price = relaxation->same;
    }
    return value_all(&work, charge, DBL_EPSILON / 2 * charge, out);
}

og_status og_relaxation_stages(og_relaxation *relaxation, const double *price, bool bought_too,
                               og_relaxed *out)
{
    int32_t budget = relaxation->arms->budget;
    job work = {.relaxation = relaxation, .price = price, .follow = true};
    double charge = 0;
    bool same = true;
    for (int32_t l = 0; l < budget; l++) {
        assert(price[l] >= 0 && isfinite(price[l]));
        charge += price[l];
        same = same && price[l] == price[0];
    }
    if (same && !bought_too) {
        return og_relaxation_constant(relaxation, budget > 0 ? price[0] : 0, out);
    }
    return value_all(&work, charge, 1.01 * budget * (DBL_EPSILON / 2) * charge, out);
}
