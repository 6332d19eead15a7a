#ifndef OG_DP_FAMILIES_RANKING_BOUNDS_H
#define OG_DP_FAMILIES_RANKING_BOUNDS_H

#include "dp/base/stop.h"
#include "dp/families/ranking.h"

/*
 * Upper bounds of a ranking.
 *
 * Split: each pair (i, j) of P gets a separate problem, in which only that pair counts. All P would
 * have to make the same comparisons. Instead, a comparison of the problem's own pair costs `price`,
 * and any other earns price / (P - 1). If all P make the same comparisons, these payments cancel.
 * So the mean over pairs of the problems' values is an upper bound for every price >= 0, and convex
 * in it; at price 0 every pair is optimised alone. Built once, evaluated at many prices.
 */
typedef struct og_ranking_split og_ranking_split;

/* OG_STOPPED without a message if its tables do not fit memory_bytes, or `stop` ends the work;
 * OG_NO_MEMORY. Borrows the ranking. Takes as much work for each pair as all states of the ranking,
 * up to renamings that leave the pair unchanged. */
og_status og_ranking_split_new(const og_ranking *ranking, int threads, uint64_t memory_bytes,
                               og_stop *stop, og_ranking_split **out);
void og_ranking_split_free(og_ranking_split *split); /* NULL is fine */

/* The bound at this price >= 0, which has no effect if there is only one pair; it may be too small
 * by *error, as og_ranking_error. One thread at a time. */
double og_ranking_split_value(og_ranking_split *split, double price, double *error);

/*
 * An upper bound: the value if every pair is compared as often as there are comparisons to come, or
 * by every worker who has not done so, and *error as og_ranking_error. *value is NAN if that takes
 * more than some seconds, or if the stop (may be NULL) ends the work while tables are built.
 * OG_NO_MEMORY.
 */
og_status og_ranking_everything(const og_ranking *ranking, uint64_t memory_bytes, og_stop *stop,
                                double *value, double *error);

#endif
