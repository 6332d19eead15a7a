#ifndef OG_HEURISTICS_INDEX_FINITE_HORIZON_H
#define OG_HEURISTICS_INDEX_FINITE_HORIZON_H

#include <gmp.h>
#include <stdint.h>

#include "heuristics/index/index.h"

/*
 * Indices from one backward pass over the number of labels left (private to heuristics/). Every
 * class x has a value f_left(x), f_0 = 0. f and the index for one label more follow from
 *
 *   expected(x) = R(x) + sum_k p_k(x) f_{left-1}(next_k(x)),
 *
 * the value of a label now and f afterwards. One pass is in doubles, for the index, and one in
 * fractions, for its order. Both take at most budget * classes steps, and the bits are the same for
 * any number of threads.
 */

/* Computes one class with `left` labels left. Writes `value`, f_left, and `index`, which contains
 * the index for one label less on entry (0 at left 1); `radius` is |computed - exact|, for an index
 * with rows of radius.
 */
typedef struct {
    int32_t left;
    uint32_t class;
    double before; /* f_{left-1} of the class */
    double expected;
    double *value, *index, *radius;
} og_stage;

typedef void og_stage_step(const og_stage *stage, const void *data);

/* Fills the rows that the index, which is by_left, and its radii have. */
og_status og_stages_score(const og_index_job *job, og_stage_step *step, const void *data,
                          og_scored *scored);

/* The same in fractions; may overwrite `expected`. */
typedef struct {
    int32_t left;
    mpq_srcptr before;
    mpq_ptr expected;
    mpq_ptr value, index;
} og_exact_stage;

typedef void og_exact_stage_step(const og_exact_stage *stage, const void *data);

/* True if all arms are rational and the pass in fractions has at most OG_STAGES_EXACT_MOST steps,
 * some ten seconds. */
#define OG_STAGES_EXACT_MOST UINT64_C(2000000)
bool og_stages_exact_possible(const og_index_job *job);

/* For og_scored.places. */
og_status og_stages_places(const og_index_job *job, og_exact_stage_step *step, const void *data,
                           og_take_places *take, void *sink);

#endif
