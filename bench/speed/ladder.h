#ifndef OG_BENCH_SPEED_LADDER_H
#define OG_BENCH_SPEED_LADDER_H

#include <stdint.h>

/*
 * A fixed ladder of problems, and a main program that runs a solver on them. Every solver must find
 * the known value of every rung that it solves; otherwise the program fails.
 */
typedef enum { LADDER_QUICK, LADDER_FULL, LADDER_HUGE } ladder_set;

/* A threshold that means: `count` items to rank, each with the Dirichlet parameter a. */
#define LADDER_RANKING (-1.0)

/* `count` instances with prior Beta(a, b), positive at `threshold` or above; a threshold of 0 means
 * a bandit. */
typedef struct {
    ladder_set set;
    const char *name; /* INSTANCE word of the program */
    int32_t count;
    double a;
    double b;
    double threshold;
    int32_t budget;
    double value; /* its relative error is at most LADDER_TOLERANCE */
} ladder_rung;

/*
 * Values are sums and products of doubles >= 0: (2 T + K + 2) roundings and the error of a
 * library's cumulative distribution function, some 1e-14, are far below.
 */
#define LADDER_TOLERANCE 1e-12

/* LADDER_TOO_LARGE: not begun. LADDER_ENDED: too large, ended after `states`. */
typedef enum { LADDER_DONE, LADDER_TOO_LARGE, LADDER_ENDED, LADDER_FAILED } ladder_outcome;

typedef struct {
    double value;
    double states;   /* stored; if too large the number needed, or the number at the end */
    double expanded; /* states expanded; one step each */
    double bytes;    /* peak memory of the solver's tables */
    double seconds;  /* wall clock, tables of arms included */
} ladder_measure;

typedef struct {
    int threads;      /* 0: all cores; the baseline uses one */
    double bytes_max; /* 0: three quarters of the memory */
} ladder_settings;

typedef ladder_outcome ladder_solver(const ladder_rung *rung, const ladder_settings *settings,
                                     ladder_measure *out);

/* Seconds of a monotonic clock. */
double ladder_clock(void);

/* The main function of a program of this folder. */
int ladder_main(int argc, char **argv, ladder_solver *solve);

#endif
