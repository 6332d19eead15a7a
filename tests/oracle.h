#ifndef OG_TESTS_ORACLE_H
#define OG_TESTS_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

#include "dp/base/ties.h"
#include "dp/prior/problem.h"
#include "tests/fractions.h"

/*
 * Slow answers for comparison with the fast ones. They share only the problem's description with
 * dp/, use the definitions of the papers (value form, differences of h, no reductions) and compute
 * in rationals.
 *
 * Integer parameters and a rational threshold: every result is exact. Other parameters: only h is
 * rounded (to ORACLE_H_ERROR), all else is rational, and an index ties if it is within ORACLE_TIE
 * of the largest. For small problems only: at most ORACLE_INSTANCES instances, budget at most
 * ORACLE_BUDGET.
 *
 * These are tools for tests: misuse and a failed allocation abort with a line on stderr.
 */
enum { ORACLE_INSTANCES = 64, ORACLE_BUDGET = 200 };

#define ORACLE_H_ERROR 1e-38
#define ORACLE_TIE 1e-30

/* One Beta of a prior; a prior that is no mixture has one. */
typedef struct {
    mpq_t weight;
    mpq_t a;
    mpq_t b;
} oracle_part;

/* Data of one distinct prior: tables over the posteriors after s positive and f negative labels. */
typedef struct {
    int parts;
    oracle_part part[OG_PARTS_MAX];
    mpq_t threshold;
    const og_payoff *payoff; /* borrowed from the problem until oracle_new is done; not the usual
                                one; else NULL */
    bool exact;
    bool bandit; /* OG_OBJECTIVE_BANDIT: h is the number of positive labels */
    int depth;
    mpq_t *h;  /* expected correctness, or payoff, of a call at (s, f), s + f <= depth */
    mpq_t *p1; /* probability that the next label is 1 */
} oracle_arm;

static inline int oracle_node(int s, int f)
{
    return (s + f) * (s + f + 1) / 2 + s;
}

typedef struct oracle_arms oracle_arms;

oracle_arms *oracle_new(const og_groups *problem);
void oracle_free(oracle_arms *oracle);

/* The bound on |what comes out - truth| for every value, gain and Q below: 0 where exact. */
double oracle_error(const oracle_arms *oracle);

/* Sum of h before any label. */
void oracle_call(const oracle_arms *oracle, mpq_t out);

/* Computes V from the definition: ordered instances, every label history. (2K)^T steps. */
void oracle_optimum_literally(const oracle_arms *oracle, mpq_t out);

/* Computes V with the same recursion, storing values of sorted states. */
void oracle_optimum(oracle_arms *oracle, mpq_t out);

/* The gain still to come if an instance of this group is labelled now and play is optimal
 * afterwards; budget >= 1. */
void oracle_q(oracle_arms *oracle, int group, mpq_t out);

/*
 * A policy's index of the posterior (a + s, b + f) with `left` labels left,
 * s + f + left <= depth. It may use the arm's tables for all posteriors up to depth.
 */
typedef void oracle_index(mpq_t out, const oracle_arm *arm, int s, int f, int left,
                          const void *data);

/* Choose the policy that the calls below are about; `index` is called for every node at once and
 * not kept. NULL: all instances alike, the uniform policy, which is also what a new oracle has. */
void oracle_choose(oracle_arms *oracle, oracle_index *index, const void *data);

/* By name: uniform, kg, opt-kg, pess-kg, cvar-kg:ALPHA, entropy, least-confidence, apt, lsa,
 * gittins-fh, hu-frazier, kg-star. Others abort. */
void oracle_choose_named(oracle_arms *oracle, const char *name);

/* The value of always labelling an instance with the largest index, under a tie rule. */
void oracle_policy_value(const oracle_arms *oracle, og_ties ties, mpq_t out);

/* The same over every label history of ordered instances, for the smallest problems. */
void oracle_policy_value_literally(const oracle_arms *oracle, og_ties ties, mpq_t out);

/* The chosen index; not for uniform. */
void oracle_index_at(const oracle_arms *oracle, int group, int s, int f, int left, mpq_t out);

/* P(theta >= d) of Beta(a, b): exact for integers a and b, else to ORACLE_H_ERROR. */
void oracle_positive(mpq_t out, const mpq_t a, const mpq_t b, const mpq_t threshold);

/* |value - expected| <= bound, decided in rationals; false for nan and inf. */
bool oracle_within(double value, double bound, const mpq_t expected);

#endif
