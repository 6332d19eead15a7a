#ifndef OG_BENCH_RECORDED_SUMMARY_H
#define OG_BENCH_RECORDED_SUMMARY_H

#include <stdint.h>

#include "bench/recorded/gold.h"
#include "bench/recorded/labels.h"

/* What recorded labels look like. */
typedef struct {
    int64_t of_class[OG_CLASSES_READ];       /* labels of each class */
    int64_t least_of_task, most_of_task;     /* labels of a task */
    int64_t least_of_worker, most_of_worker; /* and of a worker with a name */
    int64_t ties; /* tasks of which no class has more labels than every other */
    /* The share of the pairs of labels of a task that are equal; NAN if no task has two labels. */
    double agreement;
    /* Krippendorff's alpha for nominal data: 1 - D / E, where D is the share of different pairs in
     * tasks of two labels or more, each label of such a task counting the same, and E that share
     * among all their labels; NAN if E is 0 [Krippendorff, "Content analysis" (1980)]. */
    double alpha;
    double majority; /* the share of tasks with gold whose majority equals it, a tie of k classes
                        counting 1/k if one of them does; NAN without gold */
} og_summary;

/* gold: [task_count] as og_gold_read fills it, or NULL. OG_NO_MEMORY. */
og_status og_summary_of(const og_labels *labels, const uint8_t *gold, og_summary *out);

#endif
