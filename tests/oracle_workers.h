#ifndef OG_TESTS_ORACLE_WORKERS_H
#define OG_TESTS_ORACLE_WORKERS_H

#include <gmp.h>
#include <stdbool.h>

#include "dp/base/ties.h"
#include "dp/prior/problem.h"

/*
 * Workers of unknown reliability as Chen, Lin and Zhou define them, for the smallest problems only:
 * of SIDE instances and SIDE workers at most. Shares no code with dp/families/workers.c.
 */
enum { ORACLE_WORKERS_SIDE = 3, ORACLE_KINDS = 3 };

typedef struct {
    int instance, worker;
    bool positive;
} oracle_label;

/* Parameters of instances and workers, in rationals. A worker is of one of several kinds, with
 * weights; a kind has a coin for each answer of a reliable worker, + and -, or one coin for both.
 */
typedef struct {
    mpq_t theta[ORACLE_WORKERS_SIDE][2];
    mpq_t rho[ORACLE_WORKERS_SIDE][ORACLE_KINDS][2][2];
    mpq_t weight[ORACLE_WORKERS_SIDE][ORACLE_KINDS];
    int kinds[ORACLE_WORKERS_SIDE];
    bool two[ORACLE_WORKERS_SIDE];
} oracle_betas;

typedef struct {
    int instances, workers, labels; /* labels in all */
    bool once;
    oracle_betas prior;
    const char *rule; /* NULL: the optimum */
    og_ties ties;
    oracle_label *history; /* [labels + 1] the first are given, the others scratch */
} oracle_workers;

void oracle_betas_init(oracle_betas *betas);
void oracle_betas_clear(oracle_betas *betas);
/* If there are SIDE of each at most. */
void oracle_betas_take(oracle_betas *betas, const og_groups *instances, const og_groups *workers);

/* Expected correct calls: with the rule's calls, and with those of the exact posterior. The tie
 * rules best and worst use the rule's calls if it has any. */
typedef struct {
    mpq_t own, exact;
} oracle_worth;

void oracle_worth_init(oracle_worth *worth);
void oracle_worth_clear(oracle_worth *worth);

/* True if the rule has a separate belief for its calls. */
bool oracle_workers_decides(const oracle_workers *oracle);

/* After the first `had` labels of the history. */
void oracle_workers_value(oracle_workers *oracle, int had, oracle_worth *out);

#endif
