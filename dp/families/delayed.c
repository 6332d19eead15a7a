/*
 * States are items (dp/families/items.h): the kind is the class, and the phase is 1 if an event
 * comes next. Items are sorted and merged, or in the order of instances, one for each.
 */
#include "dp/families/delayed.h"

#include <assert.h>
#include <math.h>

#include "dp/families/items.h"

typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    double arrival_rate, service_rate;
    og_items_rules rules;
    bool drop;
    bool named; /* a class is the set of instances with one posterior and one number at work */
    og_delayed_layers *layers;
} problem;

typedef struct {
    og_items_scratch items;
    og_delayed_state shown;
    og_delayed_item *item; /* [items_max + 2] for policies and readers */
} scratch;

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

/* ---- states ---- */

static const og_delayed_row *row_of(const problem *p, const og_items *items, int32_t i)
{
    return &p->layers->layer[items->left].row[og_item_kind(items->word[i])];
}

/*
 * The canonical key of the state; 0 words if nothing can be gained. A state between events without
 * a worker at work only waits for the arrival.
 */
static int32_t finish(const problem *p, og_items *items, uint64_t *key)
{
    bool alive = false, moves = false;
    int32_t kept = 0;
    for (int32_t i = 0; i < items->count && items->left > 0; i++) {
        const og_delayed_row *row = row_of(p, items, i);
        alive = alive || row->alive;
        if (!p->drop || og_item_kind(items->word[i]) != 0) {
            moves = moves || row->rate_total != 0;
            items->word[kept++] = items->word[i];
        }
    }
    items->count = kept;
    items->phase = items->phase != 0 && moves;
    if (!p->rules.ordered) {
        og_items_merge(items, 1, false, og_items_by_kind);
    }
    for (int32_t i = 0; p->rules.cap && i < items->count; i++) {
        if (row_of(p, items, i)->rate_total == 0) {
            og_items_cap(&items->word[i], items->left);
        }
    }
    return alive ? og_items_write(items, 1, key) : 0;
}

/* The state at the first arrival. */
static void show_root(const problem *p, og_items *at)
{
    at->left = p->layers->workers;
    at->phase = 0;
    og_items_root(p->arms, p->layers->root, p->rules.ordered, 1, at);
}

static int32_t root(const void *self, const og_expansion *expansion, og_belief *belief,
                    uint64_t *key, double *value)
{
    scratch *s = expansion->scratch;
    (void)belief;
    show_root(self, &s->items.at);
    og_items_copy(&s->items.at, 1, &s->items.next);
    *value = 0;
    return finish(self, &s->items.next, key);
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    og_items *next = &s->items.next;
    const bool arrival = s->items.at.phase == 0;
    og_items_split(&s->items, 1, outcome->from);
    for (int32_t i = 0; arrival && i < next->count; i++) {
        next->word[i] = og_item(row_of(p, next, i)->down, og_item_copies(next->word[i]));
    }
    if (outcome->from != ARRIVAL) {
        next->word[outcome->from] = og_item(outcome->to, 1);
    }
    next->left -= arrival;
    next->phase = outcome->from != ARRIVAL;
    *value = 0;
    return finish(p, next, key);
}

/* ---- expansion ---- */

static void expand_chances(const problem *p, const og_items *at, og_expansion *expansion)
{
    double at_work = 0;
    for (int32_t i = 0; i < at->count; i++) {
        at_work += og_item_copies(at->word[i]) * row_of(p, at, i)->rate_total;
    }
    double q = p->arrival_rate + p->service_rate * at_work;
    int32_t count = 0;
    expansion->outcome[count++] =
        (og_outcome){.probability = p->arrival_rate / q, .bound = INFINITY, .from = ARRIVAL};
    for (int32_t i = 0; i < at->count; i++) {
        const og_delayed_row *row = row_of(p, at, i);
        const og_delayed_way *way = p->layers->layer[at->left].way;
        for (uint32_t k = row->first; k < row->end; k++) {
            expansion->outcome[count++] = (og_outcome){
                .probability = p->service_rate * (og_item_copies(at->word[i]) * way[k].rate) / q,
                .bound = INFINITY,
                .from = (uint32_t)i,
                .to = way[k].to};
        }
    }
    expansion->combine = OG_COMBINE_MEAN;
    expansion->action_count = 1;
    expansion->action[0] =
        (og_action){.weight = 1, .bound = INFINITY, .outcome_first = 0, .outcome_count = count};
}

static double largest_index(const problem *p, const og_items *at)
{
    double most = -INFINITY;
    for (int32_t i = 0; i < at->count; i++) {
        most = fmax(most, row_of(p, at, i)->index);
    }
    return most;
}

/* The worker is given to an instance of item i. */
static void add_action(const problem *p, const og_items *at, int32_t i, og_expansion *expansion)
{
    const og_delayed_row *row = row_of(p, at, i);
    int32_t count = expansion->action_count++;
    expansion->outcome[count] =
        (og_outcome){.probability = 1, .bound = INFINITY, .from = (uint32_t)i, .to = row->given};
    expansion->action[count] = (og_action){.reward = row->reward,
                                           .weight = og_item_copies(at->word[i]),
                                           .bound = INFINITY,
                                           .outcome_first = count,
                                           .outcome_count = 1};
}

static og_combine combine(const og_items_rules *rules)
{
    static const og_combine combine_of[OG_TIES_COUNT] = {
        [OG_TIES_RANDOM] = OG_COMBINE_MEAN,
        [OG_TIES_FIRST] = OG_COMBINE_MEAN,
        [OG_TIES_BEST] = OG_COMBINE_MAX,
        [OG_TIES_WORST] = OG_COMBINE_MIN,
    };
    return rules->optimum ? OG_COMBINE_MAX : combine_of[rules->ties];
}

static void expand_actions(const problem *p, const og_items *at, og_expansion *expansion)
{
    double most = p->rules.optimum ? 0 : largest_index(p, at);
    bool one = !p->rules.optimum && p->rules.ties == OG_TIES_FIRST;
    expansion->combine = combine(&p->rules);
    expansion->action_count = 0;
    for (int32_t i = 0; i < at->count && !(one && expansion->action_count == 1); i++) {
        if (p->rules.optimum || row_of(p, at, i)->index == most) {
            add_action(p, at, i, expansion);
        }
    }
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    scratch *s = expansion->scratch;
    og_items_read(key, words, 1, &s->items.at);
    if (s->items.at.phase != 0) {
        expand_chances(self, &s->items.at, expansion);
    } else {
        expand_actions(self, &s->items.at, expansion);
    }
    return OG_OK;
}

/* An action for each arm, in their order. */
static og_status expand_root(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    show_root(p, &s->items.at);
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t a = 0; s->items.at.left > 0 && a < p->arms->arm_count; a++) {
        const uint32_t i = og_items_of_arm(p->arms, a, p->rules.ordered);
        add_action(p, &s->items.at, (int32_t)i, expansion);
    }
    return OG_OK;
}

static og_delayed_instance instance_of(const problem *p, const og_items *items, uint32_t i)
{
    return og_delayed_instance_of(p->layers, p->arms, og_item_kind(items->word[i]), items->left);
}

static og_act act_of(const og_delayed_instance *instances)
{
    return (og_act){{(uint32_t)instances->arm, instances->node, (uint32_t)instances->at_work}};
}

/* If classes are merged, for the actions of expand_root: later a class has no name. */
static og_act act(const void *self, const og_expansion *expansion, const og_action *action)
{
    const problem *p = self;
    const scratch *s = expansion->scratch;
    if (!p->named || s->items.at.phase != 0) {
        return (og_act){{(uint32_t)(action - expansion->action), 0, 0}};
    }
    og_delayed_instance instances =
        instance_of(p, &s->items.at, expansion->outcome[action->outcome_first].from);
    return act_of(&instances);
}

/* If classes are not merged. */
static int32_t answer(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                      og_act *act)
{
    const problem *p = self;
    const scratch *s = expansion->scratch;
    if (s->items.at.phase == 0 || outcome->from == ARRIVAL) {
        *act = (og_act){{outcome->from == ARRIVAL ? (uint32_t)OG_DELAYED_NOBODY : 0, 0, 0}};
        return OG_ANSWER_NONE;
    }
    og_delayed_instance instances = instance_of(p, &s->items.at, outcome->from);
    og_delayed_instance after =
        og_delayed_instance_of(p->layers, p->arms, outcome->to, s->items.at.left);
    *act = act_of(&instances);
    const og_arm *arm = p->arms->arm[instances.arm];
    int32_t k = 0;
    while (arm->next[instances.node * (size_t)arm->outcome_count + (size_t)k] != after.node) {
        k++;
    }
    return k;
}

static const void *state(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    const og_items *items = outcome == NULL ? &s->items.at : &s->items.next;
    int32_t count = p->named && items->left > 0 ? items->count : 0;
    for (int32_t i = 0; i < count; i++) {
        s->item[i] =
            (og_delayed_item){instance_of(p, items, (uint32_t)i), og_item_copies(items->word[i])};
    }
    s->shown = (og_delayed_state){items->left, items->phase == 0, count, s->item};
    return &s->shown;
}

/* An end reduces it by one, an arrival too, and a placement by at least one. */
static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    const problem *p = self;
    int32_t at_work = 0;
    *left = (int32_t)(uint32_t)key[0];
    for (int32_t i = 1; i < words; i++) {
        og_delayed_instance instances =
            og_delayed_instance_of(p->layers, p->arms, og_item_kind(key[i]), *left);
        at_work += (int32_t)og_item_copies(key[i]) * instances.at_work;
    }
    return 4 * *left + at_work + (int32_t)og_items_phase(key[0]);
}

static int32_t outcomes_max(const problem *p)
{
    return 1 + p->rules.items_max * p->layers->outcome_max;
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_items_init(&s->items, p->rules.items_max, 1);
    s->item = og_arena_array(&s->items.arena, (size_t)p->rules.items_max + 2, sizeof *s->item);
    return og_expansion_init(s, (size_t)p->rules.items_max + 1, (size_t)outcomes_max(p), expansion);
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
    double placement = u * (5 + p->rules.items_max);
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

static og_status make_problem(problem *p, const og_arms *arms, const og_delay *delay,
                              const og_value_asked *question, uint64_t memory_bytes,
                              og_message *message)
{
    bool merge = (question->reductions & OG_REDUCE_MERGE) != 0;
    const og_delayed_layers_use classes = {
        .by = question->by, .merge = merge, .memory_bytes = memory_bytes, .stop = question->stop};
    p->arms = arms;
    p->arrival_rate = og_fraction_double(delay->arrival_rate);
    p->service_rate = og_fraction_double(delay->service_rate);
    /* Instances that have never had a worker are in the class of an arm's node 0. */
    OG_TRY(og_items_rules_init(arms, question, arms->arm_count, 1, &p->rules, message));
    p->named = !merge;
    p->drop = p->rules.optimum && merge;
    return og_delayed_layers_new(arms, &classes, &p->layers, message);
}

og_status og_delayed_model(const og_arms *arms, const og_delay *delay,
                           const og_value_asked *question, uint64_t memory_bytes, og_model *out,
                           og_message *message)
{
    assert(delay->most == NULL);
    OG_TRY(og_delay_check(delay, message));
    problem *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    og_status status = make_problem(p, arms, delay, question, memory_bytes, message);
    if (status != OG_OK) {
        free_problem(p);
        return status;
    }
    *out = (og_model){
        .self = p,
        .depth_max = 3 * arms->budget + 2, /* every worker arrives, is placed and ends */
        .outcomes_max = outcomes_max(p),
        .key_words_max = p->rules.items_max + 1,
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .gains = true,
        .bytes = p->layers->bytes + og_arms_bytes(arms),
        .acts_max = p->rules.items_max + 1,
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
