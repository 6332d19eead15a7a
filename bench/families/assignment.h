#ifndef OG_BENCH_FAMILIES_ASSIGNMENT_H
#define OG_BENCH_FAMILIES_ASSIGNMENT_H

#include "bench/family.h"
#include "dp/families/assignment.h"
#include "dp/prior/problem.h"

/*
 * Assigning workers to tasks (dp/families/assignment.h) as a family, chosen by --problem
 * assignment: an INSTANCE word is [COUNTx]S, COUNT tasks of context S; an act is a task and a
 * worker. Values are the expected share of tasks that are called correctly.
 */
extern const og_family og_family_assignment;

typedef struct {
    const char *accuracies; /* "0.9,0.6;0.6,0.9", or a file; NULL: they are not known, */
    og_groups workers;      /* and these are their priors, in every context */
    /* Tasks whose workers are drawn for each run, by simulate alone; files, words; NULL, 0: none */
    const char *gold_file, *contexts_file, *data_file, *crowd;
    int32_t clusters;
    const char *matrix_file; /* labels that are fixed, for --regret */
    bool regret;
    int64_t leaves; /* policies are valued over at most so many histories */
} og_assignment_options;

extern const og_option_set og_assignment_option_set;

/* Accuracies as they were given. Contexts have names where they come from a file, else numbers. */
typedef struct {
    og_arena arena;
    int32_t contexts, workers;
    char **context_name, **worker_name; /* NULL: numbers from 1 on */
    og_fraction (*accuracy)[2];         /* [contexts * workers] as og_assignment_new takes them */
} og_accuracies;

enum { OG_ACCURACIES_CONTEXTS_MAX = 1000, OG_ACCURACIES_WORKERS_MAX = 1000 };

/*
 * From the text of --accuracies: a context between semicolons, with commas between the workers'
 * accuracies; or a file with lines CONTEXT, WORKER, ACCURACY and tabs between, each context and
 * worker any words, numbered as they first appear. OG_BAD_INPUT with a message: no number from 0 to
 * 1, contexts of different workers, one that is told twice; OG_FAILED, OG_NO_MEMORY. *out is to be
 * cleared with its arena.
 */
og_status og_accuracies_read(const char *text, og_accuracies *out, og_message *message);

#endif
