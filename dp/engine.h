#ifndef OG_DP_ENGINE_H
#define OG_DP_ENGINE_H

#include <stdint.h>

#include "dp/memo.h"
#include "dp/model.h"
#include "dp/status.h"

/*
 * The recursion with a memory, for any model:
 *
 *   value(state): known? return it; otherwise lay it open, value its actions, combine, remember,
 * return.
 *
 * Where the largest action counts, an action whose bound cannot beat the best one so far is
 * skipped, and an action is given up as soon as the values of its likelier outcomes and the bounds
 * of the others show that it cannot win. Skipped actions lie below the best by more than the
 * model's margin, so the value, the largest of the computed ones, has the same bits whatever the
 * order of events and whatever the memory had forgotten.
 */
typedef struct {
    uint64_t expanded;  /* states laid open, those computed again included */
    uint64_t looked_up; /* successors asked for */
} og_engine_info;

/*
 * Value of the state `key` (words == 0: nothing can be gained, value 0). Adds to *info. The memo
 * may hold values of the same model and combination only. OG_NO_MEMORY if a frame of the recursion
 * cannot be had.
 */
og_status og_engine_value(const og_model *model, og_memo *memo, const uint64_t *key, int32_t words,
                          double *value, og_engine_info *info);

#endif
