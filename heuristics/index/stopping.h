#ifndef OG_HEURISTICS_INDEX_STOPPING_H
#define OG_HEURISTICS_INDEX_STOPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Rules that say when an instance has enough labels, as NAME:NUMBERS or NAME:NUMBERS:POLICY, where
 * POLICY chooses among the instances that are not done:
 *
 *   fixed:N               n >= N
 *   agree:M               m >= M
 *   lead:M                m - w >= M
 *   beta-stop:C           the more probable class has a probability of at least C
 *   sprt:P0,P1,A,B        L >= (1-B)/A or L <= B/(1-A), L = (P1/P0)^s ((1-P1)/(1-P0))^f
 *   doubling:N,MAX,Q      n >= MAX, or n is N, 2N, 4N, ... and m >= Q n
 *
 * Here n counts the labels of the instance since the start, m those of its most frequent class, w
 * those of the second, s positive and f negative ones. Reference of sprt: Wald, Annals of
 * Mathematical Statistics 16 (1945).
 */
enum { OG_STOPPING_NUMBERS_MAX = 4 };

typedef enum {
    OG_STOPPING_FIXED,
    OG_STOPPING_AGREE,
    OG_STOPPING_LEAD,
    OG_STOPPING_BETA,
    OG_STOPPING_SPRT,
    OG_STOPPING_DOUBLING,
} og_stopping_kind;

typedef struct {
    og_stopping_kind kind;
    og_fraction number[OG_STOPPING_NUMBERS_MAX]; /* whole ones are at most OG_BUDGET_MAX */
    int32_t words;                               /* bytes of NAME:NUMBERS */
} og_stopping;

/* Reads the rule of a policy's name, and *policy, its POLICY in that text; NULL: none. OG_BAD_INPUT
 * with a message for numbers that are missing or out of range; the name is one of the six. */
og_status og_stopping_parse(const char *name, og_stopping *out, const char **policy,
                            og_message *message);

/* True if it counts labels, and not only looks at the posterior. */
bool og_stopping_counts(const og_stopping *rule);

/*
 * The nodes of an arm at which the rule is done: done[level[depth]]. Comparisons are exact. A
 * probability that is not rational is known to half a unit in the last place of a double, or, of a
 * mixture, within the error of its gains; if that does not tell it from C it counts as equal, and
 * *near as one more. OG_BAD_INPUT with a message for an arm that the rule does not support;
 * OG_NO_MEMORY, or OG_STOPPED if the stop ends it or memory_bytes (0: any) do not hold an arm
 * without payoffs, which a probability needs.
 */
og_status og_stopping_find(const og_stopping *rule, const og_arm *arm, uint64_t memory_bytes,
                           og_stop *stop, bool *done, uint64_t *near, og_message *message);

#endif
