/* Calls from labels by workers of unknown reliability. */
#include "bench/recorded/coins.h"

#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/workers_policy.h"

enum { AT_ONCE = 256 };

void og_coin_calls(const og_labels *labels, double *task, double *worker, double *chance)
{
    for (int64_t i = 0; i < labels->label_count; i++) {
        og_workers_match(&task[2 * (size_t)labels->task[i]], &worker[2 * (size_t)labels->worker[i]],
                         og_labels_outcome(labels, i) == 0);
    }
    for (uint32_t i = 0; i < labels->task_count; i += AT_ONCE) {
        double x[AT_ONCE], y[AT_ONCE];
        uint32_t left = labels->task_count - i;
        int32_t count = left < AT_ONCE ? (int32_t)left : AT_ONCE;
        for (int32_t k = 0; k < count; k++) {
            x[k] = task[2 * (i + (size_t)k)];
            y[k] = task[2 * (i + (size_t)k) + 1];
        }
        og_ranking_above(x, y, count, chance + i);
    }
}
