#ifndef OG_DP_FAMILIES_ASSIGNMENT_BOUNDS_H
#define OG_DP_FAMILIES_ASSIGNMENT_BOUNDS_H

#include <gmp.h>
#include <stdbool.h>

#include "dp/base/stop.h"
#include "dp/families/assignment_model.h"

/*
 * Upper bounds on what assigning workers to tasks is worth.
 *
 * Where q is known, tasks are coupled by the budget alone, and for every price z >= 0 of a label
 *
 *   tasks * V <= z * labels + sum over tasks of v_z(row of the task),
 *   v_z(row) = max(the likelier truth, -z + max over workers of the expected v_z behind),
 *
 * which is convex and piecewise linear in z. Any number of tasks, up to OG_ASSIGNMENT_PRICED_MAX
 * workers: tables of 3^workers rows for each context.
 */
enum { OG_ASSIGNMENT_PRICED_MAX = 10, OG_ASSIGNMENT_PRICED_EXACT_MAX = 7 };

typedef struct {
    double value; /* expected share, a bound; rounding included */
    double error; /* how much of it is the allowance for rounding, proved */
    double price; /* z */
    int32_t evaluations;
} og_assignment_bound;

/*
 * At the best price, a point where the function has a corner, found where two of its lines cross.
 * `label` are those before, `labels` to come. OG_STOPPED without a message: q is not known, there
 * are too many workers, or `stop` says so; OG_NO_MEMORY.
 */
og_status og_assignment_lagrangian(const og_assignment *of, const int8_t *label, int32_t labels,
                                   og_stop *stop, og_assignment_bound *out);

/* The bound at this price, >= 0, in fractions; `value` is the caller's. As above, with its own
 * limit of workers. */
og_status og_assignment_lagrangian_exact(const og_assignment *of, const int8_t *label,
                                         int32_t labels, const mpq_t price, mpq_t value);

/*
 * What the full table is worth, every worker having labelled every task, from the empty one; for
 * unknown q. OG_STOPPED without a message where q is known, or the tables of a context that differ
 * are more than OG_ASSIGNMENT_FULL_MAX.
 */
enum { OG_ASSIGNMENT_FULL_MAX = 200000 };
og_status og_assignment_everything(const og_assignment *of, og_stop *stop,
                                   og_assignment_bound *out);

#endif
