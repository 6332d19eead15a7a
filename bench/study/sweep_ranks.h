#ifndef OG_BENCH_STUDY_SWEEP_RANKS_H
#define OG_BENCH_STUDY_SWEEP_RANKS_H

#include "bench/study/sweep_cell.h"

/*
 * Transfers cells between rank 0 and the ranks that compute them (private to bench/study/). A rank
 * answers with the result of its cell, the first time without one, and then receives another cell,
 * or none at the end. Both messages are bytes of structs, because all ranks run the same program.
 */

/* Rank 0: send a cell with its missing part; `at` is the task's number. A NULL cell means the
 * end. */
og_status og_sweep_send(const og_sweep_job *job, int to, const og_sweep_cell *cell, int64_t at);

/* The answer of a rank. */
typedef struct {
    int rank;
    int64_t at; /* below 0: no result yet */
    og_status status;
    og_message message;
    bool dropped;
    void *bytes; /* owned; og_sweep_answer_cell reads it */
} og_sweep_answer;

/* Rank 0: wait for the next answer; the caller frees `bytes`. OG_NO_MEMORY: no answer was read. */
og_status og_sweep_wait(const og_sweep_job *job, og_sweep_answer *out);

/* Fill `found` of the answered cell; its arrays are valid as long as the answer's bytes. */
void og_sweep_answer_cell(const og_sweep_answer *answer, og_sweep_cell *cell);

/* The other ranks: compute the cells received until the end. */
og_status og_sweep_follow(og_sweep_job *job, og_message *message);

#endif
