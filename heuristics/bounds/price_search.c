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

og_status og_price_search_init(int32_t stages, og_price_search *of)
{
    size_t count = (size_t)stages;
    *of = (og_price_search){.stages = stages,
                            .work_most = UINT64_MAX,
                            .tolerance = 1e-12,
                            .found = {.value = INFINITY},
                            .least = -INFINITY};
    of->best = og_arena_array(&of->arena, count, sizeof *of->best);
    of->proposal = og_arena_array(&of->arena, count, sizeof *of->proposal);
    of->trial = og_arena_array(&of->arena, count, sizeof *of->trial);
    of->slope = og_arena_array(&of->arena, count, sizeof *of->slope);
    return og_arena_status(&of->arena);
}

og_status og_price_search_parts(og_price_search *of, int32_t parts)
{
    size_t before = of->worth_room;
    double *worth = og_grown(of->worth, &of->worth_room, (size_t)parts, sizeof *worth);
    OG_TRY(OG_ALLOCATED(worth));
    of->worth = worth;
    for (size_t i = before; i < of->worth_room; i++) {
        worth[i] = 0;
    }
    return OG_OK;
}

void og_price_search_clear(og_price_search *of)
{
    free(of->worth);
    og_price_master_free(of->master);
    og_arena_clear(&of->arena);
}

og_status og_price_search_cut(og_price_search *of, const og_price_plane *plane)
{
    double height = 0;
    for (int32_t l = 0; l < of->stages; l++) {
        height -= plane->bought[l] * of->proposal[l];
    }
    height += plane->intercept;
    if (height > of->worth[plane->part]) {
        of->lift += plane->weight * (height - of->worth[plane->part]);
    }
    return og_price_master_cut(of->master, plane->part, plane->intercept, plane->bought,
                               plane->label);
}

og_status og_price_search_propose(og_price_search *of, double *gap)
{
    double least, rounding = 0;
    OG_TRY(og_price_master_solve(of->master, of->proposal, of->worth, &least));
    if (of->proved) {
        OG_TRY(og_price_master_proved(of->master, &least, &rounding));
    }
    if (!of->proved || least - rounding > of->least - of->rounding) {
        of->least = least;
        of->rounding = rounding;
    }
    *gap = of->found.value - of->base - least;
    return OG_OK;
}

og_status og_price_search_value(og_price_search *of, const double *price)
{
    og_relaxed found;
    of->lift = 0;
    OG_TRY(of->problem.value(of->problem.user, price, &found));
    if (found.value + found.error < of->found.value + of->found.error) {
        of->found = found;
        memcpy(of->best, price, (size_t)of->stages * sizeof *price);
    }
    return OG_OK;
}

static bool may_go_on(const og_price_search *of)
{
    return of->problem.work(of->problem.user) + og_price_master_work(of->master) < of->work_most &&
           !og_stop_asked(of->stop);
}

/* Takes one proposal of the model and evaluates B once or twice. *gap: of the last proposal, and of
 * this one. *stuck: nothing has changed, since within its tolerance GLPK considers the new planes
 * satisfied at the proposal. */
static og_status improve_once(og_price_search *of, double *gap, bool *stuck)
{
    double before = of->found.value, gap_before = *gap, lift_before = of->lift;
    OG_TRY(og_price_search_propose(of, gap));
    /* A payoff may be negative; then the gain measures the size of values. */
    double size = fmax(fabs(of->found.value), of->found.value - of->base);
    of->converged = *gap <= near_enough * size;
    if (of->converged) {
        return OG_OK;
    }
    for (int32_t l = 0; l < of->stages; l++) {
        of->trial[l] = 0.5 * of->best[l] + 0.5 * of->proposal[l];
    }
    OG_TRY(og_price_search_value(of, of->trial));
    *stuck = *gap == gap_before && of->lift == lift_before;
    return of->lift < 0.01 * *gap && of->found.value >= before
               ? og_price_search_value(of, of->proposal)
               : OG_OK;
}

static double enough(const og_price_search *of)
{
    return of->enough > 0 ? of->enough : of->found.error;
}

/* Evaluates B at proposals until the bounds meet. */
static og_status finish(og_price_search *of)
{
    double gap = INFINITY, gap_before, lift_before;
    of->lift = INFINITY;
    for (int i = 0; i < LAST_STEPS && may_go_on(of); i++) {
        gap_before = gap;
        lift_before = of->lift;
        OG_TRY(og_price_search_propose(of, &gap));
        bool lifted = of->enough > 0 || of->lift > of->found.error;
        if (gap <= enough(of) || !lifted) {
            break;
        }
        OG_TRY(og_price_search_value(of, of->proposal));
        /* Within its tolerance GLPK considers the new plane satisfied at the proposal. */
        if (gap == gap_before && of->lift == lift_before) {
            break;
        }
    }
    return OG_OK;
}

og_status og_price_search_run(og_price_search *of)
{
    og_status status = OG_OK;
    double gap = INFINITY;
    bool stuck = false;
    while (status == OG_OK && !of->converged && !stuck && may_go_on(of)) {
        status = improve_once(of, &gap, &stuck);
    }
    og_price_master_tolerance(of->master, of->tolerance);
    OG_THEN(status, finish(of));
    return status == OG_FAILED ? OG_OK : status;
}
