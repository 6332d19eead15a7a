#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_INF_CUT_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_INF_CUT_H

#include "heuristics/index/fast/gittins_inf_table.h"

/*
 * Intervals of the infinite-horizon Gittins indices of an arm with two outcomes, for all nodes
 * below the budget (private to heuristics/index/). gittins_inf_cut.c has the method.
 */
typedef struct og_inf_cut og_inf_cut;

/* `table` has the rows of parameters and is borrowed. `relative`: the proved relative error of a
 * sum over a rule. OG_NO_MEMORY. */
og_status og_inf_cut_new(const og_inf_table *table, int32_t budget, double relative,
                         og_inf_cut **out);
void og_inf_cut_free(og_inf_cut *cut); /* NULL is fine */

/* Values the level `budget` at a first grid of prices, from the highest down. OG_NO_MEMORY;
 * OG_STOPPED. */
og_status og_inf_cut_start(og_inf_cut *cut, og_stop *stop, og_worth w);

/* Values the level `budget` at one more price > 0 for the next og_inf_cut_merge; any number of
 * threads, each with an own `slot` of og_inf_cut_reserve. */
og_status og_inf_cut_reserve(og_inf_cut *cut, int32_t count);
void og_inf_cut_sample(og_inf_cut *cut, int32_t slot, double price, og_worth w);
void og_inf_cut_merge(og_inf_cut *cut);

/* Computes an interval that contains the truncated index of node (n, s), but for rounding. *low,
 * before: a guess, or 0; after: the ratio of a rule. Any number of threads. */
void og_inf_cut_bracket(const og_inf_cut *cut, int32_t n, int32_t s, og_worth w, double *low,
                        double *high);

#endif
