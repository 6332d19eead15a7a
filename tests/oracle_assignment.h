#ifndef OG_TESTS_ORACLE_ASSIGNMENT_H
#define OG_TESTS_ORACLE_ASSIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"

/* The posterior of tasks given a table of labels, from all combinations of true labels, and the
 * value of asking further: task assignment from its definition, for a few cells. */
enum { ORACLE_TASKS = 3, ORACLE_WORKERS = 3, ORACLE_CONTEXTS = 2 };

typedef struct {
    int32_t tasks, workers, contexts, context[ORACLE_TASKS];
    const char *policy; /* for an oracle_cells */
    bool known;         /* accuracies are q; else Beta(c, d) */
    og_fraction accuracy[ORACLE_CONTEXTS * ORACLE_WORKERS][2];
} oracle_tasks;

typedef struct {
    int8_t label[ORACLE_TASKS][ORACLE_WORKERS]; /* +1, -1, 0: none */
} oracle_table;

/* The probability of the labels, jointly with task i being +, unless i is -1. */
long double oracle_evidence(const oracle_tasks *oracle, const oracle_table *at, int32_t i);

/* The expected share of correct calls with the likelier calls, times the probability of the table.
 */
long double oracle_called(const oracle_tasks *oracle, const oracle_table *at);

/* How a cell is chosen: cells free ones, task * workers + worker; answer[count] is larger for what
 * is taken, ties at random. */
typedef void oracle_cells(const oracle_tasks *oracle, const oracle_table *at, int32_t left,
                          const int32_t *cell, int32_t count, double *answer);

/* The value, times the chance of the table, with so many labels left; `by` NULL: the best. And with
 * this cell asked first. */
long double oracle_assignment(const oracle_tasks *oracle, const oracle_table *at, int32_t left,
                              oracle_cells *by);
long double oracle_assignment_asked(const oracle_tasks *oracle, const oracle_table *at,
                                    int32_t left, int32_t cell, oracle_cells *by);

#endif
