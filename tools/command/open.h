#ifndef OG_TOOLS_COMMAND_OPEN_H
#define OG_TOOLS_COMMAND_OPEN_H

#include "bench/family.h"
#include "bench/public/task.h"
#include "tools/option/options.h"

/* The problem that a request is about, as words; all borrowed. */
og_given given_of(const command_request *request, og_message *warning);

/* A command that asks the library one question and shows its document. */
typedef struct {
    og_status (*check)(const command_request *request, og_message *message); /* NULL: nothing */
    const char *stage; /* shown before anything is known; NULL: none */
    og_task_question *ask;
    void (*progress)(void *user, const char *stage, double share); /* NULL: the stage's name */
    bool opens;     /* a problem; else the question is about `given`, and as long as its files are
                       read, before the first stage, a signal ends the program: they may be pipes */
    bool own_time;  /* it looks at the clock itself, so that only a signal ends it from outside */
    bool runs_only; /* as in og_given */
    bool without_tables; /* it has an answer if the time is over before the tables are built */
    /* The exit status where there is no result, with a line on standard error, NULL: as complain;
     * and where there is one, beside what is shown, NULL: EXIT_RESULT. */
    int (*fail)(const command_request *request, og_status status, const og_message *message);
    int (*finish)(const command_request *request, const og_task *task);
    int (*show)(const command_request *request, og_document *document); /* NULL: as show */
} question;

/* Begins the task of a question; clear it with og_task_clear, whatever is returned. No signal is
 * caught. */
og_status begin_task(const command_request *request, const question *about, og_task *out);

/*
 * Also opens its problem. Where no policies were asked for, the request gets those that the family
 * is known for. Whatever goes wrong has been said on standard error: then returns the exit status,
 * else EXIT_RESULT.
 */
int open_problem(command_request *request, og_task *out);

/* Returns the exit status. `given`: og_task.given; NULL where a problem is opened. */
int answer_question(command_request *request, const question *about, const void *given);

/* The document of a question that opens a problem, for who has more to ask: what is wrong is told,
 * not said. `warning` as in og_given. No signal is caught. */
og_status answer_quietly(command_request *request, const question *about, og_document **out,
                         og_message *warning, og_message *message);

/* For `finish`: fewer runs than asked for are a result, and a limit that was reached, also where a
 * signal came; all of them are not. */
int finish_runs(const command_request *request, const og_task *task);

/* For `fail`: a limit of the optimum. */
int fail_by_limit(const command_request *request, og_status status, const og_message *message);

#endif
