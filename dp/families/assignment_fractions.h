#ifndef OG_DP_FAMILIES_ASSIGNMENT_FRACTIONS_H
#define OG_DP_FAMILIES_ASSIGNMENT_FRACTIONS_H

#include <gmp.h>

#include "dp/engine/settings.h"
#include "dp/families/assignment_model.h"

/*
 * The optimum of assigning workers to tasks in fractions: the recursion of
 * dp/families/assignment_model.h over the same states, in which doubles with their proved errors
 * rule out what cannot be optimal. One thread but for the doubles.
 *
 * The fractions are the caller's, initialised, and written on OG_OK only. settings: memory_bytes,
 * half for the doubles, is a limit on all tables: OG_STOPPED with a message, as where the watch
 * says so. OG_NO_MEMORY.
 */

/* The value at the root and, in *result, the same to the nearest double, with sizes. */
og_status og_assignment_exact_optimum(const og_assignment_start *start, const og_settings *settings,
                                      mpq_t value, og_result *result, og_message *message);

/* q[count] of these acts at the root, counted from the value without a label. */
og_status og_assignment_exact_q(const og_assignment_start *start, const og_settings *settings,
                                const og_open *open, int32_t count, mpq_t *q, og_message *message);

/* Expected share of tasks called correctly without another label. OG_NO_MEMORY. */
og_status og_assignment_exact_prior(const og_assignment_start *start, mpq_t value);

#endif
