#ifndef OG_TESTS_PROCESS_SAMPLE_H
#define OG_TESTS_PROCESS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "optgap.h"

/* Processes of the caller's own, from their definitions: a small one by hand, the best arm at the
 * end, a trial with patients after it, the top of a ranking, labels of instances; and others with
 * one property. States are bytes. */
typedef enum {
    SAMPLE_HAND,
    SAMPLE_BEST_ARM, /* `arms` arms with the prior a, b; `left` labels */
    SAMPLE_TRIAL,    /* two arms with the priors a, b and c, d; `left` patients, `after` later */
    SAMPLE_TOP,      /* `arms` items, accuracy a/b; `left` comparisons */
    SAMPLE_LABELS,   /* as BEST_ARM, with correct calls at the end */
    SAMPLE_CHAIN,    /* `after` states in a row, each with a reward of 1 */
    SAMPLE_TEXT,     /* `lines`: "state act=p/reward/next,p/reward/next act=..." or "state value" */
} sample_kind;

typedef struct {
    sample_kind kind;
    int32_t arms, a, b, c, d, left, after;
    bool exact;               /* numbers are texts */
    const char *const *lines; /* ended by NULL; the first state is the root */
    int64_t expanded;         /* calls */
    int64_t odd_from;         /* from this call on answers change; 0: never */
} sample;

og_process sample_process(sample *from);

/* "best-arm 2x1,1 T=1" and the like, as golden values name them. */
sample sample_named(const char *name);

/* An og_choose_act of trials: the arm with the larger mean, A if equal. `user` is not used. */
og_choose_act sample_winner;

#endif
