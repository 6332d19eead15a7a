/*
 * Finds the best price for each stage with cutting planes.
 *
 * Every evaluation of an arm at prices q gives a plane below the arm's part of B: gain(p) >=
 * gain(q) + sum_l bought_l (q_l - p_l). The minimum of the model with all planes (price_master.h)
 * is a lower bound on the best B, and its location is a proposal of prices. Since proposals jump, B
 * is evaluated between the best prices so far and the proposal (Wentges' smoothing). If that
 * neither improves B nor cuts the proposal off, B is evaluated at the proposal too. Once the two
 * bounds almost meet, B is evaluated only at proposals. Few planes meet at the minimum of B, and
 * when the model has all of them, the proposal is the minimum up to rounding.
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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/price_master.h"
#include "heuristics/bounds/relaxation.h"

/* Relative distance from the best bound at which the search ends. */
static const double near_enough = 2e-8;

/* Largest number of proposals evaluated after that: usually two or three are needed, a hundred if
 * many arms share many labels. */
enum { LAST_STEPS = 400 };

/* Limit on the work, in evaluated nodes and processed matrix entries: about ten seconds on one
 * core. */
static const uint64_t work_most = UINT64_C(1500000000);

typedef struct {
    og_arena arena;
    og_relaxation *relaxation;
    og_stop *stop;
    og_price_master *master;
    int32_t budget;
    double
        *best; /* [budget] the best prices so far; not in the arena, since the result owns them */
    double *proposal; /* [budget] */
    double *trial;    /* [budget] */
    double *worth;    /* [arm_count] height of the model of each arm at the proposal */
    double *slope;    /* [budget] purchases of all instances of an arm */
    og_relaxed found; /* B at `best` */
    double least;     /* lower bound on B at any prices, up to GLPK's rounding */
    bool converged;
} search;

static og_status search_init(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                             int threads, search *of)
{
    size_t budget = (size_t)arms->budget;
    *of = (search){.budget = arms->budget, .least = -INFINITY};
    OG_TRY(og_relaxation_new(arms, delay, memory_bytes, threads, &of->relaxation));
    of->best = calloc(budget + 1, sizeof *of->best);
    of->proposal = og_arena_array(&of->arena, budget, sizeof *of->proposal);
    of->trial = og_arena_array(&of->arena, budget, sizeof *of->trial);
    of->worth = og_arena_array(&of->arena, (size_t)arms->arm_count, sizeof *of->worth);
    of->slope = og_arena_array(&of->arena, budget, sizeof *of->slope);
    return of->best == NULL ? OG_NO_MEMORY : og_arena_status(&of->arena);
}

static void search_clear(search *of)
{
    og_price_master_free(of->master);
    og_relaxation_free(of->relaxation);
    free(of->best);
    og_arena_clear(&of->arena);
}

/* Adds the cut of an arm that was just evaluated at `price`, unless the model has it. Adds to *cut
 * the amount by which it lifts the model at the proposal. */
static og_status add_cut(search *of, int32_t i, const double *price, double *cut)
{
    const og_relaxation *relaxation = of->relaxation;
    const double *bought = relaxation->bought + (size_t)i * (size_t)of->budget;
    double intercept = relaxation->count[i] * relaxation->part[i].gain;
    double height = 0;
    for (int32_t l = 0; l < of->budget; l++) {
        of->slope[l] = relaxation->count[i] * bought[l];
        intercept += of->slope[l] * price[l];
        height -= of->slope[l] * of->proposal[l];
    }
    height += intercept;
    if (height > of->worth[i]) {
        *cut += height - of->worth[i];
    }
    return og_price_master_cut(of->master, i, intercept, of->slope);
}

/* Evaluates B at `price`, adds its cuts, and keeps the prices if they are the best. *cut is the
 * amount by which the cuts lift the model at the proposal. */
static og_status value_and_cut(search *of, const double *price, double *cut)
{
    og_relaxation *relaxation = of->relaxation;
    og_relaxed found;
    og_status status = og_relaxation_stages(relaxation, price, true, &found);
    *cut = 0;
    for (int32_t i = 0; i < relaxation->arms->arm_count && status == OG_OK; i++) {
        status = add_cut(of, i, price, cut);
    }
    if (status == OG_OK && found.value + found.error < of->found.value + of->found.error) {
        of->found = found;
        memcpy(of->best, price, (size_t)of->budget * sizeof *price);
    }
    return status;
}

/* True if the search may continue. It can end at any time with the best prices so far. */
static bool may_go_on(const search *of)
{
    return og_relaxation_work(of->relaxation) + og_price_master_work(of->master) < work_most &&
           !og_stop_asked(of->stop);
}

/* Gets the model's proposal; *gap is B at the best prices minus the model's minimum. */
static og_status propose(search *of, double *gap)
{
    OG_TRY(og_price_master_solve(of->master, of->proposal, of->worth, &of->least));
    *gap = of->found.value - of->relaxation->prior - of->least;
    return OG_OK;
}

/* Takes one proposal of the model and evaluates B once or twice. */
static og_status improve_once(search *of)
{
    double cut, gap;
    double before = of->found.value;
    OG_TRY(propose(of, &gap));
    /* A payoff may be negative; then the gain measures the size of values. */
    double size = fmax(fabs(of->found.value), of->found.value - of->relaxation->prior);
    of->converged = gap <= near_enough * size;
    if (of->converged) {
        return OG_OK;
    }
    for (int32_t l = 0; l < of->budget; l++) {
        of->trial[l] = 0.5 * of->best[l] + 0.5 * of->proposal[l];
    }
    og_status status = value_and_cut(of, of->trial, &cut);
    if (status == OG_OK && cut < 0.01 * gap && of->found.value >= before) {
        status = value_and_cut(of, of->proposal, &cut);
    }
    return status;
}

static og_status improve(search *of)
{
    double cut;
    og_status status = value_and_cut(of, of->best, &cut);
    while (status == OG_OK && !of->converged && may_go_on(of)) {
        status = improve_once(of);
    }
    og_price_master_refine(of->master);
    double gap = INFINITY;
    cut = INFINITY;
    for (int i = 0; status == OG_OK && i < LAST_STEPS && may_go_on(of); i++) {
        double gap_before = gap, cut_before = cut;
        status = propose(of, &gap);
        if (status != OG_OK || fmin(gap, cut) <= of->found.error) {
            break;
        }
        status = value_and_cut(of, of->proposal, &cut);
        /* Within its tolerance GLPK considers the new plane satisfied at the proposal. */
        if (gap == gap_before && cut == cut_before) {
            break;
        }
    }
    /* If GLPK fails, the bound is still valid. */
    return status == OG_FAILED ? OG_OK : status;
}

static og_status run(search *of, const og_upper_bound *scalar)
{
    og_relaxation *relaxation = of->relaxation;
    for (int32_t l = 0; l < of->budget; l++) {
        of->best[l] = scalar->price[0];
    }
    og_status status = og_relaxation_stages(relaxation, of->best, false, &of->found);
    if (status != OG_OK || of->budget == 0 || relaxation->dearest == 0) {
        of->converged = true;
        return status;
    }
    OG_TRY(og_price_master_new(relaxation->arms->arm_count, of->budget, relaxation->dearest,
                               &of->master));
    return improve(of);
}

og_status og_bound_delayed_vector(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                                  int threads, og_stop *stop, og_upper_bound *out)
{
    og_upper_bound scalar;
    search of;
    OG_TRY(og_bound_delayed_scalar(arms, delay, memory_bytes, threads, &scalar));
    og_status status = search_init(arms, delay, memory_bytes, threads, &of);
    of.stop = stop;
    OG_THEN(status, run(&of, &scalar));
    if (status == OG_OK) {
        *out = (og_upper_bound){.value = of.found.value + of.found.error,
                                .error = of.found.error,
                                .price_count = arms->budget,
                                .price = of.best,
                                .evaluations = scalar.evaluations + of.relaxation->evaluations,
                                .converged = of.converged};
        of.best = NULL;
    }
    search_clear(&of);
    og_bound_clear(&scalar);
    return status;
}

og_status og_bound_lagrangian_vector(const og_arms *arms, int threads, og_stop *stop,
                                     og_upper_bound *out)
{
    return og_bound_delayed_vector(arms, NULL, 0, threads, stop, out);
}
