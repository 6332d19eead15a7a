#ifndef OG_HEURISTICS_WHOLE_STATE_COMMAND_LINES_H
#define OG_HEURISTICS_WHOLE_STATE_COMMAND_LINES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "dp/arm/arm.h"
#include "dp/product/chooser.h"
#include "heuristics/whole_state/view.h"

/* The form of requests and answers of command:CMD (command.h), without the conversation (private to
 * heuristics/). */

/* What an answer says of later questions. */
typedef struct {
    bool batch; /* it takes several states on a line */
    bool alone; /* an index depends on its own posterior and on the labels left */
} og_command_manner;

/* Writes the view of a state as one object. */
void og_command_put_request(FILE *line, const og_arms *arms, const og_view *view, double price,
                            const og_state *state);

/* Checks an object with one key for the kind of answer, and perhaps "stop", and reads it into the
 * view; adds what it announces to *manner. OG_FAILED with the reason in *why; OG_NO_MEMORY. */
og_status og_command_read_answer(const json_t *answer, og_view *view, og_command_manner *manner,
                                 og_answer *kind, og_message *why);

#endif
