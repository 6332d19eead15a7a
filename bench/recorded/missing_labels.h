#ifndef OG_BENCH_RECORDED_MISSING_LABELS_H
#define OG_BENCH_RECORDED_MISSING_LABELS_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Builds a table of tasks and workers from recorded labels. The cells without a recorded label are
 * filled like this:
 *
 *   none       not filled: such a cell cannot be asked
 *   accuracy   a label that equals gold with probability (ok + 1) / (n + 2), if the worker has n
 *              labels in the task's context and ok of them equal gold, and otherwise is any other
 *              class; drawn once for each seed
 *   grouse:D   the sign of a matrix of rank D that fits the recorded labels, found with GROUSE
 *              [Balzano, Nowak and Recht 2010]: workers are columns, 100 passes over them in
 *              random order
 */
typedef enum { OG_FILL_ACCURACY, OG_FILL_NONE, OG_FILL_GROUSE } og_fill_kind;

typedef struct {
    og_fill_kind kind;
    int32_t rank; /* D, 1 .. OG_FILL_RANK_MAX */
} og_fill;

enum { OG_FILL_RANK_MAX = 100 };

/* "none", "accuracy", "grouse" or "grouse:D". OG_BAD_INPUT with a message. */
og_status og_fill_parse(const char *text, og_fill *out, og_message *message);

/*
 * Write the recorded labels to label[task_count * worker_count]: +1 for label 1, -1 for label 0; of
 * several classes 1, 2, ... for label 0, 1, ...; 0 for none. OG_BAD_INPUT with a message: no worker
 * is named, or two labels of a worker for one task.
 */
og_status og_fill_table(const og_labels *labels, int8_t *label, og_message *message);

/* The tasks and workers of a table. */
typedef struct {
    int32_t tasks, workers, contexts;
    const int32_t *context; /* [tasks] */
    const int8_t *gold;     /* [tasks] as labels; 0: unknown */
    int32_t classes;        /* 3 or more; less: +1 and -1 */
} og_fill_problem;

/* The label of someone who is right if u, uniform below 1, is less than the accuracy; otherwise any
 * other class, with equal probabilities. */
int8_t og_label_drawn(double u, double accuracy, int32_t classes, int8_t truth);

/* Fill the table; `accuracy` leaves cells empty if gold is unknown; grouse requires two classes.
 * After OG_NO_MEMORY, or OG_STOPPED if the stop ends grouse, the table is invalid. Cost of grouse:
 * 100 * (4 tasks * workers * D, plus D^2 for each label). */
og_status og_fill_in(const og_fill *fill, const og_fill_problem *problem, uint64_t seed,
                     og_stop *stop, int8_t *label);

#endif
