#ifndef OG_DP_FAMILIES_DELAYED_H
#define OG_DP_FAMILIES_DELAYED_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/solution.h"
#include "dp/families/delayed_layers.h"

/*
 * Labels that take time [Hu and Frazier, "Bayes-optimal effort allocation in crowdsourcing: bounds
 * and index policies", sections 3 and 4; no deadline]: workers arrive at a rate, U in all. Each is
 * given one instance at once, takes an exponential time, and then labels it. So others are at work
 * at the next decision, and no decision is made when one of them ends.
 *
 * The state is the multiset of (node, workers at work) of all instances and the m workers still to
 * come, in one of two kinds: at an arrival, where the worker is given an instance, and between
 * events, where the next event is an arrival or an end at random. In gain form every label counts
 * when it is ordered: with H(x, w) the expected h after w more labels,
 *
 *   arrival: A_m(S) = max over z of  D(z) + G_{m-1}(S with one more at work at z),
 *            D(x, w) = H(x, w + 1) - H(x, w) >= 0
 *   between: q G_m(S) = arrival_rate A_m(S)
 *                       + sum over x of service_rate w_x sum_k p_k G_m(S, x -> k),
 *            q = arrival_rate + service_rate * (all at work),   G_0 = 0,
 *
 * and the value is sum h + G_U: once the last worker is placed the rest is sum H, which these gains
 * are. Ends need no separate term, since H is a martingale.
 *
 * Reductions (OG_REDUCE_* of dp/product/solve.h), each exact. SORT: a multiset. MERGE: classes of
 * dp/families/delayed_layers.h; changes within a class are not events. For the optimum instances
 * that can gain nothing are dropped: their ends change nothing else, and a worker given to one
 * could be given to another instance and the label be ignored. CAP, for the optimum: of equal
 * instances without workers at work at most m can ever be given a worker. FORCE and BOUND have no
 * effect here.
 */
typedef struct {
    og_fraction arrival_rate; /* of workers; > 0 */
    og_fraction service_rate; /* of one worker at work; > 0 */
    /* [arm_count] the most labels of one instance of each arm, 0 .. the arm's depth, as for
     * recorded labels; borrowed. NULL: U. Indices and bounds support it, og_delayed_model does not.
     */
    const int32_t *most;
} og_delay;

#define OG_RATE_MIN 1e-6
#define OG_RATE_MAX 1e6

/* OG_BAD_INPUT with a message unless both are within OG_RATE_MIN .. OG_RATE_MAX. */
og_status og_delay_check(const og_delay *delay, og_message *message);

/*
 * The data that a policy sees (og_model.state): the workers still to come. An act is an instance:
 * its arm, its node and the workers at work on it. Without OG_REDUCE_MERGE this holds for every act
 * of every state, an answer is the outcome of the label that such an instance gets, and instances
 * are shown.
 */
typedef struct {
    og_delayed_instance instance;
    uint32_t copies;
} og_delayed_item;

enum {
    OG_DELAYED_NOBODY = -1
}; /* part[0] of the act of an event without an answer (OG_ANSWER_NONE): the next worker arrives */

typedef struct {
    int32_t left;                /* >= 1 for a policy */
    bool arrival;                /* a worker has arrived and must be given an instance */
    int32_t count;               /* 0: instances are not shown, or no worker is to come any more */
    const og_delayed_item *item; /* [count] */
} og_delayed_state;

/*
 * The model of the problem for a question, whose policy it applies itself. The policy must be an
 * index of each instance alone, whatever other acts are open: `choose` is called for every (arm,
 * node, at work), ties are equal answers, and beliefs and tolerances are not supported. U is the
 * arms' budget. Ties OG_TIES_FIRST keep the instances' order. Values are gains.
 *
 * Errors are proved: every gain has a few roundings for each rate and probability; up to 2 U
 * arrivals and ends may follow each other; every sum has positive terms.
 *
 * Borrows the arms; og_model_free frees the rest. OG_STOPPED with a message if a state cannot be
 * written as a key, OG_NO_MEMORY if the tables exceed memory_bytes, OG_BAD_INPUT for the delay or a
 * policy that is not an index.
 */
og_status og_delayed_model(const og_arms *arms, const og_delay *delay,
                           const og_value_asked *question, uint64_t memory_bytes, og_model *out,
                           og_message *message);

#endif
