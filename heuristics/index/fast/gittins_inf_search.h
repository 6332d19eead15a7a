#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_INF_SEARCH_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_INF_SEARCH_H

#include "heuristics/index/fast/gittins_inf_table.h"

/*
 * Intervals of the infinite-horizon Gittins indices of many nodes of an arm with two outcomes
 * (private to heuristics/index/).
 */
typedef struct {
    int32_t n, s;
    bool wanted;            /* in og_inf_search_narrow */
    double low, high, best; /* out: bounds, but for rounding, and the likeliest index */
} og_inf_target;

typedef struct og_inf_search og_inf_search;

/* Values the table at a first grid of prices. `table` has the rows of parameters; all targets are
 * on levels below the budget. All is borrowed. OG_NO_MEMORY, OG_FAILED, OG_STOPPED. */
og_status og_inf_search_new(const og_inf_table *table, int32_t budget, og_inf_target *targets,
                            int64_t count, int threads, og_stop *stop, og_inf_search **out);
void og_inf_search_free(og_inf_search *search); /* NULL is fine */

/* Makes the intervals of the wanted targets at most this wide, relative to `low`, if rounding
 * permits. OG_STOPPED. */
og_status og_inf_search_narrow(og_inf_search *search, double tolerance);

#endif
