#ifndef OG_BENCH_STUDY_SWEEP_CELL_H
#define OG_BENCH_STUDY_SWEEP_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study_family.h"
#include "bench/study/sweep.h"
#include "dp/base/arena.h"
#include "dp/base/parallel.h"

/* A sweep and one of its cells in progress (private to bench/study/). */

/* A problem of the grid. */
typedef struct {
    int32_t prior; /* index into the study's priors */
    int64_t instances;
    int64_t budget;
    int32_t law;
    bool large; /* waits to run alone */
} og_sweep_task;

/* Sums for a line fitted to the logarithms of the cells' weights and seconds. */
typedef struct {
    double count, x, y, xx, xy;
} og_sweep_fit;

/* A whole sweep. */
typedef struct {
    const og_settings *settings;
    const og_grid *grid;
    const og_study *study;
    og_study_db *db; /* of rank 0 */
    int lanes;       /* number of cells computed in parallel */
    int busy;        /* number of ranks that wait for cells or compute one */
    int64_t run;
    og_sweep_task *tasks; /* [task_count] missing cells, small ones first */
    int64_t task_count;
    int64_t done;   /* number of them stored */
    uint64_t *hash; /* [policy_count of the study] of the policies' files at the start of the
                       sweep */
    og_sweep_fit times;
    og_stop stop;     /* of the cells: interrupted or failed */
    og_lock lock;     /* guards the database, the waiting cells and the progress */
    og_status status; /* the first failure */
    og_message message;
    og_sweep_result *out;
} og_sweep_job;

/* A cell in progress: its question, and memory for the results. */
typedef struct {
    og_arena arena; /* of the arrays below */
    const og_sweep_task *task;
    og_groups problem;
    og_study_family family;
    int threads;
    uint64_t memory_bytes;
    og_policy_name *policies; /* [policy_count] with a missing row */
    uint64_t *hash;           /* [policy_count] of their files, directly before evaluation */
    int32_t policy_count;
    og_ties ties[OG_TIES_COUNT];
    int32_t ties_count;
    og_cell found;
    bool dropped; /* interrupted: store nothing */
    bool short_of_memory;
} og_sweep_cell;

og_cell_key og_sweep_key(const og_study *study, const og_sweep_task *task);

/* Compute hash[policy_count] of the policies' files. */
og_status og_sweep_hash_files(const og_study *study, uint64_t *hash, og_message *message);

/* True if the job is to end. Any thread may call it. */
static inline bool og_sweep_is_stopped(og_sweep_job *job)
{
    return og_stop_look(&job->stop) != OG_LIMIT_NONE;
}

/*
 * Prepare a cell whose `task`, `threads` and `memory_bytes` are set and whose rest is zeroed: its
 * problem, memory for its policies, and the current hashes of all the study's policies. Clear it,
 * whatever is returned.
 */
og_status og_sweep_cell_begin(const og_sweep_job *job, og_sweep_cell *cell, og_message *message);
void og_sweep_cell_clear(og_sweep_cell *cell);

/* After policies and ties are listed: create a row for each, without values. */
og_status og_sweep_cell_rows(og_sweep_cell *cell);

/* False if the cell would not fit in a share of the memory; true if unknown. */
bool og_sweep_cell_fits(const og_sweep_cell *cell);

/* Fill `found`, or set `dropped`; a limit is not a failure. */
og_status og_sweep_cell_value(og_sweep_job *job, og_sweep_cell *cell, og_message *message);

#endif
