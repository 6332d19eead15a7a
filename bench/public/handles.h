#ifndef OG_BENCH_PUBLIC_HANDLES_H
#define OG_BENCH_PUBLIC_HANDLES_H

#include "bench/family.h"
#include "bench/public/task.h"
#include "bench/simulation/simulate.h"
#include "bench/value/bounds.h"
#include "dp/base/arena.h"
#include "heuristics/own_policy.h"
#include "optgap.h"

/* The contents of the handles of optgap.h, and functions shared by its implementation (private to
 * bench/public/). */

enum { OG_PROBLEM_OPTIONS = 24 }; /* most rows of a family's options */

struct og_problem {
    og_arena arena; /* copies of texts; first, for og_arena_new */
    const og_family *family;
    void *options;                                /* the family's own struct; NULL: no options */
    const og_option_row *row[OG_PROBLEM_OPTIONS]; /* [row_count] the family's */
    bool seen[OG_PROBLEM_OPTIONS];
    int32_t row_count;
    bool complete;  /* the family's options include the defaults */
    int32_t budget; /* -1: not given */
    int32_t left;   /* -1: all */
    const char *objective;
    og_groups instances; /* its budget is ignored; families with their own words use: */
    const char **word;   /* [word_count] */
    int32_t word_count;
    size_t word_room;
};

struct og_policy {
    og_policy_name name;    /* its function is set during a call */
    og_own_policy function; /* without a lock; if it has no function, the name's policy is used */
    double *index;          /* of a table; passed to the callback as `user`; owned */
    int32_t labels_max;
};

/* Open the problem with complete settings; of `use` only index_seconds, runs_only and warning are
 * read. */
og_status og_problem_open(og_problem *problem, const og_settings *settings, const og_given *use,
                          void **out, og_message *message);

/* Copy the text into the arena. */
const char *og_keep_text(og_arena *arena, const char *text);

/* Read the price, 0 if labels are free, and the payoff. OG_BAD_INPUT with a message. */
og_status og_stakes_read(const og_stakes *stakes, og_fraction *price, og_payoff *payoff,
                         og_message *message);

/* Give the prior of every task this payoff, if there is one. OG_BAD_INPUT with a message if the
 * prior has its own payoff, or several classes. */
og_status og_stakes_apply(const og_stakes *stakes, const og_payoff *payoff, og_group *prior,
                          og_message *message);

/* ---- reports ---- */

void og_report_bounds(og_report_box *box, const og_bounds *found);

/* [count] rows for the policies; NULL if memory runs out, and then the report's count is 0. */
og_report_policy *og_report_rows(og_report_box *box, int32_t count);

/* A row without values; only its status is set. */
og_report_policy og_report_row(og_task *task, int32_t policy, og_ties ties, og_status status,
                               const og_message *message);

/* Set the row's value to the mean of this estimate. */
void og_report_estimate(og_report_policy *row, const og_estimate *value,
                        const og_estimate *difference);

/* ---- questions ---- */

/* A request to simulate the policies, without a source and without a time limit. */
og_simulate_request og_task_runs(og_task *task);

/* The needs of a question of the public interface. */
typedef enum {
    OG_ASK_VALUES = 0,
    OG_ASK_POLICIES = 1,   /* the request's policies, or the family's default ones */
    OG_ASK_INDEX_TIME = 2, /* observes index_seconds_max */
    OG_ASK_OWN_TIME = 4,   /* observes seconds_max itself */
    OG_ASK_RUNS = 8,       /* needs only the problem's runs: og_given.runs_only */
} og_ask_needs;

/* Open the problem (NULL: none), ask the question, and close it. */
og_status og_ask(og_problem *problem, const og_request *request, const void *given,
                 og_task_question *question, int needs, og_report **out, og_message *message);

/* Return the status with these words, or if they are empty with the text of the status. */
og_status og_message_pass(og_message *message, og_status status, const og_message *words);

#endif
