#ifndef OG_BENCH_ENVIRONMENT_H
#define OG_BENCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/document.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/engine/strategy.h"
#include "heuristics/policy.h"

/*
 * Simulates policies: runs drawn from a prior or from a stated truth, or recorded labels in random
 * order. Random numbers have addresses (bench/random.h). So in one run all policies meet the same
 * soft labels, and the n-th answer about an instance is the same for every policy.
 *
 * An environment belongs to one thread. Call `begin`; then repeat `hear` until it returns false,
 * `open` and `step`, until nothing is open; then call `score`. Results do not depend on how runs
 * are divided among environments.
 */
typedef struct {
    void *self;
    int32_t open_max; /* the largest number of acts that `open` writes */
    /* Start a run, run < 2^56; the same number restarts the same run. `labels`: [instances]; when
     * `score` is called the number of labels that each instance received is added to it. NULL means
     * that labels are not counted. */
    void (*begin)(void *self, uint64_t seed, uint64_t run, uint64_t *labels);
    const void *(*state)(void *self); /* for strategies: an og_state if instances are independent */
    /* List the acts, as strategies take them: part[0] is the place in the state; if labels take
     * time, the parts are arm, node and workers at work. *number is different for each decision of
     * the run and is used to break ties at random. Returns the count; 0 means that the run is
     * over. */
    int32_t (*open)(void *self, og_act_open *open, uint32_t *number);
    /* Take the j-th of the open acts that are tied, in the given order of the instances. Copies
     * count, and there are more than j of them. */
    void (*step)(void *self, const bool *tied, int64_t j);
    /* Return the answers that arrive before the next decision, one a call, late ones included;
     * false if no more. part[0] is the instance and part[1] the worker, if known. The answer is the
     * outcome of the label; 0 is positive. NULL: the state shows all answers. */
    bool (*hear)(void *self, og_act *act, int32_t *answer);
    /* `due` is true if the environment wants the final calls now, after all answers. Then, and
     * where the strategy stops, `decided` takes the strategy's own calls, [decision_count] as in
     * og_strategy.decide, or NULL if the strategy has none. A NULL `due` means never. */
    bool (*due)(void *self);
    void (*decided)(void *self, const double *decision);
    int32_t decision_count;
    void (*score)(void *self, double *metric); /* [metric_count] */
    /* The labels that the run just played used; NULL: not counted. */
    int64_t (*used)(void *self);
    /* Play a whole run that has begun, faster than og_environment_loop and with the same scores.
     * NULL: there is no faster way. */
    og_status (*play)(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message);
    /* Describe what the run that was just played with this strategy concluded: tables of rows and
     * totals (bench/simulation/concluded.h). OG_NO_MEMORY, OG_FAILED. NULL: not supported. */
    og_status (*result)(void *self, const og_strategy *by, og_document *object,
                        og_message *message);
    void (*free)(void *self);
} og_environment;

/* For loops over the labels of a run: OG_STOPPED if the strategy's stop ends it; looks at every
 * 64th label. */
static inline og_status og_run_status(const og_strategy *by, int64_t label)
{
    return label % 64 == 0 && og_stop_asked(by->stop) ? OG_STOPPED : OG_OK;
}

/*
 * Play a run that has begun by asking the strategy at every decision, until it stops. ties:
 * OG_TIES_RANDOM or OG_TIES_FIRST; if the answers are weights, OG_TIES_FIRST takes the first
 * instance of the act that was drawn. Returns OG_NO_MEMORY or the errors of `choose`.
 */
og_status og_environment_loop(const og_environment *environment, const og_strategy *by,
                              og_ties ties, uint64_t seed, uint64_t run, double *metric,
                              og_message *message);

/* Data shared by the environments of all threads, and the strategies made for them. */
typedef struct {
    void *self;
    int64_t instances;    /* number of instances whose labels are counted */
    int32_t metric_count; /* metric [0] is the one that values are about */
    int32_t totals;       /* metrics before those of a curve; 0: no curve is supported */
    int32_t block_runs; /* runs of a block: means are computed for each block, then merged; a thread
                           takes a block at a time. 0: every run singly, all in one block */
    double prior;       /* metric 0 without any label; its score is the gain over this */
    double prior_error; /* proved error bound, like those below */
    double size;        /* no metric is larger */
    double gain_max;    /* no gain is larger */
    double run_error;   /* rounding of one run's metrics */
    /* The total of which a metric is a share: it lies between 0 and this. 0 means that it is not a
     * share, or is the same in all runs of this policy. NULL means that no metric is a share. */
    double (*whole)(const void *self, const og_policy_name *policy, int32_t metric);
    double all_labels; /* metric 0 with all answers; NAN if their number is not limited */
    /* OG_BAD_INPUT: the policy cannot be simulated here. OG_STOPPED, OG_NO_MEMORY: it needs too
     * much time or memory. Each with a message. */
    og_status (*strategy)(void *self, const og_policy_name *policy, og_strategy *out,
                          og_message *message);
    og_status (*environment)(void *self, og_environment *out);
    void (*free)(void *self);
} og_environments;

/* Resources for the environments. */
typedef struct {
    int threads; /* > 0 */
    uint64_t memory_bytes;
    double index_seconds_max; /* 0: any */
    int32_t policy_count;     /* number of policies to come */
    uint64_t count_bytes;     /* memory that the caller uses for each instance */
    og_stop *stop;            /* of the solvers inside policies; NULL: none */
} og_environment_use;

/* The source of runs. It borrows everything. */
typedef struct og_source og_source;
struct og_source {
    og_status (*open)(const og_source *source, const og_environment_use *use, og_environments *out,
                      og_message *message);
    const void *problem, *truth, *delay; /* as `open` takes them */
    const struct og_family *family;      /* likewise */
    const og_fraction *price; /* the largest price of a label; NULL: labels have no price */
    const int32_t *at; /* [at_count] budgets of a curve, ascending, the last one the whole budget;
                          only with og_family.runs.curves. NULL: none */
    int32_t at_count;
    FILE *trace; /* gets the labels of the first run; only as `at`. NULL: none */
    /* Ranks of the only policy, built before for the same problem and not by asking a function;
     * then they are not built again. NULL: none. */
    const og_ranks *ranks;
    int32_t first_depth; /* if tables grow: the number of labels of an instance that they hold at
                            first. Runs do not depend on it. 0: automatic */
    bool rows_may_fail;  /* a policy that cannot be simulated, or fails, gives a row with the
                            reason; if false it ends the call, and only limits give such rows */
};

/* Metrics of drawn runs; only rankings have the last. Then, for a curve, the share of correct calls
 * at each budget; workers have more (bench/simulation/sources.h). */
enum { OG_EXPECTED, OG_CORRECT, OG_CALLED };

#endif
