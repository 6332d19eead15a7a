#ifndef OG_BENCH_SIMULATION_RANKING_H
#define OG_BENCH_SIMULATION_RANKING_H

#include "bench/environment.h"
#include "dp/families/ranking.h"
#include "heuristics/families/ranking_play.h"

/*
 * A run of comparisons, drawn or recorded (private to bench/simulation/): what is open, what was
 * said, and how a ranking stands against the true scores.
 */
typedef struct {
    int32_t items, workers;
    uint64_t seed, run;
    int32_t left;
    og_ranking_played shown;
    og_ranking_counts counts; /* shown.exact's */
    int32_t *won;             /* [items * items] shown.won */
    double *score;            /* [items] true ones */
    int32_t *place;           /* [items] in their order, the best 0 */
    og_open *open;            /* [open_count] what can be asked, by pairs, then workers */
    int32_t open_count;
    uint64_t
        *labels; /* [items - 1 + workers] counted by rank distance - 1, then workers; or NULL */
    bool waits;  /* an answer has not been heard */
    og_act act;
    int32_t answer;
} og_ranking_run;

/* Nothing was asked yet; `open` is filled, scores are known. */
void og_ranking_run_begin(og_ranking_run *of, uint64_t seed, uint64_t run, uint64_t *labels);

const void *og_ranking_run_state(void *self);
int32_t og_ranking_run_open(void *self, og_open *open, uint32_t *number);
bool og_ranking_run_hear(void *self, og_act *act, int32_t *answer);

/* The j-th of what is tied, as og_environment.step; then what was said about it. */
int32_t og_ranking_run_find(const og_ranking_run *of, const bool *tied, int64_t j);
void og_ranking_run_tell(og_ranking_run *of, int32_t open, int32_t answer);

/* It cannot be asked again. */
void og_ranking_run_close(og_ranking_run *of, int32_t open);

/* The share of pairs that these scores order as the true ones do; equal ones count one half, a pair
 * of truly equal ones always. */
double og_ranking_run_accuracy(const og_ranking_run *of, const double *decision);

#endif
