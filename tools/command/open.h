#ifndef OG_TOOLS_COMMAND_OPEN_H
#define OG_TOOLS_COMMAND_OPEN_H

#include "tools/option/options.h"

/* How a command asks a question and shows the resulting document. */
typedef struct {
    const og_question_kind *ask;
    og_status (*check)(const command_request *request, og_message *message); /* NULL: nothing */
    const char *stage; /* shown before the first stage; NULL: none */
    void (*progress)(void *user, const char *stage,
                     double share); /* NULL: shows the name of the stage */
    bool opens; /* the question is about a problem; otherwise it is about `given`, and a signal
                   ends the program before the first stage, while files are read, which may be
                   pipes */
    bool signals_end; /* a signal ends the program, as it is */
    bool no_limit;    /* the time limit is not for the question as a whole */
    /* Return the exit status: `fail` without a result, after printing an error (NULL: as complain);
     * `finish` after a result was shown (NULL: EXIT_RESULT). */
    int (*fail)(const command_request *request, og_status status, const og_message *message);
    int (*finish)(const command_request *request, const og_asked *asked);
    int (*show)(const command_request *request, og_document *document); /* NULL: as show */
} question;

/* Returns the exit status. `given` is og_asked.given. Without --policy and --policies a problem's
 * question gets the family's default policies. */
int answer_question(command_request *request, const question *about, const void *given);

/* The same about recordings, after this check (NULL: none). */
int answer_replay(command_request *request,
                  og_status (*check)(const command_request *request, og_message *message),
                  const og_replay_input *given);

/* The document of a question that opens a problem, without printing anything: errors are in
 * `message`, `warning` is as in og_problem_text. Catches no signals. */
og_status answer_quietly(command_request *request, const question *about, og_document **out,
                         og_message *warning, og_message *message);

/* For `finish`. Fewer runs than requested are a result with EXIT_LIMIT; if all are done, a signal
 * does not matter. */
int finish_runs(const command_request *request, const og_asked *asked);

/* For `finish`: EXIT_RESULT, or EXIT_LIMIT after a line that names the limit and says what is
 * missing. */
int finish_by_limit(const command_request *request, const og_asked *asked, const char *missing);

/* For `fail`, if a limit ended the computation of the optimum. */
int fail_by_limit(const command_request *request, og_status status, const og_message *message);

#endif
