/*
 * Computes the Lagrangian bound of labels from sources, with tables over a grid of probabilities.
 *
 * Invariant: a number of the table is at least the exact W there minus the rounding of the earlier
 * steps. Let u = 2^-53. W has slopes within [-1, 1], for it is convex, 1 at both ends, and at least
 * max(p, 1 - p). A posterior has an error of 11 u: 7 u from its computation and the rest from its
 * position between two points. So it is worth at most 11 u more; the line between the points adds 3
 * u, Pr(y) 4 u, products and sums 4 u. A label at a price of 1/2 or more is never bought, since no
 * instance gains more. With a margin, a step adds 32 u.
 *
 * Only as many layers of units left are stored as the largest price needs. When this many
 * consecutive layers are equal, all later ones are equal too.
 */
#include "heuristics/bounds/sources_bound.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "heuristics/bounds/upper_lines.h"

enum {
    EVEN = 512,         /* equidistant points */
    POINTS_MAX = 2048,  /* including posteriors after few labels */
    LAYERS = 1000,      /* at relevant prices, later layers rarely differ */
    WORK_MAX = 1 << 25, /* target for the evaluated labels in all layers and points */
    LAYER_CELLS_MAX = 1 << 25,
    LIMITS_MAX = OG_SOURCES_MAX + 1, /* of each source, and of all labels of an instance */
};

static const double nearest_points = 1e-13; /* closer points are merged */
static const double tied = 1e-12;           /* gains that differ by less are equal */
static const double least_price =
    1e-9; /* of a unit, in plans: units that gain nothing stay unspent */

/* The effect of a source's label at a point, for one outcome; outcome 0 is positive. */
typedef struct {
    double chance;  /* probability of the outcome */
    int32_t at;     /* the posterior lies between this point and the next ... */
    double onwards; /* ... at this fraction of the distance */
} answered;

typedef struct {
    og_arena arena;
    const og_sources_start *start; /* [start_count] */
    int32_t start_count;
    int32_t budget;
    const og_sources *sources;
    og_stop *stop;
    double right[OG_SOURCES_MAX];
    int32_t most[LIMITS_MAX];   /* labels of each source, then of all: the limit; 0: none */
    int32_t stride[LIMITS_MAX]; /* of these labels in the index of counts; 0: no limit */
    int32_t counts;             /* number of combinations of labels with a limit */
    int32_t dearest, cheapest;  /* prices of a label */
    int32_t point_count;
    double *point;   /* [point_count] ascending, from 0 to 1 */
    answered *after; /* [point_count][sources][2] */
    double *worth;   /* [dearest + 1][counts][point_count] W, by units left */
    double *spent;   /* same layout: expected units that the buyer spends */
    double *bought;  /* [sources] times the same layout: expected labels; NULL: not needed */
    int32_t evaluations;
} tables;

/* ---- the grid ---- */

/* The limit on points times counts, from the time limit. */
static int32_t cells_limit(const tables *t)
{
    int32_t layers = t->budget < LAYERS ? t->budget + 1 : LAYERS;
    return WORK_MAX / layers / t->sources->count;
}

static int32_t point_limit(const tables *t)
{
    int32_t fit = cells_limit(t) / t->counts;
    return fit < EVEN + 2 ? EVEN + 2 : fit < POINTS_MAX ? fit : POINTS_MAX;
}

static double chance_of(double p, double right, int outcome)
{
    double likely = outcome == 0 ? right : 1 - right;
    return p * likely + (1 - p) * (1 - likely);
}

static double posterior(double p, double right, int outcome)
{
    double chance = chance_of(p, right, outcome);
    double after = chance > 0 ? p * (outcome == 0 ? right : 1 - right) / chance : p;
    return after < 1 ? after : 1;
}

static int compare_points(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static int32_t without_near(double *point, int32_t count)
{
    int32_t kept = 1;
    qsort(point, (size_t)count, sizeof *point, compare_points);
    for (int32_t i = 1; i < count; i++) {
        if (point[i] - point[kept - 1] > nearest_points) {
            point[kept++] = point[i];
        }
    }
    point[kept - 1] = 1; /* the end of the interval is a point */
    return kept;
}

/* Writes the posteriors one label after those of before[0 .. count), as many as fit. */
static int32_t posteriors_after(const tables *t, const double *before, int32_t count, double *after,
                                int32_t room)
{
    int32_t made = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < t->sources->count; j++) {
            for (int k = 0; k < 2 && made < room; k++) {
                after[made++] = posterior(before[i], t->right[j], k);
            }
        }
    }
    return made;
}

/*
 * Makes the points: equidistant ones, the priors, and posteriors label by label while there is
 * room. Duplicates are removed after each label, since most orders of labels give the same
 * posteriors.
 */
static og_status make_points(tables *t)
{
    const int32_t limit = point_limit(t);
    const int32_t wide = 2 * t->sources->count * limit;
    double *front = og_arena_array(&t->arena, (size_t)wide, sizeof *front);
    double *after = og_arena_array(&t->arena, (size_t)wide, sizeof *after);
    t->point = og_arena_array(&t->arena, (size_t)(limit + wide), sizeof *t->point);
    OG_TRY(og_arena_status(&t->arena));
    int32_t count = 0, fronts = 0;
    for (int32_t i = 0; i <= EVEN; i++) {
        t->point[count++] = i / (double)EVEN;
    }
    for (int32_t g = 0; g < t->start_count && fronts < limit - count && fronts < wide; g++) {
        front[fronts++] = t->start[g].positive;
    }
    for (int32_t labels = 0; labels <= t->budget && fronts > 0; labels++) {
        qsort(front, (size_t)fronts, sizeof *front, compare_points);
        int32_t kept = 0;
        for (int32_t i = 0; i < fronts; i++) {
            if (kept == 0 || front[i] - front[kept - 1] > nearest_points) {
                front[kept++] = front[i];
            }
        }
        if (count + kept > limit) {
            break;
        }
        memcpy(&t->point[count], front, (size_t)kept * sizeof *front);
        count = without_near(t->point, count + kept);
        fronts = posteriors_after(t, front, kept, after, wide);
        memcpy(front, after, (size_t)fronts * sizeof *front);
    }
    t->point_count = count;
    return OG_OK;
}

/* The position of a probability between two points. */
static answered placed(const tables *t, double p, double chance)
{
    int32_t low = 0, high = t->point_count - 2;
    while (low < high) {
        int32_t middle = high - (high - low) / 2;
        if (t->point[middle] <= p) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    double onwards = (p - t->point[low]) / (t->point[low + 1] - t->point[low]);
    return (answered){chance, low, onwards < 1 ? onwards : 1};
}

static og_status make_outcomes(tables *t)
{
    const int32_t sources = t->sources->count;
    size_t points = (size_t)t->point_count;
    t->after = og_arena_array(&t->arena, points * 2 * (size_t)sources, sizeof(answered));
    OG_TRY(og_arena_status(&t->arena));
    for (int32_t i = 0; i < t->point_count; i++) {
        for (int32_t j = 0; j < sources; j++) {
            for (int k = 0; k < 2; k++) {
                double p = t->point[i];
                t->after[2 * ((size_t)i * (size_t)sources + (size_t)j) + (size_t)k] =
                    placed(t, posterior(p, t->right[j], k), chance_of(p, t->right[j], k));
            }
        }
    }
    return OG_OK;
}

/* ---- limits on labels ---- */

/* The labels of source j, or of all sources, that an instance has before. */
static int32_t used_of(const tables *t, const og_sources_start *start, int32_t j)
{
    int32_t used = j < t->sources->count ? start->used[j] : t->most[j] - start->room;
    return used < t->most[j] ? used : t->most[j];
}

/* True if labels of source j, or all labels, can reach their limit. */
static bool can_run_out(const tables *t, int32_t j)
{
    int32_t price = j < t->sources->count ? t->sources->source[j].price : t->cheapest, before = 0;
    for (int32_t g = 0; t->most[j] > 0 && g < t->start_count; g++) {
        int32_t used = used_of(t, &t->start[g], j);
        before = used > before ? used : before;
    }
    return t->most[j] > 0 && t->most[j] < t->budget / price + before;
}

/* The limit on all labels counts from the instance with the most room. */
static void find_limits(tables *t)
{
    int32_t most = 0;
    for (int32_t g = 0; g < t->start_count; g++) {
        most = t->start[g].room > most ? t->start[g].room : most;
    }
    for (int32_t j = 0; j < t->sources->count; j++) {
        t->most[j] = t->sources->source[j].most;
    }
    t->most[t->sources->count] = most < OG_ROOM_ANY ? most : 0;
}

/* Selects the limits to track: those that can be reached, smallest first, as many as fit in the
 * tables. */
static void number_counts(tables *t)
{
    bool done[LIMITS_MAX] = {false};
    t->counts = 1;
    for (;;) {
        int32_t next = -1;
        for (int32_t j = 0; j <= t->sources->count; j++) {
            if (!done[j] && can_run_out(t, j) && (next < 0 || t->most[j] < t->most[next])) {
                next = j;
            }
        }
        if (next < 0) {
            return;
        }
        done[next] = true;
        int64_t counts = (int64_t)t->counts * (t->most[next] + 1);
        if (counts * (EVEN + 2) * (t->dearest + 1) <= LAYER_CELLS_MAX &&
            counts * (EVEN + 2) <= cells_limit(t)) {
            t->stride[next] = t->counts;
            t->counts = (int32_t)counts;
        }
    }
}

/* The index of the labels that were given before. */
static int32_t counts_of(const tables *t, const og_sources_start *start)
{
    int32_t counts = 0;
    for (int32_t j = 0; j <= t->sources->count; j++) {
        counts += t->stride[j] > 0 ? t->stride[j] * used_of(t, start, j) : 0;
    }
    return counts;
}

/* Of these labels, or of all. */
static bool reached(const tables *t, int32_t j, int32_t counts)
{
    return t->stride[j] > 0 && counts / t->stride[j] % (t->most[j] + 1) == t->most[j];
}

static bool runs_out(const tables *t, int32_t j, int32_t counts)
{
    return reached(t, j, counts) || reached(t, t->sources->count, counts);
}

/* The index after one more label of source j. */
static int32_t counts_after(const tables *t, int32_t j, int32_t counts)
{
    return counts + t->stride[j] + t->stride[t->sources->count];
}

/* ---- one price ---- */

static size_t place_of(const tables *t, int32_t left, int32_t counts)
{
    size_t layer = (size_t)(left % (t->dearest + 1));
    return (layer * (size_t)t->counts + (size_t)counts) * (size_t)t->point_count;
}

static double between(const double *value, const answered *o)
{
    return value[o->at] + o->onwards * (value[o->at + 1] - value[o->at]);
}

/* Updates the expected labels at a point where a label of source j is the best so far. */
static void count_label(const tables *t, int32_t j, size_t here, size_t there, int32_t i,
                        const answered *o)
{
    size_t cells = (size_t)(t->dearest + 1) * (size_t)t->counts * (size_t)t->point_count;
    for (int32_t k = 0; k < t->sources->count; k++) {
        double *values = t->bought + (size_t)k * cells;
        values[here + (size_t)i] = (k == j ? 1 : 0) + o[0].chance * between(values + there, &o[0]) +
                                   o[1].chance * between(values + there, &o[1]);
    }
}

/* Replaces the best value and its spending if a label of source j is better. */
static void ask(const tables *t, int32_t j, double price, size_t here, size_t there)
{
    const double charge = price * t->sources->source[j].price;
    const double *worth = t->worth + there, *spent = t->spent + there;
    double *best = t->worth + here, *best_spent = t->spent + here;
    for (int32_t i = 0; i < t->point_count; i++) {
        const answered *o = &t->after[2 * ((size_t)i * (size_t)t->sources->count + (size_t)j)];
        double bought =
            o[0].chance * between(worth, &o[0]) + o[1].chance * between(worth, &o[1]) - charge;
        if (bought > best[i]) {
            best[i] = bought;
            best_spent[i] = t->sources->source[j].price + o[0].chance * between(spent, &o[0]) +
                            o[1].chance * between(spent, &o[1]);
            if (t->bought != NULL) {
                count_label(t, j, here, there, i, o);
            }
        }
    }
}

static void begin_layer(const tables *t, size_t here)
{
    size_t cells = (size_t)(t->dearest + 1) * (size_t)t->counts * (size_t)t->point_count;
    for (int32_t i = 0; i < t->point_count; i++) {
        t->worth[here + (size_t)i] = fmax(t->point[i], 1 - t->point[i]);
        t->spent[here + (size_t)i] = 0;
        for (int32_t k = 0; t->bought != NULL && k < t->sources->count; k++) {
            t->bought[(size_t)k * cells + here + (size_t)i] = 0;
        }
    }
}

/* True if a label of the source may be worth its price: no instance gains more than 1/2. */
static bool may_buy(const tables *t, int32_t j, int32_t left, double price, int32_t counts)
{
    const double never = 0.5;
    int32_t cost = t->sources->source[j].price;
    return cost <= left && price * cost < never && !runs_out(t, j, counts);
}

static void fill_layer(const tables *t, int32_t left, double price)
{
    for (int32_t counts = 0; counts < t->counts; counts++) {
        size_t here = place_of(t, left, counts);
        begin_layer(t, here);
        for (int32_t j = 0; j < t->sources->count; j++) {
            if (may_buy(t, j, left, price, counts)) {
                int32_t cost = t->sources->source[j].price;
                ask(t, j, price, here, place_of(t, left - cost, counts_after(t, j, counts)));
            }
        }
    }
}

static bool same_layers(const tables *t, int32_t x, int32_t y)
{
    size_t bytes = (size_t)t->counts * (size_t)t->point_count * sizeof(double);
    size_t a = place_of(t, x, 0), b = place_of(t, y, 0);
    return memcmp(&t->worth[a], &t->worth[b], bytes) == 0 &&
           memcmp(&t->spent[a], &t->spent[b], bytes) == 0;
}

/* The error as in the head of this file, plus the sum over groups and the price of the budget. */
static double rounding(const tables *t, double instances, double price)
{
    double units = t->budget, steps = units / t->cheapest;
    return 1.02 * DBL_EPSILON / 2 *
           (instances * (32 * (steps + 1) + t->start_count + 8) + 4 * units * price);
}

/* Fills the layers up to the budget, or until they no longer change; returns the last one, or -1
 * if it was stopped. */
static int32_t fill_layers(const tables *t, double price)
{
    int32_t left = 0, same = 0;
    fill_layer(t, 0, price);
    while (left < t->budget && same < t->dearest) {
        fill_layer(t, ++left, price);
        same = same_layers(t, left, left - 1) ? same + 1 : 0;
        if (og_stop_asked(t->stop)) {
            return -1;
        }
    }
    return left;
}

static og_status evaluate(void *context, double price, og_line *out)
{
    tables *t = context;
    int32_t left = fill_layers(t, price);
    double worth = 0, spent = 0, instances = 0;
    if (left < 0) {
        return OG_STOPPED;
    }
    for (int32_t g = 0; g < t->start_count; g++) {
        const og_sources_start *start = &t->start[g];
        double count = (double)start->count;
        size_t top = place_of(t, left, counts_of(t, start));
        answered o = placed(t, start->positive, 1);
        worth += count * between(&t->worth[top], &o);
        spent += count * between(&t->spent[top], &o);
        instances += count;
    }
    t->evaluations++;
    *out = (og_line){.price = price,
                     .value = worth + price * t->budget,
                     .error = rounding(t, instances, price),
                     .slope = t->budget - spent};
    return OG_OK;
}

/* ---- the best price ---- */

static og_status make_tables(tables *t)
{
    t->cheapest = OG_ARM_COST_MAX;
    for (int32_t j = 0; j < t->sources->count; j++) {
        const og_label_source *source = &t->sources->source[j];
        t->right[j] = og_fraction_double(source->accuracy);
        t->dearest = source->price > t->dearest ? source->price : t->dearest;
        t->cheapest = source->price < t->cheapest ? source->price : t->cheapest;
    }
    find_limits(t);
    number_counts(t);
    OG_TRY(make_points(t));
    OG_TRY(make_outcomes(t));
    size_t layers = (size_t)t->dearest + 1;
    size_t cells = layers * (size_t)t->counts * (size_t)t->point_count;
    t->worth = og_arena_array(&t->arena, cells, sizeof *t->worth);
    t->spent = og_arena_array(&t->arena, cells, sizeof *t->spent);
    return og_arena_status(&t->arena);
}

static og_status find_bound(tables *t, og_upper_bound *out)
{
    og_upper_bound bound = {.price_count = 1, .price = malloc(sizeof *bound.price)};
    og_line best;
    OG_TRY(OG_ALLOCATED(bound.price));
    og_status status = make_tables(t);
    OG_THEN(status, og_lines_least(evaluate, t, 0, 0.5 / t->cheapest, &best, &bound.converged));
    bound.evaluations = t->evaluations;
    if (status != OG_OK) {
        og_bound_clear(&bound);
        return status;
    }
    bound.price[0] = best.price;
    bound.value = best.value + best.error;
    bound.error = best.error;
    *out = bound;
    return OG_OK;
}

og_status og_bound_sources(const og_groups *problem, const og_sources *sources, og_stop *stop,
                           og_upper_bound *out)
{
    tables t = {.start_count = problem->group_count,
                .budget = problem->budget,
                .sources = sources,
                .stop = stop};
    og_sources_start *start = og_arena_array(&t.arena, (size_t)problem->group_count, sizeof *start);
    og_status status = OG_ALLOCATED(start);
    for (int32_t g = 0; status == OG_OK && g < problem->group_count; g++) {
        const og_group *group = og_groups_at(problem, g);
        double a = og_fraction_double(group->a), b = og_fraction_double(group->b);
        start[g].positive = a / (a + b);
        start[g].count = group->count;
        start[g].room = OG_ROOM_ANY;
    }
    t.start = start;
    OG_THEN(status, find_bound(&t, out));
    og_arena_clear(&t.arena);
    return status;
}

/* ---- the policy ---- */

/* A label of source j for an instance: its expected gain at this price, with the labels after it,
 * and alone. */
typedef struct {
    double gain, now;
    int32_t cost;
} offer;

static offer offer_of(const tables *t, const og_sources_start *start, int32_t j, int32_t left,
                      double price)
{
    double p = start->positive, call = fmax(p, 1 - p);
    int32_t cost = t->sources->source[j].price;
    int32_t counts = counts_after(t, j, counts_of(t, start));
    const double *worth = &t->worth[place_of(t, left - cost, counts)];
    offer made = {-price * cost - call, -call, cost};
    for (int k = 0; k < 2; k++) {
        double after = posterior(p, t->right[j], k), chance = chance_of(p, t->right[j], k);
        answered o = placed(t, after, chance);
        made.gain += chance * between(worth, &o);
        made.now += chance * fmax(after, 1 - after);
    }
    return made;
}

/* True if x is the better one: if the gains are equal, the cheaper one, then the one with more gain
 * now. */
static bool is_better(const offer *x, const offer *y)
{
    if (fabs(x->gain - y->gain) > tied) {
        return x->gain > y->gain;
    }
    return x->cost != y->cost ? x->cost < y->cost : x->now > y->now + tied;
}

/* The source whose label is best at this price, after fill_layers. */
static og_sources_advice advise(const tables *t, const og_sources_start *start, int32_t left,
                                double price)
{
    og_sources_advice made = {.source = -1};
    offer best = {tied, 0, 0};
    for (int32_t j = 0; j < t->sources->count; j++) {
        if (may_buy(t, j, left, price, counts_of(t, start))) {
            offer one = offer_of(t, start, j, left, price);
            if (made.source < 0 ? one.gain > tied : is_better(&one, &best)) {
                best = one;
                made = (og_sources_advice){j, one.gain};
            }
        }
    }
    return made;
}

/* Adds up the expected labels of each source, and their price, after fill_layers. */
static double add_bought(const tables *t, int32_t left, double *bought)
{
    size_t cells = (size_t)(t->dearest + 1) * (size_t)t->counts * (size_t)t->point_count;
    double spent = 0;
    for (int32_t k = 0; k < t->sources->count; k++) {
        bought[k] = 0;
        for (int32_t g = 0; g < t->start_count; g++) {
            const og_sources_start *start = &t->start[g];
            size_t top = place_of(t, left, counts_of(t, start));
            answered o = placed(t, start->positive, 1);
            bought[k] += (double)start->count * between(t->bought + (size_t)k * cells + top, &o);
        }
        spent += bought[k] * t->sources->source[k].price;
    }
    return spent;
}

/* A policy of the relaxed problem at a price: its expected labels, and the units that it spends. */
typedef struct {
    double price, spent;
    double bought[OG_SOURCES_MAX];
} priced_policy;

static og_status find_policy(const tables *t, double price, priced_policy *out,
                             og_sources_advice *advice)
{
    int32_t left = fill_layers(t, price);
    if (left < 0) {
        return OG_STOPPED;
    }
    out->price = price;
    out->spent = add_bought(t, left, out->bought);
    for (int32_t g = 0; g < t->start_count; g++) {
        advice[2 * g] = advise(t, &t->start[g], left, price);
    }
    return OG_OK;
}

/* Finds the policy just above the price (side 1) that spends at most the budget, or the one below
 * it (side -1) that spends at least the budget or has the least price. */
static og_status find_beside(const tables *t, double price, int side, priced_policy *out,
                             og_sources_advice *advice)
{
    bool found = false;
    for (double off = fmax(price * 1e-6, least_price); !found; off *= 8) {
        OG_TRY(find_policy(t, fmax(price + side * off, least_price), out, advice));
        found = side > 0 ? out->spent <= t->budget
                         : out->spent >= t->budget || out->price <= least_price;
    }
    return OG_OK;
}

static og_status find_policies(tables *t, double price, og_sources_mix *out)
{
    priced_policy above, below;
    size_t cells = (size_t)(t->dearest + 1) * (size_t)t->counts * (size_t)t->point_count;
    t->bought = og_arena_array(&t->arena, cells * (size_t)t->sources->count, sizeof *t->bought);
    OG_TRY(OG_ALLOCATED(t->bought));
    OG_TRY(find_beside(t, price, -1, &below, out->advice));
    OG_TRY(find_beside(t, price, 1, &above, out->advice + 1));
    bool all = below.spent <= t->budget;
    out->share = all ? 1 : (t->budget - above.spent) / (below.spent - above.spent);
    for (int32_t k = 0; k < t->sources->count; k++) {
        out->bought[k] = out->share * below.bought[k] + (1 - out->share) * above.bought[k];
    }
    return OG_OK;
}

og_status og_sources_plan(const og_sources_start *start, int32_t count, int32_t budget,
                          const og_sources *sources, og_stop *stop, og_sources_mix *out)
{
    tables t = {
        .start = start, .start_count = count, .budget = budget, .sources = sources, .stop = stop};
    og_upper_bound bound = {.price = NULL};
    og_status status = find_bound(&t, &bound);
    OG_THEN(status, find_policies(&t, bound.price[0], out));
    og_arena_clear(&t.arena);
    if (status != OG_OK) {
        og_bound_clear(&bound);
        return status;
    }
    out->bound = bound;
    return OG_OK;
}
