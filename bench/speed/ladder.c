/* The rungs for measuring speed, with their known values. */
#include "bench/speed/ladder.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In the order of printing: by instances, then by labels. */
static const ladder_rung rungs[] = {
    {LADDER_QUICK, "3x1,1", 3, 1, 1, 0.5, 20, 2.6395767774393901},
    {LADDER_QUICK, "3x1,1", 3, 1, 1, 0.5, 30, 2.7098547931737862},
    {LADDER_FULL, "3x1,1", 3, 1, 1, 0.5, 60, 2.8022779918377876},
    {LADDER_FULL, "3x1,1", 3, 1, 1, 0.5, 100, 2.8515068606361651},
    {LADDER_QUICK, "4x1,1", 4, 1, 1, 0.5, 20, 3.4603418101615646},
    {LADDER_FULL, "4x1,1", 4, 1, 1, 0.5, 30, 3.5662103075061702},
    {LADDER_FULL, "3x1,1", 3, 1, 1, 0.5, 200, 2.899363612420664},
    {LADDER_FULL, "4x1,1", 4, 1, 1, 0.5, 60, 3.7062772827867105},
    {LADDER_QUICK, "10x1,1", 10, 1, 1, 0.5, 8, 7},
    {LADDER_QUICK, "10x1,1", 10, 1, 1, 0.5, 12, 7.5625},
    {LADDER_QUICK, "10x1,1", 10, 1, 1, 0.5, 30, 8.3355323986639114},
    {LADDER_FULL, "10x1,1", 10, 1, 1, 0.5, 35, 8.4694765677033459},
    {LADDER_FULL, "10x1,1", 10, 1, 1, 0.5, 40, 8.5678449932953491},
    {LADDER_FULL, "10x1,1", 10, 1, 1, 0.5, 45, 8.6543508430531482},
    {LADDER_FULL, "10x1,1", 10, 1, 1, 0.5, 50, 8.729925215027178},
    {LADDER_FULL, "10x1,1", 10, 1, 1, 0.5, 60, 8.857215212580555},
    {LADDER_FULL, "10x0.5,0.5", 10, 0.5, 0.5, 0.5, 30, 8.9225212930390718},
    {LADDER_FULL, "10x2,1", 10, 2, 1, 0.5, 30, 8.5678449932953491},
    {LADDER_FULL, "10x4,1", 10, 4, 1, 0.5, 30, 9.5263410122697501},
    {LADDER_FULL, "10x1,1@0.7", 10, 1, 1, 0.7, 30, 8.6083247829327085},
    {LADDER_FULL, "10x1,1@0.7", 10, 1, 1, 0.7, 40, 8.7856358408761981},
    {LADDER_FULL, "20x1,1", 20, 1, 1, 0.5, 50, 16.363501102347676},
    {LADDER_FULL, "20x1,1", 20, 1, 1, 0.5, 60, 16.739947947134986},
    {LADDER_QUICK, "50x1,1", 50, 1, 1, 0.5, 80, 38.87109375},
    {LADDER_FULL, "50x1,1", 50, 1, 1, 0.5, 90, 39.33984375},
    {LADDER_FULL, "50x1,1", 50, 1, 1, 0.5, 100, 39.80859375},
    {LADDER_HUGE, "50x1,1", 50, 1, 1, 0.5, 105, 40.0429687473248},
    {LADDER_QUICK, "100x1,1", 100, 1, 1, 0.5, 120, 75.90234375001009},
    {LADDER_QUICK, "2x1,1", 2, 1, 1, 0, 60, 38.562343246635564},
    {LADDER_FULL, "2x1,1", 2, 1, 1, 0, 400, 263.8491369984789},
    {LADDER_HUGE, "2x1,1", 2, 1, 1, 0, 1000, 662.9380353768347},
    {LADDER_QUICK, "3x1", 3, 1, 0, LADDER_RANKING, 20, 0.89443321872492543},
    {LADDER_FULL, "3x1", 3, 1, 0, LADDER_RANKING, 30, 0.91434420812652584},
    {LADDER_FULL, "3x1", 3, 1, 0, LADDER_RANKING, 40, 0.92633369269387122},
    {LADDER_FULL, "4x1", 4, 1, 0, LADDER_RANKING, 8, 0.80459439252495313},
    {LADDER_FULL, "4x1", 4, 1, 0, LADDER_RANKING, 10, 0.82213567288728528},
};

enum { RUNG_COUNT = sizeof rungs / sizeof *rungs };

static const char *const set_names[] = {"quick", "full", "huge"};

double ladder_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Sets are nested: full includes quick, huge includes all. False if there is no such set. */
static bool set_of(const char *name, ladder_set *out)
{
    for (int i = LADDER_QUICK; i <= LADDER_HUGE; i++) {
        if (strcmp(name, set_names[i]) == 0) {
            *out = (ladder_set)i;
            return true;
        }
    }
    return false;
}

static bool is_right(const ladder_rung *rung, double value)
{
    return fabs(value - rung->value) <= LADDER_TOLERANCE * rung->value;
}

static void print_head(void)
{
    printf("%-16s %4s %18s %12s %9s %11s %11s\n", "instances", "T", "value", "states", "seconds",
           "bytes/state", "ns/expanded");
}

static const char *kind_of(const ladder_rung *rung)
{
    return rung->threshold == LADDER_RANKING ? " ranking" : rung->threshold == 0 ? " bandit" : "";
}

static const char *why_not(ladder_outcome outcome)
{
    return outcome == LADDER_ENDED ? "and more" : "not tried";
}

static void print_row(const ladder_rung *rung, ladder_outcome outcome, const ladder_measure *m)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s", rung->name, kind_of(rung));
    printf("%-16s %4d ", name, rung->budget);
    if (outcome != LADDER_DONE) {
        printf("%18s %12.3g  %s\n", "-", m->states, why_not(outcome));
        return;
    }
    printf("%18.15g %12.0f %9.3f %11.1f %11.1f%s\n", m->value, m->states, m->seconds,
           m->bytes / m->states, 1e9 * m->seconds / m->expanded,
           is_right(rung, m->value) ? "" : "  WRONG");
}

/* One line for a script: name, budget, value, states, expanded, bytes, seconds; "-" for missing
 * values of problems that are too large. */
static void print_fields(const ladder_rung *rung, ladder_outcome outcome, const ladder_measure *m)
{
    printf("%s%s\t%d\t", rung->name, kind_of(rung), rung->budget);
    if (outcome != LADDER_DONE) {
        printf("-\t%.3g %s\t-\t-\t-\n", m->states, why_not(outcome));
    } else {
        printf("%.17g\t%.0f\t%.0f\t%.0f\t%.6f\n", m->value, m->states, m->expanded, m->bytes,
               m->seconds);
    }
}

typedef void print_function(const ladder_rung *rung, ladder_outcome outcome,
                            const ladder_measure *m);

/* False if the solver failed or its value is wrong. */
static bool run(const ladder_rung *rung, const ladder_settings *settings, ladder_solver *solve,
                print_function *print)
{
    ladder_measure measure = {0};
    ladder_outcome outcome = solve(rung, settings, &measure);
    if (outcome == LADDER_FAILED) {
        fprintf(stderr, "%s, T = %d: no result\n", rung->name, rung->budget);
        return false;
    }
    print(rung, outcome, &measure);
    fflush(stdout);
    if (outcome == LADDER_DONE && !is_right(rung, measure.value)) {
        fprintf(stderr, "%s, T = %d: %.17g is not %.17g\n", rung->name, rung->budget, measure.value,
                rung->value);
        return false;
    }
    return true;
}

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--threads N] [--bytes N] quick|full|huge   a table\n"
            "       %s --list quick|full|huge                      numbers of rungs\n"
            "       %s [--threads N] [--bytes N] --rung NUMBER     one rung, tab separated\n",
            program, program, program);
    return 2;
}

static int run_set(ladder_set set, const ladder_settings *settings, ladder_solver *solve)
{
    bool good = true;
    print_head();
    for (int i = 0; i < RUNG_COUNT; i++) {
        if (rungs[i].set <= set) {
            good = run(&rungs[i], settings, solve, print_row) && good;
        }
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void list_set(ladder_set set)
{
    for (int i = 0; i < RUNG_COUNT; i++) {
        if (rungs[i].set <= set) {
            printf("%d\n", i);
        }
    }
}

/* Read a whole number lo .. hi; false if it is not one. */
static bool number_of(const char *text, double lo, double hi, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= lo && *out <= hi && *out == floor(*out);
}

int ladder_main(int argc, char **argv, ladder_solver *solve)
{
    ladder_settings settings = {0, 0};
    ladder_set set;
    double number;
    int i = 1;
    for (; i + 2 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0 && number_of(argv[i + 1], 1, 1024, &number)) {
            settings.threads = (int)number;
        } else if (strcmp(argv[i], "--bytes") == 0 && number_of(argv[i + 1], 1, 1e18, &number)) {
            settings.bytes_max = number;
        } else {
            break;
        }
    }
    if (argc - i == 2 && strcmp(argv[i], "--list") == 0 && set_of(argv[i + 1], &set)) {
        list_set(set);
        return EXIT_SUCCESS;
    }
    if (argc - i == 2 && strcmp(argv[i], "--rung") == 0 &&
        number_of(argv[i + 1], 0, RUNG_COUNT - 1, &number)) {
        return run(&rungs[(int)number], &settings, solve, print_fields) ? EXIT_SUCCESS
                                                                        : EXIT_FAILURE;
    }
    if (argc - i == 1 && set_of(argv[i], &set)) {
        return run_set(set, &settings, solve);
    }
    return usage(argv[0]);
}
