#ifndef OG_DP_PRODUCT_CHOOSER_LOCK_H
#define OG_DP_PRODUCT_CHOOSER_LOCK_H

#include "dp/base/parallel.h"
#include "dp/product/chooser.h"

/* A chooser with the data that its callers share (private to dp/). */
typedef struct og_chooser_lock {
    og_chooser chooser;
    const og_arms *arms; /* borrowed: its nodes are those of the states */
    og_lock lock;
    og_message failure; /* the first one; guarded by the lock */
    uint64_t near_ties; /* answers made equal to the largest so far; atomic */
    bool stopped;       /* in some state the policy stopped, perhaps by a draw; atomic */
} og_chooser_lock;

#endif
