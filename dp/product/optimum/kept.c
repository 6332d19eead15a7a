/*
 * Layers of blocks for later states, and whether they are worth their making.
 */
#include "dp/product/optimum/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/product/blocks/blocks.h"

struct og_kept {
    const og_arms *arms;
    og_blocks *blocks;
    og_result root;
    double relative; /* error of every value and Q */
};

static const double states_most = 1 << 26;

/* The recursion goes first; then a 64th of the layers' work, which takes it about as long as they:
 * a state of layers that are kept took 8 to 18 ns, one of the recursion 500 to 900 (3x1,1 T=60 to
 * 10x1,1 T=40, other thresholds, three classes). */
static const uint64_t first_states = 4096;
static const uint64_t share = 64;

/* All layers, or those of what forced labels lead to. */
static unsigned savings(og_kept_use use)
{
    return OG_BLOCKS_KEEP | (use == OG_KEPT_ALL ? OG_BLOCKS_FOLD : OG_BLOCKS_ALL);
}

static og_settings settings_of_blocks(const og_settings *settings)
{
    og_settings own = *settings;
    own.memory_bytes /= 2;
    own.states_max = (uint64_t)states_most;
    own.checkpoint = NULL;
    return own;
}

/* Do layers fit, and what would they take? All of them are counted from a formula, before tables
 * are made; the others by their types, which stay in *blocks. */
static og_status count(const og_arms *arms, const og_settings *settings, og_kept_use use,
                       og_blocks **blocks, og_blocks_size *size, bool *fit, og_message *message)
{
    og_message own = {""};
    og_settings narrow = settings_of_blocks(settings);
    og_status status = use == OG_KEPT_ALL
                           ? og_blocks_count(arms, states_most, settings, size, &own)
                           : og_blocks_new(arms, savings(use), &narrow, NULL, blocks, &own);
    if (status == OG_OK && use != OG_KEPT_ALL) {
        og_blocks_get_size(*blocks, size);
    }
    *fit = status == OG_OK && size->states <= states_most &&
           size->states * (double)sizeof(double) <= (double)settings->memory_bytes / 2;
    return status == OG_OK || status == OG_STOPPED
               ? OG_OK
               : og_message_set(message, status, "%s", own.text);
}

/* Does the recursion come to its end before it has done its share? */
static og_status recurse(const og_settings *settings, og_solver *solver, uint64_t most, bool *ends,
                         og_message *message)
{
    og_result result;
    og_message own = {""};
    og_solver_pace(solver, 1, most);
    og_status status = og_solver_value(solver, &result, &own);
    *ends = status == OG_OK;
    bool paused = status == OG_STOPPED && og_solver_expanded(solver) > most;
    og_solver_pace(solver, settings->threads, 0);
    return status == OG_OK || paused ? OG_OK : og_message_set(message, status, "%s", own.text);
}

static og_status make(const og_arms *arms, const og_settings *settings, og_kept_use use,
                      og_kept *kept, og_message *message)
{
    og_settings own = settings_of_blocks(settings);
    if (kept->blocks == NULL) {
        OG_TRY(og_blocks_new(arms, savings(use), &own, NULL, &kept->blocks, message));
    }
    return og_blocks_solve(kept->blocks, &kept->root, message);
}

/* `kept` is what was counted, and is made here if it is worth it. */
static og_status choose(const og_arms *arms, const og_settings *settings, og_kept_use use,
                        og_solver *solver, og_kept *kept, bool *made, og_message *message)
{
    og_blocks_size size = {0};
    bool fit = false, ends = false;
    og_message own = {""};
    OG_TRY(count(arms, settings, use, &kept->blocks, &size, &fit, message));
    if (fit && settings->engine != OG_ENGINE_BLOCKS) {
        uint64_t part = (uint64_t)og_blocks_work(&size) / share;
        OG_TRY(
            recurse(settings, solver, part > first_states ? part : first_states, &ends, message));
    }
    if (!fit || ends) {
        return OG_OK;
    }
    og_status status = make(arms, settings, use, kept, &own);
    double of_solver = og_solver_relative_error(solver);
    double of_blocks = status == OG_OK ? og_blocks_relative_error(kept->blocks) : 0;
    kept->relative = fmax(of_solver, of_blocks);
    *made = status == OG_OK && (use == OG_KEPT_FORCED || of_blocks <= of_solver);
    /* Too large after all, or time is up, which the recursion will be told as well. */
    return status == OG_STOPPED || status == OG_OK
               ? OG_OK
               : og_message_set(message, status, "%s", own.text);
}

og_status og_kept_new(const og_arms *arms, const og_settings *settings, og_kept_use use,
                      og_solver *solver, og_kept **out, og_message *message)
{
    const og_settings filled = og_settings_filled(settings);
    const double start = og_seconds();
    bool made = false;
    *out = NULL;
    if (filled.engine == OG_ENGINE_RECURSION || filled.reductions != OG_REDUCE_ALL ||
        arms->budget == 0 || og_arms_have_actions(arms)) {
        return OG_OK;
    }
    og_kept *kept = calloc(1, sizeof *kept);
    if (kept == NULL) {
        return OG_NO_MEMORY;
    }
    kept->arms = arms;
    og_status status = choose(arms, &filled, use, solver, kept, &made, message);
    if (!made) {
        og_kept_free(kept);
        return status;
    }
    kept->root.by_blocks = true;
    kept->root.seconds = og_seconds() - start;
    kept->root.memory_bytes += og_solver_bytes(solver);
    *out = kept;
    return OG_OK;
}

void og_kept_free(og_kept *kept)
{
    if (kept != NULL) {
        og_blocks_free(kept->blocks);
    }
    free(kept);
}

void og_kept_value(const og_kept *kept, og_result *result)
{
    *result = kept->root;
}

double og_kept_relative_error(const og_kept *kept)
{
    return kept->relative;
}

og_status og_kept_value_at(const og_kept *kept, const og_state *state, double *gain)
{
    return og_blocks_value_at(kept->blocks, state, gain, NULL);
}

og_status og_kept_q_of(const og_kept *kept, const og_state *state, int32_t group, double *q)
{
    const og_state_group *from = &state->group[group];
    const og_arm *arm = kept->arms->arm[from->arm];
    if (state->left < 1 || from->node >= arm->level[arm->depth]) {
        return OG_BAD_INPUT;
    }
    og_state_group *moved = calloc((size_t)state->count + 1, sizeof *moved);
    if (moved == NULL) {
        return OG_NO_MEMORY;
    }
    memcpy(moved, state->group, (size_t)state->count * sizeof *moved);
    moved[group].copies--;
    const og_state after = {state->left - 1, state->budget, state->count + 1, moved};
    double sum = arm->reward[from->node];
    og_status status = OG_OK;
    for (int32_t k = 0; status == OG_OK && k < arm->outcome_count; k++) {
        size_t at = (size_t)from->node * (size_t)arm->outcome_count + (size_t)k;
        double value = 0;
        moved[state->count] = (og_state_group){from->arm, arm->next[at], 1};
        status = og_kept_value_at(kept, &after, &value);
        sum += arm->probability[at] * value;
    }
    free(moved);
    if (status == OG_OK) {
        *q = sum;
    }
    return status;
}

og_status og_kept_q_at(const og_kept *kept, og_solver *solver, const og_state *state, double *q,
                       double *error, og_message *message)
{
    if (kept == NULL) {
        return og_solver_q_at(solver, state, q, error, message);
    }
    for (int32_t i = 0; i < state->count; i++) {
        og_status status = og_kept_q_of(kept, state, i, &q[i]);
        OG_TRY(status == OG_BAD_INPUT ? og_solver_q_of(solver, state, i, &q[i], message) : status);
        error[i] = 1.01 * kept->relative * q[i];
    }
    return OG_OK;
}
