#ifndef OG_BENCH_SIMULATION_REPLAY_H
#define OG_BENCH_SIMULATION_REPLAY_H

#include "bench/document.h"
#include "bench/simulation/recorded_delayed.h"
#include "bench/simulation/simulate.h"
#include "bench/simulation/sources.h"

/* Describes a world of task assignment; NULL members are not used. */
typedef struct {
    int64_t recorded;         /* number of recorded labels, if recorded */
    const char *fill;         /* as --fill */
    double fill_right;        /* share of right labels among the filled-in ones */
    const char *crowd;        /* as --crowd */
    const double *accuracies; /* as in bench/recorded/accuracy.h; NULL: not requested */
    const og_class_list *classes;
} og_replay_words;

/* Recorded labels, or what policies are replayed on in their place; all borrowed. */
typedef struct {
    const og_labels
        *labels; /* NULL: use `pairs` or `world`, and ignore what concerns labels below */
    const og_recorded_pairs *pairs;   /* its `at` is ignored */
    const og_assignment_world *world; /* or this; its `at` is ignored */
    const og_replay_words *words;     /* the origin of the world, for people */
    const og_workers_world *people;   /* workers of unknown reliability, with `labels`; its `at` is
                                         ignored. NULL: all workers count equally */
    const og_replay_arrivals *arrivals; /* labels that take time; its labels, gold and prior are
                                           those here. NULL: they come at once */
    const uint8_t *gold; /* [labels->task_count] as in bench/recorded/gold.h; for the output: */
    og_gold_count gold_count;
    int64_t repeats;   /* as in og_labels */
    og_group prior;    /* of every task, but those in files */
    og_fraction price; /* of a label; 0 or all zeros: labels are free */
} og_recorded_world;

typedef struct {
    og_simulation runs; /* metrics as in og_source_recorded, at these budgets; with arrivals as in
                           og_source_recorded_delayed, and the only budget is the workers: */
    int32_t *at;        /* [at_count] the whole budget last */
    int32_t at_count;
    bool scored; /* scores are reported in addition to accuracies (og_recorded_scored) */
} og_replayed;

/* Play the policies of a question with an og_replay_input, and compare them with gold for growing
 * budgets. Fill *out; free it with og_replayed_clear. OG_BAD_INPUT with a message: a budget above
 * the number of labels, or `at` above the budget. Other errors as in og_simulate_run. On error *out
 * is untouched. */
og_status og_replay_run(const og_asked *asked, const og_recorded_world *world, og_replayed *out,
                        og_message *message);
void og_replayed_clear(og_replayed *replayed); /* a zeroed one is fine */

/* The whole document of the command `replay`; takes the results of the runs. */
og_document *og_replayed_describe(const og_asked *asked, const og_recorded_world *world,
                                  og_replayed *found);

#endif
