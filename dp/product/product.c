/*
 * States of independent instances: their successors and the reductions for products.
 * dp/product/product_key.c writes and reads the keys.
 */
#include "dp/product/product.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/vector.h"
#include "dp/product/key_size.h"
#include "dp/product/product_key.h"
#include "dp/product/two_copies.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- working memory of one expansion ---- */

typedef struct {
    og_arena arena; /* of all that an expansion points to */
    int32_t left;
    int32_t count; /* pairs of the state */
    og_pair *pair; /* [pairs_max] the state */
    /* One list for each cost of an action, in the order of costs. An outcome's `from` is the place
     * of its cost * pairs_max + its pair, so that it points into below_of: */
    int32_t *below_count; /* [cost_count] */
    og_pair *below;       /* [pairs_max] the state so many labels later, normal but for caps */
    int32_t *below_of;    /* [pairs_max] place of pair i in `below`, -1 if it is dropped */
    int32_t *sum;         /* [OG_PRICE_COUNT] charges and worths of `below`, for all prices */
    og_pair *mixed;       /* [pairs_max + 2] a successor while it is built */
    int32_t *pick_pair;   /* [actions_max] ordered states: the pair an action labels ... */
    int64_t *pick_offset; /* ... and number of copies of the run before that instance */
    uint32_t *action_of;  /* several: [actions_max * outcome_max] by an action's first outcome */
    /* Policies with a chooser: */
    og_state_group *group; /* [pairs_max] */
    double *answer;        /* [pairs_max + 1] */
    int32_t *group_of;     /* [pairs_max] the group of each pair */
} scratch;

static og_status product_expansion_new(const void *self, og_expansion *x)
{
    const og_product *p = self;
    size_t pairs = (size_t)p->pairs_max;
    size_t actions = (size_t)p->actions_max;
    size_t outcomes = actions * (size_t)p->layers->outcome_max;
    size_t groups = p->chosen_by != NULL ? pairs + 1 : 0;
    size_t costs = (size_t)p->layers->cost_count;
    memset(x, 0, sizeof *x);
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_arena *arena = &s->arena;
    x->scratch = s;
    x->action = og_arena_array(arena, actions, sizeof *x->action);
    x->outcome = og_arena_array(arena, outcomes, sizeof *x->outcome);
    s->pair = og_arena_array(arena, pairs, sizeof *s->pair);
    s->below_count = og_arena_array(arena, costs, sizeof *s->below_count);
    s->below = og_arena_array(arena, costs * pairs, sizeof *s->below);
    s->below_of = og_arena_array(arena, costs * pairs, sizeof *s->below_of);
    s->mixed = og_arena_array(arena, pairs + 2, sizeof *s->mixed);
    s->pick_pair = og_arena_array(arena, actions, sizeof *s->pick_pair);
    s->pick_offset = og_arena_array(arena, actions, sizeof *s->pick_offset);
    s->sum = og_arena_aligned(arena, 64, costs * OG_PRICE_COUNT, sizeof *s->sum);
    s->action_of = og_arena_array(arena, p->several ? outcomes : 0, sizeof *s->action_of);
    s->group = og_arena_array(arena, groups, sizeof *s->group);
    s->answer = og_arena_array(arena, groups, sizeof *s->answer);
    s->group_of = og_arena_array(arena, groups, sizeof *s->group_of);
    og_status status = og_arena_status(arena);
    if (status != OG_OK) {
        og_expansion_free(x);
    }
    return status;
}

/*
 * `several` of the product is an argument, so that the compiler makes each function twice and the
 * usual case costs nothing. Returns the place of an outcome's cost; the next function returns the
 * cost in a place.
 */
ALWAYS_INLINE int32_t place_of(const og_product *p, bool several, const og_outcome *outcome)
{
    return several ? (int32_t)outcome->from / p->pairs_max : 0;
}

ALWAYS_INLINE int32_t cost_at(const og_product *p, bool several, int32_t place)
{
    return several ? p->layers->cost[place] : 1;
}

ALWAYS_INLINE uint32_t class_below(const og_product *p, const scratch *s, int32_t i, int32_t cost)
{
    uint32_t down = p->layers->layer[s->left].down[s->pair[i].class];
    return cost == 1 ? down : og_layers_down(p->layers, s->left - 1, down, cost - 1);
}

/* The state with so many fewer labels left: new classes of the instances that are not labelled. */
ALWAYS_INLINE void move_down(const og_product *p, bool several, scratch *s, int32_t place)
{
    int32_t cost = cost_at(p, several, place);
    og_pair *below = &s->below[place * p->pairs_max];
    int32_t *below_of = &s->below_of[place * p->pairs_max];
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t down = class_below(p, s, i, cost);
        if (p->drop && down == 0) {
            continue;
        }
        og_product_insert(below, &count, down, s->pair[i].copies);
    }
    for (int32_t i = 0; i < s->count; i++) { /* places are final only now */
        uint32_t down = class_below(p, s, i, cost);
        below_of[i] = -1;
        for (int32_t j = 0; j < count; j++) {
            if (below[j].class == down) {
                below_of[i] = j;
                break;
            }
        }
    }
    s->below_count[place] = count;
}

/* The same for every affordable cost. */
ALWAYS_INLINE void move_all_down(const og_product *p, bool several, scratch *s)
{
    for (int32_t place = 0; place < (several ? p->layers->cost_count : 1); place++) {
        if (cost_at(p, several, place) <= s->left) {
            move_down(p, several, s, place);
        }
    }
}

/* ---- successors ---- */

ALWAYS_INLINE int32_t successor_sorted(const og_product *p, bool several, const scratch *s,
                                       const og_outcome *outcome, uint64_t *key)
{
    int32_t place = place_of(p, several, outcome);
    const og_pair *below = &s->below[place * p->pairs_max];
    int32_t gone = s->below_of[outcome->from];
    int32_t count = 0;
    bool placed = p->drop && outcome->to == 0;
    for (int32_t j = 0; j < s->below_count[place]; j++) {
        og_pair pair = below[j];
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
    return og_product_write_key(p, s->left - cost_at(p, several, place), s->mixed, count, key);
}

/* Ordered states: `from` is the place of the cost * actions_max + the action. */
static int32_t ordered_cost(const og_product *p, const og_outcome *outcome)
{
    return p->several ? p->layers->cost[(int32_t)outcome->from / p->actions_max] : 1;
}

static int32_t successor_ordered(const og_product *p, const scratch *s, const og_outcome *outcome,
                                 uint64_t *key)
{
    int32_t cost = ordered_cost(p, outcome);
    int32_t at = (int32_t)outcome->from;
    at = p->several ? at % p->actions_max : at;
    int32_t pick = s->pick_pair[at];
    int64_t before = s->pick_offset[at];
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        uint32_t down = class_below(p, s, i, cost);
        if (i == pick) {
            og_product_append(p, s->mixed, &count, down, before);
            og_product_append(p, s->mixed, &count, outcome->to, 1);
            og_product_append(p, s->mixed, &count, down, s->pair[i].copies - before - 1);
        } else {
            og_product_append(p, s->mixed, &count, down, s->pair[i].copies);
        }
    }
    return og_product_write_key(p, s->left - cost, s->mixed, count, key);
}

/* The optimum with one more label left after this one: the largest reward, without a key. */
ALWAYS_INLINE double last_label(const og_product *p, bool several, const scratch *s,
                                const og_outcome *outcome)
{
    const og_layer *last = &p->layers->layer[1];
    int32_t place = place_of(p, several, outcome);
    const og_pair *below = &s->below[place * p->pairs_max];
    double best = last->reward[outcome->to];
    int32_t gone = s->below_of[outcome->from];
    for (int32_t j = 0; j < s->below_count[place]; j++) {
        if ((j != gone || below[j].copies > 1) && last->reward[below[j].class] > best) {
            best = last->reward[below[j].class];
        }
    }
    return best;
}

ALWAYS_INLINE int32_t successor_of(const og_product *p, bool several, const scratch *s,
                                   const og_outcome *outcome, uint64_t *key, double *value)
{
    int32_t cost = !several     ? 1
                   : p->ordered ? ordered_cost(p, outcome)
                                : cost_at(p, several, place_of(p, several, outcome));
    *value = 0;
    if (s->left == cost) {
        return 0;
    }
    if (p->ordered) {
        return successor_ordered(p, s, outcome, key);
    }
    if (p->optimum && s->left == cost + 1 && p->names == NULL) {
        *value = last_label(p, several, s, outcome);
        return 0;
    }
    return successor_sorted(p, several, s, outcome, key);
}

static int32_t product_successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                                 uint64_t *key, double *value)
{
    return successor_of(self, false, x->scratch, outcome, key, value);
}

static int32_t successor_of_several(const void *self, const og_expansion *x,
                                    const og_outcome *outcome, uint64_t *key, double *value)
{
    return successor_of(self, true, x->scratch, outcome, key, value);
}

/* ---- actions ---- */

/* Appends an action of the layer; `from` identifies the pair of its outcomes. */
static og_action *add_action(const og_layer *layer, const double *reward, og_expansion *x,
                             uint32_t number, uint32_t from)
{
    int32_t first = x->action_count == 0 ? 0
                                         : x->action[x->action_count - 1].outcome_first +
                                               x->action[x->action_count - 1].outcome_count;
    og_action *action = &x->action[x->action_count++];
    action->reward = reward[number];
    action->weight = 1;
    action->bound = INFINITY;
    action->outcome_first = first;
    action->outcome_count =
        (int32_t)(layer->outcome_first[number + 1] - layer->outcome_first[number]);
    for (int32_t k = 0; k < action->outcome_count; k++) {
        uint32_t at = layer->outcome_first[number] + (uint32_t)k;
        x->outcome[first + k] =
            (og_outcome){layer->probability[at], INFINITY, from, layer->next[at]};
    }
    return action;
}

/* Appends all actions of a class. `from` is the value for a cost in place 0; each further place
 * adds `width`. */
static void add_actions(const og_product *p, scratch *s, og_expansion *x, uint32_t class,
                        uint32_t from, int32_t width)
{
    const og_layer *layer = &p->layers->layer[s->left];
    if (!p->several) {
        add_action(layer, layer->reward, x, class, from);
        return;
    }
    for (uint32_t number = layer->action_first[class]; number < layer->action_first[class + 1];
         number++) {
        uint32_t place = (uint32_t)p->layers->cost_place[layer->action_cost[number]];
        og_action *action =
            add_action(layer, layer->action_reward, x, number, place * (uint32_t)width + from);
        s->action_of[action->outcome_first] = number;
    }
}

/* True if the class has one action, which costs no more than any other of the problem: the
 * condition of reduction 4 (dp/product/layers.h). */
static bool has_one_cheapest(const og_product *p, const og_layer *layer, uint32_t class)
{
    uint32_t first = layer->action_first[class];
    return layer->action_first[class + 1] == first + 1 &&
           layer->action_cost[first] == p->layers->cost[0];
}

/*
 * Reduction 4: a pair whose reward is at least the largest reward that any other instance could
 * reach after this label. Returns its place, or -1. Another copy of the same class counts as
 * another instance.
 */
static int32_t forced_pair(const og_product *p, const scratch *s)
{
    const og_layer *layer = &p->layers->layer[s->left];
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
        if (reward >= second && (!p->several || has_one_cheapest(p, layer, s->pair[i].class))) {
            double reach = reach_of[s->pair[i].class];
            bool alone_on_top = reach == first && second < first;
            if (alone_on_top || reward >= first) {
                return i;
            }
        }
    }
    return -1;
}

/* True if x forces its label: no near node that the state can reach has a larger value. */
static bool two_force(const og_product *p, const scratch *s, int32_t at)
{
    const double *reward = p->layers->layer[s->left].reward;
    const og_two_copies_class *x = &p->two->layer[s->left][s->pair[at].class];
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

/* OG_REDUCE_TWO (dp/product/two_copies.h): the pair that is forced, -1 if none is. */
static int32_t two_pair(const og_product *p, const scratch *s)
{
    const og_two_copies_class *class = p->two->layer[s->left];
    double target = 0, gain = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const og_two_copies_class *c = &class[s->pair[i].class];
        if (!c->fits) {
            return -1;
        }
        target = c->target_reach > target ? c->target_reach : target;
        gain = c->gain_reach > gain ? c->gain_reach : gain;
    }
    for (int32_t i = 0; i < s->count; i++) {
        const og_two_copies_class *c = &class[s->pair[i].class];
        if (c->chance > 0 && s->pair[i].copies > 1 && c->target >= target && c->gain >= gain &&
            two_force(p, s, i)) {
            return i;
        }
    }
    return -1;
}

/* Charges and worths of the state after a label of the cost in this place, for every price. */
ALWAYS_INLINE void sum_worths(const og_product *p, bool several, scratch *s, int32_t place)
{
    int32_t left = s->left - cost_at(p, several, place);
    int32_t *sum = &s->sum[place * OG_PRICE_COUNT];
    const og_pair *below = &s->below[place * p->pairs_max];
    memcpy(sum, &p->prices->charge[(size_t)left * OG_PRICE_COUNT], OG_PRICE_COUNT * sizeof *sum);
    for (int32_t j = 0; j < s->below_count[place]; j++) {
        og_prices_add(sum, og_prices_of(p->prices, left, below[j].class), (int32_t)below[j].copies);
    }
}

/*
 * Upper bounds of all actions and outcomes. The worths of the state after the label are summed once
 * for every price; an outcome removes one instance and adds one.
 */
ALWAYS_INLINE void bound_all(const og_product *p, bool several, scratch *s, og_expansion *x)
{
    double per_unit = 1 / p->prices->scale;
    for (int32_t place = 0;
         place < (several ? p->layers->cost_count : 1) && cost_at(p, several, place) <= s->left;
         place++) {
        sum_worths(p, several, s, place);
    }
    for (int32_t a = 0; a < x->action_count; a++) {
        og_action *action = &x->action[a];
        int32_t place = place_of(p, several, &x->outcome[action->outcome_first]);
        int32_t left = s->left - cost_at(p, several, place);
        const int32_t *sum = &s->sum[place * OG_PRICE_COUNT];
        const og_pair *below = &s->below[place * p->pairs_max];
        action->bound = action->reward;
        for (int32_t k = 0; k < action->outcome_count; k++) {
            og_outcome *outcome = &x->outcome[action->outcome_first + k];
            int32_t gone = s->below_of[outcome->from];
            uint32_t gone_class = gone < 0 ? 0 : below[gone].class;
            outcome->bound =
                per_unit * og_prices_least(sum, og_prices_of(p->prices, left, gone_class),
                                           og_prices_of(p->prices, left, outcome->to));
            action->bound += outcome->probability * outcome->bound;
        }
    }
}

OG_VECTOR_CLONES static void bound_actions(const og_product *p, scratch *s, og_expansion *x)
{
    bound_all(p, false, s, x);
}

OG_VECTOR_CLONES static void bound_several(const og_product *p, scratch *s, og_expansion *x)
{
    bound_all(p, true, s, x);
}

/* Most promising first: the largest bound, since nothing else is known about an action. */
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
    x->combine = OG_COMBINE_MAX;
    int32_t forced = p->force ? forced_pair(p, s) : -1;
    if (forced < 0 && p->two != NULL && s->left >= 2) {
        forced = two_pair(p, s);
    }
    if (p->several) {
        move_all_down(p, true, s);
    } else {
        move_all_down(p, false, s);
    }
    if (forced >= 0) {
        add_actions(p, s, x, s->pair[forced].class, (uint32_t)forced, p->pairs_max);
        return;
    }
    for (int32_t i = 0; i < s->count; i++) {
        add_actions(p, s, x, s->pair[i].class, (uint32_t)i, p->pairs_max);
    }
    if (p->prices != NULL) {
        (p->several ? bound_several : bound_actions)(p, s, x);
        sort_actions(x);
    }
}

/* Reduction 1 switched off: every action of every instance, including copies. */
static void expand_optimum_ordered(const og_product *p, scratch *s, og_expansion *x)
{
    uint32_t picks = 0;
    x->combine = OG_COMBINE_MAX;
    for (int32_t i = 0; i < s->count; i++) {
        for (int64_t c = 0; c < s->pair[i].copies; c++) {
            s->pick_pair[picks] = i;
            s->pick_offset[picks] = c;
            add_actions(p, s, x, s->pair[i].class, picks++, p->actions_max);
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

/* The action of a policy that picks the pair; its first instance if order matters. */
static og_action *add_pick(const og_product *p, scratch *s, og_expansion *x, int32_t pair)
{
    s->pick_pair[x->action_count] = pair;
    s->pick_offset[x->action_count] = 0;
    uint32_t from = p->ordered ? (uint32_t)x->action_count : (uint32_t)pair;
    const og_layer *layer = &p->layers->layer[s->left];
    og_action *action = add_action(layer, layer->reward, x, s->pair[pair].class, from);
    action->reward = p->worth.labels ? 1 : action->reward - p->fee_nearest;
    return action;
}

/* The action of a policy that stops: it earns nothing, and nothing follows. */
static og_action *add_stop(og_expansion *x)
{
    const og_action *last = x->action_count > 0 ? &x->action[x->action_count - 1] : NULL;
    int32_t first = last != NULL ? last->outcome_first + last->outcome_count : 0;
    og_action *action = &x->action[x->action_count++];
    *action = (og_action){.weight = 1, .bound = INFINITY, .outcome_first = first};
    return action;
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
    if (top == 0 && p->stops) {
        add_stop(x);
        return;
    }
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

og_state og_product_shown(const og_product *p, const uint64_t *key, int32_t words, og_expansion *x)
{
    scratch *s = x->scratch;
    s->count = og_product_read_key(p, key, words, s->pair, &s->left);
    return state_of(p, s);
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
    double stop = drawn ? s->answer[state.count] : top == -INFINITY;
    x->combine = drawn ? OG_COMBINE_MEAN : combine_of[p->ties];
    if (stop > 0) {
        add_stop(x)->weight = stop;
    }
    if (!drawn && stop > 0) {
        return OG_OK;
    }
    for (int32_t i = 0; i < s->count; i++) {
        double *answer = &s->answer[s->group_of[i]];
        if (drawn ? *answer == 0 : *answer != top) {
            continue;
        }
        add_pick(p, s, x, i)->weight = drawn ? *answer : (double)s->pair[i].copies;
        if (drawn) {
            *answer = 0; /* the first instance represents the group */
        } else if (p->ties == OG_TIES_FIRST) {
            break;
        }
    }
    return OG_OK;
}

static og_status expand_policy(const og_product *p, scratch *s, og_expansion *x)
{
    if (!p->ordered) {
        move_all_down(p, false, s);
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
    s->count = og_product_read_key(p, key, words, s->pair, &s->left);
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
 * Sets the order of the class code of each layer: about log2 of the mean gap between the classes of
 * a state, for which Exp-Golomb codes are shortest.
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
 * The margin by which a skipped action's computed value must be below the computed best. Values of
 * at most `gain_max` have a relative error of at most depth * (outcomes + 4) roundings on each
 * side; the doubles of the bounds have less.
 */
static double margin_of(const og_arms *arms, const og_layers *layers, int64_t instances)
{
    double roundings = ((double)arms->budget + 4) * (2.0 * layers->outcome_max + 8);
    double gain_max = ((double)instances + arms->budget) * og_arms_scale(arms);
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
                    .names = use->names,
                    .ties = use->ties,
                    .arms = arms};
    p.chosen_by = use->ranks != NULL && use->ranks->chooser_lock != NULL ? use->ranks : NULL;
    bool merged = (use->reductions & OG_REDUCE_MERGE) != 0;
    p.ordered = og_product_is_ordered(use);
    p.stops = use->ranks != NULL && use->ranks->stops;
    p.worth = use->worth;
    p.fee_nearest = use->worth.fee.num != 0 ? og_fraction_double(use->worth.fee) : 0;
    p.drop = merged && (use->optimum || (use->ends && p.stops));
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
    p.several = layers->layer[0].action_first != NULL;
    assert(p.optimum || !p.several); /* policies rank nodes, not actions */
    p.actions_max = ((int32_t)size.actions + 1) * layers->action_max;
    p.key_words_max = (int32_t)((p.left_bits + size.pairs * size.pair_bits) / 64 + 2);
    p.margin = margin_of(arms, layers, instances);
    p.order = calloc((size_t)arms->budget + 1, sizeof *p.order);
    OG_TRY(OG_ALLOCATED(p.order));
    choose_orders(&p, instances, arms->group_count);
    bool two = use->optimum && !p.ordered && p.names == NULL && !p.several &&
               (use->reductions & OG_REDUCE_TWO) != 0;
    if (two && og_two_copies_new(layers, &p.two) != OG_OK) {
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
    og_two_copies_free(product->two);
    product->two = NULL;
}

/* The stage of a state: its labels left, since every label uses some. */
static int32_t product_stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)words;
    *left = og_product_left(self, key);
    return *left;
}

og_model og_product_model(const og_product *product)
{
    og_model model = {.self = product,
                      .depth_max = product->budget + 1,
                      .outcomes_max = product->layers->outcome_max,
                      .key_words_max = product->key_words_max,
                      .margin = product->margin,
                      .acts_max = product->actions_max,
                      .exact = product->names != NULL ? &og_product_exact : NULL,
                      .expansion_new = product_expansion_new,
                      .expansion_free = og_expansion_free,
                      .expand = product_expand,
                      .successor = product->several ? successor_of_several : product_successor,
                      .stage = product_stage};
    return model;
}

uint32_t og_product_class(const og_product *p, const og_expansion *x, const og_action *action,
                          int32_t *left)
{
    const scratch *s = x->scratch;
    uint32_t from = x->outcome[action->outcome_first].from;
    *left = s->left;
    if (p->several) {
        return s->action_of[action->outcome_first];
    }
    return s->pair[p->ordered ? s->pick_pair[from] : (int32_t)from].class;
}
