#ifndef OG_BENCH_VALUE_EXPLAIN_H
#define OG_BENCH_VALUE_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/steps.h"
#include "dp/engine/strategy.h"

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

/* What could be done in one decision. */
typedef struct {
    og_act act;     /* of the state: og_steps.act */
    char *text;     /* og_family.step_text */
    int64_t copies; /* acts alike that it stands for */
    double chosen;  /* the probability that the policy does one of them */
    double q;       /* if one of them is done and play is optimal then; as og_steps.value counts */
    bool optimal;   /* that is the most there is, up to rounding */
} og_decision_act;

typedef struct {
    int32_t left;        /* labels left */
    double probability;  /* that the policy meets this state */
    double loss;         /* V - Q there, > 0 */
    double contribution; /* their product: what the decision adds to the gap */
    char *text;          /* og_family.state_text */
    int32_t count;
    og_decision_act *act; /* [count] */
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
    og_arena arena;                     /* of the arrays and texts */
} og_explanation;

typedef struct {
    const og_family *family; /* that has `steps`; borrowed, like the rest */
    const void *problem;
    const og_strategy *by; /* of this problem, as og_explain_refusal allows */
    og_ties ties;
    og_steps *optimum; /* of this problem, ordered for OG_TIES_FIRST; keeps what it is asked for */
    /* memory_bytes is for the states, and half of it, for OG_TIES_BEST and OG_TIES_WORST, for the
     * policy's values, which such ties are broken by; states_max and watch are heeded. */
    og_settings settings;
} og_explain_request;

/* Why losses are not known; NULL: they are. They are where the state alone says what the policy
 * does, and the exact posterior decides in the end. */
const char *og_explain_refusal(const og_family *family, const og_strategy *by);

/*
 * Follows the policy through every state it can meet, from the first label to the last, as its
 * value has it met: what is alike changes places, but not under OG_TIES_FIRST. Free *out with
 * og_explanation_clear. OG_STOPPED with a message if a limit was reached; OG_FAILED if an action is
 * worth more than the optimum beyond the errors of both, or a policy that is asked fails. *out is
 * written on OG_OK only.
 *
 * Takes the optimal values of all these states and of what is chosen in them, also where optimal
 * play never goes. One thread at a time, but for the solvers' own.
 */
og_status og_explain(const og_explain_request *request, og_explanation *out, og_message *message);

void og_explanation_clear(og_explanation *explanation); /* a zeroed one is fine */

#endif
