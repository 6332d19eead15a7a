#ifndef OG_BENCH_RECORDED_CROWD_LARGEST_H
#define OG_BENCH_RECORDED_CROWD_LARGEST_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/base/stop.h"
#include "dp/prior/problem.h"

/*
 * All numbers of labels in dims + 1 groups, 0 .. dims. An entry has those of groups 1 .. dims;
 * group 0 has the rest of all labels. Entries come in the order of their sums: those that n labels
 * can have are the first of those that more labels can have.
 */
typedef struct {
    int32_t dims, most;
    uint32_t *first; /* [most + 2] entries of a sum below s are 0 .. first[s] - 1 */
    uint32_t *next;  /* [entries][dims] with one more in group j + 1; of sums below `most` */
    uint16_t *count; /* [entries][dims] */
} og_crowd_numbers;

/* OG_NO_MEMORY. */
og_status og_crowd_numbers_init(og_arena *arena, int32_t dims, int32_t most, og_crowd_numbers *out);

/*
 * chance[entries of `labels`][classes]: the probability that each class has the largest theta, if
 * theta has the Dirichlet alpha + numbers. The first `named` classes are groups of their own; all
 * others are the last group, which knows only the sum of its numbers.
 *
 * With theta a ratio of Gammas it is an integral of a product; the trapezoidal rule in the
 * logarithm, with errors below 1e-12. Labels of the last group are in its classes like balls of
 * Polya's urn. OG_NO_MEMORY, OG_STOPPED; *chance is malloc'ed on success only.
 */
og_status og_crowd_largest(const og_crowd_numbers *numbers, int32_t classes, int32_t named,
                           int32_t labels, const double *alpha, og_stop *stop, double **chance);

#endif
