#ifndef OG_HEURISTICS_STEADY_H
#define OG_HEURISTICS_STEADY_H

#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/act.h"

/*
 * Does a policy from outside (private to heuristics/) give the same state the same answer? A policy
 * that draws from a random generator has no value that its answers can tell. Some states are asked
 * twice: the first OG_STEADY_FIRST, and one in OG_STEADY_EVERY of the later ones, chosen by a fixed
 * seed.
 */
enum { OG_STEADY_FIRST = 100, OG_STEADY_EVERY = 64 };

typedef struct {
    uint64_t asked; /* states so far */
    double *first;  /* [room] what was answered first */
    size_t room;
} og_steady;

/* How a policy is asked about the state at hand, and what is said of it. */
typedef struct {
    og_status (*ask)(void *self, og_answer *kind, og_message *message); /* fills `answer` */
    void *self;
    double *answer; /* [count] */
    int32_t count;
    double tie_relative; /* numbers that differ by so much of the largest are the same */
    const char *prefix;  /* of its name, "command:" */
    const char *policy;  /* its name behind that */
    const char *weights; /* how it returns weights */
} og_steady_question;

/*
 * Asks, and asks again where it is the turn of that. OG_FAILED with a message where the answers
 * differ, in kind or by more than tie_relative of the largest finite number; what `ask` fails with;
 * OG_NO_MEMORY. The answer is the second one then.
 */
#define OG_STEADY_FUNCTION "*weights = true, in Python optgap.weights"
og_status og_steady_ask(og_steady *steady, const og_steady_question *question, og_answer *kind,
                        og_message *message);

void og_steady_clear(og_steady *steady); /* a zeroed one is fine */

#endif
