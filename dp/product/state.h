#ifndef OG_DP_PRODUCT_STATE_H
#define OG_DP_PRODUCT_STATE_H

#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/status.h"

/*
 * A state as those who are asked about it see it: how many labels are left, and which posterior
 * each instance has. Instances with one posterior stand together, with their number.
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
 * Can the tables of these arms answer for the state? Its groups are of the arms' nodes; the labels
 * that each has had and those left are no more than the budget, instances no more than the
 * problem's. OG_BAD_INPUT with a message if not. O(groups).
 */
og_status og_state_check(const og_arms *arms, const og_state *state, og_message *message);

/* The first of these alone: for who looks at posteriors, whatever labels there are. */
og_status og_state_check_groups(const og_arms *arms, const og_state *state, og_message *message);

#endif
