/* Policies for ranking with normal beliefs: adaptive polling and Crowd-BT. */
#include "heuristics/families/ranking_rivals.h"

#include <math.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/engine/strategy.h"
#include "heuristics/families/ranking_policy.h"

typedef struct {
    og_arena arena;
    int32_t items, workers;
    double *worker; /* [2 * workers] */
    og_stop *stop;
} rival_policy;

static og_status make(const og_ranking_setting *setting, rival_policy **out)
{
    rival_policy *rival = og_arena_new(sizeof *rival);
    OG_TRY(OG_ALLOCATED(rival));
    rival->items = setting->items;
    rival->workers = setting->workers;
    rival->stop = setting->stop;
    rival->worker = og_arena_copy(&rival->arena, setting->prior + setting->items,
                                  2 * (size_t)setting->workers, sizeof *rival->worker);
    og_status status = og_arena_status(&rival->arena);
    return OG_MADE(status, rival, og_arena_free, out);
}

static og_status decide_by_means(void *self, const og_strategy_view *view, double *decision,
                                 og_message *message)
{
    const rival_policy *rival = self;
    (void)message;
    memcpy(decision, view->belief, (size_t)rival->items * sizeof *decision);
    return OG_OK;
}

/* ---- adaptive polling, which depends only on counts ---- */

enum { POLLED = OG_RANKING_POLLING_MAX };

typedef struct {
    double information[POLLED][POLLED];
    double slope[POLLED];
    double spread[POLLED][POLLED]; /* the inverse of information + 1/K */
} polling;

/* The slope of log Phi(d / sqrt 2) in d, and minus its second derivative. */
static void slope_of(double d, double *slope, double *bend)
{
    double z = d * M_SQRT1_2;
    /* phi / Phi; for very negative z from its continued fraction. */
    double ratio = z > -30 ? exp(-z * z / 2) / sqrt(2 * M_PI) / (erfc(-z * M_SQRT1_2) / 2)
                           : -z - 1 / (-z - 2 / -z);
    *slope = ratio * M_SQRT1_2;
    *bend = ratio * (ratio + z) / 2;
}

static void measure(const og_ranking_played *shown, const double *m, polling *at)
{
    const double before = 0.15;
    int32_t items = shown->items;
    memset(at, 0, sizeof *at);
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = 0; j < items; j++) {
            double slope, bend, times = before + shown->won[i * items + j];
            if (i == j) {
                continue;
            }
            slope_of(m[i] - m[j], &slope, &bend);
            at->slope[i] += times * slope;
            at->slope[j] -= times * slope;
            at->information[i][i] += times * bend;
            at->information[j][j] += times * bend;
            at->information[i][j] -= times * bend;
            at->information[j][i] -= times * bend;
        }
    }
}

/* Inverts information + 1/K, which is positive definite, with Gauss-Jordan elimination without
 * pivots. */
static void invert(int32_t items, polling *at)
{
    double left[POLLED][POLLED];
    for (int32_t i = 0; i < items; i++) {
        for (int32_t j = 0; j < items; j++) {
            left[i][j] = at->information[i][j] + 1. / items;
            at->spread[i][j] = i == j;
        }
    }
    for (int32_t k = 0; k < items; k++) {
        double pivot = 1 / left[k][k];
        for (int32_t j = 0; j < items; j++) {
            left[k][j] *= pivot;
            at->spread[k][j] *= pivot;
        }
        for (int32_t i = 0; i < items; i++) {
            double times = left[i][k];
            for (int32_t j = 0; i != k && j < items; j++) {
                left[i][j] -= times * left[k][j];
                at->spread[i][j] -= times * at->spread[k][j];
            }
        }
    }
}

/* Finds the most likely means: log Phi is concave, and steps of at most 1 do not overshoot. */
static void climb(const og_ranking_played *shown, double *m, polling *at)
{
    int32_t items = shown->items;
    for (int32_t round = 0; round < 100; round++) {
        double step[POLLED], most = 0;
        measure(shown, m, at);
        invert(items, at);
        for (int32_t i = 0; i < items; i++) {
            step[i] = 0;
            for (int32_t j = 0; j < items; j++) {
                step[i] += at->spread[i][j] * at->slope[j];
            }
            most = fmax(most, fabs(step[i]));
        }
        for (int32_t i = 0; i < items; i++) {
            m[i] += step[i] / fmax(most, 1);
        }
        if (most < 1e-12) {
            return;
        }
    }
}

static og_status choose_polled(void *self, const og_strategy_view *view, double *answer,
                               og_answer *kind, og_message *message)
{
    polling *at = view->scratch;
    double m[POLLED] = {0};
    (void)self, (void)message;
    climb(view->state, m, at);
    for (int32_t k = 0; k < view->count; k++) {
        uint32_t i = view->open[k].act.part[0], j = view->open[k].act.part[1];
        double q = at->spread[i][i] + at->spread[j][j] - 2 * at->spread[i][j];
        answer[k] = 0;
        for (int32_t side = 0; side < 2; side++) {
            double d = side == 0 ? m[i] - m[j] : m[j] - m[i], slope, bend;
            slope_of(d, &slope, &bend);
            double grown = 1 + bend * q; /* the information of this pair with one more count */
            double moved =
                (-bend * q / grown + slope * slope * q / (grown * grown) + log(grown)) / 2;
            answer[k] += erfc(-d / 2) / 2 * moved;
        }
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

static og_status decide_polled(void *self, const og_strategy_view *view, double *decision,
                               og_message *message)
{
    const rival_policy *rival = self;
    (void)message;
    memset(decision, 0, (size_t)rival->items * sizeof *decision);
    climb(view->state, decision, view->scratch);
    return OG_OK;
}

/* ---- Crowd-BT: means, variances, then mu and nu of each worker ---- */

static double *worker_at(const rival_policy *rival, double *belief, uint32_t worker)
{
    return belief + 2 * rival->items + 2 * worker;
}

static og_status begin_crowd(void *self, void *scratch, void *belief, og_message *message)
{
    const rival_policy *rival = self;
    double *m = belief;
    (void)scratch, (void)message;
    for (int32_t i = 0; i < rival->items; i++) {
        m[i] = 0;
        m[rival->items + i] = 1;
    }
    memcpy(m + 2 * rival->items, rival->worker, 2 * (size_t)rival->workers * sizeof *m);
    return OG_OK;
}

/* Updates {m, v} of the winner and of the loser, and {mu, nu}, after the report; returns the
 * report's probability. All right sides use the old values. */
static double compare(double winner[2], double loser[2], double worker[2])
{
    const double least = 1e-4, edge = 1e-9;
    double p = 1 / (1 + exp(loser[0] - winner[0])), q = 1 / (1 + exp(winner[0] - loser[0]));
    double al = worker[0], be = worker[1], n = al + be, both = al * p + be * q;
    double force = al * p / both - p;
    double bend = al * p * be * q / (both * both) - p * q;
    double c1 = p + (winner[1] + loser[1]) / 2 * p * q * (q - p);
    double c = fmin(fmax((c1 * al + (1 - c1) * be) / n, edge), 1 - edge);
    double e1 = (c1 * (al + 1) * al + (1 - c1) * al * be) / (c * (n + 1) * n);
    double e2 = (c1 * (al + 2) * (al + 1) * al + (1 - c1) * (al + 1) * al * be) /
                (c * (n + 2) * (n + 1) * n);
    winner[0] += winner[1] * force;
    loser[0] -= loser[1] * force;
    winner[1] *= fmax(1 + winner[1] * bend, least);
    loser[1] *= fmax(1 + loser[1] * bend, least);
    worker[0] = (e1 - e2) * e1 / (e2 - e1 * e1);
    worker[1] = (e1 - e2) * (1 - e1) / (e2 - e1 * e1);
    return c;
}

static bool in_range(const double *pair, bool both)
{
    return isfinite(pair[0]) && isfinite(pair[1]) && pair[1] > 0 && (!both || pair[0] > 0);
}

static double learn_crowd(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                          int32_t branch, void *after)
{
    const rival_policy *rival = self;
    uint32_t i = act.part[answer == 1 ? 0 : 1], j = act.part[answer == 1 ? 1 : 0];
    double *m = after, *v = m + rival->items, *worker = worker_at(rival, m, act.part[2]);
    (void)branch;
    memcpy(m, view->belief, 2 * (size_t)(rival->items + rival->workers) * sizeof *m);
    double winner[2] = {m[i], v[i]}, loser[2] = {m[j], v[j]};
    compare(winner, loser, worker);
    m[i] = winner[0], v[i] = winner[1];
    m[j] = loser[0], v[j] = loser[1];
    bool fine = in_range(winner, false) && in_range(loser, false) && in_range(worker, true);
    return fine ? 1 : NAN;
}

/* Derivative of log Gamma. */
static double digamma(double x)
{
    double less = 0;
    for (; x < 10; x++) {
        less += 1 / x;
    }
    double y = 1 / (x * x);
    return log(x) - 1 / (2 * x) -
           y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y * (1. / 240 - y / 132)))) - less;
}

static double log_beta(const double worker[2])
{
    int sign;
    return lgamma_r(worker[0], &sign) + lgamma_r(worker[1], &sign) -
           lgamma_r(worker[0] + worker[1], &sign);
}

/* The Kullback-Leibler distance of the new distribution from the old one. */
static double moved_normal(const double now[2], const double was[2])
{
    double off = now[0] - was[0], ratio = now[1] / was[1];
    return (ratio - 1 - log(ratio) + off * off / was[1]) / 2;
}

static double moved_beta(const double now[2], const double was[2])
{
    double a = now[0] - was[0], b = now[1] - was[1];
    return log_beta(was) - log_beta(now) + a * digamma(now[0]) + b * digamma(now[1]) -
           (a + b) * digamma(now[0] + now[1]);
}

static og_status choose_crowd(void *self, const og_strategy_view *view, double *answer,
                              og_answer *kind, og_message *message)
{
    const rival_policy *rival = self;
    const double *m = view->belief, *v = m + rival->items, *workers = v + rival->items;
    for (int32_t k = 0; k < view->count; k++) {
        const uint32_t *act = view->open[k].act.part;
        OG_TRY(k % 64 == 0 && og_stop_asked(rival->stop) ? OG_STOPPED : OG_OK);
        answer[k] = 0;
        for (int32_t side = 0; side < 2; side++) {
            uint32_t i = act[side], j = act[1 - side];
            const double *worker = workers + 2 * act[2];
            double winner[2] = {m[i], v[i]}, loser[2] = {m[j], v[j]};
            double now[2] = {worker[0], worker[1]};
            double chance = compare(winner, loser, now);
            answer[k] +=
                chance * (moved_normal(winner, (double[]){m[i], v[i]}) +
                          moved_normal(loser, (double[]){m[j], v[j]}) + moved_beta(now, worker));
        }
        if (!isfinite(answer[k])) {
            return og_message_set(message, OG_FAILED, "a belief leaves the range of doubles");
        }
    }
    *kind = OG_ANSWER_INDEX;
    return OG_OK;
}

/* ---- names ---- */

og_status og_ranking_rival(const og_policy_name *named, const og_ranking_setting *setting,
                           struct og_strategy *out, og_message *message)
{
    bool polls = strcmp(named->name, "adaptive-polling") == 0;
    rival_policy *rival;
    if (!polls && strcmp(named->name, "crowd-bt") != 0) {
        return og_policy_name_refuse(named, "ranking", "ranking", message);
    }
    if (polls ? setting->workers > 0 : setting->workers == 0) {
        return og_message_set(message, OG_BAD_INPUT, "policy '%.64s' supports only workers %s",
                              named->name,
                              polls ? "who are always right" : "of unknown reliability");
    }
    if (polls && setting->items > OG_RANKING_POLLING_MAX) {
        return og_message_set(message, OG_STOPPED,
                              "adaptive-polling supports at most %d items, not %d",
                              OG_RANKING_POLLING_MAX, setting->items);
    }
    OG_TRY(make(setting, &rival));
    size_t belief_bytes = 2 * (size_t)(setting->items + setting->workers) * sizeof(double);
    *out = (og_strategy){.self = rival,
                         .concurrent = true,
                         .tie = OG_RANKING_TIE,
                         .tie_relative = OG_RANKING_TIE,
                         .belief_bytes = polls ? 0 : belief_bytes,
                         .scratch_bytes = polls ? sizeof(polling) : 0,
                         .begin = polls ? NULL : begin_crowd,
                         .learn = polls ? NULL : learn_crowd,
                         .choose = polls ? choose_polled : choose_crowd,
                         .decide = polls ? decide_polled : decide_by_means,
                         .free = og_arena_free};
    return OG_OK;
}
