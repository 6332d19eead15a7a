/* The recursions of the paper's section 4 as they stand, with a memory over ordered states. */
#include "tests/oracle_delayed.h"

#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle.h"

typedef struct {
    int8_t s, f, w;
} place;

typedef struct {
    int8_t used;
    place at[ORACLE_DELAYED_INSTANCES];
} state;

typedef struct {
    state key;
    mpq_t value;
} entry;

struct oracle_delayed {
    int workers;
    int count;
    int group_count;
    int group_of[ORACLE_DELAYED_INSTANCES];
    mpq_t arrival, service;
    mpq_t *h;  /* [group][s][f] */
    mpq_t *p1; /* [group][s][f] */
    void *memory;
    oracle_delayed_index *index;
    const void *data;
    og_ties ties;
};

enum { SIDE = ORACLE_DELAYED_WORKERS + 1 };

static void *must(void *pointer)
{
    if (pointer == NULL) {
        fputs("oracle: out of memory\n", stderr);
        abort();
    }
    return pointer;
}

static size_t node(int group, int s, int f)
{
    return ((size_t)group * SIDE + (size_t)s) * SIDE + (size_t)f;
}

oracle_delayed *oracle_delayed_new(const og_groups *problem, const mpq_t arrival,
                                   const mpq_t service)
{
    oracle_delayed *oracle = must(calloc(1, sizeof *oracle));
    oracle->workers = problem->budget;
    oracle->group_count = problem->group_count;
    if (problem->budget > ORACLE_DELAYED_WORKERS ||
        og_groups_size(problem) > ORACLE_DELAYED_INSTANCES) {
        abort();
    }
    mpq_inits(oracle->arrival, oracle->service, NULL);
    mpq_set(oracle->arrival, arrival);
    mpq_set(oracle->service, service);
    size_t nodes = node(oracle->group_count, 0, 0);
    oracle->h = must(calloc(nodes + 1, sizeof *oracle->h));
    oracle->p1 = must(calloc(nodes + 1, sizeof *oracle->p1));
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, d = MPQ_NEW, other = MPQ_NEW;
    for (int g = 0; g < oracle->group_count; g++) {
        const og_group *group = og_groups_at(problem, g);
        for (int64_t i = 0; i < group->count; i++) {
            oracle->group_of[oracle->count++] = g;
        }
        for (int s = 0; s < SIDE; s++) {
            for (int f = 0; f < SIDE; f++) {
                mpq_ptr h = oracle->h[node(g, s, f)], p1 = oracle->p1[node(g, s, f)];
                mpq_inits(h, p1, NULL);
                if (s + f > oracle->workers) {
                    continue;
                }
                og_fraction_get_mpq(a, group->a);
                og_fraction_get_mpq(b, group->b);
                og_fraction_get_mpq(d, group->threshold);
                mpq_set_si(other, s, 1);
                mpq_add(a, a, other);
                mpq_set_si(other, f, 1);
                mpq_add(b, b, other);
                oracle_positive(h, a, b, d);
                mpq_set_si(other, 1, 1);
                mpq_sub(other, other, h);
                if (mpq_cmp(other, h) > 0) {
                    mpq_set(h, other);
                }
                mpq_add(other, a, b);
                mpq_div(p1, a, other);
            }
        }
    }
    return oracle;
}

static void free_entry(void *pointer)
{
    entry *e = pointer;
    mpq_clear(e->value);
    free(e);
}

static void forget(oracle_delayed *oracle)
{
    tdestroy(oracle->memory, free_entry);
    oracle->memory = NULL;
}

void oracle_delayed_free(oracle_delayed *oracle)
{
    forget(oracle);
    for (size_t i = 0; i < node(oracle->group_count, 0, 0); i++) {
        mpq_clears(oracle->h[i], oracle->p1[i], NULL);
    }
    free(oracle->h);
    free(oracle->p1);
    mpq_clears(oracle->arrival, oracle->service, NULL);
    free(oracle);
}

static int compare_entries(const void *left, const void *right)
{
    return memcmp(&((const entry *)left)->key, &((const entry *)right)->key, sizeof(state));
}

/* out = p1 * x + (1 - p1) * y; out may be x or y */
static void mean_over_label(mpq_t out, const mpq_t p1, const mpq_t x, const mpq_t y)
{
    OWN_MPQ difference = MPQ_NEW;
    mpq_sub(difference, x, y);
    mpq_mul(difference, difference, p1);
    mpq_add(out, difference, y);
}

/* Expected h after w more labels. */
static void expected_h(const oracle_delayed *oracle, int g, int s, int f, int w, mpq_t out)
{
    if (w == 0) {
        mpq_set(out, oracle->h[node(g, s, f)]);
        return;
    }
    OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
    expected_h(oracle, g, s + 1, f, w - 1, x);
    expected_h(oracle, g, s, f + 1, w - 1, y);
    mean_over_label(out, oracle->p1[node(g, s, f)], x, y);
}

static void value(oracle_delayed *policy, const state *at, mpq_t out);

static void value_if_given(oracle_delayed *oracle, const state *at, int instance, mpq_t out)
{
    state next = *at;
    next.at[instance].w++;
    next.used++;
    value(oracle, &next, out);
}

/* At an arrival. */
static void decide(oracle_delayed *oracle, const state *at, mpq_t out)
{
    OWN_MPQ most = MPQ_NEW, index = MPQ_NEW, each = MPQ_NEW, sum = MPQ_NEW;
    bool tied[ORACLE_DELAYED_INSTANCES] = {false};
    int count = 0;
    for (int i = 0; i < oracle->count; i++) {
        place here = at->at[i];
        int order = 0;
        if (oracle->index != NULL) {
            oracle->index(index, oracle->group_of[i], here.s, here.f, here.w,
                          oracle->workers - at->used, oracle->data);
        }
        order = i == 0 ? 1 : mpq_cmp(index, most);
        if (order > 0) {
            memset(tied, 0, sizeof tied);
            mpq_set(most, index);
            count = 0;
        }
        if (order >= 0) {
            tied[i] = true;
            count++;
        }
    }
    og_ties ties = oracle->index == NULL ? OG_TIES_BEST : oracle->ties;
    bool first = true;
    for (int i = 0; i < oracle->count; i++) {
        if (!tied[i] || (ties == OG_TIES_FIRST && !first)) {
            continue;
        }
        value_if_given(oracle, at, i, each);
        int order = mpq_cmp(each, sum);
        if (ties == OG_TIES_RANDOM) {
            mpq_add(sum, sum, each);
        } else if (first || (ties == OG_TIES_BEST && order > 0) ||
                   (ties == OG_TIES_WORST && order < 0)) {
            mpq_set(sum, each);
        }
        first = false;
    }
    if (ties == OG_TIES_RANDOM) {
        mpq_set_si(each, count, 1);
        mpq_div(sum, sum, each);
    }
    mpq_set(out, sum);
}

/* Between events; also sum H once all workers are placed. */
static void wait_for_event(oracle_delayed *oracle, const state *at, mpq_t out)
{
    OWN_MPQ q = MPQ_NEW, sum = MPQ_NEW, x = MPQ_NEW, y = MPQ_NEW, rate = MPQ_NEW;
    for (int i = 0; at->used == oracle->workers && i < oracle->count; i++) {
        place p = at->at[i];
        expected_h(oracle, oracle->group_of[i], p.s, p.f, p.w, x);
        mpq_add(sum, sum, x);
    }
    if (at->used < oracle->workers) {
        decide(oracle, at, sum);
        mpq_mul(sum, sum, oracle->arrival);
        mpq_set(q, oracle->arrival);
        for (int i = 0; i < oracle->count; i++) {
            place p = at->at[i];
            if (p.w == 0) {
                continue;
            }
            state next = *at;
            next.at[i] = (place){(int8_t)(p.s + 1), p.f, (int8_t)(p.w - 1)};
            value(oracle, &next, x);
            next.at[i] = (place){p.s, (int8_t)(p.f + 1), (int8_t)(p.w - 1)};
            value(oracle, &next, y);
            mean_over_label(x, oracle->p1[node(oracle->group_of[i], p.s, p.f)], x, y);
            mpq_set_si(rate, p.w, 1);
            mpq_mul(rate, rate, oracle->service);
            mpq_add(q, q, rate);
            mpq_mul(x, x, rate);
            mpq_add(sum, sum, x);
        }
        mpq_div(sum, sum, q);
    }
    mpq_set(out, sum);
}

static void value(oracle_delayed *oracle, const state *at, mpq_t out)
{
    entry *made = must(calloc(1, sizeof *made));
    made->key = *at;
    entry *const *known = tfind(made, &oracle->memory, compare_entries);
    if (known != NULL) {
        mpq_set(out, (*known)->value);
        free(made);
        return;
    }
    mpq_init(made->value);
    wait_for_event(oracle, at, made->value);
    mpq_set(out, made->value);
    must(tsearch(made, &oracle->memory, compare_entries));
}

void oracle_delayed_value(oracle_delayed *oracle, oracle_delayed_index *index, const void *data,
                          og_ties ties, mpq_t out)
{
    state root;
    memset(&root, 0, sizeof root);
    forget(oracle);
    oracle->index = index;
    oracle->data = data;
    oracle->ties = ties;
    value(oracle, &root, out);
}

void oracle_delayed_q(oracle_delayed *oracle, int group, mpq_t out)
{
    state root;
    memset(&root, 0, sizeof root);
    forget(oracle);
    oracle->index = NULL;
    int instance = 0;
    while (oracle->group_of[instance] != group) {
        instance++;
    }
    value_if_given(oracle, &root, instance, out);
    for (int i = 0; i < oracle->count; i++) {
        mpq_sub(out, out, oracle->h[node(oracle->group_of[i], 0, 0)]);
    }
}

void oracle_delayed_priced(const oracle_delayed *oracle, int group, mpq_t *price, int s, int f,
                           int at_work, int used, mpq_t out)
{
    if (used == oracle->workers) {
        expected_h(oracle, group, s, f, at_work, out);
        return;
    }
    OWN_MPQ take = MPQ_NEW, other = MPQ_NEW, q = MPQ_NEW, rate = MPQ_NEW;
    oracle_delayed_priced(oracle, group, price, s, f, at_work + 1, used + 1, take);
    mpq_sub(take, take, price[used]);
    oracle_delayed_priced(oracle, group, price, s, f, at_work, used + 1, other);
    if (mpq_cmp(other, take) > 0) {
        mpq_set(take, other);
    }
    mpq_mul(take, take, oracle->arrival);
    mpq_set(q, oracle->arrival);
    if (at_work > 0) {
        OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
        oracle_delayed_priced(oracle, group, price, s + 1, f, at_work - 1, used, x);
        oracle_delayed_priced(oracle, group, price, s, f + 1, at_work - 1, used, y);
        mean_over_label(x, oracle->p1[node(group, s, f)], x, y);
        mpq_set_si(rate, at_work, 1);
        mpq_mul(rate, rate, oracle->service);
        mpq_add(q, q, rate);
        mpq_mul(x, x, rate);
        mpq_add(take, take, x);
    }
    mpq_div(out, take, q);
}
