/*
 * Computes the infinite-horizon Gittins index with discount delta [Xie and Frazier; spec:
 * gittins-inf]
 *
 *   gamma(x) = sup over stopping times tau >= 1 of
 *              E[sum of delta^t R_t over t < tau] / E[sum of delta^t over t < tau],
 *
 * of arms with two outcomes, truncated: rules stop at level `end`. Dinkelbach's iteration finds the
 * index of these rules, with the best rule at price z
 *
 *   Q_z(x) = -z + R(x) + delta sum_k p_k v_z(next_k),   v_z = max(0, Q_z),  v_z = 0 on level `end`.
 *
 * Truncation. From a node of level n, gains after level `end` are discounted by at least delta^(end
 * - n). At a node y of that level, labels can gain at most min(P, 1 - P)(y), and Chernoff's bound
 * on the binomial tail is an upper bound on this. So
 *
 *   gamma_truncated <= gamma <= gamma_truncated + delta^(end - n) E[Chernoff(y)],
 *
 * a bound that falls with the index, so that nodes with tiny indices keep their order.
 *
 * This holds for calls with a Beta prior and the usual payoff; their tables here are rows of
 * parameters. Other arms (mixtures, payoffs, bandits) are built to level `end` as usual and have
 * simpler bounds. For a call labels can gain at most 1/2, for a payoff min(up P, down (1-P)) <=
 * max(up, down) / 2 (dp/prior/payoff.h), and for a bandit 1 / (1 - delta).
 *
 * gittins-inf:N limits rules to N labels. Then ties are decided by rounding errors only, and the
 * truncation is reported (look_error): an index above 0.435 / sqrt(a + b + n + N) is exact.
 *
 * Labels with more than two outcomes: gittins_wide.c. There the look-ahead is shorter, so the
 * truncation error may exceed the distance between most indices; ties within this error would be
 * useless. So the policy uses the truncated index, with ties decided by rounding errors only, and
 * reports the truncation error.
 *
 * Cost: two short walks for each node of the levels below the budget, shared by eight prices
 * (fast/gittins_inf_search.c): 0.1 s for T = 100 with the default delta, 0.7 s for T = 200 (one
 * thread). If only the order is needed, intervals are narrow only where they overlap
 * (gittins_inf_narrow.c): 0.01 s for T = 60, 0.05 s for T = 100. With a look-ahead each node has
 * strips of its own.
 *
 * Rounding is as in gittins_root.c with the label count r replaced by weights. Let N = `end`, c the
 * error of one node's sum and m = min(N, 1 / (1 - delta)). The discounted labels of a rule are at
 * most m, and the sum over k < N of delta^k E[v after k labels] is at most N m g. The three steps
 * there give a relative error of c m (4 N + 5) here. The stated error is 8 c m (N + 2), of which a
 * quarter is for stopping early. It is below price_slack.
 */
#include <assert.h>
#include <flint/flint.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "heuristics/index/fast/gittins_inf_table.h"
#include "heuristics/index/gittins_inf_narrow.h"
#include "heuristics/index/index.h"

enum {
    PRICES = OG_GITTINS_PRICES,
    END_MAX = 8192,     /* largest number of levels of a table: the time grows with their square */
    ARM_END_MAX = 1024, /* the same for an arm, which takes 40 bytes for each node */
};

/* The look-ahead ends when delta to the power of the labels is this, or at END_MAX. */
static const double truncation = OG_INF_TRUNCATION;
static const double price_slack = OG_GITTINS_PRICE_SLACK;
static const double least_index = OG_GITTINS_LEAST;
/* A probability times delta takes three numbers with two roundings each; the node's sum has four
 * more roundings. */
static const double node_error = 12 * DBL_EPSILON / 2;

typedef struct {
    og_arena arena;
    const og_index_job *job;
    og_scored *scored;
    double delta;
    int32_t end;
    int32_t look;         /* as in og_inf_table */
    og_inf_table *tables; /* [arm_count] */
    og_worth *spaces;     /* [threads] */
    double relative;      /* relative rounding error */
    bool *beaten; /* [class_count] for roots only: the index is below the largest one and not
                     computed */
} work;

/* True if the index is computed without the arm's table, for the root only. */
static bool is_root_alone(const work *job, int32_t arm)
{
    return job->job->roots && og_inf_calls_group(job->job->arms->arm[arm]) != NULL;
}

/* True if all nodes of an arm with two outcomes share walks (gittins_inf_narrow.h). */
static bool is_shared(const work *job)
{
    return !job->job->roots && job->look == 0;
}

static og_status init_table(const work *job, int32_t number, og_worth w)
{
    const og_arms *arms = job->job->arms;
    og_inf_table *t = &job->tables[number];
    t->end = job->end;
    t->delta = job->delta;
    t->look = job->look;
    return (is_shared(job) ? og_inf_table_init_rows : og_inf_table_init)(
        arms->arm[number], arms->budget, job->job->stop, w, t);
}

static og_status build_one(void *context, int thread, int64_t i)
{
    const work *job = context;
    og_status status =
        is_root_alone(job, (int32_t)i) ? OG_OK : init_table(job, (int32_t)i, job->spaces[thread]);
    /* FLINT caches memory for each thread; free it, since a worker thread may not run again. */
    if (thread != 0) {
        flint_cleanup();
    }
    return status;
}

/* ---- roots only ---- */

/*
 * The index of a root, the same as from the table. At a price z a node is closed if labels can gain
 * at most z / 2 there (wrong_call), or if every reward from its level on is at most z / 2. With N =
 * a + b + n a reward is at most
 *
 *   2 d^A (1 - d)^B / (N B(A, B)) <= exp(1 / 12 N) / sqrt(2 pi N) < 0.435 / sqrt(N),   N >= 1,
 *
 * which is the change of P by one label [Stirling]. So the price determines the number of levels.
 * The iteration starts from the best rule at the highest price of the grid at which the root buys.
 */
static int32_t levels_at(const og_group *group, double price)
{
    double total = og_fraction_double(group->a) + og_fraction_double(group->b);
    return (int32_t)fmin(END_MAX, fmax(0.87 * 0.87 / (price * price) - total, 0)) + 2;
}

/* The first and the last node of a level that can gain more than exp(log_least); first > last:
 * none. Both move by a step or two from level to level. */
static og_inf_span gainful(const og_inf_table *t, int32_t n, double d, double log_least,
                           og_inf_span near)
{
    const double *minus = t->minus + (t->end - n);
    int32_t first = near.first < n ? near.first : n, last = near.last < n ? near.last + 1 : n;
#define POSITIVE(s)                                                                                \
    (minus[s] < 1 ||                                                                               \
     og_inf_log_tail(ceil(t->plus[s]) + floor(minus[s]) - 1, ceil(t->plus[s]) - 1, d) > log_least)
#define NEGATIVE(s)                                                                                \
    (t->plus[s] < 1 || og_inf_log_tail(floor(t->plus[s]) + ceil(minus[s]) - 1, ceil(minus[s]) - 1, \
                                       1 - d) > log_least)
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
    return (og_inf_span){first, last};
}

/* Builds a table for this price: its levels, and `open`. */
static og_status open_root(const work *job, int32_t number, double price, og_inf_table *t)
{
    const og_group *group = og_inf_calls_group(job->job->arms->arm[number]);
    int32_t levels = levels_at(group, price);
    int32_t most = job->look > 0 ? job->look : job->end;
    levels = levels < most ? levels : most;
    if (t->end < levels) {
        int32_t end = 2 * levels < most ? 2 * levels : most;
        og_inf_table_clear(t);
        *t = (og_inf_table){.end = end, .delta = job->delta, .look = job->look};
        t->open = og_arena_array(&t->arena, (size_t)end, sizeof *t->open);
        t->ratio = og_arena_array(&t->arena, 1, sizeof *t->ratio);
        OG_TRY(og_inf_table_init_beta(group, t));
    }
    double d = og_fraction_double(group->threshold), log_least = log(price / 2);
    og_inf_span near = {0, 0};
    for (int32_t n = 0; n < t->end; n++) {
        near = n < levels ? gainful(t, n, d, log_least, near) : (og_inf_span){1, 0};
        t->open[n] = near;
    }
    t->open_price = price;
    return OG_OK;
}

/* True if the root buys at this price; then stores the ratio of its best rule. */
static bool root_buys(og_inf_table *t, double price, og_worth w)
{
    og_inf_span filled = {0, t->end + 1};
    og_inf_clear(w, 0, t->end + 1);
    for (int32_t n = t->end - 1; n >= 0; n--) {
        og_inf_value_level(t, n, t->open[n], price, w);
        og_inf_clear_outside(w, filled, t->open[n]);
        filled = t->open[n];
    }
    bool buys = w.net[0] > 0;
    t->ratio[0] = buys ? w.earned[0] / w.labels[0] : t->ratio[0];
    return buys;
}

/* The truncation error at the root, as in bound_truncation, with the logarithms of the
 * probabilities of all posteriors after `end` labels. */
static double root_truncation(const work *job, const og_group *group)
{
    double a = og_fraction_double(group->a), b = og_fraction_double(group->b);
    double d = og_fraction_double(group->threshold), log_chance = 0, sum = 0;
    for (int32_t i = 0; i < job->end; i++) {
        log_chance += log((b + i) / (a + b + i));
    }
    for (int32_t s = 0; s <= job->end; s++) {
        int32_t f = job->end - s;
        sum += exp(log_chance) * og_inf_wrong_call(a + s, b + f, d);
        log_chance += log((f / (s + 1.0)) * ((a + s) / (b + f - 1)));
    }
    return pow(job->delta, job->end) * sum * (1 + price_slack) + least_index;
}

/* Finds the number of the highest price of the grid at which the root buys: tries 0, 1, 3, 7, ...
 * until one is found, then bisects. PRICES: none. */
static og_status find_price(const work *job, int32_t number, og_inf_table *t, og_worth w,
                            int *found)
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

/* What is kept of an arm's root; NULL: nothing is. */
static og_kept_root *kept_of(const work *job, int32_t number)
{
    const og_group *group = og_inf_calls_group(job->job->arms->arm[number]);
    return og_kept_roots_at(job->job->kept, &(og_kept_key){.a = group->a,
                                                           .b = group->b,
                                                           .threshold = group->threshold,
                                                           .delta = job->delta,
                                                           .end = job->end,
                                                           .look = job->look});
}

static og_status score_root(const work *job, int32_t number, og_worth w, og_inf_table *t)
{
    og_kept_root *kept = kept_of(job, number);
    if (kept != NULL && kept->scored) {
        job->scored->index->index[number][0] = kept->value;
        job->scored->radius[number][0] = kept->radius;
        return OG_OK;
    }
    const og_group *group = og_inf_calls_group(job->job->arms->arm[number]);
    double *value = job->scored->index->index[number];
    int price = PRICES;
    OG_TRY(find_price(job, number, t, w, &price));
    OG_TRY(open_root(job, number, og_gittins_grid_price(price < PRICES ? price : PRICES - 1), t));
    *value = og_inf_index(t, 0, 0, job->relative / 4, w);
    double rounding = 2 * job->relative * *value;
    double beyond = pow(job->delta, job->end) + least_index;
    if (job->look > 0) {
        beyond = least_index; /* the index is that of the rules that stop in time */
    } else if (beyond > rounding / 1024) {
        beyond = root_truncation(job, group);
    }
    job->scored->radius[number][0] = rounding + beyond;
    if (kept != NULL) {
        kept->value = *value;
        kept->radius = rounding + beyond;
        kept->scored = true;
    }
    return OG_OK;
}

typedef struct {
    const work *job;
    int price;        /* its number in the grid */
    _Atomic bool any; /* true if some root buys */
} trial;

/* Decides whether a root buys at the price of this number. */
static og_status try_root(const work *job, int32_t arm, int price, og_worth w, bool *buys)
{
    og_inf_table *root = &job->tables[arm];
    og_kept_root *kept = kept_of(job, arm);
    if (kept != NULL && kept->buys[price] != OG_BUYS_UNKNOWN) {
        *buys = kept->buys[price] == OG_BUYS;
        return OG_OK;
    }
    OG_TRY(open_root(job, arm, og_gittins_grid_price(price), root));
    *buys = root_buys(root, og_gittins_grid_price(price), w);
    if (kept != NULL) {
        kept->buys[price] = *buys ? OG_BUYS : OG_BUYS_NOT;
    }
    return OG_OK;
}

static og_status try_price(void *context, int thread, int64_t c)
{
    trial *at = context;
    const work *job = at->job;
    int32_t arm = job->job->twins->first_arm[c];
    og_status status = og_stop_asked(job->job->stop) ? OG_STOPPED : OG_OK;
    if (is_root_alone(job, arm)) {
        bool buys = false;
        OG_THEN(status, try_root(job, arm, at->price, job->spaces[thread], &buys));
        job->beaten[c] = !buys;
        at->any = at->any || buys;
    }
    if (thread != 0) {
        flint_cleanup(); /* as build_one */
    }
    return status;
}

/* Marks roots with a smaller index: those that do not buy at a price well below one at which
 * another root buys. This is cheap because high prices need few levels. */
static og_status find_beaten(const work *job, int threads)
{
    trial at = {.job = job};
    int64_t classes = job->job->twins->class_count;
    for (int i = 0; !at.any && at.price < PRICES - 1; i = 2 * i + 1) {
        at.price = i < PRICES - 1 ? i : PRICES - 1;
        OG_TRY(og_parallel_items(threads, classes, 4, try_price, &at));
    }
    if (!at.any) { /* no index differs from 0 */
        memset(job->beaten, 0, (size_t)classes * sizeof *job->beaten);
        return OG_OK;
    }
    at.price += at.price < PRICES - 1;
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
    og_inf_table *t = &job->tables[arm];
    if (job->beaten[c]) {
        return OG_OK; /* stays 0 */
    }
    if (is_root_alone(job, arm)) {
        og_status status = score_root(job, arm, job->spaces[thread], t);
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
    if (is_shared(job)) {
        return OG_OK; /* og_inf_narrow has computed it */
    }
    *value = og_inf_index(t, n, counts[0], job->relative / 4, job->spaces[thread]);
    *radius = 2 * job->relative * *value +
              (job->look > 0 ? least_index : t->beyond[og_inf_node(n, counts[0])]);
    *radius = job->look > 0 && *value == 0 ? 0 : *radius;
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
        og_inf_table_clear(&job->tables[i]);
    }
    og_arena_clear(&job->arena);
}

/* True if only the order matters, and every arm's indices are in intervals. */
static bool may_be_wide(const work *job)
{
    bool wide = job->job->ordered;
    for (int32_t i = 0; i < job->job->arms->arm_count; i++) {
        wide = wide && job->tables[i].wide == NULL;
    }
    return wide;
}

static og_status build_tables(work *job)
{
    assert(job->job->threads >= 1);
    OG_TRY(allocate_work(job));
    int threads = og_index_threads(job->job, job->job->roots ? 1000 : 150000);
    OG_TRY(og_parallel_items(threads, job->job->arms->arm_count, 1, build_one, job));
    if (job->job->roots) {
        OG_TRY(find_beaten(job, threads));
    }
    if (is_shared(job)) {
        OG_TRY(og_inf_narrow(job->job, job->tables, job->relative, may_be_wide(job), job->scored));
    }
    OG_TRY(og_parallel_items(threads, job->job->twins->class_count, 4, score_class, job));
    og_scored_copy_to_twins(job->job, job->scored, 0);
    return OG_OK;
}

/* No label of an instance with N = a + b labels or more gains more than this [Stirling]. */
static double gain_most(double total)
{
    return 0.435 / sqrt(total);
}

/*
 * How much less than the index a limited look-ahead may give at a node of level n. A rule that goes
 * on to labels that gain less than a price loses by it; so an index above all gains behind the
 * look-ahead is exact, and another one is at most their bound. No index is above what labels can
 * gain in all.
 */
static double look_error(const work *job, int32_t arm, int32_t n, int32_t s, double value)
{
    const og_inf_table *t = &job->tables[arm];
    const og_group *group = og_inf_calls_group(job->job->arms->arm[arm]);
    if (group == NULL) {
        return t->beyond[og_inf_node(n, s)];
    }
    double total = t->plus[0] + og_fraction_double(group->b) + n;
    double most = total + job->look < 1 ? 1 : gain_most(total + job->look);
    double gain = og_inf_wrong_call(t->plus[s], t->minus[t->end - n + s],
                                    og_fraction_double(group->threshold));
    return fmax(0, fmin(most, gain) * (1 + price_slack) - value);
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
        int32_t n = counts[0] + counts[1];
        assert(job->tables[arm].beyond != NULL);
        double beyond = job->look > 0 ? look_error(job, arm, n, counts[0],
                                                   index->index[arm][twins->first_node[c]])
                                      : job->tables[arm].beyond[og_inf_node(n, counts[0])];
        index->absolute_error = fmax(index->absolute_error, beyond);
    }
    index->error = relative;
    if (job->look > 0) {
        snprintf(index->note, sizeof index->note,
                 "gittins-inf looks %" PRId32 " labels ahead: an index is at most %.1e of it plus "
                 "%.1e too small",
                 job->look, relative, index->absolute_error);
        return;
    }
    snprintf(index->note, sizeof index->note,
             "gittins-inf looks %" PRId32
             " labels ahead: errors of an index are at most %.1e of it "
             "plus %.1e",
             end - job->job->arms->budget, index->error, index->absolute_error);
}

/* Sets the number of levels: enough to reach `truncation` from every node below the budget, at most
 * END_MAX; or for a look-ahead, which is 0 afterwards if it is not shorter. */
static void set_levels(const og_arms *arms, work *job)
{
    int32_t budget = arms->budget, end_max = job->look > 0 ? INT32_MAX : END_MAX;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (og_inf_calls_group(arms->arm[i]) == NULL && arms->arm[i]->lattice) {
            end_max = ARM_END_MAX;
        }
    }
    double ahead = ceil(log(truncation) / log(job->delta));
    double most = fmax(end_max - (double)budget, 1);
    job->look = job->look < ahead ? (int32_t)fmin(job->look, most) : 0;
    job->end = budget + (job->look > 0 ? job->look : (int32_t)fmin(ahead, most));
}

static og_status check_arms(const og_arms *arms, int32_t end, og_message *message)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (!arms->arm[i]->lattice) {
            continue; /* the arm has its own end */
        }
        OG_TRY(og_group_check(og_arm_prior(arms->arm[i]), end, message));
    }
    return OG_OK;
}

/* The arms of labels with more than two outcomes have a look-ahead of their own. */
static og_status check_look(const og_arms *arms, const og_policy_name *policy, og_message *message)
{
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (!arms->arm[i]->lattice) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "policy '%.64s': a number of labels ahead requires labels of two "
                                  "outcomes; omit it",
                                  policy->name);
        }
    }
    return OG_OK;
}

/* A whole number is the labels ahead; else 0. */
static int32_t look_of(const og_policy_name *policy)
{
    bool whole = policy->has_parameter && og_fraction_is_integer(policy->parameter_exact);
    return whole ? (int32_t)policy->parameter_exact.num : 0; /* and DELTA = 0 */
}

/* DELTA as given, or 1 - 1/T. */
static og_fraction discount(const og_index_job *job)
{
    if (job->policy->has_parameter && look_of(job->policy) == 0) {
        return job->policy->parameter_exact;
    }
    int32_t whole = job->whole_budget;
    return whole > 1 ? og_fraction_make(whole - 1, whole) : (og_fraction){0, 1};
}

og_status og_score_gittins_inf(const og_index_job *job, og_scored *out, og_message *message)
{
    og_fraction delta = discount(job);
    if (delta.num == 0) { /* only the first label counts */
        return og_score_kg(job, out, message);
    }
    work w = {.job = job, .scored = out, .delta = og_fraction_double(delta)};
    w.look = look_of(job->policy);
    OG_TRY(w.look > 0 ? check_look(job->arms, job->policy, message) : OG_OK);
    set_levels(job->arms, &w);
    double depth = w.look > 0 ? w.look : w.end;
    double labels = fmin(depth, (double)delta.den / (double)(delta.den - delta.num));
    w.relative = 8 * node_error * labels * (depth + 2);
    OG_TRY(check_arms(job->arms, w.end, message));
    OG_TRY(og_scored_init(job, false, true, out));
    og_status status = build_tables(&w);
    if (status == OG_OK && !job->roots) {
        state_errors(&w);
    } else if (status != OG_OK) {
        og_message_set(message, status, "a reward is too small for double precision");
    }
    free_work(&w);
    return status;
}
