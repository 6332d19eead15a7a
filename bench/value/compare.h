#ifndef OG_BENCH_VALUE_COMPARE_H
#define OG_BENCH_VALUE_COMPARE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/estimate.h"
#include "bench/family.h"
#include "bench/limit.h"
#include "bench/value/bounds.h"
#include "bench/value/explain.h"
#include "bench/value/informed.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"
#include "dp/product/characteristics.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/exact_bound.h"
#include "heuristics/policy.h"

/*
 * The main job: the optimum of a problem, the exact value of policies on it and
 * upper bounds, side by side.
 */

/*
 * The order is: the optimum; bounds; policies; then once more policies that the time was too short
 * for. So whatever ends the work, all that was proved by then stands. With a time limit the optimum
 * gets half of it. Of what the bounds leave, exact values of policies get five eighths, shared
 * alike among those still to be valued, and simulation the rest, with as many runs as there is time
 * for; an exact value that the time was too short for is tried again in what is left then. The time
 * is looked at between bounds and about ten times a second while states are valued; tables of arms
 * and a bound that was begun are finished first.
 */
typedef struct {
    const og_family *family;
    const void *problem;            /* of the family; borrowed, like the rest */
    const og_policy_name *policies; /* [policy_count] */
    int32_t policy_count;
    const og_ties *ties; /* [ties_count] every policy is valued under each of them */
    int32_t ties_count;
    /*
     * threads >= 1, memory_bytes > 0. checkpoint is the optimum's; one that is there already is
     * read before anything else, so that a wrong one is refused at once. watch is called from one
     * thread at a time, for the optimum and for the policies that the calling thread values.
     */
    og_settings settings;
    /*
     * Values, gaps and Lagrangian bounds as fractions (dp/exact/exact.h). The arms must be
     * rational, and there is no checkpoint: else OG_BAD_INPUT.
     */
    bool exact;
    /* Say why each policy loses (bench/value/explain.h), where the optimum is known and the family
     * can tell: last, with what time is left and with policy_states_max again. */
    bool explain;
    /* Also follow optimal play and each policy where soft labels are these, which nobody knows
     * (bench/value/compare_truth.c); NULL: no. OG_BAD_INPUT where that is not known. */
    const og_truth *truth;
    /* Or under each of these, lists [grid_count] of a soft label for each instance; 0: no. */
    const og_truth *grid;
    int32_t grid_count;
    /* Or: policies believe in this Beta of every instance, whose threshold is its own, while labels
     * fall as the problem says. NULL: no, as where there is a truth. */
    const og_group *believed;
    const char *truth_text; /* either as given */
    /* Most states of one policy's valuation, and expanded for the optimum; 0: any number. */
    uint64_t policy_states_max, optimum_states_max;
    double index_seconds_max; /* for policies that are simulated, as in og_simulate_request */
    /*
     * How often policies are played that cannot be valued exactly, by their nature or within the
     * limits; ties random and first only. 0: never.
     */
    int64_t runs;
    uint64_t seed;
    double seconds_max; /* for the whole call; 0: any time */
    /* The problem was opened for its runs only (og_given), as there was no time for its tables:
     * what is known without them is told, with no truth, belief or explanation. */
    bool without_tables;
    /* True ends the work; called from all threads at once; may be NULL. */
    bool (*interrupted)(void *user);
    /* Told what begins, from the calling thread; may be NULL. */
    void (*progress)(void *user, const char *stage);
    void *user;
} og_compare_request;

/* What play comes to under a truth, or with a wrong belief. */
typedef struct {
    bool known; /* else message says why not, or limit where time ended it */
    og_characteristics found;
    og_message message;
    og_limit limit;
} og_compare_truth;

/* The same in short, at one point of a grid. */
typedef struct {
    bool known;
    double mean, error, variance; /* of correct decisions, or positive labels */
} og_compare_point;

/* One policy under one tie rule. */
typedef struct {
    int32_t policy; /* index into the request's policies */
    og_ties ties;
    og_status status; /* OG_OK; OG_STOPPED or OG_NO_MEMORY: not valued, and message says why */
    og_message message;
    og_limit limit;
    /*
     * OG_OK and simulated: the policy was played so many times. result.value and .gain are the
     * estimate's mean, error_bound half its interval; limit says why it was not valued exactly.
     */
    bool simulated;
    bool beyond; /* as og_strategy.beyond: a gap may be negative, and it proves no optimum */
    int64_t runs;
    og_estimate estimate;
    og_result result;
    og_labels_bought labels; /* where they have a price */
    uint64_t tolerance_ties; /* see og_ranks */
    double called_value;     /* see og_valued; NAN: the same as the value */
    /* Exact only: as `result`, and its gap where the optimum is known too. */
    mpq_t value_exact;
    mpq_t gain_exact;
    mpq_t gap_exact;
    /*
     * Where the optimum is known too: optimal gain minus this gain, 0 where rounding alone made
     * it negative; exact within gap_error. Percentages of the optimal value and of the optimal
     * gain; where that gain is 0 the latter is 0 if the gap is within its error, else NAN.
     */
    double gap;
    double gap_error;
    double gap_percent;
    double gain_lost_percent;
    /*
     * Proved whether or not the optimum is known, from the best upper bound; rounded to nearest.
     * The percentages are those of a problem whose optimum is as large as it can be: they grow
     * with it; but the share of the gain falls with it where a policy pays for more than it gains,
     * and is then that of the least optimum, NAN where this may gain nothing.
     */
    double gap_most;
    double gap_most_percent;
    double gain_lost_most_percent;
    bool explained; /* the explanation is there; else explain_message says why not, if it was asked
                       for, or explain_limit where time ended it */
    og_explanation explanation;
    og_message explain_message;
    og_limit explain_limit;
    og_compare_truth truth; /* if it was asked for */
} og_compare_row;

typedef struct {
    /* The limits of states, OG_STATES_USUAL being a number now. */
    uint64_t policy_states_max, optimum_states_max;
    bool exact; /* as requested; else no mpq_t here is initialised. Doubles are then fractions
                   rounded, and their errors that rounding only */
    mpq_t call_exact;
    mpq_t optimal_exact; /* this and the next with optimal_status OG_OK */
    mpq_t gain_exact;
    double call; /* expected number of correct calls without any label */
    double call_error;
    og_status optimal_status;   /* OG_OK; OG_STOPPED or OG_NO_MEMORY: a limit was reached */
    og_message optimal_message; /* with OG_OK: a warning, or empty */
    og_limit optimal_limit;
    og_result optimal;
    og_labels_bought optimal_labels; /* where they have a price */
    og_compare_point *grid; /* [grid_count][row_count + 1] the rows, and last the optimum's play */
    og_compare_truth optimal_truth; /* of one that labels one of those that tie at random */
    og_informed informed;           /* under the truth, or with the belief; not of a grid */
    int32_t row_count; /* policy_count * ties_count, policies in order, tie rules within */
    og_compare_row *rows;
    og_bounds bounds;  /* those there was time for */
    int64_t instances; /* that are called; 0: not known */
    double most;       /* that their calls can be worth: a bound where there is no other */
    double lower;      /* proved: lower <= optimal value <= upper, errors included */
    double upper;
    int32_t lower_row; /* the row behind `lower`; -1: the optimum itself, or no label at all */
    /* `lower` is the lower end of a simulated policy's 95 % interval, because no exact value is as
     * large: all else here is proved, this is likely. */
    bool lower_simulated;
} og_comparison;

/*
 * Fill *out; free it with og_comparison_clear. Returns OG_OK also when a limit was reached on the
 * optimum or on a row: their statuses say so, and the rest holds. On any other error *out is
 * untouched. OG_FAILED with a message if what was computed contradicts itself (a policy above the
 * optimum, the optimum above a bound, an explanation that does not add up to the gap, beyond their
 * proved errors): then nothing can be trusted.
 *
 * Rows are valued in parallel, one thread each, sharing the memory limit; a row that did not fit in
 * its share is valued again alone. Where neither time nor memory is short, the result does not
 * depend on the number of threads.
 */
og_status og_compare_run(const og_compare_request *request, og_comparison *out,
                         og_message *message);

/*
 * The last step of og_compare_run: from call, optimal, rows (status and result) and the bounds,
 * check that they agree, and fill the gaps and the bracket. OG_FAILED as og_compare_run.
 */
og_status og_comparison_conclude(og_comparison *comparison, og_message *message);

/* The losses of all decisions must add up to the gap. OG_FAILED as og_compare_run. */
og_status og_comparison_check_explanation(const og_compare_row *row, og_message *message);

void og_comparison_clear(og_comparison *comparison); /* a zeroed one is fine */

#endif
