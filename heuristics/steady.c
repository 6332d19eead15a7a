/*
 * Checks whether an external policy gives a state the same answer twice. A check costs one more
 * question and stores no state. It detects a policy that always draws random numbers among the
 * first states, and one that rarely does with some probability.
 */
#include "heuristics/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"

/* True if the state with this number is asked twice. A hash (the finalizer of MurmurHash3) selects
 * them, so that no period of a search can coincide with the selection. */
static bool is_due(uint64_t number)
{
    uint64_t x = number;
    x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return number < OG_STEADY_FIRST || (x ^ (x >> 33)) % OG_STEADY_EVERY == 0;
}

static bool is_finite_largest(double x, double largest)
{
    return isfinite(x) && fabs(x) > largest;
}

/* Returns the position of the first number that differs, or count. */
static int32_t find_difference(const og_steady *steady, const og_steady_question *question)
{
    const double *first = steady->first, *again = question->answer;
    double largest = 0;
    int32_t at = 0;
    for (int32_t i = 0; i < question->count; i++) {
        largest = is_finite_largest(first[i], largest) ? fabs(first[i]) : largest;
        largest = is_finite_largest(again[i], largest) ? fabs(again[i]) : largest;
    }
    while (at < question->count &&
           (first[at] == again[at] || (isnan(first[at]) && isnan(again[at])) ||
            fabs(first[at] - again[at]) <= question->tie_relative * largest)) {
        at++;
    }
    return at;
}

bool og_steady_due(og_steady *steady)
{
    return is_due(steady->asked++);
}

og_status og_steady_keep(og_steady *steady, const og_steady_question *question)
{
    size_t count = (size_t)question->count;
    double *first = og_grown(steady->first, &steady->room, count, sizeof *first);
    OG_TRY(OG_ALLOCATED(first));
    steady->first = first;
    memcpy(first, question->answer, count * sizeof *first);
    return OG_OK;
}

og_status og_steady_same(const og_steady *steady, const og_steady_question *question,
                         og_answer first, og_answer again, og_message *message)
{
    int32_t at = find_difference(steady, question);
    if (first == again && at == question->count) {
        return OG_OK;
    }
    at = at < question->count ? at : 0;
    return og_message_set(
        message, OG_FAILED,
        "policy '%s%.100s' answers at random: asked twice about the same state, it "
        "answered %g and then %g (number %d of %d); return weights instead, the "
        "probability of each choice (%s)",
        question->prefix, question->policy, steady->first[at], question->answer[at], (int)at,
        (int)question->count, question->weights);
}

og_status og_steady_ask(og_steady *steady, const og_steady_question *question, og_answer *kind,
                        og_message *message)
{
    OG_TRY(question->ask(question->self, kind, message));
    if (!og_steady_due(steady)) {
        return OG_OK;
    }
    if (og_steady_keep(steady, question) != OG_OK) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for a policy's answer");
    }
    og_answer first = *kind;
    OG_TRY(question->ask(question->self, kind, message));
    return og_steady_same(steady, question, first, *kind, message);
}

void og_steady_clear(og_steady *steady)
{
    free(steady->first);
    *steady = (og_steady){0};
}
