/* Counts recorded labels, and measures how far they agree. */
#include "bench/recorded/summary.h"

#include <math.h>

#include "dp/base/arena.h"

/* The classes that most labels of a task have. */
static int32_t leaders(const int64_t *count, int32_t classes, int64_t *most)
{
    int32_t leading = 0;
    *most = 0;
    for (int32_t k = 0; k < classes; k++) {
        leading = count[k] > *most ? 1 : leading + (count[k] == *most);
        *most = count[k] > *most ? count[k] : *most;
    }
    return leading;
}

static void measure(const og_labels *labels, const uint8_t *gold, const int64_t *count,
                    og_summary *out)
{
    int32_t classes = og_labels_classes(labels);
    double pairs = 0, equal = 0, values = 0, same = 0, right = 0, known = 0, chance = 0;
    double all[OG_CLASSES_READ] = {0}; /* labels of tasks that have two or more */
    for (uint32_t i = 0; i < labels->task_count; i++) {
        const int64_t *own = count + (size_t)i * (size_t)classes;
        double n = 0, squares = 0;
        int64_t most;
        int32_t leading = leaders(own, classes, &most);
        for (int32_t k = 0; k < classes; k++) {
            n += (double)own[k];
            squares += (double)own[k] * (double)(own[k] - 1);
        }
        for (int32_t k = 0; k < classes && n > 1; k++) {
            all[k] += (double)own[k];
        }
        pairs += n * (n - 1);
        equal += squares;
        values += n > 1 ? n : 0;
        same += n > 1 ? squares / (n - 1) : 0;
        out->ties += leading > 1;
        bool has_gold = gold != NULL && gold[i] != OG_GOLD_NONE;
        known += has_gold;
        right += has_gold && own[gold[i]] == most ? 1.0 / leading : 0;
    }
    for (int32_t k = 0; k < classes; k++) {
        chance += all[k] * (all[k] - 1);
    }
    double expected = values > 1 ? 1 - chance / (values * (values - 1)) : 0;
    out->agreement = pairs > 0 ? equal / pairs : NAN;
    out->alpha = expected > 0 ? 1 - (1 - same / values) / expected : NAN;
    out->majority = known > 0 ? right / known : NAN;
}

static void range(const int64_t *count, uint32_t size, int64_t *least, int64_t *most)
{
    *least = *most = size > 0 ? count[0] : 0;
    for (uint32_t i = 1; i < size; i++) {
        *least = count[i] < *least ? count[i] : *least;
        *most = count[i] > *most ? count[i] : *most;
    }
}

og_status og_summary_of(const og_labels *labels, const uint8_t *gold, og_summary *out)
{
    size_t classes = (size_t)og_labels_classes(labels);
    og_summary made = {.ties = 0};
    og_arena arena = {0};
    int64_t *count = og_arena_array(&arena, labels->task_count * classes, sizeof *count);
    int64_t *task = og_arena_array(&arena, labels->task_count, sizeof *task);
    int64_t *worker = og_arena_array(&arena, labels->worker_count, sizeof *worker);
    og_status status = og_arena_status(&arena);
    for (int64_t i = 0; status == OG_OK && i < labels->label_count; i++) {
        count[labels->task[i] * classes + labels->label[i]]++;
        made.of_class[labels->label[i]]++;
        task[labels->task[i]]++;
        worker[labels->worker[i]]++;
    }
    if (status == OG_OK) {
        range(task, labels->task_count, &made.least_of_task, &made.most_of_task);
        range(worker, labels->named_count, &made.least_of_worker, &made.most_of_worker);
        measure(labels, gold, count, &made);
        *out = made;
    }
    og_arena_clear(&arena);
    return status;
}
