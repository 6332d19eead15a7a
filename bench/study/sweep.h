#ifndef OG_BENCH_STUDY_SWEEP_H
#define OG_BENCH_STUDY_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study.h"
#include "bench/study/study_db.h"
#include "dp/base/stop.h"
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

/* Progress, reported after each cell and before each cell that runs alone. */
typedef struct {
    int64_t cells;       /* of the grid */
    int64_t done;        /* of them, stored, including earlier sweeps */
    double seconds_left; /* estimated from the cells of this call; NAN: too early */
    const char *alone;   /* the prior of the cell that now runs alone; or NULL */
    int64_t instances;   /* its size and budget */
    int64_t budget;
} og_sweep_progress;

typedef struct {
    const og_study *study;        /* complete; borrowed, like the rest */
    og_study_db *db;              /* open for writing; of rank 0 */
    const char *command;          /* the user's command line, for the database */
    const char *program;          /* version */
    const char *commit;           /* of the program's source; "unknown" */
    int threads;                  /* >= 1 */
    uint64_t memory_bytes;        /* limit for all tables together, > 0 */
    double cell_seconds_max;      /* for each cell; 0: any time */
    int32_t part, parts;          /* only the cells of this part, 1 .. parts; parts 0: all cells */
    bool retry;                   /* compute again cells that a limit ended */
    const og_world *world;        /* of ranks that all call og_sweep_run; NULL: only this process */
    const char *const *recompute; /* [recompute_count] names of the study's policies, whose rows in
                                     the grid's cells are deleted first, all at once */
    int32_t recompute_count;
    og_stop *stop; /* ends the work; unfinished cells are discarded; NULL: none */
    /* Called from one thread at a time; may be NULL. */
    void (*progress)(void *user, const og_sweep_progress *progress);
    void *user;
} og_sweep_request;

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
 * Returns OG_OK even if limits were reached or the work was interrupted: *out shows it. On any
 * error *out is untouched and stored cells stay. OG_FAILED with a message if the database cannot be
 * written (a full disk) or values contradict each other; OG_NO_MEMORY.
 */
og_status og_sweep_run(const og_sweep_request *request, og_sweep_result *out, og_message *message);

#endif
