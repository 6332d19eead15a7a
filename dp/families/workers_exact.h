#ifndef OG_DP_FAMILIES_WORKERS_EXACT_H
#define OG_DP_FAMILIES_WORKERS_EXACT_H

#include <gmp.h>

#include "dp/families/workers_posterior.h"

/*
 * The posterior of workers in fractions: the same sums as og_workers_evidence, term by term. The
 * parameters of instances must be whole numbers; those of workers need not be.
 */
typedef struct {
    og_arena arena;
    const og_workers_posterior *posterior;
    mpq_t **instance; /* [instance groups][side * side] as in og_workers_posterior */
    mpq_t **chance;
    mpq_t **coin; /* [coins][side * side] */
} og_workers_fractions;

/* Borrows the posterior, and the groups from which it was made. OG_NO_MEMORY. */
og_status og_workers_fractions_init(og_workers_fractions *out,
                                    const og_workers_posterior *posterior);
void og_workers_fractions_clear(og_workers_fractions *fractions); /* a zeroed one is fine */

/* *evidence and, unless `right` is NULL, the sum over instances of the larger one of positive[i]
 * and negative[i]. Not relative to the root. */
og_status og_workers_weigh(const og_workers_fractions *fractions, const og_pair_counts *counts,
                           mpq_t evidence, mpq_ptr right);

#endif
