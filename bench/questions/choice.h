#ifndef OG_BENCH_QUESTIONS_CHOICE_H
#define OG_BENCH_QUESTIONS_CHOICE_H

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/ties.h"
#include "dp/engine/steps.h"
#include "dp/engine/strategy.h"

/* A policy's choice, state by state, and its belief along one history. All borrowed; the arrays
 * belong to an arena. */
typedef struct {
    const og_strategy *by; /* that og_choice_refusal allows */
    const og_steps *steps; /* of the same problem */
    og_ties ties;
    og_act_open *open; /* [steps->acts_max] scratch, like the next */
    void *scratch;
    void *belief, *after; /* [by->belief_bytes] of the current state, and scratch */
    bool may_stop;        /* else stopping is an error for families whose policies have no ranks */
} og_choice;

/* Why choices along one history are not supported; NULL if they are: the policy makes choices that
 * are no actions of the steps. And why those in any state are not, whatever its history: they
 * require also that the policy's choice depends only on the state, and that the exact posterior
 * makes the final calls. */
const char *og_choice_refusal_along(const og_strategy *by);
const char *og_choice_refusal(const og_strategy *by);

og_status og_choice_init(og_arena *arena, const og_strategy *by, const og_steps *steps,
                         og_ties ties, og_choice *out);

/* The belief at the root, and after an answer in the current state of the steps. Fail with a
 * message as the policy does. */
og_status og_choice_begin(const og_choice *choice, og_message *message);
og_status og_choice_learn(const og_choice *choice, const og_step_view *stand, og_act act,
                          int32_t answer, double unit, og_message *message);

/*
 * The weights of the actions in the current state of the steps, and of stopping without an action
 * for it, [action_count + 1]: 0 for those that are not taken. *kind is an index if the weights are
 * those of ties. Fails with a message as the policy does.
 */
og_status og_choice_weigh(const og_choice *choice, const og_step_view *stand, double *weight,
                          og_answer *kind, og_message *message);

#endif
