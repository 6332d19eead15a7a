/* The tree of optimal play, state by state down from the root; equal states are one. */
#include "bench/value/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/product/forward.h"

typedef struct {
    og_arena arena;
    const og_tree_request *request;
    const og_arms *arms;
    og_message *message;
    og_solver *solver;
    og_exact *fractions; /* exact trees only */
    double **call;       /* [arm_count][node] h, 0 where there are no calls */
    mpq_t **call_exact;  /* exact trees only */
    og_forward pass;
    int32_t first_below; /* the tree's number of the first state with one label less left */
    double *q, *error;   /* of the groups of the state at hand */
    mpq_t *q_exact;      /* exact trees only */
    og_tree tree;
    int32_t state_room, action_room, outcome_room, group_room;
} growth;

/* ---- expected calls ---- */

static og_status calls_of(const og_arm *arm, double *call)
{
    size_t nodes = arm->level[arm->depth];
    size_t labels = (size_t)arm->outcome_count;
    double error;
    double *gain = calloc(nodes * labels + 1, sizeof *gain);
    og_status status = gain == NULL ? OG_NO_MEMORY : OG_OK;
    if (status == OG_OK && og_arm_has_calls(arm)) {
        status = og_arm_gains(arm, gain, &error);
    }
    call[0] = arm->call;
    for (size_t i = 0; status == OG_OK && i < nodes * labels; i++) {
        call[arm->next[i]] = call[i / labels] + gain[i];
    }
    free(gain);
    return status;
}

static void exact_calls_of(const og_arm *arm, mpq_t *call)
{
    size_t labels = (size_t)arm->outcome_count;
    mpq_t gain;
    mpq_init(gain);
    og_arm_exact_call(arm, call[0]);
    for (size_t i = 0; og_arm_has_calls(arm) && i < arm->level[arm->depth] * labels; i++) {
        uint32_t node = (uint32_t)(i / labels);
        og_arm_exact_gain(arm, node, (int32_t)(i % labels), gain);
        mpq_add(call[arm->next[i]], call[node], gain);
    }
    mpq_clear(gain);
}

static og_status find_calls(growth *g)
{
    size_t arms = (size_t)g->arms->arm_count;
    g->call = og_arena_array(&g->arena, arms, sizeof *g->call);
    g->call_exact = og_arena_array(&g->arena, arms, sizeof *g->call_exact);
    OG_TRY(og_arena_status(&g->arena));
    for (size_t a = 0; a < arms; a++) {
        const og_arm *arm = g->arms->arm[a];
        size_t exact_nodes = g->request->exact ? arm->node_count : 0;
        g->call[a] = og_arena_array(&g->arena, arm->node_count, sizeof *g->call[a]);
        g->call_exact[a] = og_arena_fractions(&g->arena, exact_nodes);
        OG_TRY(og_arena_status(&g->arena));
        OG_TRY(calls_of(arm, g->call[a]));
        if (g->request->exact) {
            exact_calls_of(arm, g->call_exact[a]);
        }
    }
    return OG_OK;
}

/* ---- rows ---- */

/* Room for one row more; false: out of memory. */
static bool reserve(void *pointer, int32_t count, int32_t *room, size_t size)
{
    void **rows = pointer;
    if (count < *room) {
        return true;
    }
    int32_t more = *room * 2 + 16;
    void *bigger = realloc(*rows, (size_t)more * size);
    if (bigger == NULL) {
        return false;
    }
    *rows = bigger;
    *room = more;
    return true;
}

/* The groups of the state at hand; returns the first's number, -1 out of memory. */
static int32_t add_groups(growth *g)
{
    og_tree *tree = &g->tree;
    int32_t first = tree->group_count;
    for (int32_t i = 0; i < g->pass.state.count; i++) {
        if (!reserve(&tree->group, tree->group_count, &g->group_room, sizeof *tree->group)) {
            return -1;
        }
        tree->group[tree->group_count++] = g->pass.state.group[i];
    }
    return first;
}

static og_status add_outcomes(growth *g, og_tree_action *action)
{
    og_tree *tree = &g->tree;
    const og_state_group *group = &g->pass.state.group[action->group];
    const og_arm *arm = g->arms->arm[group->arm];
    const double *p = &arm->probability[(size_t)group->node * (size_t)arm->outcome_count];
    action->outcome_first = tree->outcome_count;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        uint32_t entry;
        if (!reserve(&tree->outcome, tree->outcome_count, &g->outcome_room,
                     sizeof *tree->outcome)) {
            return OG_NO_MEMORY;
        }
        OG_TRY(og_forward_put(&g->pass, action->group, k, &entry));
        og_tree_outcome *row = &tree->outcome[tree->outcome_count++];
        *row = (og_tree_outcome){
            .probability = p[k], .label = k, .to = g->first_below + (int32_t)entry};
        mpq_init(row->exact);
        if (tree->exact) {
            og_arm_exact_probability(arm, group->node, k, row->exact);
        }
        action->outcome_count++;
    }
    return OG_OK;
}

/* What calling now is worth. */
static void sum_calls(const growth *g, double *sum, mpq_ptr exact)
{
    *sum = 0;
    for (int32_t i = 0; i < g->pass.state.count; i++) {
        const og_state_group *group = &g->pass.state.group[i];
        *sum += (double)group->copies * g->call[group->arm][group->node];
        if (g->tree.exact) {
            og_add_multiple(exact, group->copies, g->call_exact[group->arm][group->node]);
        }
    }
}

/* Q of all actions in g->q and g->q_exact; *best is the largest. */
static og_status ask(growth *g, double *best, double *error)
{
    const og_state *state = &g->pass.state;
    OG_TRY(og_solver_q_at(g->solver, state, g->q, g->error, g->message));
    if (g->tree.exact) {
        OG_TRY(og_exact_q_at(g->fractions, state, g->q_exact, g->message));
    }
    for (int32_t i = 0; i < state->count; i++) {
        if (g->q[i] > *best) {
            *best = g->q[i];
            *error = g->error[i];
        }
    }
    return OG_OK;
}

static bool is_optimal(const growth *g, int32_t i, int32_t count, double best, double error)
{
    for (int32_t j = 0; g->tree.exact && j < count; j++) {
        if (mpq_cmp(g->q_exact[j], g->q_exact[i]) > 0) {
            return false;
        }
    }
    return g->tree.exact || g->q[i] + g->error[i] >= best - error;
}

static og_status add_action(growth *g, og_tree_state *state, int32_t group, bool optimal,
                            double call, mpq_srcptr call_exact)
{
    og_tree *tree = &g->tree;
    if (!reserve(&tree->action, tree->action_count, &g->action_room, sizeof *tree->action)) {
        return OG_NO_MEMORY;
    }
    og_tree_action *action = &tree->action[tree->action_count++];
    *action = (og_tree_action){.group = group, .optimal = optimal, .value = call + g->q[group]};
    mpq_init(action->exact);
    if (tree->exact) {
        mpq_add(action->exact, call_exact, g->q_exact[group]);
    }
    state->action_count++;
    return optimal || g->request->all ? add_outcomes(g, action) : OG_OK;
}

/* The state at hand, which is the tree's next. */
static og_status add_state(growth *g)
{
    og_tree *tree = &g->tree;
    int32_t left = g->pass.left;
    int32_t count = g->pass.state.count;
    if (tree->state_count == g->request->states_max) {
        return og_message_set(g->message, OG_BAD_INPUT,
                              "the tree has more than %d states, which no picture can show",
                              g->request->states_max);
    }
    if (!reserve(&tree->state, tree->state_count, &g->state_room, sizeof *tree->state)) {
        return OG_NO_MEMORY;
    }
    og_tree_state *row = &tree->state[tree->state_count++];
    *row = (og_tree_state){.left = left, .group_count = count, .action_first = tree->action_count};
    mpq_init(row->exact);
    row->group_first = add_groups(g);
    if (row->group_first < 0) {
        return OG_NO_MEMORY;
    }
    double best = 0;
    double error = 0;
    if (left > 0) {
        OG_TRY(ask(g, &best, &error));
    }
    og_status status = OG_OK;
    double call;
    mpq_t call_exact;
    mpq_init(call_exact);
    sum_calls(g, &call, call_exact);
    row->value = call + best;
    mpq_set(row->exact, call_exact);
    for (int32_t i = 0; status == OG_OK && best > 0 && i < count; i++) {
        status = add_action(g, row, i, is_optimal(g, i, count, best, error), call, call_exact);
        const og_tree_action *action = &tree->action[tree->action_count - 1];
        if (status == OG_OK && tree->exact && mpq_cmp(action->exact, row->exact) > 0) {
            mpq_set(row->exact, action->exact);
        }
    }
    mpq_clear(call_exact);
    return status;
}

static og_status add_layers(growth *g)
{
    for (; g->pass.left >= 0; og_forward_next(&g->pass)) {
        uint32_t count = og_forward_count(&g->pass);
        g->first_below = g->tree.state_count + (int32_t)count;
        for (uint32_t i = 0; i < count; i++) {
            og_forward_take(&g->pass, i);
            OG_TRY(add_state(g));
        }
    }
    return OG_OK;
}

/* ---- set-up ---- */

static og_status growth_init(growth *g)
{
    const og_tree_request *request = g->request;
    size_t count = (size_t)g->arms->arm_count + (size_t)g->arms->budget + 2;
    g->q = og_arena_array(&g->arena, count, sizeof *g->q);
    g->error = og_arena_array(&g->arena, count, sizeof *g->error);
    g->q_exact = og_arena_fractions(&g->arena, count);
    OG_TRY(og_arena_status(&g->arena));
    OG_TRY(og_forward_begin(g->arms, false, 0, UINT64_MAX, &g->pass));
    OG_TRY(og_solver_new(g->arms, request->settings, &g->solver, g->message));
    if (request->exact) {
        OG_TRY(og_exact_new(g->arms, request->settings, &g->fractions, g->message));
    }
    return find_calls(g);
}

static void growth_clear(growth *g)
{
    og_forward_clear(&g->pass);
    og_solver_free(g->solver);
    og_exact_free(g->fractions);
    og_arena_clear(&g->arena);
}

og_status og_tree_grow(const og_tree_request *request, og_tree *out, og_message *message)
{
    growth g = {.request = request,
                .arms = request->arms,
                .message = message,
                .tree = {.exact = request->exact}};
    og_status status = growth_init(&g);
    if (status == OG_OK) {
        status = add_layers(&g);
    }
    growth_clear(&g);
    if (status == OG_OK) {
        *out = g.tree;
    } else {
        og_tree_clear(&g.tree);
    }
    return status;
}

void og_tree_clear(og_tree *tree)
{
    for (int32_t i = 0; i < tree->state_count; i++) {
        mpq_clear(tree->state[i].exact);
    }
    for (int32_t i = 0; i < tree->action_count; i++) {
        mpq_clear(tree->action[i].exact);
    }
    for (int32_t i = 0; i < tree->outcome_count; i++) {
        mpq_clear(tree->outcome[i].exact);
    }
    free(tree->state);
    free(tree->action);
    free(tree->outcome);
    free(tree->group);
    memset(tree, 0, sizeof *tree);
}
