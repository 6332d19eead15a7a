#ifndef OG_BENCH_FAMILIES_RANKING_PROBLEM_H
#define OG_BENCH_FAMILIES_RANKING_PROBLEM_H

#include "bench/families/ranking/ranking.h"
#include "bench/simulation/sources.h"
#include "dp/base/parallel.h"

/*
 * A ranking by comparisons, for the files that implement it (private to bench/families/ranking/).
 */

/* The exact posterior, computed when it is first needed. */
typedef struct {
    og_lock lock;
    bool tried;
    og_status status;
    og_message why;
    og_ranking *ranking;
} ranking_exact_side;

enum {
    RANKING_NUMBERS = OG_RANKING_PLAYED_MAX + 2 * OG_RANKING_CROWD_MAX, /* numbers of a belief */
    RANKING_WORD_BYTES = 48,
};

typedef struct {
    int32_t items, workers;
    og_fraction parameter[OG_RANKING_PLAYED_MAX]; /* of the Dirichlet */
    int32_t group[OG_RANKING_PLAYED_MAX];         /* equal parameters have equal groups */
    double start_belief[RANKING_NUMBERS];         /* the prior: items, then mu, nu of the workers */
    bool small; /* exact values are supported; else the next two are not set */
    og_ranking_prior prior;
    og_ranking_counts start;
    og_told *made; /* [had] the history */
    int32_t had;
    int32_t whole_budget;
    int32_t left;
    uint64_t memory_bytes;
    og_stop *stop;       /* from opening, for functions without settings; NULL: none */
    const char *history; /* borrowed */
    const og_ranking_options *options;
    ranking_exact_side *exact;
    og_ranking_problem played;
} ranking;

/* Compare a pair, by worker w. */
static inline og_act ranking_act(int32_t i, int32_t j, int32_t w)
{
    return (og_act){{(uint32_t)(i < j ? i : j), (uint32_t)(i < j ? j : i), (uint32_t)w}};
}

/* True if this worker has compared the pair. Without workers it is false: pairs can be compared
 * again. */
bool ranking_was_asked(const ranking *problem, og_act act);

/*
 * Read the items, the workers, their priors and the history from the words, --workers-prior and
 * --history; options and whole_budget are set before. OG_BAD_INPUT with a message; OG_STOPPED with
 * a message: too many; OG_NO_MEMORY. Free `made` with free().
 */
og_status ranking_read(ranking *problem, const og_problem_text *given, og_message *message);

/*
 * Like og_ranking_new, but computed once; the problem owns *out. Any number of threads may call it.
 * If `stop` (NULL: never) ended it, the next call tries again.
 */
og_status ranking_exact(const ranking *problem, og_stop *stop, const og_ranking **out,
                        og_message *message);

/* Members of the family's row (og_family). */
og_status ranking_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                        og_message *message);
og_status ranking_strategy(const void *problem, const og_policy_name *name,
                           const og_policy_use *use, og_strategy *out, og_message *message);
og_model_open ranking_model;
og_status ranking_solve(const void *problem, const og_value_asked *question,
                        const og_settings *settings, og_solution *out, og_message *message);
og_status ranking_bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                        og_exact_bound *exact, og_message *message);
#endif
