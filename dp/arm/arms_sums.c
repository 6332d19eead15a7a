/* Properties of all arms of a problem together. */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#include "dp/arm/arm.h"
#include "dp/base/rational.h"

static const double unit_roundoff = 0x1p-53;

int64_t og_arms_instances(const og_arms *arms)
{
    int64_t instances = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        instances += arms->group_size[g];
    }
    return instances;
}

int64_t og_arms_capped(const og_arms *arms)
{
    int64_t capped = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        capped += arms->group_size[g] < arms->budget ? arms->group_size[g] : arms->budget;
    }
    return capped;
}

int64_t og_arms_copies(const og_arms *arms, int32_t arm)
{
    int64_t copies = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        copies += arms->arm_of_group[g] == arm ? arms->group_size[g] : 0;
    }
    return copies;
}

double og_arms_scale(const og_arms *arms)
{
    double scale = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        double own = og_arm_scale(arms->arm[a]);
        scale = own > scale ? own : scale;
    }
    return scale;
}

bool og_arms_have_actions(const og_arms *arms)
{
    bool several = false;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        several = several || arms->arm[a]->action_first != NULL;
    }
    return several;
}

int32_t og_arms_arm_of(const og_arms *arms, uint32_t global_node)
{
    int32_t low = 0;
    int32_t high = arms->arm_count - 1;
    while (low < high) {
        int32_t middle = high - (high - low) / 2;
        if (arms->node_offset[middle] <= global_node) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* The sum of calls in rationals: sum[0] of those from 0 on, sum[1] of the sizes of negative ones,
 * as payoffs may be. */
static void sum_calls(const og_arms *arms, mpq_t sum[2])
{
    int64_t *copies = calloc((size_t)arms->arm_count + 1, sizeof *copies);
    int32_t terms = copies != NULL ? arms->arm_count : arms->group_count;
    mpq_t term;
    mpq_init(term);
    for (int32_t i = 0; copies != NULL && i < arms->group_count; i++) {
        copies[arms->arm_of_group[i]] +=
            arms->group_size[i]; /* groups may be many more than arms */
    }
    for (int32_t i = 0; i < terms; i++) {
        double call = arms->arm[copies != NULL ? i : arms->arm_of_group[i]]->call;
        mpq_set_d(term, fabs(call));
        og_add_multiple(sum[call < 0], copies != NULL ? copies[i] : arms->group_size[i], term);
    }
    mpq_clear(term);
    free(copies);
}

/* The sum is exact in rationals and rounded once: |result - exact| is at most the error of the
 * stored terms, u each, and the last rounding. */
double og_arms_prior_value(const og_arms *arms, double *error)
{
    mpq_t sum[2], term;
    mpq_inits(sum[0], sum[1], term, NULL);
    sum_calls(arms, sum);
    mpq_sub(term, sum[0], sum[1]);
    double value = og_nearest(term);
    /* Sizes: exact <= rounded (1+u)/(1-u) and (u + u(1+u)) exact < 2.001 u rounded. */
    if (error != NULL) {
        mpq_add(term, sum[0], sum[1]);
        *error = 2.001 * unit_roundoff * og_nearest(term);
    }
    mpq_clears(sum[0], sum[1], term, NULL);
    return value;
}

bool og_arms_exact_call(const og_arms *arms, mpq_t out)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (!arms->arm[i]->rational) {
            return false;
        }
    }
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(out, 0, 1);
    for (int32_t i = 0; i < arms->group_count; i++) {
        og_arm_exact_call(arms->arm[arms->arm_of_group[i]], term);
        og_add_multiple(out, arms->group_size[i], term);
    }
    mpq_clear(term);
    return true;
}
