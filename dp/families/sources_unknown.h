#ifndef OG_DP_FAMILIES_SOURCES_UNKNOWN_H
#define OG_DP_FAMILIES_SOURCES_UNKNOWN_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/arm/arm.h"
#include "dp/arm/sources.h"
#include "dp/base/arena.h"
#include "dp/engine/model.h"
#include "dp/engine/solution.h"

/*
 * Labels bought from sources (dp/arm/sources.h) of which some have an unknown accuracy. It has the
 * prior Beta(A, B), independently of all else, and is the same for all instances. So a label of one
 * instance gives information about all others that the source has labelled.
 *
 * With n_j labels of unknown source j in a table, ok_j of them equal to the truths,
 *
 *   Pr(table and truths) = product over instances of Pr(truth) * product over labels of known
 *                          sources of q or 1 - q
 *                          * product over unknown j of
 *                            B(A_j + ok_j, B_j + n_j - ok_j) / B(A_j, B_j).
 *
 * Sums over all truths go from instance to instance, over the possible vectors (ok_1, ok_2, ...),
 * at most the product of n_j + 1.
 */
typedef struct {
    og_sources sources;                /* for an unknown one, accuracy is A ... */
    og_fraction wrong[OG_SOURCES_MAX]; /* ... and this B > 0; den 0: the accuracy is known */
} og_crowd_sources;

/* True if any source is unknown. */
bool og_crowd_any(const og_crowd_sources *sources);

/* OG_BAD_INPUT with a message if a number is out of range. */
og_status og_crowd_check(const og_crowd_sources *sources, og_message *message);

/* The same sources, the unknown ones with these accuracies. */
og_sources og_crowd_as_known(const og_crowd_sources *sources, const og_fraction *accuracy);

enum {
    OG_UNKNOWN_LABELS_MAX = 255,    /* in one play, for exact values */
    OG_UNKNOWN_CELLS_MAX = 1 << 17, /* doubles of one sum over the truths */
    OG_UNKNOWN_ROW = 2 * OG_SOURCES_MAX,
};

/* The data of a source for tables. */
typedef struct {
    bool known;
    bool sure;           /* known, and always or never right */
    bool cancels;        /* known, and it never runs out: a positive and a negative label cancel */
    int32_t price, most; /* `most` for one instance in any play */
    int32_t total;       /* for all instances */
    og_fraction part[2]; /* q, 1 - q; or A, B */
    double chance[2];    /* the same, each to the nearest double */
    double *factor;      /* unknown: [total + 1][total + 1] at [labels][right ones] */
} og_crowd_source;

/* Instances with the same probability of being positive. */
typedef struct {
    og_fraction part[2]; /* positive : negative */
    double chance[2];    /* that sum to 1 */
    bool fair;
} og_crowd_prior;

typedef struct {
    og_arena arena;
    int32_t budget, cheapest;
    int32_t labels;   /* largest number in a play */
    int32_t labelled; /* largest number of instances with labels */
    int64_t instances;
    int32_t source_count, prior_count, group_count;
    og_crowd_source source[OG_SOURCES_MAX];
    og_crowd_prior *prior;   /* [prior_count] */
    int32_t *prior_of_group; /* [group_count] */
    int64_t *size_of_group;  /* [group_count] */
    size_t room;             /* doubles that og_crowd_weigh needs */
    double error;            /* relative, proved, of all numbers that og_crowd_weigh writes */
} og_crowd_problem;

/*
 * Everything is copied. The groups' Beta(a, b) mean that an instance is positive with probability a
 * / (a + b). OG_BAD_INPUT with a message: numbers out of range; OG_STOPPED with a message: more
 * labels, or larger sums, than the limits above; OG_NO_MEMORY.
 */
og_status og_crowd_problem_init(const og_groups *instances, const og_crowd_sources *sources,
                                og_crowd_problem *out, og_message *message);
void og_crowd_problem_clear(og_crowd_problem *problem); /* a zeroed one is fine */

/* ---- tables ---- */

/* Instances of one prior with the same labels: source j has given label[2 j] positive and label[2 j
 * + 1] negative ones. */
typedef struct {
    int32_t prior;
    int64_t copies; /* >= 1 */
    uint8_t label[OG_UNKNOWN_ROW];
} og_crowd_group;

/* The data that a policy sees (og_model.state). An act is {place in the state, source}, and an
 * answer is 0 for a positive label, 1 for a negative one. */
typedef struct {
    int32_t left;  /* units */
    int32_t count; /* groups */
    const og_crowd_group *group;
} og_crowd_state;

/* True if source j may label such an instance with so much left. A known source is useless for an
 * instance whose truth is certain; an unknown one shows there whether it is right. */
bool og_crowd_open(const og_crowd_problem *problem, const og_crowd_group *group, int32_t j,
                   int32_t left);

/*
 * Pr(table), its labels in one given order; plus[count] and minus[count] are the parts of it in
 * which an instance of the group is positive and negative. `room`: problem->room doubles. Relative
 * errors hold except for numbers below 2^-900, which may become 0. Takes a step for every labelled
 * instance and every vector (ok_1, ...).
 */
double og_crowd_weigh(const og_crowd_problem *problem, const og_crowd_group *group, int32_t count,
                      double *room, double *plus, double *minus);

/* Expected number of right calls, times Pr(table), if every instance gets the likelier call. */
double og_crowd_called(const og_crowd_group *group, int32_t count, const double *plus,
                       const double *minus);

/* The same in one step, in fractions, and Pr(table) (NULL: not wanted). OG_NO_MEMORY. */
og_status og_crowd_called_exact(const og_crowd_problem *problem, const og_crowd_group *group,
                                int32_t count, mpq_t out, mpq_ptr table);

/* The same, in fractions, of a problem without a label. */
void og_crowd_prior_exact(const og_crowd_problem *problem, mpq_t out);

/*
 * Gives the first instance of group `at` one label of source j. In next[count + 1] that instance is
 * group `at`, followed by the rest of its group if there is one. No labels are cancelled. Returns
 * the number of groups.
 */
int32_t og_crowd_label(const og_crowd_group *group, int32_t count, int32_t at, int32_t j,
                       int answer, og_crowd_group *next);

/* ---- the model ---- */

/*
 * The model for a policy without a belief, or for the optimum. Values are not normalised, as in
 * dp/families/assignment_model.h: the value of a state is Pr(table) times the expected number of
 * right calls. Every answer has probability 1, with one exception: if a label of a known source
 * cancels another, the table loses both, and the answer's probability is q (1 - q).
 *
 * OG_REDUCE_SORT: equal instances are interchangeable, but not with ties `first`. OG_REDUCE_MERGE:
 * for an instance that is positive with probability 1/2 the labels may change signs. Borrows the
 * problem; og_model_free frees the rest. OG_STOPPED with a message: too many groups for a state;
 * OG_NO_MEMORY.
 */
og_status og_crowd_model(const og_crowd_problem *problem, const og_value_asked *question,
                         og_model *out, og_message *message);

#endif
