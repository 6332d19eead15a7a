#ifndef OG_BENCH_PUBLIC_NEXT_WORK_H
#define OG_BENCH_PUBLIC_NEXT_WORK_H

#include "bench/families/sources/sources.h"
#include "bench/public/problem.h"
#include "bench/recorded/calibration.h"
#include "bench/recorded/crowd_belief.h"
#include "bench/recorded/model_prior.h"
#include "bench/recorded/next.h"
#include "bench/recorded/next_sources.h"

/* The state of og_task_next (private to bench/public/). */
typedef struct {
    og_arena arena;
    og_asked *asked;
    const og_batch *given; /* by it */
    og_labels labels;
    og_group prior;        /* of a task without a probability */
    bool prior_usual;      /* none could be fitted to the labels: */
    og_message unfit;      /* why, in a few words */
    bool prior_by_workers; /* it is fitted together with the workers */
    og_fraction price;     /* of a label; 0: free */

    og_list tasks;     /* of tasks_file */
    int32_t *share;    /* [tasks] hundredths of their probability; NULL: there is none */
    double strength;   /* of probabilities; NAN: there are none */
    bool strength_fit; /* it is fitted */

    og_worth_values *values; /* of a table of payoffs; NULL: there is none */
    og_task_terms terms; /* with the given budget, or fewer labels that the free workers can give */
    og_list free_list;
    og_free_workers free; /* count 0: workers are not named */

    og_standing standing;
    og_next next;

    og_sources_options sources;
    og_purchases purchases; /* if labels have sources, in place of `next` */
    int32_t *source_of;     /* [workers] if accuracies are unknown */
    int64_t *counts;        /* likewise: [tasks][2] labels by outcome */

    int32_t *called; /* [tasks] outcomes: the final calls */
    double *worth;   /* [tasks] the probability that the call is right, or its expected payoff */
    og_group worker_prior;
    og_crowd_belief belief; /* about tasks and workers; passes 0: there is no such model */
    bool has_gold;
    og_reliability reliability;
} og_next_work;

/* The document of a finished work. */
og_document *og_next_describe(const og_next_work *next);

/* Reads the sources, and plans labels from them; the document of the plan. */
og_status og_next_read_sources(og_next_work *next, og_message *message);
og_status og_next_find_purchases(og_next_work *next, og_message *message);
og_status og_next_call_by_sources(og_next_work *next, og_message *message); /* calls and worth */
og_document *og_next_describe_purchases(const og_next_work *next);

/* The belief about workers, in both documents. */
void og_next_put_workers(const og_next_work *next, og_document *document);

/* True if the bounds are missing; the batch is valid without them. */
bool og_next_lacks_bounds(const og_next_work *next);

/* og_task_next for comparisons. */
og_status og_asked_next_pairs(og_asked *asked, og_message *message);

#endif
