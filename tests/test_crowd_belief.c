/*
 * The belief about a crowd, compared with its definition: the sum over all labels that reliable
 * workers might have given in place of the recorded ones.
 */
#include "bench/recorded/crowd_belief.h"

#include <float.h>

#include "dp/prior/beta_nodes.h"
#include "dp/prior/beta_rule.h"
#include "dp/prior/worker.h"
#include "heuristics/families/ranking_belief.h"
#include "tests/random_problem.h"
#include "tests/support.h"

OG_SUITE(crowd_belief, 120);

enum { LABELS_MAX = 800, SIDE_MAX = 800 };

/* A table of labels and its priors. */
typedef struct {
    og_crowd crowd;
    uint32_t task[LABELS_MAX], worker[LABELS_MAX];
    uint8_t label[LABELS_MAX];
    og_group task_prior, worker_prior;
    char words[160];
} sample;

static void set_priors(sample *s, const char *task, const char *worker, bool sure)
{
    og_message message;
    ck_assert_int_eq(og_group_parse(task, &s->task_prior, &message), OG_OK);
    ck_assert_int_eq(og_worker_parse(worker, &s->worker_prior, &message), OG_OK);
    s->crowd.task = s->task;
    s->crowd.worker = s->worker;
    s->crowd.label = s->label;
    s->crowd.task_prior = &s->task_prior;
    s->crowd.worker_prior = &s->worker_prior;
    s->crowd.task_priors = s->crowd.worker_priors = 1;
    s->crowd.sure = sure;
    snprintf(s->words, sizeof s->words, "tasks %s%s, workers %s", task, sure ? " (sure)" : "",
             worker);
}

static void add_label(sample *s, uint32_t task, uint32_t worker, uint8_t label)
{
    og_crowd *crowd = &s->crowd;
    s->task[crowd->label_count] = task;
    s->worker[crowd->label_count] = worker;
    s->label[crowd->label_count++] = label;
    crowd->task_count = task >= crowd->task_count ? task + 1 : crowd->task_count;
    crowd->worker_count = worker >= crowd->worker_count ? worker + 1 : crowd->worker_count;
}

static og_crowd_belief belief_of(const sample *s)
{
    og_crowd_belief belief;
    ck_assert_int_eq(og_crowd_believe(&s->crowd, NULL, &belief, NULL), OG_OK);
    return belief;
}

/* ---- the definition ---- */

static double log_beta(double a, double b)
{
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/* How often reliable labels are +, and how often a worker's labels equal them, by their side. */
typedef struct {
    int32_t task[SIDE_MAX][2];
    int32_t worker[SIDE_MAX][2][2]; /* [reliable label -][right, wrong] */
} tally;

static double worker_factor(const og_group *group, int32_t count[2][2])
{
    double factor = 1;
    for (int32_t coin = 0; coin < og_worker_coins(group); coin++) {
        bool two = og_worker_coins(group) == 2;
        int32_t right = two ? count[coin][0] : count[0][0] + count[1][0];
        int32_t wrong = two ? count[coin][1] : count[0][1] + count[1][1];
        og_component part[OG_PARTS_MAX];
        double sum, mean = 0;
        int32_t parts = og_worker_parts(group, coin, part, &sum);
        for (int32_t m = 0; m < parts; m++) {
            double c = og_fraction_double(part[m].a), d = og_fraction_double(part[m].b);
            mean += og_fraction_double(part[m].weight) / sum *
                    exp(log_beta(c + right, d + wrong) - log_beta(c, d));
        }
        factor *= mean;
    }
    return factor;
}

static double task_factor(const sample *s, const int32_t count[2])
{
    double a = og_fraction_double(s->task_prior.a), b = og_fraction_double(s->task_prior.b);
    if (s->crowd.sure) {
        return count[0] > 0 && count[1] > 0 ? 0
               : count[0] > 0               ? a / (a + b)
               : count[1] > 0               ? b / (a + b)
                                            : 1;
    }
    return exp(log_beta(a + count[0], b + count[1]) - log_beta(a, b));
}

/* The probability that the task is positive, given its reliable labels. */
static double task_positive(const sample *s, const int32_t count[2])
{
    double a = og_fraction_double(s->task_prior.a) + count[0], above;
    double b = og_fraction_double(s->task_prior.b) + count[1];
    if (s->crowd.sure) {
        return count[0] > 0 ? 1 : count[1] > 0 ? 0 : a / (a + b);
    }
    og_ranking_above(&a, &b, 1, &above);
    return above;
}

static void exact_positive(const sample *s, double *positive)
{
    const og_crowd *crowd = &s->crowd;
    double evidence = 0;
    memset(positive, 0, crowd->task_count * sizeof *positive);
    for (uint32_t reliable = 0; reliable < (uint32_t)1 << crowd->label_count; reliable++) {
        tally count = {0};
        double weight = 1;
        for (int64_t l = 0; l < crowd->label_count; l++) {
            int32_t side = reliable >> l & 1; /* 1: - */
            count.task[s->task[l]][side]++;
            count.worker[s->worker[l]][side][side == s->label[l]]++;
        }
        for (uint32_t i = 0; i < crowd->task_count; i++) {
            weight *= task_factor(s, count.task[i]);
        }
        for (uint32_t j = 0; j < crowd->worker_count; j++) {
            weight *= worker_factor(&s->worker_prior, count.worker[j]);
        }
        evidence += weight;
        for (uint32_t i = 0; i < crowd->task_count; i++) {
            positive[i] += weight * task_positive(s, count.task[i]);
        }
    }
    for (uint32_t i = 0; i < crowd->task_count; i++) {
        positive[i] /= evidence;
    }
}

/* ---- random tables ---- */

static const struct {
    const char *task, *worker;
    bool sure;
} priors[] = {
    {"1,1", "4,1", false},     {"2,1", "4,1", false},
    {"1,1", "4,1/3,2", false}, {"0.5,0.7", "0.7*4,1+0.3*1,1", false},
    {"1,1", "4,1", true},      {"3,2", "4,1/2,1", true},
};
enum { PRIORS = sizeof priors / sizeof *priors };

/* Labels of tasks by good workers, most of them recorded. */
static void draw_table(random_source *random, uint32_t tasks, uint32_t workers, sample *s)
{
    for (uint32_t i = 0; i < tasks; i++) {
        double theta = random_unit(random);
        for (uint32_t j = 0; j < workers; j++) {
            bool reliable = random_unit(random)<theta, right = random_below(random, 4)> 0;
            if (random_below(random, 5) > 0 || j == i % workers) {
                add_label(s, i, j, reliable == right);
            }
        }
    }
}

/* Trees: no two tasks have a worker in common, or all labels are of different tasks and workers of
 * one. */
OG_TEST_LOOP(exact_without_shared_workers, 0, PRIORS)
{
    random_source random = random_start(7 + (uint64_t)_i);
    for (int round = 0; round < 10; round++) {
        sample s = {.words = ""};
        double exact[SIDE_MAX];
        set_priors(&s, priors[_i].task, priors[_i].worker, priors[_i].sure);
        for (uint32_t i = 0, worker = 0; i < 3; i++) {
            for (uint32_t n = 1 + random_below(&random, 4); n > 0; n--) {
                add_label(&s, i, worker++, (uint8_t)random_below(&random, 2));
            }
        }
        exact_positive(&s, exact);
        og_crowd_belief belief = belief_of(&s);
        for (uint32_t i = 0; i < s.crowd.task_count; i++) {
            ck_assert_msg(fabs(belief.chance[2 * i] - exact[i]) <= 1e-13,
                          "%s: task %u: %.17g and %.17g", s.words, i, belief.chance[2 * i],
                          exact[i]);
        }
        ck_assert(belief.settled);
        og_crowd_belief_clear(&belief);
    }
}

/* Errors as measured on ten times as many tables and more: the mean and the largest. */
typedef struct {
    double sum, most;
    int64_t count;
} errors;

static void add_errors(errors *all, const sample *s, const double *exact)
{
    og_crowd_belief belief = belief_of(s);
    for (uint32_t i = 0; i < s->crowd.task_count; i++) {
        double error = fabs(belief.chance[2 * i] - exact[i]);
        all->sum += error;
        all->most = fmax(all->most, error);
        all->count++;
    }
    og_crowd_belief_clear(&belief);
}

static void assert_errors(const errors *all, double mean, double most, const char *words)
{
    ck_assert_msg(all->sum <= mean * (double)all->count && all->most <= most,
                  "%s: mean error %g, largest %g", words, all->sum / (double)all->count, all->most);
}

OG_TEST_LOOP(near_the_exact_posterior, 0, PRIORS)
{
    random_source random = random_start(11 + (uint64_t)_i);
    errors all = {.count = 0};
    sample s;
    for (int round = 0; round < test_cases(40); round++) {
        double exact[SIDE_MAX];
        s = (sample){.words = ""};
        set_priors(&s, priors[_i].task, priors[_i].worker, priors[_i].sure);
        uint32_t workers = 2 + random_below(&random, 3);
        draw_table(&random, 2 + random_below(&random, 10 / workers - 1), workers, &s);
        exact_positive(&s, exact);
        add_errors(&all, &s, exact);
    }
    assert_errors(&all, 0.01, 0.1, s.words);
}

/* ---- larger tables: the sum over the accuracies of workers with one coin ---- */

enum { POINTS = 12, WORKERS_MAX = 4 };

typedef struct {
    const sample *s;
    double at[POINTS], rest[POINTS], weight[POINTS];
    double right[WORKERS_MAX];
    double evidence, positive[SIDE_MAX];
} quadrature;

/* The probability of a task's labels, and with it of a positive task, given the accuracies. */
static void task_given(const quadrature *q, uint32_t task, double out[2])
{
    const sample *s = q->s;
    double chance[WORKERS_MAX + 2] = {1}; /* of so many positive reliable labels */
    int32_t labels = 0;
    for (int64_t l = 0; l < s->crowd.label_count; l++) {
        if (s->task[l] == task) {
            double right = q->right[s->worker[l]], yes = s->label[l] == 1 ? right : 1 - right;
            for (int32_t k = ++labels; k >= 0; k--) {
                chance[k] = (1 - yes) * chance[k] + (k > 0 ? yes * chance[k - 1] : 0);
            }
        }
    }
    out[0] = out[1] = 0;
    for (int32_t k = 0; k <= labels; k++) {
        const int32_t count[2] = {k, labels - k};
        double size = chance[k] * task_factor(s, count);
        out[0] += size;
        out[1] += size * task_positive(s, count);
    }
}

static void sum_over_workers(quadrature *q, uint32_t worker, double weight)
{
    double share[SIDE_MAX];
    if (worker < q->s->crowd.worker_count) {
        for (int32_t k = 0; k < POINTS; k++) {
            q->right[worker] = q->at[k];
            sum_over_workers(q, worker + 1, weight * exp(q->weight[k]));
        }
        return;
    }
    for (uint32_t i = 0; i < q->s->crowd.task_count; i++) {
        double both[2];
        task_given(q, i, both);
        weight *= both[0];
        share[i] = both[1] / both[0];
    }
    q->evidence += weight;
    for (uint32_t i = 0; i < q->s->crowd.task_count; i++) {
        q->positive[i] += weight * share[i];
    }
}

static void integrate_positive(const sample *s, double *positive)
{
    quadrature q = {.s = s};
    ck_assert_int_eq(og_beta_nodes(og_fraction_double(s->worker_prior.a),
                                   og_fraction_double(s->worker_prior.b), POINTS, q.at, q.rest,
                                   q.weight),
                     OG_OK);
    sum_over_workers(&q, 0, 1);
    for (uint32_t i = 0; i < s->crowd.task_count; i++) {
        positive[i] = q.positive[i] / q.evidence;
    }
}

/* Both definitions agree. */
OG_TEST(integrals_are_sums)
{
    random_source random = random_start(3);
    for (int round = 0; round < 10; round++) {
        sample s = {.words = ""};
        double sum[SIDE_MAX], integral[SIDE_MAX];
        set_priors(&s, "2,1", "4,1", false);
        draw_table(&random, 4, 2 + random_below(&random, 2), &s);
        exact_positive(&s, sum);
        integrate_positive(&s, integral);
        for (uint32_t i = 0; i < s.crowd.task_count; i++) {
            ck_assert_msg(fabs(sum[i] - integral[i]) <= 1e-12, "%.17g and %.17g", sum[i],
                          integral[i]);
        }
    }
}

OG_TEST(near_the_exact_posterior_of_many_tasks)
{
    random_source random = random_start(19);
    errors all = {.count = 0};
    for (int round = 0; round < test_cases(20); round++) {
        sample s = {.words = ""};
        double exact[SIDE_MAX];
        set_priors(&s, "1,1", "4,1", false);
        draw_table(&random, 2 + random_below(&random, 15), 2 + random_below(&random, 2), &s);
        integrate_positive(&s, exact);
        add_errors(&all, &s, exact);
    }
    assert_errors(&all, 0.003, 0.1, "4,1");
}

/* ---- a function of the labels ---- */

static void shuffle(random_source *random, uint32_t count, uint32_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* The same labels in another order, with other numbers of tasks and workers. */
static void rename_all(random_source *random, const sample *s, uint32_t *task, uint32_t *worker,
                       sample *out)
{
    uint32_t order[LABELS_MAX];
    *out = *s;
    out->crowd.task = out->task;
    out->crowd.worker = out->worker;
    out->crowd.label = out->label;
    out->crowd.task_prior = &out->task_prior;
    out->crowd.worker_prior = &out->worker_prior;
    shuffle(random, s->crowd.task_count, task);
    shuffle(random, s->crowd.worker_count, worker);
    shuffle(random, (uint32_t)s->crowd.label_count, order);
    for (int64_t l = 0; l < s->crowd.label_count; l++) {
        out->task[l] = task[s->task[order[l]]];
        out->worker[l] = worker[s->worker[order[l]]];
        out->label[l] = s->label[order[l]];
    }
}

static void exchange_classes(sample *s)
{
    og_group *task = &s->task_prior, *worker = &s->worker_prior;
    og_fraction a = task->a;
    og_component first = worker->component[0];
    task->a = task->b;
    task->b = a;
    if (worker->kind == OG_PRIOR_COINS) {
        worker->component[0] = worker->component[1];
        worker->component[1] = first;
    }
    for (int64_t l = 0; l < s->crowd.label_count; l++) {
        s->label[l] = 1 - s->label[l];
    }
}

static void assert_same(const sample *s, const sample *other, const uint32_t *task,
                        const uint32_t *worker, bool mirrored)
{
    og_crowd_belief x = belief_of(s), y = belief_of(other);
    bool two = mirrored && s->worker_prior.kind == OG_PRIOR_COINS;
    ck_assert_int_eq(x.passes, y.passes);
    for (uint32_t i = 0; i < s->crowd.task_count; i++) {
        double other_positive = y.chance[2 * task[i] + (mirrored ? 1 : 0)];
        ck_assert_msg(x.chance[2 * i] == other_positive, "%s: %.17g and %.17g", s->words,
                      x.chance[2 * i], other_positive);
    }
    for (uint32_t j = 0; j < 4 * s->crowd.worker_count; j++) {
        uint32_t k = 4 * worker[j / 4] + (two ? j % 4 ^ 2 : j % 4);
        ck_assert_msg(x.coin[j] == y.coin[k], "%s: %.17g and %.17g", s->words, x.coin[j],
                      y.coin[k]);
    }
    og_crowd_belief_clear(&x);
    og_crowd_belief_clear(&y);
}

OG_TEST_LOOP(bits_of_any_order_and_names, 0, PRIORS)
{
    random_source random = random_start(23 + (uint64_t)_i);
    uint32_t task[SIDE_MAX], worker[SIDE_MAX];
    for (int round = 0; round < 4; round++) {
        sample s = {.words = ""}, other;
        set_priors(&s, priors[_i].task, priors[_i].worker, priors[_i].sure);
        draw_table(&random, 2 + random_below(&random, 20), 2 + random_below(&random, 30), &s);
        rename_all(&random, &s, task, worker, &other);
        assert_same(&s, &other, task, worker, false);
        exchange_classes(&other);
        assert_same(&s, &other, task, worker, true);
    }
}

/* Two groups of workers who always contradict each other: nothing settles, and nothing is decided.
 */
OG_TEST_LOOP(contradictions_stay_undecided, 1, 4)
{
    sample s = {.words = ""};
    set_priors(&s, "1,1", "4,1", false);
    for (uint32_t i = 0; i < 50; i++) {
        for (uint32_t j = 0; j < 2 * (uint32_t)_i; j++) {
            add_label(&s, i, j, (i + j) % 2);
        }
    }
    og_crowd_belief belief = belief_of(&s);
    for (uint32_t i = 0; i < s.crowd.task_count; i++) {
        ck_assert_msg(belief.chance[2 * i] == 0.5 && belief.chance[2 * i + 1] == 0.5, "%.17g",
                      belief.chance[2 * i]);
    }
    ck_assert(!belief.settled);
    ck_assert_int_eq(belief.passes, OG_CROWD_PASSES);
    og_crowd_belief_clear(&belief);
}

/* ---- several classes ---- */

/* Labels of `classes` classes: one more, as a number of base C. */
static uint32_t sequences(const sample *s)
{
    uint32_t all = 1;
    for (int64_t l = 0; l < s->crowd.label_count; l++) {
        all *= (uint32_t)s->crowd.classes;
    }
    return all;
}

/* B(alpha + count) / B(alpha). */
static double dirichlet_factor(const og_group *prior, const int32_t *count)
{
    double sum = 0, labels = 0, size = 0;
    for (int32_t k = 0; k < prior->part_count; k++) {
        double alpha = og_fraction_double(prior->alpha[k]);
        size += lgamma(alpha + count[k]) - lgamma(alpha);
        sum += alpha;
        labels += count[k];
    }
    return exp(size - lgamma(sum + labels) + lgamma(sum));
}

/* The probability that each class has the largest theta after these labels: I_k rises by gain_k. */
static void largest_after(const og_group *prior, const int32_t *count, double *chance)
{
    enum { POINTS_OF_T = 200 };
    double sum = 0;
    for (int32_t k = 0; k < prior->part_count; k++) {
        chance[k] = 0;
        for (int32_t n = 1; n < POINTS_OF_T; n++) { /* midpoints in the logarithm of t */
            double t = exp(-25 + 29.0 * n / POINTS_OF_T), value = 1;
            for (int32_t j = 0; j < prior->part_count; j++) {
                double a = og_fraction_double(prior->alpha[j]) + count[j], part = 0;
                double term = exp(a * log(t) - t - lgamma(a + 1));
                for (int32_t i = 1; j != k && i < 400 && term > 1e-18 * part; i++) {
                    part += term;
                    term *= t / (a + i);
                }
                value *= j == k ? a * term : part;
            }
            chance[k] += value;
        }
        sum += chance[k];
    }
    for (int32_t k = 0; k < prior->part_count; k++) {
        chance[k] /= sum;
    }
}

/* The sum over all labels that reliable workers might have given. */
static void exact_chances(const sample *s, double *chance)
{
    const og_crowd *crowd = &s->crowd;
    int32_t classes = crowd->classes;
    double evidence = 0;
    memset(chance, 0, crowd->task_count * (size_t)classes * sizeof *chance);
    for (uint32_t reliable = 0; reliable < sequences(s); reliable++) {
        int32_t task[4][OG_CLASSES_MAX] = {{0}}, worker[8][2][2] = {{{0}}};
        double weight = 1;
        uint32_t rest = reliable;
        for (int64_t l = 0; l < crowd->label_count; l++, rest /= (uint32_t)classes) {
            uint32_t class_ = rest % (uint32_t)classes;
            task[s->task[l]][class_]++;
            uint32_t coin = class_ + 1 == (uint32_t)classes ? 0 : 1;
            worker[s->worker[l]][coin][class_ == s->label[l] ? 0 : 1]++;
            weight /= class_ == s->label[l] ? 1 : classes - 1;
        }
        for (uint32_t i = 0; i < crowd->task_count; i++) {
            weight *= dirichlet_factor(&s->task_prior, task[i]);
        }
        for (uint32_t j = 0; j < crowd->worker_count; j++) {
            weight *= worker_factor(&s->worker_prior, worker[j]);
        }
        evidence += weight;
        for (uint32_t i = 0; i < crowd->task_count; i++) {
            double largest[OG_CLASSES_MAX];
            largest_after(&s->task_prior, task[i], largest);
            for (int32_t k = 0; k < classes; k++) {
                chance[i * (uint32_t)classes + (uint32_t)k] += weight * largest[k];
            }
        }
    }
    for (uint32_t k = 0; k < crowd->task_count * (uint32_t)classes; k++) {
        chance[k] /= evidence;
    }
}

static const struct {
    const char *task, *worker;
    int32_t classes;
} several[] = {
    {"1,1,1", "4,1", 3},
    {"0.5,2,1", "4,1", 3},
    {"1,1,1", "1,6", 3}, /* worse than guessing */
    {"1,0.3,1,2", "0.7*4,1+0.3*1,1", 4},
    {"1,1,1", "4,1/3,2", 3},
    {"0.5,2,1", "1,3/6,1", 3},
    {"1,0.3,1,2", "4,1/2,2", 4},
};
enum { SEVERAL = sizeof several / sizeof *several };

static void set_classes(sample *s, int32_t row)
{
    set_priors(s, several[row].task, several[row].worker, false);
    s->crowd.classes = several[row].classes;
}

OG_TEST_LOOP(classes_are_exact_without_shared_workers, 0, SEVERAL)
{
    random_source random = random_start(29 + (uint64_t)_i);
    for (int round = 0; round < 3; round++) {
        sample s = {.words = ""};
        double exact[SIDE_MAX];
        set_classes(&s, _i);
        for (uint32_t n = 0; n < (uint32_t)(several[_i].classes > 3 ? 4 : 5); n++) {
            add_label(&s, n % 3 == 2, n,
                      (uint8_t)random_below(&random, (uint32_t)several[_i].classes));
        }
        exact_chances(&s, exact);
        og_crowd_belief belief = belief_of(&s);
        for (uint32_t k = 0; k < s.crowd.task_count * (uint32_t)s.crowd.classes; k++) {
            ck_assert_msg(fabs(belief.chance[k] - exact[k]) <= 1e-9, "%s: %u: %.17g and %.17g",
                          s.words, k, belief.chance[k], exact[k]);
        }
        ck_assert(belief.settled);
        og_crowd_belief_clear(&belief);
    }
}

OG_TEST_LOOP(classes_are_near_the_exact_posterior, 0, SEVERAL)
{
    random_source random = random_start(31 + (uint64_t)_i);
    double sum = 0, most = 0, count = 0;
    for (int round = 0; round < test_cases(6); round++) {
        sample s = {.words = ""};
        double exact[SIDE_MAX];
        set_classes(&s, _i);
        for (uint32_t n = 0; n < (uint32_t)(several[_i].classes > 3 ? 4 : 6); n++) {
            add_label(&s, n % 3, n % 2,
                      (uint8_t)random_below(&random, (uint32_t)several[_i].classes));
        }
        exact_chances(&s, exact);
        og_crowd_belief belief = belief_of(&s);
        for (uint32_t k = 0; k < s.crowd.task_count * (uint32_t)s.crowd.classes; k++) {
            sum += fabs(belief.chance[k] - exact[k]);
            most = fmax(most, fabs(belief.chance[k] - exact[k]));
            count++;
        }
        og_crowd_belief_clear(&belief);
    }
    ck_assert_msg(sum <= 0.004 * count && most <= 0.04, "%s: mean error %g, largest %g",
                  several[_i].task, sum / count, most);
}

/* Rows, names of workers and tasks, and classes in any order. */
OG_TEST_LOOP(bits_of_any_order_of_classes, 0, SEVERAL)
{
    random_source random = random_start(37 + (uint64_t)_i);
    uint32_t task[SIDE_MAX], worker[SIDE_MAX], class_[OG_CLASSES_MAX];
    sample s = {.words = ""}, other;
    uint32_t classes = (uint32_t)several[_i].classes;
    set_classes(&s, _i);
    for (uint32_t l = 0; l < 400; l++) { /* most labels of a task are alike */
        uint32_t i = random_below(&random, 40);
        bool usual = random_below(&random, 4) > 0;
        add_label(&s, i, random_below(&random, 10),
                  (uint8_t)(usual ? i * i % classes : random_below(&random, classes)));
    }
    rename_all(&random, &s, task, worker, &other);
    bool two = s.worker_prior.kind == OG_PRIOR_COINS; /* the last class has its own coin */
    class_[classes - 1] = classes - 1;
    shuffle(&random, two ? classes - 1 : classes, class_);
    for (int64_t l = 0; l < s.crowd.label_count; l++) {
        other.label[l] = (uint8_t)class_[other.label[l]];
    }
    for (uint32_t k = 0; k < classes; k++) {
        other.task_prior.alpha[class_[k]] = s.task_prior.alpha[k];
    }
    for (int fit = 0; fit < (_i == 2 ? 1 : 2); fit++) { /* no prior fits to those workers */
        s.crowd.fit = other.crowd.fit = fit == 1;
        og_crowd_belief x = belief_of(&s), y = belief_of(&other);
        for (uint32_t k = 0; k < s.crowd.task_count * classes; k++) {
            double there = y.chance[task[k / classes] * classes + class_[k % classes]];
            ck_assert_msg(x.chance[k] == there, "%s%s: %.17g and %.17g", s.words,
                          fit == 1 ? ", fitted" : "", x.chance[k], there);
        }
        for (uint32_t j = 0; j < 4 * s.crowd.worker_count; j++) {
            ck_assert(x.coin[j] == y.coin[4 * worker[j / 4] + j % 4]);
        }
        og_crowd_belief_clear(&x);
        og_crowd_belief_clear(&y);
    }
}

/* ---- the fitted prior ---- */

/* The logarithm of the probability of the labels, if no two tasks have a worker in common. */
static double evidence_of(const sample *s, double a, double b)
{
    double all = 0;
    for (uint32_t i = 0; i < s->crowd.task_count; i++) {
        double chance[16] = {1}, sum = 0;
        int32_t labels = 0;
        for (int64_t l = 0; l < s->crowd.label_count; l++) {
            if (s->task[l] == i) {
                double right = og_fraction_double(s->worker_prior.a),
                       wrong = og_fraction_double(s->worker_prior.b);
                double yes = (s->label[l] == 1 ? right : wrong) / (right + wrong);
                for (int32_t k = ++labels; k >= 0; k--) {
                    chance[k] = (1 - yes) * chance[k] + (k > 0 ? yes * chance[k - 1] : 0);
                }
            }
        }
        for (int32_t k = 0; k <= labels; k++) {
            sum += chance[k] * exp(log_beta(a + k, b + labels - k) - log_beta(a, b));
        }
        all += log(sum);
    }
    return all;
}

OG_TEST(the_fitted_prior_has_the_largest_likelihood)
{
    random_source random = random_start(41);
    for (int round = 0; round < 3; round++) {
        sample s = {.words = ""};
        set_priors(&s, "1,1", "9,1", false);
        s.crowd.fit = true;
        for (uint32_t i = 0, worker = 0; i < 80; i++) {
            double theta = fmax(random_unit(&random), random_unit(&random));
            for (int n = 0; n < 8; n++) {
                bool reliable = random_unit(&random)<theta, right = random_below(&random, 10)> 0;
                add_label(&s, i, worker++, reliable == right);
            }
        }
        og_crowd_belief belief = belief_of(&s);
        ck_assert_msg(belief.settled, "%d passes, moved %g", belief.passes, belief.moved);
        double a = belief.prior[0], b = belief.prior[1], best = evidence_of(&s, a, b);
        for (int k = 0; k < 8; k++) {
            double near = evidence_of(&s, a * exp(0.01 * cos(k * M_PI / 4)),
                                      b * exp(0.01 * sin(k * M_PI / 4)));
            ck_assert_msg(near < best, "%g,%g: %.12g and %.12g", a, b, best, near);
        }
        /* exchanged classes have the exchanged prior */
        for (int64_t l = 0; l < s.crowd.label_count; l++) {
            s.label[l] = 1 - s.label[l];
        }
        og_crowd_belief mirrored = belief_of(&s);
        ck_assert(mirrored.prior[0] == b && mirrored.prior[1] == a);
        ck_assert(mirrored.chance[0] == belief.chance[1]);
        og_crowd_belief_clear(&mirrored);
        og_crowd_belief_clear(&belief);
    }
}

/* The same for several classes and two coins of which the means are known. */
static double evidence_of_classes(const sample *s, const double *alpha)
{
    static const double right[] = {0.6, 0.9}; /* of class 2, and of others */
    double all = 0;
    og_group prior = s->task_prior;
    for (int32_t k = 0; k < 3; k++) {
        prior.alpha[k] = og_fraction_make((og_wide)rint(alpha[k] * 1e9), 1000000000);
    }
    for (int64_t first = 0; first < s->crowd.label_count; first += 4) {
        double sum = 0;
        for (int32_t reliable = 0; reliable < 81; reliable++) {
            int32_t count[3] = {0}, rest = reliable;
            double weight = 1;
            for (int64_t l = first; l < first + 4; l++, rest /= 3) {
                double yes = right[rest % 3 == 2 ? 0 : 1];
                weight *= s->label[l] == rest % 3 ? yes : (1 - yes) / 2;
                count[rest % 3]++;
            }
            sum += weight * dirichlet_factor(&prior, count);
        }
        all += log(sum);
    }
    return all;
}

OG_TEST(the_fitted_prior_of_two_coins_has_the_largest_likelihood)
{
    random_source random = random_start(43);
    sample s = {.words = ""};
    set_priors(&s, "1,1,1", "6,4/9,1", false);
    s.crowd.classes = 3;
    s.crowd.fit = true;
    for (uint32_t i = 0, worker = 0; i < 150; i++) {
        uint32_t usual = random_below(&random, 5) * 2 % 3;
        for (int n = 0; n < 4; n++) {
            bool is_usual = random_below(&random, 3) > 0;
            add_label(&s, i, worker++, (uint8_t)(is_usual ? usual : random_below(&random, 3)));
        }
    }
    og_crowd_belief belief = belief_of(&s);
    ck_assert_msg(belief.settled, "%d passes, moved %g", belief.passes, belief.moved);
    double best = evidence_of_classes(&s, belief.prior);
    for (int k = 0; k < 6; k++) {
        double near[3];
        for (int j = 0; j < 3; j++) {
            near[j] = belief.prior[j] * (j == k / 2 ? exp(k % 2 == 0 ? 0.02 : -0.02) : 1);
        }
        ck_assert_msg(evidence_of_classes(&s, near) < best, "%g,%g,%g: %d", belief.prior[0],
                      belief.prior[1], belief.prior[2], k);
    }
    og_crowd_belief_clear(&belief);
}

/* ---- Gauss's rule ---- */

OG_TEST(nodes_have_the_moments_of_the_beta)
{
    static const double parameter[] = {1e-6, 0.3, 1, 4, 200, 1e6};
    enum { COUNT = 48, PARAMETERS = sizeof parameter / sizeof *parameter };
    for (int pair = 0; pair < PARAMETERS * PARAMETERS; pair++) {
        double a = parameter[pair % PARAMETERS], b = parameter[pair / PARAMETERS];
        double at[COUNT], rest[COUNT], weight[COUNT], mirrored[3][COUNT];
        ck_assert_int_eq(og_beta_nodes(a, b, COUNT, at, rest, weight), OG_OK);
        ck_assert_int_eq(og_beta_nodes(b, a, COUNT, mirrored[0], mirrored[1], mirrored[2]), OG_OK);
        for (int32_t x = 0; x < 40; x += 13) {
            for (int32_t y = 0; y < 40; y += 13) {
                double sum = 0, moment = exp(log_beta(a + x, b + y) - log_beta(a, b));
                for (int32_t k = 0; k < COUNT; k++) {
                    sum += exp(weight[k] + x * log(at[k]) + y * log(rest[k]));
                }
                double error = 1e-10 + 1e-15 * (a + b) * log(a + b + 1); /* of lgamma */
                ck_assert_msg(fabs(sum - moment) <= error * moment, "%g,%g: %.17g and %.17g", a, b,
                              sum, moment);
            }
        }
        for (int32_t k = 0; k < COUNT; k++) {
            ck_assert(at[k] == mirrored[1][COUNT - 1 - k] &&
                      rest[k] == mirrored[0][COUNT - 1 - k] &&
                      weight[k] == mirrored[2][COUNT - 1 - k]);
        }
    }
}

/* The same rule in ball arithmetic, whose numbers are proved. */
OG_TEST(nodes_are_those_of_the_proved_rule)
{
    static const char *const prior[] = {"1,1", "4,1", "0.01,0.02", "30,2", "0.5,700", "1000,1000"};
    enum { COUNT = 34 };
    for (size_t k = 0; k < sizeof prior / sizeof *prior; k++) {
        double at[COUNT], rest[COUNT], weight[COUNT], point[COUNT], other[COUNT], mass[COUNT];
        og_group group;
        og_message message;
        ck_assert_int_eq(og_group_parse(prior[k], &group, &message), OG_OK);
        double a = og_fraction_double(group.a), b = og_fraction_double(group.b);
        ck_assert_int_eq(og_beta_nodes(a, b, COUNT, at, rest, weight), OG_OK);
        ck_assert_int_eq(og_beta_rule(group.a, group.b, COUNT, point, other, mass, &message),
                         OG_OK);
        for (int32_t i = 0; i < COUNT; i++) {
            double off = fmax(fabs(at[i] / point[i] - 1), fabs(rest[i] / other[i] - 1));
            ck_assert_msg(off <= 1e-13, "%s: point %d: %.17g and %.17g", prior[k], i, at[i],
                          point[i]);
            ck_assert_msg(fabs(exp(weight[i]) / mass[i] - 1) <= 1e-10,
                          "%s: weight %d: %.17g and %.17g", prior[k], i, exp(weight[i]), mass[i]);
        }
    }
}
