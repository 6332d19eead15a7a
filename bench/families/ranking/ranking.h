#ifndef OG_BENCH_FAMILIES_RANKING_RANKING_H
#define OG_BENCH_FAMILIES_RANKING_RANKING_H

#include "bench/family.h"
#include "dp/prior/problem.h"

/*
 * Ranking by comparisons (dp/families/ranking.h) as a family, chosen with --problem ranking: an
 * INSTANCE word is [COUNTx]A, COUNT items with the Dirichlet parameter A; an act is a pair of items
 * and, if there are workers, a worker, who compares a pair at most once. Policies are those of
 * heuristics/families/ranking_policy.h: their value uses the policy's own final ranking,
 * called_value that of the exact posterior.
 */
extern const og_family og_family_ranking;

typedef struct {
    og_groups workers; /* priors of workers of unknown reliability; none: all answers are
                          reliable */
} og_ranking_options;

#endif
