#ifndef OG_BENCH_SIMULATION_SOURCES_H
#define OG_BENCH_SIMULATION_SOURCES_H

#include <stdio.h>

#include "bench/environment.h"
#include "bench/recorded/drawn_crowd.h"
#include "bench/recorded/events.h"
#include "bench/recorded/gold.h"
#include "bench/recorded/labels.h"
#include "bench/recorded/pairs.h"
#include "bench/truth.h"
#include "dp/families/assignment.h"
#include "dp/families/deadline.h"
#include "dp/families/delayed.h"
#include "dp/prior/problem.h"
#include "heuristics/families/assignment_play.h"
#include "heuristics/families/ranking_play.h"
#include "heuristics/families/workers_play.h"

/* All sources of runs. */

/*
 * Independent instances. Metrics: the correct calls that the final posteriors expect, which is the
 * sum of h; and the calls that are correct, where positive is correct if soft label >= threshold.
 * Under the priors the mean of both is the policy's value, and the first varies less. Under another
 * truth the first is what the posteriors wrongly expect. A NULL truth means the priors.
 */
og_source og_source_independent(const og_groups *problem, const og_truth *truth);

/* The same if labels take time; then the budget is the number of workers (dp/families/delayed.h);
 * policies are those of heuristics/families/delayed_policy.h. Within a run, workers arrive at the
 * same times and the n-th needs the same time for every policy. */
og_source og_source_delayed(const og_groups *problem, const og_truth *truth, const og_delay *delay);

/* The same if labels have a deadline (dp/families/deadline.h). The budget must be one that
 * og_deadline_labels does not reduce. Policies are those of heuristics/families/deadline_policy.h;
 * none of them sends a worker away. */
og_source og_source_deadline(const og_groups *in_time, const og_truth *truth,
                             const og_deadline *deadline);

/*
 * A ranking by comparisons. Metrics: the share of pairs in the order of the true scores according
 * to the strategy's own answer, twice; and OG_CALLED, the same according to the exact posterior,
 * only for few items and comparisons, so that it takes a moment. Counts of a run: comparisons by
 * the distance of the two in the true ranking, [items - 1], then by worker; then, of at most
 * OG_RANKING_COUNTED_MAX items, by pair of true ranks, (1, 2), (1, 3), .., (2, 3), ... Items of
 * equal scores are ranked in their order.
 */
typedef struct {
    og_ranking_setting setting;
    int32_t budget;
    int32_t had; /* earlier comparisons; if there are any, runs cannot be drawn */
    /* The exact posterior, computed when needed; OG_STOPPED if too large. */
    og_status (*exact)(void *self, const og_ranking **out, og_message *message);
    void *self;
} og_ranking_problem;

enum { OG_RANKING_COUNTED_MAX = 100 };

/* The number of counts; pairs are numbered by og_ranking_pair. */
static inline int64_t og_ranking_counted(int32_t items, int32_t workers)
{
    int64_t pairs = items <= OG_RANKING_COUNTED_MAX ? (int64_t)items * (items - 1) / 2 : 0;
    return items - 1 + workers + pairs;
}

enum { OG_RANKING_THREE_MAX = 60, OG_RANKING_FOUR_MAX = 12 }; /* most comparisons of 3, 4 items */

og_source og_source_ranking(const og_ranking_problem *problem, const og_truth *truth);

/*
 * Recorded comparisons, drawn without replacement, in an order that is the same for all policies of
 * a run. An act is a pair with unused rows, or with a prior of workers a pair and a worker; one of
 * these rows is drawn. Metrics: [at_count] shares of pairs in the order of the scores, then
 * [at_count] seconds of processor time so far. Counts as in og_source_ranking. OG_BAD_INPUT with a
 * message: a budget above the number of rows.
 */
typedef struct {
    const og_pairs *pairs; /* borrowed, like the rest */
    og_pairs_prior prior;  /* workers with a prior are distinguished */
    const int32_t *at;     /* [at_count] budgets, ascending; the last is the whole budget */
    int32_t at_count;
} og_recorded_pairs;

og_source og_source_recorded_pairs(const og_recorded_pairs *recorded);

/*
 * Tasks to which workers are assigned (heuristics/families/assignment_play.h). A label is recorded,
 * or drawn with accuracies that are drawn for each run; it is the same for every policy and at any
 * time. Metrics, each [at_count]: the share of correct calls among the tasks with a truth, where a
 * coin counts one half; seconds of processor time so far; labels given; those of them not given
 * before; and those of these that are right. Then the share if the majority of its labels calls
 * each task; and, for drawn labels, the share if the odds of the workers call it, which is the
 * exact posterior with known accuracies. If the budget is the problem's, without `at`: OG_EXPECTED
 * and OG_CORRECT of the share.
 */
typedef struct {
    og_assignment_setting setting; /* its arrays are borrowed, like the rest */
    const int8_t *truth; /* [tasks] as labels, 0 if unknown; NULL: drawn fairly in each run, of
                            two classes */
    const int8_t *label; /* [tasks * workers] all labels that exist according to `setting`; NULL:
                            drawn, with */
    const og_assignment *problem; /* these accuracies, or their Betas; NULL: */
    og_drawn_crowd crowd;
    const int32_t *at; /* [at_count] budgets, ascending; NULL: only the setting's */
    int32_t at_count;
    const og_labels *labels; /* names of recorded tasks and workers, for results; NULL: none */
} og_assignment_world;

og_source og_source_assignment(const og_assignment_world *world);

typedef enum {
    OG_FINAL_HALF,     /* an instance with posterior exactly 1/2 counts half */
    OG_FINAL_POSITIVE, /* it is called positive, as elsewhere */
} og_final_ties;

/*
 * Workers of unknown reliability (heuristics/families/workers_play.h), of any number. Soft labels
 * and reliabilities are drawn from the truth in each run, and labels from them; a pair that is
 * asked again answers independently. Or labels are recorded: a pair then gives its recorded labels,
 * one each time, and cannot be asked without one.
 *
 * Metrics: for drawn labels OG_EXPECTED, the correct calls, and OG_CORRECT, the same; then in any
 * case the blocks below, each [at_count]. A call is right if it is positive and the soft label is
 * at least 1/2, or as gold says. Counts: labels of each instance, then of each worker.
 */
enum { OG_WORKERS_TOTALS = 2 };
enum {
    OG_WORKERS_ACCURACY, /* share of correct calls */
    OG_WORKERS_SECONDS,  /* of processor time so far */
    OG_WORKERS_BELIEVED, /* the mean of h; 0 for kos */
    OG_WORKERS_REPEATS,  /* labels of pairs that had been asked before */
    OG_WORKERS_MAJORITY, /* share if majorities of the labels make the calls; a tie counts half */
    OG_WORKERS_METRICS,
};

typedef struct {
    og_workers_setting setting; /* its arrays are borrowed, like the rest */
    const og_truth *truth;      /* of drawn labels; NULL: the priors, unless the source has one */
    const og_labels *labels;    /* recorded, of two classes; NULL: drawn */
    const uint8_t *gold;        /* [instances] as in bench/recorded/gold.h; one is known */
    bool shuffled;              /* labels of a pair, and of kos, come in random order, not the
                                   file's */
    og_final_ties final_ties;
    const int32_t *at; /* [at_count >= 1] budgets, ascending; the last is the whole budget */
    int32_t at_count;
    FILE
        *trace; /* gets a line for each label of the first run (og_family.runs.trace); NULL: none */
} og_workers_world;

og_source og_source_workers(const og_workers_world *world);

/*
 * Recorded labels, drawn without replacement, in an order that is the same for all policies of a
 * run; an instance without unused labels cannot be chosen. Policies of independent instances ask
 * for a label without naming a worker: `hear` returns the worker.
 *
 * A policy that looks ahead takes into account that an instance has only its recorded labels: its
 * index is for min(labels left, recorded labels left) labels. OG_BAD_INPUT for policies that
 * evaluate whole states, unless no instance can run out of labels.
 *
 * With a price a policy stops if no index of an instance with labels left is above it. Policies are
 * those of heuristics/prices.h; uniform never stops.
 */
typedef struct {
    const og_labels *labels; /* borrowed, like the rest */
    const uint8_t *gold;     /* [labels->task_count] as in bench/recorded/gold.h; at least one is
                                known */
    const og_group *prior;   /* of every instance; Beta; its count is ignored */
    const int32_t *at; /* [at_count] budgets at which accuracy is reported, ascending, from 0 to
                          the number of labels; the last is the whole budget T */
    int32_t at_count;
    og_final_ties final_ties;
    og_fraction price; /* of a label; 0 or all zeros: labels are free */
} og_recorded;

/*
 * Recorded labels that take time [Hu and Frazier, section 7.2]. Each run draws its tasks, without
 * replacement, from those with gold that are not held out. Workers arrive and end as for
 * og_source_delayed; a worker who has arrived is given a task at once, one that has fewer labels,
 * including those under way, than are recorded, and is lost if there is none. A label that ends is
 * the task's next recorded one. The run is over when no worker is to come and no label under way.
 *
 * Or the order of events is given: no times are drawn, and labels that it does not end never come.
 *
 * Policies are indices of one task, which see the labels that came; hu-frazier also sees the
 * workers at work and those to come, and that a task has only its recorded labels. With thompson
 * and ucb1-tuned as in bench/simulation/chance.h. Others are OG_BAD_INPUT with a message.
 */
typedef struct {
    const og_labels *labels; /* borrowed, like the rest; of two classes */
    const uint8_t *gold;     /* [labels->task_count] as in bench/recorded/gold.h */
    const og_group *prior;   /* of every task; Beta; its count is ignored */
    const bool *held;        /* [labels->task_count] held out; NULL: none */
    const og_delay *delay;
    int32_t workers; /* U */
    int32_t tasks;   /* drawn for each run, >= 1 */
    bool in_order;   /* labels of a task come as in the file; false: in random order */
    og_final_ties final_ties;
    const og_arrival_event *event; /* [event_count] the same in every run; U of them are arrivals;
                                      NULL: drawn */
    int64_t event_count;
    FILE *trace; /* gets a line, under OG_DELAYED_TRACE, for each event of the first run; NULL */
} og_recorded_delayed;

#define OG_DELAYED_TRACE "step\tpolicy\tevent\ttask\tworker\tlabel\tscore\ttied\tat_work\ta\tb\n"

/* Metrics of a run. OG_BAD_INPUT from a run whose events end a label that is not under way. */
enum {
    OG_DELAYED_ACCURACY, /* share of calls that equal gold */
    OG_DELAYED_SECONDS,
    OG_DELAYED_BELIEVED, /* the mean of h */
    OG_DELAYED_LABELS,   /* that came */
    OG_DELAYED_METRICS,
};

og_source og_source_recorded_delayed(const og_recorded_delayed *recorded);

/* True if labels have a price or calls a payoff, so that there is a score in addition to
 * accuracy. */
bool og_recorded_scored(const og_recorded *recorded);

/* Metrics: [at_count] shares of instances whose call equals gold, then [at_count] seconds of
 * processor time so far. With a score also [at_count] labels bought, and [at_count] the worth of
 * the calls of instances with gold (correct calls, or payoff) less the prices of all labels bought.
 * OG_BAD_INPUT with a message: no instances, a prior that is not a Beta, or a budget above the
 * number of labels. */
og_source og_source_recorded(const og_recorded *recorded);

#endif
