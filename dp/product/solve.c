/*
 * The solver: builds layers, prices, product and engine for one problem, and answers every question
 * about it.
 */
#include "dp/product/solve.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/clock.h"
#include "dp/base/ties.h"
#include "dp/engine/engine.h"
#include "dp/product/foresee.h"
#include "dp/product/key_size.h"
#include "dp/product/solver.h"
#include "dp/product/two_copies.h"
#include "dp/product/uniform.h"

static og_status out_of_limit(const og_settings *settings, og_message *message)
{
    char limit[OG_BYTES_TEXT_BYTES];
    return og_message_set(message, OG_STOPPED,
                          "the memory limit of %s does not hold the tables of this problem",
                          og_bytes_format(settings->memory_bytes, limit));
}

/* Collects the data that the values in memory and the form of their keys depend on. */
static og_status take_fingerprint(og_solver *solver)
{
    const og_arms *arms = solver->arms;
    const og_product *product = &solver->product;
    XXH3_state_t *hash = XXH3_createState();
    OG_TRY(OG_ALLOCATED(hash));
    XXH3_128bits_reset(hash);
    int64_t plain[] = {product->budget,
                       product->optimum,
                       product->ties,
                       product->ordered,
                       product->drop,
                       product->cap,
                       product->force,
                       product->left_bits,
                       arms->arm_count,
                       arms->group_count,
                       solver->valuation.settings.reductions};
    XXH3_128bits_update(hash, plain, sizeof plain);
    size_t groups = (size_t)arms->group_count;
    XXH3_128bits_update(hash, arms->arm_of_group, groups * sizeof *arms->arm_of_group);
    XXH3_128bits_update(hash, arms->group_size, groups * sizeof *arms->group_size);
    XXH3_128bits_update(hash, solver->layers->root_class,
                        (size_t)arms->arm_count * sizeof *solver->layers->root_class);
    for (int32_t left = 1; left <= arms->budget; left++) {
        const og_layer *layer = &solver->layers->layer[left];
        size_t classes = layer->class_count;
        size_t actions = og_layer_first_action(layer, layer->class_count);
        size_t outcomes = layer->outcome_first[actions];
        XXH3_128bits_update(hash, &product->order[left], sizeof *product->order);
        XXH3_128bits_update(hash, layer->reward, classes * sizeof *layer->reward);
        XXH3_128bits_update(hash, layer->down, classes * sizeof *layer->down);
        if (layer->action_first != NULL) {
            XXH3_128bits_update(hash, layer->action_first,
                                (classes + 1) * sizeof *layer->action_first);
            XXH3_128bits_update(hash, layer->action_cost, actions * sizeof *layer->action_cost);
            XXH3_128bits_update(hash, layer->action_reward, actions * sizeof *layer->action_reward);
        }
        XXH3_128bits_update(hash, layer->outcome_first,
                            (actions + 1) * sizeof *layer->outcome_first);
        XXH3_128bits_update(hash, layer->probability, outcomes * sizeof *layer->probability);
        XXH3_128bits_update(hash, layer->next, outcomes * sizeof *layer->next);
    }
    XXH128_hash_t digest = XXH3_128bits_digest(hash);
    solver->valuation.fingerprint = (og_fingerprint){{digest.low64, digest.high64}};
    XXH3_freeState(hash);
    return OG_OK;
}

/* Builds everything except the recursion. */
static og_status solver_build(og_solver *solver, const og_product_use *use,
                              const og_settings *settings, og_message *message)
{
    const og_arms *arms = solver->arms;
    uint64_t limit = settings->memory_bytes;
    uint64_t fixed_bytes = og_arms_bytes(arms);
    if (fixed_bytes >= limit) {
        return out_of_limit(settings, message);
    }
    bool merge = (use->reductions & OG_REDUCE_MERGE) != 0;
    og_stop *stop = og_stop_of(settings);
    OG_TRY(og_key_size_check(arms, use, message));
    OG_TRY(og_layers_new(arms,
                         &(og_layers_use){.ranks = use->ranks,
                                          .merge = merge,
                                          .ends = use->ends,
                                          .memory_bytes = limit - fixed_bytes,
                                          .stop = stop},
                         &solver->layers, message));
    fixed_bytes += solver->layers->bytes;
    if (use->optimum && (use->reductions & OG_REDUCE_BOUND) != 0) {
        og_status status =
            og_prices_new_for(solver->layers, arms, (use->reductions & OG_REDUCE_CAP) != 0,
                              (limit - fixed_bytes) / 2, stop, &solver->prices);
        if (status == OG_OK) {
            fixed_bytes += solver->prices->bytes;
        } else if (og_stop_status(stop) == OG_STOPPED) {
            return og_stop_building(message);
        } else if (status != OG_STOPPED) { /* no room for bounds: slower, not wrong */
            return status;
        }
    }
    OG_TRY(og_product_init(&solver->product, arms, solver->layers, solver->prices, use, message));
    int32_t key_words_max = solver->product.key_words_max;
    solver->key = og_arena_array(&solver->arena, (size_t)key_words_max, sizeof *solver->key);
    OG_TRY(og_arena_status(&solver->arena));
    og_model model = og_product_model(&solver->product);
    fixed_bytes += solver->product.two != NULL ? solver->product.two->bytes : 0;
    OG_TRY(og_valuation_init(&solver->valuation, &model, settings, fixed_bytes, message));
    if (settings->checkpoint == NULL) {
        return OG_OK;
    }
    OG_TRY(take_fingerprint(solver));
    return og_checkpoint_read(settings->checkpoint, &solver->valuation.fingerprint,
                              solver->valuation.memo, key_words_max, message);
}

static og_status solver_new(const og_arms *arms, const og_product_use *use,
                            const og_settings *settings, og_solver **out, og_message *message)
{
    double start = og_seconds();
    og_settings own = og_settings_filled(settings);
    og_solver *solver = og_arena_new(sizeof *solver);
    OG_TRY(OG_ALLOCATED(solver));
    solver->arms = arms;
    solver->ranks = use->ranks;
    og_status status = solver_build(solver, use, &own, message);
    if (status != OG_OK) {
        og_solver_free(solver);
        return status;
    }
    assert(solver->layers != NULL && solver->key != NULL && solver->valuation.memo != NULL);
    solver->seconds = og_seconds() - start;
    *out = solver;
    return OG_OK;
}

og_status og_solver_new(const og_arms *arms, const og_settings *settings, og_solver **out,
                        og_message *message)
{
    og_product_use use = {.optimum = true, .reductions = settings->reductions};
    return solver_new(arms, &use, settings, out, message);
}

og_status og_solver_new_policy(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                               const og_settings *settings, og_solver **out, og_message *message)
{
    og_product_use use = {
        .optimum = false, .ties = ties, .ranks = ranks, .reductions = settings->reductions};
    og_settings own = *settings;
    own.checkpoint = NULL;
    return solver_new(arms, &use, &own, out, message);
}

void og_solver_free(og_solver *solver)
{
    if (solver == NULL) {
        return;
    }
    og_valuation_clear(&solver->valuation);
    og_product_clear(&solver->product);
    og_prices_free(solver->prices);
    og_layers_free(solver->layers);
    og_classes_free(solver->classes);
    og_arena_clear(&solver->pairs);
    og_arena_free(solver);
}

/*
 * Relative error of a computed gain, all terms being >= 0.
 *
 * A value with r labels left is R + sum p_k G_{r-1}. Stored p and R are within probability_error
 * and reward_error. Adding up the p of outcomes that lead to one class costs at most m - 1
 * roundings, a product one, the sum with R at most m. So a label multiplies the relative error by
 * at most (1 + probability_error)(1 + u)^(2m). A draw among n ties adds n products and sums and one
 * division, at most (1 + u)^(n + 2). Weights from a policy are not whole numbers: their sum adds as
 * many roundings. If copies share the weight of a group, each weight is off by two, which counts in
 * the sum of products and in that of weights. Maximum and minimum add none. R enters once on every
 * path.
 */
double og_solver_relative_error(const og_solver *solver)
{
    const double u = 0x1p-53;
    double p_error = 0;
    double r_error = 0;
    for (int32_t a = 0; a < solver->arms->arm_count; a++) {
        const og_arm *arm = solver->arms->arm[a];
        p_error = fmax(p_error, arm->probability_error);
        r_error = fmax(r_error, arm->reward_error);
    }
    const og_product *product = &solver->product;
    double draws = product->chosen_by != NULL        ? 2.0 * product->actions_max + 6
                   : product->optimum                ? 0
                   : product->ties == OG_TIES_RANDOM ? product->actions_max + 2.0
                                                     : 0;
    double close =
        product->two != NULL ? 16 : 0; /* ignored differences (dp/product/two_copies.c) */
    double step = p_error + u * (2.0 * solver->layers->outcome_max + draws + close);
    double total = 1.01 * (product->budget * step + r_error); /* 1.01: second order, tiny */
    return total;
}

static void result_fill(const og_solver *solver, double gain, og_result *result)
{
    double call_error;
    double call = og_arms_prior_value(solver->arms, &call_error);
    result->gain = gain;
    result->value = call + gain;
    result->error_bound =
        1.01 * gain * og_solver_relative_error(solver) + call_error + fabs(result->value) * 0x1p-53;
}

/* The value of the state whose key is in solver->key. */
static og_status value_of_key(og_solver *solver, int32_t words, double *value, og_engine_info *info,
                              og_message *message)
{
    og_status status =
        og_valuation_run(&solver->valuation, solver->key, words, value, info, message);
    if (status != OG_OK && solver->ranks != NULL) {
        og_ranks_failure(solver->ranks, message);
    }
    return status;
}

og_status og_solver_state(og_solver *solver, int32_t words, double *value, og_message *message)
{
    og_engine_info info = {0, 0};
    return value_of_key(solver, words, value, &info, message);
}

/* ---- questions about states ---- */

/* Builds the classes of all nodes, when a state other than the first is given. */
static og_status need_classes(og_solver *solver, og_message *message)
{
    if (solver->classes != NULL) {
        return OG_OK;
    }
    const og_settings *settings = &solver->valuation.settings;
    bool merge = (settings->reductions & OG_REDUCE_MERGE) != 0;
    return og_classes_new(
        solver->arms,
        &(og_layers_use){.ranks = solver->ranks,
                         .merge = merge,
                         .memory_bytes = settings->memory_bytes - solver->valuation.fixed_bytes,
                         .stop = og_stop_of(settings)},
        &solver->classes, message);
}

/* Fills solver->pair and solver->down: the state's classes now, and one label later. */
static og_status take_state(og_solver *solver, const og_state *state, og_message *message)
{
    OG_TRY(og_state_check(solver->arms, state, message));
    if (state->count > solver->pair_room) {
        og_arena_clear(&solver->pairs);
        size_t room = (size_t)state->count + 8;
        solver->pair_room = 0;
        solver->pair = og_arena_array(&solver->pairs, room, sizeof *solver->pair);
        solver->down = og_arena_array(&solver->pairs, room, sizeof *solver->down);
        OG_TRY(og_arena_status(&solver->pairs));
        solver->pair_room = (int32_t)room;
    }
    if (state->left > 0 && !og_state_is_first(solver->arms, state)) {
        OG_TRY(need_classes(solver, message));
    }
    og_product_pairs(&solver->product, solver->classes, state, solver->pair, solver->down);
    return OG_OK;
}

og_status og_solver_key(og_solver *solver, const og_state *state, int32_t *words,
                        og_message *message)
{
    OG_TRY(take_state(solver, state, message));
    return og_product_key(&solver->product,
                          &(og_pairs){state->left, solver->pair, state->count, -1, 0}, solver->key,
                          words, message);
}

og_status og_solver_value_at(og_solver *solver, const og_state *state, double *gain,
                             og_message *message)
{
    int32_t words;
    OG_TRY(og_solver_key(solver, state, &words, message));
    return og_solver_state(solver, words, gain, message);
}

/* The state after an action of this cost, of which solver->down has the classes. */
static og_pairs after(const og_solver *solver, const og_state *state, int32_t cost, int32_t moved,
                      uint32_t to)
{
    return (og_pairs){state->left - cost, solver->down, state->count, moved, to};
}

static og_status value_below(og_solver *solver, og_pairs at, double *value, og_message *message)
{
    int32_t words;
    OG_TRY(og_product_key(&solver->product, &at, solver->key, &words, message));
    return og_solver_state(solver, words, value, message);
}

/* solver->down: the classes so many labels later. */
static void take_down(og_solver *solver, const og_state *state, int32_t cost)
{
    for (int32_t i = 0; i < state->count; i++) {
        solver->down[i].class =
            og_layers_down(solver->layers, state->left, solver->pair[i].class, cost);
    }
}

/* Q of an action of the state's layer for an instance of the group. */
static og_status layer_action_q(og_solver *solver, const og_state *state, int32_t group,
                                uint32_t action, double *q, og_message *message)
{
    const og_layer *layer = &solver->layers->layer[state->left];
    double sum = og_layer_reward(layer, action);
    uint32_t first = layer->outcome_first[action];
    uint32_t last = layer->outcome_first[action + 1];
    int32_t cost = og_layer_cost(layer, action);
    if (first == last) { /* dead: the other instances do not depend on its outcome */
        return value_below(solver, after(solver, state, cost, group, 0), q, message);
    }
    for (uint32_t k = first; k < last; k++) {
        double value;
        OG_TRY(value_below(solver, after(solver, state, cost, group, layer->next[k]), &value,
                           message));
        sum += layer->probability[k] * value;
    }
    *q = sum;
    return OG_OK;
}

/* Q of the best action; if there are several and none gains anything, the value of doing
 * nothing. */
static og_status group_q(og_solver *solver, const og_state *state, int32_t group, double *q,
                         og_message *message)
{
    const og_layer *layer = &solver->layers->layer[state->left];
    uint32_t class = solver->pair[group].class;
    if (!solver->product.several) {
        return layer_action_q(solver, state, group, class, q, message);
    }
    take_down(solver, state, 1);
    double best, other;
    OG_TRY(value_below(solver, after(solver, state, 1, -1, 0), &best, message));
    for (uint32_t i = layer->action_first[class]; i < layer->action_first[class + 1]; i++) {
        take_down(solver, state, layer->action_cost[i]);
        OG_TRY(layer_action_q(solver, state, group, i, &other, message));
        best = fmax(best, other);
    }
    *q = best;
    return OG_OK;
}

og_status og_solver_q_of_action(og_solver *solver, const og_state *state, int32_t group,
                                uint32_t action, double *q, og_message *message)
{
    const og_arm *arm = solver->arms->arm[state->group[group].arm];
    int32_t cost = arm->cost == NULL ? 1 : arm->cost[action];
    if (cost > state->left) {
        return og_message_set(message, OG_BAD_INPUT, "this label costs more than the budget left");
    }
    OG_TRY(take_state(solver, state, message));
    OG_TRY(need_classes(solver, message));
    take_down(solver, state, cost);
    double sum = arm->reward[action];
    for (int32_t k = 0; cost < state->left && k < arm->outcome_count; k++) {
        size_t at = (size_t)action * (size_t)arm->outcome_count + (size_t)k;
        uint32_t to = og_classes_of(solver->classes, state->left - cost, state->group[group].arm,
                                    arm->next[at]);
        double value;
        OG_TRY(value_below(solver, after(solver, state, cost, group, to), &value, message));
        sum += arm->probability[at] * value;
    }
    *q = sum;
    return OG_OK;
}

og_status og_solver_alike(og_solver *solver, const og_state *state, int32_t *alike,
                          og_message *message)
{
    OG_TRY(take_state(solver, state, message));
    for (int32_t i = 0; i < state->count; i++) {
        alike[i] = og_product_alike(&solver->product, solver->pair, i);
    }
    return OG_OK;
}

og_status og_solver_q_at(og_solver *solver, const og_state *state, double *q, double *error,
                         og_message *message)
{
    if (state->left < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    double *found = calloc((size_t)state->count + 1, sizeof *found);
    og_status status = found == NULL ? OG_NO_MEMORY : take_state(solver, state, message);
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        int32_t same = og_product_alike(&solver->product, solver->pair, i);
        if (same < i) {
            found[i] = found[same]; /* equivalent instances have the same Q */
        } else {
            status = group_q(solver, state, i, &found[i], message);
        }
    }
    double relative = 1.01 * og_solver_relative_error(solver);
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        q[i] = found[i];
        error[i] = found[i] * relative;
    }
    free(found);
    return status;
}

og_status og_solver_q_of(og_solver *solver, const og_state *state, int32_t group, double *q,
                         og_message *message)
{
    if (state->left < 1 || group < 0 || group >= state->count) {
        return og_message_set(message, OG_BAD_INPUT, "there is no such group to label");
    }
    double found;
    OG_TRY(take_state(solver, state, message));
    OG_TRY(group_q(solver, state, group, &found, message));
    *q = found;
    return OG_OK;
}

/* ---- the problem itself ---- */

void og_solver_pace(og_solver *solver, int threads, uint64_t expanded_max)
{
    solver->valuation.settings.threads = threads;
    solver->valuation.expanded_max = expanded_max;
}

uint64_t og_solver_expanded(const og_solver *solver)
{
    return solver->valuation.expanded;
}

uint64_t og_solver_bytes(const og_solver *solver)
{
    og_memo_info memo;
    og_memo_get_info(solver->valuation.memo, &memo);
    return solver->valuation.fixed_bytes + memo.bytes;
}

/* Shows a policy whose chooser wants it the states that it will be asked about. Its labels are
 * counted after its value, with the same states. */
static og_status foresee(og_solver *solver, int32_t words, og_message *message)
{
    const og_settings *settings = &solver->valuation.settings;
    const og_ranks *by = solver->product.chosen_by;
    if (by == NULL || og_ranks_chooser(by)->foresee == NULL || solver->product.worth.labels) {
        return OG_OK;
    }
    og_status status = og_product_foresee(&(og_foresight){.product = &solver->product,
                                                          .key = solver->key,
                                                          .words = words,
                                                          .limit_bytes = settings->memory_bytes / 8,
                                                          .states_max = settings->states_max,
                                                          .stop = og_stop_of(settings)});
    if (status != OG_OK) {
        og_ranks_failure(solver->ranks, message);
    }
    return status;
}

og_status og_solver_value(og_solver *solver, og_result *result, og_message *message)
{
    double start = og_seconds();
    og_result sizes = {0};
    og_state state;
    og_status status = OG_OK;
    OG_TRY(og_state_first(solver->arms, &state));
    int32_t words;
    status = og_solver_key(solver, &state, &words, message);
    free((void *)state.group);
    og_engine_info info = {0, 0};
    double gain;
    OG_THEN(status, foresee(solver, words, message));
    OG_THEN(status, value_of_key(solver, words, &gain, &info, message));
    if (status == OG_OK) {
        result_fill(solver, gain, &sizes);
    }
    og_valuation_sizes(&solver->valuation, start - solver->seconds, &info, &sizes);
    if (status == OG_OK || status == OG_STOPPED) {
        *result = sizes;
    }
    return status;
}

og_status og_solver_q(og_solver *solver, double *q, double *error, og_message *message)
{
    og_state state;
    OG_TRY(og_state_first(solver->arms, &state));
    og_status status = og_solver_q_at(solver, &state, q, error, message);
    free((void *)state.group);
    return status;
}

/* Visits no state. */
static og_status uniform_value(const og_arms *arms, og_result *result)
{
    double start = og_seconds();
    double gain;
    double gain_error;
    double call_error;
    OG_TRY(og_uniform_gain(arms, &gain, &gain_error));
    memset(result, 0, sizeof *result);
    result->gain = gain;
    result->value = og_arms_prior_value(arms, &call_error) + gain;
    result->error_bound = 1.01 * gain_error + call_error + fabs(result->value) * 0x1p-53;
    result->seconds = og_seconds() - start;
    return OG_OK;
}

/*
 * The error with a fee: the value is G - fee N, and the sum of the sizes of its terms G + fee N <=
 * |value| + 2 fee T, to which a difference of reward and fee adds one rounding.
 */
static void add_fee_error(const og_solver *solver, double fee, og_result *result)
{
    const og_arms *arms = solver->arms;
    double size = fabs(result->gain) + 2.02 * fee * arms->budget, u = 0x1p-53;
    double call_error;
    og_arms_prior_value(arms, &call_error);
    result->error_bound = 1.01 * size * (og_solver_relative_error(solver) + 2 * u) + call_error +
                          fabs(result->value) * u;
}

og_status og_policy_value_of(const og_ranks_play *play, const og_play_worth *worth,
                             const og_settings *settings, og_result *result, og_message *message)
{
    const og_product_use use = {.ties = play->ties,
                                .ranks = play->ranks,
                                .ends = true,
                                .worth = *worth,
                                .reductions = settings->reductions};
    og_settings own = *settings;
    og_solver *solver;
    own.checkpoint = NULL;
    OG_TRY(solver_new(play->arms, &use, &own, &solver, message));
    og_status status = og_solver_value(solver, result, message);
    if (status == OG_OK && worth->fee.num != 0) {
        add_fee_error(solver, og_fraction_double(worth->fee), result);
    } else if (status == OG_OK && worth->labels) {
        result->error_bound = 1.01 * result->gain * og_solver_relative_error(solver);
    }
    og_solver_free(solver);
    return status;
}

og_status og_policy_value(const og_arms *arms, const og_ranks *ranks, og_ties ties,
                          const og_settings *settings, og_result *result, og_message *message)
{
    const og_ranks_play play = {arms, ranks, ties};
    if (ties == OG_TIES_RANDOM && arms->group_count > 0 && og_ranks_are_uniform(arms, ranks)) {
        return uniform_value(arms, result);
    }
    return og_policy_value_of(&play, &(og_play_worth){.labels = false}, settings, result, message);
}

og_status og_policy_labels(const og_ranks_play *play, const og_settings *settings, double *labels,
                           double *error, og_message *message)
{
    og_result result = {.gain = 0};
    assert(!og_ties_by_value(play->ties));
    if (!og_ranks_may_stop(play->ranks)) {
        *labels = play->arms->group_count > 0 ? play->arms->budget : 0;
        *error = 0;
        return OG_OK;
    }
    OG_TRY(og_policy_value_of(play, &(og_play_worth){.labels = true}, settings, &result, message));
    *labels = result.gain;
    *error = result.error_bound;
    return OG_OK;
}
