/* Histograms of workers' accuracies. Both kinds are computed from whole numbers: labels, and right
 * ones among them. */
#include "bench/recorded/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"

static size_t bins_of(const og_fill_problem *problem)
{
    return ((size_t)problem->contexts + 1) * OG_ACCURACY_BINS;
}

static void count(double *row, int64_t n, int64_t ok)
{
    if (n > 0) {
        row[ok == n ? OG_ACCURACY_BINS - 1 : ok * OG_ACCURACY_BINS / n]++;
    }
}

static void count_all(const og_fill_problem *problem, const og_accuracy_count *tally,
                      double *workers)
{
    for (int32_t j = 0; j < problem->workers; j++) {
        int64_t n = 0, ok = 0;
        for (int32_t s = 0; s < problem->contexts; s++) {
            const og_accuracy_count *own = &tally[(size_t)s * (size_t)problem->workers + (size_t)j];
            count(&workers[(size_t)s * OG_ACCURACY_BINS], own->n, own->ok);
            n += own->n;
            ok += own->ok;
        }
        count(&workers[(size_t)problem->contexts * OG_ACCURACY_BINS], n, ok);
    }
}

void og_accuracy_count_labels(const og_fill_problem *problem, const int8_t *label,
                              og_accuracy_count *tally)
{
    size_t workers = (size_t)problem->workers;
    memset(tally, 0, (size_t)problem->contexts * workers * sizeof *tally);
    for (int32_t i = 0; i < problem->tasks; i++) {
        for (size_t j = 0; j < workers; j++) {
            int8_t given = label[(size_t)i * workers + j];
            og_accuracy_count *own = &tally[(size_t)problem->context[i] * workers + j];
            own->n += given != 0 && problem->gold[i] != 0;
            own->ok += given != 0 && given == problem->gold[i];
        }
    }
}

og_status og_accuracies_recorded(const og_fill_problem *problem, const int8_t *label,
                                 double *workers)
{
    size_t pairs = (size_t)problem->contexts * (size_t)problem->workers;
    og_accuracy_count *tally = calloc(pairs + 1, sizeof *tally);
    OG_TRY(OG_ALLOCATED(tally));
    memset(workers, 0, bins_of(problem) * sizeof *workers);
    og_accuracy_count_labels(problem, label, tally);
    count_all(problem, tally, workers);
    free(tally);
    return OG_OK;
}

typedef struct {
    og_arena arena;
    double *accuracy; /* [contexts * workers] in one run */
    og_accuracy_count *tally;
    int32_t *tasks; /* [contexts] */
} drawn_labels;

/* Accuracies of crowds are tenths, so count ten labels for each task. */
static void tally_run(const og_fill_problem *problem, const drawn_labels *drawn)
{
    const int32_t tenths = 10;
    for (int32_t s = 0, k = 0; s < problem->contexts; s++) {
        for (int32_t j = 0; j < problem->workers; j++, k++) {
            int32_t right = (int32_t)lround(tenths * drawn->accuracy[k]);
            drawn->tally[k] =
                (og_accuracy_count){tenths * drawn->tasks[s], right * drawn->tasks[s]};
        }
    }
}

og_status og_accuracies_drawn(const og_fill_problem *problem, const og_drawn_crowd *crowd,
                              uint64_t seed, int64_t runs, double *workers)
{
    size_t pairs = (size_t)problem->contexts * (size_t)problem->workers;
    drawn_labels *drawn = og_arena_new(sizeof *drawn);
    OG_TRY(OG_ALLOCATED(drawn));
    drawn->accuracy = og_arena_array(&drawn->arena, pairs, sizeof *drawn->accuracy);
    drawn->tally = og_arena_array(&drawn->arena, pairs, sizeof *drawn->tally);
    drawn->tasks = og_arena_array(&drawn->arena, (size_t)problem->contexts, sizeof *drawn->tasks);
    og_status status = og_arena_status(&drawn->arena);
    if (status == OG_OK) {
        memset(workers, 0, bins_of(problem) * sizeof *workers);
        for (int32_t i = 0; i < problem->tasks; i++) {
            drawn->tasks[problem->context[i]]++;
        }
    }
    for (int64_t run = 0; status == OG_OK && run < runs; run++) {
        og_drawn_crowd_draw(crowd, problem->contexts, seed, (uint64_t)run, drawn->accuracy);
        tally_run(problem, drawn);
        count_all(problem, drawn->tally, workers);
    }
    for (size_t k = 0; status == OG_OK && k < bins_of(problem); k++) {
        workers[k] /= (double)runs;
    }
    og_arena_free(drawn);
    return status;
}
