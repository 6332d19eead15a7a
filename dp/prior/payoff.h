#ifndef OG_DP_PRIOR_PAYOFF_H
#define OG_DP_PRIOR_PAYOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"

/*
 * What a call is worth, by what is called and what is true. With P = Pr(soft label >= threshold)
 * an instance is worth
 *
 *   h = max(TP P + FP (1-P), FN P + TN (1-P)),
 *
 * the first of them called positive, the second called negative. Their difference is
 *
 *   D = up P - down (1-P),   up = TP - FN >= 0,   down = TN - FP >= 0,
 *
 * so a call is positive if D >= 0: if P is at least down / (up + down). All of what a label can
 * gain hangs on D. *Proof.* h is a linear function of P and max(D, 0), and labels do not move the
 * expected P. So if a label flips a positive call, R = p (-D'), D' after it; if it flips a negative
 * one, R = p D'; else 0. The usual payoff, 1, 0, 0, 1, has D = 2P - 1.
 *
 * With up or down negative the better call could be the wrong one: refused.
 */
typedef struct {
    bool given;              /* false: 1, 0, 0, 1, and the rest is zeros */
    og_fraction worth[2][2]; /* [call][truth], 0 positive and 1 negative: {{TP, FP}, {FN, TN}} */
} og_payoff;

#define OG_PAYOFF_MAX 1000000 /* of what a call is worth, either sign, and of the denominators */

/* The same in whole numbers over their common denominator, below 2^43 each. */
typedef struct {
    int64_t worth[2][2];
    int64_t den;
    int64_t up, down; /* D = (up P - down (1-P)) / den */
} og_payoff_whole;

/* Read "TP,FP,FN,TN", decimals with an optional minus; the usual payoff is not `given` then.
 * OG_BAD_INPUT with a message that begins with `what`. */
og_status og_payoff_parse(const char *text, const char *what, og_payoff *out, og_message *message);

/* Are the numbers in range, lowest terms and common denominator included, up and down >= 0 and not
 * both 0? OG_BAD_INPUT with a message that begins with `what`. */
og_status og_payoff_check(const og_payoff *payoff, const char *what, og_message *message);

/* "1,-5,0,1". Returns what snprintf returns. */
int og_payoff_format(const og_payoff *payoff, char *text, size_t size);
enum { OG_PAYOFF_TEXT_BYTES = 200 };

/* Of a payoff that passes the check, as those below. */
og_payoff_whole og_payoff_in_whole(const og_payoff *payoff);

/* The nearest double of what a call is worth. */
double og_payoff_worth(const og_payoff *payoff, int call, int truth);

/* The largest difference that a call can make: max(up, down), 1 usually. */
double og_payoff_scale(const og_payoff *payoff);

/* The largest in size of what a call can be worth. */
double og_payoff_most(const og_payoff *payoff);

/* An order; equal ones are 0, however they were given. */
int og_payoff_compare(const og_payoff *x, const og_payoff *y);

/* Positive and negative trade places: that of the mirror image (a, b, d) ~ (b, a, 1 - d). */
og_payoff og_payoff_mirror(const og_payoff *payoff);

/* up == down: a call is positive if P >= 1/2. */
bool og_payoff_is_even(const og_payoff *payoff);

/* It is its own mirror image: TP == TN and FP == FN. */
bool og_payoff_is_symmetric(const og_payoff *payoff);

#endif
