#ifndef OG_HEURISTICS_INDEX_FAST_GITTINS_INF_WALK_H
#define OG_HEURISTICS_INDEX_FAST_GITTINS_INF_WALK_H

#include "heuristics/index/fast/gittins_inf_table.h"

/*
 * Values all nodes of an arm with two outcomes at eight prices at once, and keeps what brackets
 * their infinite-horizon Gittins indices (private to heuristics/index/).
 */
enum { OG_INF_LANES = 8, OG_INF_CUTS = 6 };

/* A node at a price: the net worth of a rule that buys there, and that rule's labels, discounted.
 */
typedef struct {
    double price, net, labels;
} og_inf_point;

/* Of all prices so far, the largest at which the net worth is at least 0 and the smallest at which
 * it is not; price 0 and INFINITY: none. */
typedef struct {
    og_inf_point low, high;
} og_inf_pair;

/* The best rules at a price on one level: of the nodes that buy. */
typedef struct {
    og_inf_span open;
    double *net, *labels; /* entry 0 is of open.first */
} og_inf_row;

/* The whole table at a price, on the levels of the cuts. */
typedef struct {
    double price;
    og_inf_row row[OG_INF_CUTS];
} og_inf_sample;

/* By descending price. */
typedef struct {
    og_inf_sample *sample;
    int32_t count;
} og_inf_grid;

void og_inf_sample_clear(og_inf_sample *sample);

/* The number of the first sample whose price is not above this one; the last one's, if none is. */
int32_t og_inf_grid_find(const og_inf_grid *grid, double price);

typedef struct og_inf_walk og_inf_walk; /* read only */

/* `table` has the rows of parameters and is borrowed. OG_NO_MEMORY, OG_FAILED. */
og_status og_inf_walk_new(const og_inf_table *table, int32_t budget, og_inf_walk **out);
void og_inf_walk_free(og_inf_walk *walk); /* NULL is fine */

/* No index is above this. */
double og_inf_walk_most(const og_inf_walk *walk);

/* The number of the node that stands for (n, s), n < budget; mirror images have the same. */
int64_t og_inf_walk_node(const og_inf_walk *walk, int32_t n, int32_t s);

/* Of one thread. */
typedef struct og_inf_space og_inf_space;
og_status og_inf_space_new(const og_inf_walk *walk, og_inf_space **out);
void og_inf_space_free(og_inf_space *space);          /* NULL is fine */
og_inf_pair *og_inf_space_pairs(og_inf_space *space); /* [nodes of levels below the budget] */

/* Walks over the whole table at prices > 0 and improves the space's pairs. `out`, if not NULL:
 * fills these samples, [OG_INF_LANES]; the caller clears them, also after a failure. OG_NO_MEMORY.
 */
og_status og_inf_walk_whole(const og_inf_walk *walk, const double *price, og_inf_space *space,
                            og_inf_sample *out);

/* The same from a cut on, where the better one of the rules of the two samples around each price is
 * followed: then a net worth is too small by at most the error below. Cuts are numbered from the
 * root on; only nodes with first_cut <= cut are looked at. */
void og_inf_walk_cut(const og_inf_walk *walk, const og_inf_grid *grid, int cut, const double *price,
                     const uint8_t *first_cut, og_inf_space *space);

/* Finds that error for all prices between the samples cell[k] and cell[k] + 1, k < OG_INF_LANES,
 * and stores it for the nodes whose pair has these two prices. */
void og_inf_walk_errors(const og_inf_walk *walk, const og_inf_grid *grid, int cut,
                        const int32_t *cell, og_inf_space *space, double *error);

#endif
