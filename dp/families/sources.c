/*
 * States of instances whose labels a policy buys. A key is a word with the units left, then a word
 * for each group, with its global node and its copies. Groups are sorted, each node once, or in the
 * order of the instances, where neighbours with one node form a group.
 */
#include "dp/families/sources.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MARK (UINT64_C(1) << 63)

typedef struct {
    og_arena arena;
    const og_sources_problem *problem;
    bool ordered;
    int32_t groups_max, acts_max;
} model;

typedef struct {
    og_arena arena;
    int32_t left, count;
    og_sources_group *group; /* [groups_max] */
    int32_t next_left, next_count;
    og_sources_group *next; /* [groups_max] the latest successor */
    uint32_t *action_of;    /* [2 acts_max] of the arm, by an action's first outcome */
    og_sources_state shown;
} scratch;

/* ---- shared data ---- */

og_status og_sources_problem_init(const og_arms *arms, og_sources_problem *out)
{
    og_sources_problem made = {.arms = arms, .cheapest = OG_ARM_COST_MAX};
    made.first = og_arena_array(&made.arena, (size_t)arms->arm_count, sizeof *made.first);
    og_status status = og_arena_status(&made.arena);
    for (int32_t i = 0; status == OG_OK && i < arms->arm_count; i++) {
        const og_arm *arm = arms->arm[i];
        made.first[i] = og_arena_array(&made.arena, arm->node_count, sizeof **made.first);
        status = og_arena_status(&made.arena);
        OG_THEN(status, og_sources_first_alike(arm, made.first[i]));
        for (uint32_t a = 0; a < og_arm_action_count(arm); a++) {
            made.cheapest = arm->cost[a] < made.cheapest ? arm->cost[a] : made.cheapest;
        }
    }
    if (status != OG_OK) {
        og_sources_problem_clear(&made);
        return status;
    }
    *out = made;
    return OG_OK;
}

void og_sources_problem_clear(og_sources_problem *of)
{
    og_arena_clear(&of->arena);
    *of = (og_sources_problem){.arms = NULL};
}

uint32_t og_sources_actions(const og_arm *arm, uint32_t node, uint32_t *first)
{
    bool last = node >= arm->level[arm->depth];
    *first = last ? 0 : arm->action_first[node];
    return last ? 0 : arm->action_first[node + 1];
}

bool og_sources_open(const og_arm *arm, uint32_t node, int32_t left)
{
    uint32_t first, end = og_sources_actions(arm, node, &first);
    for (uint32_t a = first; a < end; a++) {
        if (arm->cost[a] <= left) {
            return true;
        }
    }
    return false;
}

uint32_t og_sources_action(const og_arm *arm, uint32_t node, uint32_t source)
{
    uint32_t action = arm->action_first[node];
    while ((uint32_t)og_sources_of_action(arm, action) != source) {
        action++;
    }
    return action;
}

/* ---- states ---- */

static uint64_t word_of(const model *m, const og_sources_group *group)
{
    uint64_t node = m->problem->arms->node_offset[group->arm] + group->node;
    return node << 32 | (uint64_t)group->copies;
}

static bool same_node(const og_sources_group *x, const og_sources_group *y)
{
    return x->arm == y->arm && x->node == y->node;
}

/* Inserts a group at its place. */
static void insert(const model *m, og_sources_group *group, int32_t *count, og_sources_group what)
{
    int32_t at = *count;
    if (m->ordered) {
        if (at > 0 && same_node(&group[at - 1], &what)) {
            group[at - 1].copies += what.copies;
        } else {
            group[(*count)++] = what;
        }
        return;
    }
    while (at > 0 && (group[at - 1].arm > what.arm ||
                      (group[at - 1].arm == what.arm && group[at - 1].node > what.node))) {
        at--;
    }
    if (at > 0 && same_node(&group[at - 1], &what)) {
        group[at - 1].copies += what.copies;
        return;
    }
    memmove(&group[at + 1], &group[at], (size_t)(*count - at) * sizeof *group);
    group[at] = what;
    ++*count;
}

/* The same, but only if a label of it is affordable. */
static void insert_open(const model *m, scratch *s, og_sources_group what)
{
    const og_arm *arm = m->problem->arms->arm[what.arm];
    if (what.copies > 0 && og_sources_open(arm, what.node, s->next_left)) {
        insert(m, s->next, &s->next_count, what);
    }
}

static int32_t write_key(const model *m, const scratch *s, uint64_t *key)
{
    if (s->next_count == 0) {
        return 0;
    }
    key[0] = MARK | (uint64_t)s->next_left;
    for (int32_t i = 0; i < s->next_count; i++) {
        key[1 + i] = word_of(m, &s->next[i]);
    }
    return 1 + s->next_count;
}

static void read_key(const model *m, const uint64_t *key, int32_t words, scratch *s)
{
    const og_arms *arms = m->problem->arms;
    s->left = (int32_t)(key[0] & ~MARK);
    s->count = words - 1;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t node = (uint32_t)(key[1 + i] >> 32);
        int32_t arm = og_arms_arm_of(arms, node);
        s->group[i] =
            (og_sources_group){arm, node - arms->node_offset[arm], (int64_t)(uint32_t)key[1 + i]};
    }
}

/* ---- the model ---- */

static og_status expand_shown(const void *self, og_expansion *x)
{
    const model *m = self;
    scratch *s = x->scratch;
    int32_t count = 0, outcomes = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const og_arm *arm = m->problem->arms->arm[s->group[i].arm];
        uint32_t first, end = og_sources_actions(arm, s->group[i].node, &first);
        for (uint32_t a = first; a < end; a++) {
            if (arm->cost[a] > s->left) {
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
    read_key(self, key, words, x->scratch);
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
    const og_sources_group *asked = &s->group[outcome->from];
    const og_arm *arm = m->problem->arms->arm[asked->arm];
    uint32_t action = action_of(x, outcome);
    uint32_t node = m->problem->first[asked->arm][arm->next[2 * (size_t)action + outcome->to]];
    *value = 0;
    s->next_left = s->left - arm->cost[action];
    s->next_count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        og_sources_group group = s->group[i];
        if (i == (int32_t)outcome->from) { /* the first of them */
            insert_open(m, s, (og_sources_group){group.arm, node, 1});
            group.copies--;
        }
        insert_open(m, s, group);
    }
    return write_key(m, s, key);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const model *m = self;
    const og_arms *arms = m->problem->arms;
    scratch *s = x->scratch;
    (void)belief;
    *value = 0;
    s->left = s->next_left = arms->budget;
    s->count = arms->group_count;
    s->next_count = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        s->group[g] = (og_sources_group){arms->arm_of_group[g], 0, arms->group_size[g]};
        insert_open(m, s, s->group[g]);
    }
    return write_key(m, s, key);
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
    (void)self;
    s->shown = outcome == NULL ? (og_sources_state){s->left, s->count, s->group}
                               : (og_sources_state){s->next_left, s->next_count, s->next};
    return &s->shown;
}

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)self;
    (void)words;
    *left = (int32_t)(key[0] & ~MARK);
    return *left;
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

static void expansion_free(og_expansion *x)
{
    og_arena_free(x->scratch);
    memset(x, 0, sizeof *x);
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const model *m = self;
    size_t groups = (size_t)m->groups_max, acts = (size_t)m->acts_max;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->group = og_arena_array(&s->arena, groups, sizeof *s->group);
    s->next = og_arena_array(&s->arena, groups + 1, sizeof *s->next);
    s->action_of = og_arena_array(&s->arena, 2 * acts, sizeof *s->action_of);
    *x = (og_expansion){.action = og_arena_array(&s->arena, acts, sizeof *x->action),
                        .outcome = og_arena_array(&s->arena, 2 * acts, sizeof *x->outcome),
                        .scratch = s};
    og_status status = og_arena_status(&s->arena);
    if (status != OG_OK) {
        expansion_free(x);
    }
    return status;
}

/* Largest number of groups of a state: each label adds at most one. */
static int64_t most_groups(const og_sources_problem *problem)
{
    const og_arms *arms = problem->arms;
    int64_t labels = arms->budget / problem->cheapest, instances = og_arms_instances(arms);
    int64_t groups = arms->group_count + labels;
    return (groups < instances ? groups : instances) + 1;
}

og_status og_sources_model(const og_sources_problem *problem, const og_question *question,
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
    m->ordered = question->ties == OG_TIES_FIRST || (question->reductions & OG_REDUCE_SORT) == 0;
    m->groups_max = (int32_t)groups;
    m->acts_max = m->groups_max * OG_SOURCES_MAX;
    *out = (og_model){.self = m,
                      .depth_max = arms->budget / problem->cheapest + 1,
                      .outcomes_max = 2,
                      .key_words_max = m->groups_max + 1,
                      .expansion_new = expansion_new,
                      .expansion_free = expansion_free,
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
