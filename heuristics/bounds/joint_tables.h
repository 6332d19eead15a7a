#ifndef OG_HEURISTICS_BOUNDS_JOINT_TABLES_H
#define OG_HEURISTICS_BOUNDS_JOINT_TABLES_H

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/joint_search.h"

/*
 * Tables for the search of a joint end (joint_end.c defines the terms): w of every node, the nodes
 * that can be in S, and their instances' demand at each price. For joint_end.c and its tests.
 */

/* Tables of an arm's nodes. */
typedef struct {
    const og_arm *arm;
    double count;        /* instances */
    double *worth;       /* w */
    double *alone;       /* [.. (labels + 1)] gain of 0 .. labels labels on one instance alone */
    int32_t rare, never; /* levels from which on w is larger */
    double *value;       /* scratch */
    double *law;         /* [.. charged] probability that 0, 1, .. labels are wanted at a price */
    int32_t *
        needed; /* number of labels for which the node's kind is needed; `labels`: it can be in S */
    uint16_t *kind;
} og_joint_part;

typedef struct {
    const og_arms *arms;
    int threads;
    uint64_t memory_bytes; /* for the search */
    og_stop *stop;
    int32_t labels;
    og_arena arena;
    og_joint_part *part; /* [arm_count] */
    double price;        /* the scalar bound's */
    double reward;       /* the largest */
    double error;        /* relative error of a number in one step of a recursion */
} og_joint_ending;

/* A choice of w and m, and its tables. */
typedef struct {
    double dear; /* the price that determines w */
    int32_t charged;
    double worth; /* the largest w */
    og_arena arena;
    og_joint joint;
    og_joint_kind *kind;
    double *from;          /* [kinds] of types: the price above which an instance buys nothing */
    og_joint_part **parts; /* [kinds] an arm with a node of the kind, */
    uint32_t *node;        /* and such a node */
    double *point;         /* [points] prices */
} og_joint_attempt;

/* Fills the tables; arms, threads, memory_bytes, stop, labels and price must be set. The tables are
 * freed with the arena. OG_NO_MEMORY. */
og_status og_joint_ending_init(og_joint_ending *ending);

/* Computes w of every node, and the largest; dear and charged must be set. */
void og_joint_choose(const og_joint_ending *ending, og_joint_attempt *try);

/* Then fills `joint`, and a node of each of its kinds. OG_NO_MEMORY; OG_STOPPED also if there are
 * too many kinds. */
og_status og_joint_make(const og_joint_ending *ending, og_joint_attempt *try);

/* The error of a recursion over ending->labels labels, with numbers up to the rewards and `worth`.
 */
double og_joint_slack(const og_joint_ending *ending, double worth);

#endif
