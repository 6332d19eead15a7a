#ifndef OG_DP_EXACT_EXACT_RECURSION_H
#define OG_DP_EXACT_EXACT_RECURSION_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/exact_names.h"
#include "dp/base/status.h"
#include "dp/exact/exact_guide.h"
#include "dp/exact/exact_table.h"
#include "dp/product/product.h"

/*
 * The recursion in fractions over the states of a product (private to dp/): the counterpart of
 * dp/engine/engine.h. Every state's actions are evaluated and combined exactly; if there is a
 * guide, the actions that it proves not to be optimal are skipped. On one thread.
 */

/* Called every few hundred states; `settled` is an estimated share of the work, 0 .. 1. False stops
 * it. */
typedef bool og_exact_watch(void *user, uint64_t expanded, double settled);

typedef struct {
    const og_product *product;   /* exact */
    const og_exact_names *names; /* of its layers */
    og_exact_guide *guide;       /* NULL: every action is evaluated */
    og_exact_table *table;       /* values of the same product's states only */
    const og_engine_use *use;    /* for the guide's own recursion */
    og_exact_watch *watch;       /* may be NULL */
    void *user;
    uint64_t expanded; /* increased by the number of states expanded */
    bool full;         /* output: true if the work stopped because the table is full */
} og_exact_work;

/* The gain still to come in the state `key` (words == 0: 0). OG_STOPPED: the table is full, or the
 * watch or the guide's watch stopped the work. */
og_status og_exact_recursion(og_exact_work *work, const uint64_t *key, int32_t words, mpq_t gain);

#endif
