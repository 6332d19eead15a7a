#ifndef OG_BENCH_FAMILIES_LABELERS_PROBLEM_H
#define OG_BENCH_FAMILIES_LABELERS_PROBLEM_H

#include "bench/families/labelers/labelers.h"
#include "dp/base/parallel.h"
#include "heuristics/families/labelers_policy.h"

/*
 * A problem of choosing labelers, for the files that implement it (private to
 * bench/families/labelers/). The value of each policy is computed once and kept in a memo, filled
 * under the lock. Values in the memo are final, so the problem behaves as if it never changed.
 */
typedef struct {
    bool known;
    double value, error; /* right labels less the price of votes, and a proved error bound */
    double right, cost;
    bool scheduled; /* LS_OL with given accuracies: */
    og_ls_ol_value ls_ol;
    mpq_t *exact; /* [LABELERS_EXACT + 2^count] the numbers listed next, or NULL */
} labelers_worth;
enum { LABELERS_VALUE, LABELERS_RIGHT, LABELERS_COST, LABELERS_SETS_LAW, LABELERS_EXACT = 3 };

typedef struct {
    og_arena arena;
    const og_labelers_options *options;
    og_labelers given; /* labelers as given */
    bool played;       /* more labelers than exact values support, or drawn accuracies: runs only,
                          without the tables below */
    og_votes votes;    /* of these */
    int32_t whole_budget, had, left;
    const char *words;          /* the history as given; borrowed */
    og_labelers_votes *history; /* [had] */
    og_labelers_prior *prior;
    og_labelers_problem *game;
    uint64_t memory_bytes;
    double best_right, best_cost; /* expected for a task, with each hypothesis's best set: */
    uint32_t *best_set;           /* [hypotheses] */
    og_lock *lock;                /* guards the next: */
    labelers_worth *worth;        /* [2 * OG_LABELERS_WAYS] of policies, in doubles and in
                                     fractions */
} labelers;

/* The value of a policy; *out is in the memo. OG_BAD_INPUT with a message: not supported for this
 * problem; OG_STOPPED, OG_NO_MEMORY. */
og_status labelers_policy_worth(const labelers *problem, og_labelers_way way, bool exact,
                                const og_settings *settings, const labelers_worth **out,
                                og_message *message);

/* Check that this problem supports the policy. OG_BAD_INPUT with a message if not. */
og_status labelers_check_way(const labelers *problem, og_labelers_way way, og_message *message);

og_model_open labelers_model; /* of one context: only simulations support more */
og_status labelers_solve(const void *problem, const og_value_asked *question,
                         const og_settings *settings, og_solution *out, og_message *message);
void labelers_put_policy(const void *problem, const og_policy_name *name, bool exact, og_stop *stop,
                         og_document *object);
void labelers_show_policies(og_document *document, const og_document *policies, bool exact);
og_status labelers_bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                         og_exact_bound *exact, og_message *message);

/* The version of LS_OL for this policy or --votes weighted. */
og_ls_ol labelers_algorithm(const labelers *problem, og_labelers_way way);

/* Metrics at each task of --at, after the two of every source: shares of right labels and of
 * expected ones; expected labels and cost, compared with the best set for the accuracies. */
enum {
    LABELERS_ACCURACY,
    LABELERS_REWARD,
    LABELERS_REGRET,
    LABELERS_COST_REGRET,
    LABELERS_POINT_METRICS,
};
void labelers_put_point(const char *policy, const og_estimate *metric, int32_t at_count,
                        og_document *object);

og_source labelers_source(const void *problem, const og_truth *truth);

/* The conditions of the paper's theorem: OG_BAD_INPUT with a message if they fail. Its constants,
 * for --theory; labelers_theory adds them for `bound` without --theory. */
og_status labelers_check_theory(const labelers *problem, og_message *message);
void labelers_describe_theory(const labelers *own, og_document *document, og_document *problem);
void labelers_theory(const void *problem, og_document *document);

#endif
