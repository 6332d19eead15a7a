/*
 * Keys: a word (mark, workers of this slot, kind, labels left, slots left), then for each pair a
 * word (class + 1, flag of a second word, copies) and, if labels are under way, these in the second
 * word. Pairs are sorted and merged, or in the order of instances, one for each. The class of a
 * pair belongs to the layer of its labels left and under way (dp/product/layers.h).
 *
 * Labels of a slot move one after the other. Those that have moved are counted separately, in a
 * second set of numbers above the first, until the slot ends. If labels certainly move, those with
 * one phase to go arrive one by one, and the others move together.
 */
#include "dp/families/deadline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/families/delayed_pairs.h"
#include "dp/product/layers.h"

enum { SLOTS_BITS = 16, LEFT_BITS = 17, KIND_BITS = 2, COME_BITS = 4 };

#define MARK (UINT64_C(1) << 63)
#define MORE (UINT32_C(1) << 31) /* a second word follows */

/* og_outcome.from at START and WORKER, .to at MOVE; else a pair, and a class. */
#define COMES 1
#define AWAY UINT32_MAX
#define COUNTED_AWAY (UINT32_MAX - 1)
#define STAYS UINT32_MAX
#define GOES_ON (UINT32_MAX - 1)

typedef struct {
    uint32_t class;
    uint32_t copies;
    uint64_t under_way;
} pair;

typedef struct {
    int32_t slots, left;
    og_deadline_kind kind;
    int32_t come; /* workers in this slot before the current one; 0 once labels move */
} moment;

typedef struct {
    og_arena arena;
    const og_arms *arms; /* borrowed */
    og_deadline deadline;
    int32_t at_once;
    double arrival[OG_DEADLINE_AT_ONCE_MAX], no_arrival[OG_DEADLINE_AT_ONCE_MAX]; /* by come */
    double advance, no_advance;
    bool surely;  /* advance is 1 */
    int32_t bits; /* of the number of labels in a phase */
    og_delayed_rules rules;
    bool drop;
    bool named; /* a class is one node, its member */
    og_layers *layers;
} problem;

/* The state of an expansion, and its latest successor. */
typedef struct {
    og_arena arena;
    moment at, next;
    int32_t count, after_count;
    pair *pairs; /* [pairs_max + 1] */
    pair *after; /* [pairs_max + 2] */
    og_deadline_state shown;
    og_deadline_item *item; /* [pairs_max + 2] for policies and readers */
} scratch;

/* ---- labels under way ---- */

/* One label with `phase` to go, in the numbers of those that have moved, or have not. */
static uint64_t one_label(const problem *p, int32_t phase, bool moved)
{
    return UINT64_C(1) << (p->bits * (phase - 1 + (moved ? p->deadline.phases : 0)));
}

static int32_t labels_in(const problem *p, uint64_t under_way)
{
    const uint64_t mask = (UINT64_C(1) << p->bits) - 1;
    int32_t sum = 0;
    for (; under_way != 0; under_way >>= p->bits) {
        sum += (int32_t)(under_way & mask);
    }
    return sum;
}

/* The labels that have not moved in this slot. */
static uint64_t fresh_of(const problem *p, uint64_t under_way)
{
    return p->surely ? under_way
                     : under_way & ((UINT64_C(1) << (p->bits * p->deadline.phases)) - 1);
}

/* The least phases to go of these labels, which must not be empty. */
static int32_t first_phase(const problem *p, uint64_t under_way)
{
    int32_t phase = 1;
    while ((under_way >> (p->bits * (phase - 1)) & ((UINT64_C(1) << p->bits) - 1)) == 0) {
        phase++;
    }
    return phase;
}

/* The phase of the next label of the pair that moves; 0: there is none. */
static int32_t phase_to_move(const problem *p, const moment *at, const pair *of)
{
    uint64_t fresh = fresh_of(p, of->under_way);
    if (p->surely && at->slots > 0) {
        return (fresh & ((UINT64_C(1) << p->bits) - 1)) != 0;
    }
    return fresh == 0 ? 0 : first_phase(p, fresh);
}

/* The last pair with a label that moves next; -1: there is none. */
static int32_t pair_to_move(const problem *p, const moment *at, const pair *pairs, int32_t count)
{
    int32_t i = count - 1;
    while (i >= 0 && phase_to_move(p, at, &pairs[i]) == 0) {
        i--;
    }
    return i;
}

/* ---- canonical states ---- */

static const og_layer *layer_of(const problem *p, const moment *at, const pair *of)
{
    return &p->layers->layer[at->left + labels_in(p, of->under_way)];
}

/* Moves a pair down from `left` labels left to so many fewer. */
static void go_down(const problem *p, int32_t left, pair *of, int32_t labels)
{
    of->class = og_layers_down(p->layers, left + labels_in(p, of->under_way), of->class, labels);
}

/* Drops pairs that can gain nothing; returns the number of pairs. */
static int32_t drop_dead(const problem *p, const moment *at, pair *pairs, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        bool over = at->left == 0 && pairs[i].under_way == 0;
        if (!over && !(p->drop && pairs[i].class == 0)) {
            pairs[kept++] = pairs[i];
        }
    }
    return kept;
}

/* Drops labels that cannot arrive in time any more. */
static void begin_slot(const problem *p, moment *at, pair *pairs, int32_t count)
{
    int32_t less = at->left - og_deadline_labels_left(&p->deadline, at->slots, at->come, at->left);
    bool expire = !p->deadline.late && at->slots < p->deadline.phases;
    for (int32_t i = 0; i < count; i++) {
        go_down(p, at->left, &pairs[i], less);
        if (expire) {
            uint64_t stay = pairs[i].under_way & ((UINT64_C(1) << (p->bits * at->slots)) - 1);
            go_down(p, at->left - less, &pairs[i],
                    labels_in(p, pairs[i].under_way) - labels_in(p, stay));
            pairs[i].under_way = stay;
        }
    }
    at->left -= less;
}

static void end_slot(const problem *p, moment *at, pair *pairs, int32_t count)
{
    int32_t shift = p->surely ? p->bits : p->bits * p->deadline.phases;
    for (int32_t i = 0; i < count; i++) {
        pairs[i].under_way >>= shift;
    }
    at->slots--;
    at->kind = OG_DEADLINE_START;
}

/* Goes on to the next moment with a decision or a chance event; returns the number of pairs that
 * matter then, 0 if nothing can be gained any more. */
static int32_t settle(const problem *p, moment *at, pair *pairs, int32_t count)
{
    for (;;) {
        count = drop_dead(p, at, pairs, count);
        if (count == 0) {
            return 0;
        }
        if (at->kind == OG_DEADLINE_START) {
            begin_slot(p, at, pairs, count);
            count = drop_dead(p, at, pairs, count);
            bool open = at->left > 0 && at->slots > 0;
            at->kind = !open                         ? OG_DEADLINE_MOVE
                       : p->no_arrival[at->come] > 0 ? OG_DEADLINE_START
                                                     : OG_DEADLINE_WORKER;
            if (open) {
                return count;
            }
            at->come = 0;
        }
        if (at->kind != OG_DEADLINE_MOVE || pair_to_move(p, at, pairs, count) >= 0) {
            return count;
        }
        if (at->slots == 0) {
            return 0;
        }
        end_slot(p, at, pairs, count);
    }
}

static int compare_pairs(const void *left, const void *right)
{
    const pair *x = left, *y = right;
    int order = (x->under_way > y->under_way) - (x->under_way < y->under_way);
    return order != 0 ? order : (x->class > y->class) - (x->class < y->class);
}

/* Sorts few pairs, which are nearly sorted. */
static void sort_pairs(pair *pairs, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        pair moved = pairs[i];
        int32_t at = i;
        for (; at > 0 && compare_pairs(&pairs[at - 1], &moved) > 0; at--) {
            pairs[at] = pairs[at - 1];
        }
        pairs[at] = moved;
    }
}

static uint64_t head_of(const moment *at)
{
    uint64_t head = (uint64_t)at->come << KIND_BITS | (uint64_t)at->kind;
    return MARK | (head << LEFT_BITS | (uint64_t)at->left) << SLOTS_BITS | (uint64_t)at->slots;
}

/* Writes a pair as one word or two; returns their number. */
static int32_t write_pair(const pair *of, uint64_t *key)
{
    bool more = of->under_way != 0;
    key[0] = (uint64_t)(of->class + 1) << 32 | of->copies | (more ? MORE : 0);
    if (more) {
        key[1] = of->under_way;
    }
    return 1 + more;
}

int32_t og_deadline_key(int32_t slots, int32_t come, int32_t left, uint32_t class,
                        uint32_t under_way, uint64_t *key)
{
    const moment at = {slots, left, OG_DEADLINE_WORKER, come};
    const pair one = {class, 1, under_way};
    key[0] = head_of(&at);
    return 1 + write_pair(&one, &key[1]);
}

/* The canonical key of the state with the pairs of `after`, which are settled there; 0 words if
 * nothing can be gained any more. */
static int32_t write_key(const problem *p, scratch *s, uint64_t *key)
{
    s->after_count = settle(p, &s->next, s->after, s->after_count);
    if (s->after_count == 0) {
        return 0;
    }
    int32_t words = 1, kept = 0;
    if (!p->rules.ordered) {
        sort_pairs(s->after, s->after_count);
    }
    for (int32_t i = 0; i < s->after_count; i++) {
        pair now = s->after[i];
        while (!p->rules.ordered && i + 1 < s->after_count &&
               compare_pairs(&s->after[i + 1], &now) == 0) {
            now.copies += s->after[++i].copies;
        }
        if (p->rules.cap && now.under_way == 0 && now.copies > (uint32_t)s->next.left) {
            now.copies = (uint32_t)s->next.left;
        }
        s->after[kept++] = now;
        words += write_pair(&now, &key[words]);
    }
    s->after_count = kept;
    key[0] = head_of(&s->next);
    return words;
}

static int32_t take_bits(uint64_t *word, int bits)
{
    int32_t low = (int32_t)(*word & ((UINT64_C(1) << bits) - 1));
    *word >>= bits;
    return low;
}

static moment moment_of(const uint64_t *key)
{
    uint64_t word = key[0];
    moment at = {.slots = take_bits(&word, SLOTS_BITS), .left = take_bits(&word, LEFT_BITS)};
    at.kind = (og_deadline_kind)take_bits(&word, KIND_BITS);
    at.come = take_bits(&word, COME_BITS);
    return at;
}

static int32_t read_pairs(const uint64_t *key, int32_t words, pair *pairs)
{
    int32_t count = 0;
    for (int32_t i = 1; i < words; i++) {
        pair now = {(uint32_t)(key[i] >> 32) - 1, (uint32_t)key[i] & ~MORE, 0};
        now.under_way = ((uint32_t)key[i] & MORE) != 0 ? key[++i] : 0;
        pairs[count++] = now;
    }
    return count;
}

/* A worker has arrived in the first slot. */
static void show_root(const problem *p, scratch *s)
{
    const og_arms *arms = p->arms;
    s->at = (moment){p->deadline.slots, arms->budget, OG_DEADLINE_WORKER, 0};
    s->count = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        pair root = {p->layers->root_class[arms->arm_of_group[g]], 1, 0};
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
    scratch *s = expansion->scratch;
    (void)belief;
    show_root(p, s);
    memcpy(s->after, s->pairs, (size_t)s->count * sizeof *s->pairs);
    s->after_count = s->count;
    s->next = s->at;
    s->next.kind = OG_DEADLINE_START;
    *value = 0;
    return write_key(p, s, key);
}

/* The new pair of one instance of pair i: after the label that moves, or with the worker that it
 * gets. */
static pair moved_pair(const problem *p, const scratch *s, const og_outcome *outcome)
{
    pair one = s->pairs[outcome->from];
    one.copies = 1;
    if (s->at.kind == OG_DEADLINE_WORKER) {
        one.under_way += one_label(p, p->deadline.phases, false);
        return one;
    }
    int32_t phase = phase_to_move(p, &s->at, &one);
    one.under_way -= one_label(p, phase, false);
    if (outcome->to == STAYS) {
        one.under_way += one_label(p, phase, true);
    } else if (outcome->to == GOES_ON) {
        one.under_way += one_label(p, phase - 1, true);
    } else {
        one.class = outcome->to;
    }
    return one;
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    bool start = s->at.kind == OG_DEADLINE_START, worker = s->at.kind == OG_DEADLINE_WORKER;
    bool given = worker && outcome->from != AWAY;
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        pair now = s->pairs[i];
        if (!start && (uint32_t)i == outcome->from) {
            s->after[count++] = moved_pair(p, s, outcome);
            now.copies--;
        }
        if (now.copies > 0) {
            go_down(p, s->at.left, &now, given);
            s->after[count++] = now;
        }
    }
    s->after_count = count;
    s->next = s->at;
    s->next.left -= given;
    s->next.come += worker;
    s->next.kind = start && outcome->from == COMES       ? OG_DEADLINE_WORKER
                   : worker && s->next.come < p->at_once ? OG_DEADLINE_START
                                                         : OG_DEADLINE_MOVE;
    s->next.come = s->next.kind == OG_DEADLINE_MOVE ? 0 : s->next.come;
    *value = 0;
    return write_key(p, s, key);
}

/* ---- expansion ---- */

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
        add_chance(x, p->arrival[s->at.come], COMES, 0);
        add_chance(x, p->no_arrival[s->at.come], !COMES, 0);
        return;
    }
    int32_t i = pair_to_move(p, &s->at, s->pairs, s->count);
    const pair *of = &s->pairs[i];
    const og_layer *layer = layer_of(p, &s->at, of);
    bool due = p->surely || s->at.slots == 0;
    double chance = due ? 1 : p->advance;
    if (!due) {
        add_chance(x, p->no_advance, (uint32_t)i, STAYS);
    }
    if (!due && phase_to_move(p, &s->at, of) > 1) {
        add_chance(x, chance, (uint32_t)i, GOES_ON);
        return;
    }
    x->action[0].reward = chance * layer->reward[of->class];
    for (uint32_t k = layer->outcome_first[of->class]; k < layer->outcome_first[of->class + 1];
         k++) {
        add_chance(x, chance * layer->probability[k], (uint32_t)i, layer->next[k]);
    }
}

/* The worker is given to an instance of pair `from`, or sent away. */
static void add_action(const scratch *s, uint32_t from, og_expansion *x)
{
    int32_t count = x->action_count++;
    x->outcome[count] = (og_outcome){.probability = 1, .bound = INFINITY, .from = from};
    x->action[count] = (og_action){.weight = from >= COUNTED_AWAY ? 1 : s->pairs[from].copies,
                                   .bound = INFINITY,
                                   .outcome_first = count,
                                   .outcome_count = 1};
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    s->at = moment_of(key);
    s->count = read_pairs(key, words, s->pairs);
    if (s->at.kind != OG_DEADLINE_WORKER) {
        expand_chances(p, s, expansion);
        return OG_OK;
    }
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t i = 0; i < s->count; i++) {
        add_action(s, (uint32_t)i, expansion);
    }
    if (p->deadline.counted_away) {
        add_action(s, COUNTED_AWAY, expansion);
    }
    if (p->deadline.turn_away) {
        add_action(s, AWAY, expansion);
    }
    return OG_OK;
}

/* An action for each arm, in their order. */
static og_status expand_root(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    show_root(p, s);
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t a = 0; s->at.left > 0 && a < p->arms->arm_count; a++) {
        uint32_t i = 0;
        for (int32_t g = 0; p->arms->arm_of_group[g] != a; g++) {
            i += p->rules.ordered ? (uint32_t)p->arms->group_size[g] : 1;
        }
        add_action(s, i, expansion);
    }
    if (s->at.left > 0 && p->deadline.turn_away) {
        add_action(s, AWAY, expansion);
    }
    return OG_OK;
}

/* ---- states for policies and readers ---- */

static og_deadline_item item_of(const problem *p, const moment *at, const pair *of)
{
    uint32_t node = layer_of(p, at, of)->member[of->class];
    int32_t arm = og_arms_arm_of(p->arms, node);
    return (og_deadline_item){arm, node - p->arms->node_offset[arm], (uint32_t)of->under_way,
                              of->copies};
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
    og_deadline_item of = item_of(p, &s->at, &s->pairs[from]);
    return (og_act){{(uint32_t)of.arm, of.node, of.under_way}};
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
    return outcome->to == STAYS            ? OG_DEADLINE_STAYS
           : outcome->to == GOES_ON        ? OG_DEADLINE_GOES_ON
           : p->surely || s->at.slots == 0 ? OG_DEADLINE_IS_DUE
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
        og_deadline_item of = item_of(p, &s->at, &s->pairs[outcome->from]);
        step.arm = of.arm;
        step.node = of.node;
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
    *act = (og_act){{(uint32_t)step.arm, step.node, (uint32_t)s->pairs[outcome->from].under_way}};
    return step.answer;
}

static const void *state(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    const problem *p = self;
    scratch *s = expansion->scratch;
    const pair *pairs = outcome == NULL ? s->pairs : s->after;
    const moment *at = outcome == NULL ? &s->at : &s->next;
    int32_t count = !p->named ? 0 : outcome == NULL ? s->count : s->after_count;
    for (int32_t i = 0; i < count; i++) {
        s->item[i] = item_of(p, at, &pairs[i]);
    }
    s->shown = (og_deadline_state){at->left, at->slots, at->come, at->kind, count, s->item};
    return &s->shown;
}

/* Decreases as slots end; within a slot, as fewer workers can arrive, and then as fewer labels
 * still have to move. */
static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    const problem *p = self;
    const moment at = moment_of(key);
    int32_t labels = 0, most = p->arms->budget, to_come = p->at_once - at.come;
    *left = at.left;
    for (int32_t i = 1; i < words; i++) {
        int32_t copies = (int32_t)((uint32_t)key[i] & ~MORE);
        if (((uint32_t)key[i] & MORE) != 0) {
            labels += copies * labels_in(p, fresh_of(p, key[++i]));
        }
    }
    int32_t within = at.kind == OG_DEADLINE_START    ? most + 2 * to_come
                     : at.kind == OG_DEADLINE_WORKER ? most + 2 * to_come - 1
                                                     : labels;
    return at.slots * (most + 2 * p->at_once + 1) + within;
}

/* ---- scratch ---- */

static int32_t outcomes_max(const problem *p)
{
    return p->rules.pairs_max + 3 + p->layers->outcome_max;
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const problem *p = self;
    size_t pairs = (size_t)p->rules.pairs_max;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->pairs = og_arena_array(&s->arena, pairs + 1, sizeof *s->pairs);
    s->after = og_arena_array(&s->arena, pairs + 2, sizeof *s->after);
    s->item = og_arena_array(&s->arena, pairs + 2, sizeof *s->item);
    return og_expansion_init(s, pairs + 3, (size_t)outcomes_max(p), expansion);
}

/* Upper bound of the labels that move one by one on a path; labels that are due wait for their
 * slot. */
static double moves_max(const problem *p)
{
    double labels = p->arms->budget;
    return p->surely ? labels : labels * p->deadline.slots;
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
    double move = p_error + u * (3 * outcomes + 10);
    double decision = u * (6 + p->rules.pairs_max);
    double workers = (double)p->deadline.slots * p->at_once;
    double decisions = p->deadline.turn_away ? workers : p->arms->budget;
    return 1.02 * (workers * 6 * u + moves_max(p) * move + decisions * decision + r_error);
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

static double complement(og_fraction chance)
{
    return (double)(chance.den - chance.num) / (double)chance.den;
}

static og_status fill(problem *p, const og_arms *arms, const og_deadline *deadline,
                      const og_question *question, uint64_t memory_bytes, og_message *message)
{
    p->arms = arms;
    p->deadline = *deadline;
    p->at_once = og_deadline_at_once(deadline);
    for (int32_t m = 0; m < p->at_once; m++) {
        p->arrival[m] = og_fraction_double(og_deadline_arrival(deadline, m));
        p->no_arrival[m] = complement(og_deadline_arrival(deadline, m));
    }
    p->advance = og_fraction_double(deadline->advance);
    p->no_advance = complement(deadline->advance);
    p->surely = p->no_advance == 0;
    p->bits = og_deadline_bits(deadline, arms->budget);
    OG_TRY(og_delayed_rules_init(arms, question, arms->group_count, &p->rules, message));
    if (2 * p->rules.pairs_max + 1 > OG_KEY_WORDS_MAX) {
        return og_message_set(
            message, OG_STOPPED,
            "states of %d different instances are too large; at most %d are supported",
            (int)p->rules.pairs_max, OG_KEY_WORDS_MAX / 2 - 1);
    }
    p->named = !p->rules.optimum || (question->reductions & OG_REDUCE_MERGE) == 0;
    p->drop = !p->named;
    return make_layers(p, memory_bytes, question->stop, message);
}

og_status og_deadline_model(const og_arms *arms, const og_deadline *deadline,
                            const og_question *question, uint64_t memory_bytes, og_model *out,
                            og_message *message)
{
    og_question of = *question;
    if (question->fractions) { /* those of a node */
        of.reductions &= ~(unsigned)OG_REDUCE_MERGE;
    }
    OG_TRY(og_deadline_check(deadline, arms->budget, message));
    problem *p = og_arena_new(sizeof *p);
    OG_TRY(OG_ALLOCATED(p));
    og_status status = fill(p, arms, deadline, &of, memory_bytes, message);
    if (status != OG_OK) {
        free_problem(p);
        return status;
    }
    int32_t in_slot = p->surely ? p->at_once : arms->budget; /* labels that move one by one */
    *out = (og_model){
        .self = p,
        .depth_max = deadline->slots * (2 * p->at_once + in_slot) + arms->budget + 2,
        .outcomes_max = outcomes_max(p),
        .key_words_max = 2 * p->rules.pairs_max + 1,
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .gains = true,
        .bytes = p->layers->bytes + og_arms_bytes(arms),
        .acts_max = p->rules.pairs_max + 3,
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
