#ifndef OG_BENCH_FAMILIES_FEATURES_FILE_H
#define OG_BENCH_FAMILIES_FEATURES_FILE_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Reads instances with features from a file: columns of decimals separated by tabs, a line for each
 * instance.
 *
 *     length<TAB>links<TAB>positive<TAB>negative
 *     1.5<TAB>-0.25<TAB>1<TAB>0
 *
 * The first line names the columns. `positive` and `negative`, which may be missing, count labels
 * so far; all others are features, at least one. dp/base/rows.h describes the format of files.
 */
typedef struct {
    int32_t instance_count;
    int32_t feature_count;
    double *row;       /* [instance_count * feature_count] */
    int32_t *positive; /* [instance_count] 0 if there is no such column */
    int32_t *negative;
} og_feature_table;

/*
 * OG_BAD_INPUT with a message that names the path and, if there is one, the line: the file does not
 * exist, has no rows, or a line breaks the format. OG_FAILED: it cannot be read for another reason
 * (dp/base/file.h). OG_NO_MEMORY. `out` is written on success only; free it with
 * og_feature_table_clear.
 */
og_status og_feature_table_read(const char *path, og_feature_table *out, og_message *message);
void og_feature_table_clear(og_feature_table *table); /* may be zeroed */

#endif
