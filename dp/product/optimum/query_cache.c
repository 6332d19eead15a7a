/* Keeps layers of blocks for later states, if they are worth building. */
#include "dp/product/optimum/query_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/product/blocks/blocks.h"
#include "dp/product/optimum/cut.h"

struct og_query_cache {
    const og_arms *arms;
    og_blocks *blocks; /* either the one or the other */
    og_margin *cut;
    og_result root;
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

/* Plans a cut m that is small beside blocks of so many states, else NULL. */
static og_status plan_cut(const cache_plan *plan, double blocks, int32_t m, og_margin **out,
                          og_message *message)
{
    og_settings own = plan->settings;
    og_margin_size size;
    *out = NULL;
    own.memory_bytes /= 2;
    if (plan->ranks != NULL || own.engine != OG_ENGINE_AUTO || m > OG_CUT_MOST ||
        !og_cut_can(plan->arms)) {
        return OG_OK;
    }
    og_status status = og_cut_new(plan->arms, false, m, &own, out);
    if (status != OG_OK) {
        return status == OG_STOPPED ? og_stop_building(message) : status;
    }
    og_margin_keep(*out);
    og_margin_get_size(*out, &size);
    if (size.states * og_cut_ratio > blocks ||
        size.kept_bytes + (double)og_arms_bytes(plan->arms) > (double)own.memory_bytes) {
        og_margin_free(*out);
        *out = NULL;
    }
    return OG_OK;
}

/* Computes cuts from this one on; the first that closes is kept. */
static og_status make_cuts(const cache_plan *plan, double blocks, og_margin *cut,
                           og_query_cache *kept, og_message *message)
{
    og_status status = OG_OK;
    for (int32_t m = OG_CUT_LEAST + 1; status == OG_OK && cut != NULL; m++) {
        status = og_cut_value(plan->arms, cut, &kept->root, message);
        if (status == OG_OK && kept->root.by_margin) {
            kept->cut = cut;
            return OG_OK;
        }
        og_margin_free(cut);
        cut = NULL;
        OG_THEN(status, plan_cut(plan, blocks, m, &cut, message));
    }
    return status;
}

static og_status make_blocks(const cache_plan *plan, og_query_cache *kept, og_message *message)
{
    if (kept->blocks == NULL) {
        OG_TRY(plan_blocks(plan, &kept->blocks, message));
    }
    OG_TRY(og_blocks_solve(kept->blocks, &kept->root, message));
    kept->root.by_blocks = true;
    return OG_OK;
}

/* `kept` holds the counted blocks, which are built here if they are worth it. */
static og_status choose(const cache_plan *plan, og_solver *solver, og_query_cache *kept, bool *made,
                        og_message *message)
{
    og_blocks_size size = {0};
    bool fit = false, ends = false;
    og_message own = {""};
    og_margin *cut = NULL;
    OG_TRY(count(plan, &kept->blocks, &size, &fit, message));
    double blocks = fit ? og_blocks_work(&size) : INFINITY, work = blocks;
    OG_TRY(plan_cut(plan, blocks, OG_CUT_LEAST, &cut, message));
    if (cut != NULL) {
        og_margin_size of_cut;
        og_margin_get_size(cut, &of_cut);
        work = of_cut.states;
    }
    og_status status = OG_OK;
    if (isfinite(work) && plan->settings.engine != OG_ENGINE_BLOCKS) {
        uint64_t part = (uint64_t)work / share;
        status = recurse(&plan->settings, solver, part > first_states ? part : first_states, &ends,
                         message);
    }
    if (ends || !isfinite(work) || status != OG_OK) {
        og_margin_free(cut);
        return status;
    }
    status = make_cuts(plan, blocks, cut, kept, &own);
    if (status == OG_OK && kept->cut == NULL && fit) {
        status = make_blocks(plan, kept, &own);
    }
    *made = status == OG_OK && (kept->cut != NULL || fit);
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
        og_margin_free(kept->cut);
    }
    free(kept);
}

void og_query_cache_value(const og_query_cache *kept, og_result *result)
{
    *result = kept->root;
}

static og_status ends_at(const og_query_cache *kept, const og_state *state, og_margin_ends *ends)
{
    if (kept->cut != NULL) {
        return og_margin_ends_of(kept->cut, state, ends);
    }
    OG_TRY(og_blocks_value_at(kept->blocks, state, &ends->lower, NULL));
    ends->upper = ends->lower;
    return OG_OK;
}

static void take_ends(const og_query_cache *kept, const og_margin_ends *ends, double *value,
                      double *error)
{
    double relative = kept->cut != NULL ? og_margin_relative_error(kept->cut)
                                        : og_blocks_relative_error(kept->blocks);
    og_cut_take(ends, relative, value, error);
}

og_status og_query_cache_value_at(const og_query_cache *kept, const og_state *state, double *gain,
                                  double *error)
{
    og_margin_ends ends;
    OG_TRY(ends_at(kept, state, &ends));
    take_ends(kept, &ends, gain, error);
    return OG_OK;
}

og_status og_query_cache_q_of(const og_query_cache *kept, const og_state *state, int32_t group,
                              double *q, double *error)
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
    og_margin_ends sum = {arm->reward[from->node], arm->reward[from->node]};
    og_status status = OG_OK;
    for (int32_t k = 0; status == OG_OK && k < arm->outcome_count; k++) {
        size_t at = (size_t)from->node * (size_t)arm->outcome_count + (size_t)k;
        og_margin_ends value = {0, 0};
        moved[state->count] = (og_state_group){from->arm, arm->next[at], 1};
        status = ends_at(kept, &after, &value);
        sum.lower += arm->probability[at] * value.lower;
        sum.upper += arm->probability[at] * value.upper;
    }
    free(moved);
    if (status == OG_OK) {
        take_ends(kept, &sum, q, error);
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
        og_status status = og_query_cache_q_of(kept, state, i, &q[i], &error[i]);
        if (status == OG_BAD_INPUT) {
            status = og_solver_q_of(solver, state, i, &q[i], message);
            error[i] = 1.01 * og_solver_relative_error(solver) * q[i];
        }
        OG_TRY(status);
    }
    return OG_OK;
}
