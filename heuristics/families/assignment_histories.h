#ifndef OG_HEURISTICS_FAMILIES_ASSIGNMENT_HISTORIES_H
#define OG_HEURISTICS_FAMILIES_ASSIGNMENT_HISTORIES_H

#include <gmp.h>
#include <stdint.h>

#include "dp/base/stop.h"
#include "dp/base/ties.h"
#include "dp/families/assignment.h"
#include "heuristics/families/assignment_play.h"

/*
 * What a policy of task assignment is worth, over all its histories: draws, ties, coins and labels.
 * Hardly two histories meet in one state, so nothing is remembered; a value takes a posterior for
 * each leaf.
 */
enum { OG_ASSIGNMENT_OWN, OG_ASSIGNMENT_CALLED, OG_ASSIGNMENT_LABELS, OG_ASSIGNMENT_VALUES };

#define OG_ASSIGNMENT_LEAVES INT64_C(16777216)       /* 2^24, usually */
#define OG_ASSIGNMENT_LEAVES_MAX INT64_C(2147483648) /* 2^31, at most */

typedef struct {
    const og_assignment_player *player;
    const og_assignment *problem;             /* by which labels fall */
    const og_assignment_posterior *posterior; /* of it, for as many labels as there can be */
    int32_t budget;                           /* labels in all; -1: until it ends of its own */
    og_ties ties; /* of OG_ASSIGNMENT_TIED; best and worst by its own calls */
    int64_t leaves_max;
    int threads;
    og_stop *stop; /* NULL: nobody */
} og_assignment_histories;

typedef struct {
    /* Expected share of tasks called rightly, by its own calls; by what is likelier; labels. */
    double value[OG_ASSIGNMENT_VALUES];
    int64_t leaves;
    double error; /* of the two shares, relative, proved if chances and ties are right */
} og_assignment_valued;

/*
 * OG_STOPPED with a message: more leaves than leaves_max, or asked to stop; OG_NO_MEMORY. The same
 * bits for every number of threads.
 */
og_status og_assignment_value(const og_assignment_histories *question, og_assignment_valued *out,
                              og_message *message);

/* The same in fractions, value[OG_ASSIGNMENT_VALUES] of the caller's, by one thread; ties and the
 * policy's beliefs stay doubles. OG_BAD_INPUT with a message: its chances are no fractions (bbta).
 */
og_status og_assignment_value_exact(const og_assignment_histories *question, mpq_t *value,
                                    og_message *message);

/*
 * Regret of bbta on labels that are fixed, label[tasks * workers], none 0: what the workers it
 * drew are expected to lose, less what the best worker of each context would have, each step with
 * the history and the weights at hand. OG_BAD_INPUT with a message for another policy; else as
 * og_assignment_value. Of `question` the posterior means nothing.
 */
typedef struct {
    double drawn, best; /* the two; regret is their difference */
    int64_t leaves;
} og_assignment_regret;
og_status og_assignment_regret_of(const og_assignment_histories *question, const int8_t *label,
                                  og_assignment_regret *out, og_message *message);

#endif
