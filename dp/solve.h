#ifndef OG_DP_SOLVE_H
#define OG_DP_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm.h"
#include "dp/policy.h"
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

typedef struct {
    int threads;           /* 0: one per core */
    uint64_t memory_bytes; /* hard limit for tables; 0: three quarters of the physical memory */
    unsigned
        reductions; /* OG_REDUCE_*; the optimum uses all of them, a policy what is exact for it */
} og_settings;

void og_settings_default(og_settings *settings);

typedef struct {
    double value;          /* expected number of correct calls at the end */
    double gain;           /* value minus the expected number without any label */
    double error_bound;    /* |value - exact| and |gain - exact| are at most this; proved */
    uint64_t states;       /* states remembered */
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

/* The optimum from the root. OG_STOPPED with a message if the memory limit was reached: result then
 * holds states, memory_bytes and seconds only. */
og_status og_solver_value(og_solver *solver, og_result *result, og_message *message);

/*
 * Q of labelling an instance of each group first: the gain still to come if it is labelled now and
 * play is optimal after that. q: [group_count]; budget >= 1. Also says in *error the proved
 * absolute error of each.
 */
og_status og_solver_q(og_solver *solver, double *q, double *error, og_message *message);

void og_solver_free(og_solver *solver);

/*
 * The exact value of the policy given by `ranks` under a tie rule. Uses reductions 1 (not for
 * OG_TIES_FIRST) and 2 with the rank added to what must agree, and for OG_TIES_BEST and
 * OG_TIES_WORST a cap of `left` copies; no other is exact for a policy.
 */
og_status og_policy_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                          const og_settings *settings, og_result *result, og_message *message);

#endif
