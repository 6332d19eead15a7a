#ifndef OG_BENCH_SIMULATION_REPLAY_H
#define OG_BENCH_SIMULATION_REPLAY_H

#include "bench/document.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"

/* Of a world of task assignment; NULL: it was not so. */
typedef struct {
    int64_t recorded;         /* labels, where they are */
    const char *fill;         /* as --fill */
    double fill_right;        /* share of the labels beside them that are right */
    const char *crowd;        /* as --crowd */
    const double *accuracies; /* as bench/recorded/accuracy.h; NULL: not asked for */
} og_replay_words;

/* Policies on recorded labels, against gold, as the budget grows. */
typedef struct {
    const og_labels *labels; /* borrowed, like the rest; NULL: these instead, and what is said of
                                labels below does not count */
    const og_recorded_pairs *pairs;   /* its `at` does not count */
    const og_assignment_world *world; /* or these, whose `at` does not count */
    const og_replay_words *words;     /* how the world came about, for people */
    const uint8_t *gold; /* [labels->task_count] as bench/recorded/gold.h; these only tell of it: */
    og_gold_count gold_count;
    int64_t repeats;   /* as og_labels_repeats */
    const char *name;  /* of the labels, for people */
    og_group prior;    /* of every task */
    int64_t budget;    /* labels to give; -1: all that are recorded */
    const int32_t *at; /* [at_count] budgets at which accuracy is reported, each larger than
                          the one before and at least 0; the whole one is added. NULL: fifths */
    int32_t at_count;
    og_final_ties final_ties;
    og_fraction price;       /* of a label; 0 or all zeros: they are given */
    og_simulate_request how; /* its source is not looked at */
} og_replay_request;

typedef struct {
    og_simulation runs; /* metrics as og_source_recorded says, at these: */
    int32_t *at;        /* [at_count] the whole budget last */
    int32_t at_count;
    bool scored; /* scores are told beside accuracies (og_recorded_scored) */
} og_replayed;

/* Fill *out; free it with og_replayed_clear. OG_BAD_INPUT with a message: a budget beyond the
 * labels there are, or `at` beyond the budget; else as og_simulate_run. On error *out is untouched.
 */
og_status og_replay_run(const og_replay_request *request, og_replayed *out, og_message *message);
void og_replayed_clear(og_replayed *replayed); /* a zeroed one is fine */

/* The whole of `replay`. */
og_document *og_replayed_describe(const og_replay_request *request, const og_replayed *found);

#endif
