#ifndef OG_TESTS_RANDOM_PROBLEM_H
#define OG_TESTS_RANDOM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/prior/problem.h"

/* Random numbers that are the same everywhere: splitmix64 [Steele, Lea and Flood 2014]. */
typedef struct {
    uint64_t state;
} random_source;

random_source random_start(uint64_t seed);
uint64_t random_next(random_source *source);

/* 0 .. count - 1, count >= 1 */
uint32_t random_below(random_source *source, uint32_t count);

/* 0 <= x < 1 */
double random_unit(random_source *source);

/* price[count] of the size of rewards, now and then 0, equal to the one before, or falling. */
void random_prices(random_source *source, int32_t count, double *price);

/* What a random problem may be. */
typedef struct {
    int instances; /* at most */
    int budget;    /* at most; 0 is possible, but rare */
    bool integers; /* integer parameters only */
    bool halves;   /* threshold 1/2 only */
    bool mixtures; /* mixtures of Betas among the priors */
    bool bandit;   /* OG_OBJECTIVE_BANDIT */
    bool payoffs;  /* payoffs of calls, including some with constant calls */
    bool worths;   /* worths that have a name: brier, squared, log */
} random_limits;

/*
 * Makes a small problem that is hard for an engine. It has few distinct priors, so that nodes
 * coincide, tie and are mirror images; complementary thresholds; copies as counts and as separate
 * groups; and sometimes a prior that labels cannot change. Free it with og_groups_clear.
 */
void random_problem(random_source *source, const random_limits *limits, og_groups *out);

/* The program's words for a problem: "-T 5 2x1,1 3,2@0.3", cut if it does not fit. */
void problem_format(const og_groups *problem, char *text, size_t size);

/* The same behind its seed, for what a failing test says. */
typedef struct {
    char text[512];
} problem_label;
problem_label problem_with_seed(const og_groups *problem, uint64_t seed);

#endif
