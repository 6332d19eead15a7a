/*
 * The infinite-horizon Gittins index with discount delta [Xie and Frazier; spec: gittins-inf]
 *
 *   gamma(x) = sup over stopping times tau >= 1 of
 *              E[sum of delta^t R_t over t < tau] / E[sum of delta^t over t < tau],
 *
 * of arms of two outcomes, truncated: nodes of level `end` stop. Of rules that stop by then the
 * index is found as in gittins.c (Dinkelbach), with the best rule at price z
 *
 *   Q_z(x) = -z + R(x) + delta sum_k p_k v_z(next_k),   v_z = max(0, Q_z),  v_z = 0 on level `end`.
 *
 * Truncation. From a node of level n nothing after level `end` counts more than delta^(end - n),
 * and all that labels can still gain at a node y of that level is min(P, 1 - P)(y), which
 * Chernoff's bound on the binomial tail bounds in turn. So
 *
 *   gamma_truncated <= gamma <= gamma_truncated + delta^(end - n) E[Chernoff(y)],
 *
 * a bound that falls with the index itself, so that hardly reachable calls keep their order.
 *
 * That is for calls with a Beta prior and the usual payoff, whose tables here are rows of
 * parameters. Other arms (mixtures, payoffs, bandits) are built to level `end` by their own
 * builder, and have the plainer bounds: all that labels can still gain of a call is at most 1/2,
 * or, of a payoff, min(up P, down (1-P)) <= max(up, down) / 2 (dp/prior/payoff.h), and of a bandit
 * 1 / (1 - delta).
 *
 * Labels of more than two outcomes: gittins_wide.c. There the look ahead is shorter, so truncation
 * may cost more than the distance of most indices; to call these tied would help nobody. The policy
 * is the one of the truncated index, whose ties rounding alone decides, and what truncation may
 * cost is said.
 *
 * Strips. v_z at a handful of prices over the whole table gives, level by level, the first and the
 * last node with v_z > 0. A strip at price z uses those of the next price below z * (1 - 1e-6):
 * rounding (below) cannot close a node whose index is above z.
 *
 * Cost: a strip for each node of the levels below the budget, two or three times; its length is
 * about 32 / (1 - delta) labels. With the default delta 0.01 s for T = 12, 0.1 s for T = 40, 3 s
 * for T = 100 (one thread).
 *
 * Rounding is that of gittins.c with the label count r replaced by weights: with c the error of one
 * node's sum and m = min(N, 1 / (1 - delta)), the labels of a rule count as m at most and the sum
 * over k < N of delta^k E[v after k labels] is at most N m g, N = `end`. The three steps there come
 * to a relative c m (4 N + 5) here; 8 c m (N + 2) is stated, which leaves a quarter for stopping
 * early. It is below price_slack.
 */
#include <assert.h>
#include <flint/flint.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "dp/prior/beta.h"
#include "heuristics/index/gittins.h"
#include "heuristics/index/gittins_wide.h"
#include "heuristics/index/index.h"

enum {
    PRICES = OG_GITTINS_PRICES,
    END_MAX = 8192,     /* levels of a table at most: the time grows with their square */
    ARM_END_MAX = 1024, /* the same of an arm, which takes 40 bytes a node */
};

/* Look ahead until delta to the power of the labels is this, if END_MAX allows. */
static const double truncation = 0x1p-46;
static const double price_slack = OG_GITTINS_PRICE_SLACK;
static const double least_index = OG_GITTINS_LEAST;
/* Three numbers of two roundings each make a probability times delta, four more the node's sum. */
static const double node_error = 12 * DBL_EPSILON / 2;

/* Nodes s = first .. last of a level; none if first > last. */
typedef struct {
    int32_t first, last;
} span;

/* What the strips of one arm need, level by level; nodes are (n, s). */
typedef struct {
    int32_t end;
    og_arena arena;
    og_gittins_wide *wide; /* labels of more than two outcomes: all there is; else NULL */
    og_arm *arm;           /* where there is no calls_group: the arm; else NULL and the next four */
    double delta;
    og_beta *beta;
    double *plus;      /* [end + 1] a + s */
    double *minus;     /* [end + 1] b + end - i: the level's own part runs against s */
    double *scale;     /* [end] delta / (a + b + n) */
    double open_price; /* of a root's own table: `open` has one row, of nodes that may have v > 0
                          from this price on; else 0 */
    span *open;        /* [PRICES][end] nodes with v > 0 */
    double *ratio;     /* [nodes of levels below the budget] of the best rule so far */
    double *beyond;    /* likewise: what truncation can cost */
} table;

typedef struct {
    og_arena arena;
    const og_index_job *job;
    og_scored *scored;
    double delta;
    int32_t end;
    table *tables;    /* [arm_count] */
    og_worth *spaces; /* [threads] */
    double relative;  /* the error of rounding */
    bool *beaten;     /* [class_count] of roots alone: less than the largest index, and not found */
} work;

/* The prior of calls whose tables are rows of parameters; NULL for an arm of another kind. */
static const og_group *calls_group(const og_arm *arm)
{
    const og_group *group = og_arm_group(arm);
    return group != NULL && !group->payoff.given ? group : NULL;
}

static int64_t node_of(int32_t n, int32_t s)
{
    return (int64_t)n * (n + 1) / 2 + s;
}

static double reward_of(const table *t, int32_t n, int32_t s)
{
    if (t->arm != NULL) {
        return t->arm->reward[node_of(n, s)];
    }
    return t->beta->flip[n] == s ? t->beta->reward[n] : 0;
}

/* The probabilities of the two labels times delta. */
static void weights_of(const table *t, int32_t n, int32_t s, double *p, double *q)
{
    if (t->arm != NULL) {
        const double *of = &t->arm->probability[2 * node_of(n, s)];
        *p = of[0] * t->delta;
        *q = of[1] * t->delta;
    } else {
        *p = t->plus[s] * t->scale[n];
        *q = t->minus[t->end - n + s] * t->scale[n];
    }
}

/* Level n of the nodes first .. last from the level below it; entry s of a worth is node s. In
 * place: entry s is read for s - 1 and s only. */
static void value_level(const table *t, int32_t n, span nodes, double price, og_worth w)
{
    const double *restrict plus = t->plus, *restrict minus = t->minus + (t->end - n);
    double *restrict net = w.net, *restrict earned = w.earned, *restrict labels = w.labels;
    double scale = t->scale[n];
    for (int32_t s = nodes.first; s <= nodes.last; s++) {
        double p = plus[s] * scale, q = minus[s] * scale;
        double worth_on = (p * net[s + 1] + q * net[s]) - price;
        double earned_on = p * earned[s + 1] + q * earned[s];
        double labels_on = 1 + (p * labels[s + 1] + q * labels[s]);
        bool goes_on = worth_on > 0;
        net[s] = goes_on ? worth_on : 0;
        earned[s] = goes_on ? earned_on : 0;
        labels[s] = goes_on ? labels_on : 0;
    }
}

/* One node, the first label bought in any case. */
static void value_node(const table *t, int32_t n, int32_t s, double price, const og_worth *w,
                       double *net, double *earned, double *labels)
{
    double p, q, reward = reward_of(t, n, s);
    weights_of(t, n, s, &p, &q);
    *net = (reward - price) + (p * w->net[s + 1] + q * w->net[s]);
    *earned = reward + (p * w->earned[s + 1] + q * w->earned[s]);
    *labels = 1 + (p * w->labels[s + 1] + q * w->labels[s]);
}

/* The same of an arm; value_node reads entries s and s + 1 only. */
static void value_arm_level(const table *t, int32_t n, span nodes, double price, og_worth w)
{
    for (int32_t s = nodes.first; s <= nodes.last; s++) {
        double net, earned, labels;
        value_node(t, n, s, price, &w, &net, &earned, &labels);
        bool goes_on = net > 0;
        w.net[s] = goes_on ? net : 0;
        w.earned[s] = goes_on ? earned : 0;
        w.labels[s] = goes_on ? labels : 0;
    }
}

/* A level with its rewards; of a Beta, one node has one. */
static void value_level_with_rewards(const table *t, int32_t n, span nodes, double price,
                                     og_worth w)
{
    if (t->arm != NULL) {
        value_arm_level(t, n, nodes, price, w);
        return;
    }
    int32_t flip = t->beta->flip[n];
    bool inside = flip >= nodes.first && flip <= nodes.last;
    double net = 0, earned = 0, labels = 0;
    if (inside) {
        value_node(t, n, flip, price, &w, &net, &earned, &labels);
    }
    value_level(t, n, nodes, price, w);
    if (inside && net > 0) {
        w.net[flip] = net;
        w.earned[flip] = earned;
        w.labels[flip] = labels;
    }
}

static void clear_worth(og_worth w, int32_t first, int32_t last)
{
    for (int32_t s = first; s <= last; s++) {
        w.net[s] = w.earned[s] = w.labels[s] = 0;
    }
}

/* Entries that the level below filled and this one did not. */
static void clear_outside(og_worth w, span filled, span kept)
{
    if (kept.first > kept.last) {
        clear_worth(w, filled.first, filled.last);
        return;
    }
    clear_worth(w, filled.first, filled.last < kept.first - 1 ? filled.last : kept.first - 1);
    clear_worth(w, filled.first > kept.last + 1 ? filled.first : kept.last + 1, filled.last);
}

/* Value the whole table at grid price i; `within`: the open nodes at a lower price, or NULL. */
static void sweep_table(table *t, int32_t budget, int i, const span *within, og_stop *stop,
                        og_worth w)
{
    span *open = t->open + (size_t)i * (size_t)t->end;
    span filled = {0, t->end + 1};
    clear_worth(w, 0, t->end + 1);
    for (int32_t n = t->end - 1; n >= 0 && !og_stop_asked(stop); n--) {
        span nodes = within != NULL ? within[n] : (span){0, n};
        value_level_with_rewards(t, n, nodes, og_gittins_grid_price(i), w);
        clear_outside(w, filled, nodes);
        filled = nodes;
        for (int32_t s = nodes.first; n < budget && s <= nodes.last; s++) {
            double *ratio = &t->ratio[node_of(n, s)];
            if (w.net[s] > 0) {
                *ratio = fmax(*ratio, w.earned[s] / w.labels[s]);
            }
        }
        while (nodes.first <= nodes.last && !(w.net[nodes.first] > 0)) {
            nodes.first++;
        }
        while (nodes.first <= nodes.last && !(w.net[nodes.last] > 0)) {
            nodes.last--;
        }
        open[n] = nodes;
    }
}

/* log of Pr(Bin(m, d) <= k) at most [Chernoff 1952]; 0 <= k <= m. */
static double log_tail(double m, double k, double d)
{
    double q = k / m;
    if (m <= 0 || q >= d) {
        return 0;
    }
    double left = q > 0 ? q * log(q / d) : 0;
    return -m * (left + (1 - q) * log1p((d - q) / (1 - d)));
}

/*
 * At least min(P, 1 - P) of Beta(a, b). P grows with a and falls with b, so whole numbers beside
 * them bound it, and for these P = Pr(Bin(a + b - 1, d) <= a - 1).
 */
static double wrong_call(double a, double b, double d)
{
    double up = ceil(a) + floor(b) - 1, down = floor(a) + ceil(b) - 1;
    double positive = b < 1 ? 0 : log_tail(up, ceil(a) - 1, d);
    double negative = a < 1 ? 0 : log_tail(down, ceil(b) - 1, 1 - d);
    return fmin(0.5, exp(fmin(positive, negative)) * (1 + 1e-6));
}

/* Of an arm: delta^(end - n) times what labels can gain at most. */
static void bound_arm_truncation(table *t, int32_t budget)
{
    double most = og_arm_has_calls(t->arm) ? og_arm_scale(t->arm) / 2 : 1 / (1 - t->delta);
    for (int32_t n = 0; n < budget; n++) {
        double cost = pow(t->delta, t->end - n) * most * (1 + price_slack) + least_index;
        for (int32_t s = 0; s <= n; s++) {
            t->beyond[node_of(n, s)] = cost;
        }
    }
}

static void bound_truncation(table *t, int32_t budget, double *cost)
{
    double d = og_fraction_double(t->beta->group.threshold);
    for (int32_t s = 0; s <= t->end; s++) {
        cost[s] = wrong_call(t->plus[s], t->minus[s], d);
    }
    for (int32_t n = t->end - 1; n >= 0; n--) {
        const double *minus = t->minus + (t->end - n);
        for (int32_t s = 0; s <= n; s++) {
            cost[s] = (t->plus[s] * cost[s + 1] + minus[s] * cost[s]) * t->scale[n];
        }
        for (int32_t s = 0; n < budget && s <= n; s++) {
            t->beyond[node_of(n, s)] = cost[s] * (1 + price_slack) + least_index;
        }
    }
}

static void free_table(table *t)
{
    og_gittins_wide_free(t->wide);
    og_arm_free(t->arm);
    og_beta_free(t->beta);
    og_arena_clear(&t->arena);
}

/* x + n as a double, with at most two roundings. */
static double shifted(og_fraction x, int32_t n)
{
    return ((double)x.num + (double)n * (double)x.den) / (double)x.den;
}

static og_status allocate_table(const work *job, int32_t budget, table *t)
{
    size_t levels = (size_t)job->end + 1, nodes = (size_t)node_of(budget, 0) + 1;
    t->end = job->end;
    t->delta = job->delta;
    t->open = og_arena_array(&t->arena, PRICES * levels, sizeof *t->open);
    t->ratio = og_arena_array(&t->arena, nodes, sizeof *t->ratio);
    t->beyond = og_arena_array(&t->arena, nodes, sizeof *t->beyond);
    return og_arena_status(&t->arena);
}

static og_status build_beta(const og_group *group, table *t)
{
    size_t levels = (size_t)t->end + 1;
    t->plus = og_arena_array(&t->arena, levels, sizeof *t->plus);
    t->minus = og_arena_array(&t->arena, levels, sizeof *t->minus);
    t->scale = og_arena_array(&t->arena, levels, sizeof *t->scale);
    OG_TRY(og_arena_status(&t->arena));
    OG_TRY(og_beta_new(group, t->end, &t->beta));
    for (int32_t n = 0; n <= t->end; n++) {
        t->plus[n] = shifted(group->a, n);
        t->minus[n] = shifted(group->b, t->end - n);
        t->scale[n] = t->delta / (shifted(group->a, n) + og_fraction_double(group->b));
    }
    return OG_OK;
}

static og_status build_arm(const og_arm *arm, int32_t budget, table *t)
{
    const og_group *prior = og_arm_prior(arm);
    OG_TRY(og_arm_has_calls(arm) ? og_arm_new(prior, t->end, UINT64_MAX, &t->arm, NULL)
                                 : og_arm_new_bandit(prior, t->end, UINT64_MAX, &t->arm, NULL));
    bound_arm_truncation(t, budget);
    return OG_OK;
}

static og_status build_table(const work *job, int32_t number, og_worth w)
{
    const og_arm *arm = job->job->arms->arm[number];
    table *t = &job->tables[number];
    int32_t budget = job->job->arms->budget;
    if (!arm->lattice) {
        return og_gittins_wide_new(arm, job->delta, truncation, &t->wide);
    }
    OG_TRY(allocate_table(job, budget, t));
    if (calls_group(arm) != NULL) {
        OG_TRY(build_beta(calls_group(arm), t));
        bound_truncation(t, budget, w.net);
    } else {
        OG_TRY(build_arm(arm, budget, t));
    }
    for (int i = PRICES - 1; i >= 0; i--) {
        sweep_table(t, budget, i,
                    i == PRICES - 1 ? NULL : t->open + (size_t)(i + 1) * (size_t)t->end,
                    job->job->stop, w);
    }
    return og_stop_status(job->job->stop);
}

/* Whose table holds what its root alone does without. */
static bool is_root_alone(const work *job, int32_t arm)
{
    return job->job->roots && calls_group(job->job->arms->arm[arm]) != NULL;
}

static og_status build_one(void *context, int thread, int64_t i)
{
    const work *job = context;
    og_status status =
        is_root_alone(job, (int32_t)i) ? OG_OK : build_table(job, (int32_t)i, job->spaces[thread]);
    /* FLINT caches memory for each thread; a worker may never come back for its own. */
    if (thread != 0) {
        flint_cleanup();
    }
    return status;
}

/* The open nodes of a level at any price from `price` on; NULL: all. */
static const span *open_at(const table *t, double price)
{
    if (t->open_price > 0) {
        return t->open_price <= price * (1 + 2 * price_slack) ? t->open : NULL;
    }
    for (int i = 0; i < PRICES; i++) {
        if (og_gittins_grid_price(i) * (1 + 2 * price_slack) <= price) {
            return t->open + (size_t)i * (size_t)t->end;
        }
    }
    return NULL;
}

/* The nodes of level m that (n, s) can reach and that are open. */
static span reached(const span *open, int32_t n, int32_t s, int32_t m)
{
    span nodes = {s, s + m - n};
    if (open != NULL) {
        nodes.first = open[m].first > nodes.first ? open[m].first : nodes.first;
        nodes.last = open[m].last < nodes.last ? open[m].last : nodes.last;
    }
    return nodes;
}

static double best_ratio(const table *t, int32_t n, int32_t s, double price, og_worth w,
                         double *net)
{
    const span *open = open_at(t, price);
    int32_t m = n + 1;
    for (; m < t->end; m++) {
        span nodes = reached(open, n, s, m);
        if (nodes.first > nodes.last) {
            break;
        }
    }
    span filled = {s, s + 1};
    if (m - 1 > n) {
        filled = reached(open, n, s, m - 1);
        filled.last++;
    }
    clear_worth(w, filled.first, filled.last);
    for (m--; m > n; m--) {
        span nodes = reached(open, n, s, m);
        span above = m - 1 > n ? reached(open, n, s, m - 1) : (span){s, s};
        value_level_with_rewards(t, m, nodes, price, w);
        /* What the level above reads and this one did not fill. */
        clear_outside(w, (span){above.first, above.last + 1}, nodes);
    }
    double earned, labels;
    value_node(t, n, s, price, &w, net, &earned, &labels);
    return earned / labels;
}

/* Ends where a best rule's net worth says that no price much higher pays: the index is at most the
 * price plus that (the first label is always bought). */
static double gittins_index(const table *t, int32_t n, int32_t s, double tolerance, og_worth w)
{
    assert(t->beta != NULL || t->arm != NULL);
    double price = fmax(fmax(reward_of(t, n, s), t->ratio[node_of(n, s)]), least_index);
    for (;;) {
        double net, ratio = best_ratio(t, n, s, price, w, &net);
        if (ratio <= price) {
            return price;
        }
        if (net <= tolerance * price) {
            return ratio;
        }
        price = ratio;
    }
}

/* ---- roots alone ---- */

/*
 * The index of a root, as from the table. At a price z a node is closed if all that labels can
 * still gain there is at most z / 2 (wrong_call), or if every reward from its level on is. With N =
 * a + b + n a reward is at most
 *
 *   2 d^A (1 - d)^B / (N B(A, B)) <= exp(1 / 12 N) / sqrt(2 pi N) < 0.435 / sqrt(N),   N >= 1,
 *
 * being what one label moves P by [Stirling]. So the levels are as many as the price asks for. Of
 * the grid's prices at which the root buys the highest has the best rule.
 */
static int32_t levels_at(const og_group *group, double price)
{
    double total = og_fraction_double(group->a) + og_fraction_double(group->b);
    return (int32_t)fmin(END_MAX, fmax(0.87 * 0.87 / (price * price) - total, 0)) + 2;
}

/* The first and the last node of a level that can gain more than `log_least` says; first > last:
 * none. Both move by a step or two from level to level. */
static span gainful(const table *t, int32_t n, double d, double log_least, span near)
{
    const double *minus = t->minus + (t->end - n);
    int32_t first = near.first < n ? near.first : n, last = near.last < n ? near.last + 1 : n;
#define POSITIVE(s)                                                                                \
    (minus[s] < 1 ||                                                                               \
     log_tail(ceil(t->plus[s]) + floor(minus[s]) - 1, ceil(t->plus[s]) - 1, d) > log_least)
#define NEGATIVE(s)                                                                                \
    (t->plus[s] < 1 ||                                                                             \
     log_tail(floor(t->plus[s]) + ceil(minus[s]) - 1, ceil(minus[s]) - 1, 1 - d) > log_least)
    while (first > 0 && POSITIVE(first - 1)) {
        first--;
    }
    while (first <= n && !POSITIVE(first)) {
        first++;
    }
    while (last < n && NEGATIVE(last + 1)) {
        last++;
    }
    while (last >= 0 && !NEGATIVE(last)) {
        last--;
    }
#undef POSITIVE
#undef NEGATIVE
    return (span){first, last};
}

/* A table for this price: as many levels, and `open`. */
static og_status open_root(const work *job, int32_t number, double price, table *t)
{
    const og_group *group = calls_group(job->job->arms->arm[number]);
    int32_t levels = levels_at(group, price);
    levels = levels < job->end ? levels : job->end;
    if (t->end < levels) {
        int32_t end = 2 * levels < job->end ? 2 * levels : job->end;
        free_table(t);
        *t = (table){.end = end, .delta = job->delta};
        t->open = og_arena_array(&t->arena, (size_t)end, sizeof *t->open);
        t->ratio = og_arena_array(&t->arena, 1, sizeof *t->ratio);
        OG_TRY(build_beta(group, t));
    }
    double d = og_fraction_double(group->threshold), log_least = log(price / 2);
    span near = {0, 0};
    for (int32_t n = 0; n < t->end; n++) {
        near = n < levels ? gainful(t, n, d, log_least, near) : (span){1, 0};
        t->open[n] = near;
    }
    t->open_price = price;
    return OG_OK;
}

/* Does the root buy at this price? Then the ratio of its best rule is kept. */
static bool root_buys(table *t, double price, og_worth w)
{
    span filled = {0, t->end + 1};
    clear_worth(w, 0, t->end + 1);
    for (int32_t n = t->end - 1; n >= 0; n--) {
        value_level_with_rewards(t, n, t->open[n], price, w);
        clear_outside(w, filled, t->open[n]);
        filled = t->open[n];
    }
    bool buys = w.net[0] > 0;
    t->ratio[0] = buys ? w.earned[0] / w.labels[0] : t->ratio[0];
    return buys;
}

/* What truncation can cost at the root, as bound_truncation has it: the chances of all posteriors
 * after `end` labels, in logarithms. */
static double root_truncation(const work *job, const og_group *group)
{
    double a = og_fraction_double(group->a), b = og_fraction_double(group->b);
    double d = og_fraction_double(group->threshold), log_chance = 0, sum = 0;
    for (int32_t i = 0; i < job->end; i++) {
        log_chance += log((b + i) / (a + b + i));
    }
    for (int32_t s = 0; s <= job->end; s++) {
        int32_t f = job->end - s;
        sum += exp(log_chance) * wrong_call(a + s, b + f, d);
        log_chance += log((f / (s + 1.0)) * ((a + s) / (b + f - 1)));
    }
    return pow(job->delta, job->end) * sum * (1 + price_slack) + least_index;
}

/* The number of the highest price of the grid at which the root buys: 0, 1, 3, 7, ... until one is
 * found, then by halves. PRICES: none. */
static og_status find_price(const work *job, int32_t number, table *t, og_worth w, int *found)
{
    int closed = -1, open = PRICES;
    for (int i = 0; closed + 1 < open; i = open < PRICES ? (closed + open) / 2 : 2 * i + 1) {
        i = i < PRICES ? i : PRICES - 1;
        OG_TRY(open_root(job, number, og_gittins_grid_price(i), t));
        bool buys = root_buys(t, og_gittins_grid_price(i), w);
        open = buys ? i : open;
        closed = buys ? closed : i;
    }
    *found = open;
    return OG_OK;
}

static og_status score_root(const work *job, int32_t number, og_worth w, table *t)
{
    const og_group *group = calls_group(job->job->arms->arm[number]);
    double *value = job->scored->index->index[number];
    int price = PRICES;
    OG_TRY(find_price(job, number, t, w, &price));
    OG_TRY(open_root(job, number, og_gittins_grid_price(price < PRICES ? price : PRICES - 1), t));
    *value = gittins_index(t, 0, 0, job->relative / 4, w);
    double rounding = 2 * job->relative * *value;
    double beyond = pow(job->delta, job->end) + least_index;
    if (beyond > rounding / 1024) {
        beyond = root_truncation(job, group);
    }
    job->scored->radius[number][0] = rounding + beyond;
    return OG_OK;
}

typedef struct {
    const work *job;
    double price;
    _Atomic bool any; /* some root alone buys */
} trial;

static og_status try_price(void *context, int thread, int64_t c)
{
    trial *at = context;
    const work *job = at->job;
    int32_t arm = job->job->twins->first_arm[c];
    table root = {.end = 0};
    og_status status = og_stop_asked(job->job->stop) ? OG_STOPPED : OG_OK;
    if (is_root_alone(job, arm)) {
        OG_THEN(status, open_root(job, arm, at->price, &root));
        bool buys = status == OG_OK && root_buys(&root, at->price, job->spaces[thread]);
        job->beaten[c] = !buys;
        at->any = at->any || buys;
    }
    free_table(&root);
    if (thread != 0) {
        flint_cleanup(); /* as build_one */
    }
    return status;
}

/* Roots that do not buy at a price well below one at which another does have a smaller index: high
 * prices take few levels. */
static og_status find_beaten(const work *job)
{
    trial at = {.job = job};
    int threads = job->job->threads, price = 0;
    int64_t classes = job->job->twins->class_count;
    for (int i = 0; !at.any && price < PRICES - 1; i = 2 * i + 1) {
        price = i < PRICES - 1 ? i : PRICES - 1;
        at.price = og_gittins_grid_price(price);
        OG_TRY(og_parallel_items(threads, classes, 4, try_price, &at));
    }
    if (!at.any) { /* none is told from 0 */
        memset(job->beaten, 0, (size_t)classes * sizeof *job->beaten);
        return OG_OK;
    }
    at.price = og_gittins_grid_price(price < PRICES - 1 ? price + 1 : price);
    return og_parallel_items(threads, classes, 4, try_price, &at);
}

static og_status score_class(void *context, int thread, int64_t c)
{
    const work *job = context;
    if (og_stop_asked(job->job->stop)) {
        return OG_STOPPED;
    }
    int32_t arm = job->job->twins->first_arm[c], counts[2];
    uint32_t node = job->job->twins->first_node[c];
    const table *t = &job->tables[arm];
    if (job->beaten[c]) {
        return OG_OK; /* stays 0 */
    }
    if (is_root_alone(job, arm)) {
        table root = {.end = 0};
        og_status status = score_root(job, arm, job->spaces[thread], &root);
        free_table(&root);
        if (thread != 0) {
            flint_cleanup(); /* as build_one */
        }
        return status;
    }
    double *value = &job->scored->index->index[arm][node];
    double *radius = &job->scored->radius[arm][node];
    if (t->wide != NULL) {
        OG_TRY(og_gittins_wide_index(t->wide, node, value));
        *radius = 2 * t->wide->error * *value + least_index;
        return OG_OK;
    }
    assert(t->beyond != NULL);
    og_arm_counts(job->job->arms->arm[arm], node, counts);
    int32_t n = counts[0] + counts[1];
    *value = gittins_index(t, n, counts[0], job->relative / 4, job->spaces[thread]);
    *radius = 2 * job->relative * *value + t->beyond[node_of(n, counts[0])];
    return OG_OK;
}

static og_status allocate_work(work *job)
{
    size_t width = (size_t)job->end + 3, arms = (size_t)job->job->arms->arm_count;
    size_t threads = (size_t)job->job->threads;
    og_arena *arena = &job->arena;
    job->tables = og_arena_array(arena, arms, sizeof *job->tables);
    job->spaces = og_arena_array(arena, threads, sizeof *job->spaces);
    job->beaten = og_arena_array(arena, job->job->twins->class_count, sizeof *job->beaten);
    for (size_t i = 0; !arena->failed && i < threads; i++) {
        job->spaces[i] = og_worth_new(arena, width);
    }
    return og_arena_status(arena);
}

static void free_work(work *job)
{
    for (int32_t i = 0; job->tables != NULL && i < job->job->arms->arm_count; i++) {
        free_table(&job->tables[i]);
    }
    og_arena_clear(&job->arena);
}

static og_status fill(work *job)
{
    assert(job->job->threads >= 1);
    OG_TRY(allocate_work(job));
    int threads = og_index_threads(job->job, 150000);
    OG_TRY(og_parallel_items(threads, job->job->arms->arm_count, 1, build_one, job));
    if (job->job->roots) {
        OG_TRY(find_beaten(job));
    }
    OG_TRY(og_parallel_items(threads, job->job->twins->class_count, 4, score_class, job));
    og_scored_copy_to_twins(job->job, job->scored, 0);
    return OG_OK;
}

static void state_errors(const work *job)
{
    const og_twins *twins = job->job->twins;
    og_index *index = job->scored->index;
    int32_t end = job->end;
    double relative = job->relative;
    for (uint32_t c = 0; c < twins->class_count; c++) {
        int32_t counts[2], arm = twins->first_arm[c];
        const og_gittins_wide *wide = job->tables[arm].wide;
        if (wide != NULL) {
            double beyond = wide->beyond[twins->first_node[c]];
            index->absolute_error = fmax(index->absolute_error, beyond);
            relative = fmax(relative, wide->error);
            end = wide->end < end ? wide->end : end;
            continue;
        }
        og_arm_counts(job->job->arms->arm[arm], twins->first_node[c], counts);
        int64_t node = node_of(counts[0] + counts[1], counts[0]);
        assert(job->tables[arm].beyond != NULL);
        index->absolute_error = fmax(index->absolute_error, job->tables[arm].beyond[node]);
    }
    index->error = relative;
    snprintf(index->note, sizeof index->note,
             "gittins-inf looks %" PRId32
             " labels ahead: errors of an index are at most %.1e of it "
             "plus %.1e",
             end - job->job->arms->budget, index->error, index->absolute_error);
}

/* How many levels: `truncation` reached from every node below the budget, END_MAX permitting. */
static int32_t levels_needed(double delta, const og_arms *arms)
{
    int32_t budget = arms->budget, end_max = END_MAX;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (calls_group(arms->arm[i]) == NULL && arms->arm[i]->lattice) {
            end_max = ARM_END_MAX;
        }
    }
    double ahead = ceil(log(truncation) / log(delta));
    double most = fmax(end_max - (double)budget, 1);
    return budget + (int32_t)fmin(ahead, most);
}

static og_status check_arms(const og_arms *arms, int32_t end, og_message *message)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (!arms->arm[i]->lattice) {
            continue; /* ends by itself */
        }
        OG_TRY(og_group_check(og_arm_prior(arms->arm[i]), end, message));
    }
    return OG_OK;
}

/* DELTA as given, or 1 - 1/T. */
static og_fraction discount(const og_index_job *job)
{
    if (job->policy->has_parameter) {
        return job->policy->parameter_exact;
    }
    int32_t whole = job->whole_budget;
    return whole > 1 ? og_fraction_make(whole - 1, whole) : (og_fraction){0, 1};
}

og_status og_score_gittins_inf(const og_index_job *job, og_scored *out, og_message *message)
{
    og_fraction delta = discount(job);
    if (delta.num == 0) { /* the first label is all that counts */
        return og_score_kg(job, out, message);
    }
    work w = {.job = job, .scored = out, .delta = og_fraction_double(delta)};
    w.end = levels_needed(w.delta, job->arms);
    double labels = fmin(w.end, (double)delta.den / (double)(delta.den - delta.num));
    w.relative = 8 * node_error * labels * (w.end + 2.0);
    OG_TRY(check_arms(job->arms, w.end, message));
    OG_TRY(og_scored_init(job, false, true, out));
    og_status status = fill(&w);
    if (status == OG_OK && !job->roots) {
        state_errors(&w);
    } else if (status != OG_OK) {
        og_message_set(message, status, "a reward cannot be told from 0 in double precision");
    }
    free_work(&w);
    return status;
}
