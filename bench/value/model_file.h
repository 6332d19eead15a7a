#ifndef OG_BENCH_VALUE_MODEL_FILE_H
#define OG_BENCH_VALUE_MODEL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/family.h"
#include "bench/value/model_text.h"

/*
 * The decision process itself as a file of a probabilistic model checker, so that others can find
 * the optimum with programs of their own: every state that any play can reach, all that can be done
 * there, what may follow and how likely it is.
 *
 * Instances that nobody can tell apart are one state in whichever order they stand; no other
 * reduction is made. All that is counted is earned in states: what a choice earns in one of its own
 * behind it, and what is expected without any label in the first one, where values are gains. In
 * the last state, "done", nothing is earned, and it is never left. So the optimum is the largest
 * expected reward until "done", which is always reached: Rmax=? [F "done"].
 */
typedef struct {
    const og_family *family; /* borrowed, like the rest */
    const void *problem;
    og_settings settings; /* memory_bytes: what the states may take; watch: asked on the way */
    bool exact;           /* fractions; OG_BAD_INPUT where there are none */
    const char *path;     /* dp/base/file.h; bench/value/model_text.h says how it ends */
} og_model_file_request;

typedef struct {
    bool prism; /* else Storm's */
    og_model_counts counts;
    uint64_t bytes; /* of all files */
} og_model_file_info;

/* Can the files be written, and are this problem's states known? OG_BAD_INPUT, OG_FAILED with a
 * message. */
og_status og_model_file_check(const og_model_file_request *request, og_message *message);

/* Write them. OG_STOPPED with a message where a limit was reached; then, and on any error, the file
 * is not there, or as it was before. (Of PRISM's three, those beside NAME.tra may be new then.)
 * Time: every state twice, without its value. */
og_status og_model_file_write(const og_model_file_request *request, og_model_file_info *info,
                              og_message *message);

#endif
