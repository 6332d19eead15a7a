#ifndef OG_BENCH_PUBLIC_STATES_SHARED_H
#define OG_BENCH_PUBLIC_STATES_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "dp/prior/problem.h"

/* An array of states of independent instances, whose posteriors differ from row to row. */
typedef struct {
    const double *posterior;  /* [count][instances][2] a and b */
    const int32_t *left;      /* [count] labels left */
    const og_group *instance; /* [instances] thresholds and payoffs */
    int64_t count;
    int32_t instances;
    const og_problem_text *from;
    const og_settings *settings; /* of one thread */
    double *q;                   /* [count][instances] out */
    bool *best;                  /* [count][instances] out */
} og_state_rows;

/*
 * Answers rows that take few states once those of similar rows are known, on so many threads:
 * writes their q, best and done[row]. Their numbers are those of og_query_run within the errors of
 * both, and have its bits where fractions settle a tie; threads do not change them. The others are
 * to be asked one by one, also for the message of a row that is refused. OG_NO_MEMORY; OG_STOPPED
 * if the watch ends it.
 */
og_status og_state_rows_answer(const og_state_rows *rows, int threads, bool *done);

#endif
