#ifndef OG_DP_EXACT_RECURSION_H
#define OG_DP_EXACT_RECURSION_H

#include <gmp.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/model.h"
#include "dp/engine/settings.h"
#include "dp/engine/solution.h"
#include "dp/exact/guide.h"
#include "dp/exact/table.h"

/*
 * The recursion in fractions over the states of any model with exact numbers (private to dp/): the
 * counterpart of dp/engine/engine.h, with which it shares only the model's lists of actions and
 * outcomes. Every state's actions are evaluated and combined exactly, and every value is stored; if
 * there is a guide, the actions that it proves not to be optimal are skipped. On one thread, except
 * for the guide's doubles, which come first.
 */
typedef struct {
    const og_model *model;          /* with model->exact */
    const og_value_asked *question; /* with a policy without a belief that the model does not apply
                                     * itself; NULL, or its policy NULL: as the model combines */
    og_exact_guide *guide;          /* NULL: every action is evaluated */
    og_exact_table *table;          /* values of the same model and question only */
    const og_settings *settings;    /* filled: og_settings_filled */
    uint64_t fixed_bytes;           /* held in addition to the guide and the table */
    uint64_t expanded;              /* increased by the number of states expanded in fractions */
} og_exact_work;

/* The value of the state `key`, one that is not terminal. OG_STOPPED with a message: the table is
 * full, or a limit of the settings was reached; or as the model and the policy. */
og_status og_exact_recursion(og_exact_work *work, const uint64_t *key, int32_t words, mpq_t value,
                             og_message *message);

/* Bytes held by all. */
uint64_t og_exact_work_bytes(const og_exact_work *work);

/* OG_STOPPED, with a message that this limit does not hold the guide or an empty table. */
og_status og_exact_out_of_limit(uint64_t memory_bytes, og_message *message);

#endif
