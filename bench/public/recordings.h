#ifndef OG_BENCH_PUBLIC_RECORDINGS_H
#define OG_BENCH_PUBLIC_RECORDINGS_H

#include "bench/asked.h"

/* What is given for questions about recorded labels, and for runs, that optgap.h does not have. */

/* Optional input of og_question_simulate: budgets of a curve, as in og_recording; and a file for
 * the labels of the first run, NULL for none. */
typedef struct {
    const int32_t *at; /* [at_count] */
    int32_t at_count;
    const char *trace_file;
} og_curve;

/* The input of og_question_replay_labelers: labels and gold in files; the rest as in
 * og_labelers_replay. */
typedef struct {
    const char *labels_file, *gold_file;
    double explore, drop, drop_exponent;
    bool weighted, in_order;
    int64_t budget;    /* tasks; -1: all */
    const int32_t *at; /* [at_count] */
    int32_t at_count;
} og_labelers_recording;

/* The input of og_question_replay_workers: labels and gold in files, and one prior for all tasks
 * and one for all workers, as given; the rest as in og_recording and og_curve. */
typedef struct {
    const char *labels_file, *gold_file, *prior, *workers_prior, *trace_file;
    int64_t budget;
    const int32_t *at; /* [at_count] */
    int32_t at_count;
    bool final_positive;
} og_workers_recording;

/* The input of og_question_replay_assignment: gold; labels or a crowd to draw; contexts, or numbers
 * to cluster. These are files, and words in the form of the options of `replay`; NULL: not given.
 */
typedef struct {
    const char *labels_file, *gold_file, *contexts_file, *data_file, *crowd, *fill;
    int32_t clusters;  /* of the numbers in data_file */
    bool usual;        /* the policies are the default ones */
    int64_t budget;    /* -1: all possible labels */
    const int32_t *at; /* [at_count] as in og_recording */
    int32_t at_count;
} og_assignment_recording;

#endif
