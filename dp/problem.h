#ifndef OG_DP_PROBLEM_H
#define OG_DP_PROBLEM_H

#include <stdint.h>

#include "dp/fraction.h"
#include "dp/status.h"

/*
 * A label-budget problem as a person gives it: groups of instances with a
 * prior each, and how many labels there are to give.
 *
 * A group holds `count` instances whose soft label has prior (or posterior)
 * Beta(a, b); an instance is positive if its soft label is >= threshold.
 */
typedef struct {
    og_fraction a;         /* > 0 */
    og_fraction b;         /* > 0 */
    og_fraction threshold; /* 0 < threshold < 1 */
    int64_t count;         /* 1 .. OG_COUNT_MAX */
} og_group;

typedef struct {
    int32_t budget; /* labels to give, 0 .. OG_BUDGET_MAX */
    int32_t group_count;
    og_group *groups; /* [group_count], in the order given; owned */
} og_problem;

#define OG_BUDGET_MAX 1000000
#define OG_COUNT_MAX INT64_C(1000000000) /* instances of one problem, all groups together */
#define OG_PARAMETER_MIN 1e-6
#define OG_PARAMETER_MAX 1e6

/*
 * Read one INSTANCE word, `[COUNTx]A,B[@D]`. Returns OG_BAD_INPUT with a
 * message that names the word and what is wrong with it.
 */
og_status og_group_parse(const char *text, og_group *out, og_message *message);

/* Write the group back as an INSTANCE word ("10x1,1", "2,1@0.3"; no "1x", no
 * "@0.5"). Returns what snprintf returns. */
int og_group_format(const og_group *group, char *text, size_t size);

/*
 * Are these numbers in range: fractions in lowest terms, a and b within OG_PARAMETER_MIN ..
 * OG_PARAMETER_MAX, 0 < threshold < 1, count within 1 .. OG_COUNT_MAX, and can a and b plus
 * `labels` still be written as an og_fraction? OG_BAD_INPUT with a message if not.
 */
og_status og_group_check(const og_group *group, int32_t labels, og_message *message);

/* An empty problem; nothing is allocated yet. */
void og_problem_init(og_problem *problem, int32_t budget);

/* Append a copy of the group. Checks the group (og_group_check with the budget) and the
 * total of counts. OG_BAD_INPUT or OG_NO_MEMORY leave the problem unchanged. */
og_status og_problem_add(og_problem *problem, const og_group *group, og_message *message);

/* The number of instances: the sum of the counts. */
int64_t og_problem_size(const og_problem *problem);

void og_problem_clear(og_problem *problem);

#endif
