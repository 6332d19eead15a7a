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
    og_ruled ruled;
    const og_features *features;
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

/* The scratch: the expected correct calls now. */
static og_status prospect(const void *self, const og_strategy_view *view, int32_t k,
                          og_prospect *out, og_message *message)
{
    const laplace *l = self;
    double *now = view->scratch, gain[2];
    int32_t a = (int32_t)view->open[k].act.part[0];
    double mean = mean_of(view->belief)[a], variance = spread_of(l, view->belief, a)[a];
    double positive = sigma(mean / sqrt(1 + M_PI * variance / 8));
    (void)message;
    *now = k == 0 ? correct_calls(l, view->belief, 0, (change){0, 0}) : *now;
    for (int said = 0; said < 2; said++) {
        change c = change_of(mean, variance, said == 1);
        gain[said] = correct_calls(l, view->belief, a, c) - *now;
    }
    og_prospect_pair(out, (const double[2]){1 - positive, positive}, gain);
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

/* Makes the data of a policy, of this size, that learns and calls. */
static og_status make(const og_features *features, const og_rule_use *use, size_t size,
                      og_strategy *out, og_message *message)
{
    size_t actions = (size_t)features->action_count;
    if (actions > OG_LAPLACE_ACTIONS_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "Laplace's approximation supports at most %d different rows of "
                              "features, not %zu",
                              OG_LAPLACE_ACTIONS_MAX, actions);
    }
    OG_TRY(og_ruled_new(size, use, prospect, out));
    ((laplace *)out->self)->features = features;
    out->tie = OG_FEATURES_TIE;
    out->belief_bytes = (actions + actions * actions) * sizeof(double);
    out->scratch_bytes = sizeof(double);
    out->forest = true;
    out->begin = begin;
    out->learn = learn;
    out->decide = decide;
    return OG_OK;
}

og_status og_laplace_strategy(const og_features *features, const og_rule_use *use, og_strategy *out,
                              og_message *message)
{
    return make(features, use, sizeof(laplace), out, message);
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
    og_arena_free(self);
}

og_status og_laplace_calls(const og_features *features, og_strategy *own, og_strategy *out,
                           og_message *message)
{
    og_status status =
        make(features, &(const og_rule_use){.rule = &og_rule_any}, sizeof(caller), out, message);
    if (status != OG_OK) {
        og_strategy_free(own);
        return status;
    }
    ((caller *)out->self)->own = *own;
    out->tie = own->tie;
    out->tie_relative = own->tie_relative;
    out->concurrent = own->concurrent;
    out->scratch_bytes = own->scratch_bytes;
    out->stop = own->stop;
    out->tolerance_ties = own->tolerance_ties;
    out->choose = choose_by_own;
    out->free = caller_free;
    return OG_OK;
}
