#ifndef OG_BENCH_SIMULATION_CONCLUDED_H
#define OG_BENCH_SIMULATION_CONCLUDED_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "bench/recorded/labels.h"
#include "dp/base/arena.h"

/*
 * What a run concluded, in the same words for all problem types (private to bench/simulation/): the
 * labels that it bought, and rows for its tasks and workers. A caller adds what its policy believes
 * about them.
 */
typedef struct {
    og_arena arena;
    const og_labels *labels; /* names and numbers of tasks, workers and classes; borrowed */
    int64_t bought;
    int64_t *count;   /* [tasks * classes] labels bought, by outcome */
    int64_t *given;   /* [workers] labels bought */
    double *differed; /* [workers] of these, labels that differ from the plurality of the task's; a
                         tied label differs by the share of the others among the tied */
    uint32_t *task, *worker; /* [room] the labels, each once */
    uint8_t *outcome;
} og_concluded;

/* Something with a name in the order of a number. */
typedef struct {
    double by;
    const char *name; /* "" if it has none */
    uint32_t number;
} og_concluded_place;

/* Sort: the largest number first; then by name, and by number. */
void og_concluded_sort(og_concluded_place *place, size_t count);

/* How much a label of this outcome differs from the plurality of these labels, [classes]: 1, or if
 * it is among the most frequent ones, the share of the others among them. */
double og_concluded_differs(const int64_t *count, int32_t classes, int32_t outcome);

/* With room for so many labels. OG_NO_MEMORY. */
og_status og_concluded_new(const og_labels *labels, int64_t room, og_concluded *out);
void og_concluded_clear(og_concluded *concluded);

/* Count a label of this outcome (og_labels_outcome); after the last one, compare all with the
 * pluralities. */
void og_concluded_add(og_concluded *concluded, uint32_t task, uint32_t worker, int32_t outcome);
void og_concluded_compare(og_concluded *concluded);

/*
 * The order of the workers: by this reliability (NULL: by the share of their labels that agree with
 * the plurality), the largest first; then by name. Workers without labels have no share, and are
 * last. OG_NO_MEMORY.
 */
og_status og_concluded_order(og_concluded *concluded, const double *reliability, uint32_t **out);

/* Rows of tables: "task", "positive" and "negative" or "counts"; "worker", "labels" and, if there
 * are any, "disagreements". */
og_document *og_concluded_put_task(og_document *rows, const og_concluded *concluded, uint32_t task);
og_document *og_concluded_put_worker(og_document *rows, const og_concluded *concluded,
                                     uint32_t worker);

/* "call": the name of the class with this outcome; "tie" or "undecided" if it is none. */
enum { OG_CONCLUDED_TIE = -1, OG_CONCLUDED_UNDECIDED = -2 };
void og_concluded_put_call(og_document *row, const og_concluded *concluded, int32_t outcome);

/* Counts calls for the totals. */
typedef struct {
    int64_t positive, ties, gold;
    double right;    /* of those with gold; a tie counts by its share */
    double expected; /* sum of their probabilities, or worths */
} og_concluded_totals;

/* `outcome` as above; gold as in bench/recorded/gold.h; `right` is the share that the call is right
 * if it has gold. */
void og_concluded_count(og_concluded_totals *totals, const og_concluded *concluded, int32_t outcome,
                        uint8_t gold, double right);

/* "totals" of the object: "labels", "positive" of two classes, "tied", "gold", "right" and perhaps
 * "expected". */
void og_concluded_put_totals(og_document *object, const og_concluded *concluded,
                             const og_concluded_totals *totals, bool expected);

#endif
