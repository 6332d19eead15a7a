#ifndef OG_TOOLS_COMMAND_OPEN_H
#define OG_TOOLS_COMMAND_OPEN_H

#include "bench/family.h"
#include "bench/public/task.h"
#include "tools/option/options.h"

/* The input that describes the problem of a request; borrows its words. */
og_given given_of(const command_request *request, og_message *warning);

/* How a command asks the library a question and shows the resulting document. */
typedef struct {
    og_status (*check)(const command_request *request, og_message *message); /* NULL: nothing */
    const char *stage; /* shown before the first stage; NULL: none */
    og_task_question *ask;
    void (*progress)(void *user, const char *stage,
                     double share); /* NULL: shows the name of the stage */
    bool opens; /* the question is about a problem; otherwise it is about `given`, and a signal ends
                   the program before the first stage, while files are read, which may be pipes */
    bool own_time;  /* the question checks the clock itself: only a signal stops it from outside */
    bool runs_only; /* as in og_given */
    bool without_tables; /* the question has an answer if the time is over before the tables are
                            built */
    /* Return the exit status: `fail` without a result, after printing an error (NULL: as complain);
     * `finish` after a result was shown (NULL: EXIT_RESULT). */
    int (*fail)(const command_request *request, og_status status, const og_message *message);
    int (*finish)(const command_request *request, const og_task *task);
    int (*show)(const command_request *request, og_document *document); /* NULL: as show */
} question;

/* Fills the task of a question; call og_task_clear in any case. Catches no signals. */
og_status begin_task(const command_request *request, const question *about, og_task *out);

/*
 * Opens the problem of a request too. Without --policy and --policies the request gets the family's
 * default policies. Returns EXIT_RESULT; or, after printing an error, the exit status.
 */
int open_problem(command_request *request, og_task *out);

/* Returns the exit status. `given` is og_task.given, or NULL if a problem is opened. */
int answer_question(command_request *request, const question *about, const void *given);

/* The document of a question that opens a problem, without printing anything: errors are in
 * `message`, `warning` is as in og_given. Catches no signals. */
og_status answer_quietly(command_request *request, const question *about, og_document **out,
                         og_message *warning, og_message *message);

/* For `finish`. Fewer runs than requested are a result with EXIT_LIMIT; if all are done, a signal
 * does not matter. */
int finish_runs(const command_request *request, const og_task *task);

/* For `fail`, if a limit ended the computation of the optimum. */
int fail_by_limit(const command_request *request, og_status status, const og_message *message);

#endif
