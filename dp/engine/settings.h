#ifndef OG_DP_ENGINE_SETTINGS_H
#define OG_DP_ENGINE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/settings.h"

/* The result of computing a value, the same for every model; og_settings (dp/base/settings.h)
 * control the computation. dp/engine/checkpoint.h handles checkpoints. */
typedef struct {
    double value;          /* expected number of correct calls at the end */
    double gain;           /* value minus the expected number without labels */
    double error_bound;    /* |value - exact| and |gain - exact| are at most this; proved */
    uint64_t states;       /* states stored, including forgotten ones */
    uint64_t forgotten;    /* of them, evicted because the memory was full */
    uint64_t expanded;     /* states expanded, including those done twice */
    uint64_t memory_bytes; /* most memory of the tables, arms included */
    uint64_t disk_bytes;   /* most bytes of files in the scratch folder; 0: none */
    double seconds;        /* wall clock */
    int ranks;           /* number of ranks that computed it, memory_bytes being the most of any; 0:
                          * one */
    uint64_t sent_bytes; /* between ranks, in all */
    bool by_blocks;      /* computed with layers of dense tensors */
    bool by_stages;      /* a policy computed by its stages (dp/product/stationary) */
    bool by_margin; /* the optimum, enclosed by two problems (dp/product/margin/) that agree within
                     * error_bound; all three false: by the recursion */
    bool bracketed; /* even if the work was stopped: the optimal gain is proved to be lower ..
                     * upper */
    double lower, upper; /* of LOWER and SUPPLY (dp/product/margin/) */
} og_result;

/* "auto", "recursion", "blocks". */
const char *og_engine_name(og_engine engine);
enum { OG_ENGINE_COUNT = 3 };

/* "recursion", "blocks", "stages", "margin": the method of the result. */
const char *og_result_engine(const og_result *result);

/* One thread per core, three quarters of the memory, all reductions, no watch. */
void og_settings_default(og_settings *settings);

/* Fills in the defaults of settings that are 0. */
og_settings og_settings_filled(const og_settings *given);

#endif
