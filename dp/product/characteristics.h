#ifndef OG_DP_PRODUCT_CHARACTERISTICS_H
#define OG_DP_PRODUCT_CHARACTERISTICS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/product/policy.h"

/*
 * Operating characteristics of a policy whose prior is wrong: the number of correct calls (for a
 * bandit, of positive labels) and the labels that it asks for. The policy chooses and calls by its
 * own arms; labels and correct calls follow the actual soft labels.
 */

/* The actual distribution of an instance's labels and of its being positive. */
typedef struct {
    bool fixed;       /* the soft label is `soft`; else it is drawn from Beta(a, b) or a mixture */
    og_fraction soft; /* 0 .. 1 */
    og_fraction a, b; /* > 0; including the budget's labels in the range of og_group_check */
    /* If not NULL, the soft label is drawn from the prior of this arm, a mixture, for the budget's
     * labels. */
    const og_arm *mixed;
    int32_t mixed_number; /* distinguishes such arms */
} og_truth_law;

/* Instances of one group of the problem that are alike. */
typedef struct {
    int32_t group; /* of the arms' groups */
    int64_t count; /* >= 1 */
    og_truth_law actual;
} og_truth_law_run;

typedef struct {
    const og_arms *arms; /* the assumed prior: two outcomes, labels of cost 1; calls or a bandit */
    const og_ranks *ranks;
    /*
     * OG_TIES_BEST and OG_TIES_WORST: of the tied instances, including those of one posterior, the
     * rule labels the one with the largest (smallest) mean under the actual distribution, if it
     * does the same at every later label. The rule knows that distribution and fixed soft labels,
     * but not soft labels that are drawn. Ties of these means, which include doubles that differ by
     * less than their errors, are broken at random.
     */
    og_ties ties;
    /* All instances in the order given: groups in order, the runs of each together its size. */
    const og_truth_law_run *run; /* [run_count] */
    int32_t run_count;
    bool exact; /* in fractions; calls need og_beta_tails_are_exact or a mixture */
    /* Uses memory_bytes, states_max and the watch. */
    og_settings settings;
} og_characteristics_question;

/*
 * Instances that the policy's play cannot distinguish share a slot: arrays of [slot_count] describe
 * any one of them. If `exact`, all doubles are fractions rounded to nearest.
 */
typedef struct {
    og_arena arena; /* of the arrays */
    int64_t instances;
    int32_t budget;
    double mean, variance; /* of the number of correct calls, or positive labels */
    int64_t most;          /* largest such number: the instances, or for a bandit the budget */
    double *law;           /* [most + 1] probability of each number */
    int32_t slot_count;
    int32_t *slot;      /* [instances] of each instance, in the order given */
    double *wrong;      /* [slot_count] probability of a wrong call; NULL for a bandit */
    double *labels;     /* [slot_count] expected number of labels */
    double *labels_law; /* [slot_count][budget + 1] probability of each number of labels */
    /* Proved errors. Each number of law, wrong, labels and labels_law is within the relative error
     * of its exact value, or both are below 1e-290; for ties best and worst the exact value is that
     * of the play chosen in doubles. The errors of mean and variance are absolute; that of the mean
     * covers the best play. */
    double relative_error, mean_error, variance_error;
    /* Exact only, else NULL. */
    mpq_t *moment; /* [2] mean and variance */
    mpq_t *law_exact, *wrong_exact, *labels_exact, *labels_law_exact;
    uint64_t states; /* states met; with ties best and worst also those that were evaluated */
    double seconds;
} og_characteristics;

/*
 * Follows the policy through all states that it can meet, from the first label to the last.
 * Instances that have equal posteriors and are alike are interchangeable, but not under
 * OG_TIES_FIRST. *out is written on OG_OK only; free it with og_characteristics_clear. OG_STOPPED
 * with a message if a limit was reached or the watch stopped the work; OG_NO_MEMORY; any error of a
 * chooser; OG_FAILED as og_beta_new. One thread.
 *
 * Cost: the number of states that the policy meets, times the cost of a choice; states that differ
 * in actual distributions count apart. Ties best and worst keep all states that any tie rule meets
 * in memory and ask the policy three times about each. If soft labels are drawn, each state costs
 * another instances^2 steps at the end.
 */
og_status og_characteristics_find(const og_characteristics_question *question,
                                  og_characteristics *out, og_message *message);

void og_characteristics_clear(og_characteristics *characteristics); /* a zeroed one is fine */

#endif
