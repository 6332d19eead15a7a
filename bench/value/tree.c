/* The tree of optimal play, state by state down from the root; equal states are one. */
#include "bench/value/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/multisets.h"
#include "dp/exact/exact.h"

typedef struct {
    const og_tree_request *request;
    const og_arms *arms;
    og_message *message;
    og_solver *solver;
    og_exact *fractions;    /* exact trees only */
    double **call;          /* [arm_count][node] h, 0 where there are no calls */
    mpq_t **call_exact;     /* exact trees only */
    og_multisets *sets[2];  /* states of the number of labels left at hand, and of one less */
    int32_t first[2];       /* the tree's number of the first of each */
    og_copies *list, *next; /* [room] a state, and a successor in the making */
    double *q, *error;      /* [room] */
    mpq_t *q_exact;         /* [room]; exact trees only */
    int32_t room;
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
    g->call = calloc(arms + 1, sizeof *g->call);
    g->call_exact = calloc(arms + 1, sizeof *g->call_exact);
    if (g->call == NULL || g->call_exact == NULL) {
        return OG_NO_MEMORY;
    }
    og_status status = OG_OK;
    for (size_t a = 0; status == OG_OK && a < arms; a++) {
        const og_arm *arm = g->arms->arm[a];
        g->call[a] = calloc(arm->node_count, sizeof *g->call[a]);
        status = g->call[a] == NULL ? OG_NO_MEMORY : calls_of(arm, g->call[a]);
        if (status == OG_OK && g->request->exact) {
            g->call_exact[a] = calloc(arm->node_count, sizeof *g->call_exact[a]);
            status = g->call_exact[a] == NULL ? OG_NO_MEMORY : OG_OK;
        }
        for (uint32_t i = 0; g->call_exact[a] != NULL && i < arm->node_count; i++) {
            mpq_init(g->call_exact[a][i]);
        }
        if (g->call_exact[a] != NULL) {
            exact_calls_of(arm, g->call_exact[a]);
        }
    }
    return status;
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

/* The groups of the multiset in g->list; returns the first's number, -1 out of memory. */
static int32_t add_groups(growth *g, int32_t count)
{
    og_tree *tree = &g->tree;
    int32_t first = tree->group_count;
    for (int32_t i = 0; i < count; i++) {
        if (!reserve(&tree->group, tree->group_count, &g->group_room, sizeof *tree->group)) {
            return -1;
        }
        int32_t arm = og_arms_arm_of(g->arms, g->list[i].member);
        uint32_t node = g->list[i].member - g->arms->node_offset[arm];
        tree->group[tree->group_count++] = (og_state_group){arm, node, g->list[i].copies};
    }
    return first;
}

static og_status add_outcomes(growth *g, const og_tree_state *state, og_tree_action *action)
{
    og_tree *tree = &g->tree;
    const og_state_group *group = &tree->group[state->group_first + action->group];
    const og_arm *arm = g->arms->arm[group->arm];
    uint32_t offset = g->arms->node_offset[group->arm];
    size_t labels = (size_t)arm->outcome_count;
    action->outcome_first = tree->outcome_count;
    for (size_t k = 0; k < labels; k++) {
        if (!reserve(&tree->outcome, tree->outcome_count, &g->outcome_room,
                     sizeof *tree->outcome)) {
            return OG_NO_MEMORY;
        }
        size_t at = group->node * labels + k;
        uint32_t entry;
        bool added;
        int32_t length = og_multiset_replace(g->list, state->group_count, offset + group->node,
                                             offset + arm->next[at], g->next);
        og_status status =
            og_multisets_put(g->sets[1], g->next, length, UINT64_MAX, &entry, &added);
        if (status != OG_OK) {
            return status;
        }
        og_tree_outcome *row = &tree->outcome[tree->outcome_count++];
        *row = (og_tree_outcome){.probability = arm->probability[at],
                                 .label = (int32_t)k,
                                 .to = g->first[1] + (int32_t)entry};
        mpq_init(row->exact);
        if (tree->exact) {
            og_arm_exact_probability(arm, group->node, (int32_t)k, row->exact);
        }
        action->outcome_count++;
    }
    return OG_OK;
}

/* What calling now is worth. */
static void sum_calls(const growth *g, const og_tree_state *state, double *sum, mpq_ptr exact)
{
    mpq_t term;
    mpq_init(term);
    *sum = 0;
    for (int32_t i = 0; i < state->group_count; i++) {
        const og_state_group *group = &g->tree.group[state->group_first + i];
        *sum += (double)group->copies * g->call[group->arm][group->node];
        if (g->tree.exact) {
            mpq_set_si(term, (long)group->copies, 1);
            mpq_mul(term, term, g->call_exact[group->arm][group->node]);
            mpq_add(exact, exact, term);
        }
    }
    mpq_clear(term);
}

/* Q of all actions in g->q and g->q_exact; *best is the largest. */
static og_status ask(growth *g, const og_state *state, double *best, double *error)
{
    og_status status = og_solver_q_at(g->solver, state, g->q, g->error, g->message);
    if (status == OG_OK && g->tree.exact) {
        status = og_exact_q_at(g->fractions, state, g->q_exact, g->message);
    }
    *best = 0;
    *error = 0;
    for (int32_t i = 0; status == OG_OK && i < state->count; i++) {
        if (g->q[i] > *best) {
            *best = g->q[i];
            *error = g->error[i];
        }
    }
    return status;
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
    return optimal || g->request->all ? add_outcomes(g, state, action) : OG_OK;
}

/* The state in g->list, which is the tree's next. */
static og_status add_state(growth *g, int32_t left, int32_t count)
{
    og_tree *tree = &g->tree;
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
    row->group_first = add_groups(g, count);
    if (row->group_first < 0) {
        return OG_NO_MEMORY;
    }
    double best = 0;
    double error = 0;
    og_state state = {left, g->arms->budget, count, &tree->group[row->group_first]};
    og_status status = left > 0 ? ask(g, &state, &best, &error) : OG_OK;
    double call;
    mpq_t call_exact;
    mpq_init(call_exact);
    sum_calls(g, row, &call, call_exact);
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
    const og_arms *arms = g->arms;
    uint32_t entry;
    bool added;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        int64_t copies = 0;
        for (int32_t i = 0; i < arms->group_count; i++) {
            copies += arms->arm_of_group[i] == a ? arms->group_size[i] : 0;
        }
        g->list[a] = (og_copies){arms->node_offset[a], (uint32_t)copies};
    }
    og_status status =
        og_multisets_put(g->sets[0], g->list, arms->arm_count, UINT64_MAX, &entry, &added);
    for (int32_t left = arms->budget; status == OG_OK && left >= 0; left--) {
        uint32_t count = og_multisets_count(g->sets[0]);
        g->first[0] = g->tree.state_count;
        g->first[1] = g->first[0] + (int32_t)count;
        for (uint32_t i = 0; status == OG_OK && i < count; i++) {
            int32_t length;
            const og_copies *list = og_multisets_at(g->sets[0], i, &length);
            memcpy(g->list, list, (size_t)length * sizeof *list);
            status = add_state(g, left, length);
        }
        og_multisets *swap = g->sets[0];
        g->sets[0] = g->sets[1];
        g->sets[1] = swap;
        og_multisets_empty(g->sets[1]);
    }
    return status;
}

/* ---- set-up ---- */

static og_status growth_init(growth *g)
{
    int64_t room = (int64_t)g->arms->arm_count + g->arms->budget + 2;
    size_t count = (size_t)room;
    g->room = (int32_t)room;
    g->list = calloc(count, sizeof *g->list);
    g->next = calloc(count, sizeof *g->next);
    g->q = calloc(count, sizeof *g->q);
    g->error = calloc(count, sizeof *g->error);
    g->q_exact = calloc(count, sizeof *g->q_exact);
    if (g->list == NULL || g->next == NULL || g->q == NULL || g->error == NULL ||
        g->q_exact == NULL) {
        return OG_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        mpq_init(g->q_exact[i]);
    }
    og_status status = og_multisets_new(0, &g->sets[0]);
    if (status == OG_OK) {
        status = og_multisets_new(0, &g->sets[1]);
    }
    if (status == OG_OK) {
        status = og_solver_new(g->arms, g->request->settings, &g->solver, g->message);
    }
    if (status == OG_OK && g->request->exact) {
        status = og_exact_new(g->arms, g->request->settings, &g->fractions, g->message);
    }
    return status == OG_OK ? find_calls(g) : status;
}

static void growth_clear(growth *g)
{
    for (int32_t a = 0; a < g->arms->arm_count; a++) {
        if (g->call != NULL) {
            free(g->call[a]);
        }
        for (uint32_t i = 0;
             g->call_exact != NULL && g->call_exact[a] != NULL && i < g->arms->arm[a]->node_count;
             i++) {
            mpq_clear(g->call_exact[a][i]);
        }
        if (g->call_exact != NULL) {
            free(g->call_exact[a]);
        }
    }
    for (int32_t i = 0; g->q_exact != NULL && i < g->room; i++) {
        mpq_clear(g->q_exact[i]);
    }
    free(g->call);
    free(g->call_exact);
    free(g->list);
    free(g->next);
    free(g->q);
    free(g->error);
    free(g->q_exact);
    og_multisets_free(g->sets[0]);
    og_multisets_free(g->sets[1]);
    og_solver_free(g->solver);
    og_exact_free(g->fractions);
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
