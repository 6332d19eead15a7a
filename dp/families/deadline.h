#ifndef OG_DP_FAMILIES_DEADLINE_H
#define OG_DP_FAMILIES_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/engine/model.h"
#include "dp/engine/solution.h"

/*
 * Labels that take time, with a deadline, in slots of time: the finite horizon of [Hu and Frazier,
 * "Bayes-optimal effort allocation in crowdsourcing: bounds and index policies", section 3] in
 * slots 1 .. D. In every slot, in this order:
 *
 * 1. A worker arrives with probability `arrival`, and after m of them in this slot one more with
 *    probability `another[m - 1]`, up to `at_once`.
 * 2. A worker that arrives is given one instance at once, before it is known whether another one
 *    arrives, until there have been T workers (`turn_away`: or is sent away, which uses up none of
 *    the T).
 * 3. Every label that is under way, including new ones, completes the next of its `phases` with
 *    probability `advance`, independently; after the last phase it has arrived and is seen.
 *
 * advance 1 is a service of exactly `phases` slots, phases 1 a geometric one, and both together a
 * negative binomial, the discrete Erlang distribution. Labels that have not arrived at the end of
 * slot D are lost (`late`: they count, but no decision uses them). Then every instance is called.
 *
 * The state is the multiset of (node, its labels under way by phases to go) of all instances, the
 * slots and the labels left, and the number of workers that have arrived in this slot. The number
 * of labels left is limited to the workers that can still arrive early enough for one label to
 * arrive. A label with more phases to go than slots is dropped. In gain form a label counts when it
 * arrives, with R of its node then. Let p_m be the probability that one more worker arrives after m
 * in a slot, p_at_once = 0:
 *
 *   START:  G(s, m, r, S) = p_m WORKER(s, m, r, S) + (1 - p_m) MOVE(s, r, S)
 *   WORKER: max over instances of G(s, m + 1, r - 1, S with one more under way there)
 *   MOVE:   one label after the other, a chance node each; after the last G(s - 1, 0, r, .), 0 for
 *           s = 1
 *
 * and the value is sum h + G(D, 0, min(T, workers in time), .). R >= 0, so every sum has positive
 * terms. In batches a label counts when it is ordered, unless in fractions, since the labels of the
 * last batch need not be seen then: with w labels of x under way it is worth
 *
 *   D(x, 0) = R(x),   D(x, w) = sum_k p_k(x) D(next_k(x), w - 1).
 *
 * Reductions (OG_REDUCE_* of dp/product/solve.h), each exact. SORT: a multiset. MERGE: an instance
 * with w labels under way and r left gets at most r + w more. So nodes that are equivalent for so
 * many labels (dp/product/layers.h) and have the same labels under way are merged. Dead ones are
 * dropped, because a worker given to one of them could be given to any other, and the label be
 * ignored. CAP: of equal instances with nothing under way at most r are ever given a worker. A
 * policy needs names: for policies and for readers of states, nodes are not merged. BOUND: an act
 * of batches orders many labels at once, and is skipped by its bound
 * (dp/families/deadline_orders.h); only if nodes are merged. FORCE has no effect here.
 */
enum {
    OG_DEADLINE_SLOTS_MAX = 10000,
    OG_DEADLINE_AT_ONCE_MAX = 8,
    OG_DEADLINE_BATCH_MAX = 32767,
    OG_DEADLINE_CODE_BITS = 32 /* largest size of the labels under way at an instance */
};

typedef struct {
    int32_t slots;       /* D, 1 .. OG_DEADLINE_SLOTS_MAX */
    og_fraction arrival; /* of the first worker in a slot; 0 < arrival <= 1 */
    int32_t phases;      /* of a label, >= 1 */
    og_fraction advance; /* of a label through its phase in a slot; 0 < advance <= 1 */
    bool turn_away;
    bool late;
    bool counted_away; /* a worker may be sent away as one of the T: useful only for one instance
                        * alone (dp/families/deadline_alone.h) */
    int32_t at_once;   /* largest number of workers in a slot, 1 .. OG_DEADLINE_AT_ONCE_MAX; 0
                        * counts as 1 */
    og_fraction another[OG_DEADLINE_AT_ONCE_MAX - 1]; /* [at_once - 1] 0 < another <= 1 */
    bool batches; /* of og_deadline_batches: `arrival` is 1, also of each further worker */
} og_deadline;

/*
 * Labels in batches: B are ordered at once, the last time the rest of them, and none of them is
 * seen before all have arrived; an instance may get several labels of a batch. This is a slot for
 * each batch, in which B workers arrive and every label of theirs. With B = 1 it is labelling one
 * by one, with B all labels a fixed design.
 */
og_deadline og_deadline_batches(int32_t batch, int32_t labels);

static inline int32_t og_deadline_at_once(const og_deadline *deadline)
{
    return deadline->at_once > 1 ? deadline->at_once : 1;
}

/* The probability of one more worker in a slot in which `come` have arrived; 0 .. at_once - 1. */
static inline og_fraction og_deadline_arrival(const og_deadline *deadline, int32_t come)
{
    return come == 0 || deadline->batches ? deadline->arrival : deadline->another[come - 1];
}

/* The number of labels, of a budget of `labels`, that can be ordered early enough to arrive in
 * time. */
int32_t og_deadline_labels(const og_deadline *deadline, int32_t labels);

/* The same with so many slots left, including the current one, in which `come` workers have
 * arrived. */
int32_t og_deadline_labels_left(const og_deadline *deadline, int32_t slots, int32_t come,
                                int32_t labels);

/*
 * OG_BAD_INPUT with a message if a number is out of its range, or the labels that can be under way
 * at an instance do not fit into 32 bits. They take phases times the bits for the number of labels
 * in one phase, which is at most that of a slot if advance is 1, else that of all labels in time.
 */
og_status og_deadline_check(const og_deadline *deadline, int32_t labels, og_message *message);

/*
 * Labels under way at one instance: a number of some bits for each phase; the lowest bits count
 * labels with one phase to go.
 */
static inline int32_t og_deadline_bits(const og_deadline *deadline, int32_t labels)
{
    int32_t bits = 1, most = labels, at_once = og_deadline_at_once(deadline);
    if (deadline->advance.num == deadline->advance.den && at_once < most) {
        most = at_once;
    }
    while (most >> bits > 0) {
        bits++;
    }
    return bits;
}

/*
 * The data that a policy sees (og_model.state). An act is an instance: its arm, its node and its
 * labels under way, as above; or, with turn_away, OG_DEADLINE_AWAY in place of the arm. An answer
 * is the outcome of a label of such an instance. If there is no answer (OG_ANSWER_NONE), part[0] of
 * the act is OG_DEADLINE_NOBODY and part[1] an og_deadline_event.
 */
typedef struct {
    int32_t arm;
    uint32_t node;
    uint32_t under_way;
    uint32_t copies;
} og_deadline_item;

typedef enum { OG_DEADLINE_START, OG_DEADLINE_WORKER, OG_DEADLINE_MOVE } og_deadline_kind;

typedef struct {
    int32_t left;  /* labels that can still be ordered in time; >= 1 for a policy */
    int32_t slots; /* left, including the current one; 0 while `late` labels arrive */
    int32_t come;  /* workers in this slot before the current one */
    og_deadline_kind kind;
    int32_t count;             /* 0: instances are not shown */
    const void *model, *items; /* private */
} og_deadline_state;

/* Item i of a state that the model shows. */
og_deadline_item og_deadline_item_at(const og_deadline_state *state, int32_t i);

typedef enum {
    OG_DEADLINE_COMES, /* a worker */
    OG_DEADLINE_NONE_COMES,
    OG_DEADLINE_GIVEN, /* or sent away */
    OG_DEADLINE_STAYS, /* a label remains in its phase */
    OG_DEADLINE_GOES_ON,
    OG_DEADLINE_ARRIVES, /* a label, in a slot in which that was not certain */
    OG_DEADLINE_IS_DUE,  /* a label, certainly */
} og_deadline_event;

enum { OG_DEADLINE_NOBODY = -1 };

/* The act of sending a worker away: its number follows all arms. */
static inline og_act og_deadline_away(const og_arms *arms)
{
    return (og_act){{(uint32_t)arms->arm_count, 0, 0}};
}

/*
 * The model of the problem for a question, whose policy dp/engine/belief.h follows; it supports any
 * strategy. T is the arms' budget, which og_deadline_labels must not reduce. Ties OG_TIES_FIRST
 * keep the instances' order. Values are gains.
 *
 * Errors are proved: every gain has a few roundings for each slot and for each label that moves in
 * it, and every sum has positive terms.
 *
 * With question->fractions (the arms must be rational) classes are not merged, and the model has
 * fractions. Borrows the arms; og_model_free frees the rest. OG_STOPPED with a message if a state
 * cannot be written as a key or the tables exceed memory_bytes; OG_BAD_INPUT as og_deadline_check.
 */
og_status og_deadline_model(const og_arms *arms, const og_deadline *deadline,
                            const og_value_asked *question, uint64_t memory_bytes, og_model *out,
                            og_message *message);

/* ---- private to dp/families/ ---- */

/* The meaning of an outcome of the expansion just filled, and its label: its arm and node, and its
 * answer when it arrives. Only if classes are not merged. */
typedef struct {
    const og_arms *arms;         /* of the model */
    const og_deadline *deadline; /* of the model */
    og_deadline_event event;
    int32_t come; /* workers in this slot before it */
    int32_t arm;
    uint32_t node;
    int32_t answer;
} og_deadline_step;
og_deadline_step og_deadline_step_of(const void *self, const og_expansion *x,
                                     const og_outcome *outcome);
og_status og_deadline_prior_exact(const void *self, mpq_t out);
extern const og_model_exact og_deadline_exact; /* of the model, if classes are not merged */

#endif
