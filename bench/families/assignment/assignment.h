#ifndef OG_BENCH_FAMILIES_ASSIGNMENT_ASSIGNMENT_H
#define OG_BENCH_FAMILIES_ASSIGNMENT_ASSIGNMENT_H

#include "bench/family.h"
#include "dp/families/assignment.h"
#include "dp/prior/problem.h"

/*
 * Assigning workers to tasks (dp/families/assignment.h) as a family, chosen with --problem
 * assignment: an INSTANCE word is [COUNTx]S, COUNT tasks of context S; an act is a task and a
 * worker. Values are the expected share of correctly called tasks.
 */
extern const og_family og_family_assignment;

typedef struct {
    const char *accuracies; /* "0.9,0.6;0.6,0.9", or a file; NULL: they are unknown, */
    og_groups workers;      /* and these are their priors, in every context */
    /* For simulate only: tasks whose workers are drawn for each run, from files or words. NULL, 0:
     * none */
    const char *gold_file, *contexts_file, *data_file, *crowd;
    int32_t clusters;
    og_tables tables;        /* of all these files: columns and encoding */
    const char *matrix_file; /* fixed labels, of --regret-on */
    bool regret;
    int64_t leaves; /* most histories over which policies are evaluated */
} og_assignment_options;

extern const og_option_set og_assignment_option_set;

/* Accuracies as given. Contexts have names if they come from a file, else numbers. */
typedef struct {
    og_arena arena;
    int32_t contexts, workers;
    char **context_name, **worker_name; /* NULL: numbers from 1 on */
    og_fraction (*accuracy)[2];         /* [contexts * workers] as og_assignment_new takes them */
} og_accuracies;

enum { OG_ACCURACIES_CONTEXTS_MAX = 1000, OG_ACCURACIES_WORKERS_MAX = 1000 };

/*
 * Read the text of --accuracies. It is either contexts separated by semicolons, each the workers'
 * accuracies separated by commas; or a table with the columns context, worker, accuracy
 * (bench/recorded/columns.h), without a header in this order. There contexts and workers are any
 * words, numbered as they first appear. OG_BAD_INPUT with a
 * message: not a number from 0 to 1, contexts with different workers, or an accuracy given twice;
 * OG_FAILED, OG_NO_MEMORY. Clear *out with its arena.
 */
og_status og_accuracies_read(const char *text, const og_tables *how, og_accuracies *out,
                             og_message *message);

/* True if the text has the accuracies, and is not the name of a file. */
bool og_accuracies_given(const char *text);

#endif
