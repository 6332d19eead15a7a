/*
 * Belief propagation between tasks and workers. A variable is a task's theta or a coin's rho. Its
 * density is a Gauss rule times one line for each label; both kinds are the same code. Lines are
 * sorted before they are multiplied, and sums over points are sums of pairs from both ends: hence
 * the bits do not depend on the order of labels, nor on which class is called positive.
 */
#include "bench/recorded/crowd_belief.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/recorded/crowd_classes.h"
#include "bench/recorded/fit.h"
#include "dp/prior/beta_nodes.h"
#include "dp/prior/worker.h"
#include "heuristics/families/ranking_belief.h"

enum { LEVELS = 24, FEWEST_POINTS = 32, DAMPED_FROM = 50, AT_ONCE = 16, WORK_OF_A_LOOK = 1 << 17 };

/* A known accuracy is not quite sure: sure ones could contradict each other. */
#define LEAST_ACCURACY 1e-12

/* Points of a prior: x, 1 - x, and the logarithm of the weight. */
typedef struct {
    int32_t count; /* 0: not made yet, perhaps with room */
    double *at, *rest, *weight;
} rule;

typedef og_crowd_pair pair;
typedef og_crowd_line line;

/* The variable that is being computed; scratch space for the largest one. */
typedef struct {
    const rule *rule;
    line *line[2]; /* [count] of both kinds of labels, sorted */
    uint32_t count[2];
    double *density; /* [points] relative to the largest */
    double *sum[2];  /* [points] logarithms of the products of lines */
    double *product; /* [points] */
} variable;

/* What each number of positive labels of a reliable worker would mean, for a task's prior and
 * number of labels. */
typedef struct {
    int32_t prior;        /* for which the weights are filled, from 1 on */
    bool called;          /* the others, too */
    double *weight;       /* [labels + 1] ln B(a + k, b + labels - k) */
    double *above, *less; /* [labels + 1] probability that theta >= 1/2, and that it is less */
} outcome_table;

typedef struct {
    const og_crowd *crowd;
    og_stop *stop;
    og_message *message;
    int32_t classes;
    og_arena arena;
    double (*task_prior)[2];            /* [task_priors] of two classes */
    double alpha[OG_CLASSES_MAX];       /* of several */
    double step[OG_CLASSES_MAX];        /* of the logarithms of a fitted prior, in the last pass */
    og_crowd_classes many;              /* of several classes */
    rule *task_rule;                    /* [task_priors][LEVELS] made when they are needed */
    rule *worker_rule;                  /* [worker_priors][2 coins][LEVELS] */
    uint32_t *task_first, *of_task;     /* labels by task: of_task[task_first[i] ...] */
    uint32_t *worker_first, *of_worker; /* and by worker */
    pair *alpha_of; /* [labels] to workers: a reliable worker would say this, or the other label */
    pair *r;        /* [labels] to tasks: the probability of this label in both cases */
    pair *new_r;
    variable v;
    uint32_t most_of_task;
    outcome_table *table;             /* [most_of_task + 1] by number of labels */
    double *term, *right[2], *factor; /* [most_of_task + 1] scratch; logarithms of factorials */
    int64_t *beyond; /* [most_of_task][classes + 1] tasks with more than j reliable labels of a
                        class, and in all, expected, times `unit` */
    double unit;
    int64_t work; /* since the last look at the stop */
    double moved;
} state;

/* ---- rules ---- */

static int32_t level_of(uint32_t labels, int32_t *points)
{
    int32_t level = 0;
    *points = FEWEST_POINTS;
    while (*points < 4 * sqrt(labels)) {
        *points += *points / 4 * 2;
        level++;
    }
    return level;
}

static og_status rule_new(state *s, int32_t points, rule *out)
{
    if (out->at == NULL) {
        double *all = og_arena_array(&s->arena, 3 * (size_t)points, sizeof *all);
        OG_TRY(OG_ALLOCATED(all));
        *out = (rule){points, all, all + points, all + 2 * points};
    }
    out->count = points;
    return OG_OK;
}

/* A mixture of Betas, each with that many points. */
static og_status fill_mixture(state *s, const og_component *part, int32_t parts, int32_t points,
                              rule *out)
{
    OG_TRY(rule_new(s, parts * points, out));
    for (int32_t m = 0; m < parts; m++) {
        int32_t from = m * points;
        OG_TRY(og_beta_nodes(og_fraction_double(part[m].a), og_fraction_double(part[m].b), points,
                             out->at + from, out->rest + from, out->weight + from));
        for (int32_t k = from; k < from + points; k++) {
            out->weight[k] += log(og_fraction_double(part[m].weight));
        }
    }
    return OG_OK;
}

static og_status fill_sure(state *s, const double prior[2], rule *out)
{
    OG_TRY(rule_new(s, 2, out));
    out->rest[0] = out->at[1] = 1;
    out->weight[0] = log(prior[1]);
    out->weight[1] = log(prior[0]);
    return OG_OK;
}

static int32_t task_prior_of(const og_crowd *crowd, uint32_t task)
{
    return crowd->prior_of != NULL ? crowd->prior_of[task] : 0;
}

static og_status find_task_rule(state *s, uint32_t task, uint32_t labels, const rule **out)
{
    int32_t points, level = level_of(labels, &points), number = task_prior_of(s->crowd, task);
    rule *made = &s->task_rule[number * LEVELS + level];
    const double *prior = s->task_prior[number];
    *out = made;
    if (made->count > 0) {
        return OG_OK;
    }
    if (s->crowd->sure) {
        return fill_sure(s, prior, made);
    }
    OG_TRY(rule_new(s, points, made));
    return og_beta_nodes(prior[0], prior[1], points, made->at, made->rest, made->weight);
}

static const og_group *worker_prior(const og_crowd *crowd, uint32_t worker, int32_t *number)
{
    *number = crowd->worker_prior_of != NULL ? crowd->worker_prior_of[worker] : 0;
    return &crowd->worker_prior[*number];
}

static og_status fill_known(state *s, const og_group *prior, rule *out)
{
    double a = og_fraction_double(prior->a), b = og_fraction_double(prior->b);
    OG_TRY(rule_new(s, 1, out));
    out->at[0] = fmax(LEAST_ACCURACY, a / (a + b));
    out->rest[0] = fmax(LEAST_ACCURACY, b / (a + b));
    out->weight[0] = 0;
    return OG_OK;
}

static og_status find_worker_rule(state *s, uint32_t worker, int32_t coin, uint32_t labels,
                                  const rule **out)
{
    int32_t points, level = level_of(labels, &points), prior;
    og_component part[OG_PARTS_MAX];
    double sum;
    const og_group *group = worker_prior(s->crowd, worker, &prior);
    rule *made = &s->worker_rule[(2 * prior + coin) * LEVELS + level];
    *out = made;
    if (made->count > 0) {
        return OG_OK;
    }
    if (s->crowd->known != NULL && s->crowd->known[prior]) {
        return fill_known(s, group, made);
    }
    return fill_mixture(s, part, og_worker_parts(group, coin, part, &sum), points, made);
}

/* ---- a variable ---- */

/* The sum of count terms, the same if they come in the opposite order. */
static double sum_of_pairs(const double *term, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count / 2; i++) {
        sum += term[i] + term[count - 1 - i];
    }
    return count % 2 == 1 ? sum + term[count / 2] : sum;
}

static void add_lines(variable *v, int32_t kind, const double *at, const double *rest)
{
    int32_t points = v->rule->count;
    double *sum = v->sum[kind];
    memset(sum, 0, (size_t)points * sizeof *sum);
    for (uint32_t from = 0; from < v->count[kind]; from += AT_ONCE) {
        uint32_t end = v->count[kind] - from < AT_ONCE ? v->count[kind] : from + AT_ONCE;
        for (int32_t i = 0; i < points; i++) {
            v->product[i] = 1;
        }
        for (uint32_t l = from; l < end; l++) {
            double x = v->line[kind][l].at, y = v->line[kind][l].rest;
            for (int32_t i = 0; i < points; i++) {
                v->product[i] *= x * at[i] + y * rest[i];
            }
        }
        for (int32_t i = 0; i < points; i++) {
            sum[i] += log(v->product[i]);
        }
    }
}

/* Sorts the lines and finds the density. Lines of the second kind have x and 1 - x exchanged. */
static void find_density(variable *v)
{
    const rule *points = v->rule;
    double most = -INFINITY;
    for (int32_t kind = 0; kind < 2; kind++) {
        qsort(v->line[kind], v->count[kind], sizeof *v->line[kind], og_crowd_line_compare);
    }
    add_lines(v, 0, points->at, points->rest);
    add_lines(v, 1, points->rest, points->at);
    for (int32_t i = 0; i < points->count; i++) {
        v->density[i] = points->weight[i] + (v->sum[0][i] + v->sum[1][i]);
        most = fmax(most, v->density[i]);
    }
    for (int32_t i = 0; i < points->count; i++) {
        v->density[i] = exp(v->density[i] - most);
    }
}

static pair mean_without(variable *v, int32_t kind, const line *own)
{
    const double *at = kind == 0 ? v->rule->at : v->rule->rest;
    const double *rest = kind == 0 ? v->rule->rest : v->rule->at;
    double *x = v->sum[0], *y = v->sum[1]; /* free by now */
    int32_t points = v->rule->count;
    for (int32_t i = 0; i < points; i++) {
        double weight = v->density[i] / (own->at * at[i] + own->rest * rest[i]);
        x[i] = weight * at[i];
        y[i] = weight * rest[i];
    }
    double right = sum_of_pairs(x, points), wrong = sum_of_pairs(y, points);
    return (pair){right / (right + wrong), wrong / (right + wrong)};
}

static void find_means(variable *v)
{
    for (int32_t kind = 0; kind < 2; kind++) {
        line *lines = v->line[kind];
        for (uint32_t l = 0; l < v->count[kind]; l++) {
            bool same = l > 0 && og_crowd_line_compare(&lines[l], &lines[l - 1]) == 0;
            lines[l].mean = same ? lines[l - 1].mean : mean_without(v, kind, &lines[l]);
        }
    }
}

/* ---- labels of reliable workers ---- */

/* The densities of the numbers of labels that a reliable worker would give too, as logarithms:
 * coefficients of the product of the lines, in Bernstein's basis, times the binomials. */
static void count_right(const line *lines, int32_t count, const double *factor, double *out)
{
    out[0] = 1;
    for (int32_t j = 1; j <= count; j++) {
        double at = lines[j - 1].at / j, rest = lines[j - 1].rest / j, most = 0;
        out[j] = 0;
        for (int32_t k = j; k >= 0; k--) {
            out[k] = (j - k) * rest * out[k] + (k > 0 ? k * at * out[k - 1] : 0);
            most = fmax(most, out[k]);
        }
        for (int32_t k = 0; most < 1e-100 && k <= j; k++) {
            out[k] /= most;
        }
    }
    for (int32_t k = 0; k <= count; k++) {
        out[k] = log(out[k]) + factor[count] - (factor[k] + factor[count - k]);
    }
}

static outcome_table *find_weights(state *s, uint32_t task, int32_t labels)
{
    outcome_table *table = &s->table[labels];
    int32_t prior = task_prior_of(s->crowd, task);
    double a = s->task_prior[prior][0], b = s->task_prior[prior][1];
    if (table->weight == NULL) {
        size_t size = (size_t)labels + 1;
        double *all = og_arena_array(&s->arena, 3 * size, sizeof *all);
        *table = (outcome_table){0, false, all, all + size, all + 2 * size};
    }
    if (table->weight == NULL || table->prior == prior + 1) {
        return table->weight != NULL ? table : NULL;
    }
    table->prior = prior + 1;
    table->called = false;
    for (int32_t k = 0; k <= labels; k++) {
        table->weight[k] = lgamma(a + k) + lgamma(b + (labels - k));
    }
    return table;
}

/* term[k]: the probability of k positive labels of a reliable worker, relative to the largest. */
static void find_terms(state *s, const outcome_table *table)
{
    int32_t positive = (int32_t)s->v.count[0], negative = (int32_t)s->v.count[1];
    double most = -INFINITY;
    for (int32_t kind = 0; kind < 2; kind++) {
        count_right(s->v.line[kind], (int32_t)s->v.count[kind], s->factor, s->right[kind]);
    }
    const double *up = s->right[0], *down = s->right[1];
    for (int32_t i = 0; i <= positive; i++) {
        for (int32_t j = 0; j <= negative; j++) {
            most = fmax(most, up[i] + down[j] + table->weight[i + negative - j]);
        }
    }
    for (int32_t k = 0; k <= positive + negative; k++) {
        int32_t first = k > negative ? k - negative : 0;
        s->term[k] = 0;
        for (int32_t i = first; i <= positive && i <= k; i++) {
            s->term[k] += exp(up[i] + down[i + negative - k] + table->weight[k] - most);
        }
    }
}

/* ---- the prior ---- */

/* The sums of the terms beyond each number of positive, or of negative, ones. */
static void add_tails(state *s, int32_t labels)
{
    double more = 0, fewer = 0, sum = sum_of_pairs(s->term, labels + 1);
    for (int32_t j = labels - 1; j >= 0; j--) {
        int64_t *beyond = s->beyond + 3 * (size_t)j;
        more += s->term[j + 1];
        fewer += s->term[labels - 1 - j];
        beyond[0] += (int64_t)rint(s->unit * (more / sum));
        beyond[1] += (int64_t)rint(s->unit * (fewer / sum));
        beyond[2] += (int64_t)s->unit;
    }
}

/* The task that was taken. */
static og_status expect_labels(state *s, uint32_t task)
{
    if (s->classes > 2) {
        og_crowd_classes_tails(&s->many, s->unit, s->beyond);
        return OG_OK;
    }
    int32_t labels = (int32_t)(s->v.count[0] + s->v.count[1]);
    const outcome_table *table = find_weights(s, task, labels);
    OG_TRY(OG_ALLOCATED(table));
    find_terms(s, table);
    add_tails(s, labels);
    return OG_OK;
}

/* Where the steps would end if each were `ratio` times the one before. */
static double reach_of(const double *last, const double *step, int32_t count)
{
    double along = 0, square = 0;
    for (int32_t k = 0; k < count; k++) {
        along += last[k] * step[k];
        square += last[k] * last[k];
    }
    double ratio = square > 0 ? along / square : 0;
    return ratio > 0.1 && ratio < 0.98 ? 1 / (1 - ratio) : 1;
}

static void set_prior(state *s, const double *parameter)
{
    if (s->classes > 2) {
        memcpy(s->alpha, parameter, (size_t)s->classes * sizeof *parameter);
        og_crowd_classes_begin(&s->many, parameter);
        return;
    }
    memcpy(s->task_prior[0], parameter, 2 * sizeof *parameter);
    for (int32_t level = 0; level < LEVELS; level++) {
        s->task_rule[level].count = 0;
    }
    for (uint32_t n = 0; n <= s->most_of_task; n++) {
        s->table[n].prior = 0;
    }
}

/* order[classes]: by their parameters and numbers of labels, so that it is that of no names. */
static void sort_classes(const state *s, const double *now, int32_t *order)
{
    size_t width = (size_t)s->classes + 1;
    for (int32_t k = 0; k < s->classes; k++) {
        int32_t place = k;
        for (; place > 0; place--) {
            int32_t other = order[place - 1];
            const int64_t *x = s->beyond + other, *y = s->beyond + k;
            size_t j = 0, size = s->most_of_task * width;
            while (j + width < size && x[j] == y[j]) {
                j += width;
            }
            if (now[other] < now[k] || (now[other] == now[k] && x[j] <= y[j])) {
                break;
            }
            order[place] = other;
        }
        order[place] = k;
    }
}

/* The prior of the largest likelihood for the expected numbers of reliable labels, and the
 * logarithm of the step to it: both in that order. */
static og_status maximize(state *s, const double *now, const int32_t *order, double *next,
                          double *step)
{
    size_t width = (size_t)s->classes + 1, size = s->most_of_task * width;
    double *beyond = calloc(size + 1, sizeof *beyond);
    OG_TRY(OG_ALLOCATED(beyond));
    for (size_t at = 0; at < size; at++) {
        size_t k = at % width;
        size_t from = k + 1 < width ? (size_t)order[k] : k;
        beyond[at] = (double)s->beyond[at - k + from] / s->unit;
    }
    for (int32_t k = 0; k < s->classes; k++) {
        next[k] = now[order[k]];
    }
    og_status status = og_fit_climb(s->classes, s->most_of_task, beyond, next);
    free(beyond);
    double least = INFINITY, most = 0;
    for (int32_t k = 0; k < s->classes; k++) {
        least = fmin(least, next[k]);
        most = fmax(most, next[k]);
        next[k] = fmax(OG_CROWD_FIT_LEAST, next[k]);
        step[k] = log(next[k] / now[order[k]]);
    }
    return status == OG_OK ||
                   (status == OG_BAD_INPUT && least < OG_CROWD_FIT_LEAST && most < OG_PARAMETER_MAX)
               ? OG_OK
               : og_message_set(
                     s->message, OG_BAD_INPUT,
                     "with workers of this prior the tasks differ by no more than chance "
                     "explains, so no prior fits best; give a prior of your own, such as "
                     "1,1");
}

/* Every third step is a longer one. */
static og_status fit_prior(state *s, int32_t pass)
{
    int32_t classes = s->classes, order[OG_CLASSES_MAX];
    const double *now = classes > 2 ? s->alpha : s->task_prior[0];
    double next[OG_CLASSES_MAX], step[OG_CLASSES_MAX], last[OG_CLASSES_MAX], longest = 0;
    sort_classes(s, now, order);
    OG_TRY(maximize(s, now, order, next, step));
    memset(s->beyond, 0, s->most_of_task * ((size_t)classes + 1) * sizeof *s->beyond);
    for (int32_t k = 0; k < classes; k++) {
        last[k] = s->step[order[k]];
        longest = fmax(longest, fabs(step[k]));
    }
    double reach = pass % 3 == 2 ? reach_of(last, step, classes) : 1, parameter[OG_CLASSES_MAX];
    reach = fmax(1, fmin(reach, 1 / longest));
    for (int32_t k = 0; k < classes; k++) {
        parameter[order[k]] = now[order[k]] * exp(reach * step[k]);
        s->step[order[k]] = step[k];
    }
    s->moved = fmax(s->moved, longest);
    set_prior(s, parameter);
    return OG_OK;
}

/* ---- passes ---- */

/* OG_STOPPED if it is time. */
static og_status look(state *s, int64_t work)
{
    s->work += work;
    if (s->work < WORK_OF_A_LOOK) {
        return OG_OK;
    }
    s->work = 0;
    return og_stop_asked(s->stop) ? OG_STOPPED : OG_OK;
}

static void add_line(variable *v, int32_t kind, double at, double rest, uint32_t label)
{
    v->line[kind][v->count[kind]++] = (line){.at = at, .rest = rest, .label = label};
}

static og_status take_task(state *s, uint32_t task)
{
    uint32_t first = s->task_first[task], end = s->task_first[task + 1];
    variable *v = &s->v;
    v->count[0] = v->count[1] = 0;
    OG_TRY(find_task_rule(s, task, end - first, &v->rule));
    for (uint32_t l = first; l < end; l++) {
        uint32_t label = s->of_task[l];
        int32_t kind = 1 - s->crowd->label[label];
        add_line(v, kind, s->r[label].right, s->r[label].wrong, label);
    }
    find_density(v);
    return look(s, (end - first + 1) * (int64_t)v->rule->count);
}

/* Moves the alpha of each line to its mean, or half the way. */
static void keep_alpha(state *s, int32_t kind, bool damped)
{
    for (uint32_t l = 0; l < s->v.count[kind]; l++) {
        const line *one = &s->v.line[kind][l];
        pair *alpha = &s->alpha_of[one->label];
        s->moved = fmax(s->moved, fabs(one->mean.right - alpha->right));
        alpha->right = damped ? (alpha->right + one->mean.right) / 2 : one->mean.right;
        alpha->wrong = damped ? (alpha->wrong + one->mean.wrong) / 2 : one->mean.wrong;
    }
}

/* Several classes: lists the lines of each class in the scratch space, and takes them. */
static og_status take_classes(state *s, uint32_t task, line **lines)
{
    uint32_t first = s->task_first[task], end = s->task_first[task + 1];
    int32_t count[OG_CLASSES_MAX] = {0};
    line *next = s->v.line[0];
    for (uint32_t l = first; l < end; l++) {
        count[s->crowd->label[s->of_task[l]]]++;
    }
    for (int32_t k = 0; k < s->classes; k++) {
        lines[k] = next;
        next += count[k];
        count[k] = 0;
    }
    for (uint32_t l = first; l < end; l++) {
        uint32_t label = s->of_task[l];
        int32_t k = s->crowd->label[label];
        lines[k][count[k]++] = (line){
            .at = s->r[label].right, .rest = s->r[label].wrong / (s->classes - 1), .label = label};
    }
    for (int32_t k = 0; k < s->classes; k++) {
        qsort(lines[k], (size_t)count[k], sizeof *lines[k], og_crowd_line_compare);
    }
    og_crowd_classes_take(&s->many, lines, count);
    s->v.count[0] = end - first;
    s->v.count[1] = 0;
    return look(s, (end - first + 1) * (int64_t)(end - first + 1));
}

static og_status send_to_workers(state *s, bool damped)
{
    s->moved = 0;
    for (uint32_t i = 0; i < s->crowd->task_count; i++) {
        line *lines[OG_CLASSES_MAX];
        if (s->classes > 2) {
            OG_TRY(take_classes(s, i, lines));
            og_crowd_classes_means(&s->many, lines);
        } else {
            OG_TRY(take_task(s, i));
            find_means(&s->v);
        }
        keep_alpha(s, 0, damped);
        keep_alpha(s, 1, damped);
        OG_TRY(s->crowd->fit ? expect_labels(s, i) : OG_OK);
    }
    return OG_OK;
}

/* With two coins, this one is thrown if a reliable worker would give the label of the first kind;
 * in the other case the label has a probability that does not depend on this coin. */
static og_status take_coin(state *s, uint32_t worker, int32_t coin, bool two)
{
    uint32_t first = s->worker_first[worker], end = s->worker_first[worker + 1];
    variable *v = &s->v;
    v->count[0] = v->count[1] = 0;
    OG_TRY(find_worker_rule(s, worker, coin, end - first, &v->rule));
    for (uint32_t l = first; l < end; l++) {
        uint32_t label = s->of_worker[l];
        pair alpha = s->alpha_of[label], r = s->r[label];
        if (!two) {
            add_line(v, 0, alpha.right, alpha.wrong / (s->classes - 1), label);
        } else if (s->crowd->label[label] == 1 - coin) {
            add_line(v, 0, alpha.right + alpha.wrong * r.wrong, alpha.wrong * r.wrong, label);
        } else {
            add_line(v, 1, alpha.wrong + alpha.right * r.right, alpha.right * r.right, label);
        }
    }
    find_density(v);
    return look(s, (end - first + 1) * (int64_t)v->rule->count);
}

static bool has_two(const og_crowd *crowd, uint32_t worker)
{
    int32_t prior;
    return og_worker_coins(worker_prior(crowd, worker, &prior)) == 2;
}

static void keep_r(state *s, int32_t kind, bool two)
{
    for (uint32_t l = 0; l < s->v.count[kind]; l++) {
        const line *one = &s->v.line[kind][l];
        pair *r = &s->new_r[one->label];
        r->right = kind == 0 ? one->mean.right : r->right;
        r->wrong = kind == 1 ? one->mean.right : two ? r->wrong : one->mean.wrong;
    }
}

static og_status send_to_tasks(state *s)
{
    for (uint32_t w = 0; w < s->crowd->worker_count; w++) {
        bool two = has_two(s->crowd, w);
        for (int32_t coin = 0; coin < (two ? 2 : 1); coin++) {
            OG_TRY(take_coin(s, w, coin, two));
            find_means(&s->v);
            keep_r(s, 0, two);
            keep_r(s, 1, two);
        }
    }
    pair *old = s->r;
    s->r = s->new_r;
    s->new_r = old;
    return OG_OK;
}

/* Of both coins; one coin has its mean twice. */
static void prior_means(const og_crowd *crowd, uint32_t worker, double mean[2])
{
    int32_t prior;
    const og_group *group = worker_prior(crowd, worker, &prior);
    for (int32_t coin = 0; coin < 2; coin++) {
        og_component part[OG_PARTS_MAX];
        double sum, all = 0;
        int32_t thrown = coin < og_worker_coins(group) ? coin : 0;
        int32_t parts = og_worker_parts(group, thrown, part, &sum);
        for (int32_t m = 0; m < parts; m++) {
            double c = og_fraction_double(part[m].a), d = og_fraction_double(part[m].b);
            all += og_fraction_double(part[m].weight) / sum * (c / (c + d));
        }
        mean[coin] = fmin(1 - LEAST_ACCURACY, fmax(LEAST_ACCURACY, all));
    }
}

static void begin(state *s)
{
    for (uint32_t w = 0; w < s->crowd->worker_count; w++) {
        double mean[2];
        prior_means(s->crowd, w, mean);
        for (uint32_t l = s->worker_first[w]; l < s->worker_first[w + 1]; l++) {
            uint32_t label = s->of_worker[l];
            int32_t coin = s->classes > 2 ? 0 : 1 - s->crowd->label[label];
            s->r[label] = (pair){mean[coin], 1 - mean[1 - coin]};
        }
    }
}

static og_status propagate(state *s, int32_t *passes)
{
    int32_t most = s->crowd->fit ? OG_CROWD_FIT_PASSES : OG_CROWD_PASSES;
    begin(s);
    for (*passes = 0; *passes < most; ++*passes) {
        OG_TRY(send_to_workers(s, *passes >= DAMPED_FROM));
        OG_TRY(s->crowd->fit ? fit_prior(s, *passes) : OG_OK);
        if (*passes > 0 && s->moved < OG_CROWD_SETTLED) {
            break;
        }
        OG_TRY(send_to_tasks(s));
    }
    return OG_OK;
}

/* ---- the calls ---- */

static og_status call_soft(state *s, uint32_t task, double *positive, double *negative)
{
    const variable *v = &s->v;
    int32_t labels = (int32_t)(v->count[0] + v->count[1]);
    outcome_table *table = find_weights(s, task, labels);
    OG_TRY(OG_ALLOCATED(table));
    double *up = s->right[0], *down = s->right[1];
    if (!table->called) {
        const double *prior = s->task_prior[task_prior_of(s->crowd, task)];
        for (int32_t k = 0; k <= labels; k++) {
            up[k] = prior[0] + k;
            down[k] = prior[1] + (labels - k);
        }
        og_ranking_above(up, down, labels + 1, table->above);
        og_ranking_above(down, up, labels + 1, table->less);
        table->called = true;
    }
    find_terms(s, table);
    for (int32_t k = 0; k <= labels; k++) {
        up[k] = s->term[k] * table->above[k];
        down[k] = s->term[k] * table->less[k];
    }
    *positive = sum_of_pairs(up, labels + 1);
    *negative = sum_of_pairs(down, labels + 1);
    return OG_OK;
}

static og_status call_classes(state *s, og_crowd_belief *out)
{
    size_t tasks = s->crowd->task_count, classes = (size_t)s->classes;
    size_t terms = (size_t)s->crowd->label_count + tasks * classes;
    double *power = og_arena_array(&s->arena, terms, sizeof *power), *next = power;
    int32_t *count = og_arena_array(&s->arena, tasks * classes, sizeof *count);
    OG_TRY(og_arena_status(&s->arena));
    for (uint32_t i = 0; i < tasks; i++) {
        line *lines[OG_CLASSES_MAX];
        OG_TRY(take_classes(s, i, lines));
        next = og_crowd_classes_keep(&s->many, next, count + i * classes);
    }
    return og_crowd_classes_calls(&s->many, power, count, (uint32_t)tasks, s->stop, out->chance);
}

static og_status call_tasks(state *s, og_crowd_belief *out)
{
    if (s->classes > 2) {
        return call_classes(s, out);
    }
    for (uint32_t i = 0; i < s->crowd->task_count; i++) {
        OG_TRY(take_task(s, i));
        double positive = s->v.density[1], negative = s->v.density[0];
        OG_TRY(s->crowd->sure ? OG_OK : call_soft(s, i, &positive, &negative));
        out->chance[2 * (size_t)i] = positive / (positive + negative);
        out->chance[2 * (size_t)i + 1] = negative / (positive + negative);
    }
    return OG_OK;
}

/* c, d of the Beta with the mean and the variance of the density. */
static void match_beta(variable *v, double out[2])
{
    const rule *points = v->rule;
    double sum = 0, mean = 0, rest = 0, variance = 0;
    for (int32_t i = 0; i < points->count; i++) {
        sum += v->density[i];
        mean += v->density[i] * points->at[i];
        rest += v->density[i] * points->rest[i];
    }
    mean /= sum;
    rest /= sum;
    for (int32_t i = 0; i < points->count; i++) {
        double off = mean < rest ? points->at[i] - mean : rest - points->rest[i];
        variance += v->density[i] * off * off / sum;
    }
    double size = points->count > 1 ? mean * rest / variance - 1 : 1;
    out[0] = size * mean;
    out[1] = size * rest;
}

static og_status match_workers(state *s, og_crowd_belief *out)
{
    for (uint32_t w = 0; w < s->crowd->worker_count; w++) {
        bool two = has_two(s->crowd, w);
        for (int32_t coin = 0; coin < (two ? 2 : 1); coin++) {
            OG_TRY(take_coin(s, w, coin, two));
            match_beta(&s->v, &out->coin[4 * (size_t)w + 2 * (size_t)coin]);
        }
    }
    return OG_OK;
}

/* ---- all of it ---- */

/* Lists labels by task or by worker: by[first[i]] .. by[first[i + 1] - 1] are those of i, with
 * first[count + 2]. Returns the most of one. */
static uint32_t list_labels(const uint32_t *owner, int64_t labels, uint32_t count, uint32_t *first,
                            uint32_t *by)
{
    uint32_t most = 0;
    for (int64_t l = 0; l < labels; l++) {
        first[owner[l] + 2]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        most = first[i + 2] > most ? first[i + 2] : most;
        first[i + 2] += first[i + 1];
    }
    for (int64_t l = 0; l < labels; l++) {
        by[first[owner[l] + 1]++] = (uint32_t)l;
    }
    return most;
}

static og_status make_variable(state *s, uint32_t longest)
{
    int32_t points, parts = 1;
    level_of(longest, &points);
    for (int32_t i = 0; i < s->crowd->worker_priors; i++) {
        const og_group *prior = &s->crowd->worker_prior[i];
        bool mixed = prior->kind == OG_PRIOR_MIXTURE;
        parts = mixed && prior->part_count > parts ? prior->part_count : parts;
    }
    size_t most = (size_t)points * (size_t)parts;
    for (int32_t kind = 0; kind < 2; kind++) {
        s->v.line[kind] = og_arena_array(&s->arena, longest, sizeof *s->v.line[kind]);
        s->v.sum[kind] = og_arena_array(&s->arena, most, sizeof *s->v.sum[kind]);
    }
    s->v.density = og_arena_array(&s->arena, most, sizeof *s->v.density);
    s->v.product = og_arena_array(&s->arena, most, sizeof *s->v.product);
    return og_arena_status(&s->arena);
}

static og_status list_all(state *s, og_crowd_belief *out)
{
    const og_crowd *crowd = s->crowd;
    size_t labels = (size_t)crowd->label_count, tasks = crowd->task_count;
    size_t workers = crowd->worker_count;
    s->task_first = og_arena_array(&s->arena, tasks + 2, sizeof(uint32_t));
    s->worker_first = og_arena_array(&s->arena, workers + 2, sizeof(uint32_t));
    s->of_task = og_arena_array(&s->arena, labels, sizeof(uint32_t));
    s->of_worker = og_arena_array(&s->arena, labels, sizeof(uint32_t));
    s->alpha_of = og_arena_array(&s->arena, labels, sizeof(pair));
    s->r = og_arena_array(&s->arena, labels, sizeof(pair));
    s->new_r = og_arena_array(&s->arena, labels, sizeof(pair));
    out->chance = og_arena_array(&out->arena, tasks * (size_t)s->classes, sizeof(double));
    out->coin = og_arena_array(&out->arena, 4 * workers, sizeof(double));
    OG_TRY(og_arena_status(&s->arena));
    OG_TRY(og_arena_status(&out->arena));
    s->most_of_task =
        list_labels(crowd->task, crowd->label_count, crowd->task_count, s->task_first, s->of_task);
    uint32_t by_worker = list_labels(crowd->worker, crowd->label_count, crowd->worker_count,
                                     s->worker_first, s->of_worker);
    return make_variable(s, s->most_of_task > by_worker ? s->most_of_task : by_worker);
}

static og_status make_room(state *s)
{
    const og_crowd *crowd = s->crowd;
    size_t most = s->most_of_task + (size_t)1, priors = (size_t)crowd->task_priors;
    s->task_prior = og_arena_array(&s->arena, priors, sizeof *s->task_prior);
    s->task_rule = og_arena_array(&s->arena, priors * LEVELS, sizeof(rule));
    s->worker_rule =
        og_arena_array(&s->arena, 2 * (size_t)crowd->worker_priors * LEVELS, sizeof(rule));
    s->table = og_arena_array(&s->arena, most, sizeof *s->table);
    s->term = og_arena_array(&s->arena, most, sizeof *s->term);
    s->right[0] = og_arena_array(&s->arena, most, sizeof *s->term);
    s->right[1] = og_arena_array(&s->arena, most, sizeof *s->term);
    s->factor = og_arena_array(&s->arena, most, sizeof *s->term);
    s->beyond = og_arena_array(&s->arena, most * ((size_t)s->classes + 1), sizeof *s->beyond);
    OG_TRY(og_arena_status(&s->arena));
    for (size_t n = 0; n < most; n++) {
        s->factor[n] = lgamma((double)n + 1);
    }
    s->unit = 0x1p62;
    for (uint32_t tasks = crowd->task_count; tasks > 0; tasks /= 2) {
        s->unit /= 2;
    }
    return OG_OK;
}

static og_status check_classes(const state *s)
{
    for (int32_t i = 0; i < s->crowd->worker_priors; i++) {
        if (og_worker_coins(&s->crowd->worker_prior[i]) == 2) {
            return og_message_set(s->message, OG_BAD_INPUT,
                                  "--workers-prior A,B/A,B, two coins, supports labels of two "
                                  "classes; give A,B");
        }
    }
    return s->most_of_task <= OG_CROWD_CLASSES_LABELS
               ? OG_OK
               : og_message_set(s->message, OG_BAD_INPUT,
                                "--workers-prior supports at most %d labels of a task, for labels "
                                "of %d classes; omit it",
                                OG_CROWD_CLASSES_LABELS, (int)s->classes);
}

static og_status take_prior(state *s)
{
    const og_group *prior = s->crowd->task_prior;
    for (int32_t k = 0; k < s->crowd->task_priors && s->classes == 2; k++) {
        s->task_prior[k][0] = og_fraction_double(prior[k].a);
        s->task_prior[k][1] = og_fraction_double(prior[k].b);
    }
    if (s->classes == 2) {
        return OG_OK;
    }
    OG_TRY(check_classes(s));
    OG_TRY(og_crowd_classes_init(&s->arena, s->classes, (int32_t)s->most_of_task, &s->many));
    for (int32_t k = 0; k < s->classes; k++) {
        s->alpha[k] = og_fraction_double(prior->alpha[k]);
    }
    og_crowd_classes_begin(&s->many, s->alpha);
    return OG_OK;
}

static og_status believe(state *s, og_crowd_belief *out)
{
    OG_TRY(list_all(s, out));
    OG_TRY(make_room(s));
    OG_TRY(take_prior(s));
    OG_TRY(propagate(s, &out->passes));
    out->moved = s->moved;
    memcpy(out->prior, s->classes > 2 ? s->alpha : s->task_prior[0],
           (size_t)s->classes * sizeof *out->prior);
    OG_TRY(call_tasks(s, out));
    return match_workers(s, out);
}

og_status og_crowd_believe(const og_crowd *crowd, og_stop *stop, og_crowd_belief *out,
                           og_message *message)
{
    state s = {.crowd = crowd,
               .stop = stop,
               .message = message,
               .classes = crowd->classes > 2 ? crowd->classes : 2};
    og_crowd_belief made = {.passes = 0};
    og_status status = believe(&s, &made);
    og_arena_clear(&s.arena);
    return OG_MADE_IN(status, made, og_crowd_belief_clear, out);
}

void og_crowd_belief_clear(og_crowd_belief *belief)
{
    og_arena_clear(&belief->arena);
    *belief = (og_crowd_belief){.passes = 0};
}
