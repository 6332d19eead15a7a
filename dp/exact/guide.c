/* Selects the actions of a state that could be best, from doubles with proved errors. */
#include "dp/exact/guide.h"

#include <string.h>

/*
 * Stored p and R are the fractions rounded to nearest, u each; a product costs one rounding, the
 * sum with R at most one an outcome. R enters once on every path.
 */
static double relative_error(const og_layers *layers)
{
    const double u = 0x1p-53;
    return 1.01 * u * (layers->budget * (1 + 2.0 * layers->outcome_max) + 1);
}

static og_status make_room(og_exact_guide *guide, uint64_t memory_bytes)
{
    og_arena *arena = &guide->arena;
    size_t outcomes = (size_t)guide->model.outcomes_max;
    guide->key = og_arena_array(arena, (size_t)guide->model.key_words_max, sizeof *guide->key);
    guide->value = og_arena_array(arena, outcomes, sizeof *guide->value);
    guide->valued = og_arena_array(arena, outcomes, sizeof *guide->valued);
    OG_TRY(og_arena_status(arena));
    return og_memo_new(memory_bytes, guide->model.key_words_max, &guide->memo);
}

static og_status make_guide(og_exact_guide *guide, const og_arms *arms, const og_product_use *use,
                            uint64_t memory_bytes, og_stop *stop, og_message *message)
{
    og_product_use doubles = *use;
    doubles.names = NULL;
    og_status status =
        og_prices_new_for(guide->layers, arms, (use->reductions & OG_REDUCE_CAP) != 0,
                          memory_bytes / 2, stop, &guide->prices);
    if (og_stop_status(stop) != OG_OK) {
        return og_stop_building(message);
    }
    if (status != OG_OK && status != OG_STOPPED) { /* no memory for bounds: slower, not wrong */
        return status;
    }
    OG_TRY(og_product_init(&guide->product, arms, guide->layers, guide->prices, &doubles, message));
    guide->model = og_product_model(&guide->product);
    uint64_t held = guide->prices == NULL ? 0 : guide->prices->bytes;
    return make_room(guide, memory_bytes - held);
}

og_status og_exact_guide_init(og_exact_guide *guide, const og_arms *arms, const og_layers *layers,
                              const og_product_use *use, uint64_t memory_bytes, og_stop *stop,
                              og_message *message)
{
    memset(guide, 0, sizeof *guide);
    guide->layers = layers;
    guide->error = 4 * relative_error(layers);
    og_status status = make_guide(guide, arms, use, memory_bytes, stop, message);
    if (status != OG_OK) {
        og_exact_guide_clear(guide);
    }
    return status;
}

og_status og_exact_guide_of_model(og_exact_guide *guide, const og_model *model, double error,
                                  uint64_t memory_bytes)
{
    *guide = (og_exact_guide){.model = *model, .error = 4 * error};
    og_status status = make_room(guide, memory_bytes);
    if (status != OG_OK) {
        og_exact_guide_clear(guide);
    }
    return status;
}

void og_exact_guide_clear(og_exact_guide *guide)
{
    og_memo_free(guide->memo);
    og_product_clear(&guide->product);
    og_prices_free(guide->prices);
    og_arena_clear(&guide->arena);
    memset(guide, 0, sizeof *guide);
}

uint64_t og_exact_guide_bytes(const og_exact_guide *guide)
{
    og_memo_info memo;
    og_memo_get_info(guide->memo, &memo);
    return memo.bytes_max + (guide->prices == NULL ? 0 : guide->prices->bytes);
}

og_status og_exact_guide_value(og_exact_guide *guide, const og_engine_use *use, const uint64_t *key,
                               int32_t words, double *value)
{
    return og_engine_value(&guide->model, guide->memo, use, key, words, value, &guide->info);
}

/* True if an action of at most the computed value `most` can be optimal in a state of value
 * `value`. */
static bool may_win(const og_exact_guide *guide, double most, double value)
{
    return !(most * (1 + guide->error) + 0x1p-900 < value * (1 - guide->error));
}

/* The likeliest outcome that only has a bound; -1: none. */
static int32_t next_outcome(const og_outcome *outcome, const bool *valued, int32_t count)
{
    int32_t best = -1;
    for (int32_t k = 0; k < count; k++) {
        if (!valued[k] && (best < 0 || outcome[k].probability > outcome[best].probability)) {
            best = k;
        }
    }
    return best;
}

static double sum_of(const og_action *action, const og_outcome *outcome, const double *value)
{
    double sum = action->reward;
    for (int32_t k = 0; k < action->outcome_count; k++) {
        sum += outcome[k].probability * value[k];
    }
    return sum;
}

/* Replaces bounds by values, the likeliest outcome first, until the action is proved not to win or
 * nothing is left to replace. */
static og_status try_action(og_exact_guide *guide, const og_engine_use *use, const og_expansion *x,
                            const og_action *action, double state, bool *may)
{
    const og_outcome *outcome = &x->outcome[action->outcome_first];
    int32_t count = action->outcome_count;
    double *value = guide->value;
    bool *valued = guide->valued;
    for (int32_t k = 0; k < count; k++) {
        value[k] = outcome[k].bound;
        valued[k] = false;
    }
    for (;;) {
        *may = may_win(guide, sum_of(action, outcome, value), state);
        int32_t k = next_outcome(outcome, valued, count);
        if (!*may || k < 0) {
            return OG_OK;
        }
        int32_t words =
            guide->model.successor(guide->model.self, x, &outcome[k], guide->key, &value[k]);
        if (words > 0) {
            OG_TRY(og_exact_guide_value(guide, use, guide->key, words, &value[k]));
        }
        valued[k] = true;
    }
}

og_status og_exact_guide_choose(og_exact_guide *guide, const og_engine_use *use,
                                const uint64_t *key, int32_t words, const og_expansion *x,
                                int32_t *chosen, int32_t *count)
{
    *count = 0;
    if (x->action_count == 1) {
        chosen[(*count)++] = 0;
        return OG_OK;
    }
    double state;
    OG_TRY(og_exact_guide_value(guide, use, key, words, &state));
    for (int32_t a = 0; a < x->action_count; a++) {
        bool may;
        OG_TRY(try_action(guide, use, x, &x->action[a], state, &may));
        if (may) {
            chosen[(*count)++] = a;
        }
    }
    return OG_OK;
}
