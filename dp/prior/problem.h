#ifndef OG_DP_PRIOR_PROBLEM_H
#define OG_DP_PRIOR_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/prior/payoff.h"

/*
 * A label-budget problem as a person gives it: groups of instances with a
 * prior each, and how many labels there are to give.
 */
typedef enum {
    OG_PRIOR_BETA,      /* the soft label is Beta(a, b) */
    OG_PRIOR_MIXTURE,   /* it is one of several Betas; which one, the weights say */
    OG_PRIOR_DIRICHLET, /* three or more classes, whose shares are Dirichlet(alpha) */
} og_prior_kind;

enum {
    OG_PARTS_MAX = 10,  /* components of a mixture */
    OG_CLASSES_MIN = 3, /* of a Dirichlet prior */
    OG_CLASSES_MAX = OG_PARTS_MAX,
    OG_GROUP_TEXT_BYTES = 4096, /* enough for every og_group_format */
};

/* One Beta of a mixture. */
typedef struct {
    og_fraction weight; /* > 0; only its ratio to the other weights counts */
    og_fraction a;      /* > 0 */
    og_fraction b;      /* > 0 */
} og_component;

/*
 * A group holds `count` instances with the same prior (or posterior). With two classes an instance
 * is positive if its soft label is >= threshold; with more it belongs to the class with the
 * largest share.
 */
typedef struct {
    og_fraction a;         /* > 0; OG_PRIOR_BETA, like b */
    og_fraction b;         /* > 0 */
    og_fraction threshold; /* 0 < threshold < 1; not for OG_PRIOR_DIRICHLET: 1/2 there */
    int64_t count;         /* 1 .. OG_COUNT_MAX */
    og_prior_kind kind;
    int32_t part_count; /* components, 1 .. OG_PARTS_MAX, or classes; 0 for OG_PRIOR_BETA */
    og_payoff payoff;   /* of a call; zeroed: 1 if it is right; not for OG_PRIOR_DIRICHLET */
    og_fraction bonus;  /* > 0: what every label of the instance earns whatever it says, as one that
                           is cheaper than others does; zeroed: nothing */
    union {
        og_component component[OG_PARTS_MAX]; /* OG_PRIOR_MIXTURE: [part_count] */
        og_fraction alpha[OG_CLASSES_MAX];    /* OG_PRIOR_DIRICHLET: [part_count] > 0 */
    };
} og_group;

/* What is to be made as large as can be expected. */
typedef enum {
    OG_OBJECTIVE_CALLS,  /* the number of instances called right in the end */
    OG_OBJECTIVE_BANDIT, /* the number of positive labels: the classical Bernoulli bandit */
} og_objective;

typedef struct {
    int32_t budget; /* labels to give, 0 .. OG_BUDGET_MAX */
    og_objective objective;
    int32_t group_count;
    og_group *groups; /* [group_count], in the order given; owned */
    int64_t added;    /* instances that og_groups_add and og_groups_raise counted */
} og_groups;

#define OG_BUDGET_MAX 1000000
#define OG_COUNT_MAX INT64_C(1000000000) /* instances of one problem, all groups together */
#define OG_PARAMETER_MIN 1e-6
#define OG_PARAMETER_MAX 1e6

/*
 * Read one INSTANCE word: `[COUNTx]A,B[@D]`, a mixture `[COUNTx]W:A,B+W:A,B...[@D]`, or classes
 * `[COUNTx]A,B,C...`. Returns OG_BAD_INPUT with a message that names the word and what is wrong
 * with it. Every field of *out is written, those that the kind has no use for with zeros.
 */
og_status og_group_parse(const char *text, og_group *out, og_message *message);

/* The same, and a payoff behind it: `[COUNTx]A,B[@D][=TP,FP,FN,TN]`, which the other refuses. */
og_status og_group_parse_paid(const char *text, og_group *out, og_message *message);

/* Write the group back as an INSTANCE word ("10x1,1", "2,1@0.3=1,-5,0,1"; no "1x", no
 * "@0.5", no "=1,0,0,1"; weights as they were given). Returns what snprintf returns. */
int og_group_format(const og_group *group, char *text, size_t size);

/*
 * Are these numbers in range: fractions in lowest terms, parameters and weights within
 * OG_PARAMETER_MIN .. OG_PARAMETER_MAX, 0 < threshold < 1, count within 1 .. OG_COUNT_MAX, as many
 * parts as the kind may have, can every parameter plus `labels` still be written as an
 * og_fraction, and has the mixture an og_group_plain? OG_BAD_INPUT with a message if not.
 */
og_status og_group_check(const og_group *group, int32_t labels, og_message *message);

/*
 * The same prior in its one plainest form: the weights of a mixture as whole numbers without a
 * common divisor, its components in ascending order and each once; a mixture of one component as a
 * Beta. Two groups have the same prior, threshold and payoff if og_group_compare of their plain
 * forms is 0. The count stays. Returns false, *out undefined, if the whole weights add up to more
 * than OG_FRACTION_MAX.
 */
bool og_group_plain(const og_group *group, og_group *out);

/* An order of priors, thresholds and payoffs, the numbers taken as they stand; counts are not
 * looked at. */
int og_group_compare(const og_group *x, const og_group *y);

/* Equal for groups that og_group_compare takes as equal. */
uint64_t og_group_hash(const og_group *group);

/* 0 where there is none. */
og_fraction og_group_bonus(const og_group *group);

/* Are all parameters whole numbers? Weights and the threshold need not be. */
bool og_group_is_whole(const og_group *group);

/* The sum of a mixture's weights as given, rounded; 1 for other kinds. */
double og_group_weight_sum(const og_group *group);

/* An empty problem, OG_OBJECTIVE_CALLS; nothing is allocated yet. */
void og_groups_init(og_groups *problem, int32_t budget);

/* Append a copy of the group. Checks the group (og_group_check with the budget) and the
 * total of counts. OG_BAD_INPUT or OG_NO_MEMORY leave the problem unchanged. O(1) on average. */
og_status og_groups_add(og_groups *problem, const og_group *group, og_message *message);

/* `copies` more instances of a group, 1 or more: the count grows. The same errors. */
og_status og_groups_raise(og_groups *problem, int32_t group, int64_t copies, og_message *message);

/* The groups from `group_count` on go. O(those). */
void og_groups_cut(og_groups *problem, int32_t group_count);

/* The number of instances: the sum of the counts. O(groups). */
int64_t og_groups_size(const og_groups *problem);

void og_groups_clear(og_groups *problem);

#endif
