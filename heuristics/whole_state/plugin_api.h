#ifndef OG_HEURISTICS_WHOLE_STATE_PLUGIN_API_H
#define OG_HEURISTICS_WHOLE_STATE_PLUGIN_API_H

#include <stddef.h>
#include <stdint.h>

/*
 * What a policy in a shared object of one's own is written against, and all that it needs: no
 * function and no other header of the library. It is compiled by
 *
 *   cc -shared -fPIC mine.c -o mine.so
 *
 * given as plugin:./mine.so, and has one entry point with this name and no argument:
 *
 *   const og_plugin *optgap_policy(void);
 *
 * Structures are only ever added to at their ends, and then OG_PLUGIN_VERSION grows; a plugin of
 * another version is refused.
 */
enum { OG_PLUGIN_VERSION = 1 };

/* What the parameters of a posterior are. */
enum {
    OG_PLUGIN_BETA = 0,    /* a, b */
    OG_PLUGIN_MIXTURE = 1, /* weight, a, b of each component, the weights adding up to 1 */
    OG_PLUGIN_CLASSES = 2, /* the parameter of each class of a Dirichlet */
};

/* Instances that are alike. */
typedef struct {
    int64_t copies; /* at least 1 */
    int32_t kind;
    int32_t parameter_count;
    const double *parameter; /* [parameter_count] of the posterior now */
    double threshold;        /* positive means soft label >= threshold; 0.5 for classes */
    int32_t label_count;     /* different labels: 2, or as many as classes */
    const int32_t *labels;   /* [label_count] labels so far, positive ones first; NULL where the
                                plugin   does not look at them */
} og_plugin_group;

/* Everything is the caller's, and good until `choose` returns. */
typedef struct {
    int32_t left;                 /* labels left, 1 .. budget */
    int32_t budget;               /* labels in all */
    int32_t count;                /* groups, at least 1 */
    const og_plugin_group *group; /* [count] no two alike; by posteriors ascending, or, for a plugin
                                     that looks at labels, by priors as given and by labels */
} og_plugin_state;

/* What `choose` returns. */
enum {
    OG_PLUGIN_FAILED = 0,  /* with a line in message: the work ends with it */
    OG_PLUGIN_INDEX = 1,   /* the group with the largest answer is labelled; equal ones tie */
    OG_PLUGIN_WEIGHTS = 2, /* the answers are the groups' probabilities, up to a factor */
};

typedef struct {
    int32_t version; /* OG_PLUGIN_VERSION */
    /* 0: equal posteriors are alike, however they came about; 1: only equal priors with equal
     * labels are. Which needs more states. */
    int32_t looks_at_labels;
    /* Make what `choose` needs for a problem of this budget; NULL: nothing is needed. Returns NULL
     * and a line in message[0 .. message_bytes) if it cannot. */
    void *(*create)(int32_t budget, char *message, size_t message_bytes);
    /*
     * answer[state->count]: finite or infinite, not NaN; weights finite, at least 0 and not all 0.
     * The same state must always get the same answer. Called by one thread at a time.
     */
    int (*choose)(void *own, const og_plugin_state *state, double *answer, char *message,
                  size_t message_bytes);
    void (*destroy)(void *own); /* NULL where create is */
} og_plugin;

#endif
