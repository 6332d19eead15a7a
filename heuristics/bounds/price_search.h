#ifndef OG_HEURISTICS_BOUNDS_PRICE_SEARCH_H
#define OG_HEURISTICS_BOUNDS_PRICE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/price_master.h"
#include "heuristics/bounds/relaxation.h"

/*
 * The search for a price of each stage with cutting planes (private to heuristics/), for the bounds
 * and for the fluid value of a state:
 *
 *   minimise B(p) = base + sum over parts of weight * gain(p) + sum of prices.
 *
 * Every evaluation of a part at prices q gives a plane below it: gain(p) >= gain(q) + sum_l
 * bought_l (q_l - p_l). The minimum of the model with all planes (price_master.h) is a lower bound
 * on the best B, and its location is a proposal of prices. Since proposals jump, B is evaluated
 * between the best prices so far and the proposal (Wentges' smoothing). If that neither improves B
 * nor cuts the proposal off, B is evaluated at the proposal too. Once the two bounds almost meet, B
 * is evaluated only at proposals. Few planes meet at the minimum of B, and when the model has all
 * of them, the proposal is the minimum up to rounding.
 */
typedef struct og_price_search og_price_search;

typedef struct {
    void *user;
    /* Evaluates B, and gives the planes of all parts there to og_price_search_cut. */
    og_status (*value)(void *user, const double *price, og_relaxed *out);
    /* Work so far of these evaluations, in evaluated nodes. */
    uint64_t (*work)(void *user);
} og_price_problem;

struct og_price_search {
    og_arena arena;
    og_price_problem problem;
    og_stop *stop;
    og_price_master *master; /* owned */
    int32_t stages;
    double base;        /* B without gains and prices */
    uint64_t work_most; /* the search ends after this work, in nodes and matrix entries */
    double enough;      /* the search ends if the bounds are this near; 0: the error of B, or if no
                           plane lifts the model by more than this */
    double tolerance;   /* of GLPK at the end; 1e-12 unless set */
    bool proved;        /* `least` is proved up to `rounding`; else up to GLPK's tolerance */
    double *best;       /* [stages] the best prices so far */
    double *proposal;   /* [stages] */
    double *trial;      /* [stages] */
    double *worth;      /* [worth_room] height of the model of each part at the proposal */
    size_t worth_room;
    double *slope;    /* [stages] scratch for the caller */
    og_relaxed found; /* B at `best`; INFINITY: none yet */
    double least;     /* the largest lower bound so far on B - base at any prices */
    double rounding;  /* of `least`, if it is proved */
    double lift;      /* by how much the last evaluation's planes lift the model at the proposal */
    bool converged;   /* the bounds are within a relative 2e-8 */
};

/* Initialises *search; og_price_search_clear frees it, also after a failure. The caller makes the
 * master, and sets the other fields. The second function makes room for this number of parts.
 * OG_NO_MEMORY.
 */
og_status og_price_search_init(int32_t stages, og_price_search *search);
og_status og_price_search_parts(og_price_search *search, int32_t parts);
void og_price_search_clear(og_price_search *search);

/* A plane of a part, intercept - sum_l bought_l price_l, with bought[stages] >= 0. */
typedef struct {
    int32_t part;
    double weight; /* of the part in B */
    double intercept;
    const double *bought;
    void *label; /* as og_price_master_cut */
} og_price_plane;
og_status og_price_search_cut(og_price_search *search, const og_price_plane *plane);

/* Gets the model's proposal; *gap is B at the best prices minus the model's minimum. OG_FAILED if
 * GLPK fails. */
og_status og_price_search_propose(og_price_search *search, double *gap);

/* Evaluates B at these prices, which become the best if they are better. */
og_status og_price_search_value(og_price_search *search, const double *price);

/* Searches from the best prices so far. The search can end at any time with the best prices: GLPK's
 * failures are no error. */
og_status og_price_search_run(og_price_search *search);

#endif
