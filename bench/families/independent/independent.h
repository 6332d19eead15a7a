#ifndef OG_BENCH_FAMILIES_INDEPENDENT_INDEPENDENT_H
#define OG_BENCH_FAMILIES_INDEPENDENT_INDEPENDENT_H

#include "bench/families/independent/problem.h"
#include "bench/family.h"
#include "dp/arm/arm.h"

/* Independent instances, the product of arms, as a family: an act labels an instance of a group. */
extern const og_family og_family_independent;

typedef struct {
    og_call_options calls;
} og_independent_options;

/*
 * Walk their states: a state is an og_state, an act in it {arm, node, 0}, an answer the outcome of
 * the label. Values are gains. `like` must be of these arms; it lends its solver and must outlive
 * *out. Free with og_steps_free.
 */
og_status og_steps_of_arms(const og_arms *arms, const og_steps_use *use, og_steps *out,
                           og_message *message);

#endif
