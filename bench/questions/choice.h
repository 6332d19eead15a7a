#ifndef OG_BENCH_QUESTIONS_CHOICE_H
#define OG_BENCH_QUESTIONS_CHOICE_H

#include "bench/family.h"
#include "dp/base/arena.h"
#include "dp/base/ties.h"
#include "dp/engine/steps.h"
#include "dp/engine/strategy.h"

/* A policy's choice, state by state. All borrowed; the arrays belong to an arena. */
typedef struct {
    const og_strategy *by; /* that og_choice_refusal allows */
    const og_steps *steps; /* of the same problem */
    og_ties ties;
    og_act_open *open; /* [steps->acts_max] scratch, like the next */
    void *scratch;
    bool may_stop; /* else stopping is an error for families whose policies have no ranks */
} og_choice;

/* Why choices state by state are not supported; NULL if they are. They require that the policy's
 * choice depends only on the state and its belief, which the steps carry. */
const char *og_choice_refusal(const og_strategy *by);

og_status og_choice_init(og_arena *arena, const og_strategy *by, const og_steps *steps,
                         og_ties ties, og_choice *out);

/*
 * The weights of the actions in the current state of the steps, and of stopping without an action
 * for it, [action_count + 1]: 0 for those that are not taken. *kind is an index if the weights are
 * those of ties. Fails with a message as the policy does.
 */
og_status og_choice_weigh(const og_choice *choice, const og_step_view *stand, double *weight,
                          og_answer *kind, og_message *message);

#endif
