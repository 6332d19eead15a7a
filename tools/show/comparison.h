#ifndef OG_TOOLS_SHOW_COMPARISON_H
#define OG_TOOLS_SHOW_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/document.h"
#include "bench/value/compare.h"
#include "tools/option/options.h"

/* What `compare` found, as a document. */

typedef struct {
    const request *asked;
    const og_comparison *found;
    bool solved;
    int64_t instances;
    bool own_calls; /* some policy's final calls are not those of the exact posterior */
} compared;

og_document *comparison_describe(const compared *seen);

#endif
