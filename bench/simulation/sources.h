#ifndef OG_BENCH_SIMULATION_SOURCES_H
#define OG_BENCH_SIMULATION_SOURCES_H

#include "bench/environment.h"
#include "bench/recorded/crowd.h"
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

/* The sources of runs that there are. */

/*
 * Independent instances. Metrics: correct calls as the posteriors expect them in the end, the sum
 * of h; calls that are really correct, soft label >= threshold. Under the priors the mean of both
 * is the policy's value, and the first varies less; under another truth the first is what the
 * posteriors wrongly believe. truth NULL: the priors.
 */
og_source og_source_independent(const og_groups *problem, const og_truth *truth);

/* The same where labels take time, and the budget is the number of workers
 * (dp/families/delayed.h); policies are those of heuristics/families/delayed_policy.h. Workers
 * arrive at the same times in a run, and the n-th takes as long, whatever the policy. */
og_source og_source_delayed(const og_groups *problem, const og_truth *truth, const og_delay *delay);

/* The same where labels have a deadline (dp/families/deadline.h), with a budget that
 * og_deadline_labels leaves as it is; policies are those of heuristics/families/deadline_policy.h,
 * and none of them sends a worker away. */
og_source og_source_deadline(const og_groups *in_time, const og_truth *truth,
                             const og_deadline *deadline);

/*
 * A ranking by comparisons. Metrics: the share of pairs in the order of the true scores, by the
 * strategy's own answer, twice; and OG_CALLED that by the exact posterior's, where few items are
 * compared so seldom that it takes a moment. What is counted of a run: comparisons by the distance
 * of the two in the true ranking, [items - 1], then of each worker.
 */
typedef struct {
    og_ranking_setting setting;
    int32_t budget;
    int32_t had; /* comparisons before: nothing can be drawn then */
    /* The exact side, made when it is asked for; OG_STOPPED where it takes too much. */
    og_status (*exact)(void *self, const og_ranking **out, og_message *message);
    void *self;
} og_ranking_problem;

enum { OG_RANKING_THREE_MAX = 60, OG_RANKING_FOUR_MAX = 12 }; /* comparisons of so many items */

og_source og_source_ranking(const og_ranking_problem *problem, const og_truth *truth);

/*
 * Recorded comparisons, drawn without replacement, in an order that is the same for all policies of
 * a run. Asked is a pair with rows not used, of which one is drawn; `crowd`: a pair and a worker.
 * Metrics: [at_count] shares of pairs in the order of the scores, then [at_count] the seconds of
 * processor time until then. OG_BAD_INPUT with a message: a budget beyond the rows there are.
 */
typedef struct {
    const og_pairs *pairs; /* borrowed, like the rest */
    double parameter;      /* of the Dirichlet, for every item */
    bool crowd;            /* workers are told apart, each with the prior */
    double worker[2];      /* mu, nu */
    const int32_t *at;     /* [at_count] budgets, ascending; the last is the whole */
    int32_t at_count;
} og_recorded_pairs;

og_source og_source_recorded_pairs(const og_recorded_pairs *recorded);

/*
 * Tasks whose labels workers are assigned to (heuristics/families/assignment_play.h). A label is
 * recorded, or drawn: by accuracies that are drawn for each run, the same whoever asks for it and
 * whenever. Metrics: [at_count] shares of the tasks with a truth that are called rightly, a coin
 * counting one half, then [at_count] seconds of processor time until then, then as many labels
 * given, of them those not given before, and of these those that are right; then shares if the
 * majority of its labels calls each task, and, where they are drawn, if the odds of those who gave
 * them do, which is the exact posterior for who knows accuracies; if the budget is one of a
 * problem's and not of `at`: OG_EXPECTED, OG_CORRECT of the share.
 */
typedef struct {
    og_assignment_setting setting; /* its arrays are borrowed, like the rest */
    const int8_t *truth; /* [tasks] +1, -1, 0 where it is not known; NULL: fair, in each run */
    const int8_t *label; /* [tasks * workers] all that `setting` says are there; NULL: drawn, by: */
    const og_assignment *problem; /* accuracies that are known, or their Betas; NULL: */
    og_crowd crowd;
    const int32_t *at; /* [at_count] budgets, ascending; NULL: the setting's alone */
    int32_t at_count;
} og_assignment_world;

og_source og_source_assignment(const og_assignment_world *world);

typedef enum {
    OG_FINAL_HALF,     /* an instance whose posterior is exactly at 1/2 counts half */
    OG_FINAL_POSITIVE, /* it is called positive, as everywhere else */
} og_final_ties;

/*
 * Recorded labels, drawn without replacement, in an order that is the same for all policies of a
 * run; an instance whose labels are used up leaves the choice. What a policy of independent
 * instances asks for is a label, whoever gives it: `hear` tells the worker.
 *
 * A policy that looks ahead knows that an instance cannot have more labels than are recorded: its
 * index is that of min(labels left, labels still recorded) labels. OG_BAD_INPUT for those that
 * value whole states, unless no instance can run out.
 *
 * At a price a policy stops where no index of an instance with labels left is above it; policies
 * are those of bench/simulation/priced.h, and uniform never stops.
 */
typedef struct {
    const og_labels *labels; /* borrowed, like the rest */
    const uint8_t *gold; /* [labels->task_count] as bench/recorded/gold.h; one is known at least */
    const og_group *prior; /* of every instance; Beta; its count means nothing */
    const int32_t *at;     /* [at_count] budgets at which accuracy is reported, ascending, 0 .. the
                              labels there are; the last is the whole budget T */
    int32_t at_count;
    og_final_ties final_ties;
    og_fraction price; /* of a label; 0 or all zeros: they are given */
} og_recorded;

/* Is more counted than accuracy: do labels have a price, or calls a payoff? */
bool og_recorded_scored(const og_recorded *recorded);

/* Metrics: [at_count] shares of the instances called as gold says, then [at_count] the seconds of
 * processor time until then; if it is scored, [at_count] labels that were bought, and [at_count]
 * what the calls of instances with gold are worth, correct ones or what they pay, less the prices
 * of all labels that were bought. OG_BAD_INPUT with a message: no instances, a prior that is no
 * Beta, a budget beyond the labels there are. */
og_source og_source_recorded(const og_recorded *recorded);

#endif
