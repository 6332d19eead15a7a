#ifndef OG_BENCH_QUESTIONS_MODEL_FILE_H
#define OG_BENCH_QUESTIONS_MODEL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/asked.h"
#include "bench/questions/model_text.h"

/*
 * Writes the decision process as a file for a probabilistic model checker, so that other programs
 * can compute the optimum. The file holds every reachable state, the acts in it, and the next
 * states with their probabilities.
 *
 * States that differ only in the order of indistinguishable instances are one state; no other
 * reduction is made. All rewards belong to states. The reward of a choice is earned in a separate
 * state after it. If values are gains, the value without labels is earned in the first state. The
 * last state, "done", earns nothing and is never left. So the optimum is the largest expected
 * reward until "done", which is always reached: Rmax=? [F "done"]. If a reward for PRISM would be
 * negative, every stage pays a constant more, and so do all paths alike.
 */
typedef struct {
    bool prism, exact; /* else Storm's; fractions */
    double constant;   /* what the optimum of the file is more: PRISM refuses rewards below 0 */
    og_model_counts counts;
    uint64_t bytes; /* of all files */
} og_model_file_info;

/* Check that the request's export_model can be written and that this problem's states are
 * supported. OG_BAD_INPUT, OG_FAILED with a message. */
og_status og_model_file_check(const og_asked *asked, og_message *message);

/* Write the files. OG_STOPPED with a message if a limit was reached. After any error, the file does
 * not exist or is unchanged; of PRISM's three files, the two besides NAME.tra may be new. Time:
 * visits every state twice, without computing values. */
og_status og_model_file_write(const og_asked *asked, og_model_file_info *info, og_message *message);

#endif
