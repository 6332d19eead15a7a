#ifndef OG_BENCH_FAMILIES_INDEPENDENT_EACH_H
#define OG_BENCH_FAMILIES_INDEPENDENT_EACH_H

#include "bench/family.h"

/*
 * Independent instances without a common budget: each gets at most N labels (-T Neach). Every
 * instance is a problem of its own, of the family of independent instances or of that of labels
 * that have a price. Values, errors and labels are the sums over the instances. Identical instances
 * are valued once, so their number costs nothing.
 *
 * A policy is made for each different instance alone, which has all labels left that this instance
 * may still get. Policies whose choice needs all instances are refused.
 */
extern const og_family og_family_each, og_family_each_priced;

#endif
