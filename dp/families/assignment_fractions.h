#ifndef OG_DP_FAMILIES_ASSIGNMENT_FRACTIONS_H
#define OG_DP_FAMILIES_ASSIGNMENT_FRACTIONS_H

#include <gmp.h>

#include "dp/engine/settings.h"
#include "dp/families/assignment_model.h"

/*
 * The optimum of assigning workers to tasks in fractions: the recursion of
 * dp/families/assignment_model.h over the same states, in which doubles with their proved errors
 * rule out acts that cannot be optimal. One thread, except for the doubles.
 *
 * The caller owns and initialises the fractions; they are written on OG_OK only. settings:
 * memory_bytes, half of it for the doubles, limits all tables: OG_STOPPED with a message, also if
 * the watch stops the work. OG_NO_MEMORY.
 */

/* The value at the root and, in *result, the same rounded to a double, with sizes. */
og_status og_assignment_exact_optimum(const og_assignment_start *start, const og_settings *settings,
                                      mpq_t value, og_result *result, og_message *message);

/* q[count] of these acts at the root, counted from the value without a label. */
og_status og_assignment_exact_q(const og_assignment_start *start, const og_settings *settings,
                                const og_open *open, int32_t count, mpq_t *q, og_message *message);

/* Expected share of tasks called correctly without another label. OG_NO_MEMORY. */
og_status og_assignment_exact_prior(const og_assignment_start *start, mpq_t value);

#endif
