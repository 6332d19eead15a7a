#ifndef OG_BENCH_STUDY_CELL_LAW_H
#define OG_BENCH_STUDY_CELL_LAW_H

#include <stdbool.h>

#include "bench/study/law.h"
#include "bench/study/study_db.h"
#include "bench/value/compare.h"
#include "dp/base/arena.h"

/* What play comes to where labels fall otherwise than is believed, as a cell has it (private to
 * bench/study/). */

/* The row, ties random, of the play that is optimal by what is believed. */
#define OG_CELL_OPTIMAL "optimal"

/* Is it an exact cell with such rows? */
bool og_cell_law_is(const og_cell_key *key);

/*
 * Into a cell that has its comparison: its rows, those of the comparison and the last of
 * OG_CELL_OPTIMAL, get what is known under the law. A cell of truth "prior" stays as it is. Arrays
 * are of the arena. OG_NO_MEMORY.
 */
og_status og_cell_law_take(const og_comparison *from, const og_study_law *law, og_arena *arena,
                           og_cell *to);

#endif
