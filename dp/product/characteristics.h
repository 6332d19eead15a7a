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
 * Operating characteristics: how many decisions of a policy are correct, or of a bandit how many of
 * its labels are positive, and which labels it asks for, where labels do not fall as it believes.
 * It chooses and decides by its arms; answers, and what is correct, go by the actual soft labels.
 */

/* What labels of an instance go by, and its being positive. */
typedef struct {
    bool fixed;       /* the soft label is `soft`; else it is drawn from Beta(a, b), or mixed */
    og_fraction soft; /* 0 .. 1 */
    og_fraction a, b; /* > 0; with the budget's labels still in the range of og_group_check */
    /* Not NULL: it is drawn from the prior of this arm, a mixture, for the budget's labels. */
    const og_arm *mixed;
    int32_t mixed_number; /* tells such arms apart */
} og_actual;

/* Instances of one group of the problem that are alike. */
typedef struct {
    int32_t group; /* of the arms' groups */
    int64_t count; /* >= 1 */
    og_actual actual;
} og_actual_run;

typedef struct {
    const og_arms *arms; /* what is believed: two outcomes, labels of cost 1; calls or a bandit */
    const og_ranks *ranks;
    /*
     * Best and worst: of those that tie, instances of one posterior among them, the one is labelled
     * whose mean by the actual law is the largest, or the least, if the same is done ever after;
     * who breaks the ties knows that law, and the soft labels where they are fixed, but not those
     * that are drawn. Ties of these means are at random, as are in doubles such as differ by less
     * than their errors.
     */
    og_ties ties;
    /* All instances in the order given: groups in order, the runs of each together its size. */
    const og_actual_run *run; /* [run_count] */
    int32_t run_count;
    bool exact; /* in fractions; of calls og_beta_tails_are_exact, or of a mixture */
    /* Of these memory_bytes, states_max and the watch. */
    og_settings settings;
} og_characteristics_question;

/*
 * Instances that play cannot tell apart share a slot: [slot_count] of each array has what holds of
 * any one of them. With exact all doubles are fractions rounded to nearest.
 */
typedef struct {
    og_arena arena; /* of the arrays */
    int64_t instances;
    int32_t budget;
    double mean, variance; /* of the number of correct decisions, or positive labels */
    int64_t most;          /* of them: instances, or of a bandit budget */
    double *law;           /* [most + 1] chance of so many */
    int32_t slot_count;
    int32_t *slot;      /* [instances] of each instance, in the order given */
    double *wrong;      /* [slot_count] chance that the decision is wrong; NULL: of a bandit */
    double *labels;     /* [slot_count] expected number of labels */
    double *labels_law; /* [slot_count][budget + 1] chance of so many labels */
    /* Proved: each number of law, wrong, labels and labels_law is within this share of the exact
     * one, or both are below 1e-290; of ties best and worst that of the play that was found to be
     * so in doubles. Absolute errors of the other two; that of the mean covers the best play. */
    double relative_error, mean_error, variance_error;
    /* Exact only, else NULL. */
    mpq_t *moment; /* [2] mean and variance */
    mpq_t *law_exact, *wrong_exact, *labels_exact, *labels_law_exact;
    uint64_t states; /* that were met; with ties best and worst also those that were valued */
    double seconds;
} og_characteristics;

/*
 * Follows the policy through all states it can meet, from the first label to the last; its own
 * instances of equal posteriors change places where they are alike, but not under OG_TIES_FIRST.
 * *out is written on OG_OK only; free it with og_characteristics_clear. OG_STOPPED with a message
 * if a limit was reached or the watch said so; OG_NO_MEMORY; what a policy that is asked fails
 * with; OG_FAILED as og_beta_new. One thread.
 *
 * Takes the states that the policy meets, instances of different actual laws being apart, times
 * what choosing takes; with ties best and worst all that any tie rule meets are kept in memory, and
 * it is asked about each three times; where soft labels are drawn, at the end also instances^2
 * steps a state.
 */
og_status og_characteristics_find(const og_characteristics_question *question,
                                  og_characteristics *out, og_message *message);

void og_characteristics_clear(og_characteristics *of); /* a zeroed one is fine */

#endif
