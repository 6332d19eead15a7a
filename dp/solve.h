#ifndef OG_DP_SOLVE_H
#define OG_DP_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm.h"
#include "dp/policy.h"
#include "dp/state.h"
#include "dp/status.h"

/*
 * The optimal value of a problem and the exact value of a policy on it.
 */

/* The design's reductions, each exact and each switchable, so that a test can compare a value with
 * and without it. */
enum {
    OG_REDUCE_SORT = 1,   /* 1: the order of instances does not matter */
    OG_REDUCE_MERGE = 2,  /* 2: equivalent nodes are one class, dead ones are dropped */
    OG_REDUCE_CAP = 4,    /* 3: copies that can never all be used are dropped; needs SORT */
    OG_REDUCE_FORCE = 8,  /* 4: a label that is at least as good as anything later is taken */
    OG_REDUCE_BOUND = 16, /* 5: actions that cannot win are skipped */
    OG_REDUCE_ALL = 31,
};

/* How far a long computation has come. */
typedef struct {
    uint64_t states;       /* remembered so far, forgotten ones included; lags a little behind */
    uint64_t memory_bytes; /* held by the tables now */
    double settled;        /* share of the first decisions that is settled, 0 .. 1; an estimate */
    double seconds;        /* since the call */
} og_progress;

/* Called about ten times a second from one of the threads at work; false stops the computation. */
typedef bool og_watch(void *user, const og_progress *progress);

typedef struct {
    int threads;           /* 0: one per core */
    uint64_t memory_bytes; /* hard limit for tables; 0: three quarters of the physical memory */
    unsigned
        reductions;  /* OG_REDUCE_*; the optimum uses all of them, a policy what is exact for it */
    og_watch *watch; /* NULL: nobody is told */
    void *watch_user;
    uint64_t states_max; /* stop after so many states were laid open; 0: no such limit. Every thread
                            looks at this and the other limits each 4096 states of its own */
    bool stop_when_full; /* stop when the memory limit is reached, instead of forgetting what is
                            cheapest to compute again */
    /*
     * A file for what is known: read when the solver is made, if it is there; written at intervals
     * and when the computation is stopped (dp/checkpoint.h). Borrowed; NULL: none. Not for
     * policies.
     */
    const char *checkpoint;
    /* Between two writings, at least; they take a tenth of the time at most. 0:
     * OG_CHECKPOINT_SECONDS. */
    double checkpoint_seconds;
} og_settings;

enum { OG_CHECKPOINT_SECONDS = 300 };

void og_settings_default(og_settings *settings);

typedef struct {
    double value;          /* expected number of correct calls at the end */
    double gain;           /* value minus the expected number without any label */
    double error_bound;    /* |value - exact| and |gain - exact| are at most this; proved */
    uint64_t states;       /* states remembered, forgotten ones included */
    uint64_t forgotten;    /* of them, given up because the memory was full */
    uint64_t expanded;     /* states laid open, those done twice included */
    uint64_t memory_bytes; /* largest use of the tables, arms included */
    double seconds;        /* wall clock */
} og_result;

/*
 * A solver keeps its memory between calls, so that Q-values and values of later states cost little.
 * It borrows `arms`, which must outlive it. Not to be shared between threads; it uses threads
 * itself.
 */
typedef struct og_solver og_solver;

og_status og_solver_new(const og_arms *arms, const og_settings *settings, og_solver **out,
                        og_message *message);

/*
 * The optimum from the root. OG_STOPPED with a message if a limit was reached or the watch said so:
 * result then holds sizes and seconds only. What was found stays in the solver's memory and, where
 * settings name one, in the checkpoint. OG_OK with a message: the value stands, but a checkpoint
 * could not be written.
 */
og_status og_solver_value(og_solver *solver, og_result *result, og_message *message);

/*
 * Q of labelling an instance of each group first: the gain still to come if it is labelled now and
 * play is optimal after that. q: [group_count]; budget >= 1. Also says in *error the proved
 * absolute error of each.
 */
og_status og_solver_q(og_solver *solver, double *q, double *error, og_message *message);

/*
 * The same for any state that some play of the problem can reach, optimal or not: what is still to
 * be gained, *gain, and Q of labelling an instance of each of its groups, q[state->count]. What is
 * still to be gained is relative to the state: rewards before it do not count. Takes a table of 4
 * bytes for every posterior and number of labels left once the first such state is asked for, and
 * OG_STOPPED if that passes the memory limit; then as long as the states behind it, those that are
 * known cost nothing. left == 0: 0 for the first, OG_BAD_INPUT for the second.
 */
og_status og_solver_value_at(og_solver *solver, const og_state *state, double *gain,
                             og_message *message);
og_status og_solver_q_at(og_solver *solver, const og_state *state, double *q, double *error,
                         og_message *message);

/*
 * Which groups of such a state are worth the same whatever is done: alike[i] <= i is the first
 * group that is known to be equivalent to group i, [state->count]. Costs no valuation.
 */
og_status og_solver_alike(og_solver *solver, const og_state *state, int32_t *alike,
                          og_message *message);

/* Q of one group alone, 0 <= group < state->count: no other is valued. */
og_status og_solver_q_of(og_solver *solver, const og_state *state, int32_t group, double *q,
                         og_message *message);

/* Proved relative error of every gain and Q that the solver computes. */
double og_solver_relative_error(const og_solver *solver);

void og_solver_free(og_solver *solver);

/*
 * A solver whose values are those of a policy under a tie rule: its Q is that of labelling an
 * instance of the group now and following the policy after that. Borrows `ranks` too. See
 * og_policy_value for which reductions it uses. States keep the order of their groups for
 * OG_TIES_FIRST, and the instance that is labelled is the first of its group.
 */
og_status og_solver_new_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                               const og_settings *settings, og_solver **out, og_message *message);

/*
 * The exact value of the policy given by `ranks` under a tie rule. Uses reductions 1 (not for
 * OG_TIES_FIRST) and 2 with the rank added to what must agree, and for OG_TIES_BEST and
 * OG_TIES_WORST a cap of `left` copies; no other is exact for a policy, and not the cap for one
 * that is asked (dp/chooser.h), whose failures are passed on. Ranks that are all equal with
 * OG_TIES_RANDOM have a closed form (dp/uniform.h), which visits no state.
 */
og_status og_policy_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                          const og_settings *settings, og_result *result, og_message *message);

#endif
