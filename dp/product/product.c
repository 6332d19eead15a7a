/*
 * States of independent instances: keys, successors, and the reductions that belong to the product.
 *
 * Invariant: a key written here is normal: classes ascending (or runs in order), equal neighbours
 * joined, nothing dropped or capped that should not be, no zero words at the end. Two states of one
 * value class have one key.
 */
#include "dp/product/product.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/product/key_code.h"
#include "dp/product/key_size.h"
#include "dp/product/solve.h"
#include "dp/product/two.h"

/* ---- what one expansion keeps ---- */

typedef struct {
    og_arena arena; /* of all that an expansion points to */
    int32_t left;
    int32_t count; /* pairs of the state */
    int32_t below_count;
    og_pair *pair;        /* [pairs_max] the state */
    og_pair *below;       /* [pairs_max] one label later, normal but for caps */
    int32_t *below_of;    /* [pairs_max] where pair i went in `below`, -1 if it is dropped */
    og_pair *mixed;       /* [pairs_max + 2] a successor in the making */
    int32_t *pick_pair;   /* [actions_max] ordered states: the pair an action labels ... */
    int64_t *pick_offset; /* ... and how many copies of the run stand before that instance */
    int32_t *sum;         /* [OG_PRICE_COUNT] charges and worths of `below`, all prices */
    /* Policies with a chooser: */
    og_state_group *group; /* [pairs_max] */
    double *answer;        /* [pairs_max] */
    int32_t *group_of;     /* [pairs_max] the group of each pair */
} scratch;

static void product_expansion_free(og_expansion *x)
{
    og_arena_free(x->scratch);
    memset(x, 0, sizeof *x);
}

static og_status product_expansion_new(const void *self, og_expansion *x)
{
    const og_product *p = self;
    size_t pairs = (size_t)p->pairs_max;
    size_t actions = (size_t)p->actions_max;
    size_t outcomes = actions * (size_t)p->layers->outcome_max;
    size_t groups = p->chosen_by != NULL ? pairs : 0;
    memset(x, 0, sizeof *x);
    scratch *s = og_arena_new(sizeof *s);
    if (s == NULL) {
        return OG_NO_MEMORY;
    }
    og_arena *arena = &s->arena;
    x->scratch = s;
    x->action = og_arena_array(arena, actions, sizeof *x->action);
    x->outcome = og_arena_array(arena, outcomes, sizeof *x->outcome);
    s->pair = og_arena_array(arena, pairs, sizeof *s->pair);
    s->below = og_arena_array(arena, pairs, sizeof *s->below);
    s->below_of = og_arena_array(arena, pairs, sizeof *s->below_of);
    s->mixed = og_arena_array(arena, pairs + 2, sizeof *s->mixed);
    s->pick_pair = og_arena_array(arena, actions, sizeof *s->pick_pair);
    s->pick_offset = og_arena_array(arena, actions, sizeof *s->pick_offset);
    s->sum = og_arena_aligned(arena, 64, OG_PRICE_COUNT, sizeof *s->sum);
    s->group = og_arena_array(arena, groups, sizeof *s->group);
    s->answer = og_arena_array(arena, groups, sizeof *s->answer);
    s->group_of = og_arena_array(arena, groups, sizeof *s->group_of);
    og_status status = og_arena_status(arena);
    if (status != OG_OK) {
        product_expansion_free(x);
    }
    return status;
}

/* ---- keys ---- */

/* How many of `copies` matter with `left` labels left. */
static int64_t capped(const og_product *p, const og_layer *layer, int32_t left, og_pair pair)
{
    if (!p->cap) {
        return pair.copies;
    }
    int64_t most = left;
    if (p->optimum) { /* reduction 3; dead classes that are kept have no cap of their own */
        int32_t first_live = layer->first_live[pair.class];
        most = first_live > 0 ? left - first_live + 1 : left;
    }
    return pair.copies < most ? pair.copies : most;
}

/* Write a sequence of pairs, ascending where states are multisets. Returns 0 words if nothing is
 * left. */
static int32_t write_key(const og_product *p, int32_t left, const og_pair *pair, int32_t count,
                         uint64_t *key)
{
    const og_layer *layer = &p->layers->layer[left];
    int32_t order = p->order[left];
    og_key_writer w = {key, 0, 0, 0};
    og_key_put(&w, (uint64_t)left, p->left_bits);
    uint32_t previous = 0;
    int32_t written = 0;
    for (int32_t i = 0; i < count; i++) {
        if (pair[i].copies == 0) {
            continue;
        }
        uint32_t gap = pair[i].class - previous;
        og_key_put_code(&w, gap - (previous > 0 || p->drop ? 1u : 0u), order);
        if (pair[i].copies == 1) {
            og_key_put(&w, 1, 1); /* the code of 0, and by far the most frequent */
        } else {
            og_key_put_code(&w, (uint64_t)capped(p, layer, left, pair[i]) - 1, 0);
        }
        previous = p->ordered ? 0 : pair[i].class;
        written++;
    }
    return written == 0 ? 0 : og_key_end(&w);
}

static void read_key(const og_product *p, const uint64_t *key, int32_t words, scratch *s)
{
    og_key_reader r = {key, 0, (int64_t)words << 6};
    s->left = (int32_t)og_key_get(&r, p->left_bits);
    int32_t order = p->order[s->left];
    uint32_t previous = 0;
    uint64_t gap;
    uint64_t copies;
    s->count = 0;
    while (og_key_get_code(&r, order, &gap) && og_key_get_code(&r, 0, &copies)) {
        og_pair *pair = &s->pair[s->count++];
        pair->class = previous + (uint32_t)gap + (previous > 0 || p->drop ? 1u : 0u);
        pair->copies = (int64_t)copies + 1;
        previous = p->ordered ? 0 : pair->class;
    }
}

/* Add copies of a class to an ascending list; returns its place. */
static int32_t insert_pair(og_pair *pair, int32_t *count, uint32_t class, int64_t copies)
{
    int32_t at = *count;
    while (at > 0 && pair[at - 1].class >= class) {
        at--;
    }
    if (at < *count && pair[at].class == class) {
        pair[at].copies += copies;
        return at;
    }
    memmove(&pair[at + 1], &pair[at], (size_t)(*count - at) * sizeof *pair);
    pair[at].class = class;
    pair[at].copies = copies;
    (*count)++;
    return at;
}

/* The state with one label fewer: what becomes of the instances that are not labelled. */
static void move_down(const og_product *p, scratch *s)
{
    const og_layer *layer = &p->layers->layer[s->left];
    s->below_count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t down = layer->down[s->pair[i].class];
        if (p->drop && down == 0) {
            continue;
        }
        insert_pair(s->below, &s->below_count, down, s->pair[i].copies);
    }
    for (int32_t i = 0; i < s->count; i++) { /* places are final only now */
        uint32_t down = layer->down[s->pair[i].class];
        s->below_of[i] = -1;
        for (int32_t j = 0; j < s->below_count; j++) {
            if (s->below[j].class == down) {
                s->below_of[i] = j;
                break;
            }
        }
    }
}

/* ---- successors ---- */

static int32_t successor_sorted(const og_product *p, const scratch *s, const og_outcome *outcome,
                                uint64_t *key)
{
    int32_t gone = s->below_of[outcome->from];
    int32_t count = 0;
    bool placed = p->drop && outcome->to == 0;
    for (int32_t j = 0; j < s->below_count; j++) {
        og_pair pair = s->below[j];
        pair.copies -= j == gone;
        if (!placed && outcome->to <= pair.class) {
            placed = true;
            if (outcome->to == pair.class) {
                pair.copies++;
            } else {
                s->mixed[count++] = (og_pair){outcome->to, 1};
            }
        }
        if (pair.copies > 0) {
            s->mixed[count++] = pair;
        }
    }
    if (!placed) {
        s->mixed[count++] = (og_pair){outcome->to, 1};
    }
    return write_key(p, s->left - 1, s->mixed, count, key);
}

static void append_run(const og_product *p, og_pair *run, int32_t *count, uint32_t class,
                       int64_t copies)
{
    if (copies == 0 || (p->drop && class == 0)) {
        return;
    }
    if (*count > 0 && run[*count - 1].class == class) {
        run[*count - 1].copies += copies;
    } else {
        run[(*count)++] = (og_pair){class, copies};
    }
}

static int32_t successor_ordered(const og_product *p, const scratch *s, const og_outcome *outcome,
                                 uint64_t *key)
{
    const og_layer *layer = &p->layers->layer[s->left];
    int32_t pick = s->pick_pair[outcome->from];
    int64_t before = s->pick_offset[outcome->from];
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t down = layer->down[s->pair[i].class];
        if (i == pick) {
            append_run(p, s->mixed, &count, down, before);
            append_run(p, s->mixed, &count, outcome->to, 1);
            append_run(p, s->mixed, &count, down, s->pair[i].copies - before - 1);
        } else {
            append_run(p, s->mixed, &count, down, s->pair[i].copies);
        }
    }
    return write_key(p, s->left - 1, s->mixed, count, key);
}

/* The optimum with one label left after this one: the largest reward, without a key. */
static double last_label(const og_product *p, const scratch *s, const og_outcome *outcome)
{
    const og_layer *last = &p->layers->layer[1];
    double best = last->reward[outcome->to];
    int32_t gone = s->below_of[outcome->from];
    for (int32_t j = 0; j < s->below_count; j++) {
        if ((j != gone || s->below[j].copies > 1) && last->reward[s->below[j].class] > best) {
            best = last->reward[s->below[j].class];
        }
    }
    return best;
}

static int32_t product_successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                                 uint64_t *key, double *value)
{
    const og_product *p = self;
    const scratch *s = x->scratch;
    *value = 0;
    if (s->left == 1) {
        return 0;
    }
    if (p->ordered) {
        return successor_ordered(p, s, outcome, key);
    }
    if (p->optimum && s->left == 2 && !p->exact) {
        *value = last_label(p, s, outcome);
        return 0;
    }
    return successor_sorted(p, s, outcome, key);
}

/* ---- actions ---- */

/* Append the action of labelling one instance of the class; `from` is the outcome's way back. */
static og_action *add_action(const og_layer *layer, og_expansion *x, uint32_t class, uint32_t from)
{
    int32_t first = x->action_count == 0 ? 0
                                         : x->action[x->action_count - 1].outcome_first +
                                               x->action[x->action_count - 1].outcome_count;
    og_action *action = &x->action[x->action_count++];
    action->reward = layer->reward[class];
    action->weight = 1;
    action->bound = INFINITY;
    action->outcome_first = first;
    action->outcome_count =
        (int32_t)(layer->outcome_first[class + 1] - layer->outcome_first[class]);
    for (int32_t k = 0; k < action->outcome_count; k++) {
        uint32_t at = layer->outcome_first[class] + (uint32_t)k;
        x->outcome[first + k] =
            (og_outcome){layer->probability[at], INFINITY, from, layer->next[at]};
    }
    return action;
}

/*
 * Reduction 4: a pair whose reward is at least what any other instance could ever pay once this
 * label is given. Returns its place, or -1. Another copy of the same class counts as another
 * instance.
 */
static int32_t forced_pair(const og_layer *layer, const scratch *s)
{
    const double *reward_of = layer->reward_name != NULL ? layer->reward_name : layer->reward;
    const double *reach_of = layer->reach_name != NULL ? layer->reach_name : layer->reach;
    double first = -1;
    double second = -1; /* largest and second largest reach, copies counted */
    for (int32_t i = 0; i < s->count; i++) {
        double reach = reach_of[s->pair[i].class];
        if (reach > first) {
            second = s->pair[i].copies > 1 ? reach : first;
            first = reach;
        } else if (reach > second) {
            second = reach;
        }
    }
    for (int32_t i = 0; i < s->count; i++) {
        double reward = reward_of[s->pair[i].class];
        if (reward >= second) {
            double reach = reach_of[s->pair[i].class];
            bool alone_on_top = reach == first && second < first;
            if (alone_on_top || reward >= first) {
                return i;
            }
        }
    }
    return -1;
}

/* Does x force its label, every near node in reach of the state being worth no more? */
static bool two_force(const og_product *p, const scratch *s, int32_t at)
{
    const double *reward = p->layers->layer[s->left].reward;
    const og_two_class *x = &p->two->layer[s->left][s->pair[at].class];
    double lambda = x->gain / (1 + x->chance);
    int64_t good = 0;
    bool bad = false;
    for (int32_t i = 0; i < s->count; i++) {
        double waiting = reward[s->pair[i].class];
        good += waiting > 0 && waiting >= lambda ? s->pair[i].copies : 0;
        bad = bad || (waiting > 0 && waiting < lambda);
    }
    return s->left - good >= 2 || (s->left - good == 1 && !bad);
}

/* OG_REDUCE_TWO (dp/product/two.h): the pair that is forced, -1 if none is. */
static int32_t two_pair(const og_product *p, const scratch *s)
{
    const og_two_class *class = p->two->layer[s->left];
    double target = 0, gain = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const og_two_class *c = &class[s->pair[i].class];
        if (!c->fits) {
            return -1;
        }
        target = c->target_reach > target ? c->target_reach : target;
        gain = c->gain_reach > gain ? c->gain_reach : gain;
    }
    for (int32_t i = 0; i < s->count; i++) {
        const og_two_class *c = &class[s->pair[i].class];
        if (c->chance > 0 && s->pair[i].copies > 1 && c->target >= target && c->gain >= gain &&
            two_force(p, s, i)) {
            return i;
        }
    }
    return -1;
}

/*
 * Upper bounds of all actions and outcomes. The worths of the state after the label are summed once
 * for every price; an outcome takes one instance out and puts one in.
 */
OG_VECTOR_CLONES static void bound_actions(const og_product *p, scratch *s, og_expansion *x)
{
    const int32_t *worth = p->prices->worth[s->left - 1];
    double per_unit = 1 / p->prices->scale;
    memcpy(s->sum, &p->prices->charge[(size_t)(s->left - 1) * OG_PRICE_COUNT],
           OG_PRICE_COUNT * sizeof *s->sum);
    for (int32_t j = 0; j < s->below_count; j++) {
        og_prices_add(s->sum, &worth[(size_t)s->below[j].class * OG_PRICE_COUNT],
                      (int32_t)s->below[j].copies);
    }
    for (int32_t a = 0; a < x->action_count; a++) {
        og_action *action = &x->action[a];
        action->bound = action->reward;
        for (int32_t k = 0; k < action->outcome_count; k++) {
            og_outcome *outcome = &x->outcome[action->outcome_first + k];
            int32_t gone = s->below_of[outcome->from];
            uint32_t gone_class = gone < 0 ? 0 : s->below[gone].class;
            outcome->bound =
                per_unit * og_prices_least(s->sum, &worth[(size_t)gone_class * OG_PRICE_COUNT],
                                           &worth[(size_t)outcome->to * OG_PRICE_COUNT]);
            action->bound += outcome->probability * outcome->bound;
        }
    }
}

/* Most promising first: the largest bound, which is the only thing known of an action. */
static void sort_actions(og_expansion *x)
{
    for (int32_t i = 1; i < x->action_count; i++) {
        og_action action = x->action[i];
        int32_t j = i;
        while (j > 0 && x->action[j - 1].bound < action.bound) {
            x->action[j] = x->action[j - 1];
            j--;
        }
        x->action[j] = action;
    }
}

static void expand_optimum(const og_product *p, scratch *s, og_expansion *x)
{
    const og_layer *layer = &p->layers->layer[s->left];
    x->combine = OG_COMBINE_MAX;
    int32_t forced = p->force ? forced_pair(layer, s) : -1;
    if (forced < 0 && p->two != NULL && s->left >= 2) {
        forced = two_pair(p, s);
    }
    move_down(p, s);
    if (forced >= 0) {
        add_action(layer, x, s->pair[forced].class, (uint32_t)forced);
        return;
    }
    for (int32_t i = 0; i < s->count; i++) {
        add_action(layer, x, s->pair[i].class, (uint32_t)i);
    }
    if (p->prices != NULL) {
        bound_actions(p, s, x);
        sort_actions(x);
    }
}

/* Reduction 1 switched off: one action for every instance, copies included. */
static void expand_optimum_ordered(const og_product *p, scratch *s, og_expansion *x)
{
    const og_layer *layer = &p->layers->layer[s->left];
    x->combine = OG_COMBINE_MAX;
    for (int32_t i = 0; i < s->count; i++) {
        for (int64_t c = 0; c < s->pair[i].copies; c++) {
            s->pick_pair[x->action_count] = i;
            s->pick_offset[x->action_count] = c;
            add_action(layer, x, s->pair[i].class, (uint32_t)x->action_count);
        }
    }
}

static uint32_t top_rank(const og_layer *layer, const scratch *s)
{
    uint32_t top = 0;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t rank = layer->rank[s->pair[i].class];
        top = rank > top ? rank : top;
    }
    return top;
}

/* The action of a policy that picks the pair, its first instance where order matters. */
static og_action *add_pick(const og_product *p, scratch *s, og_expansion *x, int32_t pair)
{
    s->pick_pair[x->action_count] = pair;
    s->pick_offset[x->action_count] = 0;
    uint32_t from = p->ordered ? (uint32_t)x->action_count : (uint32_t)pair;
    return add_action(&p->layers->layer[s->left], x, s->pair[pair].class, from);
}

static const og_combine combine_of[OG_TIES_COUNT] = {
    [OG_TIES_RANDOM] = OG_COMBINE_MEAN,
    [OG_TIES_FIRST] = OG_COMBINE_MAX,
    [OG_TIES_BEST] = OG_COMBINE_MAX,
    [OG_TIES_WORST] = OG_COMBINE_MIN,
};

static void expand_ranks(const og_product *p, scratch *s, og_expansion *x)
{
    const og_layer *layer = &p->layers->layer[s->left];
    uint32_t top = top_rank(layer, s);
    x->combine = combine_of[p->ties];
    for (int32_t i = 0; i < s->count; i++) {
        if (layer->rank[s->pair[i].class] != top) {
            continue;
        }
        add_pick(p, s, x, i)->weight = (double)s->pair[i].copies;
        if (p->ties == OG_TIES_FIRST) {
            return;
        }
    }
}

/* The instances as a policy sees them: one group for each class. */
static og_state state_of(const og_product *p, scratch *s)
{
    const og_layer *layer = &p->layers->layer[s->left];
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        int32_t same = p->ordered ? 0 : i;
        while (s->pair[same].class != s->pair[i].class) {
            same++;
        }
        if (same < i) { /* runs of one class are one group */
            s->group_of[i] = s->group_of[same];
            s->group[s->group_of[i]].copies += s->pair[i].copies;
            continue;
        }
        uint32_t member = layer->member[s->pair[i].class];
        int32_t arm = og_arms_arm_of(p->arms, member);
        s->group[count] =
            (og_state_group){arm, member - p->arms->node_offset[arm], s->pair[i].copies};
        s->group_of[i] = count++;
    }
    return (og_state){s->left, p->budget, count, s->group};
}

static og_status expand_chosen(const og_product *p, scratch *s, og_expansion *x)
{
    og_answer kind;
    og_state state = state_of(p, s);
    OG_TRY(og_ranks_ask(p->chosen_by, &state, s->answer, &kind));
    double top = -INFINITY;
    for (int32_t i = 0; i < state.count; i++) {
        top = fmax(top, s->answer[i]);
    }
    bool drawn = kind == OG_ANSWER_WEIGHTS;
    x->combine = drawn ? OG_COMBINE_MEAN : combine_of[p->ties];
    for (int32_t i = 0; i < s->count; i++) {
        double *answer = &s->answer[s->group_of[i]];
        if (drawn ? *answer == 0 : *answer != top) {
            continue;
        }
        add_pick(p, s, x, i)->weight = drawn ? *answer : (double)s->pair[i].copies;
        if (drawn) {
            *answer = 0; /* the first instance of the group stands for all */
        } else if (p->ties == OG_TIES_FIRST) {
            break;
        }
    }
    return OG_OK;
}

static og_status expand_policy(const og_product *p, scratch *s, og_expansion *x)
{
    if (!p->ordered) {
        move_down(p, s);
    }
    if (p->chosen_by != NULL) {
        return expand_chosen(p, s, x);
    }
    expand_ranks(p, s, x);
    return OG_OK;
}

static og_status product_expand(const void *self, const uint64_t *key, int32_t words,
                                og_expansion *x)
{
    const og_product *p = self;
    scratch *s = x->scratch;
    read_key(p, key, words, s);
    assert(s->left >= 1 && s->left <= p->budget && s->count >= 1 && s->count <= p->pairs_max);
    x->action_count = 0;
    if (!p->optimum) {
        return expand_policy(p, s, x);
    }
    if (p->ordered) {
        expand_optimum_ordered(p, s, x);
    } else {
        expand_optimum(p, s, x);
    }
    return OG_OK;
}

/* ---- set-up ---- */

/*
 * The order of the class code of each layer: about log2 of the mean gap between the classes of a
 * state, which is where Exp-Golomb codes are shortest.
 */
static void choose_orders(og_product *p, int64_t instances, int32_t groups)
{
    for (int32_t left = 0; left <= p->budget; left++) {
        double classes = p->layers->layer[left].class_count;
        double moved = (double)groups + p->budget - left;
        double pairs = moved < (double)instances ? moved : (double)instances;
        double gap = p->ordered ? classes : classes / (pairs + 1);
        p->order[left] = gap > 2 ? (int32_t)floor(log2(gap * 0.7)) : 0;
    }
}

/*
 * A skipped action's computed value must lie below the computed best. Values of at most `gain_max`
 * carry a relative error of at most depth * (outcomes + 4) roundings each side, the bounds' doubles
 * less.
 */
static double margin_of(const og_arms *arms, const og_layers *layers, int64_t instances)
{
    double roundings = ((double)arms->budget + 4) * (2.0 * layers->outcome_max + 8);
    double gain_max = (double)instances + arms->budget;
    double margin = 4 * roundings * 0x1p-52 * gain_max;
    return margin > 1e-10 ? margin : 1e-10;
}

og_status og_product_init(og_product *product, const og_arms *arms, const og_layers *layers,
                          const og_prices *prices, const og_product_use *use, og_message *message)
{
    og_product p = {.budget = arms->budget,
                    .layers = layers,
                    .prices = prices,
                    .optimum = use->optimum,
                    .exact = use->exact,
                    .ties = use->ties,
                    .arms = arms};
    p.chosen_by = use->ranks != NULL && use->ranks->chooser_lock != NULL ? use->ranks : NULL;
    bool merged = (use->reductions & OG_REDUCE_MERGE) != 0;
    p.ordered = og_product_is_ordered(use);
    p.drop = use->optimum && merged;
    p.cap = use->optimum ? (use->reductions & OG_REDUCE_CAP) != 0 && !p.ordered
                         : use->ties != OG_TIES_RANDOM && p.chosen_by == NULL;
    p.force = use->optimum && (use->reductions & OG_REDUCE_FORCE) != 0 && !p.ordered;
    if (p.ordered) {
        p.prices = NULL;
    }
    int64_t instances = og_arms_instances(arms);
    int64_t classes = 0;
    for (int32_t left = 0; left <= arms->budget; left++) {
        int64_t count = layers->layer[left].class_count;
        classes = count > classes ? count : classes;
    }
    og_key_size size;
    OG_TRY(og_key_size_of(arms, use, classes, &size, message));
    p.left_bits = size.left_bits;
    p.instances = instances;
    p.pairs_max = (int32_t)size.pairs + 1;
    p.actions_max = (int32_t)size.actions + 1;
    p.key_words_max = (int32_t)((p.left_bits + size.pairs * size.pair_bits) / 64 + 2);
    p.margin = margin_of(arms, layers, instances);
    p.order = calloc((size_t)arms->budget + 1, sizeof *p.order);
    if (p.order == NULL) {
        return OG_NO_MEMORY;
    }
    choose_orders(&p, instances, arms->group_count);
    bool two = use->optimum && !p.ordered && !p.exact && (use->reductions & OG_REDUCE_TWO) != 0;
    if (two && og_two_new(layers, &p.two) != OG_OK) {
        free(p.order);
        return OG_NO_MEMORY;
    }
    *product = p;
    return OG_OK;
}

void og_product_clear(og_product *product)
{
    free(product->order);
    product->order = NULL;
    og_two_free(product->two);
    product->two = NULL;
}

og_model og_product_model(const og_product *product)
{
    og_model model = {.self = product,
                      .depth_max = product->budget + 1,
                      .outcomes_max = product->layers->outcome_max,
                      .key_words_max = product->key_words_max,
                      .margin = product->margin,
                      .expansion_new = product_expansion_new,
                      .expansion_free = product_expansion_free,
                      .expand = product_expand,
                      .successor = product_successor};
    return model;
}

/* So many pairs leave room for those that `left` more labels make: one each, two where a run is
 * split in three; there are never more than instances. */
static int64_t pairs_most(const og_product *p, int32_t left)
{
    int64_t most = p->pairs_max - 2;
    return most == p->instances ? most : most - (p->ordered ? 2 : 1) * (int64_t)left;
}

og_status og_product_key(const og_product *p, int32_t left, const og_pair *pair, int32_t count,
                         int32_t moved, uint32_t to, uint64_t *key, int32_t *words,
                         og_message *message)
{
    *words = 0;
    assert(left >= 0 && left <= p->budget && moved < count);
    if (left == 0) {
        return OG_OK;
    }
    og_pair *list = calloc((size_t)count + 3, sizeof *list);
    if (list == NULL) {
        return OG_NO_MEMORY;
    }
    int32_t listed = 0;
    for (int32_t i = 0; i < count; i++) {
        int64_t copies = pair[i].copies - (i == moved);
        if (p->ordered) {
            append_run(p, list, &listed, to, i == moved);
            append_run(p, list, &listed, pair[i].class, copies);
        } else if (copies > 0 && !(p->drop && pair[i].class == 0)) {
            insert_pair(list, &listed, pair[i].class, copies);
        }
    }
    if (!p->ordered && moved >= 0 && !(p->drop && to == 0)) {
        insert_pair(list, &listed, to, 1);
    }
    bool fits = listed <= pairs_most(p, left);
    if (fits) {
        *words = write_key(p, left, list, listed, key);
    }
    free(list);
    return fits ? OG_OK
                : og_message_set(message, OG_BAD_INPUT,
                                 "the state has more different instances than play can make");
}

og_status og_state_first(const og_arms *arms, og_state *state)
{
    og_state_group *group = calloc((size_t)arms->group_count + 1, sizeof *group);
    if (group == NULL) {
        return OG_NO_MEMORY;
    }
    for (int32_t g = 0; g < arms->group_count; g++) {
        group[g] = (og_state_group){arms->arm_of_group[g], 0, arms->group_size[g]};
    }
    *state = (og_state){arms->budget, arms->budget, arms->group_count, group};
    return OG_OK;
}

bool og_state_is_first(const og_arms *arms, const og_state *state)
{
    bool first = state->left == arms->budget;
    for (int32_t i = 0; first && i < state->count; i++) {
        first = state->group[i].node == 0;
    }
    return first;
}

void og_product_pairs(const og_product *p, const og_classes *classes, const og_state *state,
                      og_pair *pair, og_pair *down)
{
    const uint32_t *below = p->layers->layer[state->left].down;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        uint32_t class = 0;
        if (state->left > 0) {
            class = classes == NULL ? p->layers->root_class[group->arm]
                                    : og_classes_of(classes, state->left, group->arm, group->node);
        }
        pair[i] = (og_pair){class, group->copies};
        down[i] = (og_pair){below[class], group->copies};
    }
}

int32_t og_product_alike(const og_product *p, const og_pair *pair, int32_t i)
{
    int32_t same = 0;
    while (p->ordered ? same < i : pair[same].class != pair[i].class) {
        same++;
    }
    return same;
}

uint32_t og_product_class(const og_product *p, const og_expansion *x, const og_action *action,
                          int32_t *left)
{
    const scratch *s = x->scratch;
    uint32_t from = x->outcome[action->outcome_first].from;
    *left = s->left;
    return s->pair[p->ordered ? s->pick_pair[from] : (int32_t)from].class;
}

int32_t og_product_left(const og_product *p, const uint64_t *key)
{
    return (int32_t)(key[0] >> (64 - p->left_bits));
}
