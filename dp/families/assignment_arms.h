#ifndef OG_DP_FAMILIES_ASSIGNMENT_ARMS_H
#define OG_DP_FAMILIES_ASSIGNMENT_ARMS_H

#include "dp/engine/solution.h"
#include "dp/families/assignment_model.h"

/*
 * The optimum where accuracies are known, by independent instances: the tasks are coupled by the
 * budget alone, so a task is an arm (dp/arm/sources.h) whose sources are the workers, each for a
 * unit and once, with their accuracies in its context. A table is the nodes to which its rows lead.
 * Values, Q and fractions are those of dp/families/assignment_model.h, which remembers whole tables
 * and shares no code with this; see bench/RESULTS.md for what each takes.
 */

/* Fewer workers, and fewer rows of a task in all contexts together. */
enum { OG_ASSIGNMENT_ARMS_WORKERS_MAX = 16, OG_ASSIGNMENT_ARMS_ROWS_MAX = 1 << 20 };

/* Is this the way to take? By what is counted alone: accuracies are known, a label is to come,
 * neither limit is passed, and there are two tasks: the rows of one are its tables, which take less
 * time. */
bool og_assignment_has_arms(const og_assignment_start *start);

/*
 * The optimum, all of og_solution but picks; also of one task. Borrows start, and what the settings
 * borrow. OG_STOPPED with a message where the arms take more than the memory
 * limit; OG_FAILED where accuracies are so near to 1/2 that a reward is smaller than the doubles;
 * OG_NO_MEMORY.
 */
og_status og_assignment_arms(const og_assignment_start *start, const og_question *question,
                             const og_settings *settings, og_solution *out, og_message *message);

#endif
