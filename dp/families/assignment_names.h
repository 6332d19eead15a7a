#ifndef OG_DP_FAMILIES_ASSIGNMENT_NAMES_H
#define OG_DP_FAMILIES_ASSIGNMENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/families/assignment.h"

/*
 * Tables of labels that are alike (private to dp/families/): they differ by the order of tasks of
 * one context, by that of workers who are the same in all contexts, and by the signs of all labels
 * of a task. A row is written as a number, two bits a worker: 0 no label, 1 for +1, 2 for -1. A
 * belief beside the table has a record for each task, then for each worker, which move along.
 */
typedef struct {
    const og_assignment *of; /* borrowed */
    bool sorts, turns;       /* names; signs; else they stay */
    size_t belief_bytes;     /* 0: none */
    size_t item_bytes[2];    /* of a record of a task, and of a worker */
    int32_t *worker_group;   /* [workers] the first who is alike */
    int32_t *task_order;     /* [tasks] by contexts */
} og_assignment_names;

/* Without a belief, which the caller fills in. The arrays are the arena's; look at its status. */
void og_assignment_names_init(og_assignment_names *names, const og_assignment *of, bool sorts,
                              bool turns, og_arena *arena);

/* What one thread works with. */
typedef struct {
    int32_t *worker;  /* [workers] by their places */
    uint64_t *mark;   /* [workers] what does not depend on names or signs */
    uint64_t *row[2]; /* [tasks] in an order of workers; of the best so far */
    int32_t *task[2]; /* [tasks] whose rows these are */
    char *belief[2];  /* [belief_bytes] */
} og_assignment_room;
void og_assignment_room_init(const og_assignment_names *names, og_assignment_room *room,
                             og_arena *arena);

/* The table that stands for `label`, into *out, which is another one; belief (NULL: none) follows.
 */
void og_assignment_canonical(const og_assignment_names *names, const int8_t *label, char *belief,
                             og_assignment_room *room, int8_t *out);

#endif
