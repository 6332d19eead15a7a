#ifndef OG_HEURISTICS_INDEX_TWIN_CLASSES_H
#define OG_HEURISTICS_INDEX_TWIN_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/prior/problem.h"

/*
 * Dirichlet posteriors that are permutations of each other (private to heuristics/). Two priors can
 * have such posteriors if the fractional parts of their parameters are the same multiset. For these
 * a posterior's key is its parameters' whole parts, ascending by fractional part and then by size:
 * posteriors have the same key if and only if they are the same multiset of parameters.
 */
typedef struct {
    int32_t classes;
    int32_t order[OG_CLASSES_MAX];    /* classes by fractional part */
    int32_t end[OG_CLASSES_MAX];      /* of a place in `order`: where its fractional part ends */
    int32_t whole[OG_CLASSES_MAX];    /* whole part of a class's prior parameter */
    og_fraction rest[OG_CLASSES_MAX]; /* fractional parts, in the order of `order` */
} og_class_order;

/* `prior` has the kind OG_PRIOR_DIRICHLET. */
void og_class_order_init(og_class_order *of, const og_group *prior);

/* Can they share posteriors? */
bool og_class_order_same(const og_class_order *x, const og_class_order *y);

/* key[classes] of the posterior after counts[classes]. */
void og_class_order_key(const og_class_order *of, const int32_t *counts, int32_t *key);

#endif
