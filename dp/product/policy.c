/* What the product itself knows about policies: ranks without an index behind them. */
#include "dp/product/policy.h"

#include <stdlib.h>
#include <string.h>

#include "dp/product/asked.h"

og_status og_ranks_new_uniform(const og_arms *arms, og_ranks **out)
{
    og_ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks == NULL) {
        return OG_NO_MEMORY;
    }
    ranks->arm_count = arms->arm_count;
    ranks->budget = arms->budget;
    ranks->rank = calloc((size_t)arms->arm_count, sizeof *ranks->rank);
    for (int32_t i = 0; ranks->rank != NULL && i < arms->arm_count; i++) {
        ranks->rank[i] = calloc(arms->arm[i]->node_count, sizeof *ranks->rank[i]);
        if (ranks->rank[i] == NULL) {
            og_ranks_free(ranks);
            return OG_NO_MEMORY;
        }
    }
    if (ranks->rank == NULL) {
        og_ranks_free(ranks);
        return OG_NO_MEMORY;
    }
    *out = ranks;
    return OG_OK;
}

og_status og_ranks_copy(const og_arms *arms, const og_ranks *ranks, og_ranks **out)
{
    og_ranks *copy = calloc(1, sizeof *copy);
    if (copy == NULL) {
        return OG_NO_MEMORY;
    }
    *copy = *ranks;
    copy->asked = NULL;
    int32_t first = ranks->by_left ? 1 : 0, last = ranks->by_left ? ranks->budget : 0;
    copy->rank = calloc((size_t)ranks->arm_count * ((size_t)last + 1), sizeof *copy->rank);
    og_status status = copy->rank == NULL ? OG_NO_MEMORY : OG_OK;
    for (int32_t left = first; left <= last; left++) {
        for (int32_t i = 0; status == OG_OK && i < ranks->arm_count; i++) {
            /* What ranks are defined for: nodes that can be labelled with so many left. */
            size_t nodes = arms->arm[i]->level[ranks->budget - (left > 0 ? left - 1 : 0)];
            size_t row = (size_t)left * (size_t)ranks->arm_count + (size_t)i;
            copy->rank[row] = malloc((nodes + 1) * sizeof **copy->rank);
            if (copy->rank[row] == NULL) {
                status = OG_NO_MEMORY;
            } else {
                memcpy(copy->rank[row], ranks->rank[row], nodes * sizeof **copy->rank);
            }
        }
    }
    if (status != OG_OK) {
        og_ranks_free(copy);
        return status;
    }
    *out = copy;
    return OG_OK;
}

void og_ranks_free(og_ranks *ranks)
{
    if (ranks == NULL) {
        return;
    }
    int64_t tables = (int64_t)ranks->arm_count * (ranks->by_left ? ranks->budget + 1 : 1);
    for (int64_t i = 0; ranks->rank != NULL && i < tables; i++) {
        free(ranks->rank[i]);
    }
    free(ranks->rank);
    og_asked_free(ranks->asked);
    free(ranks);
}
