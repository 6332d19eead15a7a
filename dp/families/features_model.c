/*
 * The model of instances with features, in two forms. Over the counts of labels, a state is the
 * number of negative and of positive labels of every action since the root, and values are those of
 * play to the end; after the last decision both labels are one outcome. If a policy's belief
 * depends on the order of labels, states are histories and nothing is divided. Each carries the
 * weights of all points times its likelihood, so its value is multiplied by its probability, and a
 * value at the root by `evidence`.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "dp/families/features.h"
#include "dp/families/features_tables.h"

enum {
    COUNTS_IN_WORD = 7, /* a byte each; the eighth is MARK, so that no word is 0 */
    MARK = 1,
    NEGATIVE = 0,
    POSITIVE = 1,
};

/* Keys of instances up to OG_FEATURES_INSTANCES_MAX are short enough. */
_Static_assert(2 * OG_FEATURES_INSTANCES_MAX / COUNTS_IN_WORD + 1 <= OG_KEY_WORDS_MAX, "keys");

typedef struct {
    og_arena arena;
    const og_features *features; /* borrowed */
    bool histories;
    bool together; /* both answers to the last label are one outcome */
} problem;

/* One expanded state. */
typedef struct {
    og_arena arena;
    og_features_state shown, shown_after;
    bool weighed;
    uint8_t *count;  /* [action_count * 2] */
    uint8_t *after;  /* [action_count * 2] of the successor shown */
    double *product; /* weights times likelihoods: [OG_FEATURES_CHUNK]; for histories [points] */
    double *mass;    /* [(action_count + 1) * cell_count] of the state; after a positive label. For
                      * histories [cell_count] of the last one that ended */
    double *rest;    /* [cell_count] after a negative one */
    double *last; /* [action_count * 2] expected correct calls after one more label, by its answer;
                   * the first after both if they are one outcome */
} scratch;

/* ---- keys ---- */

static int32_t key_words(const og_features *f)
{
    return (2 * f->action_count + COUNTS_IN_WORD - 1) / COUNTS_IN_WORD;
}

static void write_key(const og_features *f, const uint8_t *count, uint64_t *key)
{
    for (int32_t w = 0; w < key_words(f); w++) {
        key[w] = MARK;
        for (int32_t k = 0; k < COUNTS_IN_WORD; k++) {
            int32_t at = w * COUNTS_IN_WORD + k;
            key[w] |= (uint64_t)(at < 2 * f->action_count ? count[at] : 0) << 8 * (k + 1);
        }
    }
}

static void read_key(const og_features *f, const uint64_t *key, uint8_t *count)
{
    for (int32_t at = 0; at < 2 * f->action_count; at++) {
        count[at] = (uint8_t)(key[at / COUNTS_IN_WORD] >> 8 * (at % COUNTS_IN_WORD + 1));
    }
}

static int32_t labels_left(const og_features *f, const scratch *s)
{
    int32_t left = f->budget;
    for (int32_t at = 0; at < 2 * f->action_count; at++) {
        left -= s->count[at];
    }
    return left;
}

/* ---- value of a state ---- */

static int64_t chunk_size(int64_t from, int64_t end)
{
    return end - from < OG_FEATURES_CHUNK ? end - from : OG_FEATURES_CHUNK;
}

/* Masses of all cells, at present and after a positive label of each action. */
static void weigh(const og_features *f, scratch *s)
{
    const og_features_tables *t = f->tables;
    int32_t cells = t->rule->cell_count;
    int64_t points = og_features_points(f);
    memset(s->mass, 0, (size_t)(f->action_count + 1) * (size_t)cells * sizeof *s->mass);
    for (int32_t c = 0; c < cells; c++) {
        int64_t end = t->rule->cell_first[c + 1];
        for (int64_t i = t->rule->cell_first[c]; i < end; i += OG_FEATURES_CHUNK) {
            int64_t size = chunk_size(i, end);
            memcpy(s->product, &t->prior[i], (size_t)size * sizeof *s->product);
            for (int32_t at = 0; at < 2 * f->action_count; at++) {
                const double *chance = &t->chance[at % 2][at / 2 * points + i];
                for (int32_t n = 0; n < s->count[at]; n++) {
                    for (int64_t k = 0; k < size; k++) {
                        s->product[k] *= chance[k];
                    }
                }
            }
            s->mass[c] += og_features_sum(s->product, size);
            for (int32_t a = 0; a < f->action_count; a++) {
                s->mass[(a + 1) * cells + c] +=
                    og_features_dot(s->product, &t->chance[POSITIVE][a * points + i], size);
            }
        }
    }
    s->weighed = true;
}

void og_features_ahead(const og_features_state *state, int32_t action, double correct[2],
                       double mass[2])
{
    const og_features *f = state->features;
    int32_t cells = f->tables->rule->cell_count;
    const double *positive = &state->mass[(action + 1) * cells];
    assert(state->mass != NULL);
    for (int32_t c = 0; c < cells; c++) {
        state->rest[c] = fmax(state->mass[c] - positive[c], 0);
    }
    correct[POSITIVE] = og_features_correct(f, positive);
    correct[NEGATIVE] = og_features_correct(f, state->rest);
    mass[POSITIVE] = og_features_mass(f, positive);
    mass[NEGATIVE] = state->total - mass[POSITIVE];
}

static void show(const problem *p, scratch *s)
{
    const og_features *f = p->features;
    s->shown = (og_features_state){.features = f, .left = labels_left(f, s), .count = s->count};
    if (!p->histories) {
        if (!s->weighed) {
            weigh(f, s);
        }
        s->shown.mass = s->mass;
        s->shown.rest = s->rest;
        s->shown.total = og_features_mass(f, s->mass);
    }
}

/* ---- histories ---- */

static void multiply(double *product, const double *chance, int64_t points)
{
    for (int64_t i = 0; i < points; i++) {
        product[i] *= chance[i];
    }
}

/* Masses of the cells after a label of the action; -1: at present. */
static void weigh_history(const og_features *f, const scratch *s, int32_t action, uint32_t label)
{
    const og_gauss_rule *rule = f->tables->rule;
    int64_t points = og_features_points(f);
    for (int32_t c = 0; c < rule->cell_count; c++) {
        int64_t end = rule->cell_first[c + 1];
        s->mass[c] = 0;
        for (int64_t i = rule->cell_first[c]; i < end; i += OG_FEATURES_CHUNK) {
            int64_t size = chunk_size(i, end);
            s->mass[c] +=
                action < 0 ? og_features_sum(&s->product[i], size)
                           : og_features_dot(&s->product[i],
                                             &f->tables->chance[label][action * points + i], size);
        }
    }
}

static double score(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                    const double *decision)
{
    const og_features *f = ((const problem *)self)->features;
    const scratch *s = expansion->scratch;
    int32_t cells = f->tables->rule->cell_count;
    double sum = 0;
    (void)outcome;
    for (int32_t a = 0; a < f->action_count; a++) {
        const bool *side = &f->tables->side[(int64_t)a * cells];
        double right = 0;
        for (int32_t c = 0; c < cells; c++) {
            bool correct = side[c] == (decision[a] > 0);
            right += decision[a] == 0 ? s->mass[c] / 2 : correct ? s->mass[c] : 0;
        }
        sum += (double)f->copies[a] * right;
    }
    return sum;
}

/* ---- the model ---- */

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    const og_features *f = p->features;
    size_t actions = (size_t)f->action_count;
    size_t cells = (size_t)f->tables->rule->cell_count;
    size_t points = p->histories ? (size_t)og_features_points(f) : OG_FEATURES_CHUNK;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_arena *arena = &s->arena;
    s->count = og_arena_array(arena, 2 * actions, sizeof *s->count);
    s->after = og_arena_array(arena, 2 * actions, sizeof *s->after);
    s->product = og_arena_array(arena, points, sizeof *s->product);
    s->mass = og_arena_array(arena, (p->histories ? 1 : actions + 1) * cells, sizeof *s->mass);
    s->rest = og_arena_array(arena, cells, sizeof *s->rest);
    s->last = og_arena_array(arena, 2 * actions, sizeof *s->last);
    return og_expansion_init(s, actions, 2 * actions, expansion);
}

/* Outcomes of an action: its value after the last label, else both labels. */
static void add_outcomes(const problem *p, const scratch *s, int32_t action,
                         og_expansion *expansion, int32_t *count)
{
    const og_features *f = p->features;
    int32_t cells = f->tables->rule->cell_count;
    bool together = p->together && s->shown.left == 1;
    double chance[2] = {1, 1};
    if (!p->histories && !together) {
        chance[POSITIVE] = og_features_mass(f, &s->mass[(action + 1) * cells]) / s->shown.total;
        chance[NEGATIVE] = 1 - chance[POSITIVE];
    }
    for (int k = 0; k < 2; k++) {
        if (together ? k == 0 : chance[k] > 0) {
            expansion->outcome[(*count)++] = (og_outcome){.probability = chance[k],
                                                          .bound = INFINITY,
                                                          .from = (uint32_t)action,
                                                          .to = (uint32_t)k};
        }
    }
}

/* Lists the actions of the state in the scratch, given by its counts and, for a history, its
 * product. */
static og_status expand_shown(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    const og_features *f = p->features;
    scratch *s = expansion->scratch;
    int32_t outcomes = 0;
    show(p, s);
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t a = 0; s->shown.left > 0 && a < f->action_count; a++) {
        og_action *action = &expansion->action[expansion->action_count++];
        *action = (og_action){
            .weight = (double)f->copies[a], .bound = INFINITY, .outcome_first = outcomes};
        add_outcomes(p, s, a, expansion, &outcomes);
        action->outcome_count = outcomes - action->outcome_first;
        if (!p->histories && s->shown.left == 1) {
            double correct[2], mass[2];
            og_features_ahead(&s->shown, a, correct, mass);
            s->last[2 * a] = p->together ? (correct[0] + correct[1]) / s->shown.total
                                         : correct[NEGATIVE] / mass[NEGATIVE];
            s->last[2 * a + 1] = correct[POSITIVE] / mass[POSITIVE];
        }
    }
    return OG_OK;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const problem *p = self;
    const og_features *f = p->features;
    scratch *s = expansion->scratch;
    int64_t points = og_features_points(f);
    assert(words == key_words(f));
    (void)words;
    read_key(f, key, s->count);
    s->weighed = false;
    if (p->histories) {
        memcpy(s->product, f->tables->prior, (size_t)points * sizeof *s->product);
        for (int32_t at = 0; at < 2 * f->action_count; at++) {
            for (int32_t n = 0; n < s->count[at]; n++) {
                multiply(s->product, &f->tables->chance[at % 2][at / 2 * points], points);
            }
        }
    }
    return expand_shown(self, expansion);
}

static og_status expand_after(const void *self, const og_expansion *expansion,
                              const og_outcome *outcome, og_expansion *after)
{
    const problem *p = self;
    const og_features *f = p->features;
    const scratch *from = expansion->scratch;
    scratch *to = after->scratch;
    int64_t points = og_features_points(f);
    const double *chance = &f->tables->chance[outcome->to][(int64_t)outcome->from * points];
    assert(p->histories);
    memcpy(to->count, from->count, 2 * (size_t)f->action_count);
    to->count[2 * outcome->from + outcome->to]++;
    for (int64_t i = 0; i < points; i++) {
        to->product[i] = from->product[i] * chance[i];
    }
    return expand_shown(self, after);
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const problem *p = self;
    const og_features *f = p->features;
    const scratch *s = expansion->scratch;
    if (s->shown.left == 1 && p->histories) {
        weigh_history(f, s, (int32_t)outcome->from, outcome->to);
        *value = og_features_correct(f, s->mass);
        return 0;
    }
    if (s->shown.left == 1) {
        *value = s->last[2 * outcome->from + outcome->to];
        return 0;
    }
    uint8_t *count = &s->count[2 * outcome->from + outcome->to];
    ++*count;
    write_key(f, s->count, key);
    --*count;
    return key_words(f);
}

static int32_t root(const void *self, const og_expansion *expansion, og_belief *belief,
                    uint64_t *key, double *value)
{
    const problem *p = self;
    const og_features *f = p->features;
    scratch *s = expansion->scratch;
    (void)belief; /* instances are never renamed */
    memset(s->count, 0, 2 * (size_t)f->action_count);
    s->weighed = false;
    if (p->histories) {
        memcpy(s->product, f->tables->prior, (size_t)og_features_points(f) * sizeof *s->product);
    }
    if (f->budget > 0) {
        write_key(f, s->count, key);
        return key_words(f);
    }
    *value = f->tables->prior_value;
    if (p->histories) {
        weigh_history(f, s, -1, 0);
        *value = og_features_correct(f, s->mass);
    }
    return 0;
}

/* The problem whose labels so far include these has the same points, and the mass as its evidence:
 * its errors are proved in the same way, and grow as the evidence falls. */
static void place(const void *self, const og_expansion *expansion, const og_counts *at,
                  og_state_value *out)
{
    const problem *p = self;
    const og_features *f = p->features;
    scratch *s = expansion->scratch;
    assert(!p->histories);
    memset(s->count, 0, 2 * (size_t)f->action_count);
    for (int32_t i = 0; i < f->instance_count; i++) {
        uint8_t *count = &s->count[2 * f->action_of[i]];
        count[NEGATIVE] = (uint8_t)(count[NEGATIVE] + at->negative[i]);
        count[POSITIVE] = (uint8_t)(count[POSITIVE] + at->positive[i]);
    }
    s->weighed = false;
    show(p, s);
    assert(s->shown.left == at->left);
    *out = (og_state_value){.mass = 1,
                            .prior = og_features_correct(f, s->mass) / s->shown.total,
                            .error =
                                2 * f->tables->value_error * f->tables->evidence / s->shown.total};
}

static og_act act(const void *self, const og_expansion *expansion, const og_action *action)
{
    (void)self;
    return (og_act){{expansion->outcome[action->outcome_first].from, 0, 0}};
}

static int32_t answer(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                      og_act *act)
{
    const problem *p = self;
    const scratch *s = expansion->scratch;
    *act = (og_act){{outcome->from, 0, 0}};
    return s->shown.left == 1 && p->together ? OG_ANSWER_SEVERAL : (int32_t)outcome->to;
}

static const void *state(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    show(p, s);
    if (outcome != NULL) {
        memcpy(s->after, s->count, 2 * (size_t)p->features->action_count);
        s->after[2 * outcome->from + outcome->to]++;
        s->shown_after = (og_features_state){
            .features = p->features, .left = s->shown.left - 1, .count = s->after};
    }
    return outcome != NULL ? &s->shown_after : &s->shown;
}

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    const og_features *f = ((const problem *)self)->features;
    (void)words;
    *left = f->budget;
    for (int32_t at = 0; at < 2 * f->action_count; at++) {
        *left -= (uint8_t)(key[at / COUNTS_IN_WORD] >> 8 * (at % COUNTS_IN_WORD + 1));
    }
    return *left;
}

/* The rule's error is proved for any value; the quotient adds one rounding. */
static double error_of(const void *self, double value, bool of_q)
{
    const problem *p = self;
    double error = p->features->tables->value_error;
    bool whole = p->histories || p->features->budget == 0;
    return of_q ? 2 * error : whole ? error : error + value * 0x1p-53;
}

og_status og_features_model(const og_features *features, const og_value_asked *question,
                            og_model *out)
{
    const og_features_tables *t = features->tables;
    size_t actions = (size_t)features->action_count;
    problem *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    assert(t != NULL);
    p->features = features;
    p->histories = question->by != NULL && question->by->belief_bytes > 0;
    p->together = !p->histories && (question->reductions & OG_REDUCE_MERGE) != 0;
    *out = (og_model){
        .self = p,
        .depth_max = features->budget + 1,
        .outcomes_max = 2,
        .key_words_max = key_words(features),
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .prior = t->prior_value,
        .prior_error = t->value_error,
        .scale = p->histories ? t->evidence : 0,
        .bytes = t->bytes,
        .expansion_bytes = (uint64_t)og_features_points(features) * sizeof(double) + actions * 9,
        .acts_max = features->action_count,
        .decision_count = features->action_count,
        .error = error_of,
        .root = root,
        .expand_root = expand_shown,
        .place = p->histories ? NULL : place,
        .act = act,
        .answer = answer,
        .state = state,
        .score = p->histories ? score : NULL,
        .expand_after = p->histories ? expand_after : NULL,
        .stage = p->histories ? NULL : stage,
        .free = og_arena_free,
    };
    return OG_OK;
}
