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
 * for each distinct arm, valued in parallel and added up in a fixed order, so that no bit depends
 * on the number of threads.
 */
typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    int threads;
    bool is_delayed;
    double *count;               /* [arm_count] instances of the arm */
    og_priced_arm **priced;      /* [arm_count] where labels come at once, else */
    og_priced_delayed **delayed; /* [arm_count] */
    double prior;                /* value without any label */
    double prior_error;
    double dearest; /* at this price or above nothing is bought */
    /* Of the last valuation: */
    og_priced *part; /* [arm_count] one instance of each arm */
    double *bought;  /* [arm_count][budget], by stage; og_relaxation_stages only */
    double *same;    /* [budget] one price for all stages */
    int32_t evaluations;
    uint64_t last_work; /* nodes valued the last time */
} og_relaxation;

typedef struct {
    double value;     /* B, computed */
    double error;     /* proved: |value - B| <= error and B <= value + error as a double sum */
    double purchases; /* expected labels bought by all instances */
} og_relaxed;

/*
 * Borrows `arms`. threads: 0 means one per core. `delay` NULL: labels come at once; else each stage
 * is an arrival (heuristics/bounds/priced_delayed.h), and the tables may take memory_bytes
 * together, or OG_NO_MEMORY.
 */
og_status og_relaxation_new(const og_arms *arms, const og_delay *delay, uint64_t memory_bytes,
                            int threads, og_relaxation **out);
void og_relaxation_free(og_relaxation *relaxation); /* NULL is fine */

/* B at one price >= 0 for all stages. Minus the purchases, plus the budget, is its slope to the
 * right. */
og_status og_relaxation_constant(og_relaxation *relaxation, double price, og_relaxed *out);

/* B at a price for each stage, price[budget]; where all are the same this is
 * og_relaxation_constant, bit for bit, but leaves `bought` alone unless `bought_too`. */
og_status og_relaxation_stages(og_relaxation *relaxation, const double *price, bool bought_too,
                               og_relaxed *out);

/* Nodes valued so far by all arms. */
uint64_t og_relaxation_work(const og_relaxation *relaxation);

#endif
