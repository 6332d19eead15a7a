/* Sorts recorded labels by task, and shuffles those of each task for a run. */
#include "bench/simulation/recorded_answers.h"

#include <string.h>

#include "bench/random.h"

void og_recorded_answers_take(og_recorded_answers *of, const og_labels *labels, og_block *block)
{
    of->first = og_block_take(block, (size_t)labels->task_count + 2, sizeof *of->first);
    of->answer = og_block_take(block, (size_t)labels->label_count + 1, sizeof *of->answer);
}

void og_recorded_answers_fill(og_recorded_answers *of, const og_labels *labels)
{
    of->count = labels->task_count;
    uint32_t *next = of->first + 1; /* place of the next label; becomes the starts */
    for (int64_t i = 0; i < labels->label_count; i++) {
        next[labels->task[i] + 1]++;
    }
    for (uint32_t i = 1; i <= of->count; i++) {
        next[i] += next[i - 1];
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        uint32_t worker = labels->worker != NULL ? labels->worker[i] : 0;
        of->answer[next[labels->task[i]]++] =
            (og_recorded_answer){worker, (uint8_t)og_labels_outcome(labels, i)};
    }
}

int32_t og_recorded_answers_most(const og_recorded_answers *of)
{
    int32_t most = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        int32_t length = og_recorded_answers_of(of, i);
        most = length > most ? length : most;
    }
    return most;
}

void og_recorded_answers_shuffle(const og_recorded_answers *of, uint64_t seed, uint64_t run,
                                 og_recorded_answer *order)
{
    memcpy(order, of->answer, of->first[of->count] * sizeof *order);
    for (uint32_t i = 0; i < of->count; i++) {
        og_recorded_answer *answer = &order[of->first[i]];
        for (uint32_t n = of->first[i + 1] - of->first[i]; n > 1; n--) {
            uint32_t other = og_draw_below(og_draw(seed, OG_DRAW_LABEL, run, i, n), n);
            og_recorded_answer swap = answer[n - 1];
            answer[n - 1] = answer[other];
            answer[other] = swap;
        }
    }
}
