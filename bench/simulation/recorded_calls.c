/* Final calls of recorded labels, and what a run concluded about tasks and workers. */
#include "bench/simulation/recorded_calls.h"

#include <stdlib.h>

#include "bench/recorded/standing.h"

/* The outcomes with the largest parameter share the call equally. */
static void share_call(const og_fraction *parameter, int32_t count, double *call)
{
    int32_t best = 0, tied = 0;
    for (int32_t k = 1; k < count; k++) {
        best = og_fraction_compare(parameter[k], parameter[best]) > 0 ? k : best;
    }
    for (int32_t k = 0; k < count; k++) {
        tied += og_fraction_compare(parameter[k], parameter[best]) == 0;
    }
    for (int32_t k = 0; k < count; k++) {
        call[k] = og_fraction_compare(parameter[k], parameter[best]) == 0 ? 1.0 / tied : 0;
    }
}

/* True if both calls are equally good when both sides are equally likely. */
static bool shares_ties(const og_recorded *from)
{
    const og_fraction half = {1, 2};
    const og_group *prior = from->prior;
    const og_payoff *payoff = &prior->payoff;
    bool even = og_payoff_is_even(payoff) && og_payoff_call_count(payoff) == 2;
    return from->final_ties == OG_FINAL_HALF &&
           (prior->kind == OG_PRIOR_DIRICHLET ||
            (even && og_fraction_compare(prior->threshold, half) == 0));
}

/* The worth of calls of two classes with these parts; the rest is undecided. */
static void find_pay(const og_payoff *payoff, const double call[2], double pay[2])
{
    double undecided = 1 - call[0] - call[1];
    for (int truth = 0; truth < 2; truth++) {
        pay[truth] = call[0] * og_payoff_worth(payoff, OG_CALL_POSITIVE, truth) +
                     call[1] * og_payoff_worth(payoff, OG_CALL_NEGATIVE, truth);
        if (undecided > 0) {
            pay[truth] += undecided * og_payoff_worth(payoff, OG_CALL_UNDECIDED, truth);
        }
    }
}

/* A worth that is not of calls is the same whatever the truth. */
static og_status fill_worths(const og_arm *arm, double *pay)
{
    size_t outcomes = (size_t)arm->outcome_count;
    double *worth = calloc(arm->node_count, sizeof *worth);
    OG_TRY(OG_ALLOCATED(worth));
    og_status status = og_standing_rights(arm, worth);
    for (size_t i = 0; status == OG_OK && i < arm->node_count * outcomes; i++) {
        pay[i] = worth[i / outcomes];
    }
    free(worth);
    return status;
}

og_status og_recorded_calls(const og_recorded *from, const og_arm *arm, double **call, double **pay)
{
    const og_group *prior = from->prior;
    bool shares = shares_ties(from);
    size_t outcomes = (size_t)arm->outcome_count;
    *call = calloc(arm->node_count * outcomes, sizeof **call);
    OG_TRY(OG_ALLOCATED(*call));
    if (prior->payoff.given) {
        *pay = calloc(arm->node_count * outcomes, sizeof **pay);
        OG_TRY(OG_ALLOCATED(*pay));
    }
    bool named = og_payoff_name(&prior->payoff) != NULL;
    if (named) {
        OG_TRY(fill_worths(arm, *pay));
    }
    for (uint32_t node = 0; node < arm->node_count; node++) {
        og_fraction parameter[OG_CLASSES_MAX];
        double *of_node = *call + node * outcomes;
        og_arm_posterior(arm, node, parameter);
        if (shares) {
            share_call(parameter, arm->outcome_count, of_node);
        } else if (og_arm_called(arm, node) < arm->outcome_count) {
            of_node[og_arm_called(arm, node)] = 1;
        } /* otherwise undecided */
        if (*pay != NULL && !named) {
            find_pay(&prior->payoff, of_node, *pay + node * outcomes);
        }
    }
    return OG_OK;
}

/* ---- what a run concluded ---- */

/* The outcome that is called; a call that is shared is a tie. */
static int32_t outcome_of(const double *call, int32_t outcomes)
{
    double sum = 0;
    for (int32_t k = 0; k < outcomes; k++) {
        if (call[k] == 1) {
            return k;
        }
        sum += call[k];
    }
    return sum > 0 ? OG_CONCLUDED_TIE : OG_CONCLUDED_UNDECIDED;
}

static void put_tasks(const og_recorded *from, const og_arm *arm, const double *call,
                      const uint32_t *node, const double *right, const og_concluded *found,
                      og_document *object)
{
    const char *name = from->prior->payoff.given ? "payoff" : "probability";
    int32_t outcomes = arm->outcome_count;
    og_concluded_totals totals = {0};
    og_document *rows = og_put_array(object, "tasks");
    for (uint32_t i = 0; i < from->labels->task_count; i++) {
        og_fraction parameter[OG_CLASSES_MAX];
        double value[OG_CLASSES_MAX];
        const double *called = &call[node[i] * (size_t)outcomes];
        int32_t outcome = outcome_of(called, outcomes);
        uint8_t gold = from->gold[i];
        int32_t truth = gold == OG_GOLD_NONE ? 0 : outcomes == 2 ? 1 - gold : gold;
        og_document *row = og_concluded_put_task(rows, found, i);
        og_arm_posterior(arm, node[i], parameter);
        for (int32_t k = 0; k < outcomes; k++) {
            value[k] = og_fraction_double(parameter[k]);
        }
        og_concluded_put_call(row, found, outcome);
        og_put_number(row, name, right[node[i]]);
        og_put_numbers(row, "posterior", value, outcomes);
        og_concluded_count(&totals, found, outcome, gold, called[truth]);
        totals.expected += right[node[i]];
    }
    og_concluded_put_totals(object, found, &totals, true);
}

og_status og_recorded_conclude(const og_recorded *from, const og_arm *arm, const double *call,
                               const uint32_t *node, og_concluded *found, og_document *object)
{
    double *right = og_arena_array(&found->arena, arm->node_count, sizeof *right);
    uint32_t *order;
    OG_TRY(OG_ALLOCATED(right));
    OG_TRY(og_standing_rights(arm, right));
    og_concluded_compare(found);
    OG_TRY(og_concluded_order(found, NULL, &order));
    put_tasks(from, arm, call, node, right, found, object);
    og_document *rows = from->labels->worker != NULL ? og_put_array(object, "workers") : NULL;
    for (uint32_t k = 0; rows != NULL && k < from->labels->worker_count; k++) {
        og_concluded_put_worker(rows, found, order[k]);
    }
    return OG_OK;
}
