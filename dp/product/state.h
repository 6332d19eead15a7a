#ifndef OG_DP_PRODUCT_STATE_H
#define OG_DP_PRODUCT_STATE_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"

/*
 * A state in questions and answers: the number of labels left, and the posterior of each instance.
 * Instances with one posterior form a group with their number.
 */
typedef struct {
    int32_t arm;    /* of the problem's og_arms */
    uint32_t node;  /* of that arm, of a level 0 .. budget - left */
    int64_t copies; /* >= 1 instances */
} og_state_group;

typedef struct {
    int32_t left;                /* labels left, 1 .. budget */
    int32_t budget;              /* labels in all */
    int32_t count;               /* groups, at least 1 */
    const og_state_group *group; /* [count] */
} og_state;

/*
 * Checks that the tables of these arms cover the state. Its groups must be nodes of the arms; the
 * labels of all instances and those left must be at most the budget, and the instances at most the
 * problem's. OG_BAD_INPUT with a message if not. O(groups).
 */
og_status og_state_check(const og_arms *arms, const og_state *state, og_message *message);

/* Checks only that the groups are nodes of the arms: for callers that use posteriors, whatever the
 * labels. */
og_status og_state_check_groups(const og_arms *arms, const og_state *state, og_message *message);

#endif
