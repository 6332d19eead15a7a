#ifndef OG_BENCH_PUBLIC_TASK_H
#define OG_BENCH_PUBLIC_TASK_H

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "optgap.h"

/*
 * One question, for the functions of optgap.h and for the program's commands: the input is a
 * question, the output a report with its document. The caller fills the first part, and clears the
 * task in any case.
 */

/* A report with the memory it points to. */
typedef struct {
    og_arena arena; /* first, for og_arena_new */
    og_document *document;
    og_report report;
} og_report_box;

typedef struct {
    const og_family *family; /* with problem and sizes; NULL for questions without a problem */
    void *problem;           /* owned */
    og_sizes sizes;
    bool without_tables; /* the problem was opened for its runs only, because a limit ended its
                            opening; compare then reports the results that need no tables */
    const void *given; /* replay: an og_recording; simulate: an og_curve or NULL; sweep: an og_grid;
                          find: an og_search; verify: a path */
    og_request request;             /* settings complete, at least one tie rule; its policies are */
    const og_policy_name *policies; /* these [policy_count] */
    int32_t policy_count;
    void *user;   /* a command's own */
    og_stop stop; /* has the watch of the request's settings, which have it */

    og_report_box *box; /* out; owned */
    og_message warning; /* out: in addition to a result; for compare, why the optimum is missing */
    og_limit limit;     /* out: of compare's optimum; for bound, OG_LIMIT_TIME if it was stopped */
} og_task;

/*
 * Initialise a task, with NAN for the report's numbers, and its stop, which request.seconds_max
 * ends unless the question has `own_time`, which observes it itself. It does not move afterwards.
 * OG_NO_MEMORY.
 */
og_status og_task_init(og_task *task, bool own_time);
void og_task_clear(og_task *task); /* may be zeroed */

/* Each function answers a question. On OG_OK the report and its document are in the box; the
 * document may be incomplete (og_document_failed). Errors as for the function of this name in
 * optgap.h. */
typedef og_status og_task_question(og_task *task, og_message *message);
og_task_question og_task_solve, og_task_compare, og_task_query, og_task_bound, og_task_simulate,
    og_task_replay, og_task_replay_labelers, og_task_replay_assignment, og_task_replay_workers,
    og_task_sweep, og_task_verify, og_task_next, og_task_index, og_task_tree, og_task_find;

/* Optional input of og_task_index: functions that receive its table line by line, [count] columns,
 * in place of "rows". An entry's posterior has two columns fewer. */
typedef struct {
    void (*head)(void *user, const char *const *name, int32_t count);
    void (*entry)(void *user, const og_fraction *posterior, int32_t count, int32_t left,
                  double value);
    void *user;
} og_index_lines;

/* Optional input of og_task_simulate: budgets of a curve, as in og_recording; and a file for the
 * labels of the first run, NULL for none. */
typedef struct {
    const int32_t *at; /* [at_count] */
    int32_t at_count;
    const char *trace_file;
} og_curve;

/* The input of og_task_replay_labelers: labels and gold in files; the rest as in
 * og_labelers_replay. */
typedef struct {
    const char *labels_file, *gold_file;
    double explore, drop;
    bool weighted;
} og_labelers_recording;

/* The input of og_task_replay_workers: labels and gold in files, and one prior for all tasks and
 * one for all workers, as given; the rest as in og_recording and og_curve. */
typedef struct {
    const char *labels_file, *gold_file, *prior, *workers_prior, *trace_file;
    int64_t budget;
    const int32_t *at; /* [at_count] */
    int32_t at_count;
    bool final_positive;
} og_workers_recording;

/* The input of og_task_replay_assignment: gold; labels or a crowd to draw; contexts, or numbers to
 * cluster. These are files, and words in the form of the options of `replay`; NULL: not given. */
typedef struct {
    const char *labels_file, *gold_file, *contexts_file, *data_file, *crowd, *fill;
    int32_t clusters;  /* of the numbers in data_file */
    int64_t budget;    /* -1: all possible labels */
    const int32_t *at; /* [at_count] as in og_recording */
    int32_t at_count;
} og_assignment_recording;

#endif
