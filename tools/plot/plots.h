#ifndef OG_TOOLS_PLOT_PLOTS_H
#define OG_TOOLS_PLOT_PLOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/study/study.h"
#include "bench/study/study_db.h"
#include "tools/plot/figure.h"

/* The kinds of figures of a study. */
typedef enum {
    PLOT_GAP_BUDGET,    /* gap against the budget: one prior, one number of instances */
    PLOT_GAP_INSTANCES, /* gap against the number of instances: one prior, one budget */
    PLOT_VALUE,         /* value against the budget, with optimum and bounds */
    PLOT_SPENT,         /* labels per instance against its soft label */
    PLOT_CORRECT_TRUTH, /* correct calls against the first instance's soft label */
    PLOT_WRONG_TRUTH,   /* probability of a wrong call of it, the same */
    PLOT_REGRET_BELIEF, /* the regret of wrong priors, a map over A and B */
    PLOT_INDEX,         /* index curves of the study's policies, computed when drawn */
    PLOT_INDEX_MAP,     /* an index over a and b, a map; from JSON, like the next */
    PLOT_PAIRS,         /* comparisons of each pair of items, a map; from JSON, not a study */
    PLOT_KINDS,
} plot_kind;

typedef struct {
    const char *name;
    const char *summary;
} plot_info;

extern const plot_info plot_infos[PLOT_KINDS];

/* The unit of a gap. */
typedef enum { PLOT_AXIS_GAP, PLOT_AXIS_PERCENT, PLOT_AXIS_GAIN_LOST, PLOT_AXES } plot_axis;

extern const char *const plot_axis_names[PLOT_AXES];

/* The name of a policy in the figure; both borrowed. */
typedef struct {
    const char *policy; /* [policy_bytes] */
    size_t policy_bytes;
    const char *name;
} plot_name;

/* The figure to make from a study. */
typedef struct {
    plot_kind kind;
    const og_study *only; /* restrict to its lists if they are not empty: priors, instances,
                             budgets, policies, ties */
    bool logarithmic;     /* gaps: a logarithmic axis, with a separate line for 0 */
    plot_axis axis;
    const char *title; /* NULL: the default */
    int32_t name_count;
    const plot_name *names; /* [name_count] */
    figure_paper paper;
} plot_request;

/*
 * Makes the figure; free it with figure_clear. Notes explain missing points. OG_BAD_INPUT with a
 * message: the study has no data for it; or it has several priors, instances or budgets where the
 * figure needs one, which the message lists; or a name is for a policy that the study does not
 * contain.
 */
og_status plot_make(og_study_db *db, const plot_request *request, plot_figure *out,
                    og_message *message);

/* The same of PLOT_PAIRS, from the JSON of simulate or replay with --counts. */
og_status plot_pairs(const char *path, const plot_request *request, plot_figure *out,
                     og_message *message);

/* The same of PLOT_INDEX_MAP, from the JSON of index. The request's budget is the number of labels
 * left, 1 if it has none. */
og_status plot_index_map(const char *path, const plot_request *request, plot_figure *out,
                         og_message *message);

/* Returns " AND prior IN (...) ..." for SQL on the view `result`; free it with sqlite3_free. NULL
 * without memory. */
char *plot_condition(const og_study *only);

#endif
