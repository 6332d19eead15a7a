#ifndef OG_DP_ENGINE_VALUATION_H
#define OG_DP_ENGINE_VALUATION_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/checkpoint.h"
#include "dp/engine/engine.h"
#include "dp/engine/memo.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"

/*
 * Runs the engine on any model under og_settings: limits, a watch, checkpoints. Values stay in the
 * memory between calls. Threads must not share it; it uses threads itself; it ignores
 * settings.world.
 */
typedef struct {
    og_model model;
    og_settings settings;       /* filled: og_settings_filled */
    og_memo *memo;              /* owned */
    uint64_t fixed_bytes;       /* held in addition to the memo, counted against the limit */
    og_fingerprint fingerprint; /* of checkpoints; unused if settings name none */
    uint64_t expanded;          /* by all calls */
    uint64_t expanded_max;      /* settings.states_max for all calls together; 0: no such limit */
} og_valuation;

/*
 * Borrows everything that the model borrows. fixed_bytes are the model's own tables. An existing
 * checkpoint is not read yet (og_checkpoint_read). OG_STOPPED with a message if the memory limit
 * holds no memo; OG_NO_MEMORY.
 */
og_status og_valuation_init(og_valuation *valuation, const og_model *model,
                            const og_settings *settings, uint64_t fixed_bytes, og_message *message);
void og_valuation_clear(og_valuation *valuation); /* a zeroed one is fine */

/*
 * The value of the state with this key (words == 0: value 0). Adds to *info. OG_STOPPED with a
 * message if a limit was reached or the watch stopped the work; OG_OK with a message: the value is
 * valid, but a checkpoint could not be written; else as og_engine_value.
 */
og_status og_valuation_run(og_valuation *valuation, const uint64_t *key, int32_t words,
                           double *value, og_engine_info *info, og_message *message);

/* Sets states, memory and seconds of *result, for work begun at `start` (og_seconds) with these
 * counts. */
void og_valuation_sizes(const og_valuation *valuation, double start, const og_engine_info *info,
                        og_result *result);

#endif
