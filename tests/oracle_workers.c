/*
 * Workers of unknown reliability from the literal definition in rationals: histories instead of
 * counts, one factor of the likelihood after the other, no canonical states.
 */
#include "tests/oracle_workers.h"

#include <math.h>

#include "heuristics/families/workers_policy.h"
#include "tests/oracle.h"

const char *const oracle_rule_names[] = {NULL,      "uniform",     "kg",       "opt-kg",
                                         "pess-kg", "cvar-kg:0.8", "kg-exact", "opt-kg-exact"};

void oracle_betas_init(oracle_betas *of)
{
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_inits(of->theta[i][0], of->theta[i][1], of->rho[i][0], of->rho[i][1], NULL);
    }
}

void oracle_betas_clear(oracle_betas *of)
{
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_clears(of->theta[i][0], of->theta[i][1], of->rho[i][0], of->rho[i][1], NULL);
    }
}

static void betas_copy(oracle_betas *to, const oracle_betas *from)
{
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        for (int k = 0; k < 2; k++) {
            mpq_set(to->theta[i][k], from->theta[i][k]);
            mpq_set(to->rho[i][k], from->rho[i][k]);
        }
    }
}

/* weight *= x / (x + y), x += 1: a factor of the likelihood that comes true. */
static void factor(mpq_t weight, mpq_t x, const mpq_t y)
{
    mpq_t sum, one;
    mpq_inits(sum, one, NULL);
    mpq_set_si(one, 1, 1);
    mpq_add(sum, x, y);
    mpq_div(sum, x, sum);
    mpq_mul(weight, weight, sum);
    mpq_add(x, x, one);
    mpq_clears(sum, one, NULL);
}

/*
 * Every label came from a reliable or an unreliable answer: 2^n cases, and in each case all Betas
 * are independent. evidence: the sum of the cases' weights; positive[i]: the sum weighted with
 * Pr(theta_i >= 1/2).
 */
static void ways(const oracle_workers *of, int count, int at, const oracle_betas *now,
                 const mpq_t weight, mpq_t evidence, mpq_t *positive)
{
    if (at == count) {
        mpq_t chance, half;
        mpq_inits(chance, half, NULL);
        mpq_set_si(half, 1, 2);
        mpq_add(evidence, evidence, weight);
        for (int i = 0; i < of->instances; i++) {
            oracle_positive(chance, now->theta[i][0], now->theta[i][1], half);
            mpq_mul(chance, chance, weight);
            mpq_add(positive[i], positive[i], chance);
        }
        mpq_clears(chance, half, NULL);
        return;
    }
    for (int same = 0; same < 2; same++) {
        const oracle_label *l = &of->history[at];
        bool positive_truth = l->positive == (same == 1);
        oracle_betas next;
        mpq_t w;
        oracle_betas_init(&next);
        mpq_init(w);
        betas_copy(&next, now);
        mpq_set(w, weight);
        factor(w, next.theta[l->instance][positive_truth ? 0 : 1],
               next.theta[l->instance][positive_truth ? 1 : 0]);
        factor(w, next.rho[l->worker][same ? 0 : 1], next.rho[l->worker][same ? 1 : 0]);
        ways(of, count, at + 1, &next, w, evidence, positive);
        oracle_betas_clear(&next);
        mpq_clear(w);
    }
}

static void posterior(const oracle_workers *of, int count, mpq_t evidence, mpq_t *positive)
{
    mpq_t one;
    mpq_init(one);
    mpq_set_si(one, 1, 1);
    mpq_set_si(evidence, 0, 1);
    for (int i = 0; i < of->instances; i++) {
        mpq_set_si(positive[i], 0, 1);
    }
    ways(of, count, 0, &of->prior, one, evidence, positive);
    mpq_clear(one);
}

/* E[x | z] and E[x^2 | z] by Bayes' rule from the two answers that z can come from. */
static void match(oracle_betas *now, const oracle_label *l)
{
    mpq_t weight[2], mean, second, total, x, y, one;
    mpq_inits(weight[0], weight[1], mean, second, total, x, y, one, NULL);
    mpq_set_si(one, 1, 1);
    oracle_betas after[2], matched;
    oracle_betas_init(&matched);
    betas_copy(&matched, now);
    for (int same = 0; same < 2; same++) {
        oracle_betas_init(&after[same]);
        betas_copy(&after[same], now);
        mpq_set_si(weight[same], 1, 1);
        bool truth = l->positive == (same == 1);
        factor(weight[same], after[same].theta[l->instance][truth ? 0 : 1],
               after[same].theta[l->instance][truth ? 1 : 0]);
        factor(weight[same], after[same].rho[l->worker][same ? 0 : 1],
               after[same].rho[l->worker][same ? 1 : 0]);
    }
    mpq_add(total, weight[0], weight[1]);
    for (int which = 0; which < 2; which++) {
        mpq_set_si(mean, 0, 1);
        mpq_set_si(second, 0, 1);
        for (int same = 0; same < 2; same++) {
            mpq_t *beta = which == 0 ? after[same].theta[l->instance] : after[same].rho[l->worker];
            mpq_add(y, beta[0], beta[1]);
            mpq_div(x, beta[0], y);
            mpq_mul(x, x, weight[same]);
            mpq_add(mean, mean, x); /* weight a / (a + b) */
            mpq_t up;
            mpq_init(up);
            mpq_add(up, beta[0], one);
            mpq_mul(x, x, up);
            mpq_add(y, y, one);
            mpq_div(x, x, y);
            mpq_add(second, second, x);
            mpq_clear(up);
        }
        mpq_div(mean, mean, total);
        mpq_div(second, second, total);
        mpq_sub(x, mean, second);
        mpq_mul(y, mean, mean);
        mpq_sub(y, second, y);
        mpq_div(x, x, y);
        mpq_t *out = which == 0 ? matched.theta[l->instance] : matched.rho[l->worker];
        mpq_mul(out[0], x, mean);
        mpq_sub(out[1], x, out[0]);
    }
    betas_copy(now, &matched);
    oracle_betas_clear(&matched);
    oracle_betas_clear(&after[0]);
    oracle_betas_clear(&after[1]);
    mpq_clears(weight[0], weight[1], mean, second, total, x, y, one, NULL);
}

static double largest(const mpq_t positive, const mpq_t evidence)
{
    mpq_t share;
    mpq_init(share);
    mpq_div(share, positive, evidence);
    double p = mpq_get_d(share);
    mpq_clear(share);
    return fmax(p, 1 - p);
}

static double matched_h(const oracle_betas *at, int instance)
{
    mpq_t chance, half;
    mpq_inits(chance, half, NULL);
    mpq_set_si(half, 1, 2);
    oracle_positive(chance, at->theta[instance][0], at->theta[instance][1], half);
    double p = mpq_get_d(chance);
    mpq_clears(chance, half, NULL);
    return fmax(p, 1 - p);
}

/* The rule's index of a pair after `count` labels. */
static double index_of(oracle_workers *of, int count, const oracle_betas *own, int instance,
                       int worker)
{
    mpq_t evidence, before, positive[ORACLE_WORKERS_SIDE];
    mpq_inits(evidence, before, NULL);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_init(positive[i]);
    }
    double h[2], chance[2], now;
    posterior(of, count, before, positive);
    bool exact = of->rule == KG_EXACT || of->rule == OPT_KG_EXACT;
    now = exact ? largest(positive[instance], before) : matched_h(own, instance);
    for (int sign = 0; sign < 2; sign++) {
        oracle_betas next;
        of->history[count] = (oracle_label){instance, worker, sign == 0};
        posterior(of, count + 1, evidence, positive);
        chance[sign] = mpq_get_d(evidence) / mpq_get_d(before);
        oracle_betas_init(&next);
        betas_copy(&next, own);
        match(&next, &of->history[count]);
        h[sign] = exact ? largest(positive[instance], evidence) : matched_h(&next, instance);
        oracle_betas_clear(&next);
    }
    if (!exact) { /* with the rule's belief */
        double a = mpq_get_d(own->theta[instance][0]), b = mpq_get_d(own->theta[instance][1]);
        double c = mpq_get_d(own->rho[worker][0]), d = mpq_get_d(own->rho[worker][1]);
        chance[0] = (a * c + b * d) / ((a + b) * (c + d));
        chance[1] = 1 - chance[0];
    }
    mpq_clears(evidence, before, NULL);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_clear(positive[i]);
    }
    switch (of->rule) {
    case KG:
    case KG_EXACT:
        return chance[0] * (h[0] - now) + chance[1] * (h[1] - now);
    case OPT_KG:
    case OPT_KG_EXACT:
        return fmax(h[0], h[1]) - now;
    case PESS_KG:
        return fmin(h[0], h[1]) - now;
    case CVAR_KG: { /* the share 0.8 is filled with the better outcome first */
        int better = h[0] >= h[1] ? 0 : 1;
        double of_better = fmin(chance[better], 0.8);
        return (of_better * h[better] + (0.8 - of_better) * h[1 - better]) / 0.8 - now;
    }
    case OPTIMUM:
    case UNIFORM:
        break;
    }
    return 0;
}

bool oracle_workers_decides(const oracle_workers *of)
{
    return of->rule >= UNIFORM && of->rule <= CVAR_KG;
}

void oracle_worth_init(oracle_worth *of)
{
    mpq_inits(of->own, of->exact, NULL);
}

void oracle_worth_clear(oracle_worth *of)
{
    mpq_clears(of->own, of->exact, NULL);
}

static void worth_set(oracle_worth *to, const oracle_worth *from)
{
    mpq_set(to->own, from->own);
    mpq_set(to->exact, from->exact);
}

static void worth_add(oracle_worth *sum, const oracle_worth *more)
{
    mpq_add(sum->own, sum->own, more->own);
    mpq_add(sum->exact, sum->exact, more->exact);
}

static void final_worth(const oracle_workers *of, const oracle_betas *own, oracle_worth *out)
{
    mpq_t negative, evidence, positive[ORACLE_WORKERS_SIDE];
    mpq_inits(negative, evidence, NULL);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_init(positive[i]);
    }
    posterior(of, of->labels, evidence, positive);
    mpq_set_si(out->own, 0, 1);
    mpq_set_si(out->exact, 0, 1);
    for (int i = 0; i < of->instances; i++) {
        mpq_sub(negative, evidence, positive[i]);
        bool call = mpq_cmp(positive[i], negative) >= 0;
        mpq_add(out->exact, out->exact, call ? positive[i] : negative);
        if (oracle_workers_decides(of)) {
            call = mpq_cmp(own->theta[i][0], own->theta[i][1]) >= 0;
        }
        mpq_add(out->own, out->own, call ? positive[i] : negative);
    }
    mpq_clears(negative, evidence, NULL);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_clear(positive[i]);
    }
}

/* What differs by no more than the errors of chances is equal. */
static int compare(const mpq_t x, const mpq_t y)
{
    mpq_t apart;
    mpq_init(apart);
    mpq_sub(apart, x, y);
    double by = mpq_get_d(apart);
    mpq_clear(apart);
    return (by > 16 * ORACLE_H_ERROR) - (by < -16 * ORACLE_H_ERROR);
}

static void value_after(oracle_workers *of, int count, const oracle_betas *own, oracle_worth *out)
{
    if (count == of->labels) {
        final_worth(of, own, out);
        return;
    }
    oracle_worth each, sum, best;
    oracle_worth_init(&each);
    oracle_worth_init(&sum);
    oracle_worth_init(&best);
    double index[ORACLE_WORKERS_SIDE * ORACLE_WORKERS_SIDE] = {0}, most = -INFINITY;
    bool open[ORACLE_WORKERS_SIDE * ORACLE_WORKERS_SIDE] = {false};
    int tied = 0, pairs = of->instances * of->workers;
    for (int k = 0; k < pairs; k++) {
        open[k] = true;
        for (int n = 0; of->once && n < count; n++) {
            open[k] = open[k] && of->history[n].instance * of->workers + of->history[n].worker != k;
        }
        index[k] = index_of(of, count, own, k / of->workers, k % of->workers);
        most = open[k] ? fmax(most, index[k]) : most;
    }
    og_ties ties = of->rule == OPTIMUM ? OG_TIES_BEST : of->ties;
    for (int k = 0; k < pairs; k++) {
        if (!open[k] || (of->rule != OPTIMUM && index[k] < most - OG_WORKERS_TIE) ||
            (ties == OG_TIES_FIRST && tied > 0)) {
            continue;
        }
        mpq_set_si(sum.own, 0, 1);
        mpq_set_si(sum.exact, 0, 1);
        for (int sign = 0; sign < 2; sign++) {
            oracle_betas next;
            of->history[count] = (oracle_label){k / of->workers, k % of->workers, sign == 0};
            oracle_betas_init(&next);
            betas_copy(&next, own);
            match(&next, &of->history[count]);
            value_after(of, count + 1, &next, &each);
            oracle_betas_clear(&next);
            worth_add(&sum, &each);
        }
        int order = compare(sum.own, best.own);
        order = order != 0 ? order : compare(sum.exact, best.exact);
        if (ties == OG_TIES_RANDOM) {
            worth_add(&best, &sum);
        } else if (tied == 0 || (ties == OG_TIES_BEST && order > 0) ||
                   (ties == OG_TIES_WORST && order < 0)) {
            worth_set(&best, &sum);
        }
        tied++;
    }
    if (tied > 0 && ties == OG_TIES_RANDOM) {
        mpq_set_si(each.own, tied, 1);
        mpq_div(best.own, best.own, each.own);
        mpq_div(best.exact, best.exact, each.own);
    }
    worth_set(out, &best);
    oracle_worth_clear(&each);
    oracle_worth_clear(&sum);
    oracle_worth_clear(&best);
}

void oracle_workers_value(oracle_workers *of, int had, oracle_worth *out)
{
    mpq_t evidence, positive[ORACLE_WORKERS_SIDE];
    oracle_betas own;
    oracle_betas_init(&own);
    betas_copy(&own, &of->prior);
    for (int n = 0; n < had; n++) {
        match(&own, &of->history[n]);
    }
    value_after(of, had, &own, out);
    mpq_init(evidence);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_init(positive[i]);
    }
    posterior(of, had, evidence, positive);
    mpq_div(out->own, out->own, evidence);
    mpq_div(out->exact, out->exact, evidence);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_clear(positive[i]);
    }
    mpq_clear(evidence);
    oracle_betas_clear(&own);
}
