/* The search problem as a model: states are looks left and looks had, boxes alike sorted. */
#include "tests/search_problem.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_BIT = 63 };

static const double rounding = SEARCH_ROUNDING;

double mass_of(const search *boxes, const int *looks, int box)
{
    return boxes->mass[box] * pow(1 - boxes->found[box], looks[box]);
}

double whole_mass(const search *boxes, const int *looks)
{
    double sum = 0;
    for (int i = 0; i < boxes->boxes; i++) {
        sum += mass_of(boxes, looks, i);
    }
    return sum;
}

double largest_mass(const search *boxes, const int *looks)
{
    double most = 0;
    for (int i = 0; i < boxes->boxes; i++) {
        most = fmax(most, mass_of(boxes, looks, i));
    }
    return most;
}

/* Of the boxes with the largest score one is named at random. */
double named_mass(const search *boxes, const int *looks, const double *score)
{
    double most = -INFINITY, sum = 0;
    int tied = 0;
    for (int i = 0; i < boxes->boxes; i++) {
        most = fmax(most, score[i]);
    }
    for (int i = 0; i < boxes->boxes; i++) {
        sum += score[i] == most ? mass_of(boxes, looks, i) : 0;
        tied += score[i] == most;
    }
    return sum / tied;
}

/* ---- the model ---- */

typedef struct {
    search boxes;
    bool sorts;
    size_t belief_bytes, item_bytes;
} model;

typedef struct {
    shown at, after;
    og_action action[BOXES];
    og_outcome outcome[2 * BOXES];
} scratch;

static bool alike(const search *boxes, int i, int j)
{
    return boxes->mass[i] == boxes->mass[j] && boxes->found[i] == boxes->found[j];
}

/* Sort boxes alike, with their records. */
static void rename_boxes(const model *m, shown *s, char *record)
{
    char swap[64];
    for (int end = m->boxes.boxes - 1; m->sorts && end > 0; end--) {
        for (int i = 0; i < end; i++) {
            char *one = record + (size_t)i * m->item_bytes, *two = one + m->item_bytes;
            int order = s->looks[i] - s->looks[i + 1];
            order = order != 0 ? order : memcmp(one, two, m->item_bytes);
            if (alike(&m->boxes, i, i + 1) && order > 0) {
                int looks = s->looks[i];
                s->looks[i] = s->looks[i + 1];
                s->looks[i + 1] = looks;
                memcpy(swap, one, m->item_bytes);
                memcpy(one, two, m->item_bytes);
                memcpy(two, swap, m->item_bytes);
            }
        }
    }
}

static int32_t settle(const model *m, shown *s, og_belief *belief, uint64_t *key, double *value)
{
    char none[64] = {0};
    rename_boxes(m, s, belief != NULL ? belief->at : none);
    if (s->left == 0) {
        *value = largest_mass(&m->boxes, s->looks);
        return 0;
    }
    key[0] = UINT64_C(1) << MARK_BIT | (uint64_t)s->left;
    for (int i = 0; i < m->boxes.boxes; i++) {
        key[0] |= (uint64_t)s->looks[i] << (8 * (i + 1));
    }
    return 1;
}

static int32_t successor_with(const void *self, const og_expansion *x, const og_outcome *outcome,
                              og_belief *belief, uint64_t *key, double *value)
{
    const model *m = self;
    scratch *s = x->scratch;
    s->after = s->at;
    s->after.left--;
    if (outcome->to == 1) {
        s->after.found = true;
        s->after.box = (int)outcome->from;
        *value =
            mass_of(&m->boxes, s->at.looks, (int)outcome->from) * m->boxes.found[outcome->from];
        return 0;
    }
    s->after.looks[outcome->from]++;
    return settle(m, &s->after, belief, key, value);
}

static int32_t successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    return successor_with(self, x, outcome, NULL, key, value);
}

static double score(const void *self, const og_expansion *x, const og_outcome *outcome,
                    const double *decision)
{
    const model *m = self;
    const scratch *s = x->scratch;
    if (outcome != NULL && outcome->to == 1) {
        return mass_of(&m->boxes, s->at.looks, (int)outcome->from) * m->boxes.found[outcome->from];
    }
    return named_mass(&m->boxes, s->after.looks, decision);
}

static og_status expand_shown(const void *self, og_expansion *x)
{
    const model *m = self;
    const scratch *s = x->scratch;
    x->combine = OG_COMBINE_MAX;
    x->action_count = s->at.left > 0 ? m->boxes.boxes : 0;
    for (int32_t i = 0; i < x->action_count; i++) {
        x->action[i] = (og_action){.reward = -m->boxes.cost * whole_mass(&m->boxes, s->at.looks),
                                   .weight = 1,
                                   .bound = INFINITY,
                                   .outcome_first = 2 * i,
                                   .outcome_count = 2};
        for (uint32_t k = 0; k < 2; k++) {
            x->outcome[2 * i + (int32_t)k] =
                (og_outcome){.probability = 1, .bound = INFINITY, .from = (uint32_t)i, .to = k};
        }
    }
    return OG_OK;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    const model *m = self;
    scratch *s = x->scratch;
    ck_assert_int_eq(words, 1);
    s->at.left = (int)(key[0] & 0xff);
    for (int i = 0; i < m->boxes.boxes; i++) {
        s->at.looks[i] = (int)(key[0] >> (8 * (i + 1)) & 0xff);
    }
    return expand_shown(self, x);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const model *m = self;
    scratch *s = x->scratch;
    s->at = (shown){.left = m->boxes.looks};
    s->after = s->at;
    return settle(m, &s->after, belief, key, value);
}

static og_act act(const void *self, const og_expansion *x, const og_action *action)
{
    (void)self;
    return (og_act){{x->outcome[action->outcome_first].from, 0, 0}};
}

static int32_t answer(const void *self, const og_expansion *x, const og_outcome *outcome,
                      og_act *act)
{
    (void)self, (void)x;
    *act = (og_act){{outcome->from, 0, 0}};
    return (int32_t)outcome->to;
}

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const scratch *s = x->scratch;
    (void)self;
    return outcome == NULL ? &s->at : &s->after;
}

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)self, (void)words;
    *left = (int32_t)(key[0] & 0xff);
    return *left;
}

static double measure(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const model *m = self;
    const scratch *s = x->scratch;
    const shown *seen = outcome == NULL ? &s->at : &s->after;
    return seen->found ? mass_of(&m->boxes, seen->looks, seen->box) * m->boxes.found[seen->box]
                       : whole_mass(&m->boxes, seen->looks);
}

static double error_of(const void *self, double value, bool of_q)
{
    (void)self, (void)value, (void)of_q;
    return rounding;
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    scratch *s = calloc(1, sizeof *s);
    (void)self;
    if (s == NULL) {
        return OG_NO_MEMORY;
    }
    *x = (og_expansion){.action = s->action, .outcome = s->outcome, .scratch = s};
    return OG_OK;
}

static void expansion_free(og_expansion *x)
{
    free(x->scratch);
    memset(x, 0, sizeof *x);
}

og_model search_model(const search *boxes, const og_value_asked *question)
{
    model *m = calloc(1, sizeof *m);
    const og_strategy *by = question->by;
    ck_assert_ptr_nonnull(m);
    m->boxes = *boxes;
    m->item_bytes = by != NULL ? by->item_bytes[0] : 0;
    bool named = by != NULL && by->belief_bytes > 0 && m->item_bytes == 0;
    m->sorts = (question->reductions & OG_REDUCE_SORT) != 0 && !named &&
               (by == NULL || question->ties != OG_TIES_FIRST);
    const int none[BOXES] = {0};
    return (og_model){.self = m,
                      .depth_max = boxes->looks + 1,
                      .outcomes_max = 2,
                      .key_words_max = 1,
                      .expansion_new = expansion_new,
                      .expansion_free = expansion_free,
                      .expand = expand,
                      .successor = successor,
                      .prior = largest_mass(boxes, none),
                      .acts_max = boxes->boxes,
                      .decision_count = boxes->boxes,
                      .error = error_of,
                      .root = root,
                      .expand_root = expand_shown,
                      .act = act,
                      .answer = answer,
                      .state = state,
                      .successor_with = successor_with,
                      .score = score,
                      .stage = stage,
                      .measure = measure,
                      .free = free};
}
