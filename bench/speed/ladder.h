#ifndef OG_BENCH_SPEED_LADDER_H
#define OG_BENCH_SPEED_LADDER_H

#include <stdint.h>

/*
 * A fixed ladder of problems, and the frame that runs a solver over it. Every solver must find the
 * known value of every rung it takes; one that does not makes the program fail.
 */
typedef enum { LADDER_QUICK, LADDER_FULL, LADDER_HUGE } ladder_set;

/* As a threshold: `count` items to rank by comparisons, each with the Dirichlet parameter a. */
#define LADDER_RANKING (-1.0)

/* `count` instances with prior Beta(a, b), positive at `threshold` or above; a threshold of
 * 0: a bandit. */
typedef struct {
    ladder_set set;
    const char *name; /* INSTANCE word of the program */
    int32_t count;
    double a;
    double b;
    double threshold;
    int32_t budget;
    double value; /* relative error at most LADDER_TOLERANCE */
} ladder_rung;

/*
 * Values of doubles summed and multiplied, all >= 0: (2 T + K + 2) roundings and what a cumulative
 * distribution function of a library is off by, some 1e-14, stay far below.
 */
#define LADDER_TOLERANCE 1e-12

/* Too large: not begun, or ended after `states`. */
typedef enum { LADDER_DONE, LADDER_TOO_LARGE, LADDER_ENDED, LADDER_FAILED } ladder_outcome;

typedef struct {
    double value;
    double states;   /* remembered; of what is too large, what it would take, or when it ended */
    double expanded; /* states expanded: a step is one of them */
    double bytes;    /* most held by the solver's tables at any time */
    double seconds;  /* wall clock, tables of arms included */
} ladder_measure;

typedef struct {
    int threads;      /* 0: all cores; a baseline has one */
    double bytes_max; /* 0: three quarters of the memory */
} ladder_settings;

typedef ladder_outcome ladder_solver(const ladder_rung *rung, const ladder_settings *settings,
                                     ladder_measure *out);

/* Seconds of a clock that only runs forward. */
double ladder_clock(void);

/* The main function of a program of this folder. */
int ladder_main(int argc, char **argv, ladder_solver *solve);

#endif
