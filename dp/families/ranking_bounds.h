#ifndef OG_DP_FAMILIES_RANKING_BOUNDS_H
#define OG_DP_FAMILIES_RANKING_BOUNDS_H

#include "dp/base/stop.h"
#include "dp/families/ranking.h"

/*
 * Upper bounds of a ranking.
 *
 * Split: each pair (i, j) of P gets a problem of its own, in which it alone counts. All P would
 * have to make the same comparisons; instead a comparison of the own pair costs `price` there, and
 * any other earns price / (P - 1). What is done in all P alike nets 0, so the mean over pairs of
 * what each problem is worth is an upper bound for every price >= 0, and convex in it; at price 0
 * every pair is played for itself. Made once, valued at many prices.
 */
typedef struct og_ranking_split og_ranking_split;

/* OG_STOPPED without a message where its tables do not fit memory_bytes, or `stop` says so;
 * OG_NO_MEMORY. Borrows the ranking. Takes as much work for each pair as all states of the ranking,
 * as far as names leave the pair as it is. */
og_status og_ranking_split_new(const og_ranking *ranking, int threads, uint64_t memory_bytes,
                               og_stop *stop, og_ranking_split **out);
void og_ranking_split_free(og_ranking_split *split); /* NULL is fine */

/* The bound at this price >= 0, which means nothing where there is one pair only; it may be too
 * small by *error, as og_ranking_error. One thread at a time. */
double og_ranking_split_value(og_ranking_split *split, double price, double *error);

/*
 * The value if every pair is compared as often as there are comparisons to come, or by every worker
 * who has not done so, and *error as og_ranking_error: nobody can do better. *value is NAN where
 * that takes more than some seconds, or where the stop says so while tables are made (NULL:
 * nobody). OG_NO_MEMORY.
 */
og_status og_ranking_everything(const og_ranking *ranking, uint64_t memory_bytes, og_stop *stop,
                                double *value, double *error);

#endif
