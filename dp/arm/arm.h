#ifndef OG_DP_ARM_ARM_H
#define OG_DP_ARM_ARM_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/sources.h"
#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * An arm: the posterior process of one instance as a finite Markov reward
 * process, unrolled for at most `depth` labels. Nodes are posteriors. The engine
 * knows nothing else of an instance: other models are other arm builders.
 *
 * Nodes are numbered level by level: node 0 is the prior, level[n] is the first
 * node reached by n labels, level[depth + 1] == node_count. Nodes of the last
 * level have no reward and no outcomes: they cannot be labelled any more. All
 * arrays are owned by the arm and never change once it is built, so an arm may be
 * read by any number of threads. A node has the same number in arms of any depth, and
 * its reward and gains the same bits.
 *
 * Arms of two outcomes: the node after s positive and f negative labels is
 * level[s + f] + s; outcome 0 is a positive label, outcome 1 a negative one.
 * There `lattice` is true: outcome 0 of the s-th node of a level leads to the
 * (s+1)-th of the next, outcome 1 to the s-th.
 *
 * A node may offer several actions, each with its reward, its cost in whole units of the budget and
 * its outcomes: labels from sources with prices (dp/arm/sources.h). A level then counts units spent
 * and not labels, an action of cost c leads from level n to level n + c, and the last level is that
 * of `depth` units. Actions are numbered node by node; reward, probability and next are theirs. One
 * action of cost 1 at every node is the usual case: it has the node's number, action_first and cost
 * are NULL, and every function below that speaks of a node's label means it. Policies, bounds of
 * arms and exported play are made for that case; dp/product/layers.h says which reductions hold for
 * several actions.
 */
typedef struct og_arm og_arm;
typedef struct og_arm_builder og_arm_builder;
enum { OG_ARM_COST_MAX = 1000 };
struct og_arm {
    og_arena arena; /* of the arrays */
    int32_t depth;
    int32_t outcome_count; /* outcomes of one label, the same at every node */
    bool lattice;
    bool bandit; /* of OG_OBJECTIVE_BANDIT */
    bool
        paying; /* every label earns the prior's bonus beside: it is in the rewards, not in gains */
    bool rational; /* the og_arm_exact_* functions work */
    uint32_t node_count;
    const uint32_t *level;     /* [depth + 2] */
    const double *reward;      /* [actions] R >= 0: expected gain of one label; exactly 0 where
                                  theory says 0 */
    const double *probability; /* [actions * outcome_count]; 0: this outcome does not happen */
    const uint32_t *next; /* [actions * outcome_count] node of the next level, or cost-th next */
    const uint32_t *action_first; /* [level[depth] + 1] a node's first action; NULL: action n is the
                                     one of node n, actions == level[depth] */
    const int32_t *cost;          /* [actions] 1 .. OG_ARM_COST_MAX; NULL: 1 */
    uint64_t bytes;               /* of the arm's tables */
    double call; /* h of node 0: what a call without any label is expected to be worth: its chance
                    to be right, or by the payoff of the prior, of either sign then */
    /* Proved bounds: |stored - exact| <= bound * exact, for call, every reward, every probability.
     */
    double call_error;
    double reward_error;
    double probability_error;
    og_group prior;                /* as given, a Beta in plain form; its count means nothing */
    const og_arm_builder *builder; /* private, like the others (dp/arm/arm_builder.h) */
    struct og_arm_shared *shared;  /* with other arms, which hold it too; NULL: nothing */
    void *own;                     /* what the builder keeps for gains and exact values */
};

/*
 * Build the arm of one instance of `group` for at most `depth` labels. `memory_bytes` is a hard
 * limit: OG_NO_MEMORY with a message if the tables would pass it, or if there would be more than
 * 2^32 nodes. OG_BAD_INPUT if og_group_check refuses the group or depth is not in
 * 0 .. OG_BUDGET_MAX. OG_FAILED: dp/prior/beta.h says when.
 *
 * With a bonus the rewards are those without, plus the bonus, rounded once more.
 *
 * A Beta prior takes O(depth^2) time and memory, 32 bytes a node. call and every reward are the
 * exact values rounded to nearest (dp/prior/beta.h), probabilities depend on the posterior alone:
 * nodes that are equal as posteriors, and mirror images (a, b, d) ~ (b, a, 1 - d), have the same
 * bits, whichever priors they are reached from.
 *
 * A Dirichlet prior with C classes has binomial(depth + C, C) nodes of 8 + 12 C bytes and an
 * outcome for each class; a level holds all vectors of counts with its sum in dictionary order, the
 * first class's count growing slowest. Building it takes an integral of some 0.1 ms for each
 * multiset of parameters that a label can change, and memory for them (dp/prior/dirichlet.h), which
 * is counted; arms of a problem whose priors are posteriors of one prior have them in common
 * (dp/arm/arm_shared.h). call, rewards and gains are the exact values rounded to nearest,
 * probabilities too: permutations of a posterior have the same bits.
 */
og_status og_arm_new(const og_group *group, int32_t depth, uint64_t memory_bytes, og_arm **out,
                     og_message *message);

/*
 * The same for OG_OBJECTIVE_BANDIT: R is the probability of a positive label, correct as a
 * probability is; call is 0, a positive label gains 1 and a negative one 0. Every arm is rational.
 * OG_BAD_INPUT also for a threshold other than 1/2, which would say nothing, and for classes.
 */
og_status og_arm_new_bandit(const og_group *group, int32_t depth, uint64_t memory_bytes,
                            og_arm **out, og_message *message);

/*
 * The standard arm: a label earns `reward` > 0 and tells nothing, so that there is one node in each
 * level, and all of them are alike. Nothing is called. It stands for not labelling where labels
 * have a price: with price Z for each of T labels and leave to stop,
 *
 *   V = max E[sum of h - Z labels] = max E[sum of h + Z (T - labels)] - Z T,
 *
 * and Z (T - labels) is what the standard arm of reward Z earns when it is "labelled" in place of
 * every label that is not bought: one more instance, and all that holds of products of arms holds.
 * Waiting first and labelling later gives nothing that labelling first does not give.
 *
 * Where instance i has a price of its own, Z_i, let Z be the largest of them. Then
 *
 *   sum of h - sum of Z_i labels_i = sum of h + sum of (Z - Z_i) labels_i + Z (T - labels) - Z T,
 *
 * so each label of i earns the bonus Z - Z_i >= 0 beside what it gains, and the standard arm Z: a
 * product of arms with rewards >= 0 again. Stopping is optimal with fewer labels left where it is
 * with more, as V falls with T: so whoever waits, waits to the end.
 * OG_NO_MEMORY.
 */
og_status og_arm_new_standard(og_fraction reward, int32_t depth, og_arm **out);
bool og_arm_is_standard(const og_arm *arm);

void og_arm_free(og_arm *arm); /* NULL is fine */

/* Bytes a Beta arm of this depth would take (for limits and forecasts); saturates at UINT64_MAX. */
uint64_t og_arm_beta_bytes(int32_t depth);

/*
 * The gains h(next_k) - h(node) of every outcome: gain[node * outcome_count + k]
 * for the nodes below level[depth]. May be negative: sum_k p_k * gain_k = R >= 0, less the bonus.
 * Nodes that are equal as posteriors, or mirror images, get the same bits; other gains that are
 * equal in exact arithmetic may differ in their last bits.
 * `gain` is the caller's, [level[depth] * outcome_count].
 * |stored - exact| <= *error * |exact| for a gain of at least 2^-1022; smaller ones are off by at
 * most 2^-1074 as well, the smallest being 0. *error is the same whatever the depth. OG_NO_MEMORY
 * or OG_FAILED leave both undefined.
 */
og_status og_arm_gains(const og_arm *arm, double *gain, double *error);

/* The first action of a node, or the end of those of the node before; node <= level[depth]. */
static inline uint32_t og_arm_first_action(const og_arm *arm, uint32_t node)
{
    return arm->action_first == NULL ? node : arm->action_first[node];
}

static inline uint32_t og_arm_action_count(const og_arm *arm)
{
    return og_arm_first_action(arm, arm->level[arm->depth]);
}

/* The level a node is in: the largest n with level[n] <= node. */
int32_t og_arm_level(const og_arm *arm, uint32_t node);

/* The labels that lead to a node: counts[k] of outcome k, [outcome_count]. Beta: {s, f}. */
void og_arm_counts(const og_arm *arm, uint32_t node, int32_t *counts);

/* No reward of the arm is larger: of payoffs the most that a call can make a difference, else 1. */
double og_arm_scale(const og_arm *arm);

/* Is an instance called anything in the end? A bandit's is not. */
bool og_arm_has_calls(const og_arm *arm);

/* Is an instance in this node called positive: is P(soft label >= threshold) >= 1/2, or where the
 * payoff has it (dp/prior/payoff.h)? Decided exactly (dp/prior/beta.h); true at an exact tie, also
 * with undecided. For labels of two outcomes only. Takes O(log depth).
 */
bool og_arm_positive(const og_arm *arm, uint32_t node);

/*
 * What an instance in this node is called: the outcome of the labels that say so, 0 for positive
 * and 1 for negative, or OG_CALL_UNDECIDED; of several classes the one with the largest parameter,
 * the first of equal ones. Not for bandits.
 */
int32_t og_arm_called(const og_arm *arm, uint32_t node);

/* The prior, threshold and payoff the arm was built from; its count means nothing. */
const og_group *og_arm_prior(const og_arm *arm);

/* The same for an arm of OG_OBJECTIVE_CALLS with a Beta prior and no bonus; NULL for any other. */
const og_group *og_arm_group(const og_arm *arm);

/*
 * Of a mixture's arm: is the node after s positive and f negative labels the mirror image of the
 * one after f + *diagonal and s - *diagonal, wherever both exist? *diagonal is written if so. False
 * for arms of other kinds, whose posteriors tell.
 */
bool og_arm_mirror(const og_arm *arm, int32_t *diagonal);

/*
 * The posterior at a node as the prior's own exact numbers plus the counts, [outcome_count]:
 * Beta: parameter[0] = a + s, parameter[1] = b + f. Dirichlet: alpha + counts. Mixtures, whose
 * components all have the same labels: the counts alone.
 */
void og_arm_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter);

/*
 * Exact values, where arm->rational: integer a and b and a rational threshold with
 * (a + b + depth) * log2(denominator) at most 65536 (og_beta's OG_BETA_EXACT_BITS). The mpq is
 * initialised by the caller. `action` is below og_arm_action_count: a node below level[depth] where
 * nodes have one. Cost: a closed form in a handful of
 * products of (a + b + labels) * log2(denominator) bits; where a call flips, a sum of min(a, b)
 * terms by binary splitting. May be called by any number of threads.
 *
 * Dirichlet: whole parameters that with the labels add up to at most OG_DIRICHLET_EXACT_TOTAL
 * (dp/prior/dirichlet.h), at the cost stated there.
 */
void og_arm_exact_call(const og_arm *arm, mpq_t out);
void og_arm_exact_reward(const og_arm *arm, uint32_t action, mpq_t out);
void og_arm_exact_probability(const og_arm *arm, uint32_t action, int32_t outcome, mpq_t out);
void og_arm_exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out);

/*
 * The arms of a problem: one for each distinct prior, threshold and payoff, shared by all
 * the groups that have it. Node numbers that run over all arms, "global nodes",
 * are node_offset[arm] + node.
 */
typedef struct {
    og_arena arena; /* of the arrays below */
    int32_t budget; /* every arm's depth */
    int32_t arm_count;
    og_arm **arm;          /* [arm_count], owned */
    uint32_t *node_offset; /* [arm_count + 1]; the last is the number of global nodes */
    int32_t group_count;
    int32_t *arm_of_group; /* [group_count] */
    int64_t *group_size;   /* [group_count] instances in the group */
} og_arms;

/* Build the arms, distinct ones in parallel on `threads` threads. The result does not depend on it.
 */
og_status og_arms_new(const og_groups *problem, int threads, uint64_t memory_bytes, og_arms **out,
                      og_message *message);

/*
 * The same with labels that are bought from sources (dp/arm/sources.h); the budget counts units. A
 * group's Beta(a, b) says that an instance is positive with chance a / (a + b); OG_BAD_INPUT for
 * other kinds of priors and for thresholds.
 */
og_status og_arms_new_sources(const og_groups *problem, const og_sources *sources, int threads,
                              uint64_t memory_bytes, og_arms **out, og_message *message);

/*
 * The same with sources that depend on the group: those of group g are
 * sources[sources_of_group[g]], of sources[sources_count]. Groups have an arm in common if prior
 * and number of the sources are the same. Of the settings, which are filled in, it looks at
 * threads, memory_bytes and the watch: OG_STOPPED with a message where that says so.
 */
og_status og_arms_new_sources_of(const og_groups *problem, const og_sources *sources,
                                 int32_t sources_count, const int32_t *sources_of_group,
                                 const og_settings *settings, og_arms **out, og_message *message);

/*
 * The problem of group_count groups of group_size[g] instances of arm[arm_of_group[g]]; the arrays
 * are copied, the arms, all of this depth, are taken over if it is made. OG_NO_MEMORY, also for
 * more than 2^32 nodes.
 */
og_status og_arms_of(int32_t budget, og_arm *const *arm, int32_t arm_count, int32_t group_count,
                     const int32_t *arm_of_group, const int64_t *group_size, og_arms **out);

/* Would og_arms_new refuse to unroll these arms, which it made, for so many labels? As it does. */
og_status og_arms_check(const og_arms *arms, int32_t depth, uint64_t memory_bytes,
                        og_message *message);

/* These with one standard arm of this reward more, as the last group; `arms` is taken over if it is
 * made. OG_NO_MEMORY. */
og_status og_arms_add_standard(og_arms *arms, og_fraction reward, og_arms **out);

/* The same with another reward of the standard arm, which is the last: all other arms are borrowed.
 * To be freed by the second. OG_NO_MEMORY. */
og_status og_arms_with_standard(const og_arms *arms, og_fraction reward, og_arms **out);
void og_arms_with_standard_free(og_arms *arms); /* NULL is fine */

/* The arm of a global node. O(log arm_count). */
int32_t og_arms_arm_of(const og_arms *arms, uint32_t global_node);

/* The same with the threads, the memory limit and the watch of these settings: OG_STOPPED with a
 * message where it says so. */
og_status og_arms_new_for(const og_groups *problem, const og_settings *settings, og_arms **out,
                          og_message *message);

/* Instances of the problem; no more of each group than the budget can label; those of an arm. */
int64_t og_arms_instances(const og_arms *arms);
int64_t og_arms_capped(const og_arms *arms);
int64_t og_arms_copies(const og_arms *arms, int32_t arm);

/* The largest og_arm_scale of them. */
double og_arms_scale(const og_arms *arms);

/* Has a node of one of them several actions, or one that costs more than 1? */
bool og_arms_have_actions(const og_arms *arms);

/* Bytes of the arms' tables, for limits. */
uint64_t og_arms_bytes(const og_arms *arms);

/* Sum of h over all instances before any label: value = call + gain. *error: absolute, proved; may
 * be NULL. */
double og_arms_call(const og_arms *arms, double *error);

/* The same in fractions; false (out untouched) if an arm is not rational. */
bool og_arms_exact_call(const og_arms *arms, mpq_t out);

void og_arms_free(og_arms *arms);

#endif
