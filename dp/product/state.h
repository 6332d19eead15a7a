#ifndef OG_DP_PRODUCT_STATE_H
#define OG_DP_PRODUCT_STATE_H

#include <stdint.h>

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

#endif
