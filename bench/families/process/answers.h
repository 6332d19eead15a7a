#ifndef OG_BENCH_FAMILIES_PROCESS_ANSWERS_H
#define OG_BENCH_FAMILIES_PROCESS_ANSWERS_H

#include <jansson.h>

#include "heuristics/whole_state/child.h"
#include "optgap.h"

/*
 * Reads the lines that a process's program answers (private to bench/families/process/):
 *
 *   {"state":"STATE"}                                       the root
 *   {"expanded":[{"acts":{"ACT":[[P,"STATE",REWARD],...],...}},{"end":VALUE},...]}
 *
 * Numbers are numbers or texts, and REWARD may be missing. Errors are OG_FAILED with a message.
 */
typedef struct {
    json_t *list; /* an array, of a batch of states; NULL: none */
    size_t next;  /* the answer of the next state */
} process_answers;

void process_answers_clear(process_answers *answers); /* a zeroed one is fine */

/* Writes the root to state[OG_PROCESS_STATE_BYTES_MAX] and its bytes. */
og_status process_answers_root(og_child_line line, void *state, size_t *bytes, og_message *message);

/* Reads the answers of `count` states, in place of those before. */
og_status process_answers_read(process_answers *answers, og_child_line line, int32_t count,
                               og_message *message);

/* Passes the answer of the next state on. False with a message: it has another form. */
bool process_answers_tell(process_answers *answers, og_expanded *to, char *message,
                          size_t message_bytes);

#endif
