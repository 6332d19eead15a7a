#ifndef OG_BENCH_FAMILIES_RANKING_H
#define OG_BENCH_FAMILIES_RANKING_H

#include "bench/family.h"
#include "dp/prior/problem.h"

/*
 * Ranking by comparisons (dp/families/ranking.h) as a family, chosen by --problem ranking: an
 * INSTANCE word is [COUNTx]A, COUNT items with the Dirichlet parameter A; an act is a pair of
 * items, and a worker where there are some, who compares a pair once at most. Policies are those of
 * heuristics/families/ranking_policy.h: a value is that with the policy's own ranking in the end,
 * called_value that with the exact posterior's.
 */
extern const og_family og_family_ranking;

typedef struct {
    og_groups workers; /* of unknown reliability, their priors; none: anybody is reliable */
} og_ranking_options;

extern const og_option_set og_ranking_option_set;

#endif
