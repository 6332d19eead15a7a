#ifndef OG_DP_FAMILIES_DELAYED_H
#define OG_DP_FAMILIES_DELAYED_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/families/delayed_layers.h"

/*
 * Labels that take time [Hu and Frazier, "Bayes-optimal effort allocation in crowdsourcing: bounds
 * and index policies", sections 3 and 4; no deadline]: workers arrive at a rate, U in all; each is
 * given one instance at once, takes an exponential time, and then labels it. So others are at work
 * when the next decision is due, and nothing is decided when one of them ends.
 *
 * The state is the multiset of (node, workers at work) of all instances and the m workers still to
 * come, in one of two kinds: at an arrival, where the worker is given an instance, and between
 * events, where chance says whether the next is an arrival or an end. In gain form every label
 * counts when it is ordered: with H(x, w) the expected h after w more labels,
 *
 *   arrival: A_m(S) = max over z of  D(z) + G_{m-1}(S with one more at work at z),
 *            D(x, w) = H(x, w + 1) - H(x, w) >= 0
 *   between: q G_m(S) = arrival_rate A_m(S) + sum over x of service_rate w_x sum_k p_k G_m(S, x ->
 * k), q = arrival_rate + service_rate * (all at work),   G_0 = 0,
 *
 * and the value is sum h + G_U: once the last worker is placed the rest is sum H, which these gains
 * are. Ends need no term of their own, since H is a martingale.
 *
 * Reductions (OG_REDUCE_* of dp/product/solve.h), each exact. SORT: a multiset. MERGE: classes of
 * dp/families/delayed_layers.h; what happens within a class is not an event. For the optimum what
 * can earn nothing is dropped: its ends move nothing else, and a worker given to it could be given
 * to another instance and his label be ignored. CAP, for the optimum: of instances alike at which
 * nothing happens by itself at most m can ever be given a worker. FORCE and BOUND mean nothing
 * here.
 */
typedef struct {
    og_fraction arrival_rate; /* of workers; > 0 */
    og_fraction service_rate; /* of one worker at work; > 0 */
} og_delay;

#define OG_RATE_MIN 1e-6
#define OG_RATE_MAX 1e6

/* OG_BAD_INPUT with a message unless both are within OG_RATE_MIN .. OG_RATE_MAX. */
og_status og_delay_check(const og_delay *delay, og_message *message);

/* What a delayed problem is to be valued for. */
typedef struct {
    og_delayed_rank *rank; /* of the policy; NULL: the optimum */
    const void *rank_self;
    og_ties ties;          /* of the policy */
    unsigned reductions;   /* OG_REDUCE_*; a policy's order of ties keeps the instances' order */
    uint64_t memory_bytes; /* for tables */
} og_delayed_use;

typedef struct {
    const og_arms *arms; /* borrowed */
    double arrival_rate, service_rate;
    bool optimum;
    og_ties ties;
    bool ordered, drop, cap;
    int32_t pairs_max; /* most (class, copies) pairs of a state */
    int32_t key_words_max;
    og_delayed_layers *layers; /* owned */
} og_delayed;

/* U is the arms' budget. OG_STOPPED with a message if a state could not be written as a key,
 * OG_NO_MEMORY if the tables do not fit, OG_BAD_INPUT for the delay. */
og_status og_delayed_init(og_delayed *problem, const og_arms *arms, const og_delay *delay,
                          const og_delayed_use *use, og_message *message);
void og_delayed_clear(og_delayed *problem); /* a zeroed one is fine */

/* The model; it borrows the problem. Its values are gains. */
og_model og_delayed_model(const og_delayed *problem);

/*
 * The key of the start, at the first arrival, [key_words_max]; with group >= 0 of what follows when
 * the worker is given to an instance of that group, *reward being what that earns. Returns the
 * number of words; 0: nothing is left to gain. OG_NO_MEMORY for scratch.
 */
og_status og_delayed_key(const og_delayed *problem, int32_t group, uint64_t *key, int32_t *words,
                         double *reward);

/*
 * Proved: |computed - exact| <= this * exact for every gain of the model. Rates and probabilities
 * are right to a few roundings each; an arrival and an end may follow each other 2 U times; every
 * sum is of positive terms.
 */
double og_delayed_relative_error(const og_delayed *problem);

uint64_t og_delayed_bytes(const og_delayed *problem); /* of the tables, arms included */

/* The optimum, or the policy's value, as og_solver_value; no checkpoint. */
og_status og_delayed_value(const og_delayed *problem, const og_settings *settings,
                           og_result *result, og_message *message);

/* As og_solver_q: the first worker is given to an instance of each group. */
og_status og_delayed_q(const og_delayed *problem, const og_settings *settings, double *q,
                       double *error, og_message *message);

#endif
