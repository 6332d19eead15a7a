/* Operations on ranks that need no index. */
#include "dp/product/policy.h"

#include <stdlib.h>
#include <string.h>

#include "dp/product/chooser_lock.h"

/* Number of nodes of a row's arm that have ranks: those that can be labelled with so many left. */
static size_t nodes_of(const og_arms *arms, bool by_left, int64_t row)
{
    const og_arm *arm = arms->arm[row % arms->arm_count];
    int64_t left = row / arms->arm_count;
    return !by_left ? arm->level[arms->budget] : left > 0 ? arm->level[arms->budget - left + 1] : 0;
}

static int64_t row_count(const og_ranks *ranks)
{
    return (int64_t)ranks->arm_count * (ranks->by_left ? ranks->budget + 1 : 1);
}

og_status og_ranks_new(const og_arms *arms, bool by_left, og_ranks **out)
{
    og_ranks *ranks = calloc(1, sizeof *ranks);
    OG_TRY(OG_ALLOCATED(ranks));
    ranks->arm_count = arms->arm_count;
    ranks->budget = arms->budget;
    ranks->by_left = by_left;
    ranks->rank = calloc((size_t)row_count(ranks), sizeof *ranks->rank);
    bool failed = ranks->rank == NULL;
    for (int64_t i = 0; !failed && i < row_count(ranks); i++) {
        size_t nodes = by_left ? nodes_of(arms, true, i) : arms->arm[i]->node_count;
        ranks->rank[i] = calloc(nodes + 1, sizeof *ranks->rank[i]);
        failed = ranks->rank[i] == NULL;
    }
    if (failed) {
        og_ranks_free(ranks);
        return OG_NO_MEMORY;
    }
    *out = ranks;
    return OG_OK;
}

og_status og_ranks_new_uniform(const og_arms *arms, og_ranks **out)
{
    return og_ranks_new(arms, false, out);
}

og_status og_ranks_copy(const og_arms *arms, const og_ranks *ranks, og_ranks **out)
{
    OG_TRY(og_ranks_new(arms, ranks->by_left, out));
    (*out)->tolerance_ties = ranks->tolerance_ties;
    (*out)->stops = ranks->stops;
    for (int64_t i = 0; i < row_count(ranks); i++) {
        size_t nodes = nodes_of(arms, ranks->by_left, i);
        if (nodes > 0) {
            memcpy((*out)->rank[i], ranks->rank[i], nodes * sizeof **ranks->rank);
        }
    }
    return OG_OK;
}

void og_ranks_prefer(og_ranks *ranks, const og_arms *arms, int32_t arm, bool below)
{
    for (int64_t i = 0; i < row_count(ranks); i++) {
        bool own = i % ranks->arm_count == arm;
        size_t nodes = nodes_of(arms, ranks->by_left, i);
        for (size_t node = 0; node < nodes; node++) {
            uint32_t *rank = &ranks->rank[i][node];
            *rank = !below ? 2 * *rank + own : own ? 0 : *rank + 1;
        }
    }
}

static void chooser_lock_free(og_chooser_lock *locked)
{
    if (locked == NULL) {
        return;
    }
    if (locked->chooser.free != NULL) {
        locked->chooser.free(locked->chooser.self);
    }
    og_lock_clear(&locked->lock);
    free(locked);
}

void og_ranks_free(og_ranks *ranks)
{
    if (ranks == NULL) {
        return;
    }
    for (int64_t i = 0; ranks->rank != NULL && i < row_count(ranks); i++) {
        free(ranks->rank[i]);
    }
    free(ranks->rank);
    chooser_lock_free(ranks->chooser_lock);
    free(ranks);
}
