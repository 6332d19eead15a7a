#ifndef OG_BENCH_FIND_FIND_FILE_H
#define OG_BENCH_FIND_FIND_FILE_H

#include <stdint.h>

#include "bench/find/order.h"
#include "dp/base/status.h"

/*
 * The progress of a search as a file (private to bench/find/): six lines of a name, a tab and a
 * value,
 *
 *   optgap-search  1
 *   search         the name of the search
 *   settled        number of problems evaluated
 *   last           the last of them: labels and INSTANCE words
 *   best           number of the best counterexample; 0: none
 *   tolerance      number of problems that depend on a tolerance
 */
typedef struct {
    uint64_t settled, best, tolerance;
    char last[OG_ORDER_TEXT_BYTES + 16];
} og_search_position;

/* Read a position; OG_OK and zeros if there is no file. OG_BAD_INPUT with a message: it is not such
 * a file, is damaged, or belongs to another search; OG_FAILED: it cannot be read. */
og_status og_search_position_read(const char *path, const char *search, og_search_position *out,
                                  og_message *message);

/* OG_FAILED with a message if it cannot be written; then the old file remains. */
og_status og_search_position_write(const char *path, const char *search,
                                   const og_search_position *position, og_message *message);

#endif
