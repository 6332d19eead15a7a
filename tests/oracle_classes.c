#include "tests/oracle_classes.h"

#include <arb_hypgeom.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CLASSES = 10 };

/* Entry of a state: what is missing of each class, in a mixed radix. */
static size_t entry_of(int classes, const int *a, const int *missing)
{
    size_t entry = 0;
    for (int c = 0; c < classes; c++)
        entry = entry * (size_t)(a[c] + 1) + (size_t)missing[c];
    return entry;
}

/* Count up; false after the last state. Smaller entries come first, so that what an arrival leads
 * to is known. */
static bool next_state(int classes, const int *a, int *missing)
{
    int c = classes - 1;
    while (c >= 0 && missing[c] == a[c])
        missing[c--] = 0;
    if (c < 0)
        return false;
    missing[c]++;
    return true;
}

static void value_of_state(int classes, const int *a, int class_, int *missing, mpq_t *table)
{
    mpq_ptr value = table[entry_of(classes, a, missing)];
    unsigned running = 0;
    for (int c = 0; c < classes; c++)
        running += missing[c] > 0;
    mpq_set_ui(value, 0, 1);
    if (missing[class_] == 0)
        return;
    if (running == 1) {
        mpq_set_ui(value, 1, 1);
        return;
    }
    for (int c = 0; c < classes; c++) {
        if (missing[c] == 0)
            continue;
        missing[c]--;
        mpq_add(value, value, table[entry_of(classes, a, missing)]);
        missing[c]++;
    }
    mpq_t share;
    mpq_init(share);
    mpq_set_ui(share, 1, running);
    mpq_mul(value, value, share);
    mpq_clear(share);
}

void oracle_last_of_race(int classes, const int *a, int class_, mpq_t out)
{
    size_t states = 1;
    int missing[CLASSES] = {0};
    for (int c = 0; c < classes; c++)
        states *= (size_t)(a[c] + 1);
    mpq_t *table = malloc(states * sizeof *table);
    if (table == NULL)
        abort();
    for (size_t i = 0; i < states; i++)
        mpq_init(table[i]);
    do
        value_of_state(classes, a, class_, missing, table);
    while (next_state(classes, a, missing));
    mpq_set(out, table[states - 1]);
    for (size_t i = 0; i < states; i++)
        mpq_clear(table[i]);
    free(table);
}

void oracle_class_call(int classes, const int *a, mpq_t out)
{
    mpq_t chance;
    mpq_init(chance);
    mpq_set_ui(out, 0, 1);
    for (int c = 0; c < classes; c++) {
        oracle_last_of_race(classes, a, c, chance);
        if (mpq_cmp(chance, out) > 0)
            mpq_set(out, chance);
    }
    mpq_clear(chance);
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
    for (int c = 0; c < q->classes; c++)
        arb_clear(q->a[c]);
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
        if (c == q->class_)
            continue;
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
    for (int i = 0; i < panels; i++)
        for (int j = 0; j < GAUSS_POINTS; j++) {
            arb_set_d(value, half);
            arb_mul(t, q->node[j], value, q->precision);
            arb_set_d(value, low + half * (2 * i + 1));
            arb_add(t, t, value, q->precision);
            integrand(q, t, value);
            arb_addmul(out, value, q->weight[j], q->precision);
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
    if (classes * 60 / most < 4) /* narrow: where the largest one grows from nothing */
        low = fmax(low, log(most) - 16 / sqrt(most));
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
