/* Functions shared by drawn and recorded runs of comparisons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/ranking.h"
#include "bench/simulation/sources.h"

static void sort_items(og_ranking_run *run)
{
    for (int32_t i = 0; i < run->items; i++) {
        run->place[i] = 0;
        for (int32_t j = 0; j < run->items; j++) {
            run->place[i] +=
                run->score[j] > run->score[i] || (run->score[j] == run->score[i] && j < i);
        }
    }
}

void og_ranking_run_begin(og_ranking_run *play, uint64_t seed, uint64_t run, uint64_t *labels)
{
    play->seed = seed;
    play->run = run;
    play->labels = labels;
    play->waits = false;
    memset(play->won, 0, (size_t)play->items * (size_t)play->items * sizeof *play->won);
    memset(&play->counts, 0, sizeof play->counts);
    if (labels != NULL) {
        sort_items(play);
    }
}

const void *og_ranking_run_state(void *self)
{
    og_ranking_run *run = self;
    run->shown.items = run->items;
    run->shown.won = run->won;
    run->shown.exact.left = run->left;
    return &run->shown;
}

int32_t og_ranking_run_open(void *self, og_act_open *open, uint32_t *number)
{
    const og_ranking_run *run = self;
    if (run->left == 0) {
        return 0;
    }
    memcpy(open, run->open, (size_t)run->open_count * sizeof *open);
    *number = (uint32_t)run->left;
    return run->open_count;
}

bool og_ranking_run_hear(void *self, og_act *act, int32_t *answer)
{
    og_ranking_run *run = self;
    bool waits = run->waits;
    if (waits) {
        *act = run->act;
        *answer = run->answer;
        run->waits = false;
    }
    return waits;
}

int32_t og_ranking_run_find(const og_ranking_run *run, const bool *tied, int64_t j)
{
    int32_t i = 0;
    while (!tied[i] || j >= run->open[i].copies) {
        j -= tied[i] ? run->open[i].copies : 0;
        i++;
    }
    return i;
}

/* Counts a comparison of the items with these ranks. */
static void count(const og_ranking_run *run, int32_t one, int32_t other)
{
    uint64_t *labels = run->labels;
    labels[abs(one - other) - 1]++;
    labels += run->items - 1;
    if (run->workers > 0) {
        labels[run->act.part[2]]++;
    }
    if (run->items <= OG_RANKING_COUNTED_MAX) {
        labels[run->workers + og_ranking_pair(run->items, one, other)]++;
    }
}

void og_ranking_run_tell(og_ranking_run *run, int32_t open, int32_t answer)
{
    run->act = run->open[open].act;
    run->answer = answer;
    run->waits = true;
    run->left--;
    uint32_t i = run->act.part[answer == 1 ? 0 : 1], j = run->act.part[answer == 1 ? 1 : 0];
    run->won[i * (uint32_t)run->items + j]++;
    if (run->shown.exact.ranking != NULL) {
        og_ranking_add(&run->shown.exact.ranking->posterior.prior, &run->counts, (int32_t)i,
                       (int32_t)j, (int32_t)run->act.part[2]);
    }
    if (run->labels != NULL) {
        count(run, run->place[i], run->place[j]);
    }
}

void og_ranking_run_close(og_ranking_run *run, int32_t open)
{
    run->open_count--;
    memmove(&run->open[open], &run->open[open + 1],
            (size_t)(run->open_count - open) * sizeof *run->open);
}

double og_ranking_run_accuracy(const og_ranking_run *run, const double *decision)
{
    const double near = 1e-10;
    double right = 0;
    for (int32_t i = 0; i < run->items; i++) {
        for (int32_t j = i + 1; j < run->items; j++) {
            double off = decision[i] - decision[j], truly = run->score[i] - run->score[j];
            bool equal = fabs(off) <= near * fmax(fabs(decision[i]), fabs(decision[j]));
            right += truly == 0 ? 1 : equal ? 0.5 : (off > 0) == (truly > 0);
        }
    }
    return right / ((double)run->items * (run->items - 1) / 2);
}
