/* The loops of the search for prices; the header has the method. */
#include "heuristics/bounds/price_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"

/* Relative distance from the best bound at which smoothing ends. */
static const double near_enough = 2e-8;

/* Largest number of proposals evaluated after that: usually two or three are needed, a hundred if
 * many arms share many labels. */
enum { LAST_STEPS = 400 };

og_status og_price_search_init(int32_t stages, og_price_search *search)
{
    size_t count = (size_t)stages;
    *search = (og_price_search){.stages = stages,
                                .work_most = UINT64_MAX,
                                .tolerance = 1e-12,
                                .found = {.value = INFINITY},
                                .least = -INFINITY};
    search->best = og_arena_array(&search->arena, count, sizeof *search->best);
    search->proposal = og_arena_array(&search->arena, count, sizeof *search->proposal);
    search->trial = og_arena_array(&search->arena, count, sizeof *search->trial);
    search->slope = og_arena_array(&search->arena, count, sizeof *search->slope);
    return og_arena_status(&search->arena);
}

og_status og_price_search_parts(og_price_search *search, int32_t parts)
{
    size_t before = search->worth_room;
    double *worth = og_grown(search->worth, &search->worth_room, (size_t)parts, sizeof *worth);
    OG_TRY(OG_ALLOCATED(worth));
    search->worth = worth;
    for (size_t i = before; i < search->worth_room; i++) {
        worth[i] = 0;
    }
    return OG_OK;
}

void og_price_search_clear(og_price_search *search)
{
    free(search->worth);
    og_price_master_free(search->master);
    og_arena_clear(&search->arena);
}

og_status og_price_search_cut(og_price_search *search, const og_price_plane *plane)
{
    double height = 0;
    for (int32_t l = 0; l < search->stages; l++) {
        height -= plane->bought[l] * search->proposal[l];
    }
    height += plane->intercept;
    if (height > search->worth[plane->part]) {
        search->lift += plane->weight * (height - search->worth[plane->part]);
    }
    return og_price_master_cut(search->master, plane->part, plane->intercept, plane->bought,
                               plane->label);
}

og_status og_price_search_propose(og_price_search *search, double *gap)
{
    double least, rounding = 0;
    OG_TRY(og_price_master_solve(search->master, search->proposal, search->worth, &least));
    if (search->proved) {
        OG_TRY(og_price_master_proved(search->master, &least, &rounding));
    }
    if (!search->proved || least - rounding > search->least - search->rounding) {
        search->least = least;
        search->rounding = rounding;
    }
    *gap = search->found.value - search->base - least;
    return OG_OK;
}

og_status og_price_search_value(og_price_search *search, const double *price)
{
    og_relaxed found;
    search->lift = 0;
    OG_TRY(search->problem.value(search->problem.user, price, &found));
    if (found.value + found.error < search->found.value + search->found.error) {
        search->found = found;
        memcpy(search->best, price, (size_t)search->stages * sizeof *price);
    }
    return OG_OK;
}

static bool may_go_on(const og_price_search *search)
{
    return search->problem.work(search->problem.user) + og_price_master_work(search->master) <
               search->work_most &&
           !og_stop_asked(search->stop);
}

/* Takes one proposal of the model and evaluates B once or twice. *gap: of the last proposal, and of
 * this one. *stuck: nothing has changed, since within its tolerance GLPK considers the new planes
 * satisfied at the proposal. */
static og_status improve_once(og_price_search *search, double *gap, bool *stuck)
{
    double before = search->found.value, gap_before = *gap, lift_before = search->lift;
    OG_TRY(og_price_search_propose(search, gap));
    /* A payoff may be negative; then the gain measures the size of values. */
    double size = fmax(fabs(search->found.value), search->found.value - search->base);
    search->converged = *gap <= near_enough * size;
    if (search->converged) {
        return OG_OK;
    }
    for (int32_t l = 0; l < search->stages; l++) {
        search->trial[l] = 0.5 * search->best[l] + 0.5 * search->proposal[l];
    }
    OG_TRY(og_price_search_value(search, search->trial));
    *stuck = *gap == gap_before && search->lift == lift_before;
    return search->lift < 0.01 * *gap && search->found.value >= before
               ? og_price_search_value(search, search->proposal)
               : OG_OK;
}

static double enough(const og_price_search *search)
{
    return search->enough > 0 ? search->enough : search->found.error;
}

/* Evaluates B at proposals until the bounds meet. */
static og_status finish(og_price_search *search)
{
    double gap = INFINITY, gap_before, lift_before;
    search->lift = INFINITY;
    for (int i = 0; i < LAST_STEPS && may_go_on(search); i++) {
        gap_before = gap;
        lift_before = search->lift;
        OG_TRY(og_price_search_propose(search, &gap));
        bool lifted = search->enough > 0 || search->lift > search->found.error;
        if (gap <= enough(search) || !lifted) {
            break;
        }
        OG_TRY(og_price_search_value(search, search->proposal));
        /* Within its tolerance GLPK considers the new plane satisfied at the proposal. */
        if (gap == gap_before && search->lift == lift_before) {
            break;
        }
    }
    return OG_OK;
}

og_status og_price_search_run(og_price_search *search)
{
    og_status status = OG_OK;
    double gap = INFINITY;
    bool stuck = false;
    while (status == OG_OK && !search->converged && !stuck && may_go_on(search)) {
        status = improve_once(search, &gap, &stuck);
    }
    og_price_master_tolerance(search->master, search->tolerance);
    OG_THEN(status, finish(search));
    return status == OG_FAILED ? OG_OK : status;
}
