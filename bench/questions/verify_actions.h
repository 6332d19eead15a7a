#ifndef OG_BENCH_QUESTIONS_VERIFY_ACTIONS_H
#define OG_BENCH_QUESTIONS_VERIFY_ACTIONS_H

#include "bench/questions/verify_exact.h"
#include "dp/base/arena.h"
#include "dp/export/policy_file.h"

/*
 * Bounds the loss of the actions chosen in one state, and checks their marks (private to bench/).
 * By the Bellman equation, a policy whose choices attain the best Q in every state it reaches is
 * optimal.
 */
typedef struct {
    const og_arms *arms;
    const og_verify_optimum *optimum; /* NULL: without Q; only marks are checked */
    og_verify_exact *exact;           /* NULL: no fractions */
    double error;                     /* relative, proved: error of a Q computed here */
    double doubt;    /* the same for the exporter's doubles: values this close may be marked */
    bool all;        /* every optimal action must be chosen */
    double *q;       /* [room], the most items of a state */
    bool *open;      /* [room] not proved worse than another */
    mpq_t *fraction; /* [room] */
} og_verify_actions;

/* Takes arrays from the arena. OG_NO_MEMORY. */
og_status og_verify_actions_init(og_verify_actions *actions, og_arena *arena, int32_t room);

/*
 * Check one state. *loss is a proved bound of the loss from the mean of the chosen actions; 0 means
 * that all are optimal in exact arithmetic; without Q it is unchanged. OG_BAD_INPUT: a choice or a
 * mark is wrong, described in `why`. OG_NO_MEMORY.
 */
og_status og_verify_actions_check(og_verify_actions *actions, const og_copies *list,
                                  const og_policy_item *const *item, int32_t count, int32_t left,
                                  double *loss, og_message *why);

#endif
