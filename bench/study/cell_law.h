#ifndef OG_BENCH_STUDY_CELL_LAW_H
#define OG_BENCH_STUDY_CELL_LAW_H

#include <stdbool.h>

#include "bench/questions/compare.h"
#include "bench/study/law.h"
#include "bench/study/study_db.h"
#include "dp/base/arena.h"

/* The results of a cell under a truth or with a wrong belief (private to bench/study/). */

/* The name of the row for the policy that is optimal under the belief, with random ties. */
#define OG_CELL_OPTIMAL "optimal"

/* True if the cell is exact and has such rows. */
bool og_cell_law_is(const og_cell_key *key);

/*
 * Add the results under the law to a cell that holds its comparison: to the rows of the comparison,
 * and to a last row for OG_CELL_OPTIMAL. A cell with truth "prior" is unchanged. Arrays are in the
 * arena. OG_NO_MEMORY.
 */
og_status og_cell_law_take(const og_comparison *from, const og_study_law *law, og_arena *arena,
                           og_cell *to);

#endif
