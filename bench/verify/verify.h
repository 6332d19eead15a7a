#ifndef OG_BENCH_VERIFY_VERIFY_H
#define OG_BENCH_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dp/base/status.h"

/*
 * An exported policy (dp/export/policy_file.h), checked without the engine: of what solves
 * problems, only the tables of posteriors (dp/arm/arm.h) are used.
 *
 * Always: the file is whole; every state that its choices can reach is there, once, and no other;
 * every choice is legal; "*" stands only where no label can change any call, "~" only where there
 * are two different actions; and the choices, followed from the root, are worth what the file says,
 * within its stated error (which rounding must explain) and the proved one of this computation.
 * Where several actions are listed, each is followed with the same probability: the mean is the
 * optimum only if all are optimal.
 *
 * Where all actions from all states reach at most `optimum_states` states (order of instances
 * aside, nothing is merged, dropped or skipped), their values are computed by plain recursion too,
 * and every choice in the file must attain the best of its state; with all actions listed, every
 * other must be worse. What doubles cannot tell apart is compared in fractions, where all arms are
 * rational and for OG_VERIFY_EXACT_STATES states at most. A choice that is proved to be worse by
 * however little is refused, unless it is marked as a near tie and no worse than doubles can tell.
 * Then the policy is certified to be optimal, or within loss_bound of that; else only its value is.
 */
enum { OG_VERIFY_STATES = 2000000 };

typedef struct {
    int threads;             /* >= 1, for the tables of posteriors */
    uint64_t memory_bytes;   /* hard limit on all tables, > 0 */
    uint64_t optimum_states; /* 0: OG_VERIFY_STATES */
    og_watch *watch;         /* NULL: nobody */
    void *watch_user;
} og_verify_request;

typedef struct {
    int32_t budget;
    int64_t instances;
    bool all;           /* the file lists all optimal actions */
    uint64_t states;    /* in the file */
    uint64_t near_ties; /* of them, marked as such */
    double value;       /* of the policy, valued anew */
    double gain;
    double error_bound;  /* |value - truth| is at most this; proved */
    double stated_value; /* in the file */
    double stated_error;
    bool optimal;            /* every choice was compared with all other actions: then */
    double loss_bound;       /* the optimum is at most so much more than the policy's value, proved;
                                0: the policy is optimal in exact arithmetic */
    uint64_t optimum_states; /* states that took; those visited in vain if it was given up */
    og_message certified;    /* what was, and what was not, in one line */
} og_verification;

/*
 * Check the policy in `file`, which can be sought in; `name` is for messages.
 *
 * OG_OK: certified. OG_BAD_INPUT with a message: there is no such file, it is no policy file,
 * damaged, malformed, or the policy in it is not what it claims to be; the message says where.
 * OG_FAILED if it cannot be read for another reason (dp/base/file.h). OG_STOPPED or OG_NO_MEMORY
 * with a message: the watch says so, the limit does not hold what must be held, which is the states
 * of two successive numbers of labels left, or memory ran out. *out is written on OG_OK only.
 */
og_status og_verify_run(FILE *file, const char *name, const og_verify_request *request,
                        og_verification *out, og_message *message);

/* The same for the file at a path. */
og_status og_verify_path(const char *path, const og_verify_request *request, og_verification *out,
                         og_message *message);

#endif
