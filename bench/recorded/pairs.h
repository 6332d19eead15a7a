#ifndef OG_BENCH_RECORDED_PAIRS_H
#define OG_BENCH_RECORDED_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/engine/settings.h"

/*
 * Recorded comparisons of two items, and true scores. Items are numbered from 0 in the order of the
 * scores' file, those alone that are compared; workers in the order of their names.
 */
typedef struct {
    uint32_t item[2]; /* the smaller number first */
    uint32_t worker;
    bool first; /* won */
} og_pair;

typedef struct {
    og_arena arena;
    og_pair *pair; /* [count] in the order of the file */
    int64_t count;
    int64_t skipped;                 /* rows of an item with itself, which are left out */
    int64_t trimmed, scores_trimmed; /* fields of each file with blanks around them */
    uint32_t item_count, worker_count;
    double *score; /* [item_count] */
} og_pairs;

/*
 * Read them: columns worker, left, right, label (the name of the winner, one of the two), and item,
 * score; tabs or else commas between, as og_labels_read. OG_BAD_INPUT with a message that holds the
 * path and the line: a column is missing, a winner is neither of the two, an item has no score, or
 * two, a score is no number, or no comparison is left. Else as og_labels_read. *out is written on
 * success only; free it with og_pairs_clear.
 */
og_status og_pairs_read(const char *pairs_path, const char *scores_path,
                        const og_settings *settings, og_pairs *out, og_message *message);
void og_pairs_clear(og_pairs *pairs); /* a zeroed one is fine */

#endif
