/*
 * Keys: a word (workers to come, kind), then one word (class + 1, copies) for each pair. Pairs are
 * sorted by class and merged, or in the order of instances, one for each.
 */
#include "dp/families/delayed.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/families/delayed_pairs.h"

typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    double arrival_rate, service_rate;
    og_delayed_rules rules;
    bool drop;
    bool named; /* a class is the set of instances with one posterior and one number at work */
    og_delayed_layers *layers;
} problem;

#define ARRIVAL UINT32_MAX /* og_outcome.from */

og_status og_delay_check(const og_delay *delay, og_message *message)
{
    double arrival = og_fraction_double(delay->arrival_rate);
    double service = og_fraction_double(delay->service_rate);
    if (!(arrival >= OG_RATE_MIN && arrival <= OG_RATE_MAX)) {
        return og_message_set(message, OG_BAD_INPUT, "the arrival rate must lie between %g and %g",
                              OG_RATE_MIN, OG_RATE_MAX);
    }
    if (!(service >= OG_RATE_MIN && service <= OG_RATE_MAX)) {
        return og_message_set(message, OG_BAD_INPUT, "the service rate must lie between %g and %g",
                              OG_RATE_MIN, OG_RATE_MAX);
    }
    return OG_OK;
}

/* ---- keys ---- */

/*
 * The canonical key of the state with these pairs, which are overwritten; 0 words if nothing can be
 * gained. A state between events without a worker at work only waits for the arrival.
 */
static int32_t write_key(const problem *p, int32_t left, bool chance, og_delayed_pair *pairs,
                         int32_t count, uint64_t *key)
{
    const og_delayed_layer *layer = &p->layers->layer[left];
    if (left == 0) {
        return 0;
    }
    if (!p->rules.ordered) {
        og_delayed_pairs_sort(pairs, count);
    }
    bool alive = false, moves = false;
    int32_t words = 1;
    for (int32_t i = 0; i < count; i++) {
        og_delayed_pair now = pairs[i];
        while (!p->rules.ordered && i + 1 < count && pairs[i + 1].item == now.item) {
            now.copies += pairs[++i].copies;
        }
        bool still = layer->row[now.item].rate_total == 0;
        if (p->rules.cap && still && now.copies > (uint32_t)left) {
            now.copies = (uint32_t)left;
        }
        alive = alive || layer->row[now.item].alive;
        if (now.copies == 0 || (p->drop && now.item == 0)) {
            continue;
        }
        moves = moves || !still;
        key[words++] = og_delayed_word_of(now);
    }
    if (!alive) {
        return 0;
    }
    key[0] = (uint64_t)left << 1 | (uint64_t)(moves && chance);
    return words;
}

/* The state at the first arrival: instances of one arm as one pair, or each separately. */
static void show_root(const problem *p, og_delayed_scratch *s)
{
    const og_arms *arms = p->arms;
    s->left = p->layers->workers;
    s->chance = false;
    s->count = p->rules.ordered ? 0 : arms->arm_count;
    for (int32_t a = 0; a < s->count; a++) {
        s->pairs[a] = (og_delayed_pair){p->layers->root[a], 0};
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        int32_t a = arms->arm_of_group[g];
        for (int64_t i = 0; p->rules.ordered && i < arms->group_size[g]; i++) {
            s->pairs[s->count++] = (og_delayed_pair){p->layers->root[a], 1};
        }
        if (!p->rules.ordered) {
            s->pairs[a].copies += (uint32_t)arms->group_size[g];
        }
    }
}

static int32_t root(const void *self, const og_expansion *expansion, og_belief *belief,
                    uint64_t *key, double *value)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    (void)belief;
    show_root(p, s);
    memcpy(s->after, s->pairs, (size_t)s->count * sizeof *s->pairs);
    *value = 0;
    return write_key(p, s->left, false, s->after, s->count, key);
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    const og_delayed_layer *layer = &p->layers->layer[s->left];
    bool arrival = !s->chance;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        og_delayed_pair now = s->pairs[i];
        if (arrival) {
            now.item = layer->row[now.item].down;
        }
        if ((uint32_t)i == outcome->from) {
            s->after[count++] = (og_delayed_pair){outcome->to, 1};
            now.copies--;
        }
        if (now.copies > 0) {
            s->after[count++] = now;
        }
    }
    bool chance = outcome->from != ARRIVAL;
    int32_t words = write_key(p, s->left - arrival, chance, s->after, count, key);
    s->after_count = count;
    s->after_left = s->left - arrival;
    s->after_chance = chance;
    if (words == 0) {
        *value = 0;
    }
    return words;
}

/* ---- expansion ---- */

static void expand_chances(const problem *p, const og_delayed_scratch *s, og_expansion *expansion)
{
    const og_delayed_layer *layer = &p->layers->layer[s->left];
    double at_work = 0;
    for (int32_t i = 0; i < s->count; i++) {
        at_work += s->pairs[i].copies * layer->row[s->pairs[i].item].rate_total;
    }
    double q = p->arrival_rate + p->service_rate * at_work;
    int32_t count = 0;
    expansion->outcome[count++] =
        (og_outcome){.probability = p->arrival_rate / q, .bound = INFINITY, .from = ARRIVAL};
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t class = s->pairs[i].item;
        for (uint32_t k = layer->row[class].first; k < layer->row[class].end; k++) {
            expansion->outcome[count++] = (og_outcome){
                .probability = p->service_rate * (s->pairs[i].copies * layer->way[k].rate) / q,
                .bound = INFINITY,
                .from = (uint32_t)i,
                .to = layer->way[k].to};
        }
    }
    expansion->combine = OG_COMBINE_MEAN;
    expansion->action_count = 1;
    expansion->action[0] =
        (og_action){.weight = 1, .bound = INFINITY, .outcome_first = 0, .outcome_count = count};
}

static double largest_index(const og_delayed_scratch *s, const og_delayed_layer *layer)
{
    double most = -INFINITY;
    for (int32_t i = 0; i < s->count; i++) {
        most = fmax(most, layer->row[s->pairs[i].item].index);
    }
    return most;
}

/* The worker is given to an instance of pair i. */
static void add_action(const og_delayed_scratch *s, const og_delayed_layer *layer, int32_t i,
                       og_expansion *expansion)
{
    uint32_t class = s->pairs[i].item;
    int32_t count = expansion->action_count++;
    expansion->outcome[count] = (og_outcome){
        .probability = 1, .bound = INFINITY, .from = (uint32_t)i, .to = layer->row[class].given};
    expansion->action[count] = (og_action){.reward = layer->row[class].reward,
                                           .weight = s->pairs[i].copies,
                                           .bound = INFINITY,
                                           .outcome_first = count,
                                           .outcome_count = 1};
}

static void expand_actions(const problem *p, const og_delayed_scratch *s, og_expansion *expansion)
{
    const og_delayed_layer *layer = &p->layers->layer[s->left];
    double most = p->rules.optimum ? 0 : largest_index(s, layer);
    bool one = !p->rules.optimum && p->rules.ties == OG_TIES_FIRST;
    expansion->combine = og_delayed_combine(&p->rules);
    expansion->action_count = 0;
    for (int32_t i = 0; i < s->count && !(one && expansion->action_count == 1); i++) {
        if (p->rules.optimum || layer->row[s->pairs[i].item].index == most) {
            add_action(s, layer, i, expansion);
        }
    }
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    s->left = (int32_t)(key[0] >> 1);
    s->chance = (key[0] & 1) != 0;
    s->count = words - 1;
    for (int32_t i = 0; i < s->count; i++) {
        s->pairs[i] = og_delayed_pair_of(key[i + 1]);
    }
    if (s->chance) {
        expand_chances(p, s, expansion);
    } else {
        expand_actions(p, s, expansion);
    }
    return OG_OK;
}

/* An action for each arm, in their order. */
static og_status expand_root(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    show_root(p, s);
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t a = 0; s->left > 0 && a < p->arms->arm_count; a++) {
        int32_t i = 0;
        for (int32_t g = 0; p->rules.ordered && p->arms->arm_of_group[g] != a; g++) {
            i += (int32_t)p->arms->group_size[g];
        }
        add_action(s, &p->layers->layer[s->left], p->rules.ordered ? i : a, expansion);
    }
    return OG_OK;
}

static og_delayed_instance instance_of(const problem *p, const og_delayed_pair *some, int32_t left)
{
    return og_delayed_instance_of(p->layers, p->arms, some->item, left);
}

/* If classes are merged, for the actions of expand_root: later a class has no name. */
static og_act act(const void *self, const og_expansion *expansion, const og_action *action)
{
    const problem *p = self;
    const og_delayed_scratch *s = expansion->scratch;
    if (!p->named || s->chance) {
        return (og_act){{(uint32_t)(action - expansion->action), 0, 0}};
    }
    uint32_t from = expansion->outcome[action->outcome_first].from;
    og_delayed_instance of = instance_of(p, &s->pairs[from], s->left);
    return og_delayed_act(&of);
}

/* If classes are not merged. */
static int32_t answer(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                      og_act *act)
{
    const problem *p = self;
    const og_delayed_scratch *s = expansion->scratch;
    if (!s->chance || outcome->from == ARRIVAL) {
        *act = (og_act){{outcome->from == ARRIVAL ? (uint32_t)OG_DELAYED_NOBODY : 0, 0, 0}};
        return OG_ANSWER_NONE;
    }
    og_delayed_instance of = instance_of(p, &s->pairs[outcome->from], s->left);
    const og_delayed_pair then = {outcome->to, 1};
    og_delayed_instance after = instance_of(p, &then, s->left);
    *act = og_delayed_act(&of);
    return og_delayed_answer(p->arms, &of, &after);
}

static const void *state(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    const og_delayed_pair *pairs = outcome == NULL ? s->pairs : s->after;
    int32_t left = outcome == NULL ? s->left : s->after_left;
    bool chance = outcome == NULL ? s->chance : s->after_chance;
    int32_t count = !p->named || left == 0 ? 0 : outcome == NULL ? s->count : s->after_count;
    for (int32_t i = 0; i < count; i++) {
        s->item[i] = (og_delayed_item){instance_of(p, &pairs[i], left), pairs[i].copies};
    }
    s->shown = (og_delayed_state){left, !chance, count, s->item};
    return &s->shown;
}

/* An end reduces it by one, an arrival too, and a placement by at least one. */
static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    const problem *p = self;
    int32_t at_work = 0;
    *left = (int32_t)(key[0] >> 1);
    for (int32_t i = 1; i < words; i++) {
        const og_delayed_pair now = og_delayed_pair_of(key[i]);
        at_work += (int32_t)now.copies * instance_of(p, &now, *left).at_work;
    }
    return 4 * *left + at_work + (int32_t)(key[0] & 1);
}

static int32_t outcomes_max(const problem *p)
{
    return 1 + p->rules.pairs_max * p->layers->outcome_max;
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    return og_delayed_expansion_new(p->rules.pairs_max, outcomes_max(p), expansion);
}

/*
 * Along a path of the process, U arrivals, U ends and U placements:
 * - a stored rate w p differs from the exact one by p_error + 2u with the sum over outcomes, rho
 *   and mu each by u: this has the effect of an error of twice 2 (p_error + 4u) in each event's
 *   probability;
 * - computing q, a probability and a term of the sum takes at most n + 8 roundings for n outcomes;
 * - a placement takes 2, its mean over ties 3 more and one for each of them;
 * - the error of D is given in dp/families/delayed_layers.c.
 */
static double relative_error(const problem *p)
{
    const double u = 0x1p-53;
    double workers = p->layers->workers;
    double p_error = 0, r_error = 0;
    for (int32_t a = 0; a < p->arms->arm_count; a++) {
        p_error = fmax(p_error, p->arms->arm[a]->probability_error);
        r_error = fmax(r_error, p->arms->arm[a]->reward_error);
    }
    double outcomes = outcomes_max(p);
    double event = 2 * (p_error + 4 * u) + u * (2 * outcomes + 10);
    double placement = u * (5 + p->rules.pairs_max);
    double reward = workers * (p_error + 2 * u) + r_error;
    return 1.02 * (workers * (2 * event + placement) + reward); /* 1.02: second order */
}

static double error_of(const void *self, double value, bool of_q)
{
    (void)of_q;
    return 1.01 * value * relative_error(self);
}

/* ---- the whole ---- */

static void free_problem(void *self)
{
    problem *p = self;
    og_delayed_layers_free(p->layers);
    og_arena_free(p);
}

static og_status fill(problem *p, const og_arms *arms, const og_delay *delay,
                      const og_question *question, uint64_t memory_bytes, og_message *message)
{
    bool merge = (question->reductions & OG_REDUCE_MERGE) != 0;
    const og_delayed_layers_use classes = {
        .by = question->by, .merge = merge, .memory_bytes = memory_bytes, .stop = question->stop};
    p->arms = arms;
    p->arrival_rate = og_fraction_double(delay->arrival_rate);
    p->service_rate = og_fraction_double(delay->service_rate);
    /* Instances that have never had a worker are in the class of an arm's node 0. */
    OG_TRY(og_delayed_rules_init(arms, question, arms->arm_count, &p->rules, message));
    p->named = !merge;
    p->drop = p->rules.optimum && merge;
    return og_delayed_layers_new(arms, &classes, &p->layers, message);
}

og_status og_delayed_model(const og_arms *arms, const og_delay *delay, const og_question *question,
                           uint64_t memory_bytes, og_model *out, og_message *message)
{
    assert(delay->most == NULL);
    OG_TRY(og_delay_check(delay, message));
    problem *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    og_status status = fill(p, arms, delay, question, memory_bytes, message);
    if (status != OG_OK) {
        free_problem(p);
        return status;
    }
    *out = (og_model){
        .self = p,
        .depth_max = 3 * arms->budget + 2, /* every worker arrives, is placed and ends */
        .outcomes_max = outcomes_max(p),
        .key_words_max = p->rules.pairs_max + 1,
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .gains = true,
        .bytes = p->layers->bytes + og_arms_bytes(arms),
        .acts_max = p->rules.pairs_max + 1,
        .decided = true,
        .error = error_of,
        .root = root,
        .expand_root = expand_root,
        .act = act,
        .answer = p->named ? answer : NULL,
        .state = state,
        .stage = p->named ? stage : NULL,
        .free = free_problem,
    };
    out->prior = og_arms_prior_value(arms, &out->prior_error);
    return OG_OK;
}
