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

#include "dp/prior/beta_nodes.h"
#include "dp/prior/worker.h"
#include "heuristics/families/ranking_belief.h"

enum { LEVELS = 24, FEWEST_POINTS = 32, DAMPED_FROM = 50, AT_ONCE = 16, WORK_OF_A_LOOK = 1 << 17 };

/* Points of a prior: x, 1 - x, and the logarithm of the weight. */
typedef struct {
    int32_t count;
    double *at, *rest, *weight;
} rule;

typedef struct {
    double right, wrong; /* of sum 1, except probabilities of a label under two coins */
} pair;

/* A label's factor of a density: at * x + rest * (1 - x). */
typedef struct {
    double at, rest;
    pair mean; /* of x and 1 - x under the density without this line */
    uint32_t label;
} line;

/* The variable that is being computed; scratch space for the largest one. */
typedef struct {
    const rule *rule;
    line *line[2]; /* [count] of both kinds of labels, sorted */
    uint32_t count[2];
    double *density; /* [points] relative to the largest */
    double *sum[2];  /* [points] logarithms of the products of lines */
    double *product; /* [points] */
} variable;

typedef struct {
    const og_crowd *crowd;
    og_stop *stop;
    og_arena arena;
    rule *task_rule;                    /* [task_priors][LEVELS] made when they are needed */
    rule *worker_rule;                  /* [worker_priors][2 coins][LEVELS] */
    uint32_t *task_first, *of_task;     /* labels by task: of_task[task_first[i] ...] */
    uint32_t *worker_first, *of_worker; /* and by worker */
    pair *alpha; /* [labels] to workers: a reliable worker would say this, or the other label */
    pair *r;     /* [labels] to tasks: the probability of this label in both cases */
    pair *new_r;
    variable v;
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
    double *all = og_arena_array(&s->arena, 3 * (size_t)points, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    *out = (rule){points, all, all + points, all + 2 * points};
    return OG_OK;
}

/* A mixture of Betas, each with that many points. */
static og_status fill_mixture(state *s, const og_component *part, int32_t parts, int32_t points,
                              rule *out)
{
    rule made;
    OG_TRY(rule_new(s, parts * points, &made));
    for (int32_t m = 0; m < parts; m++) {
        int32_t from = m * points;
        OG_TRY(og_beta_nodes(og_fraction_double(part[m].a), og_fraction_double(part[m].b), points,
                             made.at + from, made.rest + from, made.weight + from));
        for (int32_t k = from; k < from + points; k++) {
            made.weight[k] += log(og_fraction_double(part[m].weight));
        }
    }
    *out = made;
    return OG_OK;
}

static og_status fill_sure(state *s, const og_group *prior, rule *out)
{
    double a = og_fraction_double(prior->a), b = og_fraction_double(prior->b);
    OG_TRY(rule_new(s, 2, out));
    out->rest[0] = out->at[1] = 1;
    out->weight[0] = log(b);
    out->weight[1] = log(a);
    return OG_OK;
}

static og_status find_task_rule(state *s, uint32_t task, uint32_t labels, const rule **out)
{
    const og_crowd *crowd = s->crowd;
    int32_t points, level = level_of(labels, &points);
    int32_t prior = crowd->prior_of != NULL ? crowd->prior_of[task] : 0;
    rule *made = &s->task_rule[prior * LEVELS + level];
    const og_group *group = &crowd->task_prior[prior];
    const og_component one = {.weight = {1, 1}, .a = group->a, .b = group->b};
    *out = made;
    if (made->at != NULL) {
        return OG_OK;
    }
    return crowd->sure ? fill_sure(s, group, made) : fill_mixture(s, &one, 1, points, made);
}

static const og_group *worker_prior(const og_crowd *crowd, uint32_t worker, int32_t *number)
{
    *number = crowd->worker_prior_of != NULL ? crowd->worker_prior_of[worker] : 0;
    return &crowd->worker_prior[*number];
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
    if (made->at != NULL) {
        return OG_OK;
    }
    return fill_mixture(s, part, og_worker_parts(group, coin, part, &sum), points, made);
}

/* ---- a variable ---- */

static int compare_lines(const void *x, const void *y)
{
    const line *a = x, *b = y;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at)
                          : (a->rest > b->rest) - (a->rest < b->rest);
}

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
        qsort(v->line[kind], v->count[kind], sizeof *v->line[kind], compare_lines);
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
            bool same = l > 0 && compare_lines(&lines[l], &lines[l - 1]) == 0;
            lines[l].mean = same ? lines[l - 1].mean : mean_without(v, kind, &lines[l]);
        }
    }
}

/* ---- passes ---- */

/* OG_STOPPED if it is time. */
static og_status look(state *s, int64_t labels)
{
    s->work += (labels + 1) * s->v.rule->count;
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
    return look(s, end - first);
}

/* Moves the alpha of each line to its mean, or half the way. */
static void keep_alpha(state *s, int32_t kind, bool damped)
{
    for (uint32_t l = 0; l < s->v.count[kind]; l++) {
        const line *one = &s->v.line[kind][l];
        pair *alpha = &s->alpha[one->label];
        s->moved = fmax(s->moved, fabs(one->mean.right - alpha->right));
        alpha->right = damped ? (alpha->right + one->mean.right) / 2 : one->mean.right;
        alpha->wrong = damped ? (alpha->wrong + one->mean.wrong) / 2 : one->mean.wrong;
    }
}

static og_status send_to_workers(state *s, bool damped)
{
    s->moved = 0;
    for (uint32_t i = 0; i < s->crowd->task_count; i++) {
        OG_TRY(take_task(s, i));
        find_means(&s->v);
        keep_alpha(s, 0, damped);
        keep_alpha(s, 1, damped);
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
        pair alpha = s->alpha[label], r = s->r[label];
        if (!two) {
            add_line(v, 0, alpha.right, alpha.wrong, label);
        } else if (s->crowd->label[label] == 1 - coin) {
            add_line(v, 0, alpha.right + alpha.wrong * r.wrong, alpha.wrong * r.wrong, label);
        } else {
            add_line(v, 1, alpha.wrong + alpha.right * r.right, alpha.right * r.right, label);
        }
    }
    find_density(v);
    return look(s, end - first);
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
        mean[coin] = all;
    }
}

static void begin(state *s)
{
    for (uint32_t w = 0; w < s->crowd->worker_count; w++) {
        double mean[2];
        prior_means(s->crowd, w, mean);
        for (uint32_t l = s->worker_first[w]; l < s->worker_first[w + 1]; l++) {
            uint32_t label = s->of_worker[l];
            int32_t coin = 1 - s->crowd->label[label];
            s->r[label] = (pair){mean[coin], 1 - mean[1 - coin]};
        }
    }
}

static og_status propagate(state *s, int32_t *passes)
{
    begin(s);
    for (*passes = 0; *passes < OG_CROWD_PASSES; ++*passes) {
        OG_TRY(send_to_workers(s, *passes >= DAMPED_FROM));
        if (*passes > 0 && s->moved < OG_CROWD_SETTLED) {
            break;
        }
        OG_TRY(send_to_tasks(s));
    }
    return OG_OK;
}

/* ---- the calls ---- */

/* The densities of the numbers of labels that a reliable worker would give too, as logarithms:
 * coefficients of the product of the lines, in Bernstein's basis, times the binomials. */
static void count_right(const line *lines, int32_t count, double *out)
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
        out[k] = log(out[k]) + lgamma(count + 1.0) - (lgamma(k + 1.0) + lgamma(count - k + 1.0));
    }
}

/* What each number of positive labels of a reliable worker would mean, for a task's prior and
 * number of labels. */
typedef struct {
    int32_t prior, labels;
    double *weight;       /* [labels + 1] ln B(a + k, b + labels - k) */
    double *above, *less; /* [labels + 1] probability that theta >= 1/2, and that it is less */
    double *term;         /* [labels + 1] scratch space */
    double *right[2];     /* [labels + 1] likewise, of both kinds of labels */
} outcome_table;

static void find_table(const og_crowd *crowd, int32_t prior, int32_t labels, outcome_table *out)
{
    if (out->prior == prior && out->labels == labels) {
        return;
    }
    double a = og_fraction_double(crowd->task_prior[prior].a);
    double b = og_fraction_double(crowd->task_prior[prior].b);
    double *more = out->right[0], *fewer = out->right[1]; /* not in use yet */
    for (int32_t k = 0; k <= labels; k++) {
        more[k] = a + k;
        fewer[k] = b + (labels - k);
        out->weight[k] = lgamma(more[k]) + lgamma(fewer[k]);
    }
    og_ranking_above(more, fewer, labels + 1, out->above);
    og_ranking_above(fewer, more, labels + 1, out->less);
    out->prior = prior;
    out->labels = labels;
}

/* term[k]: the probability of k positive labels of a reliable worker, relative to the largest. */
static void find_terms(const outcome_table *table, int32_t positive, int32_t negative)
{
    double most = -INFINITY;
    for (int32_t i = 0; i <= positive; i++) {
        for (int32_t j = 0; j <= negative; j++) {
            double size = table->right[0][i] + table->right[1][j] + table->weight[i + negative - j];
            most = fmax(most, size);
        }
    }
    for (int32_t k = 0; k <= positive + negative; k++) {
        int32_t first = k > negative ? k - negative : 0;
        table->term[k] = 0;
        for (int32_t i = first; i <= positive && i <= k; i++) {
            double size = table->right[0][i] + table->right[1][i + negative - k];
            table->term[k] += exp(size + table->weight[k] - most);
        }
    }
}

static void call_soft(state *s, uint32_t task, outcome_table *table, double *positive,
                      double *negative)
{
    const variable *v = &s->v;
    const og_crowd *crowd = s->crowd;
    int32_t labels = (int32_t)(v->count[0] + v->count[1]);
    find_table(crowd, crowd->prior_of != NULL ? crowd->prior_of[task] : 0, labels, table);
    for (int32_t kind = 0; kind < 2; kind++) {
        count_right(v->line[kind], (int32_t)v->count[kind], table->right[kind]);
    }
    find_terms(table, (int32_t)v->count[0], (int32_t)v->count[1]);
    double *above = table->right[0], *less = table->right[1]; /* free again */
    for (int32_t k = 0; k <= labels; k++) {
        above[k] = table->term[k] * table->above[k];
        less[k] = table->term[k] * table->less[k];
    }
    *positive = sum_of_pairs(above, labels + 1);
    *negative = sum_of_pairs(less, labels + 1);
}

static og_status call_tasks(state *s, uint32_t longest, og_crowd_belief *out)
{
    outcome_table table = {.prior = -1};
    double **part[] = {&table.weight, &table.above,    &table.less,
                       &table.term,   &table.right[0], &table.right[1]};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i] = og_arena_array(&s->arena, longest + (size_t)1, sizeof **part[i]);
    }
    OG_TRY(og_arena_status(&s->arena));
    for (uint32_t i = 0; i < s->crowd->task_count; i++) {
        OG_TRY(take_task(s, i));
        double positive = s->v.density[1], negative = s->v.density[0];
        if (!s->crowd->sure) {
            call_soft(s, i, &table, &positive, &negative);
        }
        out->positive[i] = positive / (positive + negative);
        out->negative[i] = negative / (positive + negative);
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
    double size = mean * rest / variance - 1;
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

static og_status make_room(state *s, uint32_t longest)
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

static og_status believe(state *s, og_crowd_belief *out)
{
    const og_crowd *crowd = s->crowd;
    size_t labels = (size_t)crowd->label_count, tasks = crowd->task_count;
    size_t workers = crowd->worker_count;
    s->task_rule = og_arena_array(&s->arena, (size_t)crowd->task_priors * LEVELS, sizeof(rule));
    s->worker_rule =
        og_arena_array(&s->arena, 2 * (size_t)crowd->worker_priors * LEVELS, sizeof(rule));
    s->task_first = og_arena_array(&s->arena, tasks + 2, sizeof(uint32_t));
    s->worker_first = og_arena_array(&s->arena, workers + 2, sizeof(uint32_t));
    s->of_task = og_arena_array(&s->arena, labels, sizeof(uint32_t));
    s->of_worker = og_arena_array(&s->arena, labels, sizeof(uint32_t));
    s->alpha = og_arena_array(&s->arena, labels, sizeof(pair));
    s->r = og_arena_array(&s->arena, labels, sizeof(pair));
    s->new_r = og_arena_array(&s->arena, labels, sizeof(pair));
    out->positive = og_arena_array(&out->arena, tasks, sizeof(double));
    out->negative = og_arena_array(&out->arena, tasks, sizeof(double));
    out->coin = og_arena_array(&out->arena, 4 * workers, sizeof(double));
    OG_TRY(og_arena_status(&s->arena));
    OG_TRY(og_arena_status(&out->arena));
    uint32_t by_task =
        list_labels(crowd->task, crowd->label_count, crowd->task_count, s->task_first, s->of_task);
    uint32_t by_worker = list_labels(crowd->worker, crowd->label_count, crowd->worker_count,
                                     s->worker_first, s->of_worker);
    OG_TRY(make_room(s, by_task > by_worker ? by_task : by_worker));
    OG_TRY(propagate(s, &out->passes));
    out->moved = s->moved;
    OG_TRY(call_tasks(s, by_task, out));
    return match_workers(s, out);
}

og_status og_crowd_believe(const og_crowd *crowd, og_stop *stop, og_crowd_belief *out)
{
    state s = {.crowd = crowd, .stop = stop};
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
