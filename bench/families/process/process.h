#ifndef OG_BENCH_FAMILIES_PROCESS_PROCESS_H
#define OG_BENCH_FAMILIES_PROCESS_PROCESS_H

#include "bench/family.h"
#include "dp/families/process.h"

/*
 * Processes of the user's own (dp/families/process.h) as a family, chosen with --process. There are
 * no instances and no budget. An act is {its number in the state, its name, 0}, an answer the state
 * that follows. Policies are those of heuristics/process_policy.h.
 */
extern const og_family og_family_process;

typedef struct {
    const char *program;     /* "plugin:FILE" or "command:CMD"; NULL: `given` */
    og_process given;        /* version 0: none */
    og_process_table **kept; /* the table of `given`, found by an earlier question; NULL: it is not
                                kept; *kept is owned */
} og_process_options;

#endif
