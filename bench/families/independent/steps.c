/*
 * Walks independent instances state by state. A state is a multiset of posteriors, or a run of them
 * in order. The problem's solver computes the values, or layers of blocks if they need less. A key
 * is the list of a forward pass, its stage the labels left.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/independent/independent.h"
#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/product/forward.h"
#include "dp/product/optimum/query_cache.h"

typedef struct walker walker;
struct walker {
    og_arena arena;
    const og_arms *arms;
    og_forward pass; /* the current state */
    og_solver *solver;
    og_solver *owned; /* the solver, if it is not lent */
    og_settings settings;
    walker *lender;       /* owner of solver and layers; the walker itself if not lent */
    bool asked;           /* whether a value was requested and layers were considered */
    og_query_cache *kept; /* NULL: no layers, or not yet */
    og_exact *fractions;  /* exact only */
    double **call;        /* [arm_count][node] h, 0 without calls; NULL: not requested */
    mpq_t **call_exact;   /* exact only */
    og_expansion x;
};

/* ---- expected calls ---- */

static og_status find_calls(walker *w)
{
    size_t arms = (size_t)w->arms->arm_count;
    double error;
    w->call = og_arena_array(&w->arena, arms, sizeof *w->call);
    w->call_exact = og_arena_array(&w->arena, arms, sizeof *w->call_exact);
    OG_TRY(og_arena_status(&w->arena));
    for (size_t a = 0; a < arms; a++) {
        const og_arm *arm = w->arms->arm[a];
        size_t exact_nodes = w->fractions != NULL ? arm->node_count : 0;
        w->call[a] = og_arena_array(&w->arena, arm->node_count, sizeof *w->call[a]);
        w->call_exact[a] = og_arena_fractions(&w->arena, exact_nodes);
        OG_TRY(og_arena_status(&w->arena));
        if (arm->bandit || og_arm_is_standard(arm)) {
            continue; /* 0 */
        }
        OG_TRY(og_arm_calls(arm, false, og_stop_of(&w->settings), w->call[a], &error));
        if (w->fractions != NULL) {
            og_arm_exact_calls(arm, w->call_exact[a]);
        }
    }
    return OG_OK;
}

static void counted(void *self, double *value, mpq_ptr exact)
{
    const walker *w = self;
    const og_state *state = &w->pass.state;
    *value = 0;
    if (w->fractions != NULL) {
        mpq_set_ui(exact, 0, 1);
    }
    for (int32_t i = 0; w->call != NULL && i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        *value += (double)group->copies * w->call[group->arm][group->node];
        if (w->fractions != NULL) {
            og_add_multiple(exact, group->copies, w->call_exact[group->arm][group->node]);
        }
    }
}

/* ---- from state to state ---- */

static void put_place(const og_copies *list, int32_t count, int32_t left, og_step_state *out)
{
    memcpy(out->key, list, (size_t)count * sizeof *list);
    out->words = count;
    out->stage = left;
}

static void root(void *self, og_step_state *out)
{
    const walker *w = self;
    put_place(w->pass.list, og_forward_root(&w->pass), w->arms->budget, out);
    out->probability = 1;
}

static og_status take(void *self, const og_step_state *place, og_step_view *out,
                      og_message *message)
{
    walker *w = self;
    og_expansion *x = &w->x;
    int32_t used = 0;
    (void)message;
    og_forward_take_list(&w->pass, place->stage, (const og_copies *)place->key, place->words);
    const og_state *state = &w->pass.state;
    x->action_count = state->left > 0 ? state->count : 0;
    for (int32_t i = 0; i < x->action_count; i++) {
        const og_state_group *group = &state->group[i];
        const og_arm *arm = w->arms->arm[group->arm];
        const double *p = &arm->probability[(size_t)group->node * (size_t)arm->outcome_count];
        x->action[i] = (og_action){.weight = (double)group->copies,
                                   .bound = INFINITY,
                                   .outcome_first = used,
                                   .outcome_count = arm->outcome_count};
        int32_t first = used;
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            if (p[k] > 0) {
                x->outcome[used++] = (og_outcome){
                    .probability = p[k], .bound = INFINITY, .from = (uint32_t)i, .to = (uint32_t)k};
            }
        }
        x->action[i].outcome_count = used - first;
    }
    *out = (og_step_view){.left = state->left, .state = state, .x = x};
    return OG_OK;
}

static og_act act_of_group(const walker *w, uint32_t group)
{
    const og_state_group *moved = &w->pass.state.group[group];
    return (og_act){{(uint32_t)moved->arm, moved->node, 0}};
}

static og_act act(void *self, const og_action *action)
{
    const walker *w = self;
    return act_of_group(w, w->x.outcome[action->outcome_first].from);
}

/* What a label of a table's node earns at once, with the bonus. */
static double earned_at_node(const og_arm *arm, uint32_t node, mpq_ptr exact)
{
    const og_node_table *table = og_arm_table(arm);
    uint32_t at = og_arm_table_node(arm, node);
    mpq_t earned, part;
    mpq_inits(earned, part, NULL);
    og_fraction_get_mpq(earned, og_group_bonus(og_arm_prior(arm)));
    for (uint32_t k = table->first[at]; k < table->first[at + 1]; k++) {
        mpq_mul(part, table->probability[k], table->reward[k]);
        mpq_add(earned, earned, part);
    }
    double nearest = og_nearest(earned);
    if (exact != NULL) {
        mpq_swap(exact, earned);
    }
    mpq_clears(earned, part, NULL);
    return nearest;
}

/* The reward of an arm without calls, else its bonus; the rest of the gain is a difference of
 * expected calls, or of the values of nodes. */
static double reward(void *self, const og_action *action, mpq_ptr exact)
{
    const walker *w = self;
    og_act which = act(self, action);
    const og_arm *arm = w->arms->arm[which.part[0]];
    bool called = og_arm_has_calls(arm);
    if (og_arm_table(arm) != NULL) {
        return earned_at_node(arm, which.part[1], w->fractions != NULL ? exact : NULL);
    }
    og_fraction bonus = og_group_bonus(og_arm_prior(arm));
    if (w->fractions != NULL && called) {
        og_fraction_get_mpq(exact, bonus);
    } else if (w->fractions != NULL) {
        og_arm_exact_reward(arm, which.part[1], exact);
    }
    return called ? og_fraction_double(bonus) : arm->reward[which.part[1]];
}

static int32_t answer(void *self, const og_outcome *outcome, og_act *act)
{
    *act = act_of_group(self, outcome->from);
    return (int32_t)outcome->to;
}

static void next(void *self, const og_outcome *outcome, og_step_state *out)
{
    const walker *w = self;
    int32_t count = og_forward_successor(&w->pass, (int32_t)outcome->from, (int32_t)outcome->to);
    put_place(w->pass.successor, count, w->pass.state.left - 1, out);
    out->probability = outcome->probability;
}

static void probability_exact(void *self, const og_outcome *outcome, mpq_ptr exact)
{
    const walker *w = self;
    const og_state_group *group = &w->pass.state.group[outcome->from];
    og_arm_exact_probability(w->arms->arm[group->arm], group->node, (int32_t)outcome->to, exact);
}

/* ---- values ---- */

/* Build the layers when a value is first requested; NULL if there are none. */
static og_status need_kept(walker *w, const og_query_cache **out, og_message *message)
{
    walker *lender = w->lender;
    if (!lender->asked) {
        OG_TRY(og_query_cache_new(lender->arms, &lender->settings, OG_KEPT_ALL, lender->solver,
                                  &lender->kept, message));
        lender->asked = true;
    }
    *out = lender->kept;
    return OG_OK;
}

/* Take the value from the layers, or if they do not hold it from the solver. */
static og_status value_of(void *self, double *value, double *error, og_message *message)
{
    walker *w = self;
    const og_query_cache *kept = NULL;
    OG_TRY(need_kept(w, &kept, message));
    og_status status =
        kept != NULL ? og_query_cache_value_at(kept, &w->pass.state, value, error) : OG_BAD_INPUT;
    if (status == OG_BAD_INPUT) {
        status = og_solver_value_at(w->solver, &w->pass.state, value, message);
        *error = 1.01 * og_solver_relative_error(w->solver) * *value;
    }
    return status;
}

static og_status q_of(void *self, int32_t action, double *q, double *error, og_message *message)
{
    walker *w = self;
    const og_query_cache *kept = NULL;
    OG_TRY(need_kept(w, &kept, message));
    og_status status =
        kept != NULL ? og_query_cache_q_of(kept, &w->pass.state, action, q, error) : OG_BAD_INPUT;
    if (status == OG_BAD_INPUT) {
        status = og_solver_q_of(w->solver, &w->pass.state, action, q, message);
        *error = 1.01 * og_solver_relative_error(w->solver) * *q;
    }
    return status;
}

static og_status q_of_all(void *self, double *q, double *error, og_message *message)
{
    walker *w = self;
    const og_query_cache *kept = NULL;
    OG_TRY(need_kept(w, &kept, message));
    return og_query_cache_q_at(kept, w->solver, &w->pass.state, q, error, message);
}

static og_status q_exact(void *self, mpq_t *q, og_message *message)
{
    walker *w = self;
    return og_exact_q_at(w->fractions, &w->pass.state, q, message);
}

/* ---- the whole ---- */

static void free_walker(void *self)
{
    walker *w = self;
    og_forward_clear(&w->pass);
    og_query_cache_free(w->kept);
    og_solver_free(w->owned);
    og_exact_free(w->fractions);
    og_arena_free(w);
}

static og_status init_walker(walker *w, const og_steps_use *use, og_message *message)
{
    size_t outcomes = 1;
    og_forward_order order = use->apart     ? OG_FORWARD_APART
                             : use->ordered ? OG_FORWARD_RUNS
                                            : OG_FORWARD_SORTED;
    OG_TRY(og_forward_begin(w->arms, order, 0, UINT64_MAX, &w->pass));
    size_t room = (size_t)w->pass.room;
    for (int32_t a = 0; a < w->arms->arm_count; a++) {
        size_t of_arm = (size_t)w->arms->arm[a]->outcome_count;
        outcomes = of_arm > outcomes ? of_arm : outcomes;
    }
    w->x.action = og_arena_array(&w->arena, room, sizeof *w->x.action);
    w->x.outcome = og_arena_array(&w->arena, room * outcomes, sizeof *w->x.outcome);
    OG_TRY(og_arena_status(&w->arena));
    if (use->by != NULL) {
        OG_TRY(og_solver_new_policy(w->arms, use->by->ranks, use->ties, &use->settings, &w->owned,
                                    message));
    } else if (use->like == NULL) {
        OG_TRY(og_solver_new(w->arms, &use->settings, &w->owned, message));
    }
    w->lender = w->owned != NULL ? w : ((walker *)use->like->self)->lender;
    w->solver = w->owned != NULL ? w->owned : w->lender->solver;
    w->settings = use->settings;
    w->asked = use->by != NULL; /* layers hold only the optimum */
    if (use->exact) {
        OG_TRY(og_exact_new(w->arms, &use->settings, &w->fractions, message));
    }
    return use->counted ? find_calls(w) : OG_OK;
}

og_status og_steps_of_arms(const og_arms *arms, const og_steps_use *use, og_steps *out,
                           og_message *message)
{
    walker *w = og_arena_new(sizeof *w);
    OG_TRY(OG_ALLOCATED(w));
    w->arms = arms;
    og_status status = init_walker(w, use, message);
    if (status != OG_OK) {
        free_walker(w);
        return status;
    }
    *out = (og_steps){.self = w,
                      .key_words_max = w->pass.room,
                      .acts_max = w->pass.room,
                      .budget = arms->budget,
                      .gains = true,
                      .root = root,
                      .take = take,
                      .act = act,
                      .reward = reward,
                      .answer = answer,
                      .next = next,
                      .value = value_of,
                      .q = q_of_all,
                      .q_of = q_of,
                      .counted = counted,
                      .q_exact = q_exact,
                      .probability_exact = probability_exact,
                      .free = free_walker};
    for (int32_t a = 0; a < arms->arm_count; a++) {
        out->probability_error = fmax(out->probability_error, arms->arm[a]->probability_error);
    }
    return OG_OK;
}
