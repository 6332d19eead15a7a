#ifndef OG_BENCH_FAMILIES_LABELERS_LABELERS_H
#define OG_BENCH_FAMILIES_LABELERS_LABELERS_H

#include "bench/family.h"
#include "dp/families/labelers_game.h"

/*
 * Choosing labelers without ground truth (dp/families/labelers.h) as a family, chosen with
 * --problem labelers: an INSTANCE word is [COUNTx]P, COUNT labelers who are right with
 * probability P; an act is a set of labelers. Values are the expected right labels of the tasks to
 * come, less the cost of votes at --cost-weight. Policies are those of
 * heuristics/families/labelers_policy.h.
 */
extern const og_family og_family_labelers;

typedef struct {
    const char *unknown; /* "orders", "beta:A,B" or a file; NULL: accuracies are given */
    double explore[2];   /* G1, G2 */
    og_fraction cost[OG_LABELERS_MAX]; /* [cost_count] the cost of a vote, one for all or one for
                                          each */
    int32_t cost_count;
    og_fraction price;
    bool weighted;
    double eps;
    const char *sets; /* "all" or "odd"; NULL: chosen from the number of labelers */
    bool nobody;
    bool theory;
    int32_t contexts;     /* in runs: how many, at least 1; 0: numbers in 0 .. 1, */
    double cells;         /* which ls-ol divides into ceil(t^cells) cells; 0 to 1 */
    double drop;          /* in runs: the worst labeler is dropped if chance explains the difference
                             with a probability below this; 0: never */
    double drop_exponent; /* C of that probability, exp(-C e^2 n) after n votes of everybody that
                             differ by e from the majority */
} og_labelers_options;

extern const og_option_set og_labelers_option_set;

/* Read hypotheses from a file: a line is a weight and the accuracies of all labelers, separated by
 * tabs. OG_BAD_INPUT with a message; OG_FAILED, OG_NO_MEMORY. */
og_status og_labelers_read_prior(const char *path, const og_labelers *game, og_labelers_prior **out,
                                 og_message *message);

#endif
