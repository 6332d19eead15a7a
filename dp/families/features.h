#ifndef OG_DP_FAMILIES_FEATURES_H
#define OG_DP_FAMILIES_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/engine/solution.h"

/*
 * Instances that are coupled by a weight vector (Chen, Lin, Zhou 2015, section 6.1): the soft label
 * of an instance with the features x in R^p is 1 / (1 + exp(-<w, x>)), and w ~ N(mean, covariance)
 * is unknown. So a label of one instance gives information about all. At the end an instance is
 * called positive if P(<w, x> >= 0) >= 1/2.
 *
 * The posterior depends only on the labels' counts. For p = 1 and 2 only integrals over w are
 * needed, with one set of points for the whole problem (dp/prior/gauss_rule.h). So the computed
 * problem has a discrete prior on these points: the recursion on it is exact, and the error of its
 * value is proved.
 */
typedef struct {
    int32_t instance_count;   /* 1 .. OG_FEATURES_INSTANCES_MAX */
    int32_t feature_count;    /* p, 1 .. OG_FEATURES_MAX */
    const double *row;        /* [instance_count * feature_count] x_i by rows, finite */
    const double *mean;       /* [feature_count] finite */
    const double *sd;         /* [feature_count] > 0, of independent weights; or NULL, and */
    const double *covariance; /* [feature_count * feature_count] positive definite; symmetric, of
                               * which the lower triangle is used */
    const int32_t *positive;  /* [instance_count] labels so far, >= 0; NULL: none */
    const int32_t *negative;
    int32_t budget; /* labels to give */
    bool played;    /* only runs are simulated: no integrals, and any number of labels */
} og_features_problem;

enum {
    OG_FEATURES_INSTANCES_MAX = 10000,
    OG_FEATURES_MAX = 1000,
    OG_FEATURES_EXACT_MAX = 2,        /* largest p with integrals */
    OG_FEATURES_LABELS_MAX = 255,     /* labels so far and to come, together */
    OG_FEATURES_POINTS_MAX = 1 << 22, /* of integration */
};

/*
 * The prepared problem. Weights are measured in standard deviations: with the covariance L L', the
 * weights are L z, z ~ N(mean, I) here, and the rows are L'x. Instances with the same row are one
 * action, because their labels give the same information. Owned by the structure, never changed.
 */
typedef struct {
    og_arena arena; /* of the arrays */
    int32_t instance_count;
    int32_t feature_count;
    int32_t budget;
    int32_t had; /* labels so far */
    int32_t action_count;
    double *mean;      /* [feature_count] */
    double *row;       /* [action_count * feature_count] */
    int64_t *copies;   /* [action_count] instances */
    int32_t *first;    /* [action_count] the first instance of each action; actions are in this
                        * order */
    int32_t *positive; /* [action_count] labels so far */
    int32_t *negative;
    int32_t *action_of;                /* [instance_count] */
    double input_error;                /* of the probability of an event, by the rounding of `mean`
                                        * and `row`; only of a covariance with tables, else 0 */
    double longest;                    /* the largest norm of |L|'|x|, likewise */
    struct og_features_tables *tables; /* private; NULL: played, or p > OG_FEATURES_EXACT_MAX */
} og_features;

/*
 * OG_BAD_INPUT with a message for numbers out of range. OG_STOPPED with a message if memory_bytes
 * or OG_FEATURES_POINTS_MAX would be exceeded: the number of points grows with the square of the
 * longest row in standard deviations (some ten thousand at length 2, p = 2). OG_NO_MEMORY.
 */
og_status og_features_new(const og_features_problem *problem, uint64_t memory_bytes,
                          og_features **out, og_message *message);
void og_features_free(og_features *features); /* NULL is fine */

/* Number of points of integration; 0: none, and the functions below must not be called. */
int64_t og_features_points(const og_features *features);

/* Expected correct calls without any further label, and its proved error. */
double og_features_prior(const og_features *features, double *error);

/*
 * The data that a policy sees (og_model.state). An act is the number of an action, an answer 1
 * (positive) or 0; decision[action] > 0 calls its instances positive. The masses are NULL with a
 * belief, and after the last label.
 */
typedef struct {
    const og_features *features;
    int32_t left;       /* labels to give */
    const double *mass; /* of the cells of integration; and after a positive label of each action */
    double *rest;       /* scratch */
    double total;       /* of the masses of the state */
    const uint8_t *count; /* [2 * action_count] negative and positive labels of each action since
                           * the root */
} og_features_state;

/* For a negative and a positive label of an action: its probability, and the expected number of
 * correct calls times that; both times state->total. */
void og_features_ahead(const og_features_state *state, int32_t action, double correct[2],
                       double mass[2]);

/*
 * The model for a question, over the counts of labels: at most C(budget + 2 actions, 2 actions)
 * states, each of which takes (budget + actions) steps for every point. For a policy with a belief,
 * over histories, each of which takes a step for every point. Not for p > OG_FEATURES_EXACT_MAX.
 * The error of a value is proved. With OG_REDUCE_MERGE both answers to the last label are one
 * outcome. Borrows the features; OG_NO_MEMORY.
 */
og_status og_features_model(const og_features *features, const og_value_asked *question,
                            og_model *out);

#endif
