#ifndef OG_BENCH_RECORDED_COMPARISONS_H
#define OG_BENCH_RECORDED_COMPARISONS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/engine/settings.h"

/*
 * Recorded comparisons of two items without true scores, for the choice of the next ones (with
 * scores: bench/recorded/pairs.h). Items and workers are numbered in the order of their first
 * appearance.
 */
typedef struct {
    uint32_t winner, loser, worker;
} og_comparison;

typedef struct {
    og_arena arena;
    og_comparison *row; /* [count] in the order of the file */
    int64_t count;
    const char **item;   /* [item_count] names */
    const char **worker; /* [worker_count] */
    uint32_t item_count, worker_count;
    int64_t draws;   /* rows whose winner is tie, draw or =; their items count, they do not */
    int64_t skipped; /* rows that compare an item with itself */
    int64_t trimmed; /* fields with blanks around them */
} og_comparisons;

/*
 * Read a file with the columns left, right, label (the name of the winner, one of the two) and, if
 * the file has it, worker; without it all are by one worker with the name "". The format is that of
 * og_labels_read. OG_BAD_INPUT with a message that gives the path and the line: a column is
 * missing, a name is empty, a winner is neither of the two, or there are fewer than two items.
 * Other errors as in og_labels_read. *out is written on success only; free it with
 * og_comparisons_clear.
 */
og_status og_comparisons_read(const char *path, const og_settings *settings, og_comparisons *out,
                              og_message *message);
void og_comparisons_clear(og_comparisons *comparisons); /* a zeroed one is fine */

#endif
