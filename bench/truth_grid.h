#ifndef OG_BENCH_TRUTH_GRID_H
#define OG_BENCH_TRUTH_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/truth.h"
#include "dp/base/status.h"

/*
 * Many truths, and many beliefs, in one text: numbers of which some are FROM:TO:STEP, decimals all
 * of them, the steps exact and the end included where a step meets it.
 */
enum { OG_POINTS_MAX = 10000, OG_POINT_BYTES = 4096 };

/* Does the text begin as a grid of truths does? */
bool og_truth_is_grid(const char *text);

/* Told each point as the text of one; another status than OG_OK ends it. */
typedef og_status og_point_taker(void *user, const char *text, og_message *message);

/*
 * Of "grid:FROM:TO:STEP", soft labels that all instances have, the points "grid:X"; of
 * "grid:X,X,..." with one word for each instance, where those that are ranges move together, the
 * points "list:X,X,...". In ascending order. OG_BAD_INPUT with a message: it is no such text, soft
 * labels beyond 0 .. 1, ranges of different lengths, more than OG_POINTS_MAX points.
 */
og_status og_truth_points(const char *text, og_point_taker *take, void *user, og_message *message);

/*
 * Of "A,B", each a number or FROM:TO or FROM:TO:STEP (else 1), all pairs as "A,B", that which
 * moves B going first. OG_BAD_INPUT as above, and for a pair that is no Beta.
 */
og_status og_belief_points(const char *text, og_point_taker *take, void *user, og_message *message);

/*
 * As og_truth_parse, and of "grid:X" the list in which all of so many instances have the soft
 * label X. *out is the caller's to clear.
 */
og_status og_truth_at(const char *point, int64_t instances, og_truth *out, og_message *message);

#endif
