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
 * The recursion in fractions over the states of a product (private to dp/): what dp/engine/engine.h
 * does with doubles. Every state's actions are valued and combined exactly; where a guide is given,
 * the actions it proves not to be optimal are not valued. On one thread.
 */

/* Called every few hundred states; `settled` is a share of the work, an estimate, 0 .. 1. False
 * stops it. */
typedef bool og_exact_watch(void *user, uint64_t expanded, double settled);

typedef struct {
    const og_product *product;   /* exact */
    const og_exact_names *names; /* of its layers */
    og_exact_guide *guide;       /* NULL: every action is valued */
    og_exact_table *table;       /* values of the same product's states only */
    const og_engine_use *use;    /* for the guide's own recursion */
    og_exact_watch *watch;       /* may be NULL */
    void *user;
    uint64_t expanded; /* states expanded, added to */
    bool full;         /* out: the table is, which is why the work was stopped */
} og_exact_work;

/* The gain still to come in the state `key` (words == 0: 0). OG_STOPPED: the table is full or the
 * watch, or the guide's, said so. */
og_status og_exact_recursion(og_exact_work *work, const uint64_t *key, int32_t words, mpq_t gain);

#endif
