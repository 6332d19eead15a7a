#ifndef OG_DP_PRIOR_BETA_WALK_H
#define OG_DP_PRIOR_BETA_WALK_H

#include <flint/fmpz.h>
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arb.h"
#include "dp/base/rational.h"
#include "dp/prior/beta.h"

/*
 * The walk along the boundary of a Beta arm (private to dp/) goes from node to node with two
 * numbers. One interface serves two number systems:
 *
 *   excess = D = up P - down (1-P),    weight = w = d^A (1-d)^B / B(A,B),
 *
 * up and down of the payoff (dp/prior/payoff.h), 1 and 1 usually: then D = 2 P - 1. With N = A + B,
 *   a positive label:  excess += (up + down) w/A,  weight *= d N/A,      A += 1
 *   a negative label:  excess -= (up + down) w/B,  weight *= (1-d) N/B,  B += 1
 *
 * Exact: A, B whole, d = x/q, y = q - x. Then excess * m q^(N-1), m the payoff's denominator, and
 * weight * q^N are integers (a sum of binomial terms, and (N-1)!/((A-1)!(B-1)!) x^A y^B), and every
 * division in the steps is exact. Balls: excess and weight as Arb balls, A, B, N times the common
 * denominator of a and b as integers; excess times m here too.
 */
typedef struct {
    int32_t positives, negatives;            /* labels so far */
    mpz_t whole_excess, whole_weight, power; /* exact: the integers above and q^(N-1) */
    arb_t excess, weight;                    /* balls */
} walk_node;

typedef struct walk walk;

/* Values at the flip node of a level: R and its gains, rounded to nearest. */
typedef struct {
    double reward;
    double gain[2];
} flip_value;

typedef struct {
    void (*root)(walk *w, walk_node *node);
    void (*copy)(walk_node *to, const walk_node *from);
    void (*step)(walk *w, walk_node *node, int outcome);
    /* Undoes a positive label: goes to the node from which it leads here. */
    void (*step_back)(walk *w, walk_node *node);
    /* The sign of excess. */
    int (*sign)(walk *w, const walk_node *node);
    double (*call)(walk *w, const walk_node *root);
    /* The values of `node`, whose call the label `outcome` flips; that label leads to `next`. */
    flip_value (*value)(walk *w, const walk_node *node, const walk_node *next, int outcome);
} walk_system;

/* The precisions to try, in order: two words decide almost every number; only ties need all. */
enum { OG_PRECISION_COUNT = 3 };
extern const slong og_precisions[OG_PRECISION_COUNT];

extern const walk_system og_walk_exact;
extern const walk_system og_walk_ball;

struct walk {
    const walk_system *system;
    const og_group *group;
    og_payoff_whole payoff;
    mpz_t move;        /* up + down of the payoff, times its denominator */
    bool fair;         /* threshold 1/2 and up == down: the sign of excess is that of A - B */
    og_wide x, y, q;   /* the threshold is x/q, y = q - x */
    fmpz_t a, b, unit; /* unit = common denominator; a, b times it */
    slong precision;   /* balls */
    int tiny_bits;     /* OG_BETA_TINY_BITS at the last precision, at which tiny numbers count as
                        * zero; else 0 */
    bool undecided;    /* output: this precision was too low; the results are invalid */
    mpz_t scratch, other;
    fmpz_t part, rest, total;
    arb_t ball;
};

/* True if the whole numbers that describe Beta(a, b) after `depth` labels are not too long. */
bool og_beta_is_exact(og_fraction a, og_fraction b, og_fraction threshold, int32_t depth);

/* Allocates a Beta or a mixture with its arrays, which are empty; NULL: no memory. */
og_beta *og_beta_allocate(const og_group *group, int32_t depth, bool exact);

/* True if no reward, of the levels that have one, is below the normal range of double. */
bool og_rewards_are_normal(const og_beta *beta);

/* Initialises and clears balls up to a NULL, as mpq_inits does. */
void og_balls_init(arb_ptr first, ...) __attribute__((sentinel));
void og_balls_clear(arb_ptr first, ...) __attribute__((sentinel));

void og_set_fraction(arb_t out, og_fraction value, slong precision);

void og_walk_init(walk *w, const og_group *group, bool exact, slong precision);
void og_walk_clear(walk *w);

/*
 * The one double that every number in the ball rounds to; false if there are several. At the last
 * precision, where tiny_bits > 0, a ball within 2^-tiny_bits of zero counts as zero. A ball whose
 * radius is that small relative to its midpoint counts as the midpoint: the exact value is then
 * nearly halfway between two doubles, and either is within 2^-53 of it.
 */
bool og_nearest_of_ball(const arb_t ball, slong precision, int tiny_bits, double *out);

/* True if the whole ball is within 2^-bits of zero. */
bool og_ball_is_tiny(const arb_t ball, int bits);

/* P * q^(N-1) of Beta(A, B) at x/q, a sum of min(A, B) binomial terms, by binary splitting. */
void og_exact_tail(uint32_t a, uint32_t b, og_wide x, og_wide q, mpz_t out);

/* weight * q^N = (N-1)!/((A-1)!(B-1)!) x^A y^B. */
void og_exact_weight(uint32_t a, uint32_t b, og_wide x, og_wide q, mpz_t out);

/*
 * For Beta(a, b) and a threshold d, rigorous: weight = d^a (1-d)^b / B(a,b); the probabilities
 * below and above d, the lighter one with as many good digits as the precision has.
 */
void og_ball_weight(const og_group *group, arb_t weight, slong precision);
void og_ball_tails(const og_group *group, arb_t below, arb_t above, arb_t weight, slong precision);

/* The weight and D m of the prior, m the payoff's denominator, rigorous; computed from the lighter
 * tail. */
void og_ball_root(const og_group *group, arb_t excess, arb_t weight, slong precision);

#endif
