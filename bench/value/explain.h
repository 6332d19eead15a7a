#ifndef OG_BENCH_VALUE_EXPLAIN_H
#define OG_BENCH_VALUE_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/product/policy.h"
#include "dp/product/solve.h"

/*
 * Why a policy loses: its gap, decision by decision. With V the optimal value, Q that of a label
 * followed by optimal play, and S_t the state that the policy meets when t labels are given,
 *
 *   gap = sum over t of E[ V_t(S_t) - Q_t(S_t, what the policy labels) ]
 *
 * (performance difference: Kakade and Langford, ICML 2002). Every term is at least 0, and 0 where
 * the policy labels as optimal play could.
 */
enum { OG_DECISIONS = 10 };

/* Instances of one decision that are alike. */
typedef struct {
    int32_t prior;                  /* the first group of the problem with their prior */
    int32_t labels[OG_CLASSES_MAX]; /* what they have been labelled, [outcomes of their arm] */
    int64_t copies;
    double chosen; /* the probability that the policy labels one of them */
    double q;      /* the gain still to come if one of them is labelled and play is optimal then */
    bool optimal;  /* that is the most there is, up to rounding */
} og_decision_group;

typedef struct {
    int32_t left;        /* labels left */
    double probability;  /* that the policy meets this state */
    double loss;         /* V - Q there, > 0 */
    double contribution; /* their product: what the decision adds to the gap */
    int32_t count;
    og_decision_group *group; /* [count]; in the order of the instances under OG_TIES_FIRST */
} og_decision;

typedef struct og_explanation {
    int32_t budget;
    double *stage; /* [budget + 1] by labels left: the expected loss of the label given then; [0] is
                      0 */
    double total;  /* their sum */
    double error;  /* proved: |total - the exact gap| <= error */
    uint64_t states; /* visited, those left out with nothing to gain any more */
    int32_t decision_count;
    og_decision decision[OG_DECISIONS]; /* the costliest, the first first */
} og_explanation;

typedef struct {
    const og_arms *arms;   /* borrowed, like the rest */
    const og_ranks *ranks; /* of these arms */
    og_ties ties;
    og_solver *optimum; /* of these arms; keeps what it is asked for */
    /* memory_bytes is for the states, and half of it, for OG_TIES_BEST and OG_TIES_WORST, for the
     * policy's values, which such ties are broken by; states_max and watch are heeded. */
    og_settings settings;
} og_explain_request;

/*
 * Follows the policy through every state it can meet, from the first label to the last, as
 * og_policy_value has it met: multisets of posteriors, or sequences under OG_TIES_FIRST. Free *out
 * with og_explanation_clear. OG_STOPPED with a message if a limit was reached; OG_FAILED if an
 * action is worth more than the optimum beyond the errors of both, or a policy that is asked fails.
 * *out is written on OG_OK only.
 *
 * Takes the optimal values of all these states and of what is chosen in them, also where optimal
 * play never goes. One thread at a time, but for the solvers' own.
 */
og_status og_explain(const og_explain_request *request, og_explanation *out, og_message *message);

void og_explanation_clear(og_explanation *explanation); /* a zeroed one is fine */

#endif
