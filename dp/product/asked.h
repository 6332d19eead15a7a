#ifndef OG_DP_PRODUCT_ASKED_H
#define OG_DP_PRODUCT_ASKED_H

#include "dp/base/parallel.h"
#include "dp/product/chooser.h"

/* A chooser with what its callers share (private to dp/). */
typedef struct og_asked {
    og_chooser chooser;
    og_lock lock;
    og_message failure; /* the first; guarded by the lock */
} og_asked;

void og_asked_free(og_asked *asked); /* NULL is fine */

#endif
