/*
 * Workers of unknown reliability from the literal definition in rationals: histories instead of
 * counts, one factor of the likelihood after the other, no canonical states.
 */
#include "tests/oracle_workers.h"

#include <math.h>
#include <string.h>

#include "heuristics/families/workers_policy.h"
#include "tests/literal.h"
#include "tests/oracle.h"

/* By the exact posterior, and so are its calls. */
static bool is_exact(const oracle_workers *oracle)
{
    return oracle->rule != NULL && strstr(oracle->rule, "-exact") != NULL;
}

/* Calls the function for each number. */
static void each_number(oracle_betas *betas, void (*call)(mpq_ptr))
{
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        call(betas->theta[i][0]);
        call(betas->theta[i][1]);
        for (int m = 0; m < ORACLE_KINDS; m++) {
            call(betas->weight[i][m]);
            for (int k = 0; k < 4; k++) {
                call(betas->rho[i][m][k / 2][k % 2]);
            }
        }
    }
}

void oracle_betas_init(oracle_betas *betas)
{
    each_number(betas, mpq_init);
}

void oracle_betas_clear(oracle_betas *betas)
{
    each_number(betas, mpq_clear);
}

static void take_worker(oracle_betas *betas, int j, const og_group *group)
{
    OWN_MPQ sum = MPQ_NEW;
    betas->two[j] = group->kind == OG_PRIOR_COINS;
    betas->kinds[j] = group->kind == OG_PRIOR_MIXTURE ? group->part_count : 1;
    for (int m = 0; m < betas->kinds[j]; m++) {
        const og_component one = {{1, 1}, group->a, group->b};
        for (int coin = 0; coin < (betas->two[j] ? 2 : 1); coin++) {
            const og_component *part =
                group->kind == OG_PRIOR_BETA ? &one : &group->component[betas->two[j] ? coin : m];
            og_fraction_get_mpq(betas->weight[j][m], part->weight);
            og_fraction_get_mpq(betas->rho[j][m][coin][0], part->a);
            og_fraction_get_mpq(betas->rho[j][m][coin][1], part->b);
        }
        mpq_add(sum, sum, betas->weight[j][m]);
    }
    for (int m = 0; m < betas->kinds[j]; m++) {
        mpq_div(betas->weight[j][m], betas->weight[j][m], sum);
    }
}

void oracle_betas_take(oracle_betas *betas, const og_groups *instances, const og_groups *workers)
{
    int at = 0;
    for (int32_t g = 0; g < instances->group_count; g++) {
        for (int64_t k = 0; k < og_groups_at(instances, g)->count; k++, at++) {
            og_fraction_get_mpq(betas->theta[at][0], og_groups_at(instances, g)->a);
            og_fraction_get_mpq(betas->theta[at][1], og_groups_at(instances, g)->b);
        }
    }
    at = 0;
    for (int32_t g = 0; g < workers->group_count; g++) {
        for (int64_t k = 0; k < og_groups_at(workers, g)->count; k++, at++) {
            take_worker(betas, at, og_groups_at(workers, g));
        }
    }
}

static void betas_copy(oracle_betas *to, const oracle_betas *from)
{
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        to->kinds[i] = from->kinds[i];
        to->two[i] = from->two[i];
        for (int k = 0; k < 2; k++) {
            mpq_set(to->theta[i][k], from->theta[i][k]);
        }
        for (int m = 0; m < ORACLE_KINDS; m++) {
            mpq_set(to->weight[i][m], from->weight[i][m]);
            for (int k = 0; k < 4; k++) {
                mpq_set(to->rho[i][m][k / 2][k % 2], from->rho[i][m][k / 2][k % 2]);
            }
        }
    }
}

/* The coin that a worker of this kind throws for this answer of a reliable one. */
static mpq_t *coin_of(oracle_betas *now, int worker, int kind, bool truth)
{
    return now->rho[worker][kind][now->two[worker] && !truth];
}

/* weight *= x / (x + y), x += 1: a factor of the likelihood that comes true. */
static void factor(mpq_t weight, mpq_t x, const mpq_t y)
{
    OWN_MPQ sum = MPQ_NEW, one = MPQ_NEW;
    mpq_set_si(one, 1, 1);
    mpq_add(sum, x, y);
    mpq_div(sum, x, sum);
    mpq_mul(weight, weight, sum);
    mpq_add(x, x, one);
}

/*
 * Every label came from a reliable or an unreliable answer: 2^n cases, and in each case all Betas
 * are independent. evidence: the sum of the cases' weights; positive[i]: the sum weighted with
 * Pr(theta_i >= 1/2).
 */
static void ways(const oracle_workers *oracle, int count, int at, const oracle_betas *now,
                 const mpq_t weight, mpq_t evidence, mpq_t *positive)
{
    if (at == count) {
        OWN_MPQ chance = MPQ_NEW, half = MPQ_NEW;
        mpq_set_si(half, 1, 2);
        mpq_add(evidence, evidence, weight);
        for (int i = 0; i < oracle->instances; i++) {
            oracle_positive(chance, now->theta[i][0], now->theta[i][1], half);
            mpq_mul(chance, chance, weight);
            mpq_add(positive[i], positive[i], chance);
        }
        return;
    }
    for (int same = 0; same < 2; same++) {
        const oracle_label *l = &oracle->history[at];
        bool positive_truth = l->positive == (same == 1);
        oracle_betas next;
        mpq_t w;
        oracle_betas_init(&next);
        mpq_init(w);
        betas_copy(&next, now);
        mpq_set(w, weight);
        factor(w, next.theta[l->instance][positive_truth ? 0 : 1],
               next.theta[l->instance][positive_truth ? 1 : 0]);
        mpq_t *coin = coin_of(&next, l->worker, 0, positive_truth);
        factor(w, coin[same ? 0 : 1], coin[same ? 1 : 0]);
        ways(oracle, count, at + 1, &next, w, evidence, positive);
        oracle_betas_clear(&next);
        mpq_clear(w);
    }
}

/* The kinds of the workers from `worker` on: each is then the only one. */
static void kinds(const oracle_workers *oracle, int count, int worker, const oracle_betas *now,
                  const mpq_t weight, mpq_t evidence, mpq_t *positive)
{
    if (worker == oracle->workers || worker == ORACLE_WORKERS_SIDE) {
        ways(oracle, count, 0, now, weight, evidence, positive);
        return;
    }
    for (int m = 0; m < now->kinds[worker]; m++) {
        oracle_betas only;
        OWN_MPQ w = MPQ_NEW;
        oracle_betas_init(&only);
        betas_copy(&only, now);
        for (int k = 0; k < 4; k++) {
            mpq_set(only.rho[worker][0][k / 2][k % 2], now->rho[worker][m][k / 2][k % 2]);
        }
        mpq_mul(w, weight, now->weight[worker][m]);
        kinds(oracle, count, worker + 1, &only, w, evidence, positive);
        oracle_betas_clear(&only);
    }
}

static void posterior(const oracle_workers *oracle, int count, mpq_t evidence, mpq_t *positive)
{
    OWN_MPQ one = MPQ_NEW;
    mpq_set_si(one, 1, 1);
    mpq_set_si(evidence, 0, 1);
    for (int i = 0; i < oracle->instances; i++) {
        mpq_set_si(positive[i], 0, 1);
    }
    kinds(oracle, count, 0, &oracle->prior, one, evidence, positive);
}

/* The Beta with the first two moments of a mixture of two, whose weights have any sum. */
static void merge(mpq_t out[2], mpq_t weight[2], mpq_t beta[2][2])
{
    OWN_MPQ mean = MPQ_NEW, second = MPQ_NEW, total = MPQ_NEW, x = MPQ_NEW, y = MPQ_NEW,
            one = MPQ_NEW;
    mpq_set_si(one, 1, 1);
    mpq_add(total, weight[0], weight[1]);
    for (int way = 0; way < 2; way++) {
        mpq_add(y, beta[way][0], beta[way][1]);
        mpq_div(x, beta[way][0], y);
        mpq_mul(x, x, weight[way]);
        mpq_add(mean, mean, x); /* weight a / (a + b) */
        mpq_add(y, y, one);
        mpq_div(x, x, y);
        mpq_add(y, beta[way][0], one);
        mpq_mul(x, x, y);
        mpq_add(second, second, x);
    }
    mpq_div(mean, mean, total);
    mpq_div(second, second, total);
    mpq_sub(x, mean, second);
    mpq_mul(y, mean, mean);
    mpq_sub(y, second, y);
    mpq_div(x, x, y);
    mpq_mul(out[0], x, mean);
    mpq_sub(out[1], x, out[0]);
}

/* Bayes' rule from the two answers of a reliable worker that a label can come from, for one kind of
 * worker: the weights of the answers; theta and the coins after each. */
typedef struct {
    mpq_t weight[2], theta[2][2], coin[2][2][2]; /* by answer; of a coin, then by answer */
} answers;

static void answers_init(answers *a, oracle_betas *now, const oracle_label *l, int kind)
{
    for (int way = 0; way < 2; way++) {
        bool truth = way == 0, same = l->positive == truth;
        mpq_init(a->weight[way]);
        mpq_set(a->weight[way], now->weight[l->worker][kind]);
        for (int k = 0; k < 2; k++) {
            mpq_init(a->theta[way][k]);
            mpq_set(a->theta[way][k], now->theta[l->instance][k]);
            for (int coin = 0; coin < 2; coin++) {
                mpq_init(a->coin[coin][way][k]);
                mpq_set(a->coin[coin][way][k], now->rho[l->worker][kind][coin][k]);
            }
        }
        factor(a->weight[way], a->theta[way][truth ? 0 : 1], a->theta[way][truth ? 1 : 0]);
        mpq_t *thrown = a->coin[now->two[l->worker] && !truth][way];
        factor(a->weight[way], thrown[same ? 0 : 1], thrown[same ? 1 : 0]);
    }
}

static void answers_clear(answers *a)
{
    for (int way = 0; way < 2; way++) {
        mpq_clear(a->weight[way]);
        for (int k = 0; k < 2; k++) {
            mpq_clears(a->theta[way][k], a->coin[0][way][k], a->coin[1][way][k], NULL);
        }
    }
}

/* A mixture learns kind by kind, and theta from the mean of the kinds. */
static void match(oracle_betas *now, const oracle_label *l)
{
    mpq_t weight[2], all;
    oracle_betas matched;
    answers a;
    mpq_inits(weight[0], weight[1], all, NULL);
    oracle_betas_init(&matched);
    betas_copy(&matched, now);
    for (int m = 0; m < now->kinds[l->worker]; m++) {
        answers_init(&a, now, l, m);
        for (int coin = 0; coin < (now->two[l->worker] ? 2 : 1); coin++) {
            merge(matched.rho[l->worker][m][coin], a.weight, a.coin[coin]);
        }
        mpq_add(weight[0], weight[0], a.weight[0]);
        mpq_add(weight[1], weight[1], a.weight[1]);
        mpq_add(matched.weight[l->worker][m], a.weight[0], a.weight[1]);
        answers_clear(&a);
    }
    answers_init(&a, now, l, 0);
    merge(matched.theta[l->instance], weight, a.theta);
    answers_clear(&a);
    mpq_add(all, weight[0], weight[1]);
    for (int m = 0; m < now->kinds[l->worker]; m++) {
        mpq_div(matched.weight[l->worker][m], matched.weight[l->worker][m], all);
    }
    betas_copy(now, &matched);
    oracle_betas_clear(&matched);
    mpq_clears(weight[0], weight[1], all, NULL);
}

/* The probability of a positive label, by a rule's belief. */
static double matched_chance(const oracle_betas *own, int instance, int worker)
{
    double a = mpq_get_d(own->theta[instance][0]), b = mpq_get_d(own->theta[instance][1]), sum = 0;
    for (int m = 0; m < own->kinds[worker]; m++) {
        const mpq_t *yes = own->rho[worker][m][0], *no = own->rho[worker][m][own->two[worker]];
        double if_yes = mpq_get_d(yes[0]) / (mpq_get_d(yes[0]) + mpq_get_d(yes[1]));
        double if_no = mpq_get_d(no[1]) / (mpq_get_d(no[0]) + mpq_get_d(no[1]));
        sum += mpq_get_d(own->weight[worker][m]) * (a * if_yes + b * if_no) / (a + b);
    }
    return sum;
}

static double largest(const mpq_t positive, const mpq_t evidence)
{
    OWN_MPQ share = MPQ_NEW;
    mpq_div(share, positive, evidence);
    double p = mpq_get_d(share);
    return fmax(p, 1 - p);
}

static double matched_h(const oracle_betas *at, int instance)
{
    OWN_MPQ chance = MPQ_NEW, half = MPQ_NEW;
    mpq_set_si(half, 1, 2);
    oracle_positive(chance, at->theta[instance][0], at->theta[instance][1], half);
    double p = mpq_get_d(chance);
    return fmax(p, 1 - p);
}

/* The rule's index of a pair after `count` labels. */
static double index_of(oracle_workers *oracle, int count, const oracle_betas *own, int instance,
                       int worker)
{
    mpq_t evidence, before, positive[ORACLE_WORKERS_SIDE];
    mpq_inits(evidence, before, NULL);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_init(positive[i]);
    }
    double h[2], chance[2], now;
    posterior(oracle, count, before, positive);
    bool exact = is_exact(oracle);
    now = exact ? largest(positive[instance], before) : matched_h(own, instance);
    for (int sign = 0; sign < 2; sign++) {
        oracle_betas next;
        oracle->history[count] = (oracle_label){instance, worker, sign == 0};
        posterior(oracle, count + 1, evidence, positive);
        chance[sign] = mpq_get_d(evidence) / mpq_get_d(before);
        oracle_betas_init(&next);
        betas_copy(&next, own);
        match(&next, &oracle->history[count]);
        h[sign] = exact ? largest(positive[instance], evidence) : matched_h(&next, instance);
        oracle_betas_clear(&next);
    }
    if (!exact) { /* with the rule's belief */
        chance[0] = matched_chance(own, instance, worker);
        chance[1] = 1 - chance[0];
    }
    mpq_clears(evidence, before, NULL);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_clear(positive[i]);
    }
    const long double chances[2] = {chance[0], chance[1]}, gains[2] = {h[0] - now, h[1] - now};
    return oracle->rule != NULL ? (double)literal_rule(oracle->rule, 2, chances, gains) : 0;
}

bool oracle_workers_decides(const oracle_workers *oracle)
{
    return oracle->rule != NULL && !is_exact(oracle);
}

void oracle_worth_init(oracle_worth *worth)
{
    mpq_inits(worth->own, worth->exact, NULL);
}

void oracle_worth_clear(oracle_worth *worth)
{
    mpq_clears(worth->own, worth->exact, NULL);
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

static void final_worth(const oracle_workers *oracle, const oracle_betas *own, oracle_worth *out)
{
    mpq_t negative, evidence, positive[ORACLE_WORKERS_SIDE];
    mpq_inits(negative, evidence, NULL);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_init(positive[i]);
    }
    posterior(oracle, oracle->labels, evidence, positive);
    mpq_set_si(out->own, 0, 1);
    mpq_set_si(out->exact, 0, 1);
    for (int i = 0; i < oracle->instances; i++) {
        mpq_sub(negative, evidence, positive[i]);
        bool call = mpq_cmp(positive[i], negative) >= 0;
        mpq_add(out->exact, out->exact, call ? positive[i] : negative);
        if (oracle_workers_decides(oracle)) {
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
    OWN_MPQ apart = MPQ_NEW;
    mpq_sub(apart, x, y);
    double by = mpq_get_d(apart);
    return (by > 16 * ORACLE_H_ERROR) - (by < -16 * ORACLE_H_ERROR);
}

static void value_after(oracle_workers *oracle, int count, const oracle_betas *own,
                        oracle_worth *out)
{
    if (count == oracle->labels) {
        final_worth(oracle, own, out);
        return;
    }
    oracle_worth each, sum, best;
    oracle_worth_init(&each);
    oracle_worth_init(&sum);
    oracle_worth_init(&best);
    double index[ORACLE_WORKERS_SIDE * ORACLE_WORKERS_SIDE] = {0}, most = -INFINITY;
    bool open[ORACLE_WORKERS_SIDE * ORACLE_WORKERS_SIDE] = {false};
    int tied = 0, pairs = oracle->instances * oracle->workers;
    for (int k = 0; k < pairs; k++) {
        open[k] = true;
        for (int n = 0; oracle->once && n < count; n++) {
            open[k] =
                open[k] &&
                oracle->history[n].instance * oracle->workers + oracle->history[n].worker != k;
        }
        index[k] = index_of(oracle, count, own, k / oracle->workers, k % oracle->workers);
        most = open[k] ? fmax(most, index[k]) : most;
    }
    og_ties ties = oracle->rule == NULL ? OG_TIES_BEST : oracle->ties;
    for (int k = 0; k < pairs; k++) {
        if (!open[k] || (oracle->rule != NULL && index[k] < most - OG_WORKERS_TIE) ||
            (ties == OG_TIES_FIRST && tied > 0)) {
            continue;
        }
        mpq_set_si(sum.own, 0, 1);
        mpq_set_si(sum.exact, 0, 1);
        for (int sign = 0; sign < 2; sign++) {
            oracle_betas next;
            oracle->history[count] =
                (oracle_label){k / oracle->workers, k % oracle->workers, sign == 0};
            oracle_betas_init(&next);
            betas_copy(&next, own);
            match(&next, &oracle->history[count]);
            value_after(oracle, count + 1, &next, &each);
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

void oracle_workers_value(oracle_workers *oracle, int had, oracle_worth *out)
{
    mpq_t evidence, positive[ORACLE_WORKERS_SIDE];
    oracle_betas own;
    oracle_betas_init(&own);
    betas_copy(&own, &oracle->prior);
    for (int n = 0; n < had; n++) {
        match(&own, &oracle->history[n]);
    }
    value_after(oracle, had, &own, out);
    mpq_init(evidence);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_init(positive[i]);
    }
    posterior(oracle, had, evidence, positive);
    mpq_div(out->own, out->own, evidence);
    mpq_div(out->exact, out->exact, evidence);
    for (int i = 0; i < ORACLE_WORKERS_SIDE; i++) {
        mpq_clear(positive[i]);
    }
    mpq_clear(evidence);
    oracle_betas_clear(&own);
}
