#ifndef OG_BENCH_PUBLIC_HANDLES_H
#define OG_BENCH_PUBLIC_HANDLES_H

#include "bench/family.h"
#include "bench/value/bounds.h"
#include "dp/base/arena.h"
#include "dp/base/parallel.h"
#include "heuristics/whole_state/plugin.h"
#include "optgap.h"

/* What the handles of optgap.h hold (private to bench/public/). */

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
    og_groups instances; /* its budget means nothing */
};

struct og_policy {
    og_policy_name name; /* its function is set for the time of a call */
    og_callback callback;
    bool own;      /* it is the callback */
    double *index; /* of a table, which is the callback's user; owned */
    int32_t labels_max;
};

/* What a report points to. */
typedef struct {
    og_arena arena; /* first, for og_arena_new */
    og_document *document;
    og_report report;
} og_report_box;

/*
 * One question: the open problem, the request with its defaults, and who watches. It stays where it
 * is from og_task_begin to og_task_end: watchers point to it.
 */
typedef struct {
    og_request request; /* settings filled in, and watched by og_task_watch */
    const og_family *family;
    void *problem;
    og_sizes sizes;
    og_arena arena;           /* of the next two */
    og_policy_name *policies; /* [policy_count] */
    og_own_policy *functions;
    int32_t policy_count;
    og_ties usual_ties;
    og_watch *watch; /* the caller's; NULL: nobody */
    void *watch_user;
    double seconds_max; /* after which the watch ends the work; 0: it does not */
    og_lock lock;       /* of the caller's functions and of what follows */
    double begun, told; /* by the clock */
    og_progress progress;
    bool stopped;
    og_message message, warning;
    og_report_box *box;
} og_task;

/* What a question needs of the task. */
typedef enum {
    OG_TASK_VALUES = 0,
    OG_TASK_POLICIES = 1,   /* the request's, or those that the family is known for */
    OG_TASK_INDEX_TIME = 2, /* heeds index_seconds_max */
    OG_TASK_OWN_TIME = 4,   /* heeds seconds_max by itself */
} og_task_needs;

/* Open the problem; whatever is returned, og_task_end closes it. */
og_status og_task_begin(og_problem *problem, const og_request *request, int needs, og_task *task);

/* For settings.watch, with the task as user, and for whoever asks without knowing how far it is:
 * true ends the work. Any thread. */
bool og_task_watch(void *task, const og_progress *progress);
bool og_task_stops(void *task);

/* Returns status, or that of a document that is not whole. The report goes to *out on OG_OK, the
 * message, never empty after an error, to the caller's. */
og_status og_task_end(og_task *task, og_status status, og_report **out, og_message *message);

/* The bounds into the report. */
void og_report_bounds(og_report_box *box, const og_bounds *found);

/* Open the problem with settings that are filled in. */
og_status og_problem_open(og_problem *problem, const og_settings *settings, double index_seconds,
                          void **out, og_message *warning, og_message *message);

/* A copy of the text that lives as long as the arena. */
const char *og_keep_text(og_arena *arena, const char *text);

#endif
