#ifndef OG_BENCH_VALUE_COMPARE_JOB_H
#define OG_BENCH_VALUE_COMPARE_JOB_H

#include "bench/value/compare.h"
#include "dp/base/file.h"

/* A comparison at work: what its parts share (private to bench/value/). */
typedef struct {
    const og_compare_request *request;
    const og_family *family;
    const void *problem;
    og_sizes sizes;
    og_file_lock *lock;    /* of the checkpoint; held to the end */
    og_steps *steps;       /* [2] kept for explanations: optimal, and with instances in order;
                              zeroed until the first of each */
    og_strategy *strategy; /* [policy_count] zeroed where it could not be made */
    og_status *prepared;   /* [policy_count] OG_STOPPED: not yet, or a limit */
    int32_t solvers;       /* policies that hold one */
    double *solvers_end;   /* when making strategies, and solvers in them, must stop, by the clock;
                              moves from stage to stage */
    og_message *prepare_message;
    const og_truth *truth; /* at hand: the request's, or one of its grid; NULL: none */
    og_actual_run *run;    /* [run_count] the truth; owned, NULL: none */
    int32_t run_count;
    void *believed; /* the problem that policies believe in, where it is another; owned */
    double end;     /* by the clock; INFINITY: no limit */
    og_comparison *out;
} og_compare_job;

/* What stops one computation. */
typedef struct {
    const og_compare_job *work;
    double deadline;
    uint64_t again_max; /* most states once some were forgotten; 0: any number */
    bool front;         /* on the calling thread, which shows progress */
    og_limit limit;
} og_compare_guard;

static inline bool og_compare_limit_reached(og_status status)
{
    return status == OG_STOPPED || status == OG_NO_MEMORY;
}

void og_compare_tell(const og_compare_job *work, const char *stage);

/* Is it interrupted, or past the deadline? */
og_limit og_compare_stop_cause(const og_compare_job *work, double deadline);

/* An og_watch, whose user is an og_compare_guard. */
bool og_compare_watch(void *user, const og_progress *progress);

og_status og_compare_value_of(const og_compare_job *work, const og_question *question,
                              const og_settings *settings, og_found *out, og_message *message);

/* Make the strategies that are not made yet, until the deadline. A policy that cannot be made is
 * not valued; the others are. */
void og_compare_prepare(const og_compare_job *work, double deadline);

/* The first failure of a policy, or of a row, that is no limit; OG_OK: none. */
og_status og_compare_preparing_failed(const og_compare_job *work, og_message *message);

/* Fill all rows, in what is left of the time. As og_compare_run for failures. */
og_status og_compare_rows(const og_compare_job *work, og_message *message);

/* The problem's groups, as those are told who know groups and no arms; *out is the caller's. */
og_status og_compare_groups(const og_arms *arms, og_groups *out, og_message *message);

/* The truth as runs of instances, as og_compare_run refuses it. */
og_status og_compare_truth_begin(og_compare_job *work, og_message *message);

/* Follow optimal play and all rows under it. */
og_status og_compare_truth_rows(const og_compare_job *work, og_message *message);

/* The same at all points of the grid. */
og_status og_compare_grid(og_compare_job *work, og_message *message);

/* Say of all rows why they lose. */
og_status og_compare_explain(const og_compare_job *work, og_message *message);

#endif
