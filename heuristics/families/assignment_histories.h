#ifndef OG_HEURISTICS_FAMILIES_ASSIGNMENT_HISTORIES_H
#define OG_HEURISTICS_FAMILIES_ASSIGNMENT_HISTORIES_H

#include <gmp.h>
#include <stdint.h>

#include "dp/base/stop.h"
#include "dp/base/ties.h"
#include "dp/families/assignment.h"
#include "heuristics/families/assignment_play.h"

/*
 * The exact value of a policy of task assignment, over all its histories: draws, ties, coins and
 * labels. Different histories rarely lead to the same state, so no values are stored; the walk
 * computes a posterior for each leaf.
 */
enum { OG_ASSIGNMENT_OWN, OG_ASSIGNMENT_CALLED, OG_ASSIGNMENT_LABELS, OG_ASSIGNMENT_VALUES };

#define OG_ASSIGNMENT_LEAVES INT64_C(16777216)       /* the default, 2^24 */
#define OG_ASSIGNMENT_LEAVES_MAX INT64_C(2147483648) /* the largest limit, 2^31 */

typedef struct {
    const og_assignment_player *player;
    const og_assignment *problem; /* the model that generates the labels */
    const og_assignment_posterior
        *posterior; /* of the problem, for the largest possible number of labels */
    int32_t budget; /* labels in all; -1: until the policy ends */
    og_ties ties;   /* for OG_ASSIGNMENT_TIED; best and worst refer to the policy's calls */
    int64_t leaves_max;
    int threads;
    og_stop *stop; /* NULL: none */
} og_assignment_histories;

typedef struct {
    /* Expected share of correct calls with the policy's calls, and with the likelier calls;
     * expected number of labels. */
    double value[OG_ASSIGNMENT_VALUES];
    int64_t leaves;
    double error; /* relative error of the two shares, proved if the policy's probabilities and ties
                     are exact */
} og_assignment_valued;

/*
 * Computes the value. OG_STOPPED with a message: more leaves than leaves_max, or `stop` is set;
 * OG_NO_MEMORY. The bits are the same for every number of threads.
 */
og_status og_assignment_value(const og_assignment_histories *question, og_assignment_valued *out,
                              og_message *message);

/* The same in fractions, with one thread; the caller provides value[OG_ASSIGNMENT_VALUES]. Ties and
 * the policy's beliefs remain doubles. OG_BAD_INPUT with a message: the policy's probabilities are
 * not fractions (bbta).
 */
og_status og_assignment_value_exact(const og_assignment_histories *question, mpq_t *value,
                                    og_message *message);

/*
 * Computes the regret of bbta on fixed labels, label[tasks * workers], none 0: the expected losses
 * of the workers that it drew, minus those of the best worker of each context, in each step with
 * the current history and weights. OG_BAD_INPUT with a message for another policy; else as
 * og_assignment_value. Ignores the posterior of `question`.
 */
typedef struct {
    double drawn, best; /* the two losses; their difference is the regret */
    int64_t leaves;
} og_assignment_regret;
og_status og_assignment_regret_of(const og_assignment_histories *question, const int8_t *label,
                                  og_assignment_regret *out, og_message *message);

#endif
