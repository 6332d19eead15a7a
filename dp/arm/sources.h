#ifndef OG_DP_ARM_SOURCES_H
#define OG_DP_ARM_SOURCES_H

#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/prior/problem.h"

/*
 * Labels that are bought from sources of known accuracy and whole prices. The truth of an instance
 * is positive or negative for good, positive with a known chance p; every label of source j is the
 * truth with chance accuracy_j, independently of all others, and costs price_j units of the budget.
 *
 * What is known of an instance after n_j+ positive and n_j- negative labels of each source is in
 * the differences n_j+ - n_j- (the one-coin model): the odds are p / (1 - p) times the product of
 * (accuracy_j / (1 - accuracy_j))^(n_j+ - n_j-). A node of the arm is the units spent, the
 * differences, and the number of labels n_j+ + n_j- of each source that can run out; a source that
 * is never wrong leaves nothing to learn, and then there are no actions. In the end an instance is
 * called what is likelier: h = max(P, 1 - P).
 */
typedef struct {
    og_fraction accuracy; /* 0 <= accuracy <= 1 */
    int32_t price;        /* 1 .. OG_ARM_COST_MAX */
    int32_t most;         /* labels of one instance at most; 0: any number */
} og_label_source;

enum { OG_SOURCES_MAX = 16 };

typedef struct {
    int32_t count; /* 1 .. OG_SOURCES_MAX */
    og_label_source source[OG_SOURCES_MAX];
} og_sources;

/* Are the numbers in range? OG_BAD_INPUT with a message if not. The group is one that
 * og_group_check accepts; a Beta without a threshold will do. */
og_status og_sources_check(const og_sources *sources, og_message *message);
og_status og_sources_check_group(const og_group *group, og_message *message);

/*
 * The arm of an instance that is positive with chance a / (a + b) of the group's Beta, for at most
 * `depth` units. The actions of a node are the sources that fit into the units left, as they are
 * numbered, and have not run out; outcome 0 of each is a positive label. Every number is exact and
 * rounded to nearest, and the arm is rational. With J sources it has O(depth^(J + 1)) nodes of
 * 4 + 4 J bytes (4 more for each source that can run out) and 37 bytes for each of their actions,
 * and takes a few products of depth * log2(denominators) bits for each. OG_STOPPED if it takes more
 * than memory_bytes or 2^32 nodes (og_sources_too_many) or `stop` says so (og_stop_status), and
 * OG_FAILED if a reward is smaller than the doubles.
 */
struct og_arm;
og_status og_arm_new_sources(const og_group *group, const og_sources *sources, int32_t depth,
                             uint64_t memory_bytes, og_stop *stop, struct og_arm **out,
                             og_message *message);

/* OG_STOPPED, and its words. */
og_status og_sources_too_many(int32_t depth, uint64_t memory_bytes, og_message *message);

/* first[node_count], of such an arm: the first node with the same labels, however many units were
 * spent on them. All that can be bought at a node can be bought there. OG_NO_MEMORY. */
og_status og_sources_first_alike(const struct og_arm *arm, uint32_t *first);

/* The chance that an instance at a node of such an arm is positive, to the nearest double. */
double og_sources_positive(const struct og_arm *arm, uint32_t node);

/* Which source an action of such an arm asks. */
int32_t og_sources_of_action(const struct og_arm *arm, uint32_t action);

#endif
