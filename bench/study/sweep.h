#ifndef OG_BENCH_STUDY_SWEEP_H
#define OG_BENCH_STUDY_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study.h"
#include "bench/study/study_db.h"
#include "dp/base/status.h"
#include "dp/base/world.h"

/*
 * Fill a study's database: every problem of the grid with every policy under every tie rule.
 *
 * A cell that is stored as wanted is not computed again, so a sweep that was ended goes on where it
 * was; a cell that only lacks a policy has its optimum proved again, which is compared with the one
 * stored. What a limit ended is stored as the bracket it is, and not tried again unless `retry`.
 *
 * What a policy is depends on its files (og_policy_name_file_hash): a value that was stored when
 * they held something else is another policy's, computed again and replaced. Older studies do not
 * say by which files a value was computed; it is then taken for this one.
 *
 * Cells run side by side, one thread and an equal share of the memory each, small ones first. One
 * that by its forecast (dp/product/forecast.h) needs more than its share, or turns out to, waits
 * for the end: then it gets all threads and all memory. Values do not depend on that.
 *
 * Over ranks, rank 0 hands out cells and stores them; the others, whose `db` is NULL, compute them
 * one by one, each with all its threads and its memory. All of them have the study, and its
 * policies' files, and get the result.
 *
 * Parts of a grid have every so many-th of its cells, ordered by size, so that they are about as
 * long as each other; which cells a part has depends on the grid alone.
 */

/* After each cell, and before each that runs alone. */
typedef struct {
    int64_t cells;       /* of the grid */
    int64_t done;        /* of them, stored; those of earlier sweeps included */
    double seconds_left; /* a guess from the cells of this call; NAN: too early to guess */
    const char *alone;   /* the prior of the cell that now runs alone; NULL */
    int64_t instances;   /* its size and budget */
    int64_t budget;
} og_sweep_progress;

typedef struct {
    const og_study *study;   /* complete; borrowed, like the rest */
    og_study_db *db;         /* open for writing; of rank 0 */
    const char *command;     /* what the user typed, for the database */
    const char *program;     /* version */
    const char *commit;      /* of the program's source; "unknown" */
    int threads;             /* >= 1 */
    uint64_t memory_bytes;   /* limit for all tables together, > 0 */
    double cell_seconds_max; /* for each cell; 0: any time */
    int32_t part, parts;     /* only the cells of this part, 1 .. parts; parts 0: all cells */
    bool retry;              /* compute again what a limit ended */
    const og_world *world;   /* of ranks that all call og_sweep_run; NULL: this process alone */
    const char *const *recompute; /* [recompute_count] names of the study's policies: what the
                                     grid's cells hold of them is dropped first, all at once */
    int32_t recompute_count;
    /* True ends the work; what was begun is dropped. From all threads at once; may be NULL. */
    bool (*interrupted)(void *user);
    /* From one thread at a time; may be NULL. */
    void (*progress)(void *user, const og_sweep_progress *progress);
    void *user;
} og_sweep_request;

typedef struct {
    int64_t cells;    /* of the grid, or of the part */
    int64_t found;    /* complete in the database already */
    int64_t changed;  /* of the grid's cells, those with a row by other files */
    int64_t finished; /* by this call */
    int64_t limited;  /* of the grid's cells, those in which something is not proved (exact) or not
                         played (simulated) for a limit */
    bool interrupted;
} og_sweep_result;

/*
 * OG_OK, also where limits were reached or the work was interrupted: *out says so. On any error
 * *out is untouched and what was stored before it stays: OG_FAILED with a message if the database
 * cannot be written (a full disk) or values contradict each other; OG_NO_MEMORY.
 */
og_status og_sweep_run(const og_sweep_request *request, og_sweep_result *out, og_message *message);

#endif
