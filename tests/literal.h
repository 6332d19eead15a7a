#ifndef OG_TESTS_LITERAL_H
#define OG_TESTS_LITERAL_H

#include <stdint.h>

#include "dp/base/ties.h"

/*
 * A decision problem as it is defined, valued in long double over every history: nothing is
 * remembered, merged or renamed, and values are those of the end, not gains. What a family's
 * definition is stands in tests/conformance_*.c; it shares no code with dp/.
 */
enum { LITERAL_NUMBERS = 48, LITERAL_ACTS = 16, LITERAL_ANSWERS = 8 };

/* A state: the family says what its numbers are. */
typedef struct {
    int32_t x[LITERAL_NUMBERS];
} literal_place;

typedef struct literal literal;
struct literal {
    const void *object; /* the family's own */
    const char *policy; /* NULL: the optimum */
    og_ties ties;
    long double tie; /* 0: LITERAL_TIE */

    /* How many acts there are, at most LITERAL_ACTS; 0: an end. One where only chance decides. */
    int32_t (*acts)(const literal *by, const literal_place *at);
    /* What may come of one, with its chances, which add up to 1; at most LITERAL_ANSWERS. */
    int32_t (*answers)(const literal *by, const literal_place *at, int32_t act, literal_place *next,
                       long double *chance);
    long double (*worth)(const literal *by, const literal_place *at); /* of an end */
    /* Of the policy: the largest is taken, those nearer than `tie` tie; -INFINITY: never. */
    long double (*index)(const literal *by, const literal_place *at, int32_t act);
    long double (*reward)(const literal *by, const literal_place *at, int32_t act); /* NULL: 0 */
};

#define LITERAL_TIE 1e-13L

long double literal_value(const literal *by, const literal_place *at);

/* With this act done first; -1: whatever. */
long double literal_value_of_act(const literal *by, const literal_place *at, int32_t act);

/* The expected worth after an act, if the end came then: what looks one answer ahead. */
long double literal_ahead(const literal *by, const literal_place *at, int32_t act);

/*
 * The index of a rule that looks one label ahead, by its name, from the gains of the possible
 * outcomes: kg the mean, opt-kg the largest, pess-kg the smallest, cvar-kg:ALPHA the mean of the
 * best part, in the form of [Rockafellar and Uryasev 2000]: the least of c + E max(gain - c, 0) /
 * ALPHA, which is found at a gain; entropy and least-confidence from the chances alone. kg-exact
 * and the like are the same; uniform: 0.
 */
long double literal_rule(const char *name, int32_t count, const long double *chance,
                         const long double *gain);

/* The same of an act; gains are in expected worth, if the end came after the answer. */
long double literal_rule_of_act(const literal *by, const literal_place *at, int32_t act);

/* Pr(theta >= threshold) under Beta(a, b), whole parameters. */
long double literal_positive(int32_t a, int32_t b, long double threshold);

#endif
