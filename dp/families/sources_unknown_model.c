/*
 * The model of labels from sources of unknown accuracy. States are items (dp/families/items.h),
 * whose kind is the prior and whose first words are the labels, a byte each. Labels are
 * canonical: labels of a known source that cancel are removed, and mirror images of a fair instance
 * have one representative. Groups are sorted, each once, or in the order of the instances, where
 * equal neighbours form a group.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "dp/families/items.h"
#include "dp/families/sources_unknown.h"

typedef struct {
    og_arena arena;
    const og_crowd_problem *problem;
    bool ordered, mirrors;
    int32_t words; /* of an item */
    int32_t groups_max, acts_max;
    double prior;
} model;

typedef struct {
    og_items_scratch items;
    og_crowd_group *group; /* [groups_max + 1] of the state */
    og_crowd_group *next;  /* [groups_max + 1] of the latest successor */
    double *plus, *minus;  /* [groups_max + 1] */
    double *room;          /* of og_crowd_weigh */
    og_crowd_state shown;
} scratch;

/* ---- states ---- */

/* Replaces a fair instance's labels by their mirror image if that is the representative. */
static void mirror(const model *m, uint64_t *item)
{
    uint64_t other[OG_ITEM_WORDS_MAX] = {0};
    const uint8_t *label = (const uint8_t *)item;
    uint8_t *turned = (uint8_t *)other;
    other[m->words - 1] = item[m->words - 1];
    if (!m->mirrors || !m->problem->prior[og_item_kind(item[m->words - 1])].fair) {
        return;
    }
    for (int32_t j = 0; j < m->problem->source_count; j++) {
        turned[2 * j] = label[2 * j + 1];
        turned[2 * j + 1] = label[2 * j];
    }
    if (og_items_by_kind(other, item, m->words) > 0) {
        memcpy(item, other, (size_t)m->words * sizeof *item);
    }
}

static void make_groups(const model *m, const og_items *items, og_crowd_group *group)
{
    for (int32_t g = 0; g < items->count; g++) {
        const uint64_t *item = &items->word[g * m->words];
        const uint64_t last = item[m->words - 1];
        group[g] = (og_crowd_group){(int32_t)og_item_kind(last), og_item_copies(last), {0}};
        memcpy(group[g].label, item, 2 * (size_t)m->problem->source_count);
    }
}

static bool any_open(const model *m, const og_crowd_group *group, int32_t count, int32_t left)
{
    bool open = false;
    for (int32_t g = 0; !open && left >= m->problem->cheapest && g < count; g++) {
        for (int32_t j = 0; !open && j < m->problem->source_count; j++) {
            open = og_crowd_open(m->problem, &group[g], j, left);
        }
    }
    return open;
}

/* The key of the successor or, if nothing is affordable any more, its value. */
static int32_t finish(const model *m, scratch *s, uint64_t *key, double *value)
{
    og_items *next = &s->items.next;
    og_items_merge(next, m->words, m->ordered, og_items_by_kind);
    make_groups(m, next, s->next);
    if (any_open(m, s->next, next->count, next->left)) {
        return og_items_write(next, m->words, key);
    }
    og_crowd_weigh(m->problem, s->next, next->count, s->room, s->plus, s->minus);
    *value = og_crowd_called(s->next, next->count, s->plus, s->minus);
    return 0;
}

/* ---- the model: an outcome's `from` is the place, its `to` twice the source and the answer ----
 */

/* True if this answer cancels a label. */
static bool cancels(const model *m, const og_crowd_group *group, int32_t j, int answer)
{
    return m->problem->source[j].cancels && group->label[2 * j + 1 - answer] > 0;
}

static og_status expand_shown(const void *self, og_expansion *x)
{
    const model *m = self;
    const scratch *s = x->scratch;
    int32_t count = 0, outcomes = 0;
    for (int32_t g = 0; g < s->items.at.count; g++) {
        for (int32_t j = 0; j < m->problem->source_count; j++) {
            if (!og_crowd_open(m->problem, &s->group[g], j, s->items.at.left)) {
                continue;
            }
            const double *chance = m->problem->source[j].chance;
            x->action[count++] = (og_action){.weight = (double)s->group[g].copies,
                                             .bound = INFINITY,
                                             .outcome_first = outcomes,
                                             .outcome_count = 2};
            for (int answer = 0; answer < 2; answer++) {
                x->outcome[outcomes++] =
                    (og_outcome){cancels(m, &s->group[g], j, answer) ? chance[0] * chance[1] : 1,
                                 INFINITY, (uint32_t)g, 2 * (uint32_t)j + (uint32_t)answer};
            }
        }
    }
    x->combine = OG_COMBINE_MAX;
    x->action_count = count;
    return OG_OK;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    const model *m = self;
    scratch *s = x->scratch;
    og_items_read(key, words, m->words, &s->items.at);
    make_groups(m, &s->items.at, s->group);
    return expand_shown(self, x);
}

static og_act act_of(const og_outcome *outcome)
{
    return (og_act){{outcome->from, outcome->to / 2, 0}};
}

static og_act act(const void *self, const og_expansion *x, const og_action *action)
{
    (void)self;
    return act_of(&x->outcome[action->outcome_first]);
}

static int32_t answer(const void *self, const og_expansion *x, const og_outcome *outcome,
                      og_act *asked)
{
    (void)self, (void)x;
    *asked = act_of(outcome);
    return (int32_t)(outcome->to % 2);
}

static int32_t successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const model *m = self;
    scratch *s = x->scratch;
    const uint32_t j = outcome->to / 2, said = outcome->to % 2;
    og_items_split(&s->items, m->words, outcome->from);
    uint64_t *item = &s->items.next.word[outcome->from * (uint32_t)m->words];
    uint8_t *label = (uint8_t *)item;
    if (cancels(m, &s->group[outcome->from], (int32_t)j, (int)said)) {
        label[2 * j + 1 - said]--;
    } else {
        label[2 * j + said]++;
    }
    mirror(m, item);
    s->items.next.left -= m->problem->source[j].price;
    return finish(m, s, key, value);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const model *m = self;
    const og_crowd_problem *problem = m->problem;
    scratch *s = x->scratch;
    (void)belief;
    s->items.at.left = problem->budget;
    s->items.at.count = problem->group_count;
    memset(s->items.at.word, 0, (size_t)(problem->group_count * m->words) * sizeof(uint64_t));
    for (int32_t g = 0; g < problem->group_count; g++) {
        s->items.at.word[(g + 1) * m->words - 1] =
            og_item((uint32_t)problem->prior_of_group[g], (uint32_t)problem->size_of_group[g]);
    }
    make_groups(m, &s->items.at, s->group);
    og_items_copy(&s->items.at, m->words, &s->items.next);
    return finish(m, s, key, value);
}

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    scratch *s = x->scratch;
    const og_items *items = outcome == NULL ? &s->items.at : &s->items.next;
    (void)self;
    s->shown = (og_crowd_state){items->left, items->count, outcome == NULL ? s->group : s->next};
    return &s->shown;
}

/* The probability of the labels. */
static double measure(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const model *m = self;
    const scratch *s = x->scratch;
    const og_crowd_state *at = state(self, x, outcome);
    return og_crowd_weigh(m->problem, at->group, at->count, s->room, s->plus, s->minus);
}

/* ---- fractions ---- */

/* 1, except for an answer that cancels a label of a known source: the model's own probability is
 * then not 1. */
static mpq_srcptr probability_exact(const void *self, const og_expansion *x,
                                    const og_action *action, const og_outcome *outcome, mpq_t room)
{
    const model *m = self;
    if (outcome->probability == 1) {
        return NULL;
    }
    const og_fraction *part = m->problem->source[act(self, x, action).part[1]].part;
    mpq_t wrong;
    mpq_init(wrong);
    og_fraction_get_mpq(room, part[0]);
    og_fraction_get_mpq(wrong, part[1]);
    mpq_mul(room, room, wrong);
    mpq_clear(wrong);
    return room;
}

static og_status end_exact(const void *self, const og_expansion *x, const og_outcome *outcome,
                           mpq_t out)
{
    const model *m = self;
    const og_crowd_state *at = state(self, x, outcome);
    return og_crowd_called_exact(m->problem, at->group, at->count, out, NULL);
}

static og_status prior_exact(const void *self, mpq_t out)
{
    const model *m = self;
    og_crowd_prior_exact(m->problem, out);
    return OG_OK;
}

static const og_model_exact exact = {
    .probability = probability_exact, .end = end_exact, .prior = prior_exact};

/* ---- for questions ---- */

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)self, (void)words;
    return *left = (int32_t)(uint32_t)key[0];
}

/*
 * A label adds two outcomes, one perhaps multiplied by q (1 - q), 5 roundings and 1, and takes the
 * mean of ties. No step makes an error larger than its values, so losses below the range of
 * doubles, at most 2^-900 in each of 2^255 tables, are negligible. Then the value without a label
 * is subtracted, with its 7 roundings and those of the sum over groups.
 */
static double error_of(const void *self, double value, bool of_q)
{
    const model *m = self;
    const og_crowd_problem *problem = m->problem;
    const double whole = of_q ? value + m->prior : value;
    double steps = problem->labels * (m->acts_max + 10.0) + problem->group_count + 10;
    return (1.02 * DBL_EPSILON / 2 * steps + problem->error) * whole +
           (double)problem->instances * 0x1p-600;
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const model *m = self;
    size_t groups = (size_t)m->groups_max + 1, acts = (size_t)m->acts_max;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_arena *arena = &s->items.arena;
    og_items_init(&s->items, m->groups_max, m->words);
    s->group = og_arena_array(arena, groups, sizeof *s->group);
    s->next = og_arena_array(arena, groups, sizeof *s->next);
    s->plus = og_arena_array(arena, groups, sizeof *s->plus);
    s->minus = og_arena_array(arena, groups, sizeof *s->minus);
    s->room = og_arena_array(arena, m->problem->room, sizeof *s->room);
    return og_expansion_init(s, acts, 2 * acts, x);
}

og_status og_crowd_model(const og_crowd_problem *problem, const og_value_asked *question,
                         og_model *out, og_message *message)
{
    const int32_t words = 1 + (2 * problem->source_count + 7) / 8;
    const int64_t groups = (int64_t)problem->group_count + problem->labels;
    const bool first = question->by != NULL && question->ties == OG_TIES_FIRST;
    const bool named = og_strategy_keeps_names(question->by);
    if (1 + groups * words > OG_KEY_WORDS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "there are too many instances and labels for a state; give fewer");
    }
    model *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->problem = problem;
    m->ordered = first || named || (question->reductions & OG_REDUCE_SORT) == 0;
    m->mirrors = (question->reductions & OG_REDUCE_MERGE) != 0 && !named;
    m->words = words;
    m->groups_max = (int32_t)groups;
    m->acts_max = m->groups_max * problem->source_count;
    for (int32_t g = 0; g < problem->group_count; g++) {
        const double *chance = problem->prior[problem->prior_of_group[g]].chance;
        m->prior += (double)problem->size_of_group[g] * fmax(chance[0], chance[1]);
    }
    *out = (og_model){.self = m,
                      .depth_max = problem->labels + 1,
                      .outcomes_max = 2,
                      .key_words_max = 1 + m->groups_max * words,
                      .expansion_new = expansion_new,
                      .expansion_free = og_expansion_free,
                      .expand = expand,
                      .successor = successor,
                      .prior = m->prior,
                      .acts_max = m->acts_max,
                      .error = error_of,
                      .root = root,
                      .expand_root = expand_shown,
                      .act = act,
                      .answer = answer,
                      .state = state,
                      .stage = stage,
                      .measure = measure,
                      .exact = &exact,
                      .free = og_arena_free};
    out->prior_error = 1.02 * DBL_EPSILON / 2 * (problem->group_count + 8.0) * m->prior;
    return OG_OK;
}
