#ifndef OG_BENCH_SIMULATION_RANKING_H
#define OG_BENCH_SIMULATION_RANKING_H

#include "bench/environment.h"
#include "dp/families/ranking.h"
#include "heuristics/families/ranking_play.h"

/*
 * A run of comparisons, drawn or recorded (private to bench/simulation/): the open pairs, the
 * answers, and the accuracy of a ranking against the true scores.
 */
typedef struct {
    int32_t items, workers;
    uint64_t seed, run;
    int32_t left;
    og_ranking_played shown;
    og_ranking_counts counts; /* shown.exact's */
    int32_t *won;             /* [items * items] shown.won */
    double *score;            /* [items] the true scores */
    int32_t *place;           /* [items] place in the true order; the best is 0 */
    og_act_open *open;        /* [open_count] possible acts, by pairs, then workers */
    int32_t open_count;
    uint64_t *labels; /* [og_ranking_counted] as in og_source_ranking; or NULL */
    bool waits;       /* an answer waits for `hear` */
    og_act act;
    int32_t answer;
} og_ranking_run;

/* Start a run; `open` and the scores must be set before. */
void og_ranking_run_begin(og_ranking_run *play, uint64_t seed, uint64_t run, uint64_t *labels);

const void *og_ranking_run_state(void *self);
int32_t og_ranking_run_open(void *self, og_act_open *open, uint32_t *number);
bool og_ranking_run_hear(void *self, og_act *act, int32_t *answer);

/* Find the j-th of the tied acts, as in og_environment.step; then record its answer. */
int32_t og_ranking_run_find(const og_ranking_run *run, const bool *tied, int64_t j);
void og_ranking_run_tell(og_ranking_run *run, int32_t open, int32_t answer);

/* Remove an act from the open ones. */
void og_ranking_run_close(og_ranking_run *run, int32_t open);

/* The share of pairs that these scores order like the true ones. Equal scores count one half; a
 * pair with equal true scores always counts one half. */
double og_ranking_run_accuracy(const og_ranking_run *run, const double *decision);

#endif
