/* The optimum from both ends of a margin cut, and Q of the first label. */
#include "dp/product/optimum/cut.h"

#include <math.h>
#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/product/optimum/optimum.h"

bool og_cut_can(const og_arms *arms)
{
    return og_arms_capped(arms) >= 20 && og_margin_can(arms);
}

bool og_cut_closes(const og_margin_ends *ends, double relative)
{
    return ends->upper - ends->lower <= relative * (ends->upper + ends->lower);
}

void og_cut_take(const og_margin_ends *ends, double relative, double *value, double *error)
{
    bool closed = og_cut_closes(ends, relative);
    double lower = ends->lower, upper = ends->upper;
    *value = closed ? lower : (lower + upper) / 2;
    *error =
        (closed ? upper - lower : (upper - lower) / 2 + upper * 0x1p-51) + 1.01 * relative * upper;
}

/* The states after each outcome of each group's label, two for a group. */
static og_status list_roots(const og_arms *arms, og_arena *arena, og_state **out)
{
    int32_t groups = arms->group_count;
    og_state *root = og_arena_array(arena, 2 * (size_t)groups, sizeof *root);
    for (int32_t i = 0; root != NULL && i < 2 * groups; i++) {
        const og_arm *labelled = arms->arm[arms->arm_of_group[i / 2]];
        og_state_group *group = og_arena_array(arena, (size_t)groups + 1, sizeof *group);
        for (int32_t g = 0; group != NULL && g < groups; g++) {
            int64_t copies = arms->group_size[g] - (g == i / 2);
            group[g] = (og_state_group){arms->arm_of_group[g], 0, copies};
        }
        if (group == NULL) {
            break;
        }
        group[groups] = (og_state_group){arms->arm_of_group[i / 2], labelled->next[i % 2], 1};
        root[i] = (og_state){arms->budget - 1, arms->budget, groups + 1, group};
    }
    *out = root;
    return og_arena_status(arena);
}

og_status og_cut_new(const og_arms *arms, bool q, int32_t m, const og_settings *settings,
                     og_margin **out)
{
    og_arena arena = {0};
    og_state *root = NULL;
    og_status status = q ? list_roots(arms, &arena, &root) : OG_OK;
    OG_THEN(status, og_margin_new(arms, root, 2 * arms->group_count, m, settings, out));
    og_arena_clear(&arena);
    return status;
}

og_status og_cut_value(const og_arms *arms, og_margin *cut, og_result *result, og_message *message)
{
    og_margin_ends ends;
    double relative = og_margin_relative_error(cut), call_error;
    OG_TRY(og_margin_solve(cut, &ends, result, message));
    result->bracketed = true;
    result->lower = ends.lower * (1 - 1.01 * relative);
    result->upper = ends.upper * (1 + 1.01 * relative);
    if (og_cut_closes(&ends, relative)) {
        og_cut_take(&ends, relative, &result->gain, &result->error_bound);
        result->value = og_arms_prior_value(arms, &call_error) + result->gain;
        result->error_bound += call_error + fabs(result->value) * 0x1p-53;
        result->by_margin = true;
    }
    return OG_OK;
}

/* Q of each group from the ends of its outcomes. */
static void take_q(const og_arms *arms, const og_margin_ends *ends, double relative, double *q,
                   double *error, bool *closed)
{
    *closed = true;
    for (int32_t g = 0; g < arms->group_count; g++) {
        const og_arm *arm = arms->arm[arms->arm_of_group[g]];
        og_margin_ends own = {arm->reward[0], arm->reward[0]};
        for (int k = 0; k < 2; k++) {
            own.lower += arm->probability[k] * ends[2 * g + k].lower;
            own.upper += arm->probability[k] * ends[2 * g + k].upper;
        }
        og_cut_take(&own, relative, &q[g], &error[g]);
        *closed = *closed && og_cut_closes(&own, relative);
    }
}

og_status og_cut_q(const og_arms *arms, og_margin *cut, double *q, double *error, bool *closed,
                   og_result *result, og_message *message)
{
    og_margin_ends *ends = calloc(2 * (size_t)arms->group_count, sizeof *ends);
    og_status status = OG_ALLOCATED(ends);
    OG_THEN(status, og_margin_solve(cut, ends, result, message));
    if (status == OG_OK) {
        take_q(arms, ends, og_margin_relative_error(cut), q, error, closed);
    }
    free(ends);
    return status;
}
