#ifndef OG_HEURISTICS_WHOLE_STATE_COMMAND_H
#define OG_HEURISTICS_WHOLE_STATE_COMMAND_H

#include "dp/base/stop.h"
#include "dp/product/chooser.h"

/*
 * command:CMD, a policy that is a program in any language (private to heuristics/). `sh -c CMD` is
 * started at the first question, and ended with the ranks. It reads one line of JSON for each state
 * and answers with one line:
 *
 *   {"left":5,"budget":12,"instances":[[1,1],[2,1]],"counts":[3,1],"thresholds":[0.5,0.5],
 *    "price":0}
 *
 * Interchangeable instances form one group; `counts` has their number. The groups are in ascending
 * order of their posteriors, then of the threshold, and no two are the same. A posterior is [a,b],
 * with more classes [a,b,c,...], for a mixture a list of its components [[weight,a,b],...] with
 * current weights. With more classes the threshold is null. The answer is one of
 *
 *   {"choose":0}            this group
 *   {"weights":[0.5,0.5]}   each group with this probability (they need not add up to 1)
 *   {"index":[0.2,0.7]}     the group with the largest; those that tie count their copies
 *   {"stop":true}           labelling ends
 *
 * An index null or "-inf" means that the instances of the group are done. "stop" beside "index" is
 * the index of stopping, which ends labelling if no other exceeds it, and beside "weights" its
 * weight. The price is that of a label, the largest if they differ, and 0 without one.
 *
 * An index is a number or, in a string, a whole number or fraction: "1/3". Whole numbers and
 * fractions are compared exactly. If any number of an answer is a decimal, all are compared as
 * doubles with a tolerance, and strings are refused. Answers are stored, so that each state is
 * asked once, or twice to check that the answer is not random (heuristics/steady.h).
 *
 * Beside its answer a program may say how it can be asked from then on:
 *
 *   "batch":true   a line may be a list of at most 1000 requests, with at least one label given;
 *                  the answer is the list of their answers
 *   "alone":true   an index depends only on its own posterior and threshold, and on the labels left
 *                  and the budget: each posterior is asked once for each number of labels left, all
 *                  in one request. Ignored for more than a million of these.
 *
 * The values have the same bits in each case.
 */
typedef struct {
    const char *command;   /* copied */
    double answer_seconds; /* time limit for an answer */
    double tie_relative;   /* indices in doubles within this of each other tie */
    uint64_t memory_bytes; /* limit for stored answers */
    double price;          /* of a label; 0: none */
    og_stop *stop;         /* looked at by the asking thread while it waits; NULL: none */
} og_command_use;

enum { OG_ANSWER_SECONDS = 10 };

/*
 * OG_NO_MEMORY; OG_BAD_INPUT with a message in a build without Jansson. A question returns
 * OG_FAILED with a message that shows request and answer, cut to fit, if the program cannot be
 * started, ends, does not answer in time or gives an invalid answer. It returns OG_STOPPED if the
 * stored answers would exceed memory_bytes, or if the watch stops it.
 */
og_status og_command_ranks(const og_command_use *use, const og_arms *arms, og_ranks **out,
                           og_message *message);

#endif
