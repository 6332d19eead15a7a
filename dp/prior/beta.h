#ifndef OG_DP_PRIOR_BETA_H
#define OG_DP_PRIOR_BETA_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/status.h"
#include "dp/prior/problem.h"

/*
 * The numbers of a Beta arm: the nodes at which a call can change, and the value of a label there.
 * The node (n, s) has had n labels, s of them positive: its posterior is Beta(A, B) with A = a + s,
 * B = b + n - s, its P = Pr(soft label >= threshold). It is called positive if D = up P - down
 * (1-P) >= 0, up and down of the payoff (dp/prior/payoff.h): usually 1 and 1, D = 2P
 * - 1.
 *
 * P grows with s at fixed n, so the calls of level n are known by boundary[n], the least s that is
 * called positive (n + 1 if none is). One more label moves the boundary by 0 or 1, so in each level
 * at most one node has a call that a label can flip, and R = 0 everywhere else:
 *
 *   boundary moves up:  the node s = boundary is positive, a negative label flips it,
 *                       R = p2 * -D(A, B+1);
 *   boundary stays:     the node s = boundary - 1 is negative, a positive label flips it,
 *                       R = p1 * D(A+1, B), unless that D is exactly 0: then R = 0.
 *
 * Every double here (call, reward, gain) is the exact value rounded to nearest, hence a function of
 * the posterior, the threshold and the payoff alone: equal posteriors reached from different
 * priors, and mirror images (A, B, d) ~ (B, A, 1-d), the payoff mirrored too, have the same bits.
 * Integer parameters are computed in exact integers; other ones in Arb balls whose precision is
 * raised until the ball lies within one double's interval.
 *
 * A number still undecided at OG_BETA_PRECISION_MAX bits (in practice an exact tie D = 0 at a
 * threshold other than 1/2) is less than 2^-OG_BETA_TINY_BITS and counts as a tie. At threshold
 * 1/2, if up and down are equal, the calls compare A with B and nothing is ever undecided.
 */
enum {
    OG_BETA_PRECISION_MAX = 2048,
    OG_BETA_TINY_BITS = 1000,
    /* Integer parameters are exact while (a + b + depth) * log2(denominator of the threshold) is
       at most this: P has that many digits. */
    OG_BETA_EXACT_BITS = 1 << 16,
};

typedef struct og_beta {
    og_arena arena;
    og_group group; /* plain */
    int32_t depth;
    bool exact;        /* integers and not too long: the og_beta_exact_* functions work */
    double call;       /* h of the root */
    int32_t *boundary; /* [depth + 1] */
    int32_t *flip;     /* [depth] the node of the level whose call a label can flip; -1: none */
    double *reward;    /* [depth] its R; 0 if there is none */
    double *gain;      /* [depth][2] its gains h(next) - h; NULL for a mixture */
    /* For a mixture (dp/prior/mixture.h): threshold 1/2, a payoff with up == down, and the
     * posteriors of the nodes with s - (n - s) = diagonal are mirror images of themselves. */
    bool symmetric;
    int32_t diagonal;
} og_beta;

/* OG_FAILED: the incomplete beta function did not reach the required precision (this never happened
 * in tests over the whole range of parameters), or an R other than 0 is below the normal range of
 * double, so that no relative error could be guaranteed (this needs a P within 1e-300 of 1/2).
 * OG_NO_MEMORY. Cost: O(depth) steps; the root takes milliseconds, with parameters near 1e6 up to a
 * second. */
og_status og_beta_new(const og_group *group, int32_t depth, og_beta **out);
void og_beta_free(og_beta *beta);

/* Bytes of one og_beta. */
uint64_t og_beta_bytes(int32_t depth);

/* True if the node is called positive. */
static inline bool og_beta_positive(const og_beta *beta, int32_t n, int32_t s)
{
    return s >= beta->boundary[n];
}

/* The label that flips the call of the level's flip node: 0 for a positive one, 1 for a negative
 * one. */
static inline int og_beta_flip_outcome(const og_beta *beta, int32_t n)
{
    return og_beta_positive(beta, n, beta->flip[n]) ? 1 : 0;
}

/*
 * Both gains of every node of levels 0 .. depth-1, [node][2] level by level. The flip node's gains
 * are rounded to nearest. The others are +-w/A and +-w/B, w = d^A (1-d)^B / B(A,B), times the slope
 * of the call in P, TP - FP or TN - FN. They are computed from three correctly rounded factors and
 * two multiplications, and a slope other than 1: relative error at most *error.
 */
og_status og_beta_gains(const og_beta *beta, double *gain, double *error);

/* Exact values, if beta->exact. */
void og_beta_exact_call(const og_beta *beta, mpq_t out);
void og_beta_exact_reward(const og_beta *beta, int32_t n, int32_t s, mpq_t out);
void og_beta_exact_gain(const og_beta *beta, int32_t n, int32_t s, int outcome, mpq_t out);

#endif
