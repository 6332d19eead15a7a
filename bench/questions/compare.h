#ifndef OG_BENCH_QUESTIONS_COMPARE_H
#define OG_BENCH_QUESTIONS_COMPARE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"
#include "bench/estimate.h"
#include "bench/questions/bounds.h"
#include "bench/questions/explain.h"
#include "bench/questions/truth_value.h"
#include "dp/base/limit.h"
#include "dp/product/characteristics.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bound.h"

/*
 * The main computation: the optimum of a problem, the exact values of policies, and upper bounds,
 * compared.
 */

/*
 * The order is: the optimum; bounds; policies; then again the policies that ran out of time. So
 * everything proved before a limit remains valid. With a time limit the optimum gets half of the
 * time. Of the time after the bounds, exact values of policies get five eighths, divided equally
 * among the policies not yet evaluated, those that solve a problem in each state last; their
 * indices are made in the same way. Simulation gets the rest, with as many runs as there is
 * time for. An exact value that ran out of time is then tried again in the time left. The time is
 * checked between bounds, and about ten times a second while states are evaluated; tables of arms
 * and a bound that has begun are finished first.
 *
 * settings.checkpoint is for the optimum; an existing one is read before anything else, so that a
 * wrong one is refused at once. The stop gets the name of each stage, and progress of the optimum
 * and of the policies that the calling thread evaluates. Explanations come last, in the time left,
 * with policy_states_max as a separate limit.
 */

/* What generates the labels, if not the problem's prior, which the policies assume: what the
 * request's truth and believe say. All borrowed; zeroed: the prior. */
typedef struct {
    /* Also evaluate the optimal policy and each policy when these are the true soft labels, unknown
     * to the policies (bench/questions/compare_truth.c); NULL: no. OG_BAD_INPUT if not supported.
     */
    const og_truth *truth;
    /* Or under each of these truths, [grid_count] lists of a soft label for each instance; 0:
     * no. */
    const og_truth *grid;
    int32_t grid_count;
    /* Or: policies assume this Beta prior for every instance (each keeps its threshold), and labels
     * follow the problem's own priors. NULL: no; always NULL with a truth. */
    const og_group *believed;
} og_compare_under;

/* Its text, as given. */
static inline const char *og_compare_under_text(const og_asked *asked)
{
    return asked->request.believe != NULL ? asked->request.believe : asked->request.truth;
}

/* Results of play under a truth, or with a wrong belief. */
typedef struct {
    bool known; /* else message gives the reason, or limit if time ran out */
    og_characteristics found;
    og_message message;
    og_limit limit;
} og_compare_truth;

/* A summary of the same at one point of a grid. */
typedef struct {
    bool known;
    double mean, error, variance; /* of correct calls, or positive labels */
} og_compare_point;

/*
 * What a policy loses at the same number of labels: `gain` is the largest of all policies with at
 * most as many expected labels, drawn ones included, proved from above; `gap` that less the
 * policy's own gain, within `error`; `labels` the fewest expected labels of a policy that gains as
 * much (in doubles less by several errors), at most labels_error too few; at `price`, the best
 * policy is one that needs as many labels. With `exact`, the fractions, which are exact if the
 * errors are 0 but for rounding.
 */
typedef struct {
    bool known;
    double gain, gap, error, labels, labels_error, price;
    mpq_t value_exact, gap_exact, labels_exact; /* with `exact` only */
} og_compare_equal;

/* One policy under one tie rule. */
typedef struct {
    int32_t policy; /* index into the request's policies */
    og_ties ties;
    og_status status; /* OG_OK; OG_STOPPED or OG_NO_MEMORY: no value, and message gives the
                         reason */
    og_message message;
    og_limit limit;
    /*
     * With OG_OK and simulated: the policy was simulated with so many runs. result.value and .gain
     * are the estimate's mean, error_bound half its interval; limit is the reason why there is no
     * exact value.
     */
    bool simulated;
    bool beyond; /* as og_strategy.beyond: its gap may be negative, and its value is not a lower
                    bound of the optimum */
    int64_t runs;
    og_estimate estimate;
    og_result result;
    og_labels_paid labels;   /* if the family counts them */
    og_compare_equal equal;  /* if a policy of the comparison stops early */
    uint64_t tolerance_ties; /* see og_ranks */
    double called_value;     /* see og_valued; NAN: the same as the value */
    /* With `exact` only: as in `result`, and the gap if the optimum is known. */
    mpq_t value_exact;
    mpq_t gain_exact;
    mpq_t gap_exact;
    mpq_t labels_exact; /* if labels.exact */
    double *law; /* [budget + 1] probability of so many labels, if law_known; owned. NULL: not asked
                  * for */
    bool law_known;
    /*
     * If the optimum is known: optimal gain minus this gain, 0 if only rounding made it negative;
     * its error is at most gap_error. The percentages are of the optimal value and of the optimal
     * gain. If the optimal gain is 0, gain_lost_percent is 0 if the gap is within its error, else
     * NAN.
     */
    double gap;
    double gap_error;
    double gap_percent;
    double gain_lost_percent;
    /*
     * Proved from the best upper bound, whether or not the optimum is known; rounded to nearest.
     * The percentages assume the largest possible optimum, because they grow with it. One
     * exception: if a policy pays more than it gains, its share of the gain falls as the optimum
     * grows. Then the least possible optimum is used; NAN if that may have no gain.
     */
    double gap_most;
    double gap_most_percent;
    double gain_lost_most_percent;
    bool explained; /* the explanation is complete; else explain_message gives the reason, if it was
                       requested, or explain_limit if time ran out */
    og_explanation explanation;
    og_message explain_message;
    og_limit explain_limit;
    og_compare_truth truth; /* if requested */
} og_compare_row;

typedef struct {
    og_compare_under under;
    /* The limits of states, with a number in place of OG_STATES_USUAL. */
    uint64_t policy_states_max, optimum_states_max;
    bool exact; /* as requested. If false, no mpq_t here is initialised. If true, doubles are
                   rounded fractions, and their errors are of rounding only */
    mpq_t call_exact;
    mpq_t optimal_exact; /* this and the next: if optimal_status is OG_OK */
    mpq_t gain_exact;
    double call; /* expected number of correct calls without any label */
    double call_error;
    og_status optimal_status;   /* OG_OK; OG_STOPPED or OG_NO_MEMORY: a limit was reached */
    og_message optimal_message; /* with OG_OK: a warning, or empty */
    og_limit optimal_limit;
    og_result optimal;
    og_labels_paid optimal_labels; /* if labels have a price */
    og_compare_point *grid; /* [grid_count][row_count + 1] the rows, and last the optimal policy */
    og_compare_truth optimal_truth; /* of the optimal policy that breaks ties at random */
    og_truth_value informed;        /* under the truth, or with the belief; not for a grid */
    int32_t prices_solved;          /* for `equal` of all rows */
    int32_t row_count; /* policy_count * ties_count, policies in order, tie rules within */
    og_compare_row *rows;
    og_bounds bounds; /* those computed in time */
    bool sum;     /* the value is a sum of amounts of either sign, of at most the next in size */
    double most;  /* the most that all calls can be worth, the bound if there is no other; INFINITY:
                     unknown */
    bool losses;  /* all labels are used, and the value without labels is not a bound */
    double lower; /* proved: lower <= optimal value <= upper, errors included */
    double upper;
    int32_t lower_row; /* the row that gave `lower`; -1: the optimum itself, or the value without
                          labels */
    bool lower_margin; /* instead: LOWER of a margin cut (dp/product/margin/) */
    /* `lower` is the lower end of a simulated policy's 95 % interval, because no exact value is as
     * large. It holds with that confidence; everything else here is proved. */
    bool lower_simulated;
} og_comparison;

/*
 * Fill *out; free it with og_comparison_clear. Returns OG_OK even if a limit was reached on the
 * optimum or on a row: their statuses show it, and the rest is valid. On any other error *out is
 * untouched. OG_FAILED with a message if results contradict each other beyond their proved errors:
 * a policy above the optimum, the optimum above a bound, or an explanation that does not add up to
 * the gap. Then no result can be trusted.
 *
 * Rows are evaluated in parallel, one thread each, and share the memory limit. A row that did not
 * fit in its share is evaluated again alone. If time and memory suffice, the result does not depend
 * on the number of threads.
 */
og_status og_compare_run(const og_asked *asked, const og_compare_under *under, og_comparison *out,
                         og_message *message); /* under: NULL for the prior */

/*
 * The last step of og_compare_run: check that call, optimal, rows (status and result) and the
 * bounds agree, then fill in the gaps and the bracket. OG_FAILED as og_compare_run.
 */
og_status og_comparison_conclude(og_comparison *comparison, og_message *message);

/* Check that the losses of all decisions add up to the gap. OG_FAILED as og_compare_run. */
og_status og_comparison_check_explanation(const og_compare_row *row, og_message *message);

void og_comparison_clear(og_comparison *comparison); /* a zeroed one is fine */

#endif
