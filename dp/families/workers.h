#ifndef OG_DP_FAMILIES_WORKERS_H
#define OG_DP_FAMILIES_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/engine/solution.h"
#include "dp/families/workers_posterior.h"

/*
 * Labels by workers of unknown reliability as a model: an action is a pair (instance, worker), and
 * instances and workers are coupled by the labels between them. Values are not normalised: with
 * U(S) = Pr(labels of S in one given order) * (expected correct calls from S on),
 *
 *   U_0(S) = sum over i of max(positive[i], negative[i])        (dp/families/workers_posterior.h)
 *   U_r(S) = max over pairs of  U_{r-1}(S, one more positive) + U_{r-1}(S, one more negative),
 *
 * sums of positive terms without differences or quotients; at the root U is the value itself.
 *
 * The state of the optimum is the matrix of counts. Instances with the same prior are alike, and so
 * are workers: matrices that differ by their order have one representative, if there are at most
 * OG_WORKERS_ORDERS_MAX orders of workers (else workers keep their order). For an instance with a =
 * b positive and negative labels may also be exchanged, if every worker has one coin
 * (OG_REDUCE_MERGE; the rest is OG_REDUCE_SORT).
 *
 * A policy may use the counts alone, or keep a belief that depends on the order of labels, whose
 * records of instances and workers are moved with these. An act is {instance, worker}, an answer 1
 * (positive) or 0; decision[instance] > 0 is a positive one.
 */
enum { OG_WORKERS_ORDERS_MAX = 720 };

/* The data that a policy sees (og_model.state). */
typedef struct {
    int32_t left;                 /* labels to give */
    const og_pair_counts *counts; /* [instances * workers] */
} og_workers_state;

/* The number of labels of a budget that can be given: with `once` at most one for each pair. */
int32_t og_workers_labels(int64_t instances, int64_t workers, int32_t budget, bool once);

/*
 * The model for a question, after the labels at the posterior's root. The posterior's other
 * `labels` must be og_workers_labels. `once`: each pair is labelled at most once. Borrows posterior
 * and policy; og_model_free frees the rest. Has fractions if the question asks for them, and the
 * parameters of all instances are whole. OG_NO_MEMORY.
 *
 * Errors are absolute and proved: the evidences of all reachable states sum to 1, whatever the
 * policy, and each of the instances counts at most once.
 */
og_status og_workers_model(const og_workers_posterior *posterior, bool once,
                           const og_value_asked *question, og_model *out);

#endif
