#ifndef OG_HEURISTICS_NAMED_POLICY_H
#define OG_HEURISTICS_NAMED_POLICY_H

#include "dp/base/stop.h"
#include "dp/engine/strategy.h"
#include "heuristics/policy.h"

/*
 * Policies of the user's own in problems of any kind: they are told a state and its acts in words,
 * as people are. command:CMD gets the lines of heuristics/process_policy.h, a function of processes
 * the text as the state's bytes. A state is told by its text alone, so states of one text get one
 * answer.
 */
typedef struct og_texts og_texts;
struct og_texts {
    const void *self, *problem; /* borrowed */
    void (*state)(const og_texts *texts, const void *state, char *text, size_t size);
    void (*act)(const og_texts *texts, og_act act, char *text, size_t size);
};

/* Copies *texts; borrows the policy's function and the stop. OG_BAD_INPUT with a message: a
 * function of another kind, or a command that this build does not support. */
og_status og_named_strategy(const og_policy_name *policy, const og_texts *texts, og_stop *stop,
                            og_strategy *out, og_message *message);

#endif
