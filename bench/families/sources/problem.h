#ifndef OG_BENCH_FAMILIES_SOURCES_PROBLEM_H
#define OG_BENCH_FAMILIES_SOURCES_PROBLEM_H

#include "bench/families/sources/sources.h"
#include "dp/base/arena.h"
#include "dp/base/parallel.h"
#include "dp/families/sources.h"

/* A problem of labels bought from sources, for the files that implement it (private to
 * bench/families/sources/). */
/* Tables for values. */
struct made {
    og_arms *arms; /* NULL: not yet */
    og_sources_problem problem;
    bool coupled;             /* true if the next is built */
    og_crowd_problem unknown; /* for sources of unknown accuracy, in place of arms */
};

typedef struct {
    og_arena arena;
    og_groups instances;
    const og_sources_options *options;
    bool unknown; /* the accuracy of some source is unknown */
    int32_t whole_budget;
    og_arms *unlabelled; /* arms without labels, for the value of the prior */
    og_lock *lock;       /* guards the next, which is built when needed */
    struct made *made;
} sources;

/* Build the tables for values if they do not exist, with complete settings. OG_STOPPED with a
 * message if they would be too large or the watch stops it. */
og_status sources_need(const sources *problem, const og_settings *settings, og_message *message);

/* An environment for one thread's runs with unknown accuracies, after sources_need.
 * OG_NO_MEMORY. */
og_status sources_unknown_environment(const sources *own, og_environment *out);

/* Runs drawn from the problem's own prior. */
og_source sources_source(const void *problem, const og_truth *truth);

#endif
