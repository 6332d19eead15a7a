#ifndef OG_DP_ARM_SOURCES_H
#define OG_DP_ARM_SOURCES_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/prior/problem.h"

/*
 * Labels that are bought from sources of known accuracy and whole prices. The truth of an instance
 * is positive or negative and never changes; it is positive with a known probability p. Every label
 * of source j is the truth with probability accuracy_j, independently of all others, and costs
 * price_j units of the budget.
 *
 * After n_j+ positive and n_j- negative labels of each source, the posterior depends only on the
 * differences n_j+ - n_j- (the one-coin model): the odds are p / (1 - p) times the product of
 * (accuracy_j / (1 - accuracy_j))^(n_j+ - n_j-). A node of the arm is given by the units spent, the
 * differences, and the number of labels n_j+ + n_j- of each source that can run out. After a label
 * of a source that is never wrong nothing is left to learn, and there are no actions. At the end an
 * instance gets the likelier call: h = max(P, 1 - P).
 */
typedef struct {
    og_fraction accuracy; /* 0 <= accuracy <= 1 */
    int32_t price;        /* 1 .. OG_ARM_COST_MAX */
    int32_t most;         /* largest number of labels for one instance; 0: no limit */
} og_label_source;

enum { OG_SOURCES_MAX = 16 };

typedef struct {
    int32_t count; /* 1 .. OG_SOURCES_MAX */
    og_label_source source[OG_SOURCES_MAX];
} og_sources;

/* Checks that the numbers are in range; OG_BAD_INPUT with a message if not. og_group_check must
 * accept the group; a Beta without a threshold is fine. */
og_status og_sources_check(const og_sources *sources, og_message *message);
og_status og_sources_check_group(const og_group *group, og_message *message);

/*
 * The arm of an instance that is positive with probability a / (a + b) of the group's Beta, for at
 * most `depth` units. The actions of a node are the sources that are affordable and have not run
 * out, in their order; outcome 0 of each is a positive label. Every number is exact and rounded to
 * nearest, and the arm is rational.
 *
 * Cost: with J sources it has O(depth^(J + 1)) nodes of 4 + 4 J bytes (4 more for each source that
 * can run out) and 37 bytes for each of their actions. Each node takes a few products of depth *
 * log2(denominators) bits. OG_STOPPED if it takes more than the memory or 2^32 nodes
 * (og_sources_too_many) or if `stop` ends the work (og_stop_status); OG_FAILED if a reward is below
 * the range of doubles.
 */
struct og_arm;
og_status og_arm_new_sources(const og_group *group, const og_sources *sources, int32_t depth,
                             const og_settings *settings, struct og_arm **out, og_message *message);

/* Returns OG_STOPPED, with its message. */
og_status og_sources_too_many(int32_t depth, uint64_t memory_bytes, og_message *message);

/* first[node_count], for such an arm: the first node with the same labels, for any number of units
 * spent on them. All labels that are affordable at a node are affordable there. `mirrored`: or with
 * all answers exchanged, if the prior is 1/2; outcomes are exchanged there. OG_NO_MEMORY. */
og_status og_sources_first_alike(const struct og_arm *arm, bool mirrored, uint32_t *first);

/* The probability that an instance at a node of such an arm is positive, to the nearest double. */
double og_sources_positive(const struct og_arm *arm, uint32_t node);

/* The exact h of a node: the probability that its likelier call is right. */
void og_sources_exact_call(const struct og_arm *arm, uint32_t node, mpq_t out);

/* The source of an action of such an arm. */
int32_t og_sources_of_action(const struct og_arm *arm, uint32_t action);

#endif
