#ifndef OG_DP_FAMILIES_ASSIGNMENT_BOUNDS_H
#define OG_DP_FAMILIES_ASSIGNMENT_BOUNDS_H

#include <gmp.h>

#include "dp/base/stop.h"
#include "dp/families/assignment_model.h"

/*
 * Upper bounds on the value of assigning workers to tasks.
 *
 * If q is known, tasks are coupled only through the budget, and for every price z >= 0 of a label
 *
 *   tasks * V <= z * labels + sum over tasks of v_z(row of the task),
 *   v_z(row) = max(the likelier truth, -z + max over workers of the expected v_z after the label),
 *
 * which is convex and piecewise linear in z. Any number of tasks, up to OG_ASSIGNMENT_PRICED_MAX
 * workers: tables of 3^workers rows for each context.
 */
enum { OG_ASSIGNMENT_PRICED_MAX = 10, OG_ASSIGNMENT_PRICED_EXACT_MAX = 7 };

typedef struct {
    double value; /* upper bound of the expected share; rounding included */
    double error; /* the proved allowance for rounding in it */
    double price; /* z */
    int32_t evaluations;
} og_assignment_bound;

/*
 * At the best price, which is a corner of the function and is found as the crossing of two of its
 * lines. `label` are the labels so far, `labels` those to come. OG_STOPPED without a message: q is
 * unknown, there are too many workers, or `stop` ends the work; OG_NO_MEMORY.
 */
og_status og_assignment_lagrangian(const og_assignment *assignment, const int8_t *label,
                                   int32_t labels, og_stop *stop, og_assignment_bound *out);

/* The bound at this price, >= 0, in fractions; the caller owns `value`. As above, with a separate
 * limit of workers. */
og_status og_assignment_lagrangian_exact(const og_assignment *assignment, const int8_t *label,
                                         int32_t labels, const mpq_t price, mpq_t value);

/*
 * The value of the full table, in which every worker has labelled every task, seen from the empty
 * one; for unknown q. OG_STOPPED without a message if q is known, or a context has more than
 * OG_ASSIGNMENT_FULL_MAX different tables.
 */
enum { OG_ASSIGNMENT_FULL_MAX = 200000 };
og_status og_assignment_everything(const og_assignment *assignment, og_stop *stop,
                                   og_assignment_bound *out);

#endif
