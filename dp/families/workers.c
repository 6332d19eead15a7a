/*
 * Keys: a word with the labels left, then the counts of all pairs, three in a word below a bit that
 * keeps it from being 0. When the representative of equivalent states is chosen, the belief is
 * compared too, so that histories that differ only by names meet.
 */
#include "dp/families/workers.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/orders.h"
#include "dp/engine/memo.h"
#include "dp/engine/strategy.h"
#include "dp/families/workers_exact.h"

enum { PAIRS_IN_WORD = 3, PAIR_BITS = 16, WORKERS_IN_WORD = 4, FINALS_BYTES = 1 << 25 };

typedef struct {
    og_arena arena;
    const og_workers_posterior *posterior; /* borrowed */
    bool once;                             /* at most one label for each pair */
    int32_t labels;                        /* that can be given */
    bool reduce; /* merge states that differ by the order of equal instances or workers */
    bool turn;   /* also exchange the labels of a symmetric instance: not if a worker has two coins,
                    which would change places for this instance alone */
    size_t belief_bytes;
    size_t item_bytes[2]; /* of the belief, for an instance and for a worker */
    int32_t key_words;
    og_workers_fractions fractions; /* if they are asked for */
    int32_t order_count;            /* number of orders of workers that keep each in its group */
    uint8_t *orders;                /* [order_count][workers] */
    bool *symmetric;                /* [instances] */
} problem;

/* A state while it is expanded or built. */
typedef struct {
    og_pair_counts *counts; /* [pairs] */
    char *belief;           /* [belief_bytes] */
} workers_record;

typedef struct {
    og_arena arena;
    int32_t left;
    workers_record at, next, best, trial; /* the belief of `at` is not used: zeros */
    og_workers_state shown;
    int32_t *row;        /* [instances] */
    uint64_t *packed[2]; /* [instances] rows of the best arrangement so far, and of another */
    uint64_t *given;     /* [instances] rows of `at` as they are */
    uint64_t *arranged;  /* [order_count][instances] `at` in all orders, if is_arranged */
    bool is_arranged;
    double *positive; /* [instances] of `best`, as far as needed so far */
    double *negative; /* [instances] */
    bool valued;      /* they are those of `best`, which is a final state */
    /* Values of final states by the hash of their keys; made with the first final state. */
    bool tried;
    size_t finals;       /* a power of two; 0: no memory */
    uint64_t *final_key; /* [finals][key_words] */
    double *final_value; /* [finals] */
} scratch;

#include "dp/families/table_model.h"

static int32_t pair_count(const problem *m)
{
    return m->posterior->instances * m->posterior->workers;
}

int32_t og_workers_labels(int64_t instances, int64_t workers, int32_t budget, bool once)
{
    int64_t pairs = instances * workers;
    return once && pairs < budget ? (int32_t)pairs : budget;
}

/* ---- orders of workers ---- */

static og_status make_orders(problem *m)
{
    const og_workers_posterior *p = m->posterior;
    size_t workers = (size_t)p->workers;
    int64_t count =
        m->reduce ? og_orders_count(p->worker_group, p->workers, OG_WORKERS_ORDERS_MAX) : 1;
    count = count > OG_WORKERS_ORDERS_MAX ? 1 : count;
    m->orders = og_arena_array(&m->arena, (size_t)count * workers, sizeof *m->orders);
    OG_TRY(og_arena_status(&m->arena));
    m->order_count = (int32_t)count;
    for (size_t j = 0; j < workers; j++) {
        m->orders[j] = (uint8_t)j;
    }
    for (size_t i = 1; i < (size_t)count; i++) {
        memcpy(&m->orders[i * workers], &m->orders[(i - 1) * workers], workers);
        og_orders_next(p->worker_group, p->workers, &m->orders[i * workers]);
    }
    return OG_OK;
}

/* ---- canonical states ---- */

static og_status find_symmetric(problem *m)
{
    const og_workers_posterior *p = m->posterior;
    m->symmetric = og_arena_array(&m->arena, (size_t)p->instances, sizeof *m->symmetric);
    OG_TRY(og_arena_status(&m->arena));
    for (int32_t i = 0; i < p->instances; i++) {
        const double *ratio = p->instance[p->instance_group[i]];
        m->symmetric[i] = m->turn && m->labels > 0 && ratio[1] == ratio[p->side];
    }
    return OG_OK;
}

static int compare_counts(const og_pair_counts *x, const og_pair_counts *y, int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        int left = x[j].positive << 8 | x[j].negative, right = y[j].positive << 8 | y[j].negative;
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return 0;
}

static char *record_of(const problem *m, char *belief, int32_t instance)
{
    return belief + (size_t)instance * m->item_bytes[0];
}

static char *worker_record(const problem *m, char *belief, int32_t worker)
{
    return record_of(m, belief, m->posterior->instances) + (size_t)worker * m->item_bytes[1];
}

static int compare_rows(const problem *m, const workers_record *record, int32_t x, int32_t y)
{
    int32_t workers = m->posterior->workers;
    int order = compare_counts(&record->counts[x * workers], &record->counts[y * workers], workers);
    if (order != 0 || m->item_bytes[0] == 0) {
        return order;
    }
    return memcmp(record_of(m, record->belief, x), record_of(m, record->belief, y),
                  m->item_bytes[0]);
}

/* Exchanges positive and negative labels of a row if that makes it smaller. */
static void turn_row(og_pair_counts *row, int32_t workers)
{
    og_pair_counts turned[OG_WORKERS_MAX];
    for (int32_t j = 0; j < workers; j++) {
        turned[j] = (og_pair_counts){row[j].negative, row[j].positive};
    }
    if (compare_counts(turned, row, workers) < 0) {
        memcpy(row, turned, (size_t)workers * sizeof *row);
    }
}

/* The state with its workers in this order and its instances sorted. */
static void arrange(const problem *m, const workers_record *from, const uint8_t *order, scratch *s)
{
    const og_workers_posterior *p = m->posterior;
    int32_t workers = p->workers;
    workers_record *sorted = &s->trial, *turned = &s->next;
    for (int32_t i = 0; i < p->instances; i++) {
        og_pair_counts *row = &turned->counts[i * workers];
        for (int32_t j = 0; j < workers; j++) {
            row[j] = from->counts[i * workers + order[j]];
        }
        if (m->symmetric[i]) {
            turn_row(row, workers);
        }
    }
    if (m->belief_bytes > 0) { /* data after the records are unchanged */
        memcpy(turned->belief, from->belief, m->belief_bytes);
        memcpy(sorted->belief, from->belief, m->belief_bytes);
    }
    for (int32_t i = 0; i < p->instances; i++) {
        int32_t at = i;
        while (at > 0 && p->instance_group[at - 1] == p->instance_group[i] &&
               compare_rows(m, turned, i, s->row[at - 1]) < 0) {
            s->row[at] = s->row[at - 1];
            at--;
        }
        s->row[at] = i;
    }
    for (int32_t i = 0; i < p->instances; i++) {
        memcpy(&sorted->counts[i * workers], &turned->counts[s->row[i] * workers],
               (size_t)workers * sizeof *sorted->counts);
        if (m->belief_bytes > 0) {
            memcpy(record_of(m, sorted->belief, i), record_of(m, turned->belief, s->row[i]),
                   m->item_bytes[0]);
        }
    }
    for (int32_t j = 0; m->belief_bytes > 0 && j < workers; j++) {
        memcpy(worker_record(m, sorted->belief, j), worker_record(m, from->belief, order[j]),
               m->item_bytes[1]);
    }
}

static int compare_records(const problem *m, const workers_record *x, const workers_record *y)
{
    int order = compare_counts(x->counts, y->counts, pair_count(m));
    return order != 0 || m->belief_bytes == 0 ? order
                                              : memcmp(x->belief, y->belief, m->belief_bytes);
}

static void copy_record(const problem *m, workers_record *to, const workers_record *from)
{
    memcpy(to->counts, from->counts, (size_t)pair_count(m) * sizeof *to->counts);
    if (m->belief_bytes > 0) {
        memcpy(to->belief, from->belief, m->belief_bytes);
    }
}

/* The counts of a row, in the order of compare_counts. */
static uint64_t pack_row(const og_pair_counts *row, int32_t workers)
{
    uint64_t out = 0;
    for (int32_t j = 0; j < workers; j++) {
        out = out << PAIR_BITS | (uint64_t)row[j].positive << 8 | row[j].negative;
    }
    return out;
}

/* Puts the workers of a row into this order. */
static uint64_t order_packed(uint64_t row, const uint8_t *order, int32_t workers)
{
    uint64_t out = 0;
    for (int32_t j = 0; row != 0 && j < workers; j++) {
        out = out << PAIR_BITS | (row >> PAIR_BITS * (workers - 1 - order[j]) & 0xffff);
    }
    return out;
}

/* As turn_row. */
static uint64_t turn_packed(uint64_t row)
{
    const uint64_t low = UINT64_C(0x00ff00ff00ff00ff);
    uint64_t turned = (row & low) << 8 | (row >> 8 & low);
    return turned < row ? turned : row;
}

/* As `arrange` without a belief: the given rows into packed[instances]. */
static void arrange_packed(const problem *m, const uint64_t *given, const uint8_t *order,
                           uint64_t *packed)
{
    const og_workers_posterior *p = m->posterior;
    for (int32_t i = 0; i < p->instances; i++) {
        uint64_t row = order_packed(given[i], order, p->workers);
        int32_t at = i;
        row = m->symmetric[i] ? turn_packed(row) : row;
        while (at > 0 && p->instance_group[at - 1] == p->instance_group[i] &&
               row < packed[at - 1]) {
            packed[at] = packed[at - 1];
            at--;
        }
        packed[at] = row;
    }
}

/* Arranges `at` in all orders of the workers, for its successors. */
static void arrange_all(const problem *m, scratch *s)
{
    int32_t instances = m->posterior->instances, workers = m->posterior->workers;
    for (int32_t i = 0; i < instances; i++) {
        s->given[i] = pack_row(&s->at.counts[i * workers], workers);
    }
    for (int32_t o = 0; o < m->order_count; o++) {
        arrange_packed(m, s->given, &m->orders[o * workers], &s->arranged[o * instances]);
    }
    s->is_arranged = true;
}

/* Exchanges one row of an instance in an arrangement. */
static void exchange_row(const problem *m, int32_t instance, uint64_t old, uint64_t row,
                         uint64_t *packed)
{
    const int32_t *group = m->posterior->instance_group, own = group[instance];
    int32_t at = instance, instances = m->posterior->instances;
    while (at > 0 && group[at - 1] == own) {
        at--;
    }
    while (packed[at] != old) {
        at++;
    }
    for (; at > 0 && group[at - 1] == own && row < packed[at - 1]; at--) {
        packed[at] = packed[at - 1];
    }
    for (; at + 1 < instances && group[at + 1] == own && row > packed[at + 1]; at++) {
        packed[at] = packed[at + 1];
    }
    packed[at] = row;
}

/* The arrangement in this order of `at` with one more label of an instance; -1: of `at`. */
static void arrange_after(const problem *m, int32_t order, int32_t instance, uint64_t row,
                          scratch *s)
{
    int32_t instances = m->posterior->instances, workers = m->posterior->workers;
    const uint8_t *workers_in_order = &m->orders[order * workers];
    uint64_t *packed = s->packed[1];
    for (int32_t i = 0; i < instances; i++) {
        packed[i] = s->arranged[order * instances + i];
    }
    if (instance >= 0) {
        uint64_t old = order_packed(s->given[instance], workers_in_order, workers);
        row = order_packed(row, workers_in_order, workers);
        bool turn = m->symmetric[instance];
        exchange_row(m, instance, turn ? turn_packed(old) : old, turn ? turn_packed(row) : row,
                     packed);
    }
}

/* As make_canonical, if a row fits into a word and there is no belief: of `at`, of which this
 * instance has had one more label since it was arranged; -1: none has. */
static void make_canonical_packed(const problem *m, int32_t instance, scratch *s)
{
    int32_t instances = m->posterior->instances, workers = m->posterior->workers;
    uint64_t row = instance >= 0 ? pack_row(&s->at.counts[instance * workers], workers) : 0;
    for (int32_t o = 0; o < m->order_count; o++) {
        int32_t i = 0;
        arrange_after(m, o, instance, row, s);
        while (o > 0 && i < instances && s->packed[1][i] == s->packed[0][i]) {
            i++;
        }
        if (o == 0 || (i < instances && s->packed[1][i] < s->packed[0][i])) {
            uint64_t *swap = s->packed[0];
            s->packed[0] = s->packed[1];
            s->packed[1] = swap;
        }
    }
    og_pair_counts *counts = s->best.counts;
    for (int32_t i = 0; i < instances; i++) {
        uint64_t left = s->packed[0][i];
        for (int32_t j = workers - 1; j >= 0; j--, left >>= PAIR_BITS) {
            counts[i * workers + j] = (og_pair_counts){left >> 8 & 0xff, left & 0xff};
        }
    }
}

static bool is_packed(const problem *m)
{
    return m->reduce && m->belief_bytes == 0 && m->posterior->workers <= WORKERS_IN_WORD;
}

/* The representative of all states equivalent to `from`, into s->best. `from` has the counts of
 * s->at; `instance` as above. */
static void make_canonical(const problem *m, const workers_record *from, int32_t instance,
                           scratch *s)
{
    if (!m->reduce) {
        copy_record(m, &s->best, from);
        return;
    }
    if (is_packed(m)) {
        make_canonical_packed(m, instance, s);
        return;
    }
    for (int32_t o = 0; o < m->order_count; o++) {
        arrange(m, from, &m->orders[o * m->posterior->workers], s);
        if (o == 0 || compare_records(m, &s->trial, &s->best) < 0) {
            workers_record swap = s->best;
            s->best = s->trial;
            s->trial = swap;
        }
    }
}

static void write_key(const problem *m, const workers_record *record, int32_t left, uint64_t *key)
{
    int32_t words = 0, pairs = pair_count(m);
    key[words++] = MARK | (uint64_t)left;
    for (int32_t k = 0; k < pairs; k += PAIRS_IN_WORD) {
        uint64_t word = MARK;
        for (int32_t i = 0; i < PAIRS_IN_WORD && k + i < pairs; i++) {
            og_pair_counts c = record->counts[k + i];
            word |= ((uint64_t)c.positive << 8 | c.negative) << (PAIR_BITS * i);
        }
        key[words++] = word;
    }
}

static void read_key(const problem *m, const uint64_t *key, scratch *s)
{
    int32_t pairs = pair_count(m);
    s->left = left_in(key);
    s->is_arranged = false;
    for (int32_t k = 0; k < pairs; k++) {
        uint64_t word = key[1 + k / PAIRS_IN_WORD] >> (PAIR_BITS * (k % PAIRS_IN_WORD));
        s->at.counts[k] = (og_pair_counts){(word >> 8) & 0xff, word & 0xff};
    }
}

/* ---- the model ---- */

static bool can_label(const problem *m, og_pair_counts counts)
{
    return !m->once || counts.positive + counts.negative == 0;
}

/* All pairs that can be labelled; also for the root, which is shown in its own order. */
static og_status expand_shown(const void *self, og_expansion *expansion)
{
    const problem *m = self;
    const scratch *s = expansion->scratch;
    expansion->combine = OG_COMBINE_MAX;
    expansion->action_count = 0;
    for (int32_t k = 0; s->left > 0 && k < pair_count(m); k++) {
        if (can_label(m, s->at.counts[k])) {
            add_act(expansion, (uint32_t)k);
        }
    }
    return OG_OK;
}

static og_act act_of(const problem *m, uint32_t k)
{
    uint32_t workers = (uint32_t)m->posterior->workers;
    return (og_act){{k / workers, k % workers, 0}};
}

static const void *state(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    scratch *s = expansion->scratch;
    (void)self;
    s->shown = outcome == NULL ? (og_workers_state){s->left, s->at.counts}
                               : (og_workers_state){s->left - 1, s->best.counts};
    return &s->shown;
}

static double measure(const void *self, const og_expansion *expansion, const og_outcome *outcome)
{
    const problem *m = self;
    const scratch *s = expansion->scratch;
    double evidence;
    og_workers_evidence(m->posterior, outcome == NULL ? s->at.counts : s->best.counts, &evidence,
                        NULL, NULL);
    return evidence;
}

/* U of the state in `best`, which has no labels left. */
static double value_final(const problem *m, scratch *s)
{
    double evidence, sum = 0;
    og_workers_evidence(m->posterior, s->best.counts, &evidence, s->positive, s->negative);
    for (int32_t i = 0; i < m->posterior->instances; i++) {
        sum += fmax(s->positive[i], s->negative[i]);
    }
    s->valued = true;
    return sum;
}

static void make_finals(const problem *m, scratch *s)
{
    size_t words = (size_t)m->key_words, count = 1;
    double most =
        pow(2.0 * pair_count(m), m->posterior->labels - m->posterior->had); /* histories */
    while ((double)count < most && 2 * count * (words + 1) * sizeof(uint64_t) <= FINALS_BYTES) {
        count *= 2;
    }
    s->tried = true;
    s->final_key = og_arena_array(&s->arena, count * words, sizeof *s->final_key);
    s->final_value = og_arena_array(&s->arena, count, sizeof *s->final_value);
    s->finals = og_arena_status(&s->arena) == OG_OK ? count : 0;
}

/* The same, which costs more than all else, once for all states that lead there. */
static double final_value(const problem *m, scratch *s, uint64_t *key)
{
    size_t words = (size_t)m->key_words;
    if (!s->tried) {
        make_finals(m, s);
    }
    if (s->finals == 0) {
        return value_final(m, s);
    }
    write_key(m, &s->best, 0, key);
    size_t at = og_memo_hash(key, m->key_words) & (s->finals - 1);
    uint64_t *known = s->final_key + at * words;
    s->valued = false;
    if (memcmp(known, key, words * sizeof *key) != 0) {
        s->final_value[at] = value_final(m, s);
        memcpy(known, key, words * sizeof *key);
    }
    return s->final_value[at];
}

static double score(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                    const double *decision)
{
    const problem *m = self;
    scratch *s = expansion->scratch;
    double sum = 0;
    (void)outcome;
    if (!s->valued) {
        value_final(m, s);
    }
    for (int32_t i = 0; i < m->posterior->instances; i++) {
        sum += decision[i] > 0   ? s->positive[i]
               : decision[i] < 0 ? s->negative[i]
                                 : (s->positive[i] + s->negative[i]) / 2;
    }
    return sum;
}

/* The representative of the state in `at` with this belief, in `best`. */
static int32_t write_state(const problem *m, scratch *s, int32_t left, int32_t instance,
                           og_belief *belief, uint64_t *key, double *value)
{
    const workers_record from = {s->at.counts, belief != NULL ? belief->at : s->at.belief};
    assert(belief == NULL || belief->bytes == m->belief_bytes);
    make_canonical(m, &from, instance, s);
    if (belief != NULL) {
        memcpy(belief->at, s->best.belief, m->belief_bytes);
    }
    if (left == 0) {
        *value = final_value(m, s, key);
        return 0;
    }
    write_key(m, &s->best, left, key);
    return m->key_words;
}

static int32_t successor_with(const void *self, const og_expansion *expansion,
                              const og_outcome *outcome, og_belief *belief, uint64_t *key,
                              double *value)
{
    const problem *m = self;
    scratch *s = expansion->scratch;
    og_pair_counts *pair = &s->at.counts[outcome->from];
    uint8_t *count = outcome->to == 0 ? &pair->positive : &pair->negative;
    if (is_packed(m) && !s->is_arranged) {
        arrange_all(m, s);
    }
    ++*count;
    int32_t words = write_state(m, s, s->left - 1, (int32_t)outcome->from / m->posterior->workers,
                                belief, key, value);
    --*count;
    return words;
}

static int32_t root(const void *self, const og_expansion *expansion, og_belief *belief,
                    uint64_t *key, double *value)
{
    const problem *m = self;
    scratch *s = expansion->scratch;
    s->left = m->labels;
    memcpy(s->at.counts, m->posterior->counts, (size_t)pair_count(m) * sizeof *s->at.counts);
    if (is_packed(m)) {
        arrange_all(m, s);
    }
    return write_state(m, s, m->labels, -1, belief, key, value);
}

static workers_record new_record(const problem *m, og_arena *arena)
{
    return (workers_record){og_arena_array(arena, (size_t)pair_count(m), sizeof(og_pair_counts)),
                            og_arena_array(arena, m->belief_bytes, 1)};
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const problem *m = self;
    size_t pairs = (size_t)pair_count(m), instances = (size_t)m->posterior->instances;
    scratch *s = og_arena_new(sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    og_arena *arena = &s->arena;
    s->at = new_record(m, arena);
    s->next = new_record(m, arena);
    s->best = new_record(m, arena);
    s->trial = new_record(m, arena);
    s->row = og_arena_array(arena, instances, sizeof *s->row);
    s->packed[0] = og_arena_array(arena, instances, sizeof **s->packed);
    s->packed[1] = og_arena_array(arena, instances, sizeof **s->packed);
    s->given = og_arena_array(arena, instances, sizeof *s->given);
    s->arranged = og_arena_array(arena, (size_t)m->order_count * instances, sizeof *s->arranged);
    s->positive = og_arena_array(arena, instances, sizeof *s->positive);
    s->negative = og_arena_array(arena, instances, sizeof *s->negative);
    return og_expansion_init(s, pairs, 2 * pairs, expansion);
}

/* A step sums two outcomes and takes the mean of ties. */
static double error_of(const void *self, double value, bool of_q)
{
    const problem *m = self;
    const double u = DBL_EPSILON / 2;
    double instances = m->posterior->instances;
    double leaf =
        og_workers_posterior_error(m->posterior) + m->posterior->chance_error + u * (instances + 2);
    (void)value;
    (void)of_q;
    return 1.02 * instances * (leaf + u * m->labels * (4.0 + pair_count(m))) +
           m->posterior->prior_error; /* gain and Q count from the prior value */
}

/*
 * Errors of U are those at the root, where all evidences sum to 1, times the state's evidence,
 * which bounds that of the states after it. Divided by the evidence they are the root's. To them
 * are added the relative error of the evidence, of a quotient of at most `instances`, and that of
 * the prior value.
 */
static void place(const void *self, const og_expansion *expansion, const og_counts *at,
                  og_state_value *out)
{
    const problem *m = self;
    const og_workers_posterior *p = m->posterior;
    scratch *s = expansion->scratch;
    double sum = 0;
    s->left = at->left;
    for (int32_t k = 0; k < pair_count(m); k++) {
        s->at.counts[k] = (og_pair_counts){(uint8_t)at->positive[k], (uint8_t)at->negative[k]};
    }
    s->is_arranged = false;
    og_workers_evidence(p, s->at.counts, &out->mass, s->positive, s->negative);
    for (int32_t i = 0; i < p->instances; i++) {
        sum += fmax(s->positive[i], s->negative[i]);
    }
    out->prior = sum / out->mass;
    double relative = og_workers_posterior_error(p), u = DBL_EPSILON / 2;
    out->error =
        error_of(self, 0, true) +
        1.02 * p->instances * (3 * relative + p->chance_error + u * (2.0 * p->instances + 8));
}

/* ---- fractions ---- */

static og_status end_exact(const void *self, const og_expansion *x, const og_outcome *outcome,
                           mpq_t out)
{
    const problem *m = self;
    const scratch *s = x->scratch;
    mpq_t evidence;
    mpq_init(evidence);
    og_status status = og_workers_weigh(
        &m->fractions, outcome == NULL ? s->at.counts : s->best.counts, evidence, out);
    mpq_clear(evidence);
    return status;
}

static og_status prior_exact(const void *self, mpq_t out)
{
    const problem *m = self;
    mpq_t evidence;
    mpq_init(evidence);
    og_status status = og_workers_weigh(&m->fractions, m->posterior->counts, evidence, out);
    if (status == OG_OK) {
        mpq_div(out, out, evidence);
    }
    mpq_clear(evidence);
    return status;
}

static og_status scale_exact(const void *self, mpq_t out)
{
    const problem *m = self;
    return og_workers_weigh(&m->fractions, m->posterior->counts, out, NULL);
}

static const og_model_exact exact = {.end = end_exact, .prior = prior_exact, .scale = scale_exact};

static void model_free(void *self)
{
    problem *m = self;
    if (m != NULL) {
        og_workers_fractions_clear(&m->fractions);
    }
    og_arena_free(m);
}

og_status og_workers_model(const og_workers_posterior *posterior, bool once,
                           const og_value_asked *question, og_model *out)
{
    const og_strategy *by = question->by;
    problem *m = og_arena_new(sizeof *m);
    OG_TRY(OG_ALLOCATED(m));
    m->posterior = posterior;
    m->turn = by == NULL && (question->reductions & OG_REDUCE_MERGE) != 0 &&
              posterior->coins == posterior->workers;
    m->once = once;
    m->labels = posterior->labels - posterior->had;
    m->belief_bytes = by != NULL ? by->belief_bytes : 0;
    m->item_bytes[0] = by != NULL ? by->item_bytes[0] : 0;
    m->item_bytes[1] = by != NULL ? by->item_bytes[1] : 0;
    bool named = og_strategy_keeps_names(by);
    bool in_order = by != NULL && question->ties == OG_TIES_FIRST;
    m->reduce = (question->reductions & OG_REDUCE_SORT) != 0 && !in_order && !named;
    m->key_words = 1 + (pair_count(m) + PAIRS_IN_WORD - 1) / PAIRS_IN_WORD;
    og_status status = make_orders(m);
    OG_THEN(status, find_symmetric(m));
    if (question->fractions) {
        OG_THEN(status, og_workers_fractions_init(&m->fractions, posterior));
    }
    if (status != OG_OK) {
        model_free(m);
        return status;
    }
    *out = (og_model){
        .self = m,
        .depth_max = m->labels + 1,
        .outcomes_max = 2,
        .key_words_max = m->key_words,
        .expansion_new = expansion_new,
        .expansion_free = og_expansion_free,
        .expand = expand,
        .successor = successor,
        .prior = posterior->prior,
        .prior_error = posterior->prior_error,
        .acts_max = pair_count(m),
        .decision_count = posterior->instances,
        .error = error_of,
        .root = root,
        .expand_root = expand_shown,
        .place = place,
        .act = act,
        .answer = answer,
        .state = state,
        .successor_with = successor_with,
        .score = score,
        .stage = stage,
        .measure = measure,
        .exact = question->fractions ? &exact : NULL,
        .free = model_free,
    };
    return OG_OK;
}
