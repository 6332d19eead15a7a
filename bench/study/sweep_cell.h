#ifndef OG_BENCH_STUDY_SWEEP_CELL_H
#define OG_BENCH_STUDY_SWEEP_CELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/study/study_family.h"
#include "bench/study/sweep.h"
#include "dp/base/arena.h"
#include "dp/base/parallel.h"

/* A sweep and one of its cells at work (private to bench/study/). */

/* A problem of the grid. */
typedef struct {
    int32_t prior; /* of the study's */
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
    const og_sweep_request *request;
    int lanes; /* cells at a time */
    int busy;  /* ranks that wait for cells or are at one */
    int64_t run;
    og_sweep_task *tasks; /* [task_count] what is missing, small ones first */
    int64_t task_count;
    int64_t done;   /* of them, stored */
    uint64_t *hash; /* [policy_count of the study] of the policies' files as the sweep begins */
    og_sweep_fit times;
    atomic_bool stop; /* interrupted or failed */
    og_lock lock;     /* of the database, the cells that wait and the progress */
    og_status status; /* the first failure */
    og_message message;
    og_sweep_result *out;
} og_sweep_job;

/* A cell at work: what is asked, and room for what comes of it. */
typedef struct {
    og_arena arena; /* of the arrays below */
    const og_sweep_task *of;
    og_groups problem;
    og_study_family family;
    int threads;
    uint64_t memory_bytes;
    og_policy_name *policies; /* [policy_count] of which a row is missing */
    uint64_t *hash;           /* [policy_count] of their files, just before they are valued */
    int32_t policy_count;
    og_ties ties[OG_TIES_COUNT];
    int32_t ties_count;
    og_cell found;
    bool dropped; /* interrupted: nothing is to be stored */
    bool short_of_memory;
} og_sweep_cell;

og_cell_key og_sweep_key(const og_sweep_request *request, const og_sweep_task *of);

/* hash[policy_count] of the policies' files. */
og_status og_sweep_hash_files(const og_study *study, uint64_t *hash, og_message *message);

/* Is the job to end? For `interrupted` of what it starts; from any thread. */
bool og_sweep_is_stopped(void *job);

/*
 * A cell with `of`, `threads` and `memory_bytes` set and the rest zeroed: its problem, room for its
 * policies, and the hashes of all of the study's, as they are now. Clear it, whatever is returned.
 */
og_status og_sweep_cell_begin(const og_sweep_job *job, og_sweep_cell *cell, og_message *message);
void og_sweep_cell_clear(og_sweep_cell *cell);

/* Once policies and ties are listed: a row for each, nothing known. */
og_status og_sweep_cell_rows(og_sweep_cell *cell);

/* Will it surely fit a share of the memory? What cannot be foreseen is tried. */
bool og_sweep_cell_fits(const og_sweep_cell *cell);

/* Fill `found`, or say that it was `dropped`; a limit is no failure. */
og_status og_sweep_cell_value(og_sweep_job *job, og_sweep_cell *cell, og_message *message);

#endif
