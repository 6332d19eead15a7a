/*
 * The model of labels from sources of unknown accuracy. A key is a word with the units left, then
 * for each group its labels, a byte each, and a word with its prior and its copies. Labels are
 * canonical: labels of a known source that cancel are removed, and mirror images of a fair instance
 * have one representative. Groups are sorted, each once, or in the order of the instances, where
 * equal neighbours form a group.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/families/sources_unknown.h"

#define MARK (UINT64_C(1) << 63)

typedef struct {
    og_arena arena;
    const og_crowd_problem *problem;
    bool ordered, mirrors;
    int32_t row_words; /* of the labels of a group */
    int32_t groups_max, acts_max;
    double prior;
} model;

typedef struct {
    og_arena arena;
    int32_t left, count;
    og_crowd_group *group; /* [groups_max] */
    int32_t next_left, next_count;
    og_crowd_group *next; /* [groups_max + 1] the latest successor */
    og_crowd_group *raw;  /* [groups_max + 1] the same before it is sorted */
    double *plus, *minus; /* [groups_max + 1] */
    double *room;         /* of og_crowd_weigh */
    og_crowd_state shown;
} scratch;

/* ---- states ---- */

static int compare_groups(const og_crowd_group *x, const og_crowd_group *y)
{
    int order = (x->prior > y->prior) - (x->prior < y->prior);
    return order != 0 ? order : memcmp(x->label, y->label, sizeof x->label);
}

/* Inserts a group at its place. */
static void insert(const model *m, og_crowd_group *group, int32_t *count,
                   const og_crowd_group *what)
{
    int32_t at = *count;
    while (!m->ordered && at > 0 && compare_groups(&group[at - 1], what) > 0) {
        at--;
    }
    if (at > 0 && compare_groups(&group[at - 1], what) == 0) {
        group[at - 1].copies += what->copies;
        return;
    }
    memmove(&group[at + 1], &group[at], (size_t)(*count - at) * sizeof *group);
    group[at] = *what;
    ++*count;
}

/* Replaces a fair instance's labels by their mirror image if that is the representative. */
static void mirror(const model *m, og_crowd_group *group)
{
    og_crowd_group other = *group;
    if (!m->mirrors || !m->problem->prior[group->prior].fair) {
        return;
    }
    for (int32_t j = 0; j < m->problem->source_count; j++) {
        other.label[2 * j] = group->label[2 * j + 1];
        other.label[2 * j + 1] = group->label[2 * j];
    }
    if (compare_groups(&other, group) > 0) {
        *group = other;
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

/* The key of `next` or, if nothing is affordable any more, its value. */
static int32_t settle(const model *m, scratch *s, uint64_t *key, double *value)
{
    const size_t bytes = 2 * (size_t)m->problem->source_count;
    if (!any_open(m, s->next, s->next_count, s->next_left)) {
        og_crowd_weigh(m->problem, s->next, s->next_count, s->room, s->plus, s->minus);
        *value = og_crowd_called(s->next, s->next_count, s->plus, s->minus);
        return 0;
    }
    int32_t words = 0;
    key[words++] = MARK | (uint64_t)s->next_left;
    for (int32_t g = 0; g < s->next_count; g++) {
        const og_crowd_group *group = &s->next[g];
        memset(&key[words], 0, (size_t)m->row_words * sizeof *key);
        memcpy(&key[words], group->label, bytes);
        words += m->row_words;
        key[words++] = (uint64_t)group->prior << 32 | (uint64_t)group->copies; /* not 0 */
    }
    return words;
}

static void read_key(const model *m, const uint64_t *key, int32_t words, scratch *s)
{
    const int32_t group_words = 1 + m->row_words;
    s->left = (int32_t)(key[0] & ~MARK);
    s->count = (words - 1) / group_words;
    for (int32_t g = 0; g < s->count; g++) {
        const uint64_t *from = &key[1 + g * group_words];
        const uint64_t word = from[m->row_words];
        s->group[g] = (og_crowd_group){(int32_t)(word >> 32), (int64_t)(uint32_t)word, {0}};
        memcpy(s->group[g].label, from, 2 * (size_t)m->problem->source_count);
    }
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
    for (int32_t g = 0; g < s->count; g++) {
        for (int32_t j = 0; j < m->problem->source_count; j++) {
            if (!og_crowd_open(m->problem, &s->group[g], j, s->left)) {
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
    read_key(self, key, words, x->scratch);
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
    const int32_t at = (int32_t)outcome->from, j = (int32_t)(outcome->to / 2);
    const int said = (int)(outcome->to % 2);
    const bool cancelled = cancels(m, &s->group[at], j, said);
    int32_t raw = og_crowd_label(s->group, s->count, at, j, said, s->raw);
    if (cancelled) {
        s->raw[at].label[2 * j]--;
        s->raw[at].label[2 * j + 1]--;
    }
    mirror(m, &s->raw[at]);
    s->next_left = s->left - m->problem->source[j].price;
    s->next_count = 0;
    for (int32_t g = 0; g < raw; g++) {
        insert(m, s->next, &s->next_count, &s->raw[g]);
    }
    return settle(m, s, key, value);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const model *m = self;
    scratch *s = x->scratch;
    (void)belief;
    s->left = s->next_left = m->problem->budget;
    s->count = m->problem->group_count;
    s->next_count = 0;
    for (int32_t g = 0; g < s->count; g++) {
        s->group[g] =
            (og_crowd_group){m->problem->prior_of_group[g], m->problem->size_of_group[g], {0}};
        insert(m, s->next, &s->next_count, &s->group[g]);
    }
    return settle(m, s, key, value);
}

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    scratch *s = x->scratch;
    (void)self;
    s->shown = outcome == NULL ? (og_crowd_state){s->left, s->count, s->group}
                               : (og_crowd_state){s->next_left, s->next_count, s->next};
    return &s->shown;
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
    return og_crowd_called_exact(m->problem, at->group, at->count, out);
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
    *left = (int32_t)(key[0] & ~MARK);
    return *left;
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
    const og_crowd_problem *of = m->problem;
    const double whole = of_q ? value + m->prior : value;
    double steps = of->labels * (m->acts_max + 10.0) + of->group_count + 10;
    return (1.02 * DBL_EPSILON / 2 * steps + of->error) * whole + (double)of->instances * 0x1p-600;
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const model *m = self;
    size_t groups = (size_t)m->groups_max + 1, acts = (size_t)m->acts_max;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->group = og_arena_array(&s->arena, groups, sizeof *s->group);
    s->next = og_arena_array(&s->arena, groups, sizeof *s->next);
    s->raw = og_arena_array(&s->arena, groups, sizeof *s->raw);
    s->plus = og_arena_array(&s->arena, groups, sizeof *s->plus);
    s->minus = og_arena_array(&s->arena, groups, sizeof *s->minus);
    s->room = og_arena_array(&s->arena, m->problem->room, sizeof *s->room);
    return og_expansion_init(s, acts, 2 * acts, x);
}

og_status og_crowd_model(const og_crowd_problem *problem, const og_question *question,
                         og_model *out, og_message *message)
{
    const int32_t row_words = (2 * problem->source_count + 7) / 8;
    const int64_t groups = (int64_t)problem->group_count + problem->labels;
    const bool first = question->by != NULL && question->ties == OG_TIES_FIRST;
    if (1 + groups * (1 + row_words) > OG_KEY_WORDS_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "there are too many instances and labels for a state; give fewer");
    }
    model *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->problem = problem;
    m->ordered = first || (question->reductions & OG_REDUCE_SORT) == 0;
    m->mirrors = (question->reductions & OG_REDUCE_MERGE) != 0;
    m->row_words = row_words;
    m->groups_max = (int32_t)groups;
    m->acts_max = m->groups_max * problem->source_count;
    for (int32_t g = 0; g < problem->group_count; g++) {
        const double *chance = problem->prior[problem->prior_of_group[g]].chance;
        m->prior += (double)problem->size_of_group[g] * fmax(chance[0], chance[1]);
    }
    *out = (og_model){.self = m,
                      .depth_max = problem->labels + 1,
                      .outcomes_max = 2,
                      .key_words_max = 1 + m->groups_max * (1 + row_words),
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
                      .exact = &exact,
                      .free = og_arena_free};
    out->prior_error = 1.02 * DBL_EPSILON / 2 * (problem->group_count + 8.0) * m->prior;
    return OG_OK;
}
