#ifndef OG_TESTS_ORACLE_STATE_H
#define OG_TESTS_ORACLE_STATE_H

#include <gmp.h>
#include <stdbool.h>

#include "dp/base/ties.h"
#include "dp/prior/problem.h"

/*
 * Policies that look at the whole state, as they are defined: every history of ordered instances is
 * followed, values are sums of h at the end, nothing is remembered and nothing is reduced. Integer
 * parameters only, so that all is exact but the estimates of nlu, which have 300 bits. For the
 * smallest problems: (2K)^T histories, and as many for every Q.
 */
enum { ORACLE_STATE_INSTANCES = 5, ORACLE_STATE_BUDGET = 6 };

typedef struct {
    int count;
    int budget;
    mpq_t h[ORACLE_STATE_INSTANCES][ORACLE_STATE_BUDGET + 1][ORACLE_STATE_BUDGET + 1]; /* [s][f] */
    mpq_t one[ORACLE_STATE_INSTANCES][ORACLE_STATE_BUDGET + 1][ORACLE_STATE_BUDGET + 1];
} oracle_state;

/* Labels so far of each instance. */
typedef struct {
    int left;
    int ones[ORACLE_STATE_INSTANCES];
    int zeros[ORACLE_STATE_INSTANCES];
} oracle_history;

void oracle_state_init(const og_groups *problem, oracle_state *out);
void oracle_state_clear(oracle_state *oracle);

/* kg, uniform, nlu, lookahead:D, rollout:NAME of these: marks all the instances that tie. */
void oracle_state_picks(const oracle_state *oracle, const char *policy, const oracle_history *at,
                        bool *pick);

/* Expected correct calls at the end; policy NULL: the optimum. */
void oracle_state_value(const oracle_state *oracle, const char *policy, og_ties ties, mpq_t out);

/* The scores of nlu from the definition: label counts per instance, [count] each. */
void oracle_nlu(int count, const int *ones, const int *zeros, double *score);

#endif
