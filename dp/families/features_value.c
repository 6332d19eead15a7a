/*
 * Values over the counts of labels: the model that the engine runs on. A state is the number of
 * negative and of positive labels of every action since the root; what is worth anything are the
 * calls after the last label, so all values are those of play to the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/model.h"
#include "dp/engine/valuation.h"
#include "dp/families/features.h"
#include "dp/families/features_tables.h"

enum {
    COUNTS_IN_WORD = 7, /* a byte each; the eighth is MARK, so that no word is 0 */
    MARK = 1,
    WATCH_STATES = 16, /* each takes up to milliseconds */
    NEGATIVE = 0,
    POSITIVE = 1,
};

/* Keys of instances up to OG_FEATURES_INSTANCES_MAX are short enough. */
_Static_assert(2 * OG_FEATURES_INSTANCES_MAX / COUNTS_IN_WORD + 1 <= OG_KEY_WORDS_MAX, "keys");

typedef struct {
    const og_features *features;
    og_features_play play;
    og_ties ties;
} game;

/* One state laid open. */
typedef struct {
    uint8_t *count;  /* [action_count * 2] */
    double *product; /* [OG_FEATURES_CHUNK] weights times likelihoods */
    double *mass;    /* [(action_count + 1) * cell_count] of the state; after a positive label */
    double *rest;    /* [cell_count] after a negative one */
    double *last;    /* [action_count] expected correct calls after one more label */
    double *index;   /* [action_count] */
    bool *pick;      /* [action_count] */
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

/* Returns how many labels there are. */
static int32_t read_key(const og_features *f, const uint64_t *key, uint8_t *count)
{
    int32_t labels = 0;
    for (int32_t at = 0; at < 2 * f->action_count; at++) {
        count[at] = (uint8_t)(key[at / COUNTS_IN_WORD] >> 8 * (at % COUNTS_IN_WORD + 1));
        labels += count[at];
    }
    return labels;
}

/* ---- what a state is worth ---- */

/* Masses of all cells, as they are and after a positive label of each action. */
static void weigh(const og_features *f, scratch *s)
{
    const og_features_tables *t = f->tables;
    int32_t cells = t->rule->cell_count;
    int64_t points = og_features_points(f);
    memset(s->mass, 0, (size_t)(f->action_count + 1) * (size_t)cells * sizeof *s->mass);
    for (int32_t c = 0; c < cells; c++) {
        int64_t end = t->rule->cell_first[c + 1];
        for (int64_t i = t->rule->cell_first[c]; i < end; i += OG_FEATURES_CHUNK) {
            int64_t size = end - i < OG_FEATURES_CHUNK ? end - i : OG_FEATURES_CHUNK;
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
}

/* Calls after one more label of the action: times the mass, of either outcome. */
static void correct_after(const og_features *f, scratch *s, int32_t action, double *correct)
{
    int32_t cells = f->tables->rule->cell_count;
    const double *positive = &s->mass[(action + 1) * cells];
    for (int32_t c = 0; c < cells; c++) {
        s->rest[c] = fmax(s->mass[c] - positive[c], 0);
    }
    correct[POSITIVE] = og_features_correct(f, positive);
    correct[NEGATIVE] = og_features_correct(f, s->rest);
}

/* Fill `last`, and the index of a play that has one. */
static void look_ahead(const game *g, scratch *s, double total)
{
    const og_features *f = g->features;
    int32_t cells = f->tables->rule->cell_count;
    for (int32_t a = 0; a < f->action_count; a++) {
        double correct[2];
        correct_after(f, s, a, correct);
        s->last[a] = (correct[0] + correct[1]) / total;
        s->index[a] = s->last[a];
        if (g->play == OG_FEATURES_OPT_KG) {
            double positive = og_features_mass(f, &s->mass[(a + 1) * cells]);
            double negative = total - positive;
            s->index[a] = fmax(positive > 0 ? correct[POSITIVE] / positive : 0,
                               negative > 0 ? correct[NEGATIVE] / negative : 0);
        }
    }
}

/* Which actions the play could take. */
static void pick_actions(const game *g, scratch *s)
{
    int32_t actions = g->features->action_count;
    if (g->play == OG_FEATURES_OPTIMUM || g->play == OG_FEATURES_UNIFORM) {
        memset(s->pick, true, (size_t)actions * sizeof *s->pick);
        return;
    }
    og_features_tied(s->index, actions, s->pick);
    bool taken = false;
    for (int32_t a = 0; a < actions && g->ties == OG_TIES_FIRST; a++) {
        s->pick[a] = s->pick[a] && !taken;
        taken = taken || s->pick[a];
    }
}

static og_combine combine_of(const game *g)
{
    if (g->play == OG_FEATURES_OPTIMUM) {
        return OG_COMBINE_MAX;
    }
    if (g->play == OG_FEATURES_UNIFORM) {
        return OG_COMBINE_MEAN;
    }
    return g->ties == OG_TIES_BEST    ? OG_COMBINE_MAX
           : g->ties == OG_TIES_WORST ? OG_COMBINE_MIN
                                      : OG_COMBINE_MEAN;
}

/* ---- the model ---- */

static void expansion_free(og_expansion *expansion)
{
    scratch *s = expansion->scratch;
    if (s != NULL) {
        free(s->count);
        free(s->product);
        free(s->mass);
        free(s->rest);
        free(s->last);
        free(s->index);
        free(s->pick);
        free(s);
    }
    free(expansion->action);
    free(expansion->outcome);
    memset(expansion, 0, sizeof *expansion);
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const og_features *f = ((const game *)self)->features;
    size_t actions = (size_t)f->action_count;
    size_t cells = (size_t)f->tables->rule->cell_count;
    memset(expansion, 0, sizeof *expansion);
    scratch *s = calloc(1, sizeof *s);
    expansion->scratch = s;
    expansion->action = calloc(actions, sizeof *expansion->action);
    expansion->outcome = calloc(2 * actions, sizeof *expansion->outcome);
    if (s != NULL) {
        s->count = calloc(2 * actions, sizeof *s->count);
        s->product = calloc(OG_FEATURES_CHUNK, sizeof *s->product);
        s->mass = calloc((actions + 1) * cells, sizeof *s->mass);
        s->rest = calloc(cells, sizeof *s->rest);
        s->last = calloc(actions, sizeof *s->last);
        s->index = calloc(actions, sizeof *s->index);
        s->pick = calloc(actions, sizeof *s->pick);
    }
    if (s == NULL || expansion->action == NULL || expansion->outcome == NULL || s->count == NULL ||
        s->product == NULL || s->mass == NULL || s->rest == NULL || s->last == NULL ||
        s->index == NULL || s->pick == NULL) {
        expansion_free(expansion);
        return OG_NO_MEMORY;
    }
    return OG_OK;
}

/* Outcomes of an action: what it comes to after the last label, else both labels. */
static void add_outcomes(const game *g, const scratch *s, int32_t action, bool last, double total,
                         og_expansion *expansion, int32_t *count)
{
    const og_features *f = g->features;
    int32_t cells = f->tables->rule->cell_count;
    double positive = og_features_mass(f, &s->mass[(action + 1) * cells]) / total;
    double chance[2] = {1 - positive, positive};
    for (int k = 0; k < 2; k++) {
        if (last ? k == 0 : chance[k] > 0) {
            expansion->outcome[(*count)++] = (og_outcome){.probability = last ? 1 : chance[k],
                                                          .bound = INFINITY,
                                                          .from = (uint32_t)action,
                                                          .to = (uint32_t)k};
        }
    }
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const game *g = self;
    const og_features *f = g->features;
    scratch *s = expansion->scratch;
    (void)words;
    bool last = read_key(f, key, s->count) + 1 == f->budget;
    weigh(f, s);
    double total = og_features_mass(f, s->mass);
    if (last || g->play == OG_FEATURES_KG || g->play == OG_FEATURES_OPT_KG) {
        look_ahead(g, s, total);
    }
    pick_actions(g, s);
    expansion->combine = combine_of(g);
    expansion->action_count = 0;
    int32_t outcomes = 0;
    for (int32_t a = 0; a < f->action_count; a++) {
        if (s->pick[a]) {
            og_action *action = &expansion->action[expansion->action_count++];
            *action = (og_action){
                .weight = (double)f->copies[a], .bound = INFINITY, .outcome_first = outcomes};
            add_outcomes(g, s, a, last, total, expansion, &outcomes);
            action->outcome_count = outcomes - action->outcome_first;
        }
    }
    return OG_OK;
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const game *g = self;
    const og_features *f = g->features;
    scratch *s = expansion->scratch;
    int32_t labels = 0;
    for (int32_t at = 0; at < 2 * f->action_count; at++) {
        labels += s->count[at];
    }
    if (labels + 1 == f->budget) {
        *value = s->last[outcome->from];
        return 0;
    }
    uint8_t *count = &s->count[2 * outcome->from + outcome->to];
    ++*count;
    write_key(f, s->count, key);
    --*count;
    return key_words(f);
}

static og_model model_of(const game *g)
{
    return (og_model){.self = g,
                      .depth_max = g->features->budget + 1,
                      .outcomes_max = 2,
                      .key_words_max = key_words(g->features),
                      .watch_states = WATCH_STATES,
                      .expansion_new = expansion_new,
                      .expansion_free = expansion_free,
                      .expand = expand,
                      .successor = successor};
}

/* ---- values ---- */

og_status og_features_value(const og_features *features, og_features_play play, og_ties ties,
                            const og_settings *settings, og_result *result, og_message *message)
{
    const og_features_tables *t = features->tables;
    if (features->budget == 0) {
        *result = (og_result){.value = t->call, .error_bound = t->value_error};
        return OG_OK;
    }
    game g = {features, play, ties};
    og_model model = model_of(&g);
    uint8_t *count = calloc(2 * (size_t)features->action_count, 1);
    uint64_t *key = calloc((size_t)model.key_words_max, sizeof *key);
    og_status status = OG_NO_MEMORY;
    if (count != NULL && key != NULL) {
        write_key(features, count, key);
        og_model_root root = {.model = &model,
                              .key = key,
                              .words = model.key_words_max,
                              .call_error = t->value_error,
                              .fixed_bytes = t->bytes};
        og_result found;
        status = og_model_value(&root, settings, &found, message);
        if (status == OG_OK) {
            found.gain = found.value - t->call;
        }
        if (status == OG_OK || status == OG_STOPPED) {
            *result = found;
        }
    }
    free(count);
    free(key);
    return status;
}

/* Q of each action from the root's expansion and the values of its successors. */
static og_status root_q(og_valuation *valuation, const uint64_t *key, double *q,
                        og_message *message)
{
    const og_model *model = &valuation->model;
    const game *g = model->self;
    og_engine_info info = {0, 0};
    og_expansion expansion;
    uint64_t *next = calloc((size_t)model->key_words_max, sizeof *next);
    if (next == NULL || expansion_new(g, &expansion) != OG_OK) {
        free(next);
        return OG_NO_MEMORY;
    }
    og_status status = model->expand(g, key, model->key_words_max, &expansion);
    for (int32_t a = 0; a < expansion.action_count && status == OG_OK; a++) {
        const og_action *action = &expansion.action[a];
        q[a] = -g->features->tables->call;
        for (int32_t k = 0; k < action->outcome_count && status == OG_OK; k++) {
            const og_outcome *outcome = &expansion.outcome[action->outcome_first + k];
            double value = 0;
            int32_t words = model->successor(g, &expansion, outcome, next, &value);
            if (words > 0) {
                status = og_valuation_run(valuation, next, words, &value, &info, message);
            }
            q[a] += outcome->probability * value;
        }
    }
    expansion_free(&expansion);
    free(next);
    return status;
}

og_status og_features_q(const og_features *features, const og_settings *settings, double *q,
                        double *error, og_message *message)
{
    game g = {features, OG_FEATURES_OPTIMUM, OG_TIES_RANDOM};
    og_model model = model_of(&g);
    og_settings own = *settings;
    own.checkpoint = NULL;
    og_valuation valuation;
    og_status status =
        og_valuation_init(&valuation, &model, &own, features->tables->bytes, message);
    if (status != OG_OK) {
        return status;
    }
    size_t actions = (size_t)features->action_count;
    uint8_t *count = calloc(2 * actions, 1);
    uint64_t *key = calloc((size_t)model.key_words_max, sizeof *key);
    double *found = calloc(actions, sizeof *found);
    status = OG_NO_MEMORY;
    if (count != NULL && key != NULL && found != NULL) {
        write_key(features, count, key);
        status = root_q(&valuation, key, found, message);
    }
    if (status == OG_OK) {
        memcpy(q, found, actions * sizeof *found);
        *error = 2 * features->tables->value_error;
    }
    free(count);
    free(key);
    free(found);
    og_valuation_clear(&valuation);
    return status;
}

og_status og_features_picks(const og_features *features, og_features_play play, bool *pick)
{
    game g = {features, play, OG_TIES_RANDOM};
    og_expansion expansion;
    og_status status = expansion_new(&g, &expansion);
    if (status == OG_OK) {
        scratch *s = expansion.scratch;
        weigh(features, s);
        look_ahead(&g, s, og_features_mass(features, s->mass));
        pick_actions(&g, s);
        memcpy(pick, s->pick, (size_t)features->action_count * sizeof *pick);
        expansion_free(&expansion);
    }
    return status;
}
