#ifndef OG_HEURISTICS_STEADY_H
#define OG_HEURISTICS_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/act.h"

/*
 * Checks that an external policy gives the same state the same answer (private to heuristics/). If
 * a policy draws random numbers, its answers do not determine its value. Some states are asked
 * twice: the first OG_STEADY_FIRST, and one in OG_STEADY_EVERY of the later ones, chosen with a
 * fixed seed.
 */
enum { OG_STEADY_FIRST = 100, OG_STEADY_EVERY = 64 };

typedef struct {
    uint64_t asked; /* states so far */
    double *first;  /* [room] the first answer */
    size_t room;
} og_steady;

/* How to ask a policy about the current state, and words for messages about it. */
typedef struct {
    og_status (*ask)(void *self, og_answer *kind, og_message *message); /* fills `answer` */
    void *self;
    double *answer; /* [count] */
    int32_t count;
    double tie_relative; /* relative to the largest number, smaller differences are ignored */
    const char *prefix;  /* of the policy's name, "command:" */
    const char *policy;  /* its name after the prefix */
    const char *weights; /* how the policy returns weights */
} og_steady_question;

/*
 * Asks once, and a second time if the state is due for a check; the answer is then the second one.
 * OG_FAILED with a message if the answers differ, in kind or by more than tie_relative of the
 * largest finite number; the status of `ask` if it fails; OG_NO_MEMORY.
 */
#define OG_STEADY_FUNCTION "*weights = true, in Python optgap.weights"
og_status og_steady_ask(og_steady *steady, const og_steady_question *question, og_answer *kind,
                        og_message *message);

/*
 * The parts of og_steady_ask, for states that are asked together: true if the next state is due for
 * a check; keep its first answer, the question's; compare the second one with it. OG_NO_MEMORY; the
 * last as og_steady_ask.
 */
bool og_steady_due(og_steady *steady);
og_status og_steady_keep(og_steady *steady, const og_steady_question *question);
og_status og_steady_same(const og_steady *steady, const og_steady_question *question,
                         og_answer first, og_answer again, og_message *message);

void og_steady_clear(og_steady *steady); /* a zeroed one is fine */

#endif
