#ifndef OG_DP_PRIOR_WORTH_H
#define OG_DP_PRIOR_WORTH_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * The numbers of the worths that have a name (private to dp/): brier, squared and log of
 * dp/prior/payoff.h, for labels of two outcomes. `plain` is a Beta or a mixture in plain form; the
 * node (n, s) has had n labels, s of them positive.
 *
 * All three are strictly convex functions of the posterior, which is a martingale, so R > 0 by
 * Jensen. Without cancellation, with P' and q the P and the probability of an outcome, m the mean
 * of the soft label and the sums over both outcomes,
 *
 *   brier    R = sum of q (P' - P)^2,      log   R = sum of q (P' ln(P'/P) + (1-P')
 * ln((1-P')/(1-P))), squared  R = sum of q (m' - m)^2,      and -h = m (m1 - m), m1 the mean after
 * a positive label.
 *
 * *Proof.* P and m are means of themselves after the label; so is P ln P with the old logarithm.
 *
 * P' - P = (up1 low2 - up2 low1) / (Z Z'), as in dp/prior/mixture.c, where Beta is a mixture of
 * one. Doubles are exact values rounded to nearest; but an R below the smallest normal double is
 * that double, which changes no value by more than 2^-1022 a label: less than 2^-100 of the error
 * of h, which is at least 2^-953.
 */

/* True if og_worth_exact knows this worth: squared always, brier where P is a fraction, log
 * never. */
bool og_worth_is_exact(const og_group *plain, int32_t depth);

/* h of a node as a fraction. Thread-safe. */
void og_worth_exact(const og_group *plain, int32_t n, int32_t s, mpq_t out);

/* h of the prior, and R of all nodes of levels 0 .. depth-1, [node] level by level. OG_NO_MEMORY;
 * OG_FAILED: the precision is too low, or -h of the prior is below 2^-900. O(depth^2). */
og_status og_worth_rewards(const og_group *plain, int32_t depth, double *call, double *reward);

/* Both gains of these nodes, [node][2], rounded to nearest. */
og_status og_worth_gains(const og_group *plain, int32_t depth, double *gain);

/* Temporary memory of both. */
uint64_t og_worth_bytes(int32_t depth);

#endif
