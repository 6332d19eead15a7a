/* Sorts recorded labels by task, and shuffles those of each task for a run. */
#include "bench/simulation/recorded_answers.h"

#include <string.h>

#include "bench/random.h"

void og_recorded_answers_take(og_recorded_answers *answers, const og_labels *labels,
                              og_block *block)
{
    answers->first = og_block_take(block, (size_t)labels->task_count + 2, sizeof *answers->first);
    answers->answer =
        og_block_take(block, (size_t)labels->label_count + 1, sizeof *answers->answer);
}

void og_recorded_answers_fill(og_recorded_answers *answers, const og_labels *labels)
{
    answers->count = labels->task_count;
    uint32_t *next = answers->first + 1; /* place of the next label; becomes the starts */
    for (int64_t i = 0; i < labels->label_count; i++) {
        next[labels->task[i] + 1]++;
    }
    for (uint32_t i = 1; i <= answers->count; i++) {
        next[i] += next[i - 1];
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        uint32_t worker = labels->worker != NULL ? labels->worker[i] : 0;
        answers->answer[next[labels->task[i]]++] =
            (og_recorded_answer){worker, (uint8_t)og_labels_outcome(labels, i)};
    }
}

int32_t og_recorded_answers_most(const og_recorded_answers *answers)
{
    int32_t most = 0;
    for (uint32_t i = 0; i < answers->count; i++) {
        int32_t length = og_recorded_answers_of(answers, i);
        most = length > most ? length : most;
    }
    return most;
}

void og_recorded_answers_shuffle(const og_recorded_answers *answers, uint64_t seed, uint64_t run,
                                 og_recorded_answer *order)
{
    memcpy(order, answers->answer, answers->first[answers->count] * sizeof *order);
    for (uint32_t i = 0; i < answers->count; i++) {
        og_recorded_answer *answer = &order[answers->first[i]];
        for (uint32_t n = answers->first[i + 1] - answers->first[i]; n > 1; n--) {
            uint32_t other = og_draw_below(og_draw(seed, OG_DRAW_LABEL, run, i, n), n);
            og_recorded_answer swap = answer[n - 1];
            answer[n - 1] = answer[other];
            answer[other] = swap;
        }
    }
}
