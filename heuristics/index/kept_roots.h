#ifndef OG_HEURISTICS_INDEX_KEPT_ROOTS_H
#define OG_HEURISTICS_INDEX_KEPT_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/prior/problem.h"
#include "heuristics/index/fast/gittins_wide.h"

/*
 * What gittins-inf and rules found of posteriors alone, for questions about many states one after
 * the other. All of it depends on the key only, so that it has the same bits wherever it is found.
 * At most OG_KEPT_ROOTS_MAX posteriors are kept; further ones are computed again.
 */
enum { OG_KEPT_ROOTS_MAX = 1 << 15 };

typedef struct {
    og_fraction a, b, threshold;
    const void *rule; /* an og_rule; NULL: gittins-inf */
    double delta;     /* or the part of a rule */
    int32_t end, look;
} og_kept_key;

typedef enum { OG_BUYS_UNKNOWN, OG_BUYS_NOT, OG_BUYS } og_kept_buys;

typedef struct {
    og_kept_key key;
    bool used, scored;
    double value, radius;            /* of the index, if `scored` */
    uint8_t buys[OG_GITTINS_PRICES]; /* og_kept_buys at each price of the grid */
} og_kept_root;

typedef struct og_kept_roots og_kept_roots;

og_status og_kept_roots_new(og_kept_roots **out);
void og_kept_roots_free(og_kept_roots *kept); /* NULL is fine */

/* The entry of this posterior, new ones zeroed; NULL if `kept` is NULL or full. Any thread may call
 * it; two must not use one entry at once. */
og_kept_root *og_kept_roots_at(og_kept_roots *kept, const og_kept_key *key);

#endif
