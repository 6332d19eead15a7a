#ifndef OG_BENCH_STUDY_SWEEP_H
#define OG_BENCH_STUDY_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"
#include "bench/study/study.h"
#include "bench/study/study_db.h"
#include "dp/base/world.h"

/*
 * Fills a study's database: every problem of the grid with every policy and every tie rule.
 *
 * A complete cell is not computed again, so an interrupted sweep can be continued. If a cell only
 * lacks a policy, its optimum is computed again and compared with the stored one. After a limit the
 * bracket is stored, and the cell is not tried again unless `retry` is set.
 *
 * A policy is identified by the contents of its files (og_policy_name_file_hash): a value stored
 * with other contents belongs to another policy and is computed again and replaced. Older studies
 * lack the hash of the files; then the same files are assumed.
 *
 * Cells run in parallel, small ones first, each with one thread and an equal share of the memory. A
 * cell that needs more than its share, according to its forecast (dp/product/forecast.h) or after a
 * try, waits for the end: then it gets all threads and all memory. Values do not depend on that.
 *
 * With ranks, rank 0 distributes cells and stores the results. The other ranks, whose `db` is NULL,
 * compute cells one by one, with all threads and memory of the rank. All ranks need the study and
 * its policies' files, and receive the result.
 *
 * A part of a grid takes every parts-th of its cells, ordered by size, so all parts take about the
 * same time. The cells of a part depend only on the grid.
 */

typedef struct {
    int64_t cells;    /* of the grid, or of the part */
    int64_t found;    /* already complete in the database */
    int64_t changed;  /* of the grid's cells, those with a row computed with other files */
    int64_t finished; /* in this call */
    int64_t limited;  /* of the grid's cells, those in which a limit prevented a proof (exact) or a
                         simulation */
    bool interrupted;
} og_sweep_result;

/*
 * Sweep this study, complete, as the og_grid of a question says, into a database that is open for
 * writing. Progress goes to the question's stop after each cell and before each cell that runs
 * alone; when the stop is over, unfinished cells are discarded. Its settings are complete, and
 * their world is that of ranks that all call this.
 *
 * Returns OG_OK even if limits were reached or the work was interrupted: *out shows it. On any
 * error *out is untouched and stored cells stay. OG_FAILED with a message if the database cannot be
 * written (a full disk) or values contradict each other; OG_NO_MEMORY.
 */
og_status og_sweep_run(const og_asked *asked, const og_study *study, og_study_db *db,
                       og_sweep_result *out, og_message *message);

#endif
