#ifndef OG_BENCH_ASKED_H
#define OG_BENCH_ASKED_H

#include "bench/estimate.h"
#include "bench/family.h"
#include "bench/request.h"
#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "optgap.h"

/*
 * One question, on its way from the functions of optgap.h and from the program's commands to the
 * code that answers it, and back.
 */

/* The largest grid of og_question_find, whose input is an og_search (bench/find/order.h). */
enum {
    OG_ORDER_INSTANCES_MAX = 12,
    OG_ORDER_BUDGET_MAX = 1000,
    OG_ORDER_PARAMETER_MAX = 1000,
    OG_ORDER_THRESHOLDS_MAX = 16
};

typedef struct {
    const og_family *family; /* with problem and sizes; NULL for questions without a problem */
    void *problem;           /* og_asked_clear closes it */
    og_problem_size sizes;
    const og_problem_text *from; /* how the problem was given: `text` */
    og_problem_text text;        /* what it refers to is borrowed */
    og_tables_read tables;
    bool without_tables; /* the problem was opened for its runs only, because a limit ended its
                            opening; compare then reports the results that need no tables */
    const void *given;   /* replay: an og_replay_input; simulate: an og_curve or NULL; next:
                            an og_batch; fit, labels: an og_labels_input; find: an og_search; verify:
                            a path; index: NULL or og_index_lines */
    og_request request;  /* settings complete, at least one tie rule; its policies are */
    const og_policy_name *policies; /* these [policy_count]; none: the family's default ones */
    int32_t policy_count;
    og_policy_name *usual;      /* owned: these */
    void *user;                 /* a command's own */
    bool for_program;           /* query: a bare document is enough */
    struct og_kept_roots *kept; /* query: between questions (og_policy_use); NULL: nothing */
    /* Called with the watch's user, as og_stop.stage; NULL: not. */
    void (*stage)(void *user, const char *name, double share);
    void (*warn)(void *user, const char *line); /* as og_stop.warn; NULL: not */
    og_stop stop; /* has the watch of the request's settings, which have it */

    og_document *document;    /* out: the answer; owned */
    og_status optimal_status; /* out: of compare and find: the limit that left no optimum */
    int64_t runs;             /* out: of simulate and replay: completed */
    og_message opening;       /* out: as og_problem_text.warning */
    og_message warning; /* out: in addition to a result; for compare, why the optimum is missing */
    og_limit limit;     /* out: of compare's optimum; for bound and query, if it was stopped */
} og_asked;

/* Answers a question with a document. Errors as for the function of this name in optgap.h. */
typedef og_status og_question_function(og_asked *asked, og_message *message);

/* A question, and what it needs. */
typedef struct {
    og_question_function *answer;
    /* Refuses a request before its problem is opened; NULL: nothing to refuse. */
    og_status (*check)(const og_request *request, og_message *message);
    bool policies;       /* uses default ones if none are given, a problem's family's */
    bool index_time;     /* observes index_seconds_max, also while the problem is opened */
    bool own_time;       /* observes seconds_max itself */
    bool runs_only;      /* as in og_problem_text */
    bool bounds_only;    /* likewise */
    bool without_tables; /* has an answer if a limit ends the opening (og_asked.without_tables) */
    bool each;           /* supports a budget of each instance */
    bool no_document;    /* shows its answer itself */
} og_question_kind;

extern const og_question_kind og_question_solve, og_question_bound, og_question_query,
    og_question_index, og_question_tree, og_question_verify, og_question_compare, og_question_reach,
    og_question_find, og_question_simulate, og_question_replay, og_question_next, og_question_fit,
    og_question_labels;

/* Optional input of og_question_index: functions that receive its table line by line, [count]
 * columns, in place of "rows". An entry's posterior has two columns fewer. */
typedef struct {
    void (*head)(void *user, const char *const *name, int32_t count);
    /* `node`: the name of a table's node, in place of a posterior; else NULL. */
    void (*entry)(void *user, const char *node, const og_fraction *posterior, int32_t count,
                  int32_t left, double value);
    void *user;
} og_index_lines;

/*
 * Ask a question: check the request, open the problem (`from`, of asked->family; NULL: none) and
 * answer. The caller sets the members of *asked up to `stage`; it does not move afterwards, and is
 * cleared in any case. For problems the time limit includes opening; a question with `own_time`
 * gets what is left of it in request.seconds_max, and then ends itself.
 */
og_status og_question_run(const og_question_kind *kind, og_asked *asked,
                          const og_problem_text *from, og_message *message);
void og_asked_clear(og_asked *asked); /* may be zeroed */

/* Take the policies of this list, in place of any others. */
og_status og_asked_take_policies(og_asked *asked, const char *names, og_message *message);

/* A question about an open problem, with these settings, random ties and no answer. */
og_asked og_asked_about(const og_family *family, void *problem, const og_settings *settings);

/* OG_BAD_INPUT with a message if the request's fractions do not support another of its options. */
og_status og_check_exact(const og_request *request, og_message *message);

#endif
