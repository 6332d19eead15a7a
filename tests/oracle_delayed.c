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
    oracle_delayed *of = must(calloc(1, sizeof *of));
    of->workers = problem->budget;
    of->group_count = problem->group_count;
    if (problem->budget > ORACLE_DELAYED_WORKERS ||
        og_groups_size(problem) > ORACLE_DELAYED_INSTANCES) {
        abort();
    }
    mpq_inits(of->arrival, of->service, NULL);
    mpq_set(of->arrival, arrival);
    mpq_set(of->service, service);
    size_t nodes = node(of->group_count, 0, 0);
    of->h = must(calloc(nodes + 1, sizeof *of->h));
    of->p1 = must(calloc(nodes + 1, sizeof *of->p1));
    OWN_MPQ a = MPQ_NEW, b = MPQ_NEW, d = MPQ_NEW, other = MPQ_NEW;
    for (int g = 0; g < of->group_count; g++) {
        const og_group *group = &problem->groups[g];
        for (int64_t i = 0; i < group->count; i++) {
            of->group_of[of->count++] = g;
        }
        for (int s = 0; s < SIDE; s++) {
            for (int f = 0; f < SIDE; f++) {
                mpq_ptr h = of->h[node(g, s, f)], p1 = of->p1[node(g, s, f)];
                mpq_inits(h, p1, NULL);
                if (s + f > of->workers) {
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
    return of;
}

static void free_entry(void *pointer)
{
    entry *e = pointer;
    mpq_clear(e->value);
    free(e);
}

static void forget(oracle_delayed *of)
{
    tdestroy(of->memory, free_entry);
    of->memory = NULL;
}

void oracle_delayed_free(oracle_delayed *of)
{
    forget(of);
    for (size_t i = 0; i < node(of->group_count, 0, 0); i++) {
        mpq_clears(of->h[i], of->p1[i], NULL);
    }
    free(of->h);
    free(of->p1);
    mpq_clears(of->arrival, of->service, NULL);
    free(of);
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
static void expected_h(const oracle_delayed *of, int g, int s, int f, int w, mpq_t out)
{
    if (w == 0) {
        mpq_set(out, of->h[node(g, s, f)]);
        return;
    }
    OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
    expected_h(of, g, s + 1, f, w - 1, x);
    expected_h(of, g, s, f + 1, w - 1, y);
    mean_over_label(out, of->p1[node(g, s, f)], x, y);
}

static void value(oracle_delayed *of, const state *at, mpq_t out);

static void value_if_given(oracle_delayed *of, const state *at, int instance, mpq_t out)
{
    state next = *at;
    next.at[instance].w++;
    next.used++;
    value(of, &next, out);
}

/* At an arrival. */
static void decide(oracle_delayed *of, const state *at, mpq_t out)
{
    OWN_MPQ most = MPQ_NEW, index = MPQ_NEW, each = MPQ_NEW, sum = MPQ_NEW;
    bool tied[ORACLE_DELAYED_INSTANCES] = {false};
    int count = 0;
    for (int i = 0; i < of->count; i++) {
        place here = at->at[i];
        int order = 0;
        if (of->index != NULL) {
            of->index(index, of->group_of[i], here.s, here.f, here.w, of->workers - at->used,
                      of->data);
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
    og_ties ties = of->index == NULL ? OG_TIES_BEST : of->ties;
    bool first = true;
    for (int i = 0; i < of->count; i++) {
        if (!tied[i] || (ties == OG_TIES_FIRST && !first)) {
            continue;
        }
        value_if_given(of, at, i, each);
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
static void wait_for_event(oracle_delayed *of, const state *at, mpq_t out)
{
    OWN_MPQ q = MPQ_NEW, sum = MPQ_NEW, x = MPQ_NEW, y = MPQ_NEW, rate = MPQ_NEW;
    for (int i = 0; at->used == of->workers && i < of->count; i++) {
        place p = at->at[i];
        expected_h(of, of->group_of[i], p.s, p.f, p.w, x);
        mpq_add(sum, sum, x);
    }
    if (at->used < of->workers) {
        decide(of, at, sum);
        mpq_mul(sum, sum, of->arrival);
        mpq_set(q, of->arrival);
        for (int i = 0; i < of->count; i++) {
            place p = at->at[i];
            if (p.w == 0) {
                continue;
            }
            state next = *at;
            next.at[i] = (place){(int8_t)(p.s + 1), p.f, (int8_t)(p.w - 1)};
            value(of, &next, x);
            next.at[i] = (place){p.s, (int8_t)(p.f + 1), (int8_t)(p.w - 1)};
            value(of, &next, y);
            mean_over_label(x, of->p1[node(of->group_of[i], p.s, p.f)], x, y);
            mpq_set_si(rate, p.w, 1);
            mpq_mul(rate, rate, of->service);
            mpq_add(q, q, rate);
            mpq_mul(x, x, rate);
            mpq_add(sum, sum, x);
        }
        mpq_div(sum, sum, q);
    }
    mpq_set(out, sum);
}

static void value(oracle_delayed *of, const state *at, mpq_t out)
{
    entry *made = must(calloc(1, sizeof *made));
    made->key = *at;
    entry *const *known = tfind(made, &of->memory, compare_entries);
    if (known != NULL) {
        mpq_set(out, (*known)->value);
        free(made);
        return;
    }
    mpq_init(made->value);
    wait_for_event(of, at, made->value);
    mpq_set(out, made->value);
    must(tsearch(made, &of->memory, compare_entries));
}

void oracle_delayed_value(oracle_delayed *of, oracle_delayed_index *index, const void *data,
                          og_ties ties, mpq_t out)
{
    state root;
    memset(&root, 0, sizeof root);
    forget(of);
    of->index = index;
    of->data = data;
    of->ties = ties;
    value(of, &root, out);
}

void oracle_delayed_q(oracle_delayed *of, int group, mpq_t out)
{
    state root;
    memset(&root, 0, sizeof root);
    forget(of);
    of->index = NULL;
    int instance = 0;
    while (of->group_of[instance] != group) {
        instance++;
    }
    value_if_given(of, &root, instance, out);
    for (int i = 0; i < of->count; i++) {
        mpq_sub(out, out, of->h[node(of->group_of[i], 0, 0)]);
    }
}

void oracle_delayed_priced(const oracle_delayed *of, int group, mpq_t *price, int s, int f,
                           int at_work, int used, mpq_t out)
{
    if (used == of->workers) {
        expected_h(of, group, s, f, at_work, out);
        return;
    }
    OWN_MPQ take = MPQ_NEW, other = MPQ_NEW, q = MPQ_NEW, rate = MPQ_NEW;
    oracle_delayed_priced(of, group, price, s, f, at_work + 1, used + 1, take);
    mpq_sub(take, take, price[used]);
    oracle_delayed_priced(of, group, price, s, f, at_work, used + 1, other);
    if (mpq_cmp(other, take) > 0) {
        mpq_set(take, other);
    }
    mpq_mul(take, take, of->arrival);
    mpq_set(q, of->arrival);
    if (at_work > 0) {
        OWN_MPQ x = MPQ_NEW, y = MPQ_NEW;
        oracle_delayed_priced(of, group, price, s + 1, f, at_work - 1, used, x);
        oracle_delayed_priced(of, group, price, s, f + 1, at_work - 1, used, y);
        mean_over_label(x, of->p1[node(group, s, f)], x, y);
        mpq_set_si(rate, at_work, 1);
        mpq_mul(rate, rate, of->service);
        mpq_add(q, q, rate);
        mpq_mul(x, x, rate);
        mpq_add(take, take, x);
    }
    mpq_div(out, take, q);
}
