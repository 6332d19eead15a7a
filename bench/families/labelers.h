#ifndef OG_BENCH_FAMILIES_LABELERS_H
#define OG_BENCH_FAMILIES_LABELERS_H

#include "bench/family.h"
#include "dp/families/labelers_game.h"

/*
 * Choosing labelers without ground truth (dp/families/labelers.h) as a family, chosen by
 * --problem labelers: an INSTANCE word is [COUNTx]P, COUNT labelers who are right with chance P;
 * an act is a set of labelers. Values are expected right labels of the tasks to come, less what
 * votes cost at --cost-weight. Policies are those of heuristics/families/labelers_policy.h.
 */
extern const og_family og_family_labelers;

typedef struct {
    const char *unknown; /* "orders", "beta:A,B" or a file; NULL: accuracies are known */
    double explore[2];   /* G1, G2 */
    og_fraction cost[OG_LABELERS_MAX]; /* [cost_count] of a vote, one for all or one for each */
    int32_t cost_count;
    og_fraction price;
    bool weighted;
    double eps;
    const char *sets; /* "all" or "odd"; NULL: by the number of labelers */
    bool nobody;
    bool theory;
    int32_t contexts; /* in runs, from 1 on; 0: anywhere from 0 to 1, */
    double cells;     /* and ls-ol takes ceil(t^cells) of them for one, from 0 to 1 */
    double drop;      /* in runs: the worst labeler leaves where chance is below this; 0: nobody */
} og_labelers_options;

extern const og_option_set og_labelers_option_set;

/* Hypotheses from a file: a line is a weight and the accuracies of all labelers, with tabs between.
 * OG_BAD_INPUT with a message; OG_FAILED, OG_NO_MEMORY. */
og_status og_labelers_read_prior(const char *path, const og_labelers *of, og_labelers_prior **out,
                                 og_message *message);

#endif
