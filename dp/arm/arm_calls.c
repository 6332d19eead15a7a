/* The worth of an instance that is labelled no further, at each node. */
#include <float.h>
#include <stdlib.h>

#include "dp/arm/arm_builder.h"
#include "dp/base/rational.h"

static void round_values(const og_arm *arm, bool more, double *value)
{
    mpq_t first, here;
    mpq_inits(first, here, NULL);
    if (more) {
        arm->builder->exact_value(arm, 0, first);
    }
    for (uint32_t node = 0; node < arm->node_count; node++) {
        arm->builder->exact_value(arm, node, here);
        mpq_sub(here, here, first);
        value[node] = og_nearest(here);
    }
    mpq_clears(first, here, NULL);
}

og_status og_arm_calls(const og_arm *arm, bool more, og_stop *stop, double *value, double *error)
{
    const size_t outcomes = (size_t)arm->outcome_count, labelled = arm->level[arm->depth];
    if (arm->builder->exact_value != NULL) {
        round_values(arm, more, value);
        *error = DBL_EPSILON / 2;
        return OG_OK;
    }
    double *gain = malloc((labelled * outcomes + 1) * sizeof *gain);
    og_status status = gain != NULL ? og_arm_gains(arm, stop, gain, error) : OG_NO_MEMORY;
    value[0] = more ? 0 : arm->call;
    for (size_t i = 0; status == OG_OK && i < labelled * outcomes; i++) {
        value[arm->next[i]] = value[i / outcomes] + gain[i];
    }
    free(gain);
    return status;
}

void og_arm_exact_calls(const og_arm *arm, mpq_t *value)
{
    const size_t outcomes = (size_t)arm->outcome_count, labelled = arm->level[arm->depth];
    mpq_t gain;
    for (uint32_t node = 0; arm->builder->exact_value != NULL && node < arm->node_count; node++) {
        arm->builder->exact_value(arm, node, value[node]);
    }
    if (arm->builder->exact_value != NULL) {
        return;
    }
    mpq_init(gain);
    og_arm_exact_call(arm, value[0]);
    for (size_t i = 0; i < labelled * outcomes; i++) {
        og_arm_exact_gain(arm, (uint32_t)(i / outcomes), (int32_t)(i % outcomes), gain);
        mpq_add(value[arm->next[i]], value[i / outcomes], gain);
    }
    mpq_clear(gain);
}
