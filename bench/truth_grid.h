#ifndef OG_BENCH_TRUTH_GRID_H
#define OG_BENCH_TRUTH_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/truth.h"
#include "dp/base/status.h"

/*
 * Many truths in one text: numbers, some of them ranges FROM:TO:STEP. All are decimals;
 * steps are exact, and TO is included if a step meets it.
 */
enum { OG_POINTS_MAX = 10000, OG_POINT_BYTES = 4096 };

/* True if the text begins like a grid of truths. */
bool og_truth_is_grid(const char *text);

/* Called with the text of each point; a status other than OG_OK ends the list. NULL: the text is
 * only checked. */
typedef og_status og_point_taker(void *user, const char *text, og_message *message);

/*
 * List the points of a grid of truths, in ascending order. "grid:FROM:TO:STEP", one soft label for
 * all instances, gives the points "grid:X". "grid:X,X,...", one word for each instance, gives the
 * points "list:X,X,..."; its ranges advance together. OG_BAD_INPUT with a message: not such a text,
 * soft labels outside 0 .. 1, ranges of different lengths, or more than OG_POINTS_MAX points.
 */
og_status og_truth_points(const char *text, og_point_taker *take, void *user, og_message *message);

/*
 * Like og_truth_parse, and "grid:X" gives the list in which all `instances` have the soft label X.
 * The caller clears *out.
 */
og_status og_truth_at(const char *point, int64_t instances, og_truth *out, og_message *message);

#endif
