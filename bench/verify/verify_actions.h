#ifndef OG_BENCH_VERIFY_VERIFY_ACTIONS_H
#define OG_BENCH_VERIFY_VERIFY_ACTIONS_H

#include "bench/verify/verify_exact.h"
#include "dp/base/arena.h"
#include "dp/export/policy_file.h"

/*
 * What the actions chosen in one state lose against the best one, and whether they are marked as
 * they should be (private to bench/). The Bellman equation, state by state: a policy whose choices
 * attain the best Q wherever it comes to is optimal.
 */
typedef struct {
    const og_arms *arms;
    const og_verify_optimum *optimum; /* NULL: Q is not to be had, only marks are looked at */
    og_verify_exact *exact;           /* NULL: no fractions */
    double error;                     /* relative, proved: of a Q as computed here */
    double doubt;    /* as the exporter's doubles know it: what these cannot tell may be marked */
    bool all;        /* every optimal action must be chosen */
    int32_t room;    /* items of a state */
    double *q;       /* [room] */
    bool *open;      /* [room] not proved to be worse than another */
    mpq_t *fraction; /* [room] */
} og_verify_actions;

/* Arrays from the arena. OG_NO_MEMORY. */
og_status og_verify_actions_init(og_verify_actions *of, og_arena *arena, int32_t room);

/*
 * *loss: what is lost by the mean of the chosen actions is at most this, proved; 0: all are optimal
 * in exact arithmetic; without Q it stays as it is. OG_BAD_INPUT: a choice or a mark is wrong, and
 * `why` says which. OG_NO_MEMORY.
 */
og_status og_verify_actions_check(og_verify_actions *of, const og_copies *list,
                                  const og_policy_item *const *item, int32_t count, int32_t left,
                                  double *loss, og_message *why);

#endif
