#ifndef OG_DP_FAMILIES_ASSIGNMENT_H
#define OG_DP_FAMILIES_ASSIGNMENT_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"

/*
 * Assigning workers to tasks (Zhang, Ma and Sugiyama 2015). Task i has a context s_i and a hidden
 * truth, +1 or -1, fair and independent of all others. Worker j gives a task one label, +1 or -1,
 * which is the truth with probability q_{s,j}, s = s_i, independently. q is known, or q_{s,j} ~
 * Beta(c_{s,j}, d_{s,j}) independently for every context and worker.
 *
 * A table has a cell for every task and worker, label[i * workers + j]: +1, -1, or 0 for no label.
 * The caller owns tables; problems may be of any size.
 */
typedef struct {
    og_arena arena;
    int32_t tasks;              /* >= 1 */
    int32_t contexts;           /* >= 1; some may have no task */
    int32_t workers;            /* >= 1 */
    int32_t *context;           /* [tasks], 0 .. contexts - 1 */
    bool known;                 /* q is known */
    og_fraction (*accuracy)[2]; /* [contexts * workers]: q, 1 - q if q is known; else c, d */
    double (*chance)[2];        /* the same, each to the nearest double */
} og_assignment;

typedef struct {
    int32_t tasks;
    const int32_t *context;
    int32_t contexts, workers;
    bool known;
    const og_fraction (*accuracy)[2];
} og_assignment_given;

/*
 * Fields as above; for known accuracies only q is read. Everything is copied.
 * OG_BAD_INPUT with a message: no task, no worker, a context out of range, q outside [0, 1], a
 * parameter that is not positive. OG_NO_MEMORY.
 */
og_status og_assignment_new(const og_assignment_given *given, og_assignment **out,
                            og_message *message);
void og_assignment_free(og_assignment *assignment); /* NULL is fine */

int64_t og_assignment_cells(const og_assignment *assignment);

/* True if these two workers are the same in all contexts. */
bool og_assignment_workers_alike(const og_assignment *assignment, int32_t j, int32_t k);

/* ---- the exact posterior of a table ---- */

enum {
    OG_ASSIGNMENT_WORKERS_MAX = 31,
    OG_ASSIGNMENT_TOGETHER_MAX = 20, /* labelled tasks of a context whose accuracies are unknown */
};

typedef struct {
    og_arena arena;
    const og_assignment *assignment; /* borrowed */
    int32_t labels;                  /* largest number in a table */
    int32_t together; /* largest number of tasks that are labelled and coupled; 1 if q is
                       * known */
    double *factor;   /* [contexts * workers][together + 1][together + 1] at
                       * [labels][right ones] */
    double error;     /* relative, proved, of every number below */
} og_assignment_posterior;

/*
 * For tables of at most so many labels. OG_STOPPED with a message: more than
 * OG_ASSIGNMENT_WORKERS_MAX workers, or so many labels that more than OG_ASSIGNMENT_TOGETHER_MAX
 * tasks could be coupled. OG_NO_MEMORY.
 */
og_status og_assignment_posterior_init(const og_assignment *assignment, int32_t labels,
                                       og_assignment_posterior *out, og_message *message);
void og_assignment_posterior_clear(og_assignment_posterior *posterior); /* a zeroed one is fine */

/*
 * Pr(table), its labels in one given order. plus[tasks] and minus[tasks], NULL if not wanted, are
 * the parts of it with truth i = +1 and -1. Sums of products of positive numbers; the relative
 * error holds except for numbers below 2^-1000, which may become 0. Takes a step for every label
 * and every way to choose the truths of coupled labelled tasks. Thread-safe.
 */
double og_assignment_weigh(const og_assignment_posterior *posterior, const int8_t *label,
                           double *plus, double *minus);

/* Expected number of tasks called correctly, times Pr(table), if each gets the likelier call; from
 * the results of og_assignment_weigh. */
double og_assignment_called(int32_t tasks, const double *plus, const double *minus);

/* The same if the signs of decision[tasks] are the calls; 0 counts one half. */
double og_assignment_scored(int32_t tasks, const double *plus, const double *minus,
                            const double *decision);

/*
 * As og_assignment_weigh, in fractions, which the caller has initialised: *evidence, and
 * plus[tasks] and minus[tasks], both NULL if not wanted. For the tables of
 * og_assignment_posterior_init. OG_NO_MEMORY.
 */
og_status og_assignment_weigh_exact(const og_assignment *assignment, const int8_t *label,
                                    mpq_t evidence, mpq_t *plus, mpq_t *minus);

#endif
