#ifndef OG_DP_PRIOR_PAYOFF_H
#define OG_DP_PRIOR_PAYOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/prior/worth_values.h"

/* The worth h of an instance when labelling ends. With P = Pr(soft label >= threshold), or with
 * several classes I_c = Pr(class c has the largest share): */
typedef enum {
    OG_WORTH_CALLS,   /* of the best call: below */
    OG_WORTH_BRIER,   /* -P (1-P); of classes -sum of I_c (1 - I_c) */
    OG_WORTH_SQUARED, /* minus the variance of the soft label; of classes, of all shares */
    OG_WORTH_LOG,     /* P ln P + (1-P) ln(1-P); of classes the sum of I_c ln I_c */
    OG_WORTH_VALUES,  /* of a table or a function (dp/prior/worth_values.h) */
} og_worth_kind;

/*
 * The value of a call, for each call and each truth. With P = Pr(soft label >= threshold) the value
 * of an instance is
 *
 *   h = max(TP P + FP (1-P), FN P + TN (1-P)),
 *
 * the first of them called positive, the second called negative. Their difference is
 *
 *   D = up P - down (1-P),   up = TP - FN >= 0,   down = TN - FP >= 0,
 *
 * so a call is positive if D >= 0: if P is at least down / (up + down). The gain of a label depends
 * only on D. *Proof.* h is a linear function of P and max(D, 0), and labels do not change the
 * expected P. So if a label flips a positive call, R = p (-D'), where D' is D after it; if it flips
 * a negative one, R = p D'; else 0. The usual payoff, 1, 0, 0, 1, has D = 2P - 1.
 *
 * With up or down negative the better call could be the wrong one: refused.
 *
 * There may be a third call, undecided, whose value is U whatever the truth: h is the largest of
 * three. It is convex in P, so its pieces follow each other in the order of their slopes. If low,
 * middle and high are the largest somewhere in (0, 1),
 *
 *   h = low + max(middle - low, 0) + max(high - middle, 0).
 *
 * *Proof.* In a convex function of three pieces the kink c of low and middle lies below the kink c'
 * of middle and high. Up to c both brackets are 0, between them the first alone is not, and beyond
 * c' they add up to high - low. As low is linear, R is the sum of the rewards of the two payoffs of
 * two calls, (middle, low) and (high, middle), which follow from the above: at most two nodes of a
 * level have a reward. A label that leads from one call to another has the gain that it has with
 * these two calls alone, (high, low) if it skips the middle: the better of them is the best of all
 * at both ends.
 */
typedef struct {
    bool given;              /* false: 1, 0, 0, 1, and the rest is zeros */
    og_worth_kind kind;      /* if it is not of calls, these are made as with 1, 0, 0, 1, and the
                              * rest but `values` is zeros */
    bool third;              /* there is a third call; else undecided is zeros */
    og_fraction worth[2][2]; /* [call][truth], 0 positive and 1 negative: {{TP, FP}, {FN, TN}} */
    og_fraction undecided;   /* U */
    const og_worth_values *values; /* OG_WORTH_VALUES: borrowed, but see og_groups; else NULL */
} og_payoff;

/* The calls of an instance; with several classes, the class is the call. */
enum { OG_CALL_POSITIVE, OG_CALL_NEGATIVE, OG_CALL_UNDECIDED, OG_CALL_COUNT };

#define OG_PAYOFF_MAX 1000000 /* limit of a call's value, either sign, and of denominators */

/* The same in whole numbers over their common denominator, below 2^43 each. */
typedef struct {
    int64_t worth[2][2];
    int64_t den;
    int64_t up, down; /* D = (up P - down (1-P)) / den */
} og_payoff_whole;

/* Read "TP,FP,FN,TN" or "TP,FP,FN,TN,U", decimals with an optional minus, or a name: accuracy, the
 * usual payoff, which is not `given` then, brier, squared or log. OG_BAD_INPUT with a message that
 * begins with `what`, also for a table. */
og_status og_payoff_parse(const char *text, const char *what, og_payoff *out, og_message *message);

/* The file of "table:FILE"; NULL if the text is something else. */
const char *og_payoff_file(const char *text);

/* Checks that the numbers are in range, including lowest terms and the common denominator, and that
 * up and down are >= 0 and not both 0. OG_BAD_INPUT with a message that begins with `what`. */
og_status og_payoff_check(const og_payoff *payoff, const char *what, og_message *message);

/* Reads the price of a label: a decimal greater than 0 and less than OG_PAYOFF_MAX, with at most
 * six decimals. The first function reads `length` letters and returns false if they are not a
 * price; the second returns OG_BAD_INPUT with a message that begins with `what`. */
bool og_price_read(const char *text, size_t length, og_fraction *out);
og_status og_price_parse(const char *text, const char *what, og_fraction *out, og_message *message);

/* "1,-5,0,1", "1,-5,0,1,0.5", "brier", "table:FILE" or a function's name. Returns the result of
 * snprintf. */
int og_payoff_format(const og_payoff *payoff, char *text, size_t size);
enum { OG_PAYOFF_TEXT_BYTES = 250 };

/* Its name, if it is not of calls; else NULL. */
const char *og_payoff_name(const og_payoff *payoff);

/* For a payoff that passes the check, as in the functions below; uses its first two calls. One that
 * is not of calls has those of the usual payoff, in the functions about calls. */
og_payoff_whole og_payoff_in_whole(const og_payoff *payoff);

/*
 * The calls that can be best, `count` of them, in the order in which P grows, and payoffs of two
 * calls: of the first two, of the second and third, of the first and third; the later call is the
 * positive one. If there is no third call, or it is never the only best one, between[0] is the
 * payoff itself. If one call is always best, it appears twice, and between[0] pairs it with a worse
 * call that is never made.
 */
typedef struct {
    int count; /* 2 or 3 */
    int call[OG_CALL_COUNT];
    og_payoff between[3]; /* [count == 3 ? 3 : 1] */
} og_payoff_calls;
og_payoff_calls og_payoff_in_calls(const og_payoff *payoff);

/* The nearest double of a call's value. */
double og_payoff_worth(const og_payoff *payoff, int call, int truth);

/* The number of calls, 2 or 3. */
int og_payoff_call_count(const og_payoff *payoff);

/* The largest difference that a call can make: max(up, down), usually 1. No R is larger, and
 * knowing the truth is never worth more than half of it. *Proof.* Let the calls have values w, and
 * let c be the best at P. Then R = E[f_c'(P') - f_c(P')], and each f_c'(P') - f_c(P') is an average
 * of w_c' - w_c over the truths. If the truth were known, calls x and y would be made; h is at
 * least f_x and f_y, so at most min(1 - P, P) times the scale is missing. */
double og_payoff_scale(const og_payoff *payoff);

/*
 * The most that an instance of this payoff and so many classes can still gain, whatever labels it
 * gets: half of the scale, 1 - 1/classes without a payoff, and else the range of h: of brier and
 * squared at most 1/4, of C classes 1 - 1/C, of log ln C; of values the largest less the least.
 */
double og_payoff_missing(const og_payoff *payoff, int32_t classes);

/* The largest absolute h of an instance of so many classes: of a call or, if it is not of calls, as
 * above. */
double og_payoff_most(const og_payoff *payoff, int32_t classes);

/* True if the best h can be below 0. */
bool og_payoff_may_lose(const og_payoff *payoff);

/* The largest h: of a right call, which is at least that of a wrong one, or U; of a name 0. */
double og_payoff_best(const og_payoff *payoff);

/* An order; 0 for equal payoffs, however they were given. */
int og_payoff_compare(const og_payoff *x, const og_payoff *y);

/* Exchanges positive and negative: the payoff of the mirror image (a, b, d) ~ (b, a, 1 - d). That
 * of values is no payoff of another instance. */
og_payoff og_payoff_mirror(const og_payoff *payoff);

/* True if up == down: of the first two calls positive is made if P >= 1/2. */
bool og_payoff_is_even(const og_payoff *payoff);

/* True if it is its own mirror image: TP == TN and FP == FN. U has the same value on both sides. */
bool og_payoff_is_symmetric(const og_payoff *payoff);

#endif
