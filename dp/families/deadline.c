/*
 * States are items (dp/families/deadline_items.h), sorted and merged, or in the order of instances,
 * one for each.
 */
#include "dp/families/deadline.h"

#include <math.h>

#include "dp/families/deadline_gains.h"
#include "dp/families/deadline_items.h"
#include "dp/families/deadline_orders.h"

/* og_outcome.from at START and WORKER, .to at MOVE; else a pair, and a class. */
#define COMES 1
#define AWAY UINT32_MAX
#define COUNTED_AWAY (UINT32_MAX - 1)
#define STAYS UINT32_MAX
#define GOES_ON (UINT32_MAX - 1)

typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    og_deadline deadline;
    int32_t at_once;
    double advance, no_advance;
    form form;
    int32_t key_words;
    og_items_rules rules;
    bool drop;
    bool named; /* a class is one node, its member */
    og_layers *layers;
    double **gain;     /* og_deadline_gains of batches; else NULL */
    og_orders *orders; /* of many labels at once; NULL: an act is one label */
} problem;

/* The state of an expansion, and its latest successor. */
typedef struct {
    og_items_scratch items;
    moment at, next; /* of the items */
    og_orders_room orders;
    og_deadline_state shown;
} scratch;

/* ---- canonical states ---- */

static const og_layer *layer_of(const problem *p, int32_t left, const pair *item)
{
    return &p->layers->layer[left + labels_in(&p->form, item->under_way)];
}

/* Moves a pair down from `left` labels left to so many fewer. */
static void go_down(const problem *p, int32_t left, pair *item, int32_t labels)
{
    item->class =
        og_layers_down(p->layers, left + labels_in(&p->form, item->under_way), item->class, labels);
}

/* Drops pairs that can gain nothing. */
static void drop_dead(const problem *p, const moment *at, og_items *items)
{
    int32_t kept = 0;
    if (!p->drop && at->left > 0) {
        return;
    }
    for (int32_t i = 0; i < items->count; i++) {
        pair now = pair_at(items, i);
        bool over = at->left == 0 && (now.under_way == 0 || p->gain != NULL);
        if (!over && !(p->drop && now.class == 0)) {
            put_pair(items, kept++, &now);
        }
    }
    items->count = kept;
}

/* Drops labels that cannot arrive in time any more; true if there were any. */
static bool begin_slot(const problem *p, moment *at, og_items *items)
{
    int32_t less = at->left - og_deadline_labels_left(&p->deadline, at->slots, at->come, at->left);
    bool expire = !p->deadline.late && at->slots < p->deadline.phases;
    if (less == 0 && !expire) {
        return false;
    }
    for (int32_t i = 0; i < items->count; i++) {
        pair now = pair_at(items, i);
        go_down(p, at->left, &now, less);
        if (expire) {
            uint64_t stay = now.under_way & ((UINT64_C(1) << (p->form.bits * at->slots)) - 1);
            go_down(p, at->left - less, &now,
                    labels_in(&p->form, now.under_way) - labels_in(&p->form, stay));
            now.under_way = stay;
        }
        put_pair(items, i, &now);
    }
    at->left -= less;
    return true;
}

/* Goes on to the next moment with a decision or a chance event, and to the pairs that matter then;
 * false if nothing can be gained any more. */
static bool go_on(const problem *p, moment *at, og_items *items)
{
    for (;;) {
        drop_dead(p, at, items);
        if (items->count == 0) {
            return false;
        }
        if (at->kind == OG_DEADLINE_START) {
            if (begin_slot(p, at, items)) {
                drop_dead(p, at, items);
            }
            bool open = at->left > 0 && at->slots > 0;
            const og_fraction comes = og_deadline_arrival(&p->deadline, at->come);
            at->kind = !open                   ? OG_DEADLINE_MOVE
                       : comes.num < comes.den ? OG_DEADLINE_START
                                               : OG_DEADLINE_WORKER;
            if (open) {
                return items->count > 0;
            }
            at->come = 0;
        }
        if (at->kind != OG_DEADLINE_MOVE || pair_to_move(&p->form, at, items) >= 0) {
            return true;
        }
        if (at->slots == 0) {
            items->count = 0;
            return false;
        }
        end_slot(&p->form, at, items);
    }
}

/* Goes on from the successor, and writes its canonical key; 0 words if nothing can be gained. */
static int32_t finish(const problem *p, scratch *s, uint64_t *key)
{
    og_items *next = &s->items.next;
    if (!go_on(p, &s->next, next)) {
        return 0;
    }
    if (!p->rules.ordered) {
        merge_pairs(&p->form, next);
    }
    for (int32_t i = 0; p->rules.cap && i < next->count; i++) {
        if (next->word[WORDS * i] == 0) {
            og_items_cap(&next->word[WORDS * i + 1], s->next.left);
        }
    }
    return write_key(&p->form, next, &s->next, key);
}

/* A worker has arrived in the first slot. */
static void show_root(const problem *p, scratch *s)
{
    s->at = (moment){p->deadline.slots, p->arms->budget, OG_DEADLINE_WORKER, 0};
    og_items_root(p->arms, p->layers->root_class, p->rules.ordered, WORDS, &s->items.at);
}

static int32_t root(const void *self, const og_expansion *expansion, og_belief *belief,
                    uint64_t *key, double *value)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    (void)belief;
    show_root(p, s);
    og_items_copy(&s->items.at, WORDS, &s->items.next);
    s->next = s->at;
    s->next.kind = OG_DEADLINE_START;
    *value = 0;
    return finish(p, s, key);
}

/* The new pair of one instance of pair i: after the label that moves, or with the worker that it
 * gets. */
static pair moved_pair(const problem *p, const scratch *s, const og_outcome *outcome)
{
    pair one = pair_at(&s->items.at, (int32_t)outcome->from);
    one.copies = 1;
    if (s->at.kind == OG_DEADLINE_WORKER) {
        one.under_way += one_label(&p->form, p->deadline.phases, false);
        return one;
    }
    int32_t phase = phase_to_move(&p->form, &s->at, &one);
    one.under_way -= one_label(&p->form, phase, false);
    if (outcome->to == STAYS) {
        one.under_way += one_label(&p->form, phase, true);
    } else if (outcome->to == GOES_ON) {
        one.under_way += one_label(&p->form, phase - 1, true);
    } else {
        one.class = outcome->to;
    }
    return one;
}

/* The items after a label for an item, or with a worker for it (or for nobody). */
static void after_label(const problem *p, scratch *s, const og_outcome *outcome, uint32_t from,
                        bool given)
{
    og_items_split(&s->items, WORDS, from);
    for (int32_t i = 0; given && i < s->items.next.count; i++) {
        uint64_t *word = &s->items.next.word[WORDS * i];
        const og_layer *layer = &p->layers->layer[s->at.left + labels_in(&p->form, word[0])];
        word[1] = og_item(layer->down[og_item_kind(word[1])], og_item_copies(word[1]));
    }
    if (from < COUNTED_AWAY) {
        pair one = moved_pair(p, s, outcome);
        put_pair(&s->items.next, (int32_t)from, &one);
    }
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    bool start = s->at.kind == OG_DEADLINE_START, worker = s->at.kind == OG_DEADLINE_WORKER;
    int32_t workers = worker, given = worker && outcome->from != AWAY;
    if (worker && s->orders.labels > 0) {
        workers = given = s->orders.labels;
        og_orders_apply(p->orders, &s->at, &s->items.at, &s->orders, outcome, &s->items.next);
    } else {
        after_label(p, s, outcome, start ? AWAY : outcome->from, given > 0);
    }
    s->next = s->at;
    s->next.left -= given;
    s->next.come += workers;
    s->next.kind = start && outcome->from == COMES       ? OG_DEADLINE_WORKER
                   : worker && s->next.come < p->at_once ? OG_DEADLINE_START
                                                         : OG_DEADLINE_MOVE;
    s->next.come = s->next.kind == OG_DEADLINE_MOVE ? 0 : s->next.come;
    *value = 0;
    return finish(p, s, key);
}

/* ---- expansion ---- */

static double complement(og_fraction chance)
{
    return (double)(chance.den - chance.num) / (double)chance.den;
}

static void add_chance(og_expansion *x, double chance, uint32_t from, uint32_t to)
{
    x->outcome[x->action[0].outcome_count++] =
        (og_outcome){.probability = chance, .bound = INFINITY, .from = from, .to = to};
}

static void expand_chances(const problem *p, const scratch *s, og_expansion *x)
{
    x->combine = OG_COMBINE_MEAN;
    x->action_count = 1;
    x->action[0] = (og_action){.weight = 1, .bound = INFINITY};
    if (s->at.kind == OG_DEADLINE_START) {
        const og_fraction comes = og_deadline_arrival(&p->deadline, s->at.come);
        add_chance(x, og_fraction_double(comes), COMES, 0);
        add_chance(x, complement(comes), !COMES, 0);
        return;
    }
    int32_t i = pair_to_move(&p->form, &s->at, &s->items.at);
    const pair item = pair_at(&s->items.at, i);
    const og_layer *layer = layer_of(p, s->at.left, &item);
    bool due = p->form.surely || s->at.slots == 0;
    double chance = due ? 1 : p->advance;
    if (!due) {
        add_chance(x, p->no_advance, (uint32_t)i, STAYS);
    }
    if (!due && phase_to_move(&p->form, &s->at, &item) > 1) {
        add_chance(x, chance, (uint32_t)i, GOES_ON);
        return;
    }
    x->action[0].reward = p->gain != NULL ? 0 : chance * layer->reward[item.class];
    for (uint32_t k = layer->outcome_first[item.class]; k < layer->outcome_first[item.class + 1];
         k++) {
        add_chance(x, chance * layer->probability[k], (uint32_t)i, layer->next[k]);
    }
}

/* The worker is given to an instance of pair `from`, or sent away. */
static void add_action(const problem *p, const scratch *s, uint32_t from, og_expansion *x)
{
    int32_t count = x->action_count++;
    og_action *action = &x->action[count];
    x->outcome[count] = (og_outcome){.probability = 1, .bound = INFINITY, .from = from};
    *action =
        (og_action){.weight = 1, .bound = INFINITY, .outcome_first = count, .outcome_count = 1};
    if (from < COUNTED_AWAY) {
        const pair item = pair_at(&s->items.at, (int32_t)from);
        action->weight = item.copies;
        action->reward = p->gain != NULL ? og_deadline_gain(p->gain, p->form.bits, s->at.left,
                                                            item.class, (uint32_t)item.under_way)
                                         : 0;
    }
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    s->at = moment_of(key[0]);
    s->items.at.count = 0;
    for (int32_t i = 1; i < words; i++) {
        const pair now = read_pair(&p->form, key, &i);
        put_pair(&s->items.at, s->items.at.count++, &now);
    }
    if (s->at.kind != OG_DEADLINE_WORKER) {
        expand_chances(p, s, expansion);
        return OG_OK;
    }
    if (p->orders != NULL) {
        og_orders_expand(p->orders, &s->at, &s->items.at, &s->orders, expansion);
        return OG_OK;
    }
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t i = 0; i < s->items.at.count; i++) {
        add_action(p, s, (uint32_t)i, expansion);
    }
    if (p->deadline.counted_away) {
        add_action(p, s, COUNTED_AWAY, expansion);
    }
    if (p->deadline.turn_away) {
        add_action(p, s, AWAY, expansion);
    }
    return OG_OK;
}

/* An action for each arm, in their order. */
static og_status expand_root(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    show_root(p, s);
    s->orders.labels = 0; /* these acts order one label each */
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t a = 0; s->at.left > 0 && a < p->arms->arm_count; a++) {
        add_action(p, s, og_items_of_arm(p->arms, a, p->rules.ordered), expansion);
    }
    if (s->at.left > 0 && p->deadline.turn_away) {
        add_action(p, s, AWAY, expansion);
    }
    return OG_OK;
}

/* ---- states for policies and readers ---- */

static og_deadline_item item_of(const problem *p, int32_t left, const og_items *items, uint32_t i)
{
    const pair item = pair_at(items, (int32_t)i);
    uint32_t node = layer_of(p, left, &item)->member[item.class];
    int32_t arm = og_arms_arm_of(p->arms, node);
    return (og_deadline_item){arm, node - p->arms->node_offset[arm], (uint32_t)item.under_way,
                              item.copies};
}

/* If classes are merged, for the actions of expand_root: later a class has no name. */
static og_act act(const void *self, const og_expansion *expansion, const og_action *action)
{
    const problem *p = self;
    const scratch *s = expansion->scratch;
    if (!p->named || s->at.kind != OG_DEADLINE_WORKER) {
        return (og_act){{(uint32_t)(action - expansion->action), 0, 0}};
    }
    uint32_t from = expansion->outcome[action->outcome_first].from;
    if (from == AWAY) {
        return og_deadline_away(p->arms);
    }
    og_deadline_item item = item_of(p, s->at.left, &s->items.at, from);
    return (og_act){{(uint32_t)item.arm, item.node, item.under_way}};
}

/* ---- meaning of an outcome ---- */

static og_deadline_event event_of(const problem *p, const scratch *s, const og_outcome *outcome)
{
    if (s->at.kind == OG_DEADLINE_START) {
        return outcome->from == COMES ? OG_DEADLINE_COMES : OG_DEADLINE_NONE_COMES;
    }
    if (s->at.kind == OG_DEADLINE_WORKER) {
        return OG_DEADLINE_GIVEN;
    }
    return outcome->to == STAYS                 ? OG_DEADLINE_STAYS
           : outcome->to == GOES_ON             ? OG_DEADLINE_GOES_ON
           : p->form.surely || s->at.slots == 0 ? OG_DEADLINE_IS_DUE
                                                : OG_DEADLINE_ARRIVES;
}

/* If classes are not merged, outcomes have the order of answers. */
og_deadline_step og_deadline_step_of(const void *self, const og_expansion *x,
                                     const og_outcome *outcome)
{
    const problem *p = self;
    const scratch *s = x->scratch;
    og_deadline_step step = {.arms = p->arms,
                             .deadline = &p->deadline,
                             .event = event_of(p, s, outcome),
                             .come = s->at.come};
    if (step.event >= OG_DEADLINE_STAYS) {
        og_deadline_item item = item_of(p, s->at.left, &s->items.at, outcome->from);
        step.arm = item.arm;
        step.node = item.node;
        step.answer = (int32_t)(outcome - x->outcome) - (step.event == OG_DEADLINE_ARRIVES);
    }
    return step;
}

og_status og_deadline_prior_exact(const void *self, mpq_t out)
{
    const problem *p = self;
    og_arms_exact_call(p->arms, out);
    return OG_OK;
}

static int32_t answer(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                      og_act *act)
{
    const problem *p = self;
    const scratch *s = expansion->scratch;
    og_deadline_step step = og_deadline_step_of(p, expansion, outcome);
    if (step.event < OG_DEADLINE_ARRIVES) {
        *act = (og_act){{(uint32_t)OG_DEADLINE_NOBODY, (uint32_t)step.event, 0}};
        return OG_ANSWER_NONE;
    }
    const pair item = pair_at(&s->items.at, (int32_t)outcome->from);
    *act = (og_act){{(uint32_t)step.arm, step.node, (uint32_t)item.under_way}};
    return step.answer;
}

static const void *state(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    const og_items *items = outcome == NULL ? &s->items.at : &s->items.next;
    const moment *at = outcome == NULL ? &s->at : &s->next;
    const int32_t count = p->named ? items->count : 0;
    s->shown = (og_deadline_state){at->left, at->slots, at->come, at->kind, count, p, items};
    return &s->shown;
}

og_deadline_item og_deadline_item_at(const og_deadline_state *state, int32_t i)
{
    return item_of(state->model, state->left, state->items, (uint32_t)i);
}

/* Decreases as slots end; within a slot, as fewer workers can arrive, and then as fewer labels
 * still have to move. */
static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    const problem *p = self;
    const moment at = moment_of(key[0]);
    int32_t labels = 0, most = p->arms->budget, to_come = p->at_once - at.come;
    *left = at.left;
    for (int32_t i = 1; i < words; i++) {
        const pair now = read_pair(&p->form, key, &i);
        labels += (int32_t)now.copies * labels_in(&p->form, fresh_of(&p->form, now.under_way));
    }
    int32_t within = at.kind == OG_DEADLINE_START    ? most + 2 * to_come
                     : at.kind == OG_DEADLINE_WORKER ? most + 2 * to_come - 1
                                                     : labels;
    return at.slots * (most + 2 * p->at_once + 1) + within;
}

/* ---- scratch ---- */

static int32_t acts_max(const problem *p)
{
    const int32_t items = p->rules.items_max;
    return 3 + (p->orders != NULL ? og_orders_acts(p->orders, items) : items);
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_items_init(&s->items, p->rules.items_max, WORDS);
    if (p->orders != NULL) {
        og_orders_init(p->orders, p->rules.items_max, &s->items.arena, &s->orders);
    }
    const size_t acts = (size_t)acts_max(p);
    return og_expansion_init(s, acts, acts + (size_t)p->layers->outcome_max, expansion);
}

/* Upper bound of the labels that move one by one on a path; labels that are due wait for their
 * slot. */
static double moves_max(const problem *p)
{
    double labels = p->arms->budget;
    return p->form.surely ? labels : labels * p->deadline.slots;
}

/*
 * Along a path, u = 2^-53:
 * - for each worker that may arrive in a slot the probabilities have an error of 3u, their mean
 *   takes 3 roundings;
 * - a label that moves: its probability has an error of 2u; the product with the probability of its
 *   class, which has p_error and a rounding for each outcome added up, takes one more, and the mean
 *   over n + 1 outcomes 2 each; its reward R, with an error of r_error, takes a product and a sum;
 * - a decision takes 2 roundings, its mean over ties 3 more and one for each of them.
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
    const bool sure = p->gain != NULL; /* no arrivals and phases, but D is a mean of means */
    double move = p_error + u * (3 * outcomes + (sure ? 2 : 10));
    double decision = u * ((sure ? 5 : 6) + p->rules.items_max);
    double workers = (double)p->deadline.slots * p->at_once;
    double decisions = p->deadline.turn_away ? workers : p->arms->budget;
    double events = sure ? p->at_once * move : workers * 6 * u;
    return 1.02 * (events + moves_max(p) * move + decisions * decision + r_error);
}

static double error_of(const void *self, double value, bool of_q)
{
    (void)of_q;
    return 1.01 * value * relative_error(self);
}

/* More than the rounding of values and bounds, both sums of at most so much. */
static double margin(const problem *p)
{
    double most = (double)(og_arms_instances(p->arms) + p->arms->budget) * og_arms_scale(p->arms);
    return fmax(1e-10, 4 * relative_error(p) * most);
}

/* ---- the whole ---- */

static void free_problem(void *self)
{
    problem *p = self;
    og_layers_free(p->layers);
    og_arena_free(p);
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

static og_status make_problem(problem *p, const og_arms *arms, const og_deadline *deadline,
                              const og_value_asked *question, uint64_t memory_bytes,
                              og_message *message)
{
    p->arms = arms;
    p->deadline = *deadline;
    p->at_once = og_deadline_at_once(deadline);
    p->advance = og_fraction_double(deadline->advance);
    p->no_advance = complement(deadline->advance);
    p->form = form_of(deadline, arms->budget);
    const int32_t words = p->form.packed > 0 ? 1 : WORDS;
    OG_TRY(og_items_rules_init(arms, question, arms->group_count, words, &p->rules, message));
    p->key_words = words * p->rules.items_max + 1;
    p->named = !p->rules.optimum || (question->reductions & OG_REDUCE_MERGE) == 0;
    p->drop = !p->named;
    OG_TRY(make_layers(p, memory_bytes, question->stop, message));
    if (!deadline->batches || question->fractions) {
        return OG_OK;
    }
    OG_TRY(og_deadline_gains(p->layers, deadline, memory_bytes, &p->arena, &p->gain, message));
    return p->named || arms->budget == 0 || (question->reductions & OG_REDUCE_BOUND) == 0
               ? OG_OK
               : og_orders_new(arms, p->layers, deadline, p->gain, memory_bytes / 4, question->stop,
                               &p->arena, &p->orders);
}

og_status og_deadline_model(const og_arms *arms, const og_deadline *deadline,
                            const og_value_asked *question, uint64_t memory_bytes, og_model *out,
                            og_message *message)
{
    og_value_asked known = *question;
    if (question->fractions) { /* those of a node */
        known.reductions &= ~(unsigned)OG_REDUCE_MERGE;
    }
    OG_TRY(og_deadline_check(deadline, arms->budget, message));
    problem *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    og_status status = make_problem(p, arms, deadline, &known, memory_bytes, message);
    if (status != OG_OK) {
        free_problem(p);
        return status;
    }
    int32_t in_slot = p->form.surely ? p->at_once : arms->budget; /* labels that move one by one */
    int32_t events =
        deadline->batches ? arms->budget : deadline->slots * (2 * p->at_once + in_slot);
    *out = (og_model){
        .self = p,
        .depth_max = events + arms->budget + 2,
        .outcomes_max = p->layers->outcome_max + 2,
        .key_words_max = p->key_words,
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .gains = true,
        .bytes = p->layers->bytes + og_arms_bytes(arms) + og_orders_bytes(p->orders),
        .acts_max = acts_max(p),
        .margin = margin(p),
        .error = error_of,
        .root = root,
        .expand_root = expand_root,
        .act = act,
        .answer = p->named ? answer : NULL,
        .state = state,
        .stage = stage,
        .exact = p->named ? &og_deadline_exact : NULL,
        .free = free_problem,
    };
    out->prior = og_arms_prior_value(arms, &out->prior_error);
    return OG_OK;
}
