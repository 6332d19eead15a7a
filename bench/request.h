#ifndef OG_BENCH_REQUEST_H
#define OG_BENCH_REQUEST_H

#include "dp/base/settings.h"
#include "dp/base/ties.h"
#include "dp/families/delayed.h"

/* What is asked, beside the problem: options of all questions, and the inputs of some. Texts and
 * arrays are borrowed. */

/*
 * How tables of labels, true labels, comparisons, scores and contexts are read; the words are those
 * of the options of `optgap fit`. All zeros: tables whose columns have usual names. Borrowed.
 */
struct og_tables {
    const char *columns;  /* "task=item,worker=rater", names or numbers from 1 of the columns; all
                             numbers: files without a header. NULL: the usual names */
    const char *missing;  /* values that are no label, "unsure,-1"; NULL: only empty cells */
    const char *positive; /* which of two classes is positive; NULL: the second one in order */
    const char *classes;  /* all classes in their order, "neg,neutral,pos"; NULL: those that occur,
                             sorted, and two if there are fewer */
    const char *repeats; /* of labels of a worker for a task, "first", "last" or "all"; NULL: all */
    const char *format;  /* of files of labels, "label-studio"; NULL: found by looking */
    const char *encoding; /* "latin1"; NULL: UTF-8 */
    const char *draws;    /* in comparisons, "half" or "drop"; NULL: half a win for each item */
    bool wide;            /* labels have a column for each worker */
};

#define OG_STATES_USUAL UINT64_MAX /* see below */

/* Options of questions; those that a question does not have do not matter. */
typedef struct {
    og_settings settings; /* its watch can end any question */
    double seconds_max;   /* time limit, checked about ten times a second; 0: none */
    const og_ties
        *ties; /* [ties_count] compare and simulate: evaluate each policy under each of these */
    int32_t ties_count; /* 0: random */
    bool exact;   /* also compute fractions; OG_BAD_INPUT if the problem does not support them */
    bool explain; /* compare: why each policy loses */
    /* compare: largest number of states for one policy's value, and for the optimum; 0: no limit.
     * OG_STATES_USUAL for a policy means 20 million, or four times the optimum's states if that is
     * more. For the optimum it means no limit while all states fit in memory. Once some were
     * evicted it means 20 million, or for more than 100 labels proportionally fewer; with
     * seconds_max or a checkpoint it still means no limit. */
    uint64_t policy_states_max, optimum_states_max;
    double index_seconds_max; /* time limit for computing an index; a policy that exceeds it is
                                 omitted; 0: none */
    int64_t runs;  /* simulate: 2 .. 10^9; compare: for policies without an exact value, 0: none */
    uint64_t seed; /* of these runs */
    const char *truth; /* simulate: "prior", "beta:A,B" or "list:X,X,...", for a ranking also
                          "dirichlet:A,A,...", and "workers:A,B" or "workers-list:X,X,..."; NULL:
                          prior. compare: also evaluate under this truth, for independent instances,
                          or under each of "grid:FROM:TO:STEP"; NULL: no */
    /* compare: "A,B": also evaluate policies that assume the prior Beta(A,B) for every instance,
     * while the problem's priors generate the labels; NULL: no. OG_BAD_INPUT together with truth.
     */
    const char *believe;
    /* compare: the document then contains only the least number of labels, up to the budget, after
     * which the expected share of correct calls is at least this, 0 .. 1, for the optimal policy
     * and each of the policies. 0: no. Not together with truth, believe, explain and exact.
     */
    double reach;
    bool counts; /* simulate: count the labels of each instance; in a ranking or assignment, how
                    often each worker labels each item */
    bool result; /* replay: the document's "results" hold what the first run of each policy
                    concluded */
    const char *export_policy; /* solve: a file for the optimal policy; NULL: none */
    bool all_optimal;          /* write all optimal actions of each state to it, not one */
    const char *export_model;  /* solve: NAME.drn or NAME.tra, for model checkers; NULL: none */
    bool dry_run;              /* solve: only compute how much time and memory it can take */
    /*
     * Relative tolerance, 0 .. 1, within which indices of user-defined policies (table:, command:,
     * plugin:, functions, numbers) tie; near ties are counted. 0: only equal indices tie. In
     * descending order, the largest index ties with those within the tolerance of it; the largest
     * of the rest begins the next group.
     */
    double tie_tolerance;
    int32_t tree_states_max; /* largest number of states of a tree; OG_BAD_INPUT if it has more */
    int32_t tree_levels;     /* number of labels that a tree follows; 0: all */
    bool all_actions;        /* a tree follows every action, not only optimal ones */
    /* query: the labels so far, in the words of --history: "1+ 2-", "1:win", "1@2+"; NULL: none.
     * The budget then counts these too, and instances are priors. OG_BAD_INPUT: another word, more
     * labels than the budget, or a family that does not support it. */
    const char *history;
    bool no_times; /* times in the document are null: equal questions have equal documents */
} og_request;

/* ---- prices of labels and payoffs of calls, the same for all instances ---- */

typedef struct {
    const char *price;  /* of each label, "0.05", in units of a correct call or of the payoff; the
                           policy may stop before the budget is used. NULL: labels are free and all
                           of the budget is used */
    const char *payoff; /* of a call, "TP,FP,FN,TN", with ",U" if it may be left undecided, or
                           "brier", "squared" or "log"; NULL: "1,0,0,1" */
} og_stakes;

/* ---- inputs ---- */

/* A grid of problems, searched from the smallest: fewer instances, fewer labels, smaller
 * parameters. */
typedef struct {
    const char *claim; /* about the first policy: "value:C" or "gain:C", its value or gain is at
                          least C times the other's; NULL: it loses nothing */
    bool worst; /* find the problem of the grid with the largest loss, not the smallest problem */
    int32_t instances;      /* the most instances, */
    int32_t budget;         /* labels, */
    int32_t parameter;      /* and whole parameters of Beta priors, from 1 on */
    const char *thresholds; /* "0.5,0.3" */
    og_stakes stakes;       /* the same for every problem */
} og_search;

/*
 * Recorded labels, and the true calls (gold). They come from files, or from arrays if labels_file
 * is NULL. Tasks are numbered from 0 without holes, and every task has gold.
 */
typedef struct {
    const char *labels_file; /* a table with the columns task, worker, label */
    const char *gold_file;   /* likewise: task, label */
    int64_t count;
    const uint32_t *task;   /* [count] below count */
    const uint32_t *worker; /* [count] below count; NULL: unknown */
    const uint8_t *label;   /* [count] 0 or 1 */
    const uint8_t *gold;    /* [tasks] 0 or 1 */
    const char
        *prior; /* of every task, "A,B", "A,B@D" or, for classes, "A,B,C"; NULL: 1 for each class */
    int32_t budget;      /* number of labels; -1: all recorded ones */
    int32_t at_count;    /* 0: fifths of the budget */
    const int32_t *at;   /* [at_count] budgets at which accuracy is reported, increasing; the whole
                            budget is added */
    bool final_positive; /* call a task positive if it is undecided in the end, instead of counting
                            it half */
    /* Recorded comparisons of two items instead of labels; gold_file then has the items' scores,
     * and `prior` is A of every item. workers_prior is the prior of each worker's accuracy, "4,1";
     * NULL: workers are assumed to be always right. */
    const char *pairs_file;
    const char *workers_prior;
    og_stakes stakes; /* of labels; with a price, every policy except uniform stops when no index
                         exceeds it */
    /* "assignment" of workers to tasks, or "labelers", with files, and without prior, comparisons,
     * stakes and final_positive; NULL: "labels". The rest is as the program's options. */
    const char *problem;
    const char *contexts_file, *fill; /* of assignment; NULL: one context, "accuracy" */
    double explore;                   /* G1 of labelers; 0: 1 */
    bool weighted;                    /* votes of labelers */
} og_recording;

/* Recorded labels, and a budget for more. Files are tables whose first line names the columns. */
typedef struct {
    const char
        *labels_file;  /* columns task, worker, label; may be empty, or NULL, with tasks_file */
    const char *prior; /* of every task, as in og_recording; NULL: fitted to the labels, with
                          workers_prior together with the workers; 1,1 if the labels
                          differ by no more than chance */
    int32_t budget;    /* labels left; with 0 none is chosen */
    int32_t batch;     /* labels to choose, at least 1; at most as many as are possible */
    bool final_calls;  /* instead of choosing tasks, report each task's call now */
    og_stakes stakes;  /* with a price, only tasks that are worth a label are chosen */
    const char *tasks_file; /* column task: more tasks, which may have no label. Column p: a model's
                               probability that the task is positive; may be empty */
    const char *model_strength; /* p counts as so many labels; NULL or "auto": fitted */
    const char *closed_file;    /* column task: tasks that get no more labels */
    const char *free_file;      /* column worker: those who can label, each a task once; with a
                                   column task only these pairs. NULL: workers are not named */
    int32_t max_per_task;       /* labels of a task, with those that it has; 0: any number */
    int32_t per_batch;          /* labels of a task in a batch, at most 20; 0: 1 */
    /* With final_calls: */
    const char *gold_file;     /* columns task, label, for some tasks: how reliable calls are */
    const char *workers_prior; /* "4,1": workers of unknown reliability, with this prior of their
                                  accuracy. With pairs_file likewise */
    /* Recorded comparisons instead of labels: columns left, right, label (the winner) and, perhaps,
     * worker. `prior` is A of every item; the policy is akg or distance. The batch has pairs, and
     * final_calls gives the ranking. */
    const char *pairs_file;
    /* Labels are bought: "NAME:PRICE:P" or "NAME:PRICE:P:MOST", as --source; "A,B" for P is the
     * prior of each worker's unknown accuracy, and the name "*" has all other workers. The budget
     * counts units, a label's worker is "NAME" or "NAME:anything", and p of tasks_file is the
     * prior. */
    const char *const *sources;
    int32_t source_count;
} og_batch;

/* Optional input of og_question_simulate: budgets of a curve, as in og_recording; and a file for
 * the labels of the first run, NULL for none. */
typedef struct {
    const int32_t *at; /* [at_count] */
    int32_t at_count;
    const char *trace_file;
} og_curve;

/* The input of og_question_replay: a recording, with 0 for `explore` as it is, and more, in the
 * form of the options of `replay`; NULL, 0: not given. */
typedef struct {
    og_recording recording;
    bool in_order;          /* tasks of labelers, labels of a pair or of a task: as in the file */
    const char *trace_file; /* with workers or delays: for the labels of the first run */
    bool workers; /* of unknown reliability, with priors in files (bench/recorded/betas.h), and
                     recording.workers_prior for all others: */
    const char *task_priors_file, *worker_priors_file;
    og_delay delay;   /* labels that take time, if its arrival rate is not 0: */
    int32_t arrivals; /* workers that arrive */
    int32_t tasks;    /* 0: all that are not held out */
    const char *events_file, *holdout, *method;
    double drop, drop_exponent;    /* of labelers */
    const char *crowd, *data_file; /* of assignment: a crowd to draw in place of labels; numbers */
    int32_t clusters;              /* to find in data_file */
} og_replay_input;

/* The input of og_question_fit, a file of labels and a method (og_fit_method_of); and of
 * og_question_labels, with gold and a file for a plain table; NULL: none. */
typedef struct {
    const char *file, *method, *gold_file, *output;
    int64_t count; /* of labels in arrays, if `file` is NULL */
    const uint32_t *task;
    const uint8_t *label;
} og_labels_input;

#endif
