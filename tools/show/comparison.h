#ifndef OG_TOOLS_SHOW_COMPARISON_H
#define OG_TOOLS_SHOW_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/value/compare.h"
#include "tools/option/options.h"

/* How `compare` shows what it found: a table, or the JSON that other programs read. */

typedef struct {
    const request *asked;
    const og_comparison *found;
    bool solved;
    int64_t instances;
    bool own_calls; /* some policy's final calls are not those of the exact posterior */
} compared;

/* To standard output. */
void comparison_print_table(const compared *seen);
void comparison_print_json(const compared *seen);

#endif
