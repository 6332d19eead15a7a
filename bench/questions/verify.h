#ifndef OG_BENCH_QUESTIONS_VERIFY_H
#define OG_BENCH_QUESTIONS_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dp/base/stop.h"

/*
 * Checks an exported policy (dp/export/policy_file.h) without the engine: of the solver's code only
 * the tables of posteriors (dp/arm/arm.h) are used.
 *
 * It always checks that the file is complete; that it holds every state that its choices can reach,
 * once, and no other; that every choice is legal; that "*" appears only if no label can change any
 * call, and "~" only if there are two different actions. It also checks that the choices, followed
 * from the root, have the stated value, within the stated error (which rounding must explain) and
 * the proved error of this computation. If several actions are listed, each is followed with the
 * same probability: the mean is the optimum only if all are optimal.
 *
 * If all actions from all states reach at most `optimum_states` states (besides the order of
 * instances nothing is merged, dropped or skipped), their values are also computed with plain
 * recursion. Then every choice in the file must attain the best of its state; if all optimal
 * actions are listed, every other action must be worse. Values too close for doubles are compared
 * in fractions, if all arms are rational, and for at most OG_VERIFY_EXACT_STATES states. A choice
 * that is proved worse, by any amount, is refused, unless it is marked as a near tie and doubles
 * cannot show the difference. Then the policy is certified as optimal, or as optimal within
 * loss_bound; otherwise only its value is certified.
 */
enum { OG_VERIFY_STATES = 2000000 };

typedef struct {
    int32_t budget;
    int64_t instances;
    bool all;           /* the file lists all optimal actions */
    uint64_t states;    /* in the file */
    uint64_t near_ties; /* of them, marked as near ties */
    double value;       /* of the policy, computed again */
    double gain;
    double error_bound;  /* |value - exact value| is at most this; proved */
    double stated_value; /* in the file */
    double stated_error;
    bool optimal;            /* every choice was compared with all other actions; then: */
    double loss_bound;       /* proved: the optimum exceeds the policy's value by at most this; 0:
                                the policy is optimal in exact arithmetic */
    uint64_t optimum_states; /* states of that comparison; if it was given up, the states visited */
    og_message certified;    /* what is certified and what is not, in one line */
} og_verification;

/*
 * Check the policy in `file`, which must be seekable; `name` is for messages.
 *
 * OG_OK: certified. OG_BAD_INPUT with a message: the file does not exist, is not a policy file, is
 * damaged or malformed, or its policy differs from its claims; the message gives the place.
 * OG_FAILED if it cannot be read for another reason (dp/base/file.h). OG_STOPPED or OG_NO_MEMORY
 * with a message: the watch stopped it, memory ran out, or the limit is too small for the states of
 * two successive numbers of labels left. *out is written on OG_OK only.
 */
og_status og_verify_run(FILE *file, const char *name, const og_settings *settings,
                        og_verification *out, og_message *message);

/* The same for the file at a path. */
og_status og_verify_path(const char *path, const og_settings *settings, og_verification *out,
                         og_message *message);

#endif
