#ifndef OG_HEURISTICS_BOUNDS_JOINT_TABLES_H
#define OG_HEURISTICS_BOUNDS_JOINT_TABLES_H

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "heuristics/bounds/joint_search.h"

/*
 * What a joint end is searched over (joint_end.c has the words): w of every node, which nodes can
 * be in S, and what their instances want at which price. For joint_end.c and its tests.
 */

/* An arm's tables, of its nodes. */
typedef struct {
    const og_arm *arm;
    double count;        /* instances */
    double *worth;       /* w */
    double *alone;       /* [.. (labels + 1)] what so many labels gain on one instance alone */
    int32_t rare, never; /* levels from which on w is more */
    double *value;       /* scratch */
    double *law;         /* [.. charged] chance that 0, 1, .. labels are wanted at a price */
    int32_t *needed;     /* labels for which the node's kind is needed; labels: it can be in S */
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
    double error;        /* of a step of a recursion in one number, relative to its size */
} og_joint_ending;

/* One way to choose w and m, and what it gives. */
typedef struct {
    double dear; /* the price by which w is chosen */
    int32_t charged;
    double worth; /* the largest w */
    og_arena arena;
    og_joint joint;
    og_joint_kind *kind;
    double *from;       /* [kinds] the price above which an instance buys nothing: of types */
    og_joint_part **of; /* [kinds] whose node is of the kind, */
    uint32_t *node;     /* and this is one */
    double *point;      /* [points] prices */
} og_joint_attempt;

/* arms, threads, memory_bytes, stop, labels and price are set; the tables are cleared with the
 * arena. OG_NO_MEMORY. */
og_status og_joint_ending_init(og_joint_ending *of);

/* dear and charged are set: w of every node, and the largest. */
void og_joint_choose(const og_joint_ending *of, og_joint_attempt *try);

/* After it: `joint`, and a node of each of its kinds. OG_NO_MEMORY; OG_STOPPED also where there are
 * too many kinds. */
og_status og_joint_make(const og_joint_ending *of, og_joint_attempt *try);

/* What a recursion of so many labels can be off by, of numbers up to that and w. */
double og_joint_slack(const og_joint_ending *of, double worth);

#endif
