/*
 * Keys: a word with the labels still to order, then one word (item + 1, copies) for each pair. An
 * item is a class of layer m + w and its labels under way w, numbered class * width + w. Pairs are
 * sorted by item and merged, or in the order of instances, one for each. The numbers determine
 * whether a label is seen or ordered next: labels are seen when a batch is complete.
 */
#include "dp/families/delayed_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "dp/families/delayed_pairs.h"
#include "dp/product/layers.h"

typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    int32_t budget;
    int32_t batch;  /* 1 .. max(budget, 1) */
    uint32_t width; /* batch + 1: numbers of labels under way */
    og_delayed_rules rules;
    bool drop;
    bool named; /* a class is one node, its member */
    og_layers *layers;
    double **gain;  /* [budget + 1] D of the items of layer m + w; w < batch and below the layer's
                     * number */
    double **index; /* [batches] by global nodes, of the policy; NULL: the optimum */
    uint64_t bytes;
} problem;

/* ---- items ---- */

static uint32_t under_way(const problem *p, uint32_t item)
{
    return item % p->width;
}

static uint32_t class_of(const problem *p, uint32_t item)
{
    return item / p->width;
}

static const og_layer *layer_of(const problem *p, uint32_t item, int32_t left)
{
    return &p->layers->layer[left + (int32_t)under_way(p, item)];
}

/* Number of labels of the current batch already ordered, when `left` are still to be ordered. */
static int32_t ordered_of_batch(const problem *p, int32_t left)
{
    return (p->budget - left) % p->batch;
}

static bool any_under_way(const problem *p, const og_delayed_pair *pairs, int32_t count)
{
    bool any = false;
    for (int32_t i = 0; i < count && !any; i++) {
        any = under_way(p, pairs[i].item) > 0;
    }
    return any;
}

/* True if a label is seen next. */
static bool is_seen(const problem *p, int32_t left, const og_delayed_pair *pairs, int32_t count)
{
    return ordered_of_batch(p, left) == 0 && any_under_way(p, pairs, count);
}

/* The canonical key of the state with these pairs, which are overwritten; 0 words if nothing can be
 * gained any more. */
static int32_t write_key(const problem *p, int32_t left, og_delayed_pair *pairs, int32_t count,
                         uint64_t *key)
{
    int32_t words = 1;
    if (left == 0) {
        return 0;
    }
    if (!p->rules.ordered) {
        og_delayed_pairs_sort(pairs, count);
    }
    for (int32_t i = 0; i < count; i++) {
        og_delayed_pair now = pairs[i];
        while (!p->rules.ordered && i + 1 < count && pairs[i + 1].item == now.item) {
            now.copies += pairs[++i].copies;
        }
        if (p->rules.cap && under_way(p, now.item) == 0 && now.copies > (uint32_t)left) {
            now.copies = (uint32_t)left;
        }
        if (now.copies > 0 && !(p->drop && class_of(p, now.item) == 0)) {
            key[words++] = og_delayed_word_of(now);
        }
    }
    key[0] = (uint64_t)left;
    return words > 1 ? words : 0;
}

static void show_root(const problem *p, og_delayed_scratch *s)
{
    const og_arms *arms = p->arms;
    s->left = p->budget;
    s->chance = false;
    s->count = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        og_delayed_pair root = {p->layers->root_class[arms->arm_of_group[g]] * p->width, 1};
        if (!p->rules.ordered) {
            root.copies = (uint32_t)arms->group_size[g];
            s->pairs[s->count++] = root;
        }
        for (int64_t i = 0; p->rules.ordered && i < arms->group_size[g]; i++) {
            s->pairs[s->count++] = root;
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
    return write_key(p, s->left, s->after, s->count, key);
}

/* An order moves all other instances a layer down; a label that is seen moves only its instance. */
static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    bool order = !s->chance;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        og_delayed_pair now = s->pairs[i];
        if ((uint32_t)i == outcome->from) {
            s->after[count++] = (og_delayed_pair){outcome->to, 1};
            now.copies--;
        }
        if (order && now.copies > 0) {
            uint32_t down = layer_of(p, now.item, s->left)->down[class_of(p, now.item)];
            now.item = down * p->width + under_way(p, now.item);
        }
        if (now.copies > 0) {
            s->after[count++] = now;
        }
    }
    s->after_count = count;
    s->after_left = s->left - order;
    int32_t words = write_key(p, s->after_left, s->after, count, key);
    if (words == 0) {
        *value = 0;
    }
    return words;
}

/* ---- expansion ---- */

/* The label that is seen belongs to the last pair with any under way. */
static void expand_chances(const problem *p, const og_delayed_scratch *s, og_expansion *expansion)
{
    int32_t i = s->count - 1, count = 0;
    while (under_way(p, s->pairs[i].item) == 0) {
        i--;
    }
    uint32_t item = s->pairs[i].item, class = class_of(p, item);
    const og_layer *layer = layer_of(p, item, s->left);
    for (uint32_t k = layer->outcome_first[class]; k < layer->outcome_first[class + 1]; k++) {
        expansion->outcome[count++] =
            (og_outcome){.probability = layer->probability[k],
                         .bound = INFINITY,
                         .from = (uint32_t)i,
                         .to = layer->next[k] * p->width + under_way(p, item) - 1};
    }
    expansion->combine = OG_COMBINE_MEAN;
    expansion->action_count = 1;
    expansion->action[0] =
        (og_action){.weight = 1, .bound = INFINITY, .outcome_first = 0, .outcome_count = count};
}

/* Orders a label for an instance of pair i, which stays in its class, with one more under way. */
static void add_action(const problem *p, const og_delayed_scratch *s, int32_t i,
                       og_expansion *expansion)
{
    uint32_t item = s->pairs[i].item;
    int32_t layer = s->left + (int32_t)under_way(p, item);
    int32_t count = expansion->action_count++;
    expansion->outcome[count] =
        (og_outcome){.probability = 1, .bound = INFINITY, .from = (uint32_t)i, .to = item + 1};
    expansion->action[count] = (og_action){.reward = p->gain[layer][item],
                                           .weight = s->pairs[i].copies,
                                           .bound = INFINITY,
                                           .outcome_first = count,
                                           .outcome_count = 1};
}

/* The policy's index of an item; items with fewer labels under way come first. */
static double index_of(const problem *p, const og_delayed_scratch *s, uint32_t item, uint32_t least)
{
    int32_t gone = ordered_of_batch(p, s->left);
    const og_layer *layer = layer_of(p, item, s->left);
    const double *index = p->index[(p->budget - s->left - gone) / p->batch];
    return under_way(p, item) > least ? -INFINITY : index[layer->member[class_of(p, item)]];
}

static void expand_policy(const problem *p, const og_delayed_scratch *s, og_expansion *expansion)
{
    uint32_t least = UINT32_MAX;
    double most = -INFINITY;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t now = under_way(p, s->pairs[i].item);
        least = now < least ? now : least;
    }
    for (int32_t i = 0; i < s->count; i++) {
        most = fmax(most, index_of(p, s, s->pairs[i].item, least));
    }
    bool one = p->rules.ties == OG_TIES_FIRST;
    for (int32_t i = 0; i < s->count && !(one && expansion->action_count == 1); i++) {
        uint32_t item = s->pairs[i].item;
        if (under_way(p, item) == least && index_of(p, s, item, least) == most) {
            add_action(p, s, i, expansion);
        }
    }
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    s->left = (int32_t)key[0];
    s->count = words - 1;
    for (int32_t i = 0; i < s->count; i++) {
        s->pairs[i] = og_delayed_pair_of(key[i + 1]);
    }
    s->chance = is_seen(p, s->left, s->pairs, s->count);
    expansion->action_count = 0;
    expansion->combine = og_delayed_combine(&p->rules);
    if (s->chance) {
        expand_chances(p, s, expansion);
    } else if (!p->rules.optimum) {
        expand_policy(p, s, expansion);
    } else {
        for (int32_t i = 0; i < s->count; i++) {
            add_action(p, s, i, expansion);
        }
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
        for (int32_t g = 0; p->arms->arm_of_group[g] != a; g++) {
            i += p->rules.ordered ? (int32_t)p->arms->group_size[g] : 1;
        }
        add_action(p, s, i, expansion);
    }
    return OG_OK;
}

/* ---- states for policies and readers ---- */

static og_delayed_instance instance_of(const problem *p, uint32_t item, int32_t left)
{
    uint32_t node = layer_of(p, item, left)->member[class_of(p, item)];
    int32_t arm = og_arms_arm_of(p->arms, node);
    return (og_delayed_instance){arm, node - p->arms->node_offset[arm],
                                 (int32_t)under_way(p, item)};
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
    og_delayed_instance of = instance_of(p, s->pairs[from].item, s->left);
    return og_delayed_act(&of);
}

/* If classes are not merged. */
static int32_t answer(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                      og_act *act)
{
    const problem *p = self;
    const og_delayed_scratch *s = expansion->scratch;
    if (!s->chance) {
        *act = (og_act){{0, 0, 0}};
        return OG_ANSWER_NONE;
    }
    og_delayed_instance of = instance_of(p, s->pairs[outcome->from].item, s->left);
    og_delayed_instance after = instance_of(p, outcome->to, s->left);
    *act = og_delayed_act(&of);
    return og_delayed_answer(p->arms, &of, &after);
}

static const void *state(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    const problem *p = self;
    og_delayed_scratch *s = expansion->scratch;
    const og_delayed_pair *pairs = outcome == NULL ? s->pairs : s->after;
    int32_t left = outcome == NULL ? s->left : s->after_left;
    int32_t all = outcome == NULL ? s->count : s->after_count;
    int32_t count = p->named && left > 0 ? all : 0;
    for (int32_t i = 0; i < count; i++) {
        s->item[i] = (og_delayed_item){instance_of(p, pairs[i].item, left), pairs[i].copies};
    }
    s->shown = (og_delayed_state){left + (left > 0 ? ordered_of_batch(p, left) : 0),
                                  !is_seen(p, left, pairs, all), count, s->item};
    return &s->shown;
}

/* An order reduces the labels to order and adds one under way; a label that is seen is no longer
 * under way. */
static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    const problem *p = self;
    int32_t labels = 0;
    *left = (int32_t)key[0];
    for (int32_t i = 1; i < words; i++) {
        const og_delayed_pair now = og_delayed_pair_of(key[i]);
        labels += (int32_t)(now.copies * under_way(p, now.item));
    }
    return 2 * *left + labels;
}

/* ---- scratch ---- */

static int32_t outcomes_max(const problem *p)
{
    return p->rules.pairs_max + 1 + p->layers->outcome_max;
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    return og_delayed_expansion_new(p->rules.pairs_max, outcomes_max(p), expansion);
}

/*
 * Along a path, an order and a label that is seen for each label of the budget:
 * - a stored probability of a class has an error of p_error and a rounding for each outcome added
 *   up; the mean over outcomes takes two more for each;
 * - an order takes 2 roundings, its mean over ties 3 more and one for each of them;
 * - D is the sum of at most `batch` such means of rewards.
 */
static double relative_error(const problem *p)
{
    const double u = 0x1p-53;
    double p_error = 0, r_error = 0, outcomes = 0;
    for (int32_t a = 0; a < p->arms->arm_count; a++) {
        const og_arm *arm = p->arms->arm[a];
        p_error = fmax(p_error, arm->probability_error);
        r_error = fmax(r_error, arm->reward_error);
        outcomes = fmax(outcomes, arm->outcome_count);
    }
    double seen = p_error + u * (3 * outcomes + 2);
    double order = u * (5 + p->rules.pairs_max);
    return 1.02 * (p->budget * (seen + order) + p->batch * seen + r_error); /* 1.02: second order */
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
    og_layers_free(p->layers);
    og_arena_free(p);
}

static og_status out_of_limit(uint64_t memory_bytes, og_message *message)
{
    return og_message_set(message, OG_NO_MEMORY,
                          "the gains of labels under way need more than the limit of %llu MB",
                          (unsigned long long)(memory_bytes >> 20));
}

/* D of every item, layer by layer. */
static og_status make_gains(problem *p, uint64_t memory_bytes, og_message *message)
{
    p->bytes = p->layers->bytes;
    p->gain = og_arena_array(&p->arena, (size_t)p->budget + 1, sizeof *p->gain);
    OG_TRY(og_arena_status(&p->arena));
    for (int32_t l = 1; l <= p->budget; l++) {
        const og_layer *layer = &p->layers->layer[l];
        size_t items = (size_t)layer->class_count * p->width;
        p->bytes += items * sizeof(double);
        if (items >= UINT32_MAX || p->bytes > memory_bytes) {
            return out_of_limit(memory_bytes, message);
        }
        double *gain = p->gain[l] = og_arena_array(&p->arena, items, sizeof *gain);
        OG_TRY(og_arena_status(&p->arena));
        for (uint32_t c = 0; c < layer->class_count; c++) {
            gain[c * p->width] = layer->reward[c];
            for (uint32_t w = 1; w < p->width && w < (uint32_t)l; w++) {
                double sum = 0;
                for (uint32_t k = layer->outcome_first[c]; k < layer->outcome_first[c + 1]; k++) {
                    sum +=
                        layer->probability[k] * p->gain[l - 1][layer->next[k] * p->width + w - 1];
                }
                gain[c * p->width + w] = sum;
            }
        }
    }
    return OG_OK;
}

/* The policy's index of the nodes of an arm when a batch begins. */
static og_status ask(const og_strategy *by, void *room, const og_arm *arm, int32_t a, int32_t left,
                     og_act_open *open, double *index, og_message *message)
{
    const og_delayed_state now = {.left = left, .arrival = true};
    uint32_t nodes = arm->level[arm->depth - left + 1];
    og_answer kind = OG_ANSWER_INDEX;
    for (uint32_t x = 0; x < nodes; x++) {
        open[x] = (og_act_open){{{(uint32_t)a, x, 0}}, 1};
    }
    const og_strategy_view view = {room, &now, NULL, open, (int32_t)nodes};
    OG_TRY(by->choose(by->self, &view, index, &kind, message));
    if (kind != OG_ANSWER_INDEX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "labels in batches (--batch) support only index policies");
    }
    for (uint32_t x = 0; x < nodes; x++) {
        if (isnan(index[x])) {
            return og_message_set(message, OG_FAILED, "the policy's index is not a number (NaN)");
        }
    }
    return OG_OK;
}

static og_status make_index(problem *p, const og_strategy *by, uint64_t memory_bytes,
                            og_message *message)
{
    const og_arms *arms = p->arms;
    size_t batches = ((size_t)p->budget + (size_t)p->batch - 1) / (size_t)p->batch;
    size_t nodes = arms->node_offset[arms->arm_count];
    p->bytes += batches * nodes * sizeof(double);
    if (p->bytes > memory_bytes) {
        return out_of_limit(memory_bytes, message);
    }
    p->index = og_arena_array(&p->arena, batches + 1, sizeof *p->index);
    og_act_open *open = og_arena_array(&p->arena, nodes + 1, sizeof *open);
    void *room = og_arena_array(&p->arena, by->scratch_bytes + 1, 1);
    OG_TRY(og_arena_status(&p->arena));
    for (size_t b = 0; b < batches; b++) {
        int32_t left = p->budget - (int32_t)b * p->batch;
        p->index[b] = og_arena_array(&p->arena, nodes, sizeof *p->index[b]);
        OG_TRY(og_arena_status(&p->arena));
        for (int32_t a = 0; a < arms->arm_count; a++) {
            OG_TRY(ask(by, room, arms->arm[a], a, left, open, p->index[b] + arms->node_offset[a],
                       message));
        }
    }
    return OG_OK;
}

/* Policies and readers identify an instance by its node: then no classes are merged. */
static og_status make_layers(problem *p, uint64_t memory_bytes, og_stop *stop, og_message *message)
{
    og_ranks *alike = NULL;
    og_status status = p->named ? og_ranks_new_uniform(p->arms, &alike) : OG_OK;
    OG_THEN(status, og_layers_new(p->arms,
                                  &(og_layers_use){.ranks = alike,
                                                   .merge = !p->named,
                                                   .memory_bytes = memory_bytes,
                                                   .stop = stop},
                                  &p->layers, message));
    og_ranks_free(alike);
    return status;
}

static og_status fill(problem *p, const og_arms *arms, int32_t batch, const og_question *question,
                      uint64_t memory_bytes, og_message *message)
{
    p->arms = arms;
    p->budget = arms->budget;
    p->batch = batch < p->budget ? batch : p->budget > 0 ? p->budget : 1;
    p->width = (uint32_t)p->batch + 1;
    /* Instances that have never had a label are in the class of an arm's node 0. */
    OG_TRY(og_delayed_rules_init(arms, question, arms->group_count, &p->rules, message));
    p->named = !p->rules.optimum || (question->reductions & OG_REDUCE_MERGE) == 0;
    p->drop = !p->named;
    OG_TRY(make_layers(p, memory_bytes, question->stop, message));
    OG_TRY(make_gains(p, memory_bytes, message));
    return p->rules.optimum ? OG_OK : make_index(p, question->by, memory_bytes, message);
}

og_status og_batch_model(const og_arms *arms, int32_t batch, const og_question *question,
                         uint64_t memory_bytes, og_model *out, og_message *message)
{
    if (batch < 1) {
        return og_message_set(message, OG_BAD_INPUT, "a batch must have at least one label");
    }
    problem *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    og_status status = fill(p, arms, batch, question, memory_bytes, message);
    if (status != OG_OK) {
        free_problem(p);
        return status;
    }
    *out = (og_model){
        .self = p,
        .depth_max = 2 * arms->budget + 2, /* every label is ordered and seen */
        .outcomes_max = outcomes_max(p),
        .key_words_max = p->rules.pairs_max + 1,
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .gains = true,
        .bytes = p->bytes + og_arms_bytes(arms),
        .acts_max = p->rules.pairs_max + 1,
        .decided = true,
        .error = error_of,
        .root = root,
        .expand_root = expand_root,
        .act = act,
        .answer = p->named ? answer : NULL,
        .state = state,
        .stage = stage,
        .free = free_problem,
    };
    out->prior = og_arms_prior_value(arms, &out->prior_error);
    return OG_OK;
}
