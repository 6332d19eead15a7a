#ifndef OG_TOOLS_SWEEP_GRID_H
#define OG_TOOLS_SWEEP_GRID_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Names with values, and the command lines that they make: every combination of the values, in the
 * order of the names, the last one changing first.
 *
 * NAME=VALUES: a list of 2,3,5, ranges FROM:TO and FROM:TO:STEP of decimals, and words. With a
 * blank in it, a list of words between blanks, which may hold commas and are taken as they are.
 * Numbers and the parts of a range may be sums of multiples of other names, 1.2K or 2K+1, which are
 * exact and then rounded down.
 *
 * In a command line %NAME and %{NAME} are the value of a name, the longest that fits, and %% is a
 * percent sign.
 */
typedef struct grid grid;

enum { GRID_CELLS_MAX = 1000000 };

/* Creates a grid from texts [count], which are borrowed. OG_BAD_INPUT with a message: a text that
 * is not NAME=VALUES, a name that is given twice, a sum of names that no text has or of itself. */
og_status grid_new(const char *const *text, int32_t count, grid **out, og_message *message);
void grid_free(grid *names); /* may be NULL */

/* Called with a combination's command line, word[count], which is freed afterwards. A status other
 * than OG_OK ends the work. */
typedef og_status grid_visit(void *user, char *const *word, int32_t count, og_message *message);

/* Visits each combination. OG_BAD_INPUT with a message, before the first visit if possible: %NAME
 * that no text has, an empty range, more than GRID_CELLS_MAX. */
og_status grid_each(const grid *names, const char *const *word, int32_t count, grid_visit *visit,
                    void *user, og_message *message);

#endif
