#ifndef OG_TESTS_ORACLE_ASSIGNMENT_H
#define OG_TESTS_ORACLE_ASSIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"

/* What a table of labels tells of tasks, by all ways to choose their truths, and what it is worth
 * to ask on: task assignment as it is defined, for a few cells. */
enum { ORACLE_TASKS = 3, ORACLE_WORKERS = 3, ORACLE_CONTEXTS = 2 };

typedef struct {
    int32_t tasks, workers, contexts, context[ORACLE_TASKS];
    bool known; /* accuracies are q; else Beta(c, d) */
    og_fraction accuracy[ORACLE_CONTEXTS * ORACLE_WORKERS][2];
} oracle_tasks;

typedef struct {
    int8_t label[ORACLE_TASKS][ORACLE_WORKERS]; /* +1, -1, 0: none */
} oracle_table;

/* The chance of the labels; of those in which task i is +, unless i is -1. */
long double oracle_evidence(const oracle_tasks *of, const oracle_table *at, int32_t i);

/* The expected share of tasks that are called correctly if what is likelier is called, times the
 * chance of the table. */
long double oracle_called(const oracle_tasks *of, const oracle_table *at);

/* How a cell is chosen: cells free ones, task * workers + worker; answer[count] is larger for what
 * is taken, ties at random. */
typedef void oracle_cells(const oracle_tasks *of, const oracle_table *at, int32_t left,
                          const int32_t *cell, int32_t count, double *answer);

/* The value, times the chance of the table, with so many labels left; `by` NULL: the best. And with
 * this cell asked first. */
long double oracle_assignment(const oracle_tasks *of, const oracle_table *at, int32_t left,
                              oracle_cells *by);
long double oracle_assignment_asked(const oracle_tasks *of, const oracle_table *at, int32_t left,
                                    int32_t cell, oracle_cells *by);

#endif
