/* Keeps layers of blocks for later states, if they are worth building. */
#include "dp/product/optimum/query_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/product/blocks/blocks.h"

struct og_query_cache {
    const og_arms *arms;
    og_blocks *blocks;
    og_result root;
    double relative; /* error of every value and Q */
};

static const double states_most = 1 << 26;

/* The recursion goes first, for 4096 states or a 64th of the layers' work, whichever is more. That
 * share takes about as long as the layers: a state of kept layers took 8 to 18 ns, one of the
 * recursion 500 to 900 (3x1,1 T=60 to 10x1,1 T=40, other thresholds, three classes). */
static const uint64_t first_states = 4096;
static const uint64_t share = 64;

/* The kind of values to keep; for a policy all of them. */
typedef struct {
    const og_arms *arms;
    const og_ranks *ranks; /* NULL: the optimum */
    og_settings settings;
    og_query_cache_use use;
} cache_plan;

/* The savings: all layers, or only those that forced labels lead to. */
static unsigned savings(og_query_cache_use use)
{
    return OG_BLOCKS_KEEP | (use == OG_KEPT_ALL ? OG_BLOCKS_FOLD : OG_BLOCKS_ALL);
}

static og_status plan_blocks(const cache_plan *plan, og_blocks **blocks, og_message *message)
{
    og_settings own = plan->settings;
    own.memory_bytes /= 2;
    own.states_max = (uint64_t)states_most;
    own.checkpoint = NULL;
    return plan->ranks == NULL
               ? og_blocks_new(plan->arms, savings(plan->use), &own, NULL, blocks, message)
               : og_blocks_new_policy(&(og_ranks_play){plan->arms, plan->ranks, OG_TIES_RANDOM},
                                      savings(plan->use), &own, NULL, blocks, message);
}

/* Finds whether layers fit, and their size. For all layers of the optimum a formula counts, before
 * tables are built; the others are counted by their types, which stay in *blocks. */
static og_status count(const cache_plan *plan, og_blocks **blocks, og_blocks_size *size, bool *fit,
                       og_message *message)
{
    og_message own = {""};
    bool formula = plan->ranks == NULL && plan->use == OG_KEPT_ALL;
    og_status status = formula
                           ? og_blocks_count(plan->arms, states_most, &plan->settings, size, &own)
                           : plan_blocks(plan, blocks, &own);
    if (status == OG_OK && !formula) {
        og_blocks_get_size(*blocks, size);
    }
    *fit = status == OG_OK && size->states <= states_most &&
           size->states * (double)sizeof(double) <= (double)plan->settings.memory_bytes / 2;
    return status == OG_OK || status == OG_STOPPED
               ? OG_OK
               : og_message_set(message, status, "%s", own.text);
}

/* Runs the recursion for its share of `most` states; *ends is true if it finished. */
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

static og_status make(const cache_plan *plan, og_query_cache *kept, og_message *message)
{
    if (kept->blocks == NULL) {
        OG_TRY(plan_blocks(plan, &kept->blocks, message));
    }
    return og_blocks_solve(kept->blocks, &kept->root, message);
}

/* `kept` holds the counted blocks, which are built here if they are worth it. */
static og_status choose(const cache_plan *plan, og_solver *solver, og_query_cache *kept, bool *made,
                        og_message *message)
{
    og_blocks_size size = {0};
    bool fit = false, ends = false;
    og_message own = {""};
    OG_TRY(count(plan, &kept->blocks, &size, &fit, message));
    if (fit && plan->settings.engine != OG_ENGINE_BLOCKS) {
        uint64_t part = (uint64_t)og_blocks_work(&size) / share;
        OG_TRY(recurse(&plan->settings, solver, part > first_states ? part : first_states, &ends,
                       message));
    }
    if (!fit || ends) {
        return OG_OK;
    }
    og_status status = make(plan, kept, &own);
    double of_solver = og_solver_relative_error(solver);
    double of_blocks = status == OG_OK ? og_blocks_relative_error(kept->blocks) : 0;
    bool asks_solver = plan->ranks == NULL && plan->use == OG_KEPT_ALL; /* for its error */
    kept->relative = fmax(of_solver, of_blocks);
    *made = status == OG_OK && (!asks_solver || of_blocks <= of_solver);
    /* Too large after all, or time is up; the recursion will find the latter too. */
    return status == OG_STOPPED || status == OG_OK
               ? OG_OK
               : og_message_set(message, status, "%s", own.text);
}

static og_status kept_new(const cache_plan *plan, og_solver *solver, og_query_cache **out,
                          og_message *message)
{
    const double start = og_seconds();
    bool made = false;
    *out = NULL;
    if (plan->settings.engine == OG_ENGINE_RECURSION ||
        plan->settings.reductions != OG_REDUCE_ALL || plan->arms->budget == 0 ||
        og_arms_have_actions(plan->arms)) {
        return OG_OK;
    }
    og_query_cache *kept = calloc(1, sizeof *kept);
    OG_TRY(OG_ALLOCATED(kept));
    kept->arms = plan->arms;
    og_status status = choose(plan, solver, kept, &made, message);
    if (!made) {
        og_query_cache_free(kept);
        return status;
    }
    kept->root.by_blocks = true;
    kept->root.seconds = og_seconds() - start;
    kept->root.memory_bytes += og_solver_bytes(solver);
    *out = kept;
    return OG_OK;
}

og_status og_query_cache_new(const og_arms *arms, const og_settings *settings,
                             og_query_cache_use use, og_solver *solver, og_query_cache **out,
                             og_message *message)
{
    const cache_plan plan = {arms, NULL, og_settings_filled(settings), use};
    return kept_new(&plan, solver, out, message);
}

og_status og_query_cache_new_policy(const og_arms *arms, const og_ranks *ranks,
                                    const og_settings *settings, og_solver *solver,
                                    og_query_cache **out, og_message *message)
{
    const cache_plan plan = {arms, ranks, og_settings_filled(settings), OG_KEPT_ALL};
    *out = NULL;
    return ranks->chooser_lock != NULL || ranks->stops ? OG_OK
                                                       : kept_new(&plan, solver, out, message);
}

void og_query_cache_free(og_query_cache *kept)
{
    if (kept != NULL) {
        og_blocks_free(kept->blocks);
    }
    free(kept);
}

void og_query_cache_value(const og_query_cache *kept, og_result *result)
{
    *result = kept->root;
}

double og_query_cache_relative_error(const og_query_cache *kept)
{
    return kept->relative;
}

og_status og_query_cache_value_at(const og_query_cache *kept, const og_state *state, double *gain)
{
    return og_blocks_value_at(kept->blocks, state, gain, NULL);
}

og_status og_query_cache_q_of(const og_query_cache *kept, const og_state *state, int32_t group,
                              double *q)
{
    const og_state_group *from = &state->group[group];
    const og_arm *arm = kept->arms->arm[from->arm];
    if (state->left < 1 || from->node >= arm->level[arm->depth]) {
        return OG_BAD_INPUT;
    }
    og_state_group *moved = calloc((size_t)state->count + 1, sizeof *moved);
    OG_TRY(OG_ALLOCATED(moved));
    memcpy(moved, state->group, (size_t)state->count * sizeof *moved);
    moved[group].copies--;
    const og_state after = {state->left - 1, state->budget, state->count + 1, moved};
    double sum = arm->reward[from->node];
    og_status status = OG_OK;
    for (int32_t k = 0; status == OG_OK && k < arm->outcome_count; k++) {
        size_t at = (size_t)from->node * (size_t)arm->outcome_count + (size_t)k;
        double value = 0;
        moved[state->count] = (og_state_group){from->arm, arm->next[at], 1};
        status = og_query_cache_value_at(kept, &after, &value);
        sum += arm->probability[at] * value;
    }
    free(moved);
    if (status == OG_OK) {
        *q = sum;
    }
    return status;
}

og_status og_query_cache_q_at(const og_query_cache *kept, og_solver *solver, const og_state *state,
                              double *q, double *error, og_message *message)
{
    if (kept == NULL) {
        return og_solver_q_at(solver, state, q, error, message);
    }
    for (int32_t i = 0; i < state->count; i++) {
        og_status status = og_query_cache_q_of(kept, state, i, &q[i]);
        OG_TRY(status == OG_BAD_INPUT ? og_solver_q_of(solver, state, i, &q[i], message) : status);
        error[i] = 1.01 * kept->relative * q[i];
    }
    return OG_OK;
}
