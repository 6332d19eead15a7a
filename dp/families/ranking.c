/*
 * The model of a ranking. A key is the comparisons left, the wins of every item and the comparisons
 * of every pair, a byte each, seven in a word beside a mark that keeps it from being 0; of all ways
 * to name alike items, the smallest such sequence of bytes.
 */
#include "dp/families/ranking.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/engine/strategy.h"

enum {
    ITEMS = OG_RANKING_ITEMS_MAX,
    PAIRS = OG_RANKING_PAIRS_MAX,
    BYTES_IN_WORD = 7,
    MARK = 1,
    RECORD_BYTES = ITEMS + PAIRS,
    ORDERS_MAX = 720, /* 6! */
};

typedef struct {
    og_arena arena;
    const og_ranking *of; /* borrowed */
    bool keeps_ends;      /* final states are remembered */
    int32_t only[2];      /* the pair that counts; -1: all */
    int32_t group[ITEMS]; /* items of one group can change their names */
    size_t belief_bytes;
    size_t item_bytes;
    int32_t order_count;
    uint8_t (*order)[ITEMS]; /* [order_count] ways to name alike items: the k-th is order[k] */
} problem;

/* A state that is expanded: in the order of its key, the root in that in which it was given. */
typedef struct {
    og_arena arena;
    int32_t left;
    og_ranking_counts at, best;
    double above[ITEMS * ITEMS]; /* of the final state just made */
    char *belief, *renamed;      /* [belief_bytes] scratch */
    og_ranking_state shown;
} scratch;

/* ---- the problem ---- */

og_status og_ranking_new(const double *prior, const int32_t *group, int32_t items,
                         const og_ranking_counts *start, int32_t had, int32_t budget,
                         uint64_t memory_bytes, og_ranking **out, og_message *message)
{
    double above[ITEMS * ITEMS];
    og_ranking *of = og_arena_new(sizeof *of);
    OG_TRY(OG_ALLOCATED(of));
    og_status status = og_ranking_posterior_init(&of->posterior, prior, items, had + budget,
                                                 memory_bytes, message);
    if (status == OG_OK) {
        of->start = *start;
        of->budget = budget;
        memcpy(of->group, group, (size_t)items * sizeof *group);
        of->mass = og_ranking_masses(&of->posterior, start, above);
        of->prior = og_ranking_best(items, above) / of->mass;
    }
    return OG_MADE(status, of, og_ranking_free, out);
}

void og_ranking_free(og_ranking *of)
{
    if (of != NULL) {
        og_ranking_posterior_clear(&of->posterior);
    }
    og_arena_free(of);
}

/* Sums and maxima of positive numbers carry relative errors on; so many roundings come to them. */
double og_ranking_error(const og_ranking *of)
{
    int32_t items = of->posterior.items;
    double roundings = of->budget + items * items + of->posterior.order_count + 8.0;
    return 2 * of->posterior.error + roundings * DBL_EPSILON;
}

/* ---- alike items ---- */

static int32_t pair_of(int32_t items, int32_t i, int32_t j)
{
    return i < j ? og_ranking_pair(items, i, j) : og_ranking_pair(items, j, i);
}

/* All ways to put items in the places of their group. */
static void list_orders(problem *m, uint8_t order[ITEMS], int32_t place, unsigned used)
{
    int32_t items = m->of->posterior.items;
    if (place == items) {
        memcpy(m->order[m->order_count++], order, ITEMS);
        return;
    }
    for (int32_t i = 0; i < items; i++) {
        if ((used >> i & 1) == 0 && m->group[i] == m->group[place]) {
            order[place] = (uint8_t)i;
            list_orders(m, order, place + 1, used | 1u << i);
        }
    }
}

static void rename_items(int32_t items, const og_ranking_counts *from, const uint8_t *order,
                         og_ranking_counts *to)
{
    for (int32_t k = 0, p = 0; k < items; k++) {
        to->wins[k] = from->wins[order[k]];
        for (int32_t l = k + 1; l < items; l++) {
            to->compared[p++] = from->compared[pair_of(items, order[k], order[l])];
        }
    }
}

static void rename_belief(const problem *m, const char *from, const uint8_t *order, char *to)
{
    memcpy(to, from, m->belief_bytes);
    for (int32_t k = 0; k < m->of->posterior.items; k++) {
        memcpy(to + (size_t)k * m->item_bytes, from + order[k] * m->item_bytes, m->item_bytes);
    }
}

/* The state in `at` and its belief (NULL: none) by the names that make it smallest, into `best`. */
static void make_canonical(const problem *m, scratch *s, char *belief)
{
    int32_t items = m->of->posterior.items;
    for (int32_t o = 0; o < m->order_count; o++) {
        og_ranking_counts trial = {{0}, {0}};
        int less = -1;
        rename_items(items, &s->at, m->order[o], &trial);
        if (belief != NULL) {
            rename_belief(m, belief, m->order[o], s->renamed);
        }
        if (o > 0) {
            less = memcmp(&trial, &s->best, sizeof trial);
            less =
                less == 0 && belief != NULL ? memcmp(s->renamed, s->belief, m->belief_bytes) : less;
        }
        if (less < 0) {
            s->best = trial;
            if (belief != NULL) {
                memcpy(s->belief, s->renamed, m->belief_bytes);
            }
        }
    }
    if (belief != NULL) {
        memcpy(belief, s->belief, m->belief_bytes);
    }
}

/* ---- keys ---- */

static int32_t key_words(const problem *m)
{
    int32_t bytes = m->of->posterior.items + m->of->posterior.pairs;
    return 1 + (bytes + BYTES_IN_WORD - 1) / BYTES_IN_WORD;
}

static uint8_t *byte_of(const problem *m, og_ranking_counts *counts, int32_t at)
{
    int32_t items = m->of->posterior.items;
    return at < items ? &counts->wins[at] : &counts->compared[at - items];
}

static void write_key(const problem *m, og_ranking_counts *counts, int32_t left, uint64_t *key)
{
    int32_t bytes = m->of->posterior.items + m->of->posterior.pairs;
    key[0] = (uint64_t)left << 8 | MARK;
    for (int32_t at = 0, word = 1; at < bytes; word++) {
        key[word] = MARK;
        for (int32_t k = 1; k <= BYTES_IN_WORD && at < bytes; k++) {
            key[word] |= (uint64_t)*byte_of(m, counts, at++) << 8 * k;
        }
    }
}

static void read_key(const problem *m, const uint64_t *key, scratch *s)
{
    int32_t bytes = m->of->posterior.items + m->of->posterior.pairs;
    s->left = (int32_t)(key[0] >> 8);
    for (int32_t at = 0; at < bytes; at++) {
        *byte_of(m, &s->at, at) =
            (uint8_t)(key[1 + at / BYTES_IN_WORD] >> 8 * (at % BYTES_IN_WORD + 1));
    }
}

/* ---- the model ---- */

/* What a final state is worth by its best ranking, counted as often as it comes about. */
static double end_value(const problem *m, const og_ranking_counts *counts, double above[])
{
    const og_ranking_posterior *p = &m->of->posterior;
    og_ranking_masses(p, counts, above);
    if (m->only[0] < 0) {
        return og_ranking_best(p->items, above);
    }
    return fmax(above[m->only[0] * p->items + m->only[1]],
                above[m->only[1] * p->items + m->only[0]]);
}

static og_status expand_shown(const void *self, og_expansion *x)
{
    const problem *m = self;
    scratch *s = x->scratch;
    int32_t items = m->of->posterior.items;
    x->combine = OG_COMBINE_MAX;
    x->action_count = 0;
    if (s->left == 0) { /* remembered: nothing is done any more */
        x->combine = OG_COMBINE_MEAN;
        x->action[x->action_count++] =
            (og_action){.reward = end_value(m, &s->at, s->above), .weight = 1, .bound = INFINITY};
        return OG_OK;
    }
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = i + 1; j < items; j++) {
            int32_t a = x->action_count++;
            x->action[a] = (og_action){
                .weight = 1, .bound = INFINITY, .outcome_first = 2 * a, .outcome_count = 2};
            for (uint32_t k = 0; k < 2; k++) {
                x->outcome[2 * a + (int32_t)k] = (og_outcome){.probability = 1,
                                                              .bound = INFINITY,
                                                              .from = (uint32_t)(i * items + j),
                                                              .to = k};
            }
        }
    }
    return OG_OK;
}

static og_status expand(const void *self, const uint64_t *key, int32_t words, og_expansion *x)
{
    (void)words;
    read_key(self, key, x->scratch);
    return expand_shown(self, x);
}

static og_status expand_root(const void *self, og_expansion *x)
{
    const scratch *s = x->scratch;
    if (s->left == 0) {
        x->action_count = 0;
        return OG_OK;
    }
    return expand_shown(self, x);
}

static og_act act_of_pair(const problem *m, uint32_t pair)
{
    uint32_t items = (uint32_t)m->of->posterior.items;
    return (og_act){{pair / items, pair % items, 0}};
}

static og_act act(const void *self, const og_expansion *x, const og_action *action)
{
    return act_of_pair(self, x->outcome[action->outcome_first].from);
}

static int32_t answer(const void *self, const og_expansion *x, const og_outcome *outcome,
                      og_act *act)
{
    (void)x;
    *act = act_of_pair(self, outcome->from);
    return outcome->to == 0;
}

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->shown = outcome == NULL ? (og_ranking_state){m->of, s->left, &s->at}
                               : (og_ranking_state){m->of, s->left - 1, &s->best};
    return &s->shown;
}

static int32_t stage(const void *self, const uint64_t *key, int32_t words, int32_t *left)
{
    (void)self;
    (void)words;
    *left = (int32_t)(key[0] >> 8);
    return *left;
}

static double measure(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    double above[ITEMS * ITEMS];
    return og_ranking_masses(&m->of->posterior, outcome == NULL ? &s->at : &s->best, above);
}

static double score(const void *self, const og_expansion *x, const og_outcome *outcome,
                    const double *decision)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    (void)outcome;
    return og_ranking_score(m->of->posterior.items, s->above, decision);
}

/* The state in `at`, with so much left, by the names of its key. */
static int32_t settle(const problem *m, scratch *s, int32_t left, og_belief *belief, uint64_t *key,
                      double *value)
{
    assert(belief == NULL || belief->bytes == m->belief_bytes);
    make_canonical(m, s, belief != NULL ? belief->at : NULL);
    if (left == 0 && !m->keeps_ends) {
        *value = end_value(m, &s->best, s->above);
        return 0;
    }
    write_key(m, &s->best, left, key);
    return key_words(m);
}

static int32_t successor_with(const void *self, const og_expansion *x, const og_outcome *outcome,
                              og_belief *belief, uint64_t *key, double *value)
{
    const problem *m = self;
    scratch *s = x->scratch;
    uint32_t items = (uint32_t)m->of->posterior.items;
    uint32_t i = outcome->from / items, j = outcome->from % items,
             winner = outcome->to == 0 ? i : j;
    uint8_t *pair = &s->at.compared[og_ranking_pair((int32_t)items, (int32_t)i, (int32_t)j)];
    ++*pair;
    s->at.wins[winner]++;
    int32_t words = settle(m, s, s->left - 1, belief, key, value);
    --*pair;
    s->at.wins[winner]--;
    return words;
}

static int32_t successor(const void *self, const og_expansion *x, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    return successor_with(self, x, outcome, NULL, key, value);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->left = m->of->budget;
    s->at = m->of->start;
    return settle(m, s, s->left, belief, key, value);
}

static void expansion_free(og_expansion *x)
{
    og_arena_free(x->scratch);
    memset(x, 0, sizeof *x);
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const problem *m = self;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->belief = og_arena_array(&s->arena, m->belief_bytes, 1);
    s->renamed = og_arena_array(&s->arena, m->belief_bytes, 1);
    *x = (og_expansion){.action = og_arena_array(&s->arena, PAIRS, sizeof *x->action),
                        .outcome = og_arena_array(&s->arena, 2 * PAIRS, sizeof *x->outcome),
                        .scratch = s};
    og_status status = og_arena_status(&s->arena);
    if (status != OG_OK) {
        expansion_free(x);
    }
    return status;
}

static double error_of(const void *self, double value, bool of_q)
{
    const problem *m = self;
    (void)value;
    (void)of_q; /* Q is counted from the prior value: together they are at most 1 */
    return og_ranking_error(m->of);
}

static og_status make(const og_ranking *of, problem **out)
{
    problem *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->of = of;
    m->only[0] = -1;
    m->order = og_arena_array(&m->arena, ORDERS_MAX, sizeof *m->order);
    og_status status = og_arena_status(&m->arena);
    memcpy(m->group, of->group, sizeof m->group);
    return OG_MADE(status, m, og_arena_free, out);
}

static void list_all(problem *m, bool sorts)
{
    uint8_t order[ITEMS] = {0, 1, 2, 3, 4, 5};
    if (sorts) {
        list_orders(m, order, 0, 0);
    } else {
        memcpy(m->order[m->order_count++], order, ITEMS);
    }
}

static og_model model_of(const problem *m)
{
    const og_ranking *of = m->of;
    return (og_model){
        .self = m,
        .depth_max = of->budget + 1 + m->keeps_ends,
        .outcomes_max = 2,
        .key_words_max = key_words(m),
        .expansion_new = expansion_new,
        .expansion_free = expansion_free,
        .expand = expand,
        .successor = successor,
        .prior = of->prior,
        .prior_error = og_ranking_error(of) * of->prior,
        .scale = of->mass,
        .bytes = of->posterior.bytes,
        .acts_max = of->posterior.pairs,
        .decision_count = of->posterior.items,
        .error = error_of,
        .root = root,
        .expand_root = expand_root,
        .act = act,
        .answer = answer,
        .state = state,
        .successor_with = successor_with,
        .score = score,
        .stage = stage,
        .measure = measure,
        .free = og_arena_free,
    };
}

og_status og_ranking_model(const og_ranking *of, const og_question *question, og_model *out)
{
    const og_strategy *by = question->by;
    bool belief = by != NULL && by->belief_bytes > 0;
    bool named =
        (belief && by->item_bytes[0] == 0) || (by != NULL && question->ties == OG_TIES_FIRST);
    problem *m;
    OG_TRY(make(of, &m));
    list_all(m, (question->reductions & OG_REDUCE_SORT) != 0 && !named);
    m->belief_bytes = belief ? by->belief_bytes : 0;
    m->item_bytes = belief ? by->item_bytes[0] : 0;
    m->keeps_ends = (question->reductions & OG_REDUCE_MERGE) != 0 &&
                    (by == NULL || (by->decide == NULL && !belief));
    *out = model_of(m);
    return OG_OK;
}

og_status og_ranking_pair_model(const og_ranking *of, int32_t i, int32_t j, og_model *out)
{
    problem *m;
    OG_TRY(make(of, &m));
    for (int32_t k = 0; k < of->posterior.items; k++) { /* names that leave the pair as it is */
        m->group[k] += k == i || k == j ? of->posterior.items : 0;
    }
    list_all(m, true);
    m->keeps_ends = true;
    m->only[0] = i;
    m->only[1] = j;
    *out = model_of(m);
    return OG_OK;
}

/* ---- everything compared ---- */

/* Outcomes of the pairs from `pair` on, each compared `times` more: sum of the best rankings. */
static double sum_outcomes(const og_ranking_posterior *p, og_ranking_counts *counts, int32_t pair,
                           int32_t times, double ways)
{
    int32_t i = 0, j = pair + 1;
    double sum = 0;
    if (pair == p->pairs) {
        double above[ITEMS * ITEMS];
        og_ranking_masses(p, counts, above);
        return ways * og_ranking_best(p->items, above);
    }
    while (j >= p->items) { /* the pair's items: rows of a triangle */
        j -= p->items - i - 2;
        i++;
    }
    counts->compared[pair] = (uint8_t)(counts->compared[pair] + times);
    for (int32_t won = 0; won <= times; won++) { /* by i; the ways are a binomial coefficient */
        counts->wins[i] = (uint8_t)(counts->wins[i] + won);
        counts->wins[j] = (uint8_t)(counts->wins[j] + times - won);
        sum += sum_outcomes(p, counts, pair + 1, times, ways);
        counts->wins[i] = (uint8_t)(counts->wins[i] - won);
        counts->wins[j] = (uint8_t)(counts->wins[j] - (times - won));
        ways *= (double)(times - won) / (won + 1);
    }
    counts->compared[pair] = (uint8_t)(counts->compared[pair] - times);
    return sum;
}

og_status og_ranking_everything(const og_ranking *of, uint64_t memory_bytes, double *value,
                                double *error)
{
    const og_ranking_posterior *own = &of->posterior;
    const double steps_most = 1e9;
    og_ranking_posterior p;
    og_ranking_counts counts = of->start;
    int32_t labels = own->labels + (own->pairs - 1) * of->budget;
    double outcomes = pow(of->budget + 1.0, own->pairs);
    *value = NAN;
    if (labels > OG_RANKING_LABELS_MAX ||
        outcomes * own->order_count * pow(own->nodes, own->items - 1) > steps_most) {
        return OG_OK;
    }
    og_status status =
        og_ranking_posterior_init(&p, own->prior, own->items, labels, memory_bytes, NULL);
    if (status != OG_OK) {
        return status == OG_STOPPED ? OG_OK : status;
    }
    *value = sum_outcomes(&p, &counts, 0, of->budget, 1) / of->mass;
    *error = 2 * (own->error + p.error) + (outcomes + labels * own->pairs + 64) * DBL_EPSILON;
    og_ranking_posterior_clear(&p);
    return OG_OK;
}
