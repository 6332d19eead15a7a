#ifndef OG_HEURISTICS_BOUNDS_RELAXATION_H
#define OG_HEURISTICS_BOUNDS_RELAXATION_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "heuristics/bounds/priced_arm.h"
#include "heuristics/bounds/priced_delayed.h"

/*
 * The Lagrangian relaxation of a problem at given prices (private to heuristics/): one priced arm
 * for each distinct arm, evaluated in parallel and added in a fixed order, so that no bit depends
 * on the number of threads.
 */
typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    int threads;
    og_stop *stop;
    bool is_delayed;
    double *count;               /* [arm_count] instances of the arm, times */
    double share;                /* the share that is counted; 1 unless og_relaxation_keep */
    int32_t labels;              /* paid for: the budget unless og_relaxation_lengthen */
    og_priced_arm **priced;      /* [arm_count] if labels arrive at once, else */
    og_priced_delayed **delayed; /* [arm_count] */
    double prior;                /* value without labels */
    double prior_error;
    double dearest; /* at this price or above no label is bought */
    /* Results of the last evaluation: */
    og_priced *part; /* [arm_count] one instance of each arm */
    double *bought;  /* [arm_count][budget], by stage; og_relaxation_stages only */
    double *same;    /* [budget] scratch: the same price for all stages */
    int32_t evaluations;
    uint64_t last_work; /* nodes evaluated the last time */
} og_relaxation;

typedef struct {
    double value;     /* B, computed */
    double error;     /* proved: |value - B| <= error and B <= value + error as a double sum */
    double purchases; /* expected labels bought by all instances */
} og_relaxed;

/*
 * Borrows `arms`. threads: 0 means one per core. `delay` NULL: labels arrive at once; else each
 * stage is an arrival (heuristics/bounds/priced_delayed.h), OG_NO_MEMORY if the tables together
 * exceed memory_bytes, and OG_STOPPED if `stop`, which may be NULL, ends this or an evaluation.
 * With labels that arrive at once the first evaluation is always completed.
 */
og_status og_relaxation_new(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                            int threads, og_stop *stop, og_relaxation **out);
void og_relaxation_free(og_relaxation *relaxation); /* NULL is fine */

/* Counts only this share of the instances of each arm, 0 < share <= 1, as if they were drawn. */
void og_relaxation_keep(og_relaxation *relaxation, double share);

/*
 * The problem has this many labels, at least the arms' budget; labels beyond the arms' depth are
 * not bought. So only a constant price at which nobody would buy them gives B. For labels that
 * arrive at once.
 */
void og_relaxation_lengthen(og_relaxation *relaxation, int32_t labels);

/* Computes B at one price >= 0 for all stages. Its slope to the right is the number of labels minus
 * the purchases. */
og_status og_relaxation_constant(og_relaxation *relaxation, double price, og_relaxed *out);

/* Computes B at a price for each stage, price[budget]. If all are the same it equals
 * og_relaxation_constant bit for bit, and fills `bought` only with `bought_too`. */
og_status og_relaxation_stages(og_relaxation *relaxation, const double *price, bool bought_too,
                               og_relaxed *out);

/* Nodes evaluated so far, for all arms. */
uint64_t og_relaxation_work(const og_relaxation *relaxation);

#endif
