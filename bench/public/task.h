#ifndef OG_BENCH_PUBLIC_TASK_H
#define OG_BENCH_PUBLIC_TASK_H

#include "bench/family.h"
#include "bench/limit.h"
#include "dp/base/arena.h"
#include "optgap.h"

/*
 * One question, as the functions of optgap.h and the program's commands both ask it: what is asked
 * goes in, a report with its document comes out. Who asks fills the first part, and clears the task
 * whatever becomes of it.
 */

/* What a report points to. */
typedef struct {
    og_arena arena; /* first, for og_arena_new */
    og_document *document;
    og_report report;
} og_report_box;

typedef struct {
    const og_family *family; /* with problem and sizes; NULL where a question has no problem */
    const void *problem;
    og_sizes sizes;
    bool without_tables; /* the problem was opened for its runs only, as a limit ended its opening:
                            for compare, which tells what is known all the same */
    const void *given;   /* replay: an og_recording; sweep: an og_grid; find: an og_search;
                            verify: a path */
    og_request request;  /* settings filled in, at least one tie rule; its policies are */
    const og_policy_name *policies; /* [policy_count] these */
    int32_t policy_count;
    bool (*stops)(void *user); /* true ends the work; from any thread; NULL: nobody */
    /* What is going on, and which share of it is done; from one thread at a time; NULL: nobody. */
    void (*stage)(void *user, const char *name, double share);
    void *user;

    og_report_box *box; /* out; owned */
    og_message warning; /* out: beside a result; of compare, why the optimum is not known */
    og_limit limit; /* out: of compare's optimum; of bound, OG_LIMIT_TIME where it was stopped */
} og_task;

/* OG_NO_MEMORY. The report's numbers are NAN to begin with. */
og_status og_task_init(og_task *task);
void og_task_clear(og_task *task); /* a zeroed one is fine */

/* Each answers a question: the report and its document are in the box on OG_OK, the document
 * perhaps not whole (og_document_failed). Errors as optgap.h says of the function of this name. */
typedef og_status og_task_question(og_task *task, og_message *message);
og_task_question og_task_solve, og_task_compare, og_task_query, og_task_bound, og_task_simulate,
    og_task_replay, og_task_replay_labelers, og_task_replay_assignment, og_task_sweep,
    og_task_verify, og_task_next, og_task_index, og_task_tree, og_task_find;

/* What og_task_index may be given: who takes its table, [count] columns and line by line, in the
 * place of "rows". An entry's posterior has two columns fewer. */
typedef struct {
    void (*head)(void *user, const char *const *name, int32_t count);
    void (*entry)(void *user, const og_fraction *posterior, int32_t count, int32_t left,
                  double value);
    void *user;
} og_index_lines;

/* What og_task_replay_labelers is given: labels and gold in files, and as og_labelers_replay. */
typedef struct {
    const char *labels_file, *gold_file;
    double explore, drop;
    bool weighted;
} og_labelers_recording;

/* What og_task_replay_assignment is given: gold, labels or a crowd to be drawn, contexts or numbers
 * to find them in; files, and words as the options of `replay` have them, NULL: not given. */
typedef struct {
    const char *labels_file, *gold_file, *contexts_file, *data_file, *crowd, *fill;
    int32_t clusters;  /* of the numbers */
    int64_t budget;    /* -1: all that can be given */
    const int32_t *at; /* [at_count] as og_recording */
    int32_t at_count;
} og_assignment_recording;

/* For `interrupted` and `progress` of the library's calls, with the task as user. */
bool og_task_stops(void *task);
void og_task_stage(void *task, const char *name);
void og_task_share(void *task, const char *name, double share);

#endif
