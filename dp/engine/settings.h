#ifndef OG_DP_ENGINE_SETTINGS_H
#define OG_DP_ENGINE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"

/* What comes of computing a value; how it is computed says og_settings (optgap.h). The same for
 * every model. A checkpoint is dp/engine/checkpoint.h's. */
typedef struct {
    double value;          /* expected number of correct calls at the end */
    double gain;           /* value minus the expected number without any label */
    double error_bound;    /* |value - exact| and |gain - exact| are at most this; proved */
    uint64_t states;       /* states remembered, forgotten ones included */
    uint64_t forgotten;    /* of them, given up because the memory was full */
    uint64_t expanded;     /* states expanded, those done twice included */
    uint64_t memory_bytes; /* largest use of the tables, arms included */
    uint64_t disk_bytes;   /* most that stood in files of the scratch folder; 0: none */
    double seconds;        /* wall clock */
    int ranks;           /* that computed it together, memory_bytes being the most of any; 0: one */
    uint64_t sent_bytes; /* between them, in all */
    bool by_blocks;      /* by layers of dense tensors */
    bool by_stages;      /* a policy's, by its stages (dp/product/stationary); both false: by the
                            recursion */
} og_result;

/* "auto", "recursion", "blocks". */
const char *og_engine_name(og_engine engine);
enum { OG_ENGINE_COUNT = 3 };

/* "recursion", "blocks", "stages": what computed it. */
const char *og_result_engine(const og_result *result);

/* The settings with what is 0 filled in. */
og_settings og_settings_filled(const og_settings *given);

#endif
