#ifndef OG_BENCH_PUBLIC_RECORDINGS_H
#define OG_BENCH_PUBLIC_RECORDINGS_H

#include "bench/asked.h"
#include "dp/families/delayed.h"

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

/* The input of og_question_replay_workers: labels and gold in files; priors of tasks and workers in
 * files (bench/recorded/betas.h; NULL: none), and one for all others, as given; the rest as in
 * og_recording and og_curve. */
typedef struct {
    const char *labels_file, *gold_file, *prior, *workers_prior, *trace_file;
    const char *task_priors_file, *worker_priors_file;
    bool in_order; /* labels of a pair, and of kos, come in the order of the file */
    int64_t budget;
    const int32_t *at; /* [at_count] */
    int32_t at_count;
    bool final_positive;
} og_workers_recording;

/* The input of og_question_replay_delayed: labels, gold and events in files, and words in the form
 * of the options of `replay`; NULL: not given. The rest as in og_recorded_delayed. */
typedef struct {
    const char *labels_file, *gold_file, *events_file, *prior, *holdout, *method, *trace_file;
    og_delay delay;
    int32_t workers;
    int32_t tasks; /* 0: all that are not held out */
    bool in_order, final_positive;
} og_delayed_recording;

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
