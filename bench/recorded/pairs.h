#ifndef OG_BENCH_RECORDED_PAIRS_H
#define OG_BENCH_RECORDED_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/engine/settings.h"

/*
 * Recorded comparisons of two items, with true scores or without. With scores, the compared items
 * are numbered from 0 in the order of the scores' file, otherwise in the order in which they first
 * appear. Workers are numbered in the order of their names.
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
    int64_t skipped;                 /* omitted rows that compare an item with itself */
    int64_t missing;                 /* omitted rows without a winner */
    int64_t draws;                   /* omitted too if settings->tables->draws is "drop" */
    int64_t trimmed, scores_trimmed; /* fields of each file with blanks around them */
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
 * Read two files: one with columns worker, left, right, label, one with columns item, score
 * (bench/recorded/columns.h). Without a column worker all comparisons are by one worker, "". The
 * label is the name of the winner; or "left" or "right", or the name of the winner's column; or of
 * a draw "tie", "draw" or "=". OG_BAD_INPUT with a message that gives the path and the line: a
 * column or a name is missing, a winner is none of these, an item has no score or two different
 * ones, a score is not a number, or no comparison remains. Other errors as in og_labels_read. *out
 * is written on success only; free it with og_pairs_clear.
 *
 * scores_path NULL: there are no scores. Items of omitted rows count, and at least two are required
 * instead of a comparison.
 */
og_status og_pairs_read(const char *pairs_path, const char *scores_path,
                        const og_settings *settings, og_pairs *out, og_message *message);

/* Append warnings about the file to the note: rows that are left out, draws, and trimmed blanks. */
void og_pairs_warning(const og_pairs *pairs, const char *path, const og_settings *settings,
                      og_message *note);
void og_pairs_clear(og_pairs *pairs); /* a zeroed one is fine */

#endif
