#ifndef OG_BENCH_QUESTIONS_EXPLAIN_H
#define OG_BENCH_QUESTIONS_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/steps.h"
#include "dp/engine/strategy.h"

/*
 * Explains why a policy loses: its gap, decision by decision. Let V be the optimal value, Q the
 * value of a label followed by optimal play, and S_t the policy's state after t labels. Then
 *
 *   gap = sum over t of E[ V_t(S_t) - Q_t(S_t, the policy's choice) ]
 *
 * (performance difference: Kakade and Langford, ICML 2002). Every term is at least 0, and is 0 if
 * the policy makes an optimal choice. A policy that makes its own final calls loses by them, too:
 * its gap is then this sum and the value of the exact posterior's calls after its labels, minus its
 * value.
 */
enum { OG_DECISIONS = 10 };

/* A possible act in one decision. */
typedef struct {
    og_act act;     /* of the state: og_steps.act */
    char *text;     /* og_family.words.step_text */
    int64_t copies; /* number of equal acts that it represents */
    double chosen;  /* probability that the policy takes one of them */
    double q;       /* value of taking one of them, then playing optimally; counted as in
                       og_steps.value */
    bool optimal;   /* q is the largest, up to rounding */
} og_decision_act;

typedef struct {
    int32_t left;        /* labels left */
    double probability;  /* that the policy meets this state */
    double loss;         /* V - Q there, > 0 */
    double contribution; /* their product, which the decision adds to the gap */
    char *text;          /* og_family.words.state_text */
    int32_t count;
    og_decision_act *act; /* [count] */
} og_decision;

typedef struct og_explanation {
    int32_t budget;
    double *stage; /* [budget + 1] the expected loss of the choice with so many labels left; [0] is
                      0 */
    double total;  /* their sum */
    double error;  /* proved: |total - the exact gap without its own calls| <= error */
    uint64_t states; /* visited; states without any further gain are omitted */
    int32_t decision_count;
    og_decision decision[OG_DECISIONS]; /* the costliest, in descending order */
    og_arena arena;                     /* of the arrays and texts */
} og_explanation;

typedef struct {
    const og_family *family; /* that has `steps`; borrowed, like the rest */
    const void *problem;
    const og_strategy *by; /* of this problem, as og_explain_refusal allows */
    og_ties ties;
    og_steps *optimum; /* of this problem, ordered for OG_TIES_FIRST, along `by`; it keeps requested
                          values */
    /* memory_bytes is for the states; with OG_TIES_BEST and OG_TIES_WORST half of it is for the
     * policy's values, which break such ties. states_max and watch apply. */
    og_settings settings;
} og_explained_policy;

/* Why losses are not supported; NULL if they are. They require that the policy's choice depends
 * only on the state and its belief. */
const char *og_explain_refusal(const og_family *family, const og_strategy *by);

/*
 * Follow the policy through every state that it can reach, from the first label to the last, with
 * the states of its exact value: equal instances may change places, except under OG_TIES_FIRST.
 * Free *out with og_explanation_clear. OG_STOPPED with a message if a limit was reached; OG_FAILED
 * if an action is worth more than the optimum beyond the errors of both, or if an external policy
 * fails. *out is written on OG_OK only.
 *
 * This computes the optimal values of all these states and of the choices in them, even in states
 * that an optimal policy never reaches. One thread at a time, besides the solver's own threads.
 */
og_status og_explain(const og_explained_policy *policy, og_explanation *out, og_message *message);

void og_explanation_clear(og_explanation *explanation); /* a zeroed one is fine */

#endif
