/*
 * Evaluates a bandit from the last label to the first, in place.
 *
 * Invariant: while a layer is computed, a type keeps the values of the layer before until all types
 * that read it are computed. Types are computed in ascending order of their sums of labels; types
 * of one sum do not read one another.
 */
#include "dp/product/bandit/bandit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/product/bandit/made.h"

enum {
    STEPS = 12,            /* layers computed tile by tile at once */
    WORTH_TILES = 1 << 17, /* values of a layer that no longer fits into the cache */
};

/* ---- all layers ---- */

/* Q of the label of each axis that represents identical ones. */
static void take_first_q(og_bandit *b)
{
    for (int32_t j = b->axes - 1; j >= 0; j--) {
        bool last = j + 1 == b->axes;
        const og_bandit_type *root = &b->type[0];
        double q = b->arm[j]->reward[0];
        if (b->budget > 1 && og_bandit_stands(b, root, 0, j)) {
            const og_bandit_type *next = last ? root : &b->type[root->next[j]];
            const double *row = b->value + next->first;
            uint64_t step = last ? 1 : next->stride[j] * og_bandit_length(b, next);
            bool positive = b->order[j].positive[0] != 0;
            q += b->order[j].chance[0][0] * row[positive ? step : 0];
            q += b->order[j].chance[1][0] * row[positive ? 0 : step];
        } else if (b->alike[j]) {
            q = b->first_q[j + 1];
        }
        b->first_q[j] = q;
    }
}

/* Computes the layer with so many labels given, and as many layers below it as go together; returns
 * their number. */
static int32_t make_layers(og_bandit *b, int32_t given)
{
    double values = pow(given, 2 * b->axes - 1) / (b->alike[0] ? 12 : 6);
    if (b->axes == 2 && b->classes == NULL && given >= STEPS && values > WORTH_TILES) {
        og_bandit_tiles(b, given + 1, STEPS);
        return STEPS;
    }
    og_bandit_step_order(b);
    if (given == 0) {
        take_first_q(b);
    }
    og_bandit_layer(b, given, 0);
    return 1;
}

static og_status sweep(og_bandit *b)
{
    b->left = 0;
    OG_TRY(og_block_classes_new(b->arms, NULL, NULL, false, &b->classes));
    b->value = og_room((double)b->places, sizeof *b->value);
    OG_TRY(OG_ALLOCATED(b->value));
    for (int32_t given = b->budget - 1; given >= 0 && !atomic_load(&b->stopped);) {
        given -= make_layers(b, given);
    }
    return OG_OK;
}

/* og_solver_relative_error's proof holds: two outcomes, no draws. */
static double relative_error(const og_bandit *b)
{
    double p_error = 0, r_error = 0;
    for (int32_t j = 0; j < b->axes; j++) {
        p_error = fmax(p_error, b->arm[j]->probability_error);
        r_error = fmax(r_error, b->arm[j]->reward_error);
    }
    return 1.01 * (b->budget * (p_error + 4 * 0x1p-53) + r_error);
}

/* Frees the memory that is needed only during the solve. */
static void forget(og_bandit *b)
{
    og_block_classes_free(b->classes);
    free(b->value);
    b->classes = NULL;
    b->value = NULL;
}

og_status og_bandit_solve(og_bandit *b, og_result *result, og_message *message)
{
    double gain = 0;
    atomic_store(&b->done, 0);
    atomic_store(&b->stopped, false);
    if (b->budget > 0) {
        og_status status = sweep(b);
        gain = status == OG_OK ? b->value[0] : 0;
        forget(b);
        OG_TRY(status);
    }
    uint64_t done = atomic_load(&b->done);
    og_result found = {.states = done,
                       .expanded = done,
                       .memory_bytes = og_arms_bytes(b->arms) + (uint64_t)b->size.bytes,
                       .seconds = og_seconds() - b->start};
    if (atomic_load(&b->stopped)) {
        char held[OG_BYTES_TEXT_BYTES];
        *result = found;
        return og_message_set(message, OG_STOPPED, "the work was stopped after %llu states and %s",
                              (unsigned long long)done, og_bytes_format(found.memory_bytes, held));
    }
    double call_error;
    found.gain = gain;
    found.value = og_arms_prior_value(b->arms, &call_error) + gain;
    found.error_bound = 1.01 * gain * relative_error(b) + call_error + found.value * 0x1p-53;
    *result = found;
    return OG_OK;
}

void og_bandit_q(const og_bandit *b, double *q, double *error)
{
    double relative = 1.01 * relative_error(b);
    for (int32_t g = 0; g < b->arms->group_count; g++) {
        int32_t j = 0;
        while (b->arm[j] != b->arms->arm[b->arms->arm_of_group[g]]) {
            j++;
        }
        q[g] = b->first_q[j];
        error[g] = q[g] * relative;
    }
}

/* ---- new ---- */

bool og_bandit_can(const og_arms *arms)
{
    bool can = og_arms_instances(arms) >= 1 && og_arms_instances(arms) <= OG_BANDIT_INSTANCES;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        can = can && arms->arm[a]->bandit && arms->arm[a]->lattice;
    }
    return can;
}

og_status og_bandit_new(const og_arms *arms, const og_settings *settings, bool *too_many,
                        og_bandit **out, og_message *message)
{
    og_bandit *b = og_arena_new(sizeof *b);
    OG_TRY(OG_ALLOCATED(b));
    bool many = false;
    b->start = og_seconds();
    b->arms = arms;
    b->settings = og_settings_filled(settings);
    if (b->settings.states_max == 0) {
        b->settings.states_max = UINT64_MAX;
    }
    b->budget = arms->budget;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        for (int64_t i = 0; i < og_arms_copies(arms, a); i++) {
            b->alike[b->axes] = i + 1 < og_arms_copies(arms, a);
            b->arm[b->axes++] = arms->arm[a];
        }
    }
    og_status status = og_bandit_plan(b, &many, message);
    if (too_many != NULL) {
        *too_many = many;
    }
    return OG_MADE(status, b, og_bandit_free, out);
}

void og_bandit_free(og_bandit *b)
{
    og_arena_free(b);
}

void og_bandit_get_size(const og_bandit *b, og_blocks_size *out)
{
    *out = b->size;
}
