#ifndef OG_DP_FAMILIES_FEATURES_H
#define OG_DP_FAMILIES_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/ties.h"
#include "dp/engine/settings.h"

/*
 * Instances that are coupled by a weight vector (Chen, Lin, Zhou 2015, section 6.1): the soft label
 * of an instance with the features x in R^p is 1 / (1 + exp(-<w, x>)), and w ~ N(mean, diag(sd^2))
 * is unknown. A label of one instance tells about all. In the end an instance is called positive if
 * P(<w, x> >= 0) >= 1/2.
 *
 * The posterior depends on the labels' counts only. For p = 1 and 2 all that is needed of it are
 * integrals over w, one set of points for the whole problem (dp/prior/gauss_rule.h), so that what
 * is computed is the problem of a discrete prior on these points: the recursion on it is exact, and
 * the error of its value is proved.
 */
typedef struct {
    int32_t instance_count;  /* 1 .. OG_FEATURES_INSTANCES_MAX */
    int32_t feature_count;   /* p, 1 .. OG_FEATURES_MAX */
    const double *row;       /* [instance_count * feature_count] x_i by rows, finite */
    const double *mean;      /* [feature_count] finite */
    const double *sd;        /* [feature_count] > 0 */
    const int32_t *positive; /* [instance_count] labels so far, >= 0; NULL: none */
    const int32_t *negative;
    int32_t budget; /* labels to give */
} og_features_problem;

enum {
    OG_FEATURES_INSTANCES_MAX = 10000,
    OG_FEATURES_MAX = 1000,
    OG_FEATURES_EXACT_MAX = 2,        /* p that can be integrated over */
    OG_FEATURES_LABELS_MAX = 255,     /* labels so far and to give, all together */
    OG_FEATURES_POINTS_MAX = 1 << 22, /* of integration */
};

/*
 * What is made of it. Weights are counted in standard deviations: w ~ N(mean, I) here, and the rows
 * are scaled for it. Instances with the same row are one action: a label of one of them tells what
 * a label of another would. Owned by the structure, never changed.
 */
typedef struct {
    int32_t instance_count;
    int32_t feature_count;
    int32_t budget;
    int32_t had; /* labels so far */
    int32_t action_count;
    double *mean;      /* [feature_count] */
    double *row;       /* [action_count * feature_count] */
    int64_t *copies;   /* [action_count] instances */
    int32_t *first;    /* [action_count] the first of them; actions are in its order */
    int32_t *positive; /* [action_count] labels so far */
    int32_t *negative;
    int32_t *action_of;                /* [instance_count] */
    struct og_features_tables *tables; /* private; NULL: p > OG_FEATURES_EXACT_MAX */
} og_features;

/*
 * OG_BAD_INPUT with a message for numbers out of range; OG_STOPPED with a message where
 * memory_bytes or OG_FEATURES_POINTS_MAX would be passed: points grow with the square of the
 * longest row in standard deviations (some ten thousand at length 2, p = 2). OG_NO_MEMORY.
 */
og_status og_features_new(const og_features_problem *problem, uint64_t memory_bytes,
                          og_features **out, og_message *message);
void og_features_free(og_features *features); /* NULL is fine */

/* Points of integration; 0: none, and the functions below are not to be called. */
int64_t og_features_points(const og_features *features);

/* Expected correct calls without any further label, and its proved error. */
double og_features_call(const og_features *features, double *error);

/* Who plays. All but the optimum divide a tie by og_ties; indices that differ by at most
 * OG_FEATURES_TIE correct calls tie. Instances of one action always tie. */
typedef enum {
    OG_FEATURES_OPTIMUM,
    OG_FEATURES_UNIFORM, /* all instances alike; ties mean nothing to it but OG_TIES_RANDOM's draw
                          */
    OG_FEATURES_KG,      /* largest expected gain of one label, by the exact posterior */
    OG_FEATURES_OPT_KG,  /* largest gain of the better label, by the exact posterior */
} og_features_play;

#define OG_FEATURES_TIE 1e-9

/*
 * Its value, over the counts of labels: at most C(budget + 2 actions, 2 actions) states, each of
 * which takes (budget + actions) steps for every point. *result as og_solver_value fills it.
 */
og_status og_features_value(const og_features *features, og_features_play play, og_ties ties,
                            const og_settings *settings, og_result *result, og_message *message);

/*
 * Q of labelling an instance of each action first, the gain still to come if play is optimal after
 * that: q[action_count], and the proved error of each. budget >= 1.
 */
og_status og_features_q(const og_features *features, const og_settings *settings, double *q,
                        double *error, og_message *message);

/* Which actions a play's first label could take: pick[action_count]; not for the optimum. */
og_status og_features_picks(const og_features *features, og_features_play play, bool *pick);

/*
 * A policy that keeps a belief of its own, which may depend on the order of labels: an index for
 * every action, ties as above, and calls of its own in the end. `belief` is belief_bytes of memory,
 * aligned for doubles.
 */
typedef struct {
    const void *self;
    size_t belief_bytes;
    void (*begin)(const void *self, void *belief);
    void (*learn)(const void *self, const void *before, int32_t action, bool positive, void *after);
    void (*index)(const void *self, const void *belief, double *index); /* [action_count] */
    void (*call)(const void *self, const void *belief, bool *positive); /* [action_count] */
} og_features_policy;

/*
 * Its value over all histories of labels, each a state of the result; OG_STOPPED with a message
 * past 2^31 of them, at once where two labels' outcomes alone make that many. *called_value: the
 * value where the exact posterior makes the final calls instead. *tolerance_ties: decisions at
 * which indices that differ tied. For OG_TIES_BEST and OG_TIES_WORST the policy's own calls decide.
 * On one thread.
 */
og_status og_features_policy_value(const og_features *features, const og_features_policy *policy,
                                   og_ties ties, const og_settings *settings, og_result *result,
                                   double *called_value, uint64_t *tolerance_ties,
                                   og_message *message);

/* Mark the actions whose index ties with the largest: pick[count]. Returns how many of them have
 * another index than the largest. */
int32_t og_features_tied(const double *index, int32_t count, bool *pick);

#endif
