#ifndef OG_HEURISTICS_WHOLE_STATE_COMMAND_H
#define OG_HEURISTICS_WHOLE_STATE_COMMAND_H

#include "dp/product/chooser.h"

/*
 * command:CMD, a policy that is a program in any language (private to heuristics/). `sh -c CMD` is
 * started when it is first asked, and ended with the ranks. It reads one line of JSON for each
 * state and answers each with one:
 *
 *   {"left":5,"budget":12,"instances":[[1,1],[2,1]],"counts":[3,1],"thresholds":[0.5,0.5]}
 *
 * Instances that are alike are one group; `counts` says how many. The groups ascend by their
 * posteriors, the threshold last, and no two are the same. A posterior is [a,b], with more classes
 * [a,b,c,...], for a mixture a list of its components [[weight,a,b],...] with the weights of now;
 * the threshold of more classes is null. The answer is one of
 *
 *   {"choose":0}            this group
 *   {"weights":[0.5,0.5]}   each group with this probability (they need not add up to 1)
 *   {"index":[0.2,0.7]}     the group with the largest; those that tie count their copies
 *
 * An index is a number or, in a string, a whole number or fraction: "1/3". Whole numbers and
 * fractions are compared exactly. An answer with a decimal among its numbers is one of doubles,
 * compared with a tolerance; strings are refused in it.
 * What it answered is remembered, so that a state is asked once, or twice where it is looked whether
 * it answers at random (heuristics/steady.h).
 */
typedef struct {
    const char *command;   /* copied */
    double answer_seconds; /* an answer may take so long */
    double tie_relative;   /* indices so near tie, where an answer is one of doubles */
    uint64_t memory_bytes; /* for what is remembered */
    og_watch *watch; /* while an answer is waited for, by the thread that asks; NULL: nobody */
    void *watch_user;
} og_command_use;

enum { OG_ANSWER_SECONDS = 10 };

/*
 * OG_NO_MEMORY; OG_BAD_INPUT with a message in a build without Jansson. When it is asked:
 * OG_FAILED with a message that shows request and answer, cut to fit, where the program cannot be
 * started, ends, does not answer in time or answers something else; OG_STOPPED if more would have
 * to be remembered than memory_bytes, or if the watch says so.
 */
og_status og_command_ranks(const og_command_use *use, const og_arms *arms, og_ranks **out,
                           og_message *message);

#endif
