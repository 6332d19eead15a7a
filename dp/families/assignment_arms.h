#ifndef OG_DP_FAMILIES_ASSIGNMENT_ARMS_H
#define OG_DP_FAMILIES_ASSIGNMENT_ARMS_H

#include "dp/engine/solution.h"
#include "dp/families/assignment_model.h"

/*
 * The optimum for known accuracies, with independent instances. The tasks are coupled only through
 * the budget, so a task is an arm (dp/arm/sources.h) whose sources are the workers. Each worker
 * costs one unit, can be used once, and has the accuracy of the task's context. A table corresponds
 * to the nodes to which its rows lead. Values, Q and fractions are those of
 * dp/families/assignment_model.h, which stores whole tables and shares no code with this;
 * bench/RESULTS.md compares their costs.
 */

/* Limits: the number of workers, and the number of rows of a task in all contexts together. */
enum { OG_ASSIGNMENT_ARMS_WORKERS_MAX = 16, OG_ASSIGNMENT_ARMS_ROWS_MAX = 1 << 20 };

/* True if this method should be used, from counts alone: accuracies are known, a label is to come,
 * neither limit is exceeded, and there are two tasks (the rows of one task are its tables, which
 * take less time). */
bool og_assignment_has_arms(const og_assignment_start *start);

/*
 * The optimum: all of og_solution except picks; also for one task. Borrows start, and everything
 * that the settings borrow. OG_STOPPED with a message if the arms exceed the memory limit;
 * OG_FAILED if accuracies are so close to 1/2 that a reward is below the range of doubles;
 * OG_NO_MEMORY.
 */
og_status og_assignment_arms(const og_assignment_start *start, const og_value_asked *question,
                             const og_settings *settings, og_solution *out, og_message *message);

#endif
