/* Policies with beliefs from Laplace's approximation, stored as means and covariances of the
 * instances' scores.
 */
#include "heuristics/families/laplace.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "dp/engine/strategy.h"
#include "heuristics/families/features_policy.h"

typedef struct {
    const og_features *features;
    og_laplace_index index;
} laplace;

/* A belief: mean[a] = <mu, x_a>, then spread[a][b] = x_a' Sigma x_b. */
typedef struct {
    double *mean;
    double *spread;
} gaussian;

static gaussian gaussian_of(const laplace *l, void *belief)
{
    double *numbers = belief;
    return (gaussian){numbers, numbers + l->features->action_count};
}

static const double *mean_of(const void *belief)
{
    return belief;
}

static const double *spread_of(const laplace *l, const void *belief, int32_t action)
{
    const double *numbers = belief;
    int64_t actions = l->features->action_count;
    return numbers + actions + action * actions;
}

static double sigma(double t)
{
    return t >= 0 ? 1 / (1 + exp(-t)) : exp(t) / (1 + exp(t));
}

/* The larger of P and 1 - P. With variance 0 the sign of the mean is certain, also for the mean 0,
 * because a soft label of 1/2 is positive. */
static double correctness(double mean, double variance)
{
    if (variance <= 0) {
        return 1;
    }
    return 0.5 * erfc(-fabs(mean) / sqrt(2 * variance));
}

/*
 * The effect of a label in the direction of its instance: <mu', x> is the root t of
 *
 *   t - mean - variance * y * sigma(-y t) = 0,
 *
 * whose left side has a slope between 1 and 1 + variance / 4 and is convex or concave on each side
 * of 0. Newton's steps are kept within a bracket; if one does not halve the left side, as in a
 * cycle around 0, the bracket is halved next.
 */
typedef struct {
    double step;   /* mu' - mu = step * Sigma x */
    double shrink; /* Sigma' = Sigma - shrink * (Sigma x)(Sigma x)' */
} change;

static change change_of(double mean, double variance, bool positive)
{
    enum { ROUNDS = 200 };
    double y = positive ? 1 : -1;
    double low = positive ? mean : mean - variance;
    double high = positive ? mean + variance : mean;
    double t = mean, before = INFINITY;
    for (int i = 0; i < ROUNDS && low < high; i++) {
        double s = sigma(-y * t);
        double off = t - mean - variance * y * s;
        *(off > 0 ? &high : &low) = t;
        double next = t - off / (1 + variance * s * (1 - s));
        if (!(next > low && next < high) || fabs(off) > before / 2) {
            next = low + (high - low) / 2;
        }
        before = fabs(off);
        if (next == t || fabs(next - t) <= 0x1p-52 * fabs(t)) {
            break;
        }
        t = next;
    }
    double s = sigma(t);
    double information = s * (1 - s);
    return (change){y * sigma(-y * t), information / (1 + information * variance)};
}

/* ---- the policy ---- */

static double learn(void *self, const og_strategy_view *view, og_act act, int32_t answer,
                    int32_t branch, void *after)
{
    const laplace *l = self;
    int64_t actions = l->features->action_count;
    int32_t action = (int32_t)act.part[0];
    const double *mean = mean_of(view->belief);
    const double *along = spread_of(l, view->belief, action);
    change c = change_of(mean[action], along[action], answer == 1);
    (void)branch;
    gaussian next = gaussian_of(l, after);
    for (int64_t i = 0; i < actions; i++) {
        const double *row = spread_of(l, view->belief, (int32_t)i);
        for (int64_t j = 0; j < actions; j++) {
            next.spread[i * actions + j] = row[j] - c.shrink * along[i] * along[j];
        }
    }
    for (int64_t i = 0; i < actions; i++) {
        next.mean[i] = mean[i] + c.step * along[i];
    }
    return 1;
}

/* The same, in place. */
static void learn_here(const laplace *l, void *belief, int32_t action, bool positive)
{
    int64_t actions = l->features->action_count;
    gaussian now = gaussian_of(l, belief);
    const double *along = &now.spread[action * actions];
    change c = change_of(now.mean[action], along[action], positive);
    for (int64_t i = 0; i < actions; i++) {
        now.mean[i] += c.step * along[i];
    }
    /* The row and column of the action come last, because the others still need them. */
    for (int64_t i = 0; i < actions; i++) {
        for (int64_t j = 0; i != action && j < actions; j++) {
            if (j != action) {
                now.spread[i * actions + j] -= c.shrink * along[i] * along[j];
            }
        }
    }
    double keep = 1 - c.shrink * along[action];
    for (int64_t i = 0; i < actions; i++) {
        now.spread[i * actions + action] *= keep;
        if (i != action) {
            now.spread[action * actions + i] *= keep;
        }
    }
}

static og_status begin(void *self, void *scratch, void *belief, og_message *message)
{
    const laplace *l = self;
    const og_features *f = l->features;
    gaussian now = gaussian_of(l, belief);
    (void)scratch, (void)message;
    for (int64_t i = 0; i < f->action_count; i++) {
        const double *x = &f->row[i * f->feature_count];
        now.mean[i] = 0;
        for (int32_t d = 0; d < f->feature_count; d++) {
            now.mean[i] += x[d] * f->mean[d];
        }
        for (int64_t j = 0; j < f->action_count; j++) {
            double product = 0;
            for (int32_t d = 0; d < f->feature_count; d++) {
                product += x[d] * f->row[j * f->feature_count + d];
            }
            now.spread[i * f->action_count + j] = product;
        }
    }
    for (int32_t a = 0; a < f->action_count; a++) {
        for (int32_t n = 0; n < f->positive[a] + f->negative[a]; n++) {
            learn_here(l, belief, a, n < f->positive[a]);
        }
    }
    return OG_OK;
}

/* Expected correct calls after a change in the direction of an action, or without one. */
static double correct_calls(const laplace *l, const void *belief, int32_t action, change c)
{
    const og_features *f = l->features;
    const double *mean = mean_of(belief);
    const double *along = spread_of(l, belief, action);
    double sum = 0;
    for (int32_t i = 0; i < f->action_count; i++) {
        double variance = spread_of(l, belief, i)[i] - c.shrink * along[i] * along[i];
        sum += (double)f->copies[i] * correctness(mean[i] + c.step * along[i], variance);
    }
    return sum;
}

static og_status choose(void *self, const og_strategy_view *view, double *answer, og_answer *kind,
                        og_message *message)
{
    const laplace *l = self;
    double now = correct_calls(l, view->belief, 0, (change){0, 0});
    (void)message;
    *kind = OG_ANSWER_INDEX;
    for (int32_t i = 0; i < view->count; i++) {
        int32_t a = (int32_t)view->open[i].act.part[0];
        double mean = mean_of(view->belief)[a];
        double variance = spread_of(l, view->belief, a)[a];
        double gain[2];
        for (int k = 0; k < 2; k++) {
            gain[k] = correct_calls(l, view->belief, a, change_of(mean, variance, k == 1)) - now;
        }
        double positive = sigma(mean / sqrt(1 + M_PI * variance / 8));
        answer[i] = l->index == OG_LAPLACE_KG ? positive * gain[1] + (1 - positive) * gain[0]
                                              : fmax(gain[0], gain[1]);
    }
    return OG_OK;
}

static og_status decide(void *self, const og_strategy_view *view, double *decision,
                        og_message *message)
{
    const laplace *l = self;
    (void)message;
    for (int32_t a = 0; a < l->features->action_count; a++) {
        decision[a] = mean_of(view->belief)[a] >= 0 ? 1 : -1;
    }
    return OG_OK;
}

og_status og_laplace_strategy(const og_features *features, og_laplace_index index, og_strategy *out,
                              og_message *message)
{
    size_t actions = (size_t)features->action_count;
    if (actions > OG_LAPLACE_ACTIONS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "Laplace's approximation supports at most %d different rows of "
                              "features, not %zu",
                              OG_LAPLACE_ACTIONS_MAX, actions);
    }
    laplace *l = malloc(sizeof *l);
    OG_TRY(OG_ALLOCATED(l));
    *l = (laplace){features, index};
    *out = (og_strategy){.self = l,
                         .concurrent = true,
                         .tie = OG_FEATURES_TIE,
                         .belief_bytes = (actions + actions * actions) * sizeof(double),
                         .forest = true,
                         .begin = begin,
                         .learn = learn,
                         .choose = choose,
                         .decide = decide,
                         .free = free};
    return OG_OK;
}

/* ---- calls for other policies ---- */

typedef struct {
    laplace by; /* first, as the functions above expect */
    og_strategy own;
} caller;

static og_status choose_by_own(void *self, const og_strategy_view *view, double *answer,
                               og_answer *kind, og_message *message)
{
    const og_strategy *own = &((const caller *)self)->own;
    return own->choose(own->self, view, answer, kind, message);
}

static void caller_free(void *self)
{
    og_strategy_free(&((caller *)self)->own);
    free(self);
}

og_status og_laplace_calls(const og_features *features, og_strategy *own, og_strategy *out,
                           og_message *message)
{
    og_strategy calls;
    og_status status = og_laplace_strategy(features, OG_LAPLACE_KG, &calls, message);
    caller *c = status == OG_OK ? malloc(sizeof *c) : NULL;
    OG_THEN(status, OG_ALLOCATED(c));
    if (status != OG_OK) {
        og_strategy_free(own);
        return status;
    }
    *c = (caller){*(const laplace *)calls.self, *own};
    *out = *own;
    out->self = c;
    out->belief_bytes = calls.belief_bytes;
    out->forest = true;
    out->begin = begin;
    out->learn = learn;
    out->choose = choose_by_own;
    out->decide = decide;
    out->free = caller_free;
    og_strategy_free(&calls);
    return OG_OK;
}
