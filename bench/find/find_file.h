#ifndef OG_BENCH_FIND_FIND_FILE_H
#define OG_BENCH_FIND_FIND_FILE_H

#include <stdint.h>

#include "bench/find/order.h"
#include "dp/base/status.h"

/*
 * How far a search is, as a file (private to bench/find/): six lines of a name, a tab and a value,
 *
 *   optgap-search  1
 *   search         what is searched for, in words
 *   settled        how many problems were valued
 *   last           the last of them: labels and INSTANCE words
 *   best           the number of the best problem against the claim; 0: none
 *   tolerance      how many problems hang on a tolerance
 */
typedef struct {
    uint64_t settled, best, tolerance;
    char last[OG_ORDER_TEXT_BYTES + 16];
} og_search_position;

/* OG_OK and zeros where there is no file. OG_BAD_INPUT with a message: it is no such file, damaged,
 * or of another search; OG_FAILED: it cannot be read. */
og_status og_search_position_read(const char *path, const char *search, og_search_position *out,
                                  og_message *message);

/* OG_FAILED with a message if it cannot be written; the file is the old one then. */
og_status og_search_position_write(const char *path, const char *search,
                                   const og_search_position *position, og_message *message);

#endif
