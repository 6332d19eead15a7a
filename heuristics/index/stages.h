#ifndef OG_HEURISTICS_INDEX_STAGES_H
#define OG_HEURISTICS_INDEX_STAGES_H

#include <gmp.h>
#include <stdint.h>

#include "heuristics/index/index.h"

/*
 * Indices that one backward pass over the number of labels left gives (private to heuristics/):
 * with every class x a value f_left(x), f_0 = 0, from which f and the index for one label more
 * follow by way of
 *
 *   expected(x) = R(x) + sum_k p_k(x) f_{left-1}(next_k(x)),
 *
 * what a label now and f afterwards are worth. Once in doubles, for the index; once in fractions,
 * for its order. Both take budget * classes steps at most, and the same bits come out for any
 * number of threads.
 */

/* One class with `left` labels left; out: `value`, f_left, and `index`, which holds the index for
 * one label less before (0 at left 1); `radius` |computed - exact|, for an index with rows of it.
 */
typedef struct {
    int32_t left;
    double before; /* f_{left-1} of the class itself */
    double expected;
    double *value, *index, *radius;
} og_stage;

typedef void og_stage_step(const og_stage *stage, const void *data);

/* Fill the index, and the radii if it has any; by_left. */
og_status og_stages_score(const og_index_job *job, og_stage_step *step, const void *data,
                          og_scored *scored);

/* The same in fractions; `expected` may be spoilt. */
typedef struct {
    int32_t left;
    mpq_srcptr before;
    mpq_ptr expected;
    mpq_ptr value, index;
} og_exact_stage;

typedef void og_exact_stage_step(const og_exact_stage *stage, const void *data);

/* Are all arms rational, and is the pass in fractions short enough to be worth it: at most
 * OG_STAGES_EXACT_MOST steps, some ten seconds? */
#define OG_STAGES_EXACT_MOST UINT64_C(2000000)
bool og_stages_exact_possible(const og_index_job *job);

/* For og_scored.places. */
og_status og_stages_places(const og_index_job *job, og_exact_stage_step *step, const void *data,
                           og_take_places *take, void *sink);

#endif
