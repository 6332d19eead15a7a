#ifndef OG_BENCH_PUBLIC_HANDLES_H
#define OG_BENCH_PUBLIC_HANDLES_H

#include "bench/family.h"
#include "bench/public/task.h"
#include "bench/simulation/simulate.h"
#include "bench/value/bounds.h"
#include "dp/base/arena.h"
#include "heuristics/own_policy.h"
#include "optgap.h"

/* What the handles of optgap.h hold, and what its functions share (private to bench/public/). */

enum { OG_PROBLEM_OPTIONS = 24 }; /* most rows of a family's options */

struct og_problem {
    og_arena arena; /* copies of texts; first, for og_arena_new */
    const og_family *family;
    void *options;                                /* the family's own struct; NULL: it has none */
    const og_option_row *row[OG_PROBLEM_OPTIONS]; /* [row_count] the family's */
    bool seen[OG_PROBLEM_OPTIONS];
    int32_t row_count;
    bool complete;  /* defaults are in the family's options */
    int32_t budget; /* -1: not given */
    int32_t left;   /* -1: all */
    const char *objective;
    og_groups instances; /* its budget means nothing; or, of families with words of their own: */
    const char **word;   /* [word_count] */
    int32_t word_count;
    size_t word_room;
};

struct og_policy {
    og_policy_name name;    /* its function is set for the time of a call */
    og_own_policy function; /* without a lock; neither function: it is the name's */
    double *index;          /* of a table, which is the callback's user; owned */
    int32_t labels_max;
};

/* Open the problem with settings that are filled in; of `use` it looks at index_seconds, runs_only
 * and warning. */
og_status og_problem_open(og_problem *problem, const og_settings *settings, const og_given *use,
                          void **out, og_message *message);

/* A copy of the text that lives as long as the arena. */
const char *og_keep_text(og_arena *arena, const char *text);

/* The price, 0 where labels are given, and the payoff. OG_BAD_INPUT with a message. */
og_status og_stakes_read(const og_stakes *stakes, og_fraction *price, og_payoff *payoff,
                         og_message *message);

/* Then the prior of every task has this payoff, if one was given. OG_BAD_INPUT with a message where
 * it has one of its own, or several classes. */
og_status og_stakes_apply(const og_stakes *stakes, const og_payoff *payoff, og_group *prior,
                          og_message *message);

/* ---- reports ---- */

void og_report_bounds(og_report_box *box, const og_bounds *found);

/* [count] rows for the policies; NULL without memory, and count is 0 then. */
og_report_policy *og_report_rows(og_report_box *box, int32_t count);

/* One of them, in which nothing is known but whether it has a value. */
og_report_policy og_report_row(og_task *task, int32_t policy, og_ties ties, og_status status,
                               const og_message *message);

/* Its value is the mean of this. */
void og_report_estimate(og_report_policy *row, const og_estimate *value,
                        const og_estimate *difference);

/* ---- questions ---- */

/* The request's policies, played: without a source, and whatever time it takes. */
og_simulate_request og_task_runs(og_task *task);

/* What a question of the public interface needs. */
typedef enum {
    OG_ASK_VALUES = 0,
    OG_ASK_POLICIES = 1,   /* the request's, or those that the family is known for */
    OG_ASK_INDEX_TIME = 2, /* heeds index_seconds_max */
    OG_ASK_OWN_TIME = 4,   /* heeds seconds_max by itself */
    OG_ASK_RUNS = 8,       /* of the problem its runs alone: og_given.runs_only */
} og_ask_needs;

/* Open the problem (NULL: there is none), ask, and close it. */
og_status og_ask(og_problem *problem, const og_request *request, const void *given,
                 og_task_question *question, int needs, og_report **out, og_message *message);

/* Returns the status, with these words or, where there are none, those of the status. */
og_status og_message_pass(og_message *message, og_status status, const og_message *words);

#endif
