#ifndef OG_BENCH_STUDY_SWEEP_RANKS_H
#define OG_BENCH_STUDY_SWEEP_RANKS_H

#include "bench/study/sweep_cell.h"

/*
 * Cells on their way between rank 0 and those that compute them (private to bench/study/). A rank
 * answers with the cell that it was given, the first time with none, and then has another, or none
 * when it may go. Both are bytes of structs: all ranks run the same program.
 */

/* Rank 0: a cell with what is missing of it, the task's number being `at`; NULL: no more. */
og_status og_sweep_send(const og_sweep_job *job, int to, const og_sweep_cell *cell, int64_t at);

/* What a rank came to. */
typedef struct {
    int rank;
    int64_t at; /* below 0: nothing yet */
    og_status status;
    og_message message;
    bool dropped;
    void *bytes; /* owned; og_sweep_answer_cell reads it */
} og_sweep_answer;

/* Rank 0: waits for the next; free(bytes). OG_NO_MEMORY: none was read. */
og_status og_sweep_wait(const og_sweep_job *job, og_sweep_answer *out);

/* Fill `found` of the cell that this answers; its arrays are good as long as the answer's bytes. */
void og_sweep_answer_cell(const og_sweep_answer *answer, og_sweep_cell *cell);

/* The other ranks: compute what comes until no more does. */
og_status og_sweep_follow(og_sweep_job *job, og_message *message);

#endif
