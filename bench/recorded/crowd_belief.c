/*
 * Belief propagation between tasks and workers. A variable is a task's theta or a coin's rho. Its
 * density is a Gauss rule times one line for each label; both kinds are the same code. Lines are
 * sorted before they are multiplied, and sums over points are sums of pairs from both ends: hence
 * the bits do not depend on the order of labels, nor on which class is called positive.
 */
#include "bench/recorded/crowd_belief.h"

#include <math.h>
#include <string.h>

#include "bench/recorded/crowd_classes.h"
#include "bench/recorded/crowd_coin.h"
#include "bench/recorded/crowd_counts.h"
#include "bench/recorded/crowd_fit.h"
#include "bench/recorded/crowd_soft.h"
#include "dp/prior/beta_nodes.h"
#include "dp/prior/worker.h"

enum {
    LEVELS = 28,
    FEWEST_POINTS = 4,
    EXACT_POINTS = 32,
    DAMPED_FROM = 50,
    WORK_OF_A_LOOK = 1 << 17
};

/* A known accuracy is not quite sure: sure ones could contradict each other. */
#define LEAST_ACCURACY 1e-12

typedef og_crowd_pair pair;
typedef og_crowd_line line;
typedef og_coin_rule rule;

/* The variable that is being computed; scratch space for the largest one. */
typedef struct {
    line *line[2]; /* [count] of both kinds of labels, sorted */
    uint32_t count[2];
    og_coin coin;
} variable;

typedef struct {
    const og_crowd *crowd;
    og_stop *stop;
    og_message *message;
    int32_t classes;
    bool counted; /* several classes and two coins */
    og_arena arena;
    double (*task_prior)[2];      /* [task_priors] of two classes */
    double alpha[OG_CLASSES_MAX]; /* of several */
    og_crowd_soft soft;
    og_crowd_classes many;
    og_crowd_counts counts; /* if `counted` */
    og_crowd_fit fit;
    rule *task_rule;                    /* [task_priors][LEVELS] made when they are needed */
    rule *worker_rule;                  /* [worker_priors][2 coins][LEVELS] */
    og_coin_window *window;             /* [workers][2 coins] of the last pass */
    uint8_t *label;                     /* [labels] sorted by task, as all arrays of labels here */
    uint32_t *task_first;               /* the labels of a task: task_first[i] .. */
    uint32_t *worker_first, *of_worker; /* of_worker[worker_first[i]] .. */
    pair *alpha_of; /* [labels] to workers: a reliable worker would say this, or the other label */
    pair *r;        /* [labels] to tasks: the probability of this label in both cases */
    pair *new_r;
    variable v;
    uint32_t most_of_task;
    int64_t work; /* since the last look at the stop */
    double moved;
} state;

/* ---- rules ---- */

/* Enough for n labels: of few ones, the density's second moment is a polynomial of degree n + 2. */
static int32_t level_of(uint32_t labels, int32_t *points)
{
    int32_t level = 0;
    *points = FEWEST_POINTS;
    while (*points < 4 * sqrt(labels) && 2 * *points < labels + 3.0) {
        *points += *points < EXACT_POINTS ? *points : *points / 4 * 2;
        level++;
    }
    return level;
}

static og_status rule_new(state *s, int32_t points, rule *out)
{
    OG_TRY(out->at == NULL ? og_coin_rule_new(&s->arena, points, out) : OG_OK);
    out->count = points;
    return OG_OK;
}

/* A mixture of Betas, each with that many points. */
static og_status fill_mixture(state *s, const og_component *part, int32_t parts, int32_t points,
                              rule *out)
{
    OG_TRY(rule_new(s, parts * points, out));
    out->ordered = parts == 1;
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

/* ---- the prior ---- */

/* Adds the labels of reliable workers of the task that was taken. */
static void expect_labels(state *s)
{
    if (s->counted) {
        og_crowd_counts_tails(&s->counts, s->fit.unit, s->fit.beyond);
    } else if (s->classes > 2) {
        og_crowd_classes_tails(&s->many, s->fit.unit, s->fit.beyond);
    } else {
        og_crowd_soft_tails(&s->soft, s->fit.unit, s->fit.beyond);
    }
}

/* Takes this prior of several classes. */
static void begin_classes(state *s)
{
    if (s->counted) {
        og_crowd_counts_begin(&s->counts, s->alpha);
    } else {
        og_crowd_classes_begin(&s->many, s->alpha);
    }
}

static og_status fit_prior(state *s)
{
    double moved, *prior = s->classes > 2 ? s->alpha : s->task_prior[0];
    OG_TRY(og_crowd_fit_step(&s->fit, prior, &moved, s->message));
    s->moved = fmax(s->moved, moved);
    if (s->classes > 2) {
        begin_classes(s);
        return OG_OK;
    }
    og_crowd_soft_forget(&s->soft);
    for (int32_t level = 0; level < LEVELS; level++) {
        s->task_rule[level].count = 0;
    }
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

static void sort_lines(variable *v)
{
    og_crowd_lines_sort(v->line[0], v->count[0]);
    og_crowd_lines_sort(v->line[1], v->count[1]);
}

static og_status find_density(state *s, uint32_t task, uint32_t labels)
{
    const rule *points;
    OG_TRY(find_task_rule(s, task, labels, &points));
    og_coin_take(&s->v.coin, points, (og_coin_window){0, 0}, s->v.line, s->v.count);
    return OG_OK;
}

/* Two classes: lists the lines; if the truth is sure, also finds the density. */
static og_status take_task(state *s, uint32_t task)
{
    uint32_t first = s->task_first[task], end = s->task_first[task + 1];
    variable *v = &s->v;
    int32_t prior = task_prior_of(s->crowd, task);
    v->count[0] = v->count[1] = 0;
    for (uint32_t l = first; l < end; l++) {
        add_line(v, 1 - s->label[l], s->r[l].right, s->r[l].wrong, l);
    }
    sort_lines(v);
    if (!s->crowd->sure) {
        return og_crowd_soft_take(&s->soft, prior, s->task_prior[prior], v->line, v->count);
    }
    return find_density(s, task, end - first);
}

static og_status find_task_means(state *s, uint32_t task)
{
    variable *v = &s->v;
    uint32_t labels = v->count[0] + v->count[1];
    if (!s->crowd->sure && labels <= OG_CROWD_SOFT_FEW) {
        og_crowd_soft_means(&s->soft);
        return look(s, (int64_t)labels * labels + 1);
    }
    if (!s->crowd->sure) {
        OG_TRY(find_density(s, task, labels));
    }
    og_coin_means(&v->coin, true, v->line, v->count);
    return look(s, (labels + 1) * (int64_t)v->coin.rule->count);
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
        count[s->label[l]]++;
    }
    for (int32_t k = 0; k < s->classes; k++) {
        lines[k] = next;
        next += count[k];
        count[k] = 0;
    }
    for (uint32_t l = first; l < end; l++) {
        int32_t k = s->label[l];
        lines[k][count[k]++] =
            (line){.at = s->r[l].right, .rest = s->r[l].wrong / (s->classes - 1), .label = l};
    }
    for (int32_t k = 0; k < s->classes; k++) {
        og_crowd_lines_sort(lines[k], (uint32_t)count[k]);
    }
    s->v.count[0] = end - first;
    s->v.count[1] = 0;
    if (s->counted) {
        OG_TRY(og_crowd_counts_take(&s->counts, lines, count, s->message));
        return look(s, og_crowd_counts_work(&s->counts));
    }
    og_crowd_classes_take(&s->many, lines, count);
    return look(s, (end - first + 1) * (int64_t)(end - first + 1));
}

static void find_class_means(state *s, line **lines)
{
    if (s->counted) {
        og_crowd_counts_means(&s->counts);
    } else {
        og_crowd_classes_means(&s->many, lines);
    }
}

static og_status send_to_workers(state *s, bool damped, bool fit)
{
    s->moved = 0;
    for (uint32_t i = 0; i < s->crowd->task_count; i++) {
        line *lines[OG_CLASSES_MAX];
        if (s->classes > 2) {
            OG_TRY(take_classes(s, i, lines));
            find_class_means(s, lines);
        } else {
            OG_TRY(take_task(s, i));
            OG_TRY(find_task_means(s, i));
        }
        keep_alpha(s, 0, damped);
        keep_alpha(s, 1, damped);
        if (fit) {
            expect_labels(s);
        }
    }
    return OG_OK;
}

/* Two coins: of two classes, and the last of several, the first one is thrown if a reliable worker
 * would say this class, else the second one. In the other case the label has a probability that
 * does not depend on this coin. */
static bool is_first(const state *s, uint32_t label)
{
    return s->label[label] == s->classes - 1;
}

static void add_line_of_two(state *s, uint32_t label, bool own)
{
    pair alpha = s->alpha_of[label], r = s->r[label];
    double wrong = alpha.wrong / (s->classes - 1), others = 0;
    if (s->classes > 2 && !is_first(s, label)) { /* reliable labels of all other classes */
        others = fmax(0, 1 - alpha.right - alpha.wrong) / (s->classes - 1);
    }
    double with = own ? wrong * r.wrong : alpha.right * r.right + others * (1 - r.right);
    if (own) {
        add_line(&s->v, 0, alpha.right + with, others + with, label);
    } else {
        add_line(&s->v, 1, wrong + with, with, label);
    }
}

static og_status take_coin(state *s, uint32_t worker, int32_t coin, bool two)
{
    uint32_t first = s->worker_first[worker], end = s->worker_first[worker + 1];
    variable *v = &s->v;
    v->count[0] = v->count[1] = 0;
    const rule *points;
    OG_TRY(find_worker_rule(s, worker, coin, end - first, &points));
    for (uint32_t l = first; l < end; l++) {
        uint32_t label = s->of_worker[l];
        pair alpha = s->alpha_of[label];
        if (two) {
            add_line_of_two(s, label, is_first(s, label) == (coin == 0));
        } else {
            double wrong = s->counted ? 1 - alpha.right : alpha.wrong;
            add_line(v, 0, alpha.right, wrong / (s->classes - 1), label);
        }
    }
    sort_lines(v);
    for (uint32_t l = 0; !two && l < end - first; l++) { /* nearly sorted, next time */
        s->of_worker[first + l] = v->line[0][l].label;
    }
    og_coin_window *window = &s->window[2 * (size_t)worker + (size_t)coin];
    og_coin_take(&v->coin, points, *window, v->line, v->count);
    *window = v->coin.window;
    return look(s, (end - first + 1) * (int64_t)(window->end - window->first));
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
            og_coin_means(&s->v.coin, false, s->v.line, s->v.count);
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
            int32_t coin = is_first(s, label) ? 0 : 1;
            s->r[label] = (pair){mean[coin], 1 - mean[1 - coin]};
        }
    }
}

static og_status propagate(state *s, og_crowd_belief *out)
{
    bool fit = s->crowd->fit;
    int32_t most = fit ? OG_CROWD_FIT_PASSES : OG_CROWD_PASSES;
    begin(s);
    for (out->passes = 0; out->passes < most && !out->settled; out->passes++) {
        bool even = out->passes % 2 == 0; /* messages answer to a prior in the next pass */
        OG_TRY(send_to_workers(s, out->passes >= DAMPED_FROM, fit && even));
        OG_TRY(fit && even ? fit_prior(s) : OG_OK);
        out->moved = s->moved;

        out->settled = out->passes > 0 && (even || !fit) &&
                       s->moved < (fit ? OG_CROWD_FIT_SETTLED : OG_CROWD_SETTLED);
        OG_TRY(out->settled ? OG_OK : send_to_tasks(s));
    }
    return OG_OK;
}

/* ---- the calls ---- */

static og_status call_classes(state *s, og_crowd_belief *out)
{
    size_t tasks = s->crowd->task_count, classes = (size_t)s->classes;
    line *lines[OG_CLASSES_MAX];
    for (uint32_t i = 0; s->counted && i < tasks; i++) {
        OG_TRY(take_classes(s, i, lines));
        OG_TRY(og_crowd_counts_call(&s->counts, s->stop, out->chance + i * classes));
    }
    if (s->counted) {
        return OG_OK;
    }
    size_t terms = (size_t)s->crowd->label_count + tasks * classes;
    double *power = og_arena_array(&s->arena, terms, sizeof *power), *next = power;
    int32_t *count = og_arena_array(&s->arena, tasks * classes, sizeof *count);
    OG_TRY(og_arena_status(&s->arena));
    for (uint32_t i = 0; i < tasks; i++) {
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
        double positive = s->v.coin.density[1], negative = s->v.coin.density[0];
        if (!s->crowd->sure) {
            int64_t labels = (int64_t)s->v.count[0] + s->v.count[1];
            OG_TRY(look(s, labels * labels + 1));
            og_crowd_soft_call(&s->soft, &positive, &negative);
        }
        out->chance[2 * (size_t)i] = positive / (positive + negative);
        out->chance[2 * (size_t)i + 1] = negative / (positive + negative);
    }
    return OG_OK;
}

static og_status match_workers(state *s, og_crowd_belief *out)
{
    for (uint32_t w = 0; w < s->crowd->worker_count; w++) {
        bool two = has_two(s->crowd, w);
        for (int32_t coin = 0; coin < (two ? 2 : 1); coin++) {
            OG_TRY(take_coin(s, w, coin, two));
            og_coin_beta(&s->v.coin, &out->coin[4 * (size_t)w + 2 * (size_t)coin]);
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
    }
    OG_TRY(og_coin_init(&s->arena, (int32_t)most, &s->v.coin));
    return og_arena_status(&s->arena);
}

static og_status list_all(state *s, og_crowd_belief *out)
{
    const og_crowd *crowd = s->crowd;
    size_t labels = (size_t)crowd->label_count, tasks = crowd->task_count;
    size_t workers = crowd->worker_count;
    s->task_first = og_arena_array(&s->arena, tasks + 2, sizeof(uint32_t));
    s->worker_first = og_arena_array(&s->arena, workers + 2, sizeof(uint32_t));
    s->window = og_arena_array(&s->arena, 2 * workers, sizeof *s->window);
    uint32_t *by_task = og_arena_array(&s->arena, labels, sizeof(uint32_t));
    uint32_t *worker = og_arena_array(&s->arena, labels, sizeof(uint32_t));
    s->label = og_arena_array(&s->arena, labels, sizeof *s->label);
    s->of_worker = og_arena_array(&s->arena, labels, sizeof(uint32_t));
    s->alpha_of = og_arena_array(&s->arena, labels, sizeof(pair));
    s->r = og_arena_array(&s->arena, labels, sizeof(pair));
    s->new_r = og_arena_array(&s->arena, labels, sizeof(pair));
    out->chance = og_arena_array(&out->arena, tasks * (size_t)s->classes, sizeof(double));
    out->coin = og_arena_array(&out->arena, 4 * workers, sizeof(double));
    OG_TRY(og_arena_status(&s->arena));
    OG_TRY(og_arena_status(&out->arena));
    s->most_of_task =
        list_labels(crowd->task, crowd->label_count, crowd->task_count, s->task_first, by_task);
    for (size_t l = 0; l < labels; l++) {
        s->label[l] = crowd->label[by_task[l]];
        worker[l] = crowd->worker[by_task[l]];
    }
    uint32_t by_worker =
        list_labels(worker, crowd->label_count, crowd->worker_count, s->worker_first, s->of_worker);
    return make_variable(s, s->most_of_task > by_worker ? s->most_of_task : by_worker);
}

static og_status make_room(state *s)
{
    const og_crowd *crowd = s->crowd;
    size_t priors = (size_t)crowd->task_priors;
    s->task_prior = og_arena_array(&s->arena, priors, sizeof *s->task_prior);
    s->task_rule = og_arena_array(&s->arena, priors * LEVELS, sizeof(rule));
    s->worker_rule =
        og_arena_array(&s->arena, 2 * (size_t)crowd->worker_priors * LEVELS, sizeof(rule));
    OG_TRY(og_arena_status(&s->arena));
    if (crowd->fit) {
        OG_TRY(
            og_crowd_fit_init(&s->arena, s->classes, s->most_of_task, crowd->task_count, &s->fit));
    }
    return s->classes == 2 ? og_crowd_soft_init(&s->arena, s->most_of_task, &s->soft) : OG_OK;
}

static og_status check_classes(const state *s)
{
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
    for (int32_t i = 0; i < s->crowd->worker_priors; i++) {
        s->counted = s->counted || og_worker_coins(&s->crowd->worker_prior[i]) == 2;
    }
    int32_t longest = (int32_t)s->most_of_task;
    OG_TRY(check_classes(s));
    OG_TRY(s->counted ? og_crowd_counts_init(&s->arena, s->classes, longest, &s->counts)
                      : og_crowd_classes_init(&s->arena, s->classes, longest, &s->many));
    for (int32_t k = 0; k < s->classes; k++) {
        s->alpha[k] = og_fraction_double(prior->alpha[k]);
    }
    begin_classes(s);
    return OG_OK;
}

static og_status believe(state *s, og_crowd_belief *out)
{
    OG_TRY(list_all(s, out));
    OG_TRY(make_room(s));
    OG_TRY(take_prior(s));
    OG_TRY(propagate(s, out));
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
    og_crowd_counts_clear(&s.counts);
    og_arena_clear(&s.arena);
    return OG_MADE_IN(status, made, og_crowd_belief_clear, out);
}

void og_crowd_belief_clear(og_crowd_belief *belief)
{
    og_arena_clear(&belief->arena);
    *belief = (og_crowd_belief){.passes = 0};
}
