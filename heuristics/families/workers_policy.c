/*
 * Policies for workers of unknown reliability: moment matching of an instance and a worker, label
 * by label, or the exact posterior.
 */
#include "heuristics/families/workers_policy.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The Beta with this mean and second moment. */
static void fit(double mean, double second, double beta[2])
{
    double size = (mean - second) / (second - mean * mean);
    beta[0] = mean * size;
    beta[1] = (1 - mean) * size;
}

void og_workers_match(double instance[2], double worker[2], bool positive)
{
    double a = instance[0], b = instance[1];
    /* A negative label is a positive one of a worker who is reliable as often as this one is not.
     */
    double c = positive ? worker[0] : worker[1], d = positive ? worker[1] : worker[0];
    double chance = a * c + b * d;
    double theta = a * ((a + 1) * c + b * d) / ((a + b + 1) * chance);
    double theta2 = a * (a + 1) * ((a + 2) * c + b * d) / ((a + b + 1) * (a + b + 2) * chance);
    double same = c * (a * (c + 1) + b * d) / ((c + d + 1) * chance);
    double same2 = c * (c + 1) * (a * (c + 2) + b * d) / ((c + d + 1) * (c + d + 2) * chance);
    double matched[2];
    fit(theta, theta2, instance);
    fit(same, same2, matched);
    worker[0] = positive ? matched[0] : matched[1];
    worker[1] = positive ? matched[1] : matched[0];
}

/* Expected correctness of a call under Beta(a, b). */
static double correctness(const double beta[2])
{
    return gsl_cdf_beta_Q(0.5, fmax(beta[0], beta[1]), fmin(beta[0], beta[1]));
}

static void start(const void *self, double *own)
{
    const og_workers_rule *rule = self;
    size_t count = 2 * (size_t)(rule->posterior->instances + rule->posterior->workers);
    memcpy(own, rule->prior, count * sizeof *own);
}

static void update(const void *self, double *own, int32_t instance, int32_t worker, bool positive)
{
    const og_workers_rule *rule = self;
    og_workers_match(&own[2 * instance], &own[2 * (rule->posterior->instances + worker)], positive);
}

/* A tie is positive, and what rounding made of one too. */
static bool call(const void *self, const double *own, int32_t instance)
{
    const double rounding = 1e-12;
    (void)self;
    return own[2 * instance] >= own[2 * instance + 1] * (1 - rounding);
}

static void index_alike(const void *self, const og_pair_counts *counts, const double *own,
                        double *index)
{
    const og_workers_rule *rule = self;
    (void)counts;
    (void)own;
    for (int32_t k = 0; k < rule->posterior->instances * rule->posterior->workers; k++) {
        index[k] = 0;
    }
}

static double combine(const og_workers_rule *rule, double chance, double if_positive,
                      double if_negative)
{
    return rule->optimistic ? fmax(if_positive, if_negative)
                            : chance * if_positive + (1 - chance) * if_negative;
}

static void index_matched(const void *self, const og_pair_counts *counts, const double *own,
                          double *index)
{
    const og_workers_rule *rule = self;
    int32_t instances = rule->posterior->instances, workers = rule->posterior->workers;
    (void)counts;
    for (int32_t i = 0; i < instances; i++) {
        const double *theta = &own[2 * i];
        double now = correctness(theta);
        for (int32_t j = 0; j < workers; j++) {
            const double *rho = &own[2 * (instances + j)];
            double gain[2];
            for (int sign = 0; sign < 2; sign++) {
                double instance[2] = {theta[0], theta[1]}, worker[2] = {rho[0], rho[1]};
                og_workers_match(instance, worker, sign == 0);
                gain[sign] = correctness(instance) - now;
            }
            double chance = (theta[0] * rho[0] + theta[1] * rho[1]) /
                            ((theta[0] + theta[1]) * (rho[0] + rho[1]));
            index[i * workers + j] = combine(rule, chance, gain[0], gain[1]);
        }
    }
}

static void index_exact(const void *self, const og_pair_counts *counts, const double *own,
                        double *index)
{
    const og_workers_rule *rule = self;
    const og_workers_posterior *posterior = rule->posterior;
    int32_t workers = posterior->workers, pairs = posterior->instances * workers;
    og_pair_counts after[OG_WORKERS_PAIRS_MAX];
    double evidence, positive[OG_WORKERS_INSTANCES_MAX], negative[OG_WORKERS_INSTANCES_MAX];
    double now[OG_WORKERS_INSTANCES_MAX] = {0};
    (void)own;
    memcpy(after, counts, (size_t)pairs * sizeof *after);
    og_workers_evidence(posterior, after, &evidence, positive, negative);
    for (int32_t i = 0; i < posterior->instances; i++) {
        now[i] = fmax(positive[i], negative[i]) / evidence;
    }
    for (int32_t k = 0; k < pairs; k++) {
        double chance[2], gain[2];
        int32_t i = k / workers;
        for (int sign = 0; sign < 2; sign++) {
            uint8_t *count = sign == 0 ? &after[k].positive : &after[k].negative;
            ++*count;
            og_workers_evidence(posterior, after, &chance[sign], positive, negative);
            --*count;
            gain[sign] = fmax(positive[i], negative[i]) / chance[sign] - now[i];
        }
        index[k] = combine(rule, chance[0] / evidence, gain[0], gain[1]);
    }
}

typedef struct {
    const char *name;
    og_workers_policy policy;
    bool optimistic;
} row;

static const row rows[] = {
    {"uniform", {NULL, true, start, update, index_alike, call}, false},
    {"kg", {NULL, true, start, update, index_matched, call}, false},
    {"opt-kg", {NULL, true, start, update, index_matched, call}, true},
    {"kg-exact", {NULL, false, NULL, NULL, index_exact, NULL}, false},
    {"opt-kg-exact", {NULL, false, NULL, NULL, index_exact, NULL}, true},
};

static double *priors(const og_workers_posterior *posterior, const og_problem *problem,
                      const og_problem *workers)
{
    double *prior = calloc(2 * (size_t)(posterior->instances + posterior->workers), sizeof *prior);
    size_t at = 0;
    for (int32_t i = 0; prior != NULL && i < posterior->instances; i++) {
        const og_group *group = &problem->groups[posterior->instance_group[i]];
        prior[at++] = og_fraction_double(group->a);
        prior[at++] = og_fraction_double(group->b);
    }
    for (int32_t j = 0; prior != NULL && j < posterior->workers; j++) {
        const og_group *group = &workers->groups[posterior->worker_group[j]];
        prior[at++] = og_fraction_double(group->a);
        prior[at++] = og_fraction_double(group->b);
    }
    return prior;
}

og_status og_workers_rule_init(og_workers_rule *out, const og_policy *named,
                               const og_workers_posterior *posterior, const og_problem *problem,
                               const og_problem *workers, og_message *message)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, named->name) != 0) {
            continue;
        }
        og_workers_rule made = {.posterior = posterior,
                                .optimistic = rows[i].optimistic,
                                .policy = rows[i].policy,
                                .prior = priors(posterior, problem, workers)};
        if (made.prior == NULL) {
            return OG_NO_MEMORY;
        }
        *out = made;
        return OG_OK;
    }
    return og_message_set(message, OG_BAD_INPUT,
                          "policy '%.64s' is not there for workers of unknown reliability; known "
                          "are uniform, kg, opt-kg, kg-exact, opt-kg-exact",
                          named->name);
}

void og_workers_rule_clear(og_workers_rule *rule)
{
    free(rule->prior);
    memset(rule, 0, sizeof *rule);
}

og_workers_policy og_workers_policy_of(const og_workers_rule *rule)
{
    og_workers_policy policy = rule->policy;
    policy.self = rule;
    return policy;
}
