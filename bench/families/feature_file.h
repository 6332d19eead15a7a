#ifndef OG_BENCH_FAMILIES_FEATURE_FILE_H
#define OG_BENCH_FAMILIES_FEATURE_FILE_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Instances with features as a file: tab separated columns, a line for each instance, decimals.
 *
 *     length<TAB>links<TAB>positive<TAB>negative
 *     1.5<TAB>-0.25<TAB>1<TAB>0
 *
 * The first line names the columns. `positive` and `negative`, which may be missing, are labels so
 * far; all others are features, at least one. dp/base/rows.h has what a file may look like.
 */
typedef struct {
    int32_t instance_count;
    int32_t feature_count;
    double *row;       /* [instance_count * feature_count] */
    int32_t *positive; /* [instance_count] 0 where there is no such column */
    int32_t *negative;
} og_feature_table;

/*
 * OG_BAD_INPUT with a message that holds the path and, where there is one, the line: there is no
 * such file, it has no rows, or a line breaks the format. OG_FAILED: it cannot be read for another
 * reason (dp/base/file.h). OG_NO_MEMORY. `out` is written on success only; free it with
 * og_feature_table_clear.
 */
og_status og_feature_table_read(const char *path, og_feature_table *out, og_message *message);
void og_feature_table_clear(og_feature_table *table); /* a zeroed one is fine */

#endif
