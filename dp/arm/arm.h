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
 * An arm: the posterior process of one instance as a finite Markov reward process, unrolled for at
 * most `depth` labels. Nodes are posteriors. The engine uses no other data of an instance, so other
 * models are other arm builders.
 *
 * Nodes are numbered level by level: node 0 is the prior, level[n] is the first node reached by n
 * labels, level[depth + 1] == node_count. Nodes of the last level have no reward and no outcomes:
 * they cannot be labelled any more. The arm owns all arrays, which never change once it is built,
 * so any number of threads may read it. A node has the same number in arms of any depth, and its
 * reward and gains have the same bits.
 *
 * Arms of two outcomes: the node after s positive and f negative labels is level[s + f] + s;
 * outcome 0 is a positive label, outcome 1 a negative one. There `lattice` is true: outcome 0 of
 * the s-th node of a level leads to the (s+1)-th of the next, outcome 1 to the s-th.
 *
 * A node may offer several actions, each with its reward, its cost in whole units of the budget and
 * its outcomes: labels from sources with prices (dp/arm/sources.h). A level then counts units
 * spent, not labels; an action of cost c leads from level n to level n + c; and the last level is
 * that of `depth` units. Actions are numbered node by node; `reward`, `probability` and `next`
 * belong to actions.
 *
 * One action of cost 1 at every node is the usual case: it has the node's number, action_first and
 * cost are NULL, and "a node's label" in every function below means it. Policies, bounds of arms
 * and exported play require that case; dp/product/layers.h lists the reductions that hold for
 * several actions.
 */
typedef struct og_arm og_arm;
typedef struct og_arm_builder og_arm_builder;
enum { OG_ARM_COST_MAX = 1000 };
struct og_arm {
    og_arena arena; /* of the arrays */
    int32_t depth;
    int32_t outcome_count; /* number of outcomes of one label, the same at every node */
    bool lattice;
    bool rising;   /* an outcome of a later node of a level leads to a later node: of classes, whose
                      dictionary order one more label keeps; false: perhaps */
    bool bandit;   /* of OG_OBJECTIVE_BANDIT */
    bool paying;   /* every label earns the prior's bonus: included in rewards, not in gains */
    bool rational; /* the og_arm_exact_* functions work */
    uint32_t node_count;
    const uint32_t *level;     /* [depth + 2] */
    const double *reward;      /* [actions] R >= 0: expected gain of one label; exactly 0 if it is 0
                                * in theory */
    const double *probability; /* [actions * outcome_count]; 0: this outcome is impossible */
    const uint32_t *next; /* [actions * outcome_count] node of the next level, or cost-th next */
    const uint32_t *action_first; /* [level[depth] + 1] a node's first action; NULL: action n
                                   * belongs to node n, actions == level[depth] */
    const int32_t *cost;          /* [actions] 1 .. OG_ARM_COST_MAX; NULL: 1 */
    uint64_t bytes;               /* of the arm's tables */
    double call; /* h of node 0: the worth without any label: the probability that the call is right
                  * or, with a payoff, a value of either sign */
    /* Proved bounds: |stored - exact| <= bound * exact, for call, every reward, every probability;
     * for rewards of a worth that has a name, or 2^-1022 (dp/prior/worth.h). */
    double call_error;
    double reward_error;
    double probability_error;
    og_group prior;                /* as given, a Beta in plain form; its count is ignored */
    const og_arm_builder *builder; /* private, like the others (dp/arm/arm_builder.h) */
    struct og_arm_shared *shared;  /* with other arms, which also hold it; NULL: nothing shared */
    void *own;                     /* the builder's data for gains and exact values */
};

/*
 * Builds the arm of one instance of `group` for at most `depth` labels. `memory_bytes` is a hard
 * limit: OG_NO_MEMORY with a message if the tables would exceed it, or if there would be more than
 * 2^32 nodes. OG_BAD_INPUT if og_group_check refuses the group or depth is not in 0 ..
 * OG_BUDGET_MAX. OG_FAILED in the cases of dp/prior/beta.h.
 *
 * A bonus is added to the rewards, with one more rounding.
 *
 * A Beta prior takes O(depth^2) time and memory, 32 bytes a node. The call and every reward are the
 * exact values rounded to nearest (dp/prior/beta.h), and probabilities depend on the posterior
 * alone. So nodes that are equal as posteriors, and mirror images (a, b, d) ~ (b, a, 1 - d), have
 * the same bits, whatever their priors.
 *
 * A payoff that is not of calls has a reward at every node. A list of values must have those of all
 * nodes, else OG_FAILED; its rewards with the bonus must not be negative in a problem's arms.
 *
 * A Dirichlet prior with C classes has binomial(depth + C, C) nodes of 8 + 12 C bytes and an
 * outcome for each class. A level holds all vectors of counts with its sum in dictionary order, the
 * first class's count growing slowest. Building it takes an integral of some 0.1 ms for each
 * multiset of parameters that a label can change, and memory for these (dp/prior/dirichlet.h),
 * which is counted. Arms of a problem whose priors are posteriors of one prior share them
 * (dp/arm/arm_shared.h). The call, rewards, gains and probabilities are the exact values rounded to
 * nearest: permutations of a posterior have the same bits.
 *
 * A table of nodes has the table's nodes of each level, and 8 + 12 C bytes a node, where C is the
 * most outcomes of a node. The call, h of the root, rewards, gains and probabilities are the exact
 * values rounded to nearest; OG_FAILED if one is not 0 and below the normal doubles. Rewards with
 * the bonus must not be negative (og_group_least_reward).
 */
og_status og_arm_new(const og_group *group, int32_t depth, uint64_t memory_bytes, og_arm **out,
                     og_message *message);

/*
 * The same for OG_OBJECTIVE_BANDIT: R is the probability of a positive label, as accurate as a
 * probability; call is 0, a positive label gains 1 and a negative one 0. Every arm is rational.
 * OG_BAD_INPUT also for a threshold other than 1/2, which has no meaning here, and for classes.
 */
og_status og_arm_new_bandit(const og_group *group, int32_t depth, uint64_t memory_bytes,
                            og_arm **out, og_message *message);

/*
 * The standard arm: a label earns `reward` > 0 and gives no information, so each level has one
 * node, and all nodes are alike. It has no calls. It represents not labelling if labels have a
 * price: with price Z for each of T labels and the option to stop,
 *
 *   V = max E[sum of h - Z labels] = max E[sum of h + Z (T - labels)] - Z T,
 *
 * and Z (T - labels) is the gain of the standard arm of reward Z if it is "labelled" in place of
 * every label that is not bought. So it is one more instance, and all results about products of
 * arms hold. Waiting first and labelling later gains nothing over labelling first.
 *
 * If instance i has its own price Z_i, let Z be the largest of them. Then
 *
 *   sum of h - sum of Z_i labels_i = sum of h + sum of (Z - Z_i) labels_i + Z (T - labels) - Z T,
 *
 * so each label of i earns the bonus Z - Z_i >= 0 in addition to its gain, and the standard arm
 * earns Z: again a product of arms with rewards >= 0. If stopping is optimal with some number of
 * labels left, it is also optimal with fewer, because V falls with T: so after the first wait, a
 * policy waits to the end. OG_NO_MEMORY.
 */
og_status og_arm_new_standard(og_fraction reward, int32_t depth, og_arm **out);
bool og_arm_is_standard(const og_arm *arm);

/* The same prior and objective for another depth; OG_STOPPED if the stop ends it. */
og_status og_arm_new_like(const og_arm *arm, int32_t depth, og_stop *stop, og_arm **out);

void og_arm_free(og_arm *arm); /* NULL is fine */

/* Bytes of a Beta arm of this depth (for limits and forecasts); saturates at UINT64_MAX. */
uint64_t og_arm_beta_bytes(int32_t depth);

/*
 * The gains h(next_k) - h(node) of every outcome: gain[node * outcome_count + k] for the nodes
 * below level[depth]. They may be negative: sum_k p_k * gain_k = R >= 0, less the bonus. Nodes that
 * are equal as posteriors, or mirror images, get the same bits; other gains that are equal in exact
 * arithmetic may differ in their last bits. The caller owns `gain`, [level[depth] * outcome_count].
 * |stored - exact| <= *error * |exact| for a gain of at least 2^-1022; smaller ones are off by at
 * most 2^-1074 as well, the smallest being 0. *error is the same whatever the depth. OG_NO_MEMORY
 * or OG_FAILED leave both undefined, and so does OG_STOPPED, if the stop ends it.
 */
og_status og_arm_gains(const og_arm *arm, og_stop *stop, double *gain, double *error);

/* The first action of a node, which is the end of the actions of the node before; node <=
 * level[depth]. */
static inline uint32_t og_arm_first_action(const og_arm *arm, uint32_t node)
{
    return arm->action_first == NULL ? node : arm->action_first[node];
}

static inline uint32_t og_arm_action_count(const og_arm *arm)
{
    return og_arm_first_action(arm, arm->level[arm->depth]);
}

/* The level of a node: the largest n with level[n] <= node. */
int32_t og_arm_level(const og_arm *arm, uint32_t node);

/* The labels that lead to a node: counts[k] of outcome k, [outcome_count]. Beta: {s, f}. */
void og_arm_counts(const og_arm *arm, uint32_t node, int32_t *counts);

/* For an arm of a table of nodes: the table, and the number there of a node. Such an arm has no
 * calls, counts and posteriors. NULL for arms of other kinds. */
const og_node_table *og_arm_table(const og_arm *arm);
uint32_t og_arm_table_node(const og_arm *arm, uint32_t node);

/* A number that nodes of an arm have in common if they are one node of a table; else the node. */
uint32_t og_arm_alike(const og_arm *arm, uint32_t node);

/* The name of a table's node, and of an outcome there; NULL for arms of other kinds. */
const char *og_arm_node_name(const og_arm *arm, uint32_t node);
const char *og_arm_outcome_name(const og_arm *arm, uint32_t node, int32_t outcome);

/*
 * h of every node, call[node_count], or with `more` how much more it is than that of node 0: gains
 * along a path to the node that is the same at any depth, whose relative error is *error; or for a
 * table of nodes rounded once. OG_NO_MEMORY, OG_FAILED; OG_STOPPED. The second function is for
 * rational arms, in fractions.
 */
og_status og_arm_calls(const og_arm *arm, bool more, og_stop *stop, double *call, double *error);
void og_arm_exact_calls(const og_arm *arm, mpq_t *call);

/* The least reward without bonus, of nodes of this group's table that fewer than `depth` labels
 * reach: if it is less than *least it replaces that, and *node is the node's name. OG_NO_MEMORY;
 * OG_STOPPED. */
og_status og_group_least_reward(const og_group *group, int32_t depth, og_stop *stop, mpq_t least,
                                const char **node);

/* Upper bound of the arm's rewards: with payoffs of calls the largest difference between calls,
 * else 1; of a table of nodes or another payoff the largest reward. */
double og_arm_scale(const og_arm *arm);

/* True if an instance gets a final call. That of a bandit or of a table of nodes does not. */
bool og_arm_has_calls(const og_arm *arm);

/* True if an instance in this node is called positive: P(soft label >= threshold) is at least 1/2,
 * or the limit that follows from the payoff (dp/prior/payoff.h). Decided exactly (dp/prior/beta.h);
 * true at an exact tie, also with undecided. For labels of two outcomes only. O(log depth). */
bool og_arm_positive(const og_arm *arm, uint32_t node);

/*
 * The call of an instance in this node: the outcome of labels for that call, 0 for positive and 1
 * for negative, or OG_CALL_UNDECIDED; with several classes the one with the largest parameter, the
 * first of equal ones. Not for bandits.
 */
int32_t og_arm_called(const og_arm *arm, uint32_t node);

/* The prior, threshold and payoff from which the arm was built; its count is ignored. */
const og_group *og_arm_prior(const og_arm *arm);

/* The same for an arm of OG_OBJECTIVE_CALLS with a Beta prior and no bonus; NULL for any other. */
const og_group *og_arm_group(const og_arm *arm);

/*
 * For a mixture's arm: true, and *diagonal is written, if the node after s positive and f negative
 * labels is the mirror image of the one after f + *diagonal and s - *diagonal, wherever both exist.
 * False for arms of other kinds, whose posteriors can be compared.
 */
bool og_arm_mirror(const og_arm *arm, int32_t *diagonal);

/*
 * The posterior at a node as the prior's own exact numbers plus the counts, [outcome_count]: Beta:
 * parameter[0] = a + s, parameter[1] = b + f. Dirichlet: alpha + counts. Mixtures: the counts
 * alone, since all components have the same labels.
 */
void og_arm_posterior(const og_arm *arm, uint32_t node, og_fraction *parameter);

/*
 * Exact values, if arm->rational: integer a and b and a rational threshold with (a + b + depth) *
 * log2(denominator) at most 65536 (og_beta's OG_BETA_EXACT_BITS). The caller initialises the mpq.
 * `action` is below og_arm_action_count: a node below level[depth] if nodes have one. Cost: a
 * closed form in a few products of (a + b + labels) * log2(denominator) bits; if a call flips, a
 * sum of min(a, b) terms by binary splitting. Thread-safe.
 *
 * Dirichlet: whole parameters whose sum with the labels is at most OG_DIRICHLET_EXACT_TOTAL
 * (dp/prior/dirichlet.h), at the cost given there.
 */
void og_arm_exact_call(const og_arm *arm, mpq_t out);
void og_arm_exact_reward(const og_arm *arm, uint32_t action, mpq_t out);
void og_arm_exact_probability(const og_arm *arm, uint32_t action, int32_t outcome, mpq_t out);
void og_arm_exact_gain(const og_arm *arm, uint32_t node, int32_t outcome, mpq_t out);

/*
 * The arms of a problem: one for each distinct prior, threshold and payoff, shared by all its
 * groups. Node numbers over all arms, "global nodes", are node_offset[arm] + node.
 */
typedef struct {
    og_arena arena; /* of the arrays below */
    int32_t budget; /* depth of every arm */
    int32_t arm_count;
    og_arm **arm;          /* [arm_count], owned */
    uint32_t *node_offset; /* [arm_count + 1]; the last is the number of global nodes */
    int32_t group_count;
    int32_t *arm_of_group; /* [group_count] */
    int64_t *group_size;   /* [group_count] instances in the group */
} og_arms;

/* Builds the arms, distinct ones in parallel, with the threads, the memory limit and the watch of
 * these settings. The result does not depend on the threads. OG_STOPPED with a message if the watch
 * stops the work. */
og_status og_arms_new(const og_groups *problem, const og_settings *settings, og_arms **out,
                      og_message *message);

/*
 * The same with labels that are bought from sources (dp/arm/sources.h); the budget counts units. A
 * group's Beta(a, b) means that an instance is positive with probability a / (a + b); OG_BAD_INPUT
 * for other kinds of priors and for thresholds.
 */
og_status og_arms_new_sources(const og_groups *problem, const og_sources *sources, int threads,
                              uint64_t memory_bytes, og_arms **out, og_message *message);

/*
 * The same with sources that depend on the group: those of group g are
 * sources[sources_of_group[g]], of sources[sources_count]. Groups share an arm if their prior and
 * number of the sources are the same. Uses threads, memory_bytes and the watch of the settings,
 * which must be filled in: OG_STOPPED with a message if the watch stops the work.
 */
og_status og_arms_new_sources_of(const og_groups *problem, const og_sources *sources,
                                 int32_t sources_count, const int32_t *sources_of_group,
                                 const og_settings *settings, og_arms **out, og_message *message);

/*
 * The problem of group_count groups of group_size[g] instances of arm[arm_of_group[g]]. The arrays
 * are copied; on success the arms, all of this depth, are taken over. OG_NO_MEMORY, also for more
 * than 2^32 nodes.
 */
og_status og_arms_of(int32_t budget, og_arm *const *arm, int32_t arm_count, int32_t group_count,
                     const int32_t *arm_of_group, const int64_t *group_size, og_arms **out);

/* The status that og_arms_new would return for these arms with another depth. */
og_status og_arms_check(const og_arms *arms, int32_t depth, const og_settings *settings,
                        og_message *message);

/* These arms plus one standard arm of this reward, as the last group; on success `arms` is taken
 * over. OG_NO_MEMORY. */
og_status og_arms_add_standard(og_arms *arms, og_fraction reward, og_arms **out);

/* The same with another reward of the standard arm, which is the last; borrows all other arms. Free
 * it with the second function. OG_NO_MEMORY. */
og_status og_arms_with_standard(const og_arms *arms, og_fraction reward, og_arms **out);
void og_arms_with_standard_free(og_arms *arms); /* NULL is fine */

/* The arms but the standard one, which is the last: a view that is not freed. */
og_arms og_arms_without_standard(const og_arms *arms);
/* These arms, borrowed, plus one standard arm; to be freed in the same way. OG_NO_MEMORY. */
og_status og_arms_plus_standard(const og_arms *arms, og_fraction reward, og_arms **out);

/*
 * The largest expected gain of one instance alone with so many labels, if each costs `price` and
 * labelling may stop at any time, for a rational arm whose nodes have one action of cost 1; doubles
 * are in heuristics/bounds/priced_arm.h. O(nodes); OG_NO_MEMORY; OG_STOPPED.
 */
og_status og_arm_priced_gain_exact(const og_arm *arm, int32_t labels, og_fraction price,
                                   og_stop *stop, mpq_t gain);

/* The arm of a global node. O(log arm_count). */
int32_t og_arms_arm_of(const og_arms *arms, uint32_t global_node);

/* Number of instances of the problem; the same with each group limited to the budget; those of an
 * arm. */
int64_t og_arms_instances(const og_arms *arms);
int64_t og_arms_capped(const og_arms *arms);
int64_t og_arms_copies(const og_arms *arms, int32_t arm);

/* The largest og_arm_scale of the arms. */
double og_arms_scale(const og_arms *arms);

/* True if a node of an arm has several actions, or one that costs more than 1. */
bool og_arms_have_actions(const og_arms *arms);

/* Bytes of the arms' tables, for limits. */
uint64_t og_arms_bytes(const og_arms *arms);

/* Sum of h over all instances before any label: value = call + gain. *error: absolute, proved; may
 * be NULL. */
double og_arms_prior_value(const og_arms *arms, double *error);

/* The same in fractions; false (out unchanged) if an arm is not rational. */
bool og_arms_exact_call(const og_arms *arms, mpq_t out);

void og_arms_free(og_arms *arms);

#endif
