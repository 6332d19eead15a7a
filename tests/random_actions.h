#ifndef OG_TESTS_RANDOM_ACTIONS_H
#define OG_TESTS_RANDOM_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "tests/random_problem.h"

/*
 * One to three groups of up to 4 instances whose nodes offer nothing or up to three actions, of
 * costs 1 to 3 or 2 to 4. Dyadic: rewards and chances are such that every value is a double,
 * whatever it is added up in; else sums are rounded, and many of them nearly tie.
 */
og_arms *random_actions(random_source *random, int32_t budget, bool dyadic);

/* The same problem of one action, written as one of several. */
og_arms *rewritten_arms(const og_arms *usual);

/* "4/5:1 7/10:3:2": accuracy, price and how often at most. */
og_sources sources_of(const char *text);

#endif
