#ifndef OG_BENCH_FAMILIES_SOURCES_PROBLEM_H
#define OG_BENCH_FAMILIES_SOURCES_PROBLEM_H

#include "bench/families/sources.h"
#include "dp/base/arena.h"
#include "dp/base/parallel.h"
#include "dp/families/sources.h"

/* A problem of labels that are bought, as its parts share it (private to bench/families/). */
/* What values need. */
struct made {
    og_arms *arms; /* NULL: not yet */
    og_sources_problem problem;
    bool coupled;               /* is the next made? */
    og_unknown_problem unknown; /* of sources whose accuracy is not known, in place of arms */
};

typedef struct {
    og_arena arena;
    og_groups instances;
    const og_sources_options *options;
    bool unknown; /* the accuracy of a source is not known */
    int32_t whole_budget;
    og_arms *unlabelled; /* arms without a label, for what is known then */
    og_lock *lock;       /* of the next, which is made when it is needed */
    struct made *made;
} sources;

/* Make what values need, if it is not there, with settings that are filled in. OG_STOPPED with a
 * message where it would be too large, or the watch says so. */
og_status sources_need(const sources *of, const og_settings *settings, og_message *message);

/* Of such problems, whose needs are made: where one thread plays its runs. OG_NO_MEMORY. */
og_status sources_unknown_environment(const sources *of, og_environment *out);

/* Runs by the problem's own prior. */
og_source sources_source(const void *problem, const og_truth *truth);

#endif
