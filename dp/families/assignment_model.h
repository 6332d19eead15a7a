#ifndef OG_DP_FAMILIES_ASSIGNMENT_MODEL_H
#define OG_DP_FAMILIES_ASSIGNMENT_MODEL_H

#include "dp/engine/solution.h"
#include "dp/families/assignment.h"

/*
 * Assigning workers to tasks as a model: any cell without a label can be chosen at any time, and
 * after so many labels each task is called +1 or -1. The value is the expected share of tasks that
 * are called correctly. Values are not normalised: with W(table) = Pr(table, its labels in one
 * given order) * (expected share from there on),
 *
 *   W(table) = max over free cells of W(table with +1 there) + W(table with -1 there),
 *
 * and at the end W is the sum over tasks of the likelier truth's part of Pr(table).
 */
typedef struct {
    og_arena arena;
    const og_assignment *assignment; /* borrowed */
    og_assignment_posterior posterior;
    int8_t *label;  /* [tasks * workers] labels before the root */
    int32_t had;    /* of them */
    int32_t budget; /* labels to come, at most the number of free cells */
    double mass;    /* Pr(label) */
    double prior;   /* expected share without another label */
} og_assignment_start;

enum { OG_ASSIGNMENT_TASKS_MAX = 256 };

/*
 * label[tasks * workers] is copied; `budget` labels are to come, at most as many as there are free
 * cells. OG_BAD_INPUT with a message if these labels are impossible; else as
 * og_assignment_posterior_init, and OG_STOPPED for more than OG_ASSIGNMENT_TASKS_MAX tasks.
 */
og_status og_assignment_start_new(const og_assignment *assignment, const int8_t *label,
                                  int32_t budget, og_assignment_start **out, og_message *message);
void og_assignment_start_free(og_assignment_start *start); /* NULL is fine */

/* Absolute error of a value at the root, proved; it is also relative, of all values of the model.
 */
double og_assignment_error(const og_assignment_start *start);

/* Expected share of tasks called correctly without another label, in fractions. OG_NO_MEMORY. */
og_status og_assignment_prior_exact(const og_assignment_start *start, mpq_t value);

/*
 * The data that a policy sees (og_model.state). An act is {task, worker}, an answer 1 for the label
 * +1 and 0 for -1; decision[tasks] > 0 calls a task +1. Records of a belief are those of the tasks,
 * then those of the workers.
 */
typedef struct {
    const og_assignment_start *start;
    int32_t left;
    const int8_t *label; /* [tasks * workers] */
} og_assignment_state;

/*
 * The model for a question. Nothing is divided: every outcome has probability 1, and a value at the
 * root counts `mass` times. Tasks of one context are alike, and so are workers with the same
 * accuracies in all contexts (OG_REDUCE_SORT). For the optimum the labels of a task may change
 * signs together (OG_REDUCE_MERGE). Tables that differ only in this way share one representative,
 * or a few if there are more than OG_ASSIGNMENT_ORDERS_MAX orders of workers. Borrows start and
 * policy; OG_NO_MEMORY.
 */
enum { OG_ASSIGNMENT_ORDERS_MAX = 720 };
og_status og_assignment_model(const og_assignment_start *start, const og_value_asked *question,
                              og_model *out);

#endif
