/*
 * Grows the tree of an optimal policy, perhaps with another policy beside it, state by state from
 * the root. Equal states are merged, and ends if their texts are equal. Invariant: until the tree
 * is complete, an outcome's `to` is an entry of the pass, or of the ends, whose rows follow all
 * others.
 */
#include "bench/questions/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/questions/choice.h"
#include "dp/base/rational.h"
#include "dp/engine/steps.h"

enum { TEXT_BYTES = 1 << 16, END = -1 };

typedef struct {
    og_arena arena;
    const og_asked *asked;
    og_message *message;
    og_steps steps;
    og_forward_pass pass;
    og_step_view stand; /* the current state */
    og_step_state here, next;
    int32_t *first;     /* [stages] first row of each */
    og_state_set *ends; /* keyed by text; payload: end */
    double *q, *error;  /* [acts_max] */
    mpq_t *q_exact;     /* [acts_max], exact trees only */
    og_strategy by;     /* the policy beside the optimum, if there is one, */
    og_choice choice;   /* its choice, and the */
    double *weight;     /* weights of the current state's actions, [acts_max] */
    mpq_t weights;      /* and their sum; exact trees only */
    double best;        /* the largest q of the current state, usually at least 0, */
    int32_t best_exact; /* and the first action with the largest fraction */
    int32_t last_left;  /* states with fewer labels left are not followed */
    double counted;     /* in the current state */
    mpq_t counted_exact;
    char *text; /* [TEXT_BYTES] scratch, zeros after the text */
    og_tree tree;
    int32_t *stage; /* [outcome_room] stage of each outcome's state, or END */
    int32_t state_room, action_room, outcome_room, stage_room;
} growth;

typedef struct {
    double value;
    char *text;
} end;

/* ---- rows ---- */

/* Make room for one more row; false: out of memory. */
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

/* A copy of the current text; NULL: out of memory, which the arena records. */
static char *keep_text(growth *g)
{
    return og_arena_copy(&g->tree.texts, g->text, strlen(g->text) + 1, 1);
}

static og_status add_row(growth *g, og_tree_state **row)
{
    og_tree *tree = &g->tree;
    if (tree->state_count == g->asked->request.tree_states_max) {
        return og_message_set(
            g->message, OG_BAD_INPUT,
            "the tree has more than %d states, too many for a picture; give --levels N for the "
            "first ones, or --states N",
            g->asked->request.tree_states_max);
    }
    if (!reserve(&tree->state, tree->state_count, &g->state_room, sizeof *tree->state)) {
        return OG_NO_MEMORY;
    }
    *row = &tree->state[tree->state_count++];
    **row = (og_tree_state){.action_first = tree->action_count};
    mpq_inits((*row)->exact, (*row)->reached_exact, (*row)->lost_exact, NULL);
    return OG_OK;
}

/* Find or add the end just reached, by text. */
static og_status put_end(growth *g, uint32_t *entry)
{
    const og_family *family = g->asked->family;
    bool added;
    family->words.state_text(g->asked->problem, g->next.state, g->text, TEXT_BYTES);
    size_t length = strlen(g->text), words = length / sizeof(og_copies) + 1;
    og_copies *key = og_arena_array(&g->tree.texts, words, sizeof *key);
    OG_TRY(og_arena_status(&g->tree.texts));
    memcpy(key, g->text, length);
    OG_TRY(og_state_set_put(g->ends, key, (int32_t)words, UINT64_MAX, entry, &added));
    *(end *)og_state_set_payload(g->ends, *entry) = (end){g->next.value, (char *)key};
    return OG_OK;
}

static og_status add_outcome(growth *g, const og_outcome *outcome)
{
    const og_family *family = g->asked->family;
    og_tree *tree = &g->tree;
    uint32_t entry;
    og_act act;
    if (!reserve(&tree->outcome, tree->outcome_count, &g->outcome_room, sizeof *tree->outcome) ||
        !reserve(&g->stage, tree->outcome_count, &g->stage_room, sizeof *g->stage)) {
        return OG_NO_MEMORY;
    }
    int32_t answer = g->steps.answer(g->steps.self, outcome, &act);
    g->steps.next(g->steps.self, outcome, &g->next);
    OG_TRY(g->next.words > 0 ? og_forward_pass_put(&g->pass, &g->next, &entry)
                             : put_end(g, &entry));
    og_family_words_of(family).answer_text(g->asked->problem, act, answer, g->text, TEXT_BYTES);
    g->stage[tree->outcome_count] = g->next.words > 0 ? g->next.stage : END;
    og_tree_outcome *row = &tree->outcome[tree->outcome_count++];
    *row = (og_tree_outcome){
        .probability = g->next.probability, .text = keep_text(g), .to = (int32_t)entry};
    mpq_init(row->exact);
    if (tree->exact) {
        g->steps.probability_exact(g->steps.self, outcome, row->exact);
    }
    return OG_OK;
}

/* True if two actions have the same value and probabilities; of fractions, the fractions. */
static bool is_worth(const growth *g, const og_tree_action *x, const og_tree_action *y)
{
    return g->tree.exact ? mpq_equal(x->exact, y->exact) : x->value == y->value;
}

/* The same for an outcome of each, which must have the same text and lead to the same state. */
static bool is_same_outcome(const growth *g, int32_t i, int32_t j)
{
    const og_tree_outcome *x = &g->tree.outcome[i], *y = &g->tree.outcome[j];
    return g->stage[i] == g->stage[j] && x->to == y->to && strcmp(x->text, y->text) == 0 &&
           (g->tree.exact ? mpq_equal(x->exact, y->exact) : x->probability == y->probability);
}

/* True if two actions are equal: they have the same value and outcomes or, if not followed, the
 * same text. Only the first is shown. Rewards may differ although outcomes do not. */
static bool is_same(const growth *g, const og_tree_action *x, const og_tree_action *y)
{
    bool same = x->outcome_count == y->outcome_count && is_worth(g, x, y) &&
                (x->outcome_count > 0 || strcmp(x->text, y->text) == 0);
    for (int32_t k = 0; same && k < x->outcome_count; k++) {
        same = is_same_outcome(g, x->outcome_first + k, y->outcome_first + k);
    }
    return same;
}

static void clear_action(og_tree_action *action)
{
    mpq_clears(action->exact, action->chosen_exact, action->lost_exact, NULL);
}

/* Drop the last action, which is equal to an earlier one. */
static void drop_action(growth *g, og_tree_action *earlier)
{
    og_tree *tree = &g->tree;
    og_tree_action *last = &tree->action[--tree->action_count];
    while (tree->outcome_count > last->outcome_first) {
        mpq_clear(tree->outcome[--tree->outcome_count].exact);
    }
    earlier->chosen += last->chosen;
    mpq_add(earlier->chosen_exact, earlier->chosen_exact, last->chosen_exact);
    clear_action(last);
}

/* Whether the policy takes the action, and what that loses. */
static void put_choice(const growth *g, int32_t a, og_tree_action *action)
{
    if (g->tree.against == NULL) {
        return;
    }
    action->chosen = g->weight[a];
    action->lost = action->optimal ? 0 : g->best - g->q[a];
    if (g->tree.exact) {
        mpq_set_d(action->chosen_exact, g->weight[a]);
        mpq_div(action->chosen_exact, action->chosen_exact, g->weights);
        mpq_sub(action->lost_exact, g->q_exact[g->best_exact], g->q_exact[a]);
        action->chosen = og_nearest(action->chosen_exact);
        action->lost = og_nearest(action->lost_exact);
    }
}

static og_status add_action(growth *g, og_tree_state *state, int32_t a, bool optimal)
{
    const og_asked *asked = g->asked;
    const og_action *at = &g->stand.x->action[a];
    og_tree *tree = &g->tree;
    if (!reserve(&tree->action, tree->action_count, &g->action_room, sizeof *tree->action)) {
        return OG_NO_MEMORY;
    }
    g->text[0] = '\0';
    if (!state->chance) {
        og_act act = g->steps.act(g->steps.self, at);
        og_family_words_of(asked->family).step_text(asked->problem, act, g->text, TEXT_BYTES);
    }
    og_tree_action *action = &tree->action[tree->action_count++];
    *action = (og_tree_action){.text = keep_text(g),
                               .optimal = optimal,
                               .value = g->counted + g->q[a],
                               .outcome_first = tree->outcome_count};
    mpq_inits(action->exact, action->chosen_exact, action->lost_exact, NULL);
    if (tree->exact) {
        mpq_add(action->exact, g->counted_exact, g->q_exact[a]);
    }
    put_choice(g, a, action);
    bool follow = optimal || action->chosen > 0 || asked->request.all_actions;
    for (int32_t k = 0; follow && k < at->outcome_count; k++) {
        OG_TRY(add_outcome(g, &g->stand.x->outcome[at->outcome_first + k]));
        action->outcome_count++;
    }
    OG_TRY(og_arena_status(&tree->texts));
    for (int32_t i = state->action_first; i < tree->action_count - 1; i++) {
        if (is_same(g, &tree->action[i], action)) {
            drop_action(g, &tree->action[i]);
            return OG_OK;
        }
    }
    state->action_count++;
    return OG_OK;
}

/* ---- values ---- */

/* Q of all actions of the current state; also the largest, and its error. */
static og_status ask(growth *g, double *error)
{
    const og_steps *steps = &g->steps;
    OG_TRY(steps->q(steps->self, g->q, g->error, g->message));
    if (g->tree.exact) {
        OG_TRY(steps->q_exact(steps->self, g->q_exact, g->message));
    }
    g->best_exact = 0;
    for (int32_t i = 0; i < g->stand.x->action_count; i++) {
        if (g->q[i] > g->best || (i == 0 && steps->either_sign)) {
            g->best = g->q[i];
            *error = g->error[i];
        }
        if (g->tree.exact && mpq_cmp(g->q_exact[i], g->q_exact[g->best_exact]) > 0) {
            g->best_exact = i;
        }
    }
    return OG_OK;
}

/* The policy's choice in the current state, as probabilities. */
static og_status choose(growth *g)
{
    int32_t count = g->stand.x->action_count;
    double sum = 0;
    og_answer kind;
    mpq_t one;
    g->weight[0] = 1; /* chance */
    g->weight[count] = 0;
    if (g->stand.x->combine != OG_COMBINE_MEAN) {
        OG_TRY(og_choice_weigh(&g->choice, &g->stand, g->weight, &kind, g->message));
    }
    mpq_init(one);
    mpq_set_ui(g->weights, 0, 1);
    for (int32_t i = 0; i <= count; i++) {
        sum += g->weight[i];
        mpq_set_d(one, g->weight[i]);
        mpq_add(g->weights, g->weights, one);
    }
    mpq_clear(one);
    for (int32_t i = 0; i < count && !g->tree.exact; i++) {
        g->weight[i] /= sum;
    }
    return OG_OK;
}

static bool is_optimal(const growth *g, int32_t i, double error)
{
    return g->tree.exact ? mpq_equal(g->q_exact[i], g->q_exact[g->best_exact])
                         : g->q[i] + g->error[i] >= g->best - error;
}

/* True if something may still be gained or lost in the current state. */
static bool matters(const growth *g)
{
    bool loses = g->tree.against != NULL && g->stand.left > 0;
    return g->best > 0 || (g->steps.either_sign && g->stand.left > 0) ||
           (loses && (g->steps.losses || !g->steps.gains));
}

static void count(growth *g)
{
    g->counted = 0;
    mpq_set_ui(g->counted_exact, 0, 1);
    if (g->steps.counted != NULL) {
        g->steps.counted(g->steps.self, &g->counted, g->counted_exact);
    }
}

/* Add the current state as the tree's next row. */
static og_status add_state(growth *g)
{
    const og_asked *asked = g->asked;
    og_tree *tree = &g->tree;
    og_tree_state *row;
    double error = 0;
    g->best = 0;
    OG_TRY(add_row(g, &row));
    asked->family->words.state_text(asked->problem, g->stand.state, g->text, TEXT_BYTES);
    row->left = g->stand.left;
    row->chance = g->stand.x->combine == OG_COMBINE_MEAN;
    row->text = keep_text(g);
    OG_TRY(og_arena_status(&tree->texts));
    count(g);
    if (g->stand.left > 0) {
        OG_TRY(ask(g, &error));
    }
    bool open = matters(g);
    row->value = g->counted + g->best;
    mpq_set(row->exact, g->counted_exact);
    if (tree->exact && open && (g->steps.either_sign || mpq_sgn(g->q_exact[g->best_exact]) > 0)) {
        mpq_add(row->exact, row->exact, g->q_exact[g->best_exact]);
    }
    row->cut = open && row->left <= g->last_left;
    open = open && !row->cut;
    OG_TRY(open && tree->against != NULL ? choose(g) : OG_OK);
    for (int32_t i = 0; open && i < g->stand.x->action_count; i++) {
        OG_TRY(add_action(g, row, i, is_optimal(g, i, error)));
    }
    return OG_OK;
}

static og_status add_ends(growth *g)
{
    for (uint32_t i = 0; i < og_state_set_count(g->ends); i++) {
        const end *from = og_state_set_payload(g->ends, i);
        og_tree_state *row;
        OG_TRY(add_row(g, &row));
        row->text = from->text;
        row->value = from->value;
    }
    return OG_OK;
}

static og_status add_stages(growth *g)
{
    for (; g->pass.stage >= 0; og_forward_pass_next(&g->pass)) {
        uint32_t states = og_forward_pass_count(&g->pass);
        g->first[g->pass.stage] = g->tree.state_count;
        for (uint32_t i = 0; i < states; i++) {
            og_forward_pass_place(&g->pass, i, &g->here);
            OG_TRY(g->steps.take(g->steps.self, &g->here, &g->stand, g->message));
            OG_TRY(add_state(g));
        }
    }
    int32_t first_end = g->tree.state_count;
    OG_TRY(add_ends(g));
    for (int32_t i = 0; i < g->tree.outcome_count; i++) {
        g->tree.outcome[i].to += g->stage[i] == END ? first_end : g->first[g->stage[i]];
    }
    return OG_OK;
}

/* ---- the policy's way ---- */

/* What the policy loses in a state, and how it goes on from there. */
static void follow(og_tree *tree, og_tree_state *state)
{
    mpq_t term;
    mpq_init(term);
    for (int32_t i = 0; i < state->action_count; i++) {
        const og_tree_action *action = &tree->action[state->action_first + i];
        state->lost += action->chosen * action->lost;
        mpq_mul(term, action->chosen_exact, action->lost_exact);
        mpq_add(state->lost_exact, state->lost_exact, term);
        for (int32_t k = 0; k < action->outcome_count; k++) {
            const og_tree_outcome *outcome = &tree->outcome[action->outcome_first + k];
            og_tree_state *to = &tree->state[outcome->to];
            to->reached += state->reached * action->chosen * outcome->probability;
            mpq_mul(term, action->chosen_exact, outcome->exact);
            mpq_mul(term, term, state->reached_exact);
            mpq_add(to->reached_exact, to->reached_exact, term);
        }
    }
    mpq_clear(term);
}

/* States lead only to later ones. */
static void follow_policy(og_tree *tree)
{
    mpq_t term;
    mpq_init(term);
    tree->state[0].reached = 1;
    mpq_set_ui(tree->state[0].reached_exact, 1, 1);
    for (int32_t i = 0; i < tree->state_count; i++) {
        og_tree_state *state = &tree->state[i];
        follow(tree, state);
        mpq_mul(term, state->reached_exact, state->lost_exact);
        mpq_add(tree->lost_exact, tree->lost_exact, term);
        if (tree->exact) {
            state->reached = og_nearest(state->reached_exact);
            state->lost = og_nearest(state->lost_exact);
        }
        tree->lost += state->cut && state->reached > 0 ? NAN : state->reached * state->lost;
    }
    if (tree->exact && !isnan(tree->lost)) {
        tree->lost = og_nearest(tree->lost_exact);
    }
    mpq_clear(term);
}

/* ---- set-up ---- */

static og_status open_policy(growth *g)
{
    const og_asked *asked = g->asked;
    const og_settings *settings = &asked->request.settings;
    const og_policy_use use = {.whole_budget = asked->sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes,
                               .stop = og_stop_of(settings)};
    if (asked->policy_count == 0) {
        return OG_OK;
    }
    const og_policy_name *name = &asked->policies[0];
    OG_TRY(og_family_strategy(asked->family, asked->problem, name, &use, &g->by, g->message));
    const char *refusal = og_choice_refusal(&g->by);
    if (refusal != NULL) {
        return og_message_set(g->message, OG_BAD_INPUT, "tree does not support policy '%.100s': %s",
                              name->name, refusal);
    }
    g->tree.against = name->name;
    return OG_OK;
}

static og_status follow_choice(growth *g)
{
    if (g->tree.against == NULL) {
        return OG_OK;
    }
    g->weight = og_arena_array(&g->arena, (size_t)g->steps.acts_max + 1, sizeof *g->weight);
    return og_choice_init(&g->arena, &g->by, &g->steps, OG_TIES_RANDOM, &g->choice);
}

static og_status growth_init(growth *g)
{
    const og_asked *asked = g->asked;
    const og_steps_use use = {.settings = asked->request.settings,
                              .counted = true,
                              .exact = asked->request.exact,
                              .along = asked->policy_count > 0 ? &g->by : NULL};
    if (!og_family_is_followed(asked->family)) {
        return og_family_lacks(asked->family, "tree", g->message);
    }
    OG_TRY(open_policy(g));
    OG_TRY(og_family_steps(asked->family, asked->problem, &use, &g->steps, g->message));
    g->tree.gains = g->steps.gains && g->steps.counted == NULL;
    size_t words = (size_t)g->steps.key_words_max, acts = (size_t)g->steps.acts_max;
    g->here.key = og_arena_array(&g->arena, words, sizeof *g->here.key);
    g->next.key = og_arena_array(&g->arena, words, sizeof *g->next.key);
    g->q = og_arena_array(&g->arena, acts, sizeof *g->q);
    g->error = og_arena_array(&g->arena, acts, sizeof *g->error);
    g->q_exact = og_arena_fractions(&g->arena, asked->request.exact ? acts : 0);
    g->text = og_arena_array(&g->arena, TEXT_BYTES, 1);
    OG_TRY(follow_choice(g));
    OG_TRY(og_arena_status(&g->arena));
    OG_TRY(og_state_set_new(sizeof(end), &g->ends));
    g->steps.root(g->steps.self, &g->next);
    OG_TRY(og_forward_pass_begin(&g->next, 0, UINT64_MAX, &g->pass));
    g->last_left =
        asked->request.tree_levels > 0 ? asked->sizes.left - asked->request.tree_levels : -1;
    g->first = og_arena_array(&g->arena, (size_t)g->pass.stage + 1, sizeof *g->first);
    uint32_t entry;
    return g->next.words > 0 ? og_arena_status(&g->arena) : put_end(g, &entry);
}

static void growth_clear(growth *g)
{
    og_forward_pass_clear(&g->pass);
    og_state_set_free(g->ends);
    og_strategy_free(&g->by);
    og_steps_free(&g->steps);
    mpq_clears(g->counted_exact, g->weights, NULL);
    free(g->stage);
    og_arena_clear(&g->arena);
}

og_status og_tree_grow(const og_asked *asked, og_tree *out, og_message *message)
{
    growth g = {.asked = asked, .message = message, .tree = {.exact = asked->request.exact}};
    mpq_inits(g.counted_exact, g.weights, g.tree.lost_exact, NULL);
    og_status status = growth_init(&g);
    OG_THEN(status, add_stages(&g));
    if (status == OG_OK && g.tree.against != NULL) {
        follow_policy(&g.tree);
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
        og_tree_state *state = &tree->state[i];
        mpq_clears(state->exact, state->reached_exact, state->lost_exact, NULL);
    }
    for (int32_t i = 0; i < tree->action_count; i++) {
        clear_action(&tree->action[i]);
    }
    mpq_clear(tree->lost_exact);
    for (int32_t i = 0; i < tree->outcome_count; i++) {
        mpq_clear(tree->outcome[i].exact);
    }
    free(tree->state);
    free(tree->action);
    free(tree->outcome);
    og_arena_clear(&tree->texts);
    memset(tree, 0, sizeof *tree);
}
