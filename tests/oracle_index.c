/*
 * The indices of the spec's table of policies, each as it is defined, in rationals:
 * R1 and R2 are differences of h, the Gittins index is a supremum over stopping rules.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle.h"

/* R1 = h(a+1, b) - h(a, b), R2 = h(a, b+1) - h(a, b) */
static void gains(const oracle_arm *arm, int s, int f, mpq_t r1, mpq_t r2)
{
    mpq_sub(r1, arm->h[oracle_node(s + 1, f)], arm->h[oracle_node(s, f)]);
    mpq_sub(r2, arm->h[oracle_node(s, f + 1)], arm->h[oracle_node(s, f)]);
}

/* out = p1 * x + (1 - p1) * y */
static void mean_over_label(mpq_t out, const oracle_arm *arm, int s, int f, const mpq_t x,
                            const mpq_t y)
{
    OWN_MPQ difference = MPQ_NEW;
    mpq_sub(difference, x, y);
    mpq_mul(difference, difference, arm->p1[oracle_node(s, f)]);
    mpq_add(out, difference, y);
}

static void kg(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    (void)data;
    OWN_MPQ r1 = MPQ_NEW, r2 = MPQ_NEW;
    gains(arm, s, f, r1, r2);
    mean_over_label(out, arm, s, f, r1, r2);
}

static void opt_kg(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    (void)data;
    OWN_MPQ r1 = MPQ_NEW, r2 = MPQ_NEW;
    gains(arm, s, f, r1, r2);
    mpq_set(out, mpq_cmp(r1, r2) > 0 ? r1 : r2);
}

static void pess_kg(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    (void)data;
    OWN_MPQ r1 = MPQ_NEW, r2 = MPQ_NEW;
    gains(arm, s, f, r1, r2);
    mpq_set(out, mpq_cmp(r1, r2) < 0 ? r1 : r2);
}

/* out = min(1, p / alpha), which is 1 for alpha = 0 */
static void largest_weight(mpq_t out, const mpq_t p, const mpq_t alpha)
{
    if (mpq_cmp(p, alpha) >= 0) {
        mpq_set_ui(out, 1, 1);
    } else {
        mpq_div(out, p, alpha);
    }
}

/* q1*R1 + q2*R2 is linear in q1, so one of the two ends of q1's range is best: the
 * largest weight on a label 1, or the largest on a label -1. */
static void cvar_kg(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    mpq_srcptr alpha = data;
    mpq_t gain[2], weight, p, value;
    mpq_inits(gain[0], gain[1], weight, p, value, NULL);
    gains(arm, s, f, gain[0], gain[1]);
    mpq_set(p, arm->p1[oracle_node(s, f)]);
    for (int most = 0; most < 2; most++) {
        largest_weight(weight, p, alpha);
        mpq_sub(value, gain[most], gain[1 - most]);
        mpq_mul(value, value, weight);
        mpq_add(value, value, gain[1 - most]);
        if (most == 0 || mpq_cmp(value, out) > 0) {
            mpq_set(out, value);
        }
        mpq_set_ui(p, 1, 1);
        mpq_sub(p, p, arm->p1[oracle_node(s, f)]);
    }
    mpq_clears(gain[0], gain[1], weight, p, value, NULL);
}

/* What a rule for one instance earns, and how many labels it takes, in expectation. */
typedef struct {
    mpq_t earned;
    mpq_t labels;
} test_rule;

static void rule_init(test_rule *rule)
{
    mpq_inits(rule->earned, rule->labels, NULL);
}

static void rule_clear(test_rule *rule)
{
    mpq_clears(rule->earned, rule->labels, NULL);
}

/* Is earned - price * labels above zero? */
static bool pays(const test_rule *rule, const mpq_t price)
{
    OWN_MPQ cost = MPQ_NEW;
    mpq_mul(cost, price, rule->labels);
    bool above = mpq_cmp(rule->earned, cost) > 0;
    return above;
}

/* After a label led to `here`: going on counts where it pays, stopping is nothing. */
static void stop_unless_it_pays(test_rule *here, const mpq_t price)
{
    if (pays(here, price)) {
        return;
    }
    mpq_set_ui(here->earned, 0, 1);
    mpq_set_ui(here->labels, 0, 1);
}

/*
 * The best rule at this price among those that take the next label and at most left - 1 more:
 * backward over the posteriors (s + i, f + n - i), n = left - 1 .. 0.
 */
static void best_rule(test_rule *out, const oracle_arm *arm, int s, int f, int left,
                      const mpq_t price)
{
    test_rule *at = malloc(((size_t)left + 1) * sizeof *at);
    if (at == NULL) {
        abort();
    }
    OWN_MPQ one = MPQ_NEW;
    mpq_set_ui(one, 1, 1);
    for (int i = 0; i <= left; i++) {
        rule_init(&at[i]);
    }
    for (int n = left - 1; n >= 0; n--) {
        for (int i = 0; i <= n + 1; i++) {
            stop_unless_it_pays(&at[i], price);
        }
        for (int i = 0; i <= n; i++) {
            int ones = s + i, zeros = f + n - i;
            OWN_MPQ now = MPQ_NEW;
            kg(now, arm, ones, zeros, 0, NULL);
            mean_over_label(at[i].earned, arm, ones, zeros, at[i + 1].earned, at[i].earned);
            mpq_add(at[i].earned, at[i].earned, now);
            mean_over_label(at[i].labels, arm, ones, zeros, at[i + 1].labels, at[i].labels);
            mpq_add(at[i].labels, at[i].labels, one);
        }
    }
    mpq_set(out->earned, at[0].earned);
    mpq_set(out->labels, at[0].labels);
    for (int i = 0; i <= left; i++) {
        rule_clear(&at[i]);
    }
    free(at);
}

/*
 * The largest ratio earned / labels over these rules [Dinkelbach 1967]: the best rule at the
 * price of a rule's own ratio either earns nothing more, and that ratio is the supremum,
 * or has a larger ratio. There are finitely many rules, so in rationals this ends.
 */
static void gittins_fh(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    test_rule best;
    rule_init(&best);
    kg(out, arm, s, f, left, data);
    for (;;) {
        best_rule(&best, arm, s, f, left, out);
        if (!pays(&best, out)) {
            break;
        }
        mpq_div(out, best.earned, best.labels);
    }
    rule_clear(&best);
}

/* out = expected h after n more labels */
static void expected_call(mpq_t out, const oracle_arm *arm, int s, int f, int n)
{
    if (n == 0) {
        mpq_set(out, arm->h[oracle_node(s, f)]);
        return;
    }
    OWN_MPQ one = MPQ_NEW, zero = MPQ_NEW;
    expected_call(one, arm, s + 1, f, n - 1);
    expected_call(zero, arm, s, f + 1, n - 1);
    mean_over_label(out, arm, s, f, one, zero);
}

static void kg_star(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)data;
    OWN_MPQ gain = MPQ_NEW, labels = MPQ_NEW;
    mpq_set_ui(out, 0, 1);
    for (int n = 1; n <= left; n++) {
        expected_call(gain, arm, s, f, n);
        mpq_sub(gain, gain, arm->h[oracle_node(s, f)]);
        mpq_set_si(labels, n, 1);
        mpq_div(gain, gain, labels);
        if (mpq_cmp(gain, out) > 0) {
            mpq_set(out, gain);
        }
    }
}

/* out = the smaller one of p1 and 1 - p1 */
static void unsure(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    (void)data;
    mpq_srcptr p = arm->p1[oracle_node(s, f)];
    mpq_set_ui(out, 1, 1);
    mpq_sub(out, out, p);
    if (mpq_cmp(p, out) < 0) {
        mpq_set(out, p);
    }
}

/* Of two outcomes p(1 - p) has the order of the entropy. */
static void entropy(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    OWN_MPQ rest = MPQ_NEW;
    (void)left;
    (void)data;
    mpq_set_ui(rest, 1, 1);
    mpq_sub(rest, rest, arm->p1[oracle_node(s, f)]);
    mpq_mul(out, rest, arm->p1[oracle_node(s, f)]);
}

/* out = n (d + e)^2, d = |s/n - D| */
static void squared(mpq_t out, const oracle_arm *arm, int s, int f, const mpq_t e)
{
    mpq_set_si(out, s, (unsigned)(s + f));
    mpq_canonicalize(out);
    mpq_sub(out, out, arm->threshold);
    mpq_abs(out, out);
    mpq_add(out, out, e);
    mpq_mul(out, out, out);
    OWN_MPQ labels = MPQ_NEW;
    mpq_set_si(labels, s + f, 1);
    mpq_mul(out, out, labels);
}

/* The order of -sqrt(n) (d + E); an instance without labels first. */
static void apt(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    (void)left;
    mpq_set_ui(out, 1, 1);
    if (s + f > 0) {
        squared(out, arm, s, f, data);
        mpq_neg(out, out);
    }
}

static void lsa(mpq_t out, const oracle_arm *arm, int s, int f, int left, const void *data)
{
    OWN_MPQ half = MPQ_NEW, zero = MPQ_NEW;
    (void)left;
    mpq_set_ui(out, 1, 1);
    if (s + f > 0) {
        squared(out, arm, s, f, zero);
        mpq_mul(out, out, (mpq_srcptr)data);
        mpq_set_d(half, log(s + f) / 2);
        mpq_add(out, out, half);
        mpq_neg(out, out);
    }
}

static const struct {
    const char *name;
    oracle_index *index;
    const char *parameter; /* the usual one; "": it has none */
} known[] = {{"uniform", NULL, ""},
             {"kg", kg, ""},
             {"opt-kg", opt_kg, ""},
             {"pess-kg", pess_kg, ""},
             {"cvar-kg", cvar_kg, "0"},
             {"entropy", entropy, ""},
             {"least-confidence", unsure, ""},
             {"apt", apt, "0"},
             {"lsa", lsa, "1.35"},
             {"gittins-fh", gittins_fh, ""},
             {"hu-frazier", gittins_fh, ""},
             {"kg-star", kg_star, ""}};

void oracle_choose_named(oracle_arms *oracle, const char *name)
{
    size_t length = strcspn(name, ":"), i = 0, count = sizeof known / sizeof known[0];
    og_fraction parameter = {0, 1};
    while (i < count &&
           (strlen(known[i].name) != length || strncmp(name, known[i].name, length) != 0)) {
        i++;
    }
    const char *text = i == count            ? ""
                       : name[length] == ':' ? name + length + 1
                                             : known[i].parameter;
    if (i == count ||
        (*text != '\0' && og_fraction_parse(text, strlen(text), &parameter) != OG_OK)) {
        fprintf(stderr, "oracle: no policy '%s'\n", name);
        abort();
    }
    OWN_MPQ number = MPQ_NEW;
    og_fraction_get_mpq(number, parameter);
    oracle_choose(oracle, known[i].index, number);
}
