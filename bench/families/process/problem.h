#ifndef OG_BENCH_FAMILIES_PROCESS_PROBLEM_H
#define OG_BENCH_FAMILIES_PROCESS_PROBLEM_H

#include "bench/families/process/process.h"

/* A process, for the files that implement it (private to bench/families/process/). */
typedef struct process_program process_program;

typedef struct {
    const og_process_options *options;
    process_program *program; /* NULL: the caller's functions */
    og_process_table *table;
    double found_seconds;
} process;

/* Starts the program of --process; borrows the stop. OG_BAD_INPUT or OG_FAILED with a message. */
og_status process_program_open(const char *program, og_stop *stop, process_program **out,
                               og_process_source *source, og_message *message);
void process_program_close(process_program *program); /* NULL is fine */

/* Parts of it: a child that expands states in batches. `source` uses it. */
typedef struct process_child process_child;
og_status process_child_open(const char *command, og_stop *stop, process_child **out,
                             og_process_source *source, og_message *message);
void process_child_close(process_child *child); /* NULL is fine */

og_status process_solve(const void *problem, const og_value_asked *question,
                        const og_settings *settings, og_solution *out, og_message *message);
og_status process_steps(const void *problem, const og_steps_use *use, og_steps *out,
                        og_message *message);
og_status process_export(const void *problem, const og_request *request, og_export_info *out,
                         og_message *message);
og_status process_verify(const void *problem, const char *file, const og_settings *settings,
                         og_document *document, og_message *message);
og_source process_source(const void *problem, const og_truth *truth);

#endif
