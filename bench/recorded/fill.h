#ifndef OG_BENCH_RECORDED_FILL_H
#define OG_BENCH_RECORDED_FILL_H

#include <stdint.h>

#include "bench/recorded/labels.h"
#include "dp/base/status.h"

/*
 * Recorded labels as a table of tasks and workers, and what stands where none is recorded:
 *
 *   none       nothing: such a cell cannot be asked
 *   accuracy   a label that equals gold with chance (ok + 1) / (n + 2), n labels of the worker in
 *              the task's context, ok of them equal to gold; drawn once for each seed
 *   grouse:D   the sign of a matrix of rank D that is near to what is recorded, by GROUSE [Balzano,
 *              Nowak and Recht 2010]: workers are columns, 100 passes over them in random orders
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
 * The recorded labels into label[task_count * worker_count], +1 for label 1, -1 for label 0, 0 for
 * none. OG_BAD_INPUT with a message: no worker is named, there are more than two classes, or two
 * labels of a worker for one task.
 */
og_status og_fill_table(const og_labels *labels, int8_t *label, og_message *message);

/* What a table is filled for. */
typedef struct {
    int32_t tasks, workers, contexts;
    const int32_t *context; /* [tasks] */
    const int8_t *gold;     /* [tasks] +1, -1, 0: not known */
} og_fill_problem;

/* Fill it: where gold is not known `accuracy` leaves nothing. OG_NO_MEMORY, and the table is to be
 * thrown away. grouse takes 100 * (4 tasks * workers * D + the square of D for each label). */
og_status og_fill_in(const og_fill *fill, const og_fill_problem *problem, uint64_t seed,
                     int8_t *label);

#endif
