/*
 * Tables of the infinite-horizon Gittins index for an arm with two outcomes (gittins_inf.c has the
 * definition and the errors of truncation and rounding). They hold the nodes with v_z > 0 at the
 * prices of a grid and the truncation errors; Dinkelbach's iteration on strips computes the index
 * of a node.
 *
 * Strips. v_z at the grid's prices over the whole table gives, for each level, the first and the
 * last node with v_z > 0. A strip at price z uses those of the next price below z * (1 - 1e-6), so
 * that rounding cannot close a node whose index is above z.
 */
#include "heuristics/index/fast/gittins_inf_table.h"

#include <assert.h>
#include <math.h>

#include "dp/base/vector.h"

/* The look-ahead ends when delta to the power of the labels is this, or at the last level. */
static const double truncation = OG_INF_TRUNCATION;
static const double price_slack = OG_GITTINS_PRICE_SLACK;
static const double least_index = OG_GITTINS_LEAST;

enum { PRICES = OG_GITTINS_PRICES };

/* The prior of an arm whose tables are rows of parameters; NULL for other arms. */
const og_group *og_inf_calls_group(const og_arm *arm)
{
    const og_group *group = og_arm_group(arm);
    return group != NULL && !group->payoff.given ? group : NULL;
}

double og_inf_reward(const og_inf_table *t, int32_t n, int32_t s)
{
    if (t->arm != NULL) {
        return t->arm->reward[og_inf_node(n, s)];
    }
    return t->beta->flip[n] == s ? t->beta->reward[n] : 0;
}

/* The probabilities of the two labels times delta. */
static void weights_of(const og_inf_table *t, int32_t n, int32_t s, double *p, double *q)
{
    if (t->arm != NULL) {
        const double *values = &t->arm->probability[2 * og_inf_node(n, s)];
        *p = values[0] * t->delta;
        *q = values[1] * t->delta;
    } else {
        *p = t->plus[s] * t->scale[n];
        *q = t->minus[t->end - n + s] * t->scale[n];
    }
}

/* Computes level n of the nodes first .. last from the next level; entry s of a worth is node s.
 * This works in place because entry s is read for s - 1 and s only. */
/* Several nodes at once. A choice between a number and 0 is one of their bits. */
enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef int64_t lane_bits
    __attribute__((vector_size(LANES * sizeof(int64_t)), aligned(8), may_alias));

static inline lanes *lanes_at(double *numbers)
{
    return (lanes *)(void *)numbers;
}

OG_VECTOR_CLONES static void value_beta_level(const og_inf_table *t, int32_t n, og_inf_span nodes,
                                              double price, const og_worth *w)
{
    double *plus = t->plus, *minus = t->minus + (t->end - n), scale = t->scale[n];
    int32_t s = nodes.first;
    for (; s + LANES - 1 <= nodes.last; s += LANES) {
        lanes *net = lanes_at(w->net + s), *earned = lanes_at(w->earned + s);
        lanes *labels = lanes_at(w->labels + s);
        lanes p = *lanes_at(plus + s) * scale, q = *lanes_at(minus + s) * scale;
        lanes net_on = (p * *lanes_at(w->net + s + 1) + q * *net) - price;
        lanes earned_on = p * *lanes_at(w->earned + s + 1) + q * *earned;
        lanes labels_on = 1 + (p * *lanes_at(w->labels + s + 1) + q * *labels);
        lane_bits goes_on = net_on > 0;
        *net = (lanes)(goes_on & (lane_bits)net_on);
        *earned = (lanes)(goes_on & (lane_bits)earned_on);
        *labels = (lanes)(goes_on & (lane_bits)labels_on);
    }
    for (; s <= nodes.last; s++) {
        double p = plus[s] * scale, q = minus[s] * scale;
        double net_on = (p * w->net[s + 1] + q * w->net[s]) - price;
        double earned_on = p * w->earned[s + 1] + q * w->earned[s];
        double labels_on = 1 + (p * w->labels[s + 1] + q * w->labels[s]);
        w->net[s] = net_on > 0 ? net_on : 0;
        w->earned[s] = net_on > 0 ? earned_on : 0;
        w->labels[s] = net_on > 0 ? labels_on : 0;
    }
}

/* Computes one node whose first label is always bought. */
static void value_node(const og_inf_table *t, int32_t n, int32_t s, double price, const og_worth *w,
                       double *net, double *earned, double *labels)
{
    double p, q, reward = og_inf_reward(t, n, s);
    weights_of(t, n, s, &p, &q);
    *net = (reward - price) + (p * w->net[s + 1] + q * w->net[s]);
    *earned = reward + (p * w->earned[s + 1] + q * w->earned[s]);
    *labels = 1 + (p * w->labels[s + 1] + q * w->labels[s]);
}

/* The same for an arm; value_node reads entries s and s + 1 only. */
static void value_arm_level(const og_inf_table *t, int32_t n, og_inf_span nodes, double price,
                            og_worth w)
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

/* Computes a level with its rewards; for a Beta, only one node has one. */
void og_inf_value_level(const og_inf_table *t, int32_t n, og_inf_span nodes, double price,
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
    value_beta_level(t, n, nodes, price, &w);
    if (inside && net > 0) {
        w.net[flip] = net;
        w.earned[flip] = earned;
        w.labels[flip] = labels;
    }
}

void og_inf_clear(og_worth w, int32_t first, int32_t last)
{
    for (int32_t s = first; s <= last; s++) {
        w.net[s] = w.earned[s] = w.labels[s] = 0;
    }
}

/* Clears the entries that the next level filled and this one did not. */
void og_inf_clear_outside(og_worth w, og_inf_span filled, og_inf_span kept)
{
    if (kept.first > kept.last) {
        og_inf_clear(w, filled.first, filled.last);
        return;
    }
    og_inf_clear(w, filled.first, filled.last < kept.first - 1 ? filled.last : kept.first - 1);
    og_inf_clear(w, filled.first > kept.last + 1 ? filled.first : kept.last + 1, filled.last);
}

/* Evaluates the whole table at grid price i; `within` has the open nodes at a lower price, or is
 * NULL. */
static void sweep_table(og_inf_table *t, int32_t budget, int i, const og_inf_span *within,
                        og_stop *stop, og_worth w)
{
    og_inf_span *open = t->open + (size_t)i * (size_t)t->end;
    og_inf_span filled = {0, t->end + 1};
    og_inf_clear(w, 0, t->end + 1);
    for (int32_t n = t->end - 1; n >= 0 && !og_stop_asked(stop); n--) {
        og_inf_span nodes = within != NULL ? within[n] : (og_inf_span){0, n};
        og_inf_value_level(t, n, nodes, og_gittins_grid_price(i), w);
        og_inf_clear_outside(w, filled, nodes);
        filled = nodes;
        for (int32_t s = nodes.first; n < budget && s <= nodes.last; s++) {
            double *ratio = &t->ratio[og_inf_node(n, s)];
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

/* An upper bound on log Pr(Bin(m, d) <= k) [Chernoff 1952]; 0 <= k <= m. */
double og_inf_log_tail(double m, double k, double d)
{
    double q = k / m;
    if (m <= 0 || q >= d) {
        return 0;
    }
    double left = q > 0 ? q * log(q / d) : 0;
    return -m * (left + (1 - q) * log1p((d - q) / (1 - d)));
}

/*
 * An upper bound on min(P, 1 - P) of Beta(a, b). P grows with a and falls with b, so the
 * neighbouring whole numbers bound it, and for these P = Pr(Bin(a + b - 1, d) <= a - 1).
 */
double og_inf_wrong_call(double a, double b, double d)
{
    double up = ceil(a) + floor(b) - 1, down = floor(a) + ceil(b) - 1;
    double positive = b < 1 ? 0 : og_inf_log_tail(up, ceil(a) - 1, d);
    double negative = a < 1 ? 0 : og_inf_log_tail(down, ceil(b) - 1, 1 - d);
    return fmin(0.5, exp(fmin(positive, negative)) * (1 + 1e-6));
}

/* For an arm: delta^(end - n) times the largest possible gain of labels. */
static void bound_arm_truncation(og_inf_table *t, int32_t budget)
{
    const og_group *prior = og_arm_prior(t->arm);
    double bonus = og_fraction_double(og_group_bonus(prior)) / (1 - t->delta);
    double most = og_payoff_name(&prior->payoff) != NULL
                      ? og_payoff_missing(&prior->payoff, 2) + bonus
                  : og_arm_has_calls(t->arm) ? og_arm_scale(t->arm) / 2
                                             : 1 / (1 - t->delta);
    for (int32_t n = 0; n < budget; n++) {
        double cost = pow(t->delta, t->look > 0 ? t->look : t->end - n) * most * (1 + price_slack) +
                      least_index;
        for (int32_t s = 0; s <= n; s++) {
            t->beyond[og_inf_node(n, s)] = cost;
        }
    }
}

/* One level of E[cost of the last level's nodes], discounted, from the next level's. */
OG_VECTOR_CLONES static void discount_level(const og_inf_table *t, int32_t n, double *restrict cost)
{
    const double *restrict plus = t->plus, *restrict minus = t->minus + (t->end - n);
    double scale = t->scale[n];
    for (int32_t s = 0; s <= n; s++) {
        cost[s] = (plus[s] * cost[s + 1] + minus[s] * cost[s]) * scale;
    }
}

static void bound_truncation(og_inf_table *t, int32_t budget, double *cost)
{
    double d = og_fraction_double(t->beta->group.threshold);
    for (int32_t s = 0; s <= t->end; s++) {
        cost[s] = og_inf_wrong_call(t->plus[s], t->minus[s], d);
    }
    for (int32_t n = t->end - 1; n >= 0; n--) {
        discount_level(t, n, cost);
        for (int32_t s = 0; n < budget && s <= n; s++) {
            t->beyond[og_inf_node(n, s)] = cost[s] * (1 + price_slack) + least_index;
        }
    }
}

void og_inf_table_clear(og_inf_table *t)
{
    og_gittins_wide_free(t->wide);
    og_arm_free(t->arm);
    og_beta_free(t->beta);
    og_arena_clear(&t->arena);
}

/* x + n in doubles, with at most two roundings. */
static double shifted(og_fraction x, int32_t n)
{
    return ((double)x.num + (double)n * (double)x.den) / (double)x.den;
}

og_status og_inf_table_init_beta(const og_group *group, og_inf_table *t)
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

static og_status build_arm(const og_arm *arm, int32_t budget, og_stop *stop, og_inf_table *t)
{
    OG_TRY(og_arm_new_like(arm, t->end, stop, &t->arm));
    bound_arm_truncation(t, budget);
    return OG_OK;
}

og_status og_inf_table_init_rows(const og_arm *arm, int32_t budget, og_stop *stop, og_worth w,
                                 og_inf_table *t)
{
    if (!arm->lattice) {
        return og_gittins_wide_new(arm, t->delta, truncation, stop, &t->wide);
    }
    size_t nodes = (size_t)og_inf_node(budget, 0) + 1;
    t->beyond = og_arena_array(&t->arena, nodes, sizeof *t->beyond);
    OG_TRY(og_arena_status(&t->arena));
    if (og_inf_calls_group(arm) == NULL) {
        return build_arm(arm, budget, stop, t);
    }
    OG_TRY(og_inf_table_init_beta(og_inf_calls_group(arm), t));
    bound_truncation(t, budget, w.net);
    return OG_OK;
}

og_status og_inf_table_init(const og_arm *arm, int32_t budget, og_stop *stop, og_worth w,
                            og_inf_table *t)
{
    OG_TRY(og_inf_table_init_rows(arm, budget, stop, w, t));
    if (t->wide != NULL) {
        return OG_OK;
    }
    size_t levels = (size_t)t->end + 1, nodes = (size_t)og_inf_node(budget, 0) + 1;
    t->open = og_arena_array(&t->arena, PRICES * levels, sizeof *t->open);
    t->ratio = og_arena_array(&t->arena, nodes, sizeof *t->ratio);
    OG_TRY(og_arena_status(&t->arena));
    for (int i = PRICES - 1; i >= 0; i--) {
        sweep_table(t, budget, i,
                    i == PRICES - 1 ? NULL : t->open + (size_t)(i + 1) * (size_t)t->end, stop, w);
    }
    return og_stop_status(stop);
}

/* The open nodes of each level at all prices >= `price`; NULL: all nodes. */
static const og_inf_span *open_at(const og_inf_table *t, double price)
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
static og_inf_span reached(const og_inf_span *open, int32_t n, int32_t s, int32_t m)
{
    og_inf_span nodes = {s, s + m - n};
    if (open != NULL) {
        nodes.first = open[m].first > nodes.first ? open[m].first : nodes.first;
        nodes.last = open[m].last < nodes.last ? open[m].last : nodes.last;
    }
    return nodes;
}

static double best_ratio(const og_inf_table *t, int32_t n, int32_t s, double price, og_worth w,
                         double *net)
{
    const og_inf_span *open = open_at(t, price);
    int32_t m = n + 1, end = t->look > 0 && t->look < t->end - n ? n + t->look : t->end;
    for (; m < end; m++) {
        og_inf_span nodes = reached(open, n, s, m);
        if (nodes.first > nodes.last) {
            break;
        }
    }
    og_inf_span filled = {s, s + 1};
    if (m - 1 > n) {
        filled = reached(open, n, s, m - 1);
        filled.last++;
    }
    og_inf_clear(w, filled.first, filled.last);
    for (m--; m > n; m--) {
        og_inf_span nodes = reached(open, n, s, m);
        og_inf_span above = m - 1 > n ? reached(open, n, s, m - 1) : (og_inf_span){s, s};
        og_inf_value_level(t, m, nodes, price, w);
        /* Clears the entries that the level before reads and this one did not fill. */
        og_inf_clear_outside(w, (og_inf_span){above.first, above.last + 1}, nodes);
    }
    double earned, labels;
    value_node(t, n, s, price, &w, net, &earned, &labels);
    return earned / labels;
}

/* The iteration ends when the best rule's net worth is small: the index is at most the price plus
 * this net worth, since the first label is always bought. */
double og_inf_index(const og_inf_table *t, int32_t n, int32_t s, double tolerance, og_worth w)
{
    assert(t->beta != NULL || t->arm != NULL);
    double first = fmax(og_inf_reward(t, n, s), least_index), net;
    double price = fmax(first, t->ratio[og_inf_node(n, s)]);
    if (t->look > 0 && price > first) { /* the rule of this ratio may look too far */
        price = fmax(first, best_ratio(t, n, s, price, w, &net));
    }
    for (;;) {
        double ratio = best_ratio(t, n, s, price, w, &net);
        if (ratio <= price) {
            return t->look > 0 && price <= least_index ? 0 : price; /* 0: no call flips in time */
        }
        if (net <= tolerance * price) {
            return ratio;
        }
        price = ratio;
    }
}
