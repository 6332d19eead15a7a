#include "tests/oracle_classes.h"
#include "tests/fractions.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 10 };

/* The entry of a state: the missing arrivals of each class, in a mixed radix. */
static size_t entry_of(int classes, const int *a, const int *missing)
{
    size_t entry = 0;
    for (int c = 0; c < classes; c++) {
        entry = entry * (size_t)(a[c] + 1) + (size_t)missing[c];
    }
    return entry;
}

/* Count up; false after the last state. Smaller entries come first, so that what an arrival leads
 * to is known. */
static bool next_state(int classes, const int *a, int *missing)
{
    int c = classes - 1;
    while (c >= 0 && missing[c] == a[c]) {
        missing[c--] = 0;
    }
    if (c < 0) {
        return false;
    }
    missing[c]++;
    return true;
}

static void value_of_state(int classes, const int *a, int class_, int *missing, mpq_t *table)
{
    mpq_ptr value = table[entry_of(classes, a, missing)];
    unsigned running = 0;
    for (int c = 0; c < classes; c++) {
        running += missing[c] > 0;
    }
    mpq_set_ui(value, 0, 1);
    if (missing[class_] == 0) {
        return;
    }
    if (running == 1) {
        mpq_set_ui(value, 1, 1);
        return;
    }
    for (int c = 0; c < classes; c++) {
        if (missing[c] == 0) {
            continue;
        }
        missing[c]--;
        mpq_add(value, value, table[entry_of(classes, a, missing)]);
        missing[c]++;
    }
    OWN_MPQ share = MPQ_NEW;
    mpq_set_ui(share, 1, running);
    mpq_mul(value, value, share);
}

void oracle_last_of_race(int classes, const int *a, int class_, mpq_t out)
{
    size_t states = 1;
    int missing[CLASSES] = {0};
    for (int c = 0; c < classes; c++) {
        states *= (size_t)(a[c] + 1);
    }
    mpq_t *table = malloc(states * sizeof *table);
    if (table == NULL) {
        abort();
    }
    for (size_t i = 0; i < states; i++) {
        mpq_init(table[i]);
    }
    do {
        value_of_state(classes, a, class_, missing, table);
    } while (next_state(classes, a, missing));
    mpq_set(out, table[states - 1]);
    for (size_t i = 0; i < states; i++) {
        mpq_clear(table[i]);
    }
    free(table);
}

void oracle_class_call(int classes, const int *a, mpq_t out)
{
    OWN_MPQ chance = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int c = 0; c < classes; c++) {
        oracle_last_of_race(classes, a, c, chance);
        if (mpq_cmp(chance, out) > 0) {
            mpq_set(out, chance);
        }
    }
}

enum { GAUSS_POINTS = 24 };

/* A posterior's numbers as balls, and the nodes and weights of Gauss and Legendre. */
typedef struct {
    int classes, class_;
    slong precision;
    arb_t a[CLASSES], gamma;
    arb_t node[GAUSS_POINTS], weight[GAUSS_POINTS];
} quadrature;

static void quadrature_init(quadrature *q, int classes, const og_fraction *a, int class_,
                            slong precision)
{
    q->classes = classes;
    q->class_ = class_;
    q->precision = precision;
    for (int c = 0; c < classes; c++) {
        arb_init(q->a[c]);
        arb_set_si(q->a[c], a[c].num);
        arb_div_si(q->a[c], q->a[c], a[c].den, precision);
    }
    arb_init(q->gamma);
    arb_lgamma(q->gamma, q->a[class_], precision);
    for (int i = 0; i < GAUSS_POINTS; i++) {
        arb_init(q->node[i]);
        arb_init(q->weight[i]);
        arb_hypgeom_legendre_p_ui_root(q->node[i], q->weight[i], GAUSS_POINTS, (ulong)i, precision);
    }
}

static void quadrature_clear(quadrature *q)
{
    for (int c = 0; c < q->classes; c++) {
        arb_clear(q->a[c]);
    }
    arb_clear(q->gamma);
    for (int i = 0; i < GAUSS_POINTS; i++) {
        arb_clear(q->node[i]);
        arb_clear(q->weight[i]);
    }
}

/* x f(x) times the others' F(x) at x = e^t. */
static void integrand(const quadrature *q, const arb_t t, arb_t out)
{
    arb_t x, value;
    arb_init(x);
    arb_init(value);
    arb_exp(x, t, q->precision);
    arb_mul(out, q->a[q->class_], t, q->precision);
    arb_sub(out, out, x, q->precision);
    arb_sub(out, out, q->gamma, q->precision);
    arb_exp(out, out, q->precision);
    for (int c = 0; c < q->classes; c++) {
        if (c == q->class_) {
            continue;
        }
        arb_hypgeom_gamma_lower(value, q->a[c], x, 1, q->precision);
        arb_mul(out, out, value, q->precision);
    }
    arb_clear(x);
    arb_clear(value);
}

/* By panels of the same width. */
static void integrate(const quadrature *q, double low, double high, int panels, arb_t out)
{
    arb_t t, value;
    arb_init(t);
    arb_init(value);
    arb_zero(out);
    /* Multiples of 2^-20, so that panels meet exactly. */
    double half = ldexp(ceil(ldexp((high - low) / (2 * panels), 20)), -20);
    low = ldexp(floor(ldexp(low, 20)), -20);
    for (int i = 0; i < panels; i++) {
        for (int j = 0; j < GAUSS_POINTS; j++) {
            arb_set_d(value, half);
            arb_mul(t, q->node[j], value, q->precision);
            arb_set_d(value, low + half * (2 * i + 1));
            arb_add(t, t, value, q->precision);
            integrand(q, t, value);
            arb_addmul(out, value, q->weight[j], q->precision);
        }
    }
    arb_set_d(value, half);
    arb_mul(out, out, value, q->precision);
    arb_clear(t);
    arb_clear(value);
}

void oracle_class_chance(int classes, const og_fraction *a, int class_, arb_t out)
{
    quadrature q;
    arb_t finer;
    double total = 0, own = og_fraction_double(a[class_]), most = 0;
    for (int c = 0; c < classes; c++) {
        total += og_fraction_double(a[c]);
        most = fmax(most, og_fraction_double(a[c]));
    }
    /* To the left g <= a product of x^a / Gamma(a+1), to the right no more than the own density;
     * 60 is the logarithm of 10^-26. */
    double low = log(total / classes) - 60 / total - 3, high = log(own + 120 + 16 * sqrt(own));
    if (classes * 60 / most < 4) { /* narrow: where the largest one grows from nothing */
        low = fmax(low, log(most) - 16 / sqrt(most));
    }
    int panels = 4 + (int)((high - low) * (1 + sqrt(total) / 4));
    /* Arb 2.23 loses bits where parameters are large. */
    quadrature_init(&q, classes, a, class_, 160 + (slong)(2.5 * most));
    arb_init(finer);
    integrate(&q, low, high, panels, out);
    integrate(&q, low, high, panels + 3, finer);
    arb_sub(out, out, finer, 64);
    arb_add_error(finer, out);
    arb_set(out, finer);
    arb_clear(finer);
    quadrature_clear(&q);
}

/* ---- problems ---- */

enum { INSTANCES = 8 };

typedef struct {
    int classes;
    int a[CLASSES];
} class_instance;

typedef struct {
    int count;
    class_instance instances[INSTANCES];
} instances;

void oracle_races_clear(oracle_races *races)
{
    for (int i = 0; i < races->count; i++) {
        mpq_clear(races->race[i].h);
    }
    free(races->race);
    *races = (oracle_races){0};
}

static mpq_srcptr call_of(oracle_races *races, const class_instance *instance)
{
    for (int i = 0; i < races->count; i++) {
        if (races->race[i].classes == instance->classes &&
            memcmp(races->race[i].a, instance->a, sizeof instance->a) == 0) {
            return races->race[i].h;
        }
    }
    races->race = realloc(races->race, (size_t)(races->count + 1) * sizeof *races->race);
    if (races->race == NULL) {
        abort();
    }
    oracle_race *race = &races->race[races->count++];
    race->classes = instance->classes;
    memcpy(race->a, instance->a, sizeof race->a);
    mpq_init(race->h);
    oracle_class_call(instance->classes, instance->a, race->h);
    return race->h;
}

static void read_instances(const og_groups *problem, instances *out)
{
    *out = (instances){0};
    for (int g = 0; g < problem->group_count; g++) {
        const og_group *group = og_groups_at(problem, g);
        class_instance one = {.classes = 2, .a = {(int)group->a.num, (int)group->b.num}};
        if (group->kind == OG_PRIOR_DIRICHLET) {
            one.classes = group->part_count;
            for (int c = 0; c < one.classes; c++) {
                one.a[c] = (int)group->alpha[c].num;
            }
        }
        for (int64_t i = 0; i < group->count; i++) {
            if (out->count == INSTANCES) {
                abort();
            }
            out->instances[out->count++] = one;
        }
    }
}

/* share = a_c / sum */
static void share_of(const class_instance *instance, int c, mpq_t share)
{
    unsigned long total = 0;
    for (int i = 0; i < instance->classes; i++) {
        total += (unsigned long)instance->a[i];
    }
    mpq_set_ui(share, (unsigned long)instance->a[c], total);
    mpq_canonicalize(share);
}

typedef struct {
    oracle_races *races;
    const char *policy; /* NULL: the optimum */
} play;

static void value_of(const play *p, instances *state, int left, mpq_t out);

/* The value of labelling instance i now. */
static void value_after(const play *p, instances *state, int i, int left, mpq_t out)
{
    class_instance *instance = &state->instances[i];
    OWN_MPQ part = MPQ_NEW, share = MPQ_NEW, sum = MPQ_NEW;
    for (int c = 0; c < instance->classes; c++) {
        share_of(instance, c, share);
        instance->a[c]++;
        value_of(p, state, left - 1, part);
        instance->a[c]--;
        mpq_mul(part, part, share);
        mpq_add(sum, sum, part);
    }
    mpq_set(out, sum);
}

/* h(a + e_c) - h(a) */
static void gain_of(oracle_races *races, const class_instance *instance, int c, mpq_t out)
{
    class_instance next = *instance;
    next.a[c]++;
    mpq_set(out, call_of(races, &next));
    mpq_sub(out, out, call_of(races, instance));
}

/* The expected h after n labels. */
static void call_after(oracle_races *races, const class_instance *instance, int n, mpq_t out)
{
    mpq_t sum, part, share;
    if (n == 0) {
        mpq_set(out, call_of(races, instance));
        return;
    }
    mpq_inits(sum, part, share, NULL);
    for (int c = 0; c < instance->classes; c++) {
        class_instance next = *instance;
        next.a[c]++;
        call_after(races, &next, n - 1, part);
        share_of(instance, c, share);
        mpq_mul(part, part, share);
        mpq_add(sum, sum, part);
    }
    mpq_set(out, sum);
    mpq_clears(sum, part, share, NULL);
}

/* The best rule that buys now at this price: its labels and earnings. */
static void best_rule(oracle_races *races, const class_instance *instance, int left,
                      const mpq_t price, mpq_t labels, mpq_t earned)
{
    OWN_MPQ part = MPQ_NEW, share = MPQ_NEW, more = MPQ_NEW, worth = MPQ_NEW;
    mpq_set_ui(labels, 1, 1);
    mpq_set_ui(earned, 0, 1);
    for (int c = 0; c < instance->classes; c++) {
        class_instance next = *instance;
        next.a[c]++;
        share_of(instance, c, share);
        gain_of(races, instance, c, part);
        mpq_mul(part, part, share);
        mpq_add(earned, earned, part);
        if (left == 1) {
            continue;
        }
        best_rule(races, &next, left - 1, price, more, part);
        mpq_mul(worth, more, price);
        if (mpq_cmp(part, worth) <= 0) {
            continue;
        }
        mpq_mul(part, part, share);
        mpq_add(earned, earned, part);
        mpq_mul(more, more, share);
        mpq_add(labels, labels, more);
    }
}

/* The ratio of the best rule, from price 0 until it stays [Dinkelbach]. */
static void gittins_of(oracle_races *races, const class_instance *instance, int left, mpq_t out)
{
    OWN_MPQ price = MPQ_NEW, labels = MPQ_NEW, earned = MPQ_NEW;
    do {
        mpq_set(out, price);
        best_rule(races, instance, left, out, labels, earned);
        mpq_div(price, earned, labels);
    } while (!mpq_equal(price, out));
}

static void kg_star_of(oracle_races *races, const class_instance *instance, int left, mpq_t out)
{
    OWN_MPQ ratio = MPQ_NEW, n = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int i = 1; i <= left; i++) {
        call_after(races, instance, i, ratio);
        mpq_sub(ratio, ratio, call_of(races, instance));
        mpq_set_ui(n, (unsigned)i, 1);
        mpq_div(ratio, ratio, n);
        if (mpq_cmp(ratio, out) > 0) {
            mpq_set(out, ratio);
        }
    }
}

/* Spend q = 1 on the largest gains first, each at most twice its probability. */
static void cvar_of(oracle_races *races, const class_instance *instance, mpq_t out)
{
    bool spent[CLASSES] = {false};
    OWN_MPQ best = MPQ_NEW, gain = MPQ_NEW, rest = MPQ_NEW, share = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    mpq_set_ui(rest, 1, 1);
    for (int round = 0; round < instance->classes && mpq_sgn(rest) > 0; round++) {
        int at = 0;
        bool any = false;
        for (int c = 0; c < instance->classes; c++) {
            gain_of(races, instance, c, gain);
            if (!spent[c] && (!any || mpq_cmp(gain, best) > 0)) {
                any = true;
                at = c;
                mpq_set(best, gain);
            }
        }
        spent[at] = true;
        share_of(instance, at, share);
        mpq_mul_2exp(share, share, 1);
        if (mpq_cmp(share, rest) > 0) {
            mpq_set(share, rest);
        }
        mpq_sub(rest, rest, share);
        mpq_mul(share, share, best);
        mpq_add(out, out, share);
    }
}

/* 1 - the largest probability, or the entropy to 2^-40, which no two of these problems share. */
static void unsure_of(const class_instance *instance, bool entropy, mpq_t out)
{
    OWN_MPQ share = MPQ_NEW;
    double sum = 0;
    mpq_set_ui(out, 0, 1);
    for (int c = 0; c < instance->classes; c++) {
        share_of(instance, c, share);
        sum -= mpq_get_d(share) * log(mpq_get_d(share));
        if (mpq_cmp(share, out) > 0) {
            mpq_set(out, share);
        }
    }
    mpq_set_ui(share, 1, 1);
    mpq_sub(out, share, out);
    if (entropy) {
        mpq_set_d(out, ldexp(round(ldexp(sum, 40)), -40));
    }
}

static void index_of(oracle_races *races, const char *policy, const class_instance *instance,
                     int left, mpq_t out)
{
    mpq_t gain, share;
    bool kg = strcmp(policy, "kg") == 0, opt = strcmp(policy, "opt-kg") == 0;
    mpq_set_ui(out, 0, 1);
    if (strcmp(policy, "uniform") == 0) {
        return;
    }
    if (strcmp(policy, "gittins-fh") == 0) {
        gittins_of(races, instance, left, out);
        return;
    }
    if (strcmp(policy, "kg-star") == 0) {
        kg_star_of(races, instance, left, out);
        return;
    }
    if (strcmp(policy, "cvar-kg:0.5") == 0) {
        cvar_of(races, instance, out);
        return;
    }
    if (strcmp(policy, "entropy") == 0 || strcmp(policy, "least-confidence") == 0) {
        unsure_of(instance, policy[0] == 'e', out);
        return;
    }
    mpq_inits(gain, share, NULL);
    for (int c = 0; c < instance->classes; c++) {
        gain_of(races, instance, c, gain);
        share_of(instance, c, share);
        if (kg) {
            mpq_mul(gain, gain, share);
            mpq_add(out, out, gain);
        } else if (c == 0 || (opt ? mpq_cmp(gain, out) > 0 : mpq_cmp(gain, out) < 0)) {
            mpq_set(out, gain);
        }
    }
    mpq_clears(gain, share, NULL);
}

static void policy_value(const play *p, instances *state, int left, mpq_t out)
{
    mpq_t index[INSTANCES], part, ties;
    mpq_inits(part, ties, NULL);
    int best = 0;
    unsigned count = 0;
    for (int i = 0; i < state->count; i++) {
        mpq_init(index[i]);
        index_of(p->races, p->policy, &state->instances[i], left, index[i]);
        if (mpq_cmp(index[i], index[best]) > 0) {
            best = i;
        }
    }
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < state->count; i++) {
        if (!mpq_equal(index[i], index[best])) {
            continue;
        }
        value_after(p, state, i, left, part);
        mpq_add(out, out, part);
        count++;
    }
    mpq_set_ui(ties, count, 1);
    mpq_div(out, out, ties);
    for (int i = 0; i < state->count; i++) {
        mpq_clear(index[i]);
    }
    mpq_clears(part, ties, NULL);
}

static void value_of(const play *p, instances *state, int left, mpq_t out)
{
    if (left > 0 && p->policy != NULL) {
        policy_value(p, state, left, out);
        return;
    }
    mpq_set_ui(out, 0, 1);
    for (int i = 0; left == 0 && i < state->count; i++) {
        mpq_add(out, out, call_of(p->races, &state->instances[i]));
    }
    OWN_MPQ part = MPQ_NEW;
    for (int i = 0; left > 0 && i < state->count; i++) {
        value_after(p, state, i, left, part);
        if (mpq_cmp(part, out) > 0) {
            mpq_set(out, part);
        }
    }
}

void oracle_classes_optimum(oracle_races *races, const og_groups *problem, mpq_t out)
{
    instances state;
    play p = {races, NULL};
    read_instances(problem, &state);
    value_of(&p, &state, problem->budget, out);
}

void oracle_classes_policy(oracle_races *races, const og_groups *problem, const char *name,
                           mpq_t out)
{
    instances state;
    play p = {races, name};
    read_instances(problem, &state);
    value_of(&p, &state, problem->budget, out);
}
