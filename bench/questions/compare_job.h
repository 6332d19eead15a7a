#ifndef OG_BENCH_QUESTIONS_COMPARE_JOB_H
#define OG_BENCH_QUESTIONS_COMPARE_JOB_H

#include "bench/questions/compare.h"
#include "dp/base/file.h"

/* A comparison in progress, shared by the files that implement it (private to bench/questions/). */
typedef struct {
    const og_asked *asked;
    const og_family *family;
    const void *problem;
    og_problem_size sizes;
    og_file_lock *lock;    /* for the checkpoint; held to the end */
    og_steps *steps;       /* [2] kept for explanations: optimal, and with instances in order;
                              zeroed until the first of each */
    og_strategy *strategy; /* [policy_count] zeroed if it could not be made */
    og_status *prepared;   /* [policy_count] OG_STOPPED: not yet, or a limit */
    int32_t solvers;       /* number of policies that contain one */
    og_stop *stop;         /* of the whole comparison */
    og_stop *making;       /* of the making of strategies, and the solvers in them, which serve the
                              rows of all threads; its end changes from stage to stage */
    og_message *prepare_message;
    const og_truth *truth; /* the current one: the request's, or one of its grid; NULL: none */
    og_truth_law_run *run; /* [run_count] the truth; owned, NULL: none */
    int32_t run_count;
    void *believed; /* the problem that policies assume, if different; owned */
    og_comparison *out;
} og_compare_job;

static inline bool og_compare_limit_reached(og_status status)
{
    return status == OG_STOPPED || status == OG_NO_MEMORY;
}

static inline bool og_compare_is_over(const og_compare_job *work)
{
    return og_stop_look(work->stop) != OG_LIMIT_NONE;
}

og_status og_compare_value_of(const og_compare_job *work, const og_value_asked *question,
                              const og_settings *settings, og_value_found *out,
                              og_message *message);

/* Make the remaining strategies, until this time. A policy that cannot be made gets no value;
 * the others do. */
void og_compare_prepare(const og_compare_job *work, double end);

/* The first failure of a policy or a row that is not a limit; OG_OK: none. */
og_status og_compare_preparing_failed(const og_compare_job *work, og_message *message);

/* Fill all rows in the time left. Fails like og_compare_run. */
og_status og_compare_rows(const og_compare_job *work, og_message *message);

/* Fill `equal` of all rows, if a policy stops early; rows that a limit leaves out stay unknown. */
og_status og_compare_find_equal(const og_compare_job *work, og_message *message);

/* Prepare the truth as runs of instances; refuses the truths that og_compare_run refuses. */
og_status og_compare_truth_begin(og_compare_job *work, og_message *message);

/* Evaluate the optimal policy and all rows under the truth. */
og_status og_compare_truth_rows(const og_compare_job *work, og_message *message);

/* The same at all points of the grid. */
og_status og_compare_grid(og_compare_job *work, og_message *message);

/* Explain the losses of all rows. */
og_status og_compare_explain(const og_compare_job *work, og_message *message);

#endif
