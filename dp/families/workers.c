/*
 * Keys: a word with the labels left, then the counts of all pairs, three in a word below a bit that
 * keeps it from being 0, then the policy's own state, two words for each number: its upper and its
 * lower half, each below such a bit.
 */
#include "dp/families/workers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/clock.h"
#include "dp/engine/valuation.h"

enum { PAIRS_IN_WORD = 3, PAIR_BITS = 16 };

#define MARK (UINT64_C(1) << 63)

/* A state laid open, or being written. */
typedef struct {
    og_pair_counts *counts; /* [pairs] */
    double *own;            /* [own_count] */
} record;

typedef struct {
    int32_t left;
    record at, next, best, trial;
    double *index;    /* [pairs] */
    bool *pick;       /* [pairs] */
    int32_t *row;     /* [instances] */
    double *positive; /* [instances] */
    double *negative; /* [instances] */
} scratch;

static int32_t pair_count(const og_workers_model *m)
{
    return m->posterior->instances * m->posterior->workers;
}

static int32_t own_count(const og_workers_model *m)
{
    bool remembers = m->policy != NULL && m->policy->remembers;
    return remembers ? 2 * (m->posterior->instances + m->posterior->workers) : 0;
}

int32_t og_workers_labels(int64_t instances, int64_t workers, int32_t budget, bool once)
{
    int64_t pairs = instances * workers;
    return once && pairs < budget ? (int32_t)pairs : budget;
}

double og_workers_histories(const og_workers_model *model)
{
    return pow(2.0 * pair_count(model), model->labels);
}

/* ---- orders of workers ---- */

static int64_t count_orders(const og_workers_posterior *p)
{
    int64_t count = 1;
    int32_t alike = 0;
    for (int32_t j = 0; j < p->workers && count <= OG_WORKERS_ORDERS_MAX; j++) {
        alike = j > 0 && p->worker_group[j] == p->worker_group[j - 1] ? alike + 1 : 1;
        count *= alike;
    }
    return count;
}

/* The next order in dictionary order that keeps groups together; false after the last. */
static bool next_order(const og_workers_posterior *p, uint8_t *order)
{
    for (int32_t end = p->workers; end > 0;) {
        int32_t begin = end - 1;
        while (begin > 0 && p->worker_group[begin - 1] == p->worker_group[begin]) {
            begin--;
        }
        int32_t i = end - 2;
        while (i >= begin && order[i] > order[i + 1]) {
            i--;
        }
        if (i >= begin) {
            int32_t j = end - 1;
            while (order[j] < order[i]) {
                j--;
            }
            uint8_t swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        /* What follows becomes ascending, the whole group where it was the last order. */
        for (int32_t low = i >= begin ? i + 1 : begin, high = end - 1; low < high; low++, high--) {
            uint8_t swap = order[low];
            order[low] = order[high];
            order[high] = swap;
        }
        if (i >= begin) {
            return true;
        }
        end = begin;
    }
    return false;
}

static og_status make_orders(og_workers_model *m)
{
    const og_workers_posterior *p = m->posterior;
    size_t workers = (size_t)p->workers;
    int64_t count = m->reduce ? count_orders(p) : 1;
    count = count > OG_WORKERS_ORDERS_MAX ? 1 : count;
    m->orders = calloc((size_t)count * workers, sizeof *m->orders);
    if (m->orders == NULL) {
        return OG_NO_MEMORY;
    }
    m->order_count = (int32_t)count;
    for (size_t j = 0; j < workers; j++) {
        m->orders[j] = (uint8_t)j;
    }
    for (size_t i = 1; i < (size_t)count; i++) {
        memcpy(&m->orders[i * workers], &m->orders[(i - 1) * workers], workers);
        next_order(p, &m->orders[i * workers]);
    }
    return OG_OK;
}

og_status og_workers_model_init(og_workers_model *out, const og_workers_posterior *posterior,
                                const og_workers_policy *policy, og_ties ties, bool once,
                                bool own_calls, unsigned reductions)
{
    bool in_order = policy != NULL && ties == OG_TIES_FIRST;
    og_workers_model made = {.posterior = posterior,
                             .policy = policy,
                             .ties = ties,
                             .once = once,
                             .labels = posterior->labels,
                             .own_calls = own_calls && policy != NULL && policy->call != NULL,
                             .reduce = (reductions & OG_REDUCE_SORT) != 0 && !in_order};
    made.key_words =
        1 + (pair_count(&made) + PAIRS_IN_WORD - 1) / PAIRS_IN_WORD + 2 * own_count(&made);
    og_status status = make_orders(&made);
    if (status == OG_OK) {
        *out = made;
    }
    return status;
}

void og_workers_model_clear(og_workers_model *model)
{
    free(model->orders);
    memset(model, 0, sizeof *model);
}

/* ---- canonical states ---- */

static bool is_symmetric(const og_workers_model *m, int32_t instance)
{
    const og_workers_posterior *p = m->posterior;
    const double *ratio = p->instance[p->instance_group[instance]];
    return m->policy == NULL && m->labels > 0 && ratio[1] == ratio[p->side];
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

static int compare_rows(const og_workers_model *m, const record *of, int32_t x, int32_t y)
{
    int32_t workers = m->posterior->workers;
    int order = compare_counts(&of->counts[x * workers], &of->counts[y * workers], workers);
    if (order != 0 || own_count(m) == 0) {
        return order;
    }
    return memcmp(&of->own[(size_t)2 * (size_t)x], &of->own[(size_t)2 * (size_t)y],
                  2 * sizeof(double));
}

/* Positive and negative labels of a row exchanged if that makes it smaller. */
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
static void arrange(const og_workers_model *m, const record *from, const uint8_t *order, scratch *s)
{
    const og_workers_posterior *p = m->posterior;
    int32_t workers = p->workers;
    record *sorted = &s->trial, *turned = &s->next;
    for (int32_t i = 0; i < p->instances; i++) {
        og_pair_counts *row = &turned->counts[i * workers];
        for (int32_t j = 0; j < workers; j++) {
            row[j] = from->counts[i * workers + order[j]];
        }
        if (is_symmetric(m, i)) {
            turn_row(row, workers);
        }
    }
    if (own_count(m) > 0) {
        memcpy(turned->own, from->own, 2 * (size_t)p->instances * sizeof(double));
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
        if (own_count(m) > 0) {
            memcpy(&sorted->own[2 * i], &turned->own[2 * s->row[i]], 2 * sizeof(double));
        }
    }
    for (int32_t j = 0; own_count(m) > 0 && j < workers; j++) {
        memcpy(&sorted->own[2 * (p->instances + j)], &from->own[2 * (p->instances + order[j])],
               2 * sizeof(double));
    }
}

static int compare_records(const og_workers_model *m, const record *x, const record *y)
{
    int order = compare_counts(x->counts, y->counts, pair_count(m));
    if (order != 0 || own_count(m) == 0) {
        return order;
    }
    return memcmp(x->own, y->own, (size_t)own_count(m) * sizeof(double));
}

static void copy_record(const og_workers_model *m, record *to, const record *from)
{
    memcpy(to->counts, from->counts, (size_t)pair_count(m) * sizeof *to->counts);
    if (own_count(m) > 0) {
        memcpy(to->own, from->own, (size_t)own_count(m) * sizeof(double));
    }
}

/* The state that stands for all that are alike to `from`, into s->best. `from` is none of s->next,
 * s->trial, s->best. */
static void make_canonical(const og_workers_model *m, const record *from, scratch *s)
{
    if (!m->reduce) {
        copy_record(m, &s->best, from);
        return;
    }
    for (int32_t o = 0; o < m->order_count; o++) {
        arrange(m, from, &m->orders[o * m->posterior->workers], s);
        if (o == 0 || compare_records(m, &s->trial, &s->best) < 0) {
            record swap = s->best;
            s->best = s->trial;
            s->trial = swap;
        }
    }
}

static void write_key(const og_workers_model *m, const record *of, int32_t left, uint64_t *key)
{
    int32_t words = 0, pairs = pair_count(m);
    key[words++] = MARK | (uint64_t)left;
    for (int32_t k = 0; k < pairs; k += PAIRS_IN_WORD) {
        uint64_t word = MARK;
        for (int32_t i = 0; i < PAIRS_IN_WORD && k + i < pairs; i++) {
            og_pair_counts c = of->counts[k + i];
            word |= ((uint64_t)c.positive << 8 | c.negative) << (PAIR_BITS * i);
        }
        key[words++] = word;
    }
    for (int32_t k = 0; k < own_count(m); k++) {
        uint64_t bits;
        memcpy(&bits, &of->own[k], sizeof bits);
        key[words++] = MARK | bits >> 32;
        key[words++] = MARK | (bits & UINT32_MAX);
    }
}

static void read_key(const og_workers_model *m, const uint64_t *key, scratch *s)
{
    int32_t words = 1, pairs = pair_count(m);
    s->left = (int32_t)(key[0] & ~MARK);
    for (int32_t k = 0; k < pairs; k++) {
        uint64_t word = key[words + k / PAIRS_IN_WORD] >> (PAIR_BITS * (k % PAIRS_IN_WORD));
        s->at.counts[k] = (og_pair_counts){(word >> 8) & 0xff, word & 0xff};
    }
    words += (pairs + PAIRS_IN_WORD - 1) / PAIRS_IN_WORD;
    for (int32_t k = 0; k < own_count(m); k++) {
        uint64_t bits = key[words + 2 * k] << 32 | (key[words + 2 * k + 1] & UINT32_MAX);
        memcpy(&s->at.own[k], &bits, sizeof bits);
    }
}

/* ---- the model ---- */

static bool can_label(const og_workers_model *m, og_pair_counts counts)
{
    return !m->once || counts.positive + counts.negative == 0;
}

/* The pairs that are tied for the policy's choice, or all that are open. */
static void choose(const og_workers_model *m, scratch *s)
{
    int32_t pairs = pair_count(m);
    double most = -INFINITY;
    if (m->policy != NULL) {
        m->policy->index(m->policy->self, s->at.counts, own_count(m) > 0 ? s->at.own : NULL,
                         s->index);
    }
    for (int32_t k = 0; m->policy != NULL && k < pairs; k++) {
        if (can_label(m, s->at.counts[k])) {
            most = fmax(most, s->index[k]);
        }
    }
    bool found = false;
    for (int32_t k = 0; k < pairs; k++) {
        bool tied = m->policy == NULL || s->index[k] >= most - OG_WORKERS_TIE;
        bool taken = m->policy != NULL && m->ties == OG_TIES_FIRST && found;
        s->pick[k] = can_label(m, s->at.counts[k]) && tied && !taken;
        found = found || s->pick[k];
    }
}

static og_status expand(const void *self, const uint64_t *key, int32_t words,
                        og_expansion *expansion)
{
    static const og_combine combine_of[OG_TIES_COUNT] = {
        [OG_TIES_RANDOM] = OG_COMBINE_MEAN,
        [OG_TIES_FIRST] = OG_COMBINE_MEAN,
        [OG_TIES_BEST] = OG_COMBINE_MAX,
        [OG_TIES_WORST] = OG_COMBINE_MIN,
    };
    const og_workers_model *m = self;
    scratch *s = expansion->scratch;
    int32_t count = 0;
    (void)words;
    read_key(m, key, s);
    choose(m, s);
    for (int32_t k = 0; k < pair_count(m); k++) {
        if (!s->pick[k]) {
            continue;
        }
        expansion->action[count] = (og_action){
            .weight = 1, .bound = INFINITY, .outcome_first = 2 * count, .outcome_count = 2};
        for (uint32_t sign = 0; sign < 2; sign++) {
            expansion->outcome[2 * count + (int32_t)sign] =
                (og_outcome){.probability = 1, .bound = INFINITY, .from = (uint32_t)k, .to = sign};
        }
        count++;
    }
    expansion->combine = m->policy == NULL ? OG_COMBINE_MAX : combine_of[m->ties];
    expansion->action_count = count;
    return OG_OK;
}

/* U of a state without labels left. */
static double final_value(const og_workers_model *m, const record *of, scratch *s)
{
    double evidence, sum = 0;
    og_workers_evidence(m->posterior, of->counts, &evidence, s->positive, s->negative);
    for (int32_t i = 0; i < m->posterior->instances; i++) {
        if (m->own_calls) {
            sum += m->policy->call(m->policy->self, of->own, i) ? s->positive[i] : s->negative[i];
        } else {
            sum += fmax(s->positive[i], s->negative[i]);
        }
    }
    return sum;
}

/* The state after a label of the pair, into s->best. */
static void label_pair(const og_workers_model *m, scratch *s, uint32_t k, bool positive)
{
    int32_t workers = m->posterior->workers;
    double before[2 * (OG_WORKERS_INSTANCES_MAX + OG_WORKERS_MAX)];
    size_t own_bytes = (size_t)own_count(m) * sizeof(double);
    og_pair_counts counts = s->at.counts[k];
    if (positive) {
        s->at.counts[k].positive++;
    } else {
        s->at.counts[k].negative++;
    }
    if (own_bytes > 0) {
        memcpy(before, s->at.own, own_bytes);
        m->policy->update(m->policy->self, s->at.own, (int32_t)k / workers, (int32_t)k % workers,
                          positive);
    }
    make_canonical(m, &s->at, s);
    s->at.counts[k] = counts;
    if (own_bytes > 0) {
        memcpy(s->at.own, before, own_bytes);
    }
}

static int32_t successor(const void *self, const og_expansion *expansion, const og_outcome *outcome,
                         uint64_t *key, double *value)
{
    const og_workers_model *m = self;
    scratch *s = expansion->scratch;
    label_pair(m, s, outcome->from, outcome->to == 0);
    if (s->left == 1) {
        *value = final_value(m, &s->best, s);
        return 0;
    }
    write_key(m, &s->best, s->left - 1, key);
    return m->key_words;
}

static void free_record(record *of)
{
    free(of->counts);
    free(of->own);
}

static void expansion_free(og_expansion *expansion)
{
    scratch *s = expansion->scratch;
    if (s != NULL) {
        free_record(&s->at);
        free_record(&s->next);
        free_record(&s->best);
        free_record(&s->trial);
        free(s->index);
        free(s->pick);
        free(s->row);
        free(s->positive);
        free(s->negative);
    }
    free(s);
    free(expansion->action);
    free(expansion->outcome);
    memset(expansion, 0, sizeof *expansion);
}

static bool new_record(const og_workers_model *m, record *out)
{
    out->counts = calloc((size_t)pair_count(m), sizeof *out->counts);
    out->own = calloc((size_t)own_count(m) + 1, sizeof *out->own);
    return out->counts != NULL && out->own != NULL;
}

static og_status expansion_new(const void *self, og_expansion *expansion)
{
    const og_workers_model *m = self;
    size_t pairs = (size_t)pair_count(m), instances = (size_t)m->posterior->instances;
    memset(expansion, 0, sizeof *expansion);
    expansion->action = calloc(pairs, sizeof *expansion->action);
    expansion->outcome = calloc(2 * pairs, sizeof *expansion->outcome);
    scratch *s = calloc(1, sizeof *s);
    expansion->scratch = s;
    bool made = expansion->action != NULL && expansion->outcome != NULL && s != NULL;
    if (made) {
        s->index = calloc(pairs, sizeof *s->index);
        s->pick = calloc(pairs, sizeof *s->pick);
        s->row = calloc(instances, sizeof *s->row);
        s->positive = calloc(instances, sizeof *s->positive);
        s->negative = calloc(instances, sizeof *s->negative);
        made = s->index != NULL && s->pick != NULL && s->row != NULL && s->positive != NULL &&
               s->negative != NULL && new_record(m, &s->at) && new_record(m, &s->next) &&
               new_record(m, &s->best) && new_record(m, &s->trial);
    }
    if (!made) {
        expansion_free(expansion);
        return OG_NO_MEMORY;
    }
    return OG_OK;
}

static og_model model_of(const og_workers_model *m)
{
    return (og_model){
        .self = m,
        .depth_max = m->labels + 1,
        .outcomes_max = 2,
        .key_words_max = m->key_words,
        .expansion_new = expansion_new,
        .expansion_free = expansion_free,
        .expand = expand,
        .successor = successor,
    };
}

/* ---- values ---- */

/* The root, laid out in an expansion's scratch. */
static void lay_root(const og_workers_model *m, og_expansion *expansion)
{
    scratch *s = expansion->scratch;
    s->left = m->labels;
    if (own_count(m) > 0) {
        m->policy->start(m->policy->self, s->at.own);
    }
}

/*
 * Absolute: the evidences of what can be reached sum to 1, whatever is done, and each of the
 * instances counts at most once. A step sums two outcomes and takes the mean of the tied.
 */
static double value_error(const og_workers_model *m)
{
    const double u = DBL_EPSILON / 2;
    double instances = m->posterior->instances;
    double leaf =
        og_workers_posterior_error(m->posterior) + m->posterior->chance_error + u * (instances + 2);
    return 1.02 * instances * (leaf + u * m->labels * (4.0 + pair_count(m)));
}

static og_status run(const og_workers_model *m, const og_settings *settings, og_expansion *root,
                     og_result *result, og_message *message)
{
    double start = og_seconds();
    scratch *s = root->scratch;
    lay_root(m, root);
    make_canonical(m, &s->at, s);
    og_result found = {.value = 0};
    double value_only = 0;
    og_status status = OG_OK;
    if (m->labels == 0) {
        value_only = final_value(m, &s->best, s);
        found.seconds = og_seconds() - start;
    } else {
        og_model model = model_of(m);
        uint64_t *key = calloc((size_t)m->key_words, sizeof *key);
        if (key == NULL) {
            return OG_NO_MEMORY;
        }
        write_key(m, &s->best, m->labels, key);
        const og_model_root of = {.model = &model, .key = key, .words = m->key_words};
        status = og_model_value(&of, settings, &found, message);
        value_only = found.value;
        free(key);
    }
    if (status == OG_OK || status == OG_STOPPED) {
        *result = found;
    }
    if (status == OG_OK) {
        /* What calls without labels are worth is exact; a policy may do worse. */
        result->value = value_only;
        result->gain = value_only - m->posterior->call;
        result->error_bound = value_error(m) + m->posterior->call_error;
    }
    return status;
}

og_status og_workers_value(const og_workers_model *model, const og_settings *settings,
                           og_result *result, og_message *message)
{
    og_expansion root;
    og_status status = expansion_new(model, &root);
    if (status == OG_OK) {
        status = run(model, settings, &root, result, message);
        expansion_free(&root);
    }
    return status;
}

static og_status value_pairs(const og_workers_model *m, og_valuation *valuation, og_expansion *root,
                             double *q, og_message *message)
{
    scratch *s = root->scratch;
    og_engine_info info = {0, 0};
    og_status status = OG_OK;
    uint64_t *key = calloc((size_t)m->key_words, sizeof *key);
    if (key == NULL) {
        return OG_NO_MEMORY;
    }
    lay_root(m, root);
    for (int32_t k = 0; status == OG_OK && k < pair_count(m); k++) {
        q[k] = -m->posterior->call;
        for (int sign = 0; status == OG_OK && sign < 2; sign++) {
            double value = 0;
            label_pair(m, s, (uint32_t)k, sign == 0);
            if (m->labels == 1) {
                value = final_value(m, &s->best, s);
            } else {
                write_key(m, &s->best, m->labels - 1, key);
                status = og_valuation_run(valuation, key, m->key_words, &value, &info, message);
            }
            q[k] += value;
        }
    }
    free(key);
    return status;
}

og_status og_workers_q(const og_workers_model *model, const og_settings *settings, double *q,
                       double *error, og_message *message)
{
    if (model->labels < 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "with no labels left there is nothing to choose");
    }
    og_model of = model_of(model);
    og_valuation valuation = {.memo = NULL};
    og_expansion root;
    double *found = calloc((size_t)pair_count(model), sizeof *found);
    og_status status = found != NULL ? expansion_new(model, &root) : OG_NO_MEMORY;
    if (status != OG_OK) {
        free(found);
        return status;
    }
    status = og_valuation_init(&valuation, &of, settings, 0, message);
    if (status == OG_OK) {
        status = value_pairs(model, &valuation, &root, found, message);
    }
    if (status == OG_OK) {
        memcpy(q, found, (size_t)pair_count(model) * sizeof *q);
        *error = value_error(model) + model->posterior->call_error;
    }
    og_valuation_clear(&valuation);
    expansion_free(&root);
    free(found);
    return status;
}

og_status og_workers_picks(const og_workers_model *model, bool *pick)
{
    og_expansion root;
    og_status status = expansion_new(model, &root);
    if (status != OG_OK) {
        return status;
    }
    scratch *s = root.scratch;
    lay_root(model, &root);
    choose(model, s);
    memcpy(pick, s->pick, (size_t)pair_count(model) * sizeof *pick);
    expansion_free(&root);
    return OG_OK;
}
