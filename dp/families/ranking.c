/*
 * The model of a ranking. A key is the comparisons left, then the wins of every item and the
 * comparisons of every pair, a byte each, seven in a word with a mark that keeps it from being 0;
 * or, with workers, a word of answers for each worker. Of all ways to rename equal items and
 * workers, the key is the smallest such sequence.
 */
#include "dp/families/ranking.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "dp/engine/strategy.h"
#include "dp/families/ranking_names.h"

enum {
    ITEMS = OG_RANKING_ITEMS_MAX,
    BYTES_IN_WORD = 7,
    WORKERS = OG_RANKING_WORKERS_MAX,
    KEY_WORDS = 1 + WORKERS,
    KNOWN_BITS = 8, /* at most */
};

typedef struct {
    og_arena arena;
    const og_ranking *ranking; /* borrowed */
    bool keeps_ends;           /* final states are kept in the memory */
    og_ranking_names names;
} problem;

/* Masses of final states that other beliefs also reach; it may forget. */
typedef struct {
    int32_t bits;  /* 0: final states are kept elsewhere */
    uint64_t *key; /* [2^bits][key_words], 0 where there is none */
    double *above; /* [2^bits][items * items] */
} known_ends;

/* An expanded state, in the order of its key; the root in its given order. */
typedef struct {
    og_arena arena;
    int32_t left;
    og_ranking_counts at, best;
    double above[ITEMS * ITEMS]; /* of the latest final state */
    known_ends known;
    char *room[2]; /* [belief_bytes] */
    og_ranking_state shown;
} scratch;

#include "dp/families/table_model.h"

/* ---- the problem ---- */

int32_t og_ranking_labels(const og_ranking_prior *prior, int32_t had, int32_t left)
{
    int32_t all = prior->workers * (prior->items * (prior->items - 1) / 2);
    return prior->workers > 0 && left > all - had ? all - had : left;
}

og_status og_ranking_new(const og_ranking_prior *prior, const og_ranking_told *told,
                         uint64_t memory_bytes, og_stop *stop, og_ranking **out,
                         og_message *message)
{
    double above[ITEMS * ITEMS];
    og_ranking *ranking = og_arena_new(sizeof *ranking);
    OG_TRY(OG_ALLOCATED(ranking));
    og_status status = og_ranking_posterior_init(
        &ranking->posterior, prior, told->had + told->budget, memory_bytes, stop, message);
    if (status == OG_OK) {
        ranking->start = *told->start;
        ranking->had = told->had;
        ranking->budget = told->budget;
        ranking->mass = og_ranking_masses_until(&ranking->posterior, told->start, stop, above);
        ranking->prior = og_ranking_best(prior->items, above) / ranking->mass;
        status = og_ranking_stopped(stop, message);
    }
    return OG_MADE(status, ranking, og_ranking_free, out);
}

void og_ranking_free(og_ranking *ranking)
{
    if (ranking != NULL) {
        og_ranking_posterior_clear(&ranking->posterior);
    }
    og_arena_free(ranking);
}

/* Sums and maxima of positive numbers keep relative errors; these roundings are added. */
double og_ranking_error(const og_ranking *ranking)
{
    int32_t items = ranking->posterior.prior.items;
    double roundings = ranking->budget + items * items + ranking->posterior.order_count + 8.0;
    return 2 * ranking->posterior.error + roundings * DBL_EPSILON;
}

/* ---- keys ---- */

/* Bytes of a state without workers. */
static int32_t key_bytes(const problem *m)
{
    return m->ranking->posterior.prior.items + m->ranking->posterior.pairs;
}

static int32_t key_words(const problem *m)
{
    int32_t workers = m->ranking->posterior.prior.workers;
    return 1 + (workers > 0 ? workers : (key_bytes(m) + BYTES_IN_WORD - 1) / BYTES_IN_WORD);
}

static uint8_t *byte_of(const problem *m, og_ranking_counts *counts, int32_t at)
{
    int32_t items = m->ranking->posterior.prior.items;
    return at < items ? &counts->wins[at] : &counts->compared[at - items];
}

static void write_key(const problem *m, og_ranking_counts *counts, int32_t left, uint64_t *key)
{
    int32_t workers = m->ranking->posterior.prior.workers, bytes = workers > 0 ? 0 : key_bytes(m);
    key[0] = MARK | (uint64_t)left;
    for (int32_t w = 0; w < workers; w++) {
        key[1 + w] = MARK | counts->said[w];
    }
    for (int32_t at = 0, word = 1; at < bytes; word++) {
        key[word] = MARK;
        for (int32_t k = 0; k < BYTES_IN_WORD && at < bytes; k++) {
            key[word] |= (uint64_t)*byte_of(m, counts, at++) << 8 * k;
        }
    }
}

static void read_key(const problem *m, const uint64_t *key, scratch *s)
{
    int32_t workers = m->ranking->posterior.prior.workers, bytes = workers > 0 ? 0 : key_bytes(m);
    s->left = left_in(key);
    for (int32_t w = 0; w < workers; w++) {
        s->at.said[w] = (uint32_t)key[1 + w];
    }
    for (int32_t at = 0; at < bytes; at++) {
        *byte_of(m, &s->at, at) =
            (uint8_t)(key[1 + at / BYTES_IN_WORD] >> 8 * (at % BYTES_IN_WORD));
    }
}

/* ---- the model ---- */

static void end_masses(const problem *m, const og_ranking_counts *counts, scratch *s)
{
    og_ranking_counts at = *counts;
    uint64_t key[KEY_WORDS], mixed = 0;
    size_t words = (size_t)key_words(m), numbers = (size_t)m->ranking->posterior.prior.items;
    numbers *= numbers;
    if (s->known.bits == 0) {
        og_ranking_masses(&m->ranking->posterior, counts, s->above);
        return;
    }
    write_key(m, &at, 0, key);
    for (size_t k = 0; k < words; k++) {
        mixed = (mixed ^ key[k] ^ mixed >> 32) * 0x9e3779b97f4a7c15;
    }
    size_t slot = (size_t)(mixed >> (64 - s->known.bits));
    uint64_t *known = &s->known.key[slot * words];
    double *above = &s->known.above[slot * numbers];
    if (memcmp(known, key, words * sizeof *key) != 0) {
        og_ranking_masses(&m->ranking->posterior, counts, above);
        memcpy(known, key, words * sizeof *key);
    }
    memcpy(s->above, above, numbers * sizeof *above);
}

/* The value of a final state under its best ranking, times its probability. */
static double end_value(const problem *m, const og_ranking_counts *counts, scratch *s)
{
    end_masses(m, counts, s);
    return og_ranking_best(m->ranking->posterior.prior.items, s->above);
}

/* The act encoded in an outcome's `from`. */
static og_act act_of(const problem *m, uint32_t from)
{
    uint32_t items = (uint32_t)m->ranking->posterior.prior.items, pair = from / WORKERS;
    return (og_act){{pair / items, pair % items, from % WORKERS}};
}

static og_status expand_shown(const void *self, og_expansion *x)
{
    const problem *m = self;
    scratch *s = x->scratch;
    int32_t items = m->ranking->posterior.prior.items,
            workers = m->ranking->posterior.prior.workers;
    x->combine = OG_COMBINE_MAX;
    x->action_count = 0;
    if (s->left == 0) { /* a final state: no more acts */
        x->combine = OG_COMBINE_MEAN;
        x->action[x->action_count++] =
            (og_action){.reward = end_value(m, &s->at, s), .weight = 1, .bound = INFINITY};
        return OG_OK;
    }
    for (int32_t i = 0, pair = 0; i < items; i++) {
        for (int32_t j = i + 1; j < items; j++, pair++) {
            for (int32_t w = 0; w == 0 || w < workers; w++) {
                if (og_ranking_answer(&s->at, w, pair) == OG_RANKING_UNASKED) {
                    add_act(x, (uint32_t)((i * items + j) * WORKERS + w));
                }
            }
        }
    }
    return OG_OK;
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

static const void *state(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->shown = outcome == NULL ? (og_ranking_state){m->ranking, s->left, &s->at}
                               : (og_ranking_state){m->ranking, s->left - 1, &s->best};
    return &s->shown;
}

static double measure(const void *self, const og_expansion *x, const og_outcome *outcome)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    double above[ITEMS * ITEMS];
    return og_ranking_masses(&m->ranking->posterior, outcome == NULL ? &s->at : &s->best, above);
}

static double score(const void *self, const og_expansion *x, const og_outcome *outcome,
                    const double *decision)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    (void)outcome;
    return og_ranking_score(m->ranking->posterior.prior.items, s->above, decision);
}

/* The state with so many comparisons left, renamed as in its key. */
static int32_t write_state(const problem *m, const og_ranking_state *at, og_belief *belief,
                           scratch *s, uint64_t *key, double *value)
{
    assert(belief == NULL || belief->bytes == m->names.belief_bytes);
    og_ranking_canonical(&m->names, at->counts, belief != NULL ? belief->at : NULL, s->room,
                         &s->best);
    if (at->left == 0 && !m->keeps_ends) {
        *value = end_value(m, &s->best, s);
        return 0;
    }
    write_key(m, &s->best, at->left, key);
    return key_words(m);
}

static int32_t successor_with(const void *self, const og_expansion *x, const og_outcome *outcome,
                              og_belief *belief, uint64_t *key, double *value)
{
    const problem *m = self;
    scratch *s = x->scratch;
    og_act done = act_of(m, outcome->from);
    int32_t won = outcome->to == 0 ? 0 : 1;
    og_ranking_counts next = s->at;
    og_ranking_add(&m->ranking->posterior.prior, &next, (int32_t)done.part[won],
                   (int32_t)done.part[1 - won], (int32_t)done.part[2]);
    return write_state(m, &(og_ranking_state){m->ranking, s->left - 1, &next}, belief, s, key,
                       value);
}

static int32_t root(const void *self, const og_expansion *x, og_belief *belief, uint64_t *key,
                    double *value)
{
    const problem *m = self;
    scratch *s = x->scratch;
    s->left = m->ranking->budget;
    s->at = m->ranking->start;
    return write_state(m, state(self, x, NULL), belief, s, key, value);
}

static int32_t acts_max(const problem *m)
{
    int32_t workers = m->ranking->posterior.prior.workers;
    return m->ranking->posterior.pairs * (workers > 0 ? workers : 1);
}

/* At most as many as few comparisons can lead to. */
static void make_known(const problem *m, scratch *s)
{
    int32_t bits = m->ranking->budget + 3 < KNOWN_BITS ? m->ranking->budget + 3 : KNOWN_BITS;
    size_t ends = (size_t)1 << bits, items = (size_t)m->ranking->posterior.prior.items;
    s->known = (known_ends){
        .bits = bits,
        .key = og_arena_array(&s->arena, ends * (size_t)key_words(m), sizeof *s->known.key),
        .above = og_arena_array(&s->arena, ends * items * items, sizeof *s->known.above)};
}

static og_status expansion_new(const void *self, og_expansion *x)
{
    const problem *m = self;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    s->room[0] = og_arena_array(&s->arena, m->names.belief_bytes, 1);
    s->room[1] = og_arena_array(&s->arena, m->names.belief_bytes, 1);
    if (!m->keeps_ends) {
        make_known(m, s);
    }
    size_t acts = (size_t)acts_max(m);
    return og_expansion_init(s, acts, 2 * acts, x);
}

static double error_of(const void *self, double value, bool of_q)
{
    const problem *m = self;
    (void)value;
    (void)of_q; /* Q counts from the prior value: together they are at most 1 */
    return og_ranking_error(m->ranking);
}

static og_model model_of(const problem *m)
{
    const og_ranking *ranking = m->ranking;
    return (og_model){
        .self = m,
        .depth_max = ranking->budget + 1 + m->keeps_ends,
        .outcomes_max = 2,
        .key_words_max = key_words(m),
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .prior = ranking->prior,
        .prior_error = og_ranking_error(ranking) * ranking->prior,
        .scale = ranking->mass,
        .bytes = ranking->posterior.bytes,
        .acts_max = acts_max(m),
        .decision_count = ranking->posterior.prior.items,
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

og_status og_ranking_model(const og_ranking *ranking, const og_value_asked *question, og_model *out)
{
    const og_strategy *by = question->by;
    bool belief = by != NULL && by->belief_bytes > 0;
    bool named = og_strategy_keeps_names(by) || (by != NULL && question->ties == OG_TIES_FIRST);
    problem *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->ranking = ranking;
    og_ranking_names_init(&m->names, &ranking->posterior.prior,
                          (question->reductions & OG_REDUCE_SORT) != 0 && !named, -1, -1);
    if (belief) {
        m->names.belief_bytes = by->belief_bytes;
        memcpy(m->names.item_bytes, by->item_bytes, sizeof by->item_bytes);
    }
    m->keeps_ends = (question->reductions & OG_REDUCE_MERGE) != 0 &&
                    (by == NULL || (by->decide == NULL && !belief));
    *out = model_of(m);
    return OG_OK;
}
