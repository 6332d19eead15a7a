/*
 * The best price for each stage, by cutting planes.
 *
 * Every valuation of an arm at prices q gives a plane below its share of B: gain(p) >= gain(q) +
 * sum_l bought_l (q_l - p_l). The least point of all planes together (price_master.h) is a lower
 * bound on the best B and a proposal of prices. Proposals jump about, so B is valued between the
 * best prices so far and the proposal (Wentges' smoothing); where that does not cut the proposal
 * off, at the proposal itself. Ends when the two bounds have met.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/bound.h"
#include "heuristics/price_master.h"
#include "heuristics/relaxation.h"

enum { ROUNDS_MOST = 2000 };

/* The relative distance from the best prices that is good enough. */
static const double near_enough = 1e-8;

typedef struct {
    og_relaxation *relaxation;
    og_price_master *master;
    int32_t budget;
    double *best;     /* [budget] the best prices so far */
    double *proposal; /* [budget] */
    double *trial;    /* [budget] */
    double *slope;    /* [budget] purchases of all instances of an arm */
    og_relaxed found; /* B at `best` */
    double least;     /* no prices give less, up to GLPK's rounding */
    bool converged;
} search;

static og_status search_init(const og_arms *arms, int threads, search *of)
{
    size_t budget = (size_t)arms->budget;
    *of = (search){.budget = arms->budget, .least = -INFINITY};
    og_status status = og_relaxation_new(arms, threads, &of->relaxation);
    if (status != OG_OK)
        return status;
    of->best = calloc(budget + 1, sizeof *of->best);
    of->proposal = calloc(budget + 1, sizeof *of->proposal);
    of->trial = calloc(budget + 1, sizeof *of->trial);
    of->slope = calloc(budget + 1, sizeof *of->slope);
    return of->best != NULL && of->proposal != NULL && of->trial != NULL && of->slope != NULL
               ? OG_OK
               : OG_NO_MEMORY;
}

static void search_clear(search *of)
{
    og_price_master_free(of->master);
    og_relaxation_free(of->relaxation);
    free(of->best);
    free(of->proposal);
    free(of->trial);
    free(of->slope);
}

/* Value B at `price`, add its cuts, keep it if it is the best. *cut: the height of the new planes
 * at the proposal, B's share of the calls left out. */
static og_status value_and_cut(search *of, const double *price, double *cut)
{
    og_relaxation *relaxation = of->relaxation;
    og_relaxed found;
    og_status status = og_relaxation_stages(relaxation, price, true, &found);
    *cut = 0;
    for (int32_t i = 0; i < relaxation->arms->arm_count && status == OG_OK; i++) {
        const double *bought = relaxation->bought + (size_t)i * (size_t)of->budget;
        double worth = relaxation->count[i] * relaxation->part[i].gain;
        double height = 0;
        for (int32_t l = 0; l < of->budget; l++) {
            of->slope[l] = relaxation->count[i] * bought[l];
            worth += of->slope[l] * price[l];
            height += of->slope[l] * of->proposal[l];
        }
        *cut += fmax(0, worth - height);
        status = og_price_master_cut(of->master, i, worth, of->slope);
    }
    for (int32_t l = 0; l < of->budget; l++)
        *cut += of->proposal[l];
    if (status == OG_OK && found.value + found.error < of->found.value + of->found.error) {
        of->found = found;
        memcpy(of->best, price, (size_t)of->budget * sizeof *price);
    }
    return status;
}

static og_status improve(search *of)
{
    double between = 0.5;
    double cut;
    og_status status = value_and_cut(of, of->best, &cut);
    for (int i = 0; i < ROUNDS_MOST && status == OG_OK; i++) {
        status = og_price_master_solve(of->master, of->proposal, &of->least);
        if (status != OG_OK)
            break;
        double height = of->least;
        of->least += of->relaxation->call;
        if (of->found.value - of->least <= near_enough * of->found.value) {
            of->converged = true;
            break;
        }
        for (int32_t l = 0; l < of->budget; l++)
            of->trial[l] = between * of->best[l] + (1 - between) * of->proposal[l];
        double before = of->found.value;
        status = value_and_cut(of, of->trial, &cut);
        bool cut_off = cut > height + near_enough * height;
        if (status == OG_OK && !cut_off && of->found.value >= before)
            status = value_and_cut(of, of->proposal, &cut);
    }
    /* What GLPK cannot do leaves the bound valid. */
    return status == OG_FAILED ? OG_OK : status;
}

static og_status run(search *of, const og_bound *scalar)
{
    og_relaxation *relaxation = of->relaxation;
    for (int32_t l = 0; l < of->budget; l++)
        of->best[l] = scalar->price[0];
    og_status status = og_relaxation_stages(relaxation, of->best, false, &of->found);
    if (status != OG_OK || of->budget == 0 || relaxation->dearest == 0) {
        of->converged = true;
        return status;
    }
    for (int32_t l = 0; l < of->budget; l++)
        of->slope[l] = 1;
    status = og_price_master_new(relaxation->arms->arm_count, of->budget, of->slope,
                                 relaxation->dearest, &of->master);
    return status == OG_OK ? improve(of) : status;
}

og_status og_bound_lagrangian_vector(const og_arms *arms, int threads, og_bound *out)
{
    og_bound scalar;
    search of;
    og_status status = og_bound_lagrangian_scalar(arms, threads, &scalar);
    if (status != OG_OK)
        return status;
    status = search_init(arms, threads, &of);
    if (status == OG_OK)
        status = run(&of, &scalar);
    if (status == OG_OK) {
        *out = (og_bound){.value = of.found.value + of.found.error,
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
