#ifndef OG_HEURISTICS_RULE_H
#define OG_HEURISTICS_RULE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/fraction.h"
#include "dp/base/status.h"
#include "dp/engine/strategy.h"

/*
 * Rules that look one label ahead: the index of an act follows from the possible outcomes of its
 * label. A rule is written once and works in every family that has prospects: it is a row of the
 * registry and a function.
 */

/* What one label may bring. */
typedef struct {
    int32_t count;             /* possible outcomes, 1 .. OG_NODE_OUTCOMES_MAX */
    const double *probability; /* [count] > 0 */
    const double *gain;       /* [count] expected worth of the calls after it, less a number that is
                               * the same for all acts of a state, usually that of the calls now */
    double mean, mean_radius; /* sum p * gain if the family knows it more accurately, and its proved
                               * error; NAN: it does not */
    /* Proved errors: relative of a probability; relative and absolute of a gain. 0: not proved. */
    double probability_error, gain_error, gain_absolute;
    double pair[4]; /* room for two outcomes */
} og_prospect;

/* Two outcomes, of which an impossible one is omitted. No errors, and no mean. */
void og_prospect_pair(og_prospect *out, const double probability[2], const double gain[2]);

struct og_rule_use;
typedef struct {
    /* The index; *radius: its proved error, if those of the prospect are; NULL: not wanted. The
     * function is NULL if all acts have the index 0. */
    double (*index)(const og_prospect *at, const struct og_rule_use *use, double *radius);
    /* The same in fractions, gain[count] and probability[count]; may change these. NULL: indices
     * within their errors tie. */
    void (*exact)(int32_t count, mpq_t *probability, mpq_t *gain, og_fraction parameter, mpq_t out);
    bool no_gain; /* the index is >= 0, but no gain that can be compared with a price */
} og_rule;

extern const og_rule og_rule_any;       /* uniform */
extern const og_rule og_rule_mean;      /* kg: sum p * gain */
extern const og_rule og_rule_best;      /* opt-kg: the largest gain */
extern const og_rule og_rule_worst;     /* pess-kg: the smallest gain */
extern const og_rule og_rule_best_part; /* cvar-kg:ALPHA: max sum q * gain over sum q = 1, 0 <= q <=
                                         * p / ALPHA: the mean over the best part ALPHA of the
                                         * outcomes; 1 is kg, 0 is opt-kg */
extern const og_rule og_rule_entropy;   /* entropy: sum p ln(1/p) */
extern const og_rule og_rule_unsure;    /* least-confidence: 1 - the largest p */

typedef struct og_rule_use {
    const og_rule *rule;
    og_fraction parameter; /* ALPHA */
    double part;           /* to the nearest double */
    bool exact; /* with the exact posterior, where the family also has an approximate one */
} og_rule_use;

static inline double og_rule_value(const og_rule_use *use, const og_prospect *at)
{
    return use->rule->index != NULL ? use->rule->index(at, use, NULL) : 0;
}

/* The prospect of the act open[k] of a view. It is called in order, from 0 on, so that what belongs
 * to the whole state can be kept in the scratch. */
typedef og_status og_prospect_of(const void *self, const og_strategy_view *view, int32_t k,
                                 og_prospect *out, og_message *message);

/* A strategy by a rule; its data begin with this. */
typedef struct {
    og_arena arena;
    og_rule_use use;
    og_prospect_of *prospect;
} og_ruled;

og_strategy_choose og_ruled_tie; /* all acts, with the index 0 */

/* Makes the data, `size` bytes that begin with an og_ruled and else are 0, and a strategy for any
 * number of threads that has no belief. OG_NO_MEMORY. */
og_status og_ruled_new(size_t size, const og_rule_use *use, og_prospect_of *prospect,
                       og_strategy *out);

#endif
