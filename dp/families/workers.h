#ifndef OG_DP_FAMILIES_WORKERS_H
#define OG_DP_FAMILIES_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/ties.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/families/workers_posterior.h"

/*
 * Labels by workers of unknown reliability as a model: an action is a pair (instance, worker), and
 * instances and workers are coupled by the labels between them. Values are not normalised: with
 * U(S) = Pr(labels of S in one given order) * (expected correct calls from S on),
 *
 *   U_0(S) = sum over i of max(positive[i], negative[i])        (dp/families/workers_posterior.h)
 *   U_r(S) = max over pairs of  U_{r-1}(S, one more positive) + U_{r-1}(S, one more negative),
 *
 * sums of positive terms without a difference or a quotient; at the root U is the value itself.
 *
 * The state of the optimum is the matrix of counts. Instances with the same prior are alike, and
 * so are workers: of the matrices that differ by their order one stands for all, where there are at
 * most OG_WORKERS_ORDERS_MAX orders of workers to look at (else workers keep their order). An
 * instance with a = b is also alike to itself with positive and negative labels exchanged.
 *
 * A policy may go by the counts alone, or have a state of its own that depends on the order of
 * labels (dp/families/workers.h: own); states are then pairs of counts and own state, histories
 * that lead to the same bits being one.
 */
enum { OG_WORKERS_ORDERS_MAX = 720 };

typedef struct {
    const void *self;
    bool remembers; /* it has a state of its own: four numbers in two rows, own[2 * instances + 2 *
                       workers], two for each instance, then two for each worker */
    void (*start)(const void *self, double *own);
    /* After a label of (instance, worker). */
    void (*update)(const void *self, double *own, int32_t instance, int32_t worker, bool positive);
    /* index[instances * workers]; larger is labelled first. Indices within OG_WORKERS_TIE tie. May
     * be called by any number of threads. `own` is NULL unless it remembers. */
    void (*index)(const void *self, const og_pair_counts *counts, const double *own, double *index);
    /* Its own final call; NULL: that of the exact posterior. */
    bool (*call)(const void *self, const double *own, int32_t instance);
} og_workers_policy;

/* Of indices of size at most 1, computed in doubles from numbers without a proved error. */
#define OG_WORKERS_TIE 1e-10

typedef struct {
    const og_workers_posterior *posterior; /* borrowed */
    const og_workers_policy *policy;       /* borrowed; NULL: the optimum */
    og_ties ties;
    bool once;      /* each pair is labelled at most once */
    int32_t labels; /* that can be given: T, at most a label a pair with once */
    bool own_calls; /* the policy makes its own final calls */
    bool reduce;    /* states that differ by the order of what is alike are one */
    int32_t key_words;
    int32_t order_count; /* of workers, that keep each in its group */
    uint8_t *orders;     /* [order_count][workers]; owned */
} og_workers_model;

/* `labels` of the posterior must be those that can be given: og_workers_labels. OG_NO_MEMORY. */
og_status og_workers_model_init(og_workers_model *out, const og_workers_posterior *posterior,
                                const og_workers_policy *policy, og_ties ties, bool once,
                                bool own_calls, unsigned reductions);
void og_workers_model_clear(og_workers_model *model); /* a zeroed one is fine */

/* Labels that can be given of a budget: with `once` at most one for each pair. */
int32_t og_workers_labels(int64_t instances, int64_t workers, int32_t budget, bool once);

/* The optimum, or the policy's value, as og_solver_value; no checkpoint. */
og_status og_workers_value(const og_workers_model *model, const og_settings *settings,
                           og_result *result, og_message *message);

/* Q of labelling pair (instance, worker) first, [instances * workers], and the proved absolute
 * error of all. labels >= 1. */
og_status og_workers_q(const og_workers_model *model, const og_settings *settings, double *q,
                       double *error, og_message *message);

/* Which pairs the policy would label first: index and ties as in the model. OG_NO_MEMORY. */
og_status og_workers_picks(const og_workers_model *model, bool *pick);

/* Histories that following the policy could take at most: (2 * pairs)^labels; saturates. */
double og_workers_histories(const og_workers_model *model);

#endif
