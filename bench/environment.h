#ifndef OG_BENCH_ENVIRONMENT_H
#define OG_BENCH_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/engine/strategy.h"
#include "heuristics/policy.h"

/*
 * Where policies are played: runs drawn from a prior or from a stated truth, or recorded labels in
 * random orders. Random numbers have addresses (bench/random.h): in one run all policies
 * meet the same soft labels, and the n-th answer about an instance is the same whoever asks for it.
 *
 * An environment belongs to one thread. `begin`, then `hear` until it is false, `open`, `step` and
 * again, until nothing is open; then `score`. No result depends on which environment played what.
 */
typedef struct {
    void *self;
    int32_t open_max; /* room that `open` needs */
    /* Draw a run, run < 2^56; the same one again is rewound. labels: [instances] has the
     * labels added that each is given, by the time of `score`; NULL: not counted. */
    void (*begin)(void *self, uint64_t seed, uint64_t run, uint64_t *labels);
    const void *(*state)(void *self); /* what a strategy is shown: an og_state where instances are
                                         independent */
    /* What can be done, as strategies know it: part[0] its place in the state, or arm, node and
     * workers at work where labels take time. *number tells this decision from all others
     * of the run, for random ties. 0: the run is over. */
    int32_t (*open)(void *self, og_open *open, uint32_t *number);
    /* Do the j-th, in the order the instances were given, of what was open and is tied; copies
     * count, and there are more than j of them. */
    void (*step)(void *self, const bool *tied, int64_t j);
    /* Answers before the next decision, late ones too, one by one: part[0] the instance, part[1]
     * the worker where he is known; the answer is the outcome of the label, 0 a positive one. */
    bool (*hear)(void *self, og_act *act, int32_t *answer);
    /* Are final decisions looked at now that all was heard? Then the strategy's own,
     * [decision_count] as og_strategy.decide, NULL where it has none. NULL: nobody looks at them.
     */
    bool (*due)(void *self);
    void (*decided)(void *self, const double *decision);
    int32_t decision_count;
    void (*score)(void *self, double *metric); /* [metric_count] */
    /* A whole run that has begun; often faster than og_environment_loop, with the same scores. */
    og_status (*play)(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message);
    void (*free)(void *self);
} og_environment;

/*
 * Play a run that has begun by asking the strategy at every decision. ties: OG_TIES_RANDOM or
 * OG_TIES_FIRST; where the answers are weights, OG_TIES_FIRST takes the first instance of what is
 * drawn. OG_NO_MEMORY, or as `choose` says.
 */
og_status og_environment_loop(const og_environment *environment, const og_strategy *by,
                              og_ties ties, uint64_t seed, uint64_t run, double *metric,
                              og_message *message);

/* What the environments of all threads share, and strategies made for them. */
typedef struct {
    void *self;
    int64_t instances;    /* whose labels can be counted */
    int32_t metric_count; /* [0] is what a policy's value is of */
    int32_t block_runs;   /* whose means are formed before blocks are merged; a thread takes as many
                             at once. 0: each run by itself, all in one block */
    double prior;         /* of metric 0 without any label; it is scored as a gain to this */
    double prior_error;   /* proved, like the rest */
    double size;          /* no metric is larger */
    double gain_max;      /* no gain is larger */
    double run_error;     /* rounding of one run's metrics */
    /* What a metric is a share of: it lies between 0 and this. 0: of nothing, or it is the same in
     * all runs. NULL: no metric is a share. */
    double (*whole)(const void *self, int32_t metric);
    double all_labels; /* of metric 0 with all answers there are; NAN if there is no end to them */
    /* OG_BAD_INPUT: cannot be played here; OG_STOPPED, OG_NO_MEMORY: takes too much. With a
     * message.
     */
    og_status (*strategy)(void *self, const og_policy_name *policy, og_strategy *out,
                          og_message *message);
    og_status (*environment)(void *self, og_environment *out);
    void (*free)(void *self);
} og_environments;

/* What is spent on them. */
typedef struct {
    int threads; /* > 0 */
    uint64_t memory_bytes;
    double index_seconds_max; /* 0: any */
    int32_t policy_count;     /* that will be made */
    const og_ranks *ranks;    /* of that policy, if it is one and they are there; else NULL */
    int32_t first_depth;      /* labels of one instance that tables are made for at first, where
                                 they grow; no run depends on it. 0: as is best */
    uint64_t count_bytes;     /* that the caller takes for each instance */
    og_watch *watch;          /* of solvers inside policies */
    void *watch_user;
} og_environment_use;

/* Where runs come from: borrows everything. */
typedef struct og_source og_source;
struct og_source {
    og_status (*open)(const og_source *source, const og_environment_use *use, og_environments *out,
                      og_message *message);
    const void *problem, *truth, *delay; /* as `open` takes them */
    const og_fraction *price;            /* of a label, the largest; NULL: they have none */
};

/* Metrics of drawn runs; the last of a ranking alone. */
enum { OG_EXPECTED, OG_CORRECT, OG_CALLED };

#endif
