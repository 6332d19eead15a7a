#ifndef OG_BENCH_RECORDED_PAIRS_H
#define OG_BENCH_RECORDED_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/engine/settings.h"

/*
 * Recorded comparisons of two items, with true scores or without. With scores, the compared items
 * are numbered from 0 in the order of the scores' file, otherwise all items in the order of their
 * names. Workers are numbered in the order of their names.
 */
typedef struct {
    uint32_t item[2]; /* the smaller number first */
    uint32_t worker;
    bool first; /* this item won */
    bool draw;  /* neither did; `first` is false */
} og_pair;

typedef struct {
    og_arena arena;
    og_pair *pair; /* [count] in the order of the file */
    int64_t count;
    int64_t skipped; /* omitted rows that compare an item with itself */
    int64_t missing; /* omitted rows without a winner */
    int64_t draws;   /* omitted too if settings->tables->draws is "drop" */
    int64_t trimmed, scores_trimmed,
        items_trimmed; /* fields of each file with blanks around them */
    uint32_t item_count, worker_count;
    const char **item;   /* [item_count] names */
    const char **worker; /* [worker_count] */
    double *score;       /* [item_count]; NULL without scores */
} og_pairs;

/* What is believed before the comparisons. */
typedef struct {
    double item;      /* A > 0 of every item's Dirichlet */
    double worker[2]; /* C, D of every worker's reliability; 0, 0: workers are always right */
} og_pairs_prior;

/*
 * Read comparisons from a file with columns worker, left, right, label (bench/recorded/columns.h).
 * Without a column worker all comparisons are by one worker, "". The label is the name of the
 * winner; or "left" or "right", or the name of the winner's column; or of a draw "tie", "draw",
 * "=", "equal", "both", "neither" and the like; or A or B, 1 or 2, "model_a" or "first" for the
 * items of the two columns and, where 1 and 2 occur, 0 for a draw, unless an item has this name. A
 * column times counts equal comparisons. In place of the label there may be columns winsleft,
 * winsright and ties, which count them. Or the file has rankings, columns item and rank (1 is the
 * best) and perhaps worker and session: each two items of a worker and session are a comparison,
 * and a draw at the same rank.
 *
 * Files: a second one has the columns item and score; NULL: there are no scores. Without scores a
 * third one may list items, in the column item, that need not be compared; NULL: none.
 *
 * OG_BAD_INPUT with a message that gives the path and the line: a column or a name is missing, a
 * winner is none of these, a number of comparisons is not a whole one, an item has no score or two
 * different ones, a score is not a number, or no comparison remains. Without scores items of
 * omitted rows count, and at least two items are required instead of a comparison. Other errors as
 * in og_labels_read. *out is written on success only; free it with og_pairs_clear.
 */
typedef struct {
    const char *pairs, *scores, *items;
} og_pairs_files;

og_status og_pairs_read(const og_pairs_files *files, const og_settings *settings, og_pairs *out,
                        og_message *message);

/* Append warnings about the file to the note: rows that are left out, draws, and trimmed blanks. */
void og_pairs_warning(const og_pairs *pairs, const char *path, const og_settings *settings,
                      og_message *note);
void og_pairs_clear(og_pairs *pairs); /* a zeroed one is fine */

#endif
