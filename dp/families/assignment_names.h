#ifndef OG_DP_FAMILIES_ASSIGNMENT_NAMES_H
#define OG_DP_FAMILIES_ASSIGNMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/families/assignment.h"

/*
 * Equivalent tables of labels (private to dp/families/): they differ by the order of tasks of one
 * context, by the order of workers with the same accuracies in all contexts, and by the signs of
 * all labels of a task. A row is a number, two bits a worker: 0 no label, 1 for +1, 2 for -1. A
 * belief that accompanies the table has a record for each task, then for each worker, which are
 * moved too.
 */
typedef struct {
    const og_assignment *assignment; /* borrowed */
    bool sorts, turns;               /* change names; change signs */
    size_t belief_bytes;             /* 0: none */
    size_t item_bytes[2];            /* of a record of a task, and of a worker */
    int32_t *worker_group;           /* [workers] the first equal worker */
    int32_t *task_order;             /* [tasks] by contexts */
} og_assignment_names;

/* Without a belief, which the caller fills in. The arena owns the arrays; check its status. */
void og_assignment_names_init(og_assignment_names *names, const og_assignment *assignment,
                              bool sorts, bool turns, og_arena *arena);

/* Working memory of one thread. */
typedef struct {
    int32_t *worker;  /* [workers] in the order of their places */
    uint64_t *mark;   /* [workers] independent of names and signs */
    uint64_t *row[2]; /* [tasks] in an order of workers; those of the best so far */
    int32_t *task[2]; /* [tasks] the tasks of these rows */
    char *belief[2];  /* [belief_bytes] */
} og_assignment_room;
void og_assignment_room_init(const og_assignment_names *names, og_assignment_room *room,
                             og_arena *arena);

/* Writes the representative of `label` into *out, another array; belief (may be NULL) is changed in
 * the same way. */
void og_assignment_canonical(const og_assignment_names *names, const int8_t *label, char *belief,
                             og_assignment_room *room, int8_t *out);

#endif
