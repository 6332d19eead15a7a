/*
 * States of instances whose labels a policy buys, as items (dp/families/items.h). Groups are
 * sorted, each node once, or in the order of the instances, where neighbours with one node form a
 * group.
 */
#include "dp/families/sources.h"
#include "dp/engine/strategy.h"

#include <float.h>
#include <math.h>

#include "dp/families/items.h"

typedef struct {
    og_arena arena;
    const og_sources_problem *problem;
    uint32_t *const *alike; /* first or image of the problem */
    bool ordered;
    int32_t groups_max, acts_max;
} model;

typedef struct {
    og_items_scratch items;
    og_sources_group *group; /* [groups_max] of the state */
    og_sources_group *after; /* [groups_max + 1] of the successor, if it is shown */
    uint32_t *action_of;     /* [2 acts_max] of the arm, by an action's first outcome */
    og_sources_state shown;
} scratch;

/* ---- shared data ---- */

/* The lowest price of a label of each node, INT32_MAX if there is none, and of all. */
static int32_t make_least(const og_arm *arm, int32_t *least)
{
    int32_t cheapest = OG_ARM_COST_MAX;
    for (uint32_t node = 0; node < arm->node_count; node++) {
        uint32_t first, end = og_sources_actions(arm, node, &first);
        least[node] = INT32_MAX;
        for (uint32_t a = first; a < end; a++) {
            least[node] = arm->cost[a] < least[node] ? arm->cost[a] : least[node];
        }
        cheapest = least[node] < cheapest ? least[node] : cheapest;
    }
    return cheapest;
}

og_status og_sources_problem_init(const og_arms *arms, og_sources_problem *out)
{
    og_sources_problem made = {.arms = arms, .cheapest = OG_ARM_COST_MAX};
    made.first = og_arena_array(&made.arena, (size_t)arms->arm_count, sizeof *made.first);
    made.image = og_arena_array(&made.arena, (size_t)arms->arm_count, sizeof *made.image);
    made.least =
        og_arena_array(&made.arena, arms->node_offset[arms->arm_count], sizeof *made.least);
    og_status status = og_arena_status(&made.arena);
    for (int32_t i = 0; status == OG_OK && i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        made.first[i] = og_arena_array(&made.arena, arm->node_count, sizeof **made.first);
        made.image[i] = og_arena_array(&made.arena, arm->node_count, sizeof **made.image);
        status = og_arena_status(&made.arena);
        OG_THEN(status, og_sources_first_alike(arm, false, made.first[i]));
        OG_THEN(status, og_sources_first_alike(arm, true, made.image[i]));
        int32_t least = status == OG_OK ? make_least(arm, made.least + arms->node_offset[i]) : 0;
        made.cheapest = least < made.cheapest ? least : made.cheapest;
    }
    return OG_MADE_IN(status, made, og_sources_problem_clear, out);
}

void og_sources_problem_clear(og_sources_problem *problem)
{
    og_arena_clear(&problem->arena);
    *problem = (og_sources_problem){.arms = NULL};
}

uint32_t og_sources_actions(const og_arm *arm, uint32_t node, uint32_t *first)
{
    bool last = node >= arm->level[arm->depth];
    *first = last ? 0 : arm->action_first[node];
    return last ? 0 : arm->action_first[node + 1];
}

uint32_t og_sources_action(const og_arm *arm, uint32_t node, uint32_t source)
{
    uint32_t action = arm->action_first[node];
    while ((uint32_t)og_sources_of_action(arm, action) != source) {
        action++;
    }
    return action;
}

/* ---- states: the kind of an item is its global node ---- */

static void make_groups(const model *m, const og_items *items, og_sources_group *group)
{
    const og_arms *arms = m->problem->arms;
    for (int32_t i = 0; i < items->count; i++) {
        uint32_t node = og_item_kind(items->word[i]);
        int32_t arm = og_arms_arm_of(arms, node);
        group[i] =
            (og_sources_group){arm, node - arms->node_offset[arm], og_item_copies(items->word[i])};
    }
}

/* The key of the successor, of which instances stay for which a label is affordable. */
static int32_t finish(const model *m, og_items *next, uint64_t *key)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < next->count; i++) {
        if (m->problem->least[og_item_kind(next->word[i])] <= next->left) {
            next->word[kept++] = next->word[i];
        }
    }
    next->count = kept;
    og_items_merge(next, 1, m->ordered, og_items_by_kind);
    return kept == 0 ? 0 : og_items_write(next, 1, key);
}

/* ---- the model ---- */

static og_status expand_shown(const void *self, og_expansion *x)
{
    const model *m = self;
    scratch *s = x->scratch;
    int32_t count = 0, outcomes = 0;
    for (int32_t i = 0; i < s->items.at.count; i++) {
        const og_arm *arm = m->problem->arms->arm[s->group[i].arm];
        uint32_t first, end = og_sources_actions(arm, s->group[i].node, &first);
        for (uint32_t a = first; a < end; a++) {
            if (arm->cost[a] > s->items.at.left) {
                continue;
            }
            s->action_of[outcomes] = a;
            x->action[count] = (og_action){.reward = arm->reward[a],
                                           .weight = (double)s->group[i].copies,
                                           .bound = INFINITY,
                                           .outcome_first = outcomes};
            for (uint32_t k = 0; k < 2; k++) {
                if (arm->probability[2 * (size_t)a + k] > 0) {
                    x->outcome[outcomes++] =
                        (og_outcome){arm->probability[2 * (size_t)a + k], INFINITY, (uint32_t)i, k};
                }
            }
            x->action[count].outcome_count = outcomes - x->action[count].outcome_first;
            count++;
        }
    }
    x->combine = OG_COMBINE_MAX;
    x->action_count = count;
    return OG_OK;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    scratch *s = x->scratch;
    og_items_read(key, words, 1, &s->items.at);
    make_groups(self, &s->items.at, s->group);
    return expand_shown(self, x);
}

/* The arm's action to which an outcome belongs. */
static uint32_t action_of(const og_expansion *x, const og_outcome *outcome)
{
    const scratch *s = x->scratch;
    ptrdiff_t at = outcome - x->outcome;
    bool second = at > 0 && outcome->to == 1 && x->outcome[at - 1].to == 0;
    return s->action_of[second ? at - 1 : at];
}

static og_act act(const void *self, const og_expansion *x, const og_action *action)
{
    const model *m = self;
    const scratch *s = x->scratch;
    uint32_t place = x->outcome[action->outcome_first].from;
    const og_arm *arm = m->problem->arms->arm[s->group[place].arm];
    int32_t source = og_sources_of_action(arm, s->action_of[action->outcome_first]);
    return (og_act){{place, (uint32_t)source, 0}};
}

static int32_t answer(const void *self, const og_expansion *x, const og_outcome *outcome,
                      og_act *asked)
{
    const model *m = self;
    const scratch *s = x->scratch;
    const og_arm *arm = m->problem->arms->arm[s->group[outcome->from].arm];
    *asked =
        (og_act){{outcome->from, (uint32_t)og_sources_of_action(arm, action_of(x, outcome)), 0}};
    return (int32_t)outcome->to;
}

static int32_t successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const model *m = self;
    scratch *s = x->scratch;
    const int32_t a = s->group[outcome->from].arm;
    const og_arm *arm = m->problem->arms->arm[a];
    const uint32_t action = action_of(x, outcome);
    const uint32_t node = m->alike[a][arm->next[2 * (size_t)action + outcome->to]];
    *value = 0;
    og_items_split(&s->items, 1, outcome->from);
    s->items.next.word[outcome->from] = og_item(m->problem->arms->node_offset[a] + node, 1);
    s->items.next.left -= arm->cost[action];
    return finish(m, &s->items.next, key);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const model *m = self;
    const og_arms *arms = m->problem->arms;
    scratch *s = x->scratch;
    (void)belief;
    *value = 0;
    s->items.at.left = arms->budget;
    s->items.at.count = arms->group_count;
    for (int32_t g = 0; g < arms->group_count; g++) {
        s->items.at.word[g] =
            og_item(arms->node_offset[arms->arm_of_group[g]], (uint32_t)arms->group_size[g]);
    }
    make_groups(m, &s->items.at, s->group);
    og_items_copy(&s->items.at, 1, &s->items.next);
    return finish(m, &s->items.next, key);
}

/* ---- fractions ---- */

static const og_arm *arm_of(const model *m, const og_expansion *x, const og_action *action)
{
    const scratch *s = x->scratch;
    return m->problem->arms->arm[s->group[x->outcome[action->outcome_first].from].arm];
}

static mpq_srcptr reward_exact(const void *self, const og_expansion *x, const og_action *action,
                               mpq_t room)
{
    const scratch *s = x->scratch;
    og_arm_exact_reward(arm_of(self, x, action), s->action_of[action->outcome_first], room);
    return room;
}

static mpq_srcptr probability_exact(const void *self, const og_expansion *x,
                                    const og_action *action, const og_outcome *outcome, mpq_t room)
{
    const scratch *s = x->scratch;
    og_arm_exact_probability(arm_of(self, x, action), s->action_of[action->outcome_first],
                             (int32_t)outcome->to, room);
    return room;
}

static og_status prior_exact(const void *self, mpq_t out)
{
    const model *m = self;
    og_arms_exact_call(m->problem->arms, out);
    return OG_OK;
}

static const og_model_exact exact = {
    .reward = reward_exact, .probability = probability_exact, .prior = prior_exact};

/* ---- for questions ---- */

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    scratch *s = x->scratch;
    const og_items *items = outcome == NULL ? &s->items.at : &s->items.next;
    if (outcome != NULL) {
        make_groups(self, items, s->after);
    }
    s->shown = (og_sources_state){items->left, items->count, outcome == NULL ? s->group : s->after};
    return &s->shown;
}

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)self;
    (void)words;
    return *left = (int32_t)(uint32_t)key[0];
}

/*
 * Everything is a sum of products that are not negative: a label multiplies by a probability, adds
 * two outcomes and its reward, and takes the mean of ties.
 */
static double error_of(const void *self, double value, bool of_q)
{
    const model *m = self;
    const double unit = DBL_EPSILON / 2;
    double labels = (double)m->problem->arms->budget / m->problem->cheapest + 1;
    (void)of_q;
    return 1.02 * unit * labels * (m->acts_max + 10.0) * value;
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const model *m = self;
    size_t acts = (size_t)m->acts_max;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_items_init(&s->items, m->groups_max, 1);
    s->group = og_arena_array(&s->items.arena, (size_t)m->groups_max, sizeof *s->group);
    s->after = og_arena_array(&s->items.arena, (size_t)m->groups_max + 1, sizeof *s->after);
    s->action_of = og_arena_array(&s->items.arena, 2 * acts, sizeof *s->action_of);
    return og_expansion_init(s, acts, 2 * acts, x);
}

/* Largest number of groups of a state: each label adds at most one. */
static int64_t most_groups(const og_sources_problem *problem)
{
    const og_arms *arms = problem->arms;
    int64_t labels = arms->budget / problem->cheapest, instances = og_arms_instances(arms);
    int64_t groups = arms->group_count + labels;
    return (groups < instances ? groups : instances) + 1;
}

og_status og_sources_model(const og_sources_problem *problem, const og_value_asked *question,
                           og_model *out, og_message *message)
{
    const og_arms *arms = problem->arms;
    int64_t groups = most_groups(problem);
    groups = groups > arms->group_count ? groups : arms->group_count;
    if (groups >= OG_KEY_WORDS_MAX || og_arms_instances(arms) > UINT32_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "there are too many instances and labels for a state; give fewer");
    }
    model *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->problem = problem;
    const bool named = og_strategy_keeps_names(question->by);
    const bool merges = (question->reductions & OG_REDUCE_MERGE) != 0 && !named;
    m->alike = merges ? problem->image : problem->first;
    m->ordered =
        question->ties == OG_TIES_FIRST || (question->reductions & OG_REDUCE_SORT) == 0 || named;
    m->groups_max = (int32_t)groups;
    m->acts_max = m->groups_max * OG_SOURCES_MAX;
    *out = (og_model){.self = m,
                      .depth_max = arms->budget / problem->cheapest + 1,
                      .outcomes_max = 2,
                      .key_words_max = m->groups_max + 1,
                      .expansion_new = expansion_new,
                      .expansion_free = og_expansion_free,
                      .expand = expand,
                      .successor = successor,
                      .gains = true,
                      .bytes = og_arms_bytes(arms),
                      .acts_max = m->acts_max,
                      .decision_count = 0,
                      .error = error_of,
                      .root = root,
                      .expand_root = expand_shown,
                      .act = act,
                      .answer = answer,
                      .state = state,
                      .stage = stage,
                      .exact = &exact,
                      .free = og_arena_free};
    out->prior = og_arms_prior_value(arms, &out->prior_error);
    return OG_OK;
}
