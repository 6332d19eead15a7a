#ifndef OG_BENCH_FAMILIES_ASSIGNMENT_PROBLEM_H
#define OG_BENCH_FAMILIES_ASSIGNMENT_PROBLEM_H

#include "bench/families/assignment/assignment.h"
#include "bench/simulation/sources.h"
#include "dp/base/parallel.h"
#include "dp/families/assignment_model.h"

/* A problem of assigning workers to tasks, for the files that implement it (private to
 * bench/families/assignment/). */
typedef struct {
    int32_t cell; /* task * workers + worker */
    int8_t label; /* +1, -1 */
} assignment_label;

typedef struct {
    og_arena arena;
    const og_assignment_options *options;
    og_accuracies accuracies;
    og_assignment *assignment;
    int32_t whole_budget, had;
    int32_t left;               /* labels left, at most the number of free cells; */
    int32_t spent;              /* and repeats of known answers that policies may still ask for */
    const char *history;        /* as given; borrowed */
    assignment_label *made;     /* [had] the same in order of time */
    int8_t *label;              /* [tasks * workers] the same as a table */
    og_assignment_start *start; /* NULL: exact values are not supported, and the reason */
    og_message why;
    int8_t *matrix;            /* [tasks * workers] of --regret-on; NULL: not given */
    og_assignment_world world; /* the same for runs */
    og_lock *lock;             /* guards `asked`: the labels of policies, as far as computed */
    struct assignment_asked **asked;
} assignment;

/* OG_STOPPED with a message if exact values are not supported. */
og_status assignment_start(const assignment *problem, const og_assignment_start **out,
                           og_message *message);

/* Members of the family's row. */
og_status assignment_prior(const void *problem, double *value, double *error, mpq_ptr exact,
                           og_message *message);
og_status assignment_strategy(const void *problem, const og_policy_name *name,
                              const og_policy_use *use, og_strategy *out, og_message *message);
og_model_open assignment_model;
og_status assignment_solve(const void *problem, const og_value_asked *question,
                           const og_settings *settings, og_solution *out, og_message *message);
void assignment_situations(const void *problem, og_situations *out);
og_status assignment_read_matrix(assignment *problem, og_message *note, og_message *message);
/* The largest number of a worker in the table of --regret-on; it is read once more later. */
og_status assignment_matrix_workers(const assignment *problem, int64_t *workers,
                                    og_message *message);
/* The bounds of the paper's theorem for several N'. */
void assignment_theory(const void *problem, og_document *document);
void assignment_put_regret(const assignment *problem, const og_policy_name *name, og_stop *stop,
                           og_document *object);
void assignment_show_regret(og_document *document, const og_document *policies);
void assignment_make_world(assignment *problem);
og_source assignment_source(const void *problem, const og_truth *truth);
void assignment_put_counts(const void *problem, const double *counts, og_document *object);
void assignment_show_counts(const void *problem, const char *policy, const double *counts,
                            og_document *document);
const char *assignment_policies(const void *problem);
void assignment_put_policy(const void *problem, const og_policy_name *name, bool exact,
                           og_stop *stop, og_document *object);
void assignment_show_policies(og_document *document, const og_document *policies, bool exact);
void assignment_asked_free(struct assignment_asked *asked);
extern const char *const assignment_bounds[];
og_status assignment_bound(const void *problem, const og_bound_use *use, og_upper_bound *out,
                           og_exact_bound *exact, og_message *message);
og_status assignment_steps(const void *problem, const og_steps_use *use, og_steps *out,
                           og_message *message);

#endif
