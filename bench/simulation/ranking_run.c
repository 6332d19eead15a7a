/* Functions shared by drawn and recorded runs of comparisons. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/simulation/ranking.h"
#include "bench/simulation/sources.h"

static void sort_items(og_ranking_run *of)
{
    for (int32_t i = 0; i < of->items; i++) {
        of->place[i] = 0;
        for (int32_t j = 0; j < of->items; j++) {
            of->place[i] += of->score[j] > of->score[i] || (of->score[j] == of->score[i] && j < i);
        }
    }
}

void og_ranking_run_begin(og_ranking_run *of, uint64_t seed, uint64_t run, uint64_t *labels)
{
    of->seed = seed;
    of->run = run;
    of->labels = labels;
    of->waits = false;
    memset(of->won, 0, (size_t)of->items * (size_t)of->items * sizeof *of->won);
    memset(&of->counts, 0, sizeof of->counts);
    if (labels != NULL) {
        sort_items(of);
    }
}

const void *og_ranking_run_state(void *self)
{
    og_ranking_run *of = self;
    of->shown.items = of->items;
    of->shown.won = of->won;
    of->shown.exact.left = of->left;
    return &of->shown;
}

int32_t og_ranking_run_open(void *self, og_act_open *open, uint32_t *number)
{
    const og_ranking_run *of = self;
    if (of->left == 0) {
        return 0;
    }
    memcpy(open, of->open, (size_t)of->open_count * sizeof *open);
    *number = (uint32_t)of->left;
    return of->open_count;
}

bool og_ranking_run_hear(void *self, og_act *act, int32_t *answer)
{
    og_ranking_run *of = self;
    bool waits = of->waits;
    if (waits) {
        *act = of->act;
        *answer = of->answer;
        of->waits = false;
    }
    return waits;
}

int32_t og_ranking_run_find(const og_ranking_run *of, const bool *tied, int64_t j)
{
    int32_t i = 0;
    while (!tied[i] || j >= of->open[i].copies) {
        j -= tied[i] ? of->open[i].copies : 0;
        i++;
    }
    return i;
}

/* Counts a comparison of the items with these ranks. */
static void count(const og_ranking_run *of, int32_t one, int32_t other)
{
    uint64_t *labels = of->labels;
    labels[abs(one - other) - 1]++;
    labels += of->items - 1;
    if (of->workers > 0) {
        labels[of->act.part[2]]++;
    }
    if (of->items <= OG_RANKING_COUNTED_MAX) {
        labels[of->workers + og_ranking_pair(of->items, one, other)]++;
    }
}

void og_ranking_run_tell(og_ranking_run *of, int32_t open, int32_t answer)
{
    of->act = of->open[open].act;
    of->answer = answer;
    of->waits = true;
    of->left--;
    uint32_t i = of->act.part[answer == 1 ? 0 : 1], j = of->act.part[answer == 1 ? 1 : 0];
    of->won[i * (uint32_t)of->items + j]++;
    if (of->shown.exact.ranking != NULL) {
        og_ranking_add(&of->shown.exact.ranking->posterior.prior, &of->counts, (int32_t)i,
                       (int32_t)j, (int32_t)of->act.part[2]);
    }
    if (of->labels != NULL) {
        count(of, of->place[i], of->place[j]);
    }
}

void og_ranking_run_close(og_ranking_run *of, int32_t open)
{
    of->open_count--;
    memmove(&of->open[open], &of->open[open + 1],
            (size_t)(of->open_count - open) * sizeof *of->open);
}

double og_ranking_run_accuracy(const og_ranking_run *of, const double *decision)
{
    const double near = 1e-10;
    double right = 0;
    for (int32_t i = 0; i < of->items; i++) {
        for (int32_t j = i + 1; j < of->items; j++) {
            double off = decision[i] - decision[j], truly = of->score[i] - of->score[j];
            bool equal = fabs(off) <= near * fmax(fabs(decision[i]), fabs(decision[j]));
            right += truly == 0 ? 1 : equal ? 0.5 : (off > 0) == (truly > 0);
        }
    }
    return right / ((double)of->items * (of->items - 1) / 2);
}
