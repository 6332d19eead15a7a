#include "tests/oracle_features.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heuristics/families/features_policy.h"
#include "tests/literal.h"

enum {
    K_MAX = ORACLE_FEATURES_INSTANCES,
    P_MAX = ORACLE_FEATURES_WEIGHTS,
    INTERVALS = 200,
    EVIDENCE = -1, /* instead of an instance: all of the space */
    MEMO_MAX = 1 << 16,
};

static const double tail = 9; /* standard deviations; 2e-19 lies beyond */

static void insist(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "oracle_features: %s\n", what);
        abort();
    }
}

typedef struct {
    int n[K_MAX][2]; /* negative, positive labels */
} counts;

/* ---- integrals ---- */

typedef struct {
    const og_features_problem *problem;
    const counts *c;
    double axis[2][2]; /* unit vectors, the first along the instance that is called */
    double u;
    gsl_integration_workspace *inner;
} integral;

/* Density of standard weights z times the likelihood, w = mean + sd * z. */
static double integrand(const integral *at, const double *z)
{
    const og_features_problem *p = at->problem;
    double density = 1;
    for (int d = 0; d < p->feature_count; d++) {
        density *= exp(-z[d] * z[d] / 2) / sqrt(2 * M_PI);
    }
    for (int i = 0; i < p->instance_count; i++) {
        double t = 0;
        for (int d = 0; d < p->feature_count; d++) {
            t += p->row[i * p->feature_count + d] * (p->mean[d] + p->sd[d] * z[d]);
        }
        density *= pow(1 / (1 + exp(-t)), at->c->n[i][1]) * pow(1 / (1 + exp(t)), at->c->n[i][0]);
    }
    return density;
}

static double along_v(double v, void *object)
{
    const integral *at = object;
    double z[2];
    for (int d = 0; d < 2; d++) {
        z[d] = at->u * at->axis[0][d] + v * at->axis[1][d];
    }
    return integrand(at, z);
}

static double adaptive(double (*function)(double, void *), integral *at, double from, double to,
                       gsl_integration_workspace *space)
{
    double result = 0;
    double error = 0;
    gsl_function f = {function, at};
    int status = gsl_integration_qag(&f, from, to, 1e-14, 1e-12, INTERVALS, GSL_INTEG_GAUSS31,
                                     space, &result, &error);
    insist(status == GSL_SUCCESS || error < 1e-12, "an integral is not accurate");
    return result;
}

static double along_u(double u, void *object)
{
    integral *at = object;
    at->u = u;
    if (at->problem->feature_count == 1) {
        double z = u * at->axis[0][0];
        return integrand(at, &z);
    }
    return adaptive(along_v, at, -tail, tail, at->inner);
}

/* Density times likelihood over all of the space, or over <w, x_i> >= 0. */
static double integrate(const og_features_problem *p, const counts *c, int instance)
{
    integral at = {.problem = p, .c = c, .axis = {{1, 0}, {0, 1}}};
    double from = -tail;
    if (instance != EVIDENCE) {
        const double *x = &p->row[instance * p->feature_count];
        double length = 0;
        double mean = 0;
        for (int d = 0; d < p->feature_count; d++) {
            length = hypot(length, p->sd[d] * x[d]);
            mean += p->mean[d] * x[d];
        }
        if (length > 0) {
            at.axis[0][0] = p->sd[0] * x[0] / length;
            at.axis[0][1] = p->feature_count > 1 ? p->sd[1] * x[1] / length : 0;
            at.axis[1][0] = -at.axis[0][1];
            at.axis[1][1] = at.axis[0][0];
            from = fmin(fmax(-mean / length, -tail), tail);
        }
    }
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_integration_workspace *outer = gsl_integration_workspace_alloc(INTERVALS);
    at.inner = gsl_integration_workspace_alloc(INTERVALS);
    insist(outer != NULL && at.inner != NULL, "no memory");
    /* In two halves: a function that is narrow near one end is not missed. */
    double middle = fmax(from, 0);
    double sum = from < middle ? adaptive(along_u, &at, from, middle, outer) : 0;
    sum += middle < tail ? adaptive(along_u, &at, middle, tail, outer) : 0;
    gsl_integration_workspace_free(outer);
    gsl_integration_workspace_free(at.inner);
    gsl_set_error_handler(handler);
    return sum;
}

/* ---- Bellman's equation ---- */

/* Data of one state; there are few states. */
typedef struct {
    counts c;
    double evidence;
    double correct; /* expected correct calls; NAN: not asked for yet */
    double value;   /* NAN: not known yet */
} state;

typedef struct {
    const og_features_problem *problem;
    const char *rule;
    state *states;
    int count;
} game;

static game game_new(const og_features_problem *problem, const char *rule)
{
    insist(problem->instance_count <= K_MAX && problem->budget <= ORACLE_FEATURES_LABELS &&
               problem->feature_count <= 2,
           "the problem is too large");
    game g = {.problem = problem, .rule = rule, .states = calloc(MEMO_MAX, sizeof *g.states)};
    insist(g.states != NULL, "no memory");
    return g;
}

static counts root_of(const og_features_problem *p)
{
    counts c;
    memset(&c, 0, sizeof c);
    for (int i = 0; p->positive != NULL && i < p->instance_count; i++) {
        c.n[i][0] = p->negative[i];
        c.n[i][1] = p->positive[i];
    }
    return c;
}

static counts with(const counts *c, int instance, int label)
{
    counts next = *c;
    next.n[instance][label]++;
    return next;
}

static state *find(game *g, const counts *c)
{
    for (int i = 0; i < g->count; i++) {
        if (memcmp(&g->states[i].c, c, sizeof *c) == 0) {
            return &g->states[i];
        }
    }
    insist(g->count < MEMO_MAX, "too many states");
    state *s = &g->states[g->count++];
    *s = (state){.c = *c, .evidence = integrate(g->problem, c, EVIDENCE)};
    s->correct = NAN;
    s->value = NAN;
    return s;
}

static double correct(game *g, const counts *c)
{
    state *s = find(g, c);
    if (isnan(s->correct)) {
        s->correct = 0;
        for (int i = 0; i < g->problem->instance_count; i++) {
            double positive = integrate(g->problem, c, i) / s->evidence;
            s->correct += fmax(positive, 1 - positive);
        }
    }
    return s->correct;
}

/* The probability of a label. */
static double chance(game *g, const counts *c, int instance, int label)
{
    counts next = with(c, instance, label);
    double later = find(g, &next)->evidence;
    return later / find(g, c)->evidence;
}

static double value(game *g, const counts *c, int left);

static double q(game *g, const counts *c, int left, int instance)
{
    double sum = 0;
    for (int label = 0; label < 2; label++) {
        counts next = with(c, instance, label);
        sum += chance(g, c, instance, label) * value(g, &next, left - 1);
    }
    return sum;
}

/* What the play compares, of one instance. */
static double score(game *g, const counts *c, int left, int instance)
{
    long double gain[2], chances[2];
    if (g->rule == NULL) {
        return q(g, c, left, instance);
    }
    for (int label = 0; label < 2; label++) {
        counts next = with(c, instance, label);
        gain[label] = correct(g, &next) - correct(g, c);
        chances[label] = chance(g, c, instance, label);
    }
    return (double)literal_rule(g->rule, 2, chances, gain);
}

static double value(game *g, const counts *c, int left)
{
    if (left == 0) {
        return correct(g, c);
    }
    double known = find(g, c)->value;
    if (!isnan(known)) {
        return known;
    }
    int instances = g->problem->instance_count;
    double scores[K_MAX];
    double best = -INFINITY;
    for (int i = 0; i < instances; i++) {
        scores[i] = score(g, c, left, i);
        best = fmax(best, scores[i]);
    }
    double sum = 0;
    int tied = 0;
    for (int i = 0; i < instances; i++) {
        if (scores[i] >= best - OG_FEATURES_TIE) {
            sum += q(g, c, left, i);
            tied++;
        }
    }
    double found = g->rule == NULL ? best : sum / tied;
    find(g, c)->value = found;
    return found;
}

double oracle_features_value(const og_features_problem *problem, const char *rule)
{
    game g = game_new(problem, rule);
    counts root = root_of(problem);
    double found = value(&g, &root, problem->budget);
    free(g.states);
    return found;
}

double oracle_features_first(const og_features_problem *problem, int instance)
{
    game g = game_new(problem, NULL);
    counts root = root_of(problem);
    double found = q(&g, &root, problem->budget, instance);
    free(g.states);
    return found;
}

/* ---- Laplace's approximation ---- */

typedef struct {
    double mean[P_MAX];
    double covariance[P_MAX * P_MAX];
} belief;

static double dot(int size, const double *x, const double *y)
{
    double sum = 0;
    for (int d = 0; d < size; d++) {
        sum += x[d] * y[d];
    }
    return sum;
}

static double form(int size, const double *x, const double *matrix)
{
    double sum = 0;
    for (int d = 0; d < size; d++) {
        sum += x[d] * dot(size, &matrix[d * size], x);
    }
    return sum;
}

/* In place. */
static void invert(int size, double *matrix)
{
    gsl_matrix_view view = gsl_matrix_view_array(matrix, (size_t)size, (size_t)size);
    insist(gsl_linalg_cholesky_decomp1(&view.matrix) == GSL_SUCCESS &&
               gsl_linalg_cholesky_invert(&view.matrix) == GSL_SUCCESS,
           "a covariance is not positive definite");
}

/* ln sigma(y <w, x>) - (w - mean)' precision (w - mean) / 2 */
static double objective(int weights, const double *w, const double *mean, const double *precision,
                        const double *row, double y)
{
    double off[P_MAX];
    for (int d = 0; d < weights; d++) {
        off[d] = w[d] - mean[d];
    }
    return -log1p(exp(-y * dot(weights, w, row))) - form(weights, off, precision) / 2;
}

void oracle_features_update(int weights, double *mean, double *covariance, const double *row,
                            bool positive)
{
    double y = positive ? 1 : -1;
    double precision[P_MAX * P_MAX];
    double at[P_MAX] = {0};
    memcpy(precision, covariance, (size_t)(weights * weights) * sizeof *precision);
    invert(weights, precision);
    memcpy(at, mean, (size_t)weights * sizeof *at);
    double hessian[P_MAX * P_MAX];
    for (int round = 0; round < 100; round++) {
        double t = dot(weights, at, row);
        double s = 1 / (1 + exp(-t));
        double gradient[P_MAX];
        for (int d = 0; d < weights; d++) {
            double off[P_MAX];
            for (int e = 0; e < weights; e++) {
                off[e] = at[e] - mean[e];
                hessian[d * weights + e] =
                    precision[d * weights + e] + s * (1 - s) * row[d] * row[e];
            }
            gradient[d] =
                y / (1 + exp(y * t)) * row[d] - dot(weights, &precision[d * weights], off);
        }
        invert(weights, hessian);
        /* Newton's step is halved until it is no step down. */
        double before = objective(weights, at, mean, precision, row, y);
        before -= 1e-13 * (1 + fabs(before)); /* what rounding may take */
        for (double share = 1; share > 1e-9; share /= 2) {
            double next[P_MAX] = {0};
            for (int d = 0; d < weights; d++) {
                next[d] = at[d] + share * dot(weights, &hessian[d * weights], gradient);
            }
            if (objective(weights, next, mean, precision, row, y) >= before) {
                memcpy(at, next, sizeof at);
                break;
            }
        }
    }
    /* The Hessian there is the new precision. */
    memcpy(mean, at, (size_t)weights * sizeof *mean);
    memcpy(covariance, hessian, (size_t)(weights * weights) * sizeof *hessian);
}

static double normal(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

static double believed(const og_features_problem *p, const belief *b)
{
    double sum = 0;
    for (int i = 0; i < p->instance_count; i++) {
        const double *x = &p->row[i * p->feature_count];
        double variance = form(p->feature_count, x, b->covariance);
        double positive =
            variance > 0 ? normal(dot(p->feature_count, x, b->mean) / sqrt(variance)) : 1;
        sum += fmax(positive, 1 - positive);
    }
    return sum;
}

typedef struct {
    game game;
    const char *rule;
} laplace;

static double laplace_score(const laplace *l, const belief *b, int instance)
{
    const og_features_problem *p = l->game.problem;
    const double *x = &p->row[instance * p->feature_count];
    long double gain[2];
    for (int label = 0; label < 2; label++) {
        belief next = *b;
        oracle_features_update(p->feature_count, next.mean, next.covariance, x, label == 1);
        gain[label] = believed(p, &next) - believed(p, b);
    }
    double variance = form(p->feature_count, x, b->covariance);
    double t = dot(p->feature_count, x, b->mean) / sqrt(1 + M_PI * variance / 8);
    double positive = 1 / (1 + exp(-t));
    return (double)literal_rule(l->rule, 2, (const long double[2]){1 - positive, positive}, gain);
}

typedef struct {
    double own, called;
} pair;

static pair laplace_value(laplace *l, const counts *c, const belief *b, int left)
{
    const og_features_problem *p = l->game.problem;
    pair sum = {0, 0};
    if (left == 0) {
        for (int i = 0; i < p->instance_count; i++) {
            double positive = integrate(p, c, i) / find(&l->game, c)->evidence;
            bool call = dot(p->feature_count, &p->row[i * p->feature_count], b->mean) >= 0;
            sum.own += call ? positive : 1 - positive;
        }
        sum.called = correct(&l->game, c);
        return sum;
    }
    double scores[K_MAX];
    double best = -INFINITY;
    for (int i = 0; i < p->instance_count; i++) {
        scores[i] = laplace_score(l, b, i);
        best = fmax(best, scores[i]);
    }
    int tied = 0;
    for (int i = 0; i < p->instance_count; i++) {
        if (scores[i] < best - OG_FEATURES_TIE) {
            continue;
        }
        tied++;
        for (int label = 0; label < 2; label++) {
            counts next = with(c, i, label);
            belief later = *b;
            oracle_features_update(p->feature_count, later.mean, later.covariance,
                                   &p->row[i * p->feature_count], label == 1);
            pair found = laplace_value(l, &next, &later, left - 1);
            sum.own += chance(&l->game, c, i, label) * found.own;
            sum.called += chance(&l->game, c, i, label) * found.called;
        }
    }
    return (pair){sum.own / tied, sum.called / tied};
}

void oracle_features_laplace(const og_features_problem *problem, const char *rule, double *own,
                             double *called)
{
    laplace l = {game_new(problem, NULL), rule};
    counts root = root_of(problem);
    belief b;
    memset(&b, 0, sizeof b);
    int weights = problem->feature_count;
    for (int d = 0; d < weights; d++) {
        b.mean[d] = problem->mean[d];
        b.covariance[d * weights + d] = problem->sd[d] * problem->sd[d];
    }
    for (int i = 0; i < problem->instance_count; i++) {
        for (int label = 1; label >= 0; label--) {
            for (int n = 0; n < root.n[i][label]; n++) {
                oracle_features_update(weights, b.mean, b.covariance, &problem->row[i * weights],
                                       label == 1);
            }
        }
    }
    pair found = laplace_value(&l, &root, &b, problem->budget);
    *own = found.own;
    *called = found.called;
    free(l.game.states);
}
