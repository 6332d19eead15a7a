/*
 * Bounds on what a budget can gain, with and without the batch. Tasks at one place are equal, so
 * all sums run over the places.
 */
#include "bench/recorded/next_bounds.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/golden.h"

enum { PLAN_MAX = 40, PRICES = 72 };

/* Tasks at one place with the same number of labels in the batch. */
typedef struct {
    size_t place;
    int32_t given; /* labels in the batch */
    int64_t tasks;
} lot;

typedef struct {
    og_arena arena;
    const og_standing *standing;
    const og_arms *arms;
    og_stop *stop;
    int32_t budget, batch;
    int32_t plan; /* most labels of a task in the plan */
    bool beyond;  /* some tasks can get more labels than the search covers */
    double price; /* of a label */
    lot *lot;     /* [lot_count]; first those of the batch, then for each place its other tasks */
    size_t lot_count;
    og_matching *matching; /* NULL: workers have no capacities */
    uint32_t *exact;       /* [exact_count] places whose room is below the budget, by `steps` */
    size_t exact_count;
    double *value; /* [3][nodes of all arms] */
    /* [place_count][plan + 1] the expected gain of at most 0, 1, ... labels, less prices; and the
     * same if the first label is mandatory. Without a price both are equal. */
    double *gain, *begun;
} batch_bounds;

static size_t all_nodes(const og_arms *arms)
{
    return arms->node_offset[arms->arm_count];
}

/* True if the room of the tasks limits their labels, and the search covers all of them. */
static bool is_exact(const og_spot *place)
{
    return place->capped && !place->beyond;
}

/* ---- the tasks ---- */

static int compare_tasks(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static int compare_lots(const void *x, const void *y)
{
    const lot *a = x, *b = y;
    return a->place != b->place ? (a->place > b->place) - (a->place < b->place)
                                : (a->given > b->given) - (a->given < b->given);
}

/* The lots of the tasks of the batch. */
static og_status find_batch_lots(batch_bounds *bounds, const og_next *next)
{
    size_t count = (size_t)next->count;
    uint32_t *task = og_arena_copy(&bounds->arena, next->task, count, sizeof *task);
    bounds->lot =
        og_arena_array(&bounds->arena, count + bounds->standing->place_count, sizeof *bounds->lot);
    OG_TRY(og_arena_status(&bounds->arena));
    qsort(task, count, sizeof *task, compare_tasks);
    lot *alone = bounds->lot;
    size_t tasks = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || task[i] != task[i - 1]) {
            alone[tasks++] = (lot){bounds->standing->place_of[task[i]], 0, 1};
        }
        alone[tasks - 1].given++;
    }
    qsort(alone, tasks, sizeof *alone, compare_lots);
    for (size_t i = 0; i < tasks; i++) {
        bool other = bounds->lot_count == 0 ||
                     compare_lots(&alone[i], &bounds->lot[bounds->lot_count - 1]) != 0;
        if (other) {
            bounds->lot[bounds->lot_count++] = alone[i];
        } else {
            bounds->lot[bounds->lot_count - 1].tasks++;
        }
    }
    return OG_OK;
}

/* Add the lots of all other tasks. */
static og_status find_lots(batch_bounds *bounds, const og_next *next)
{
    OG_TRY(find_batch_lots(bounds, next));
    size_t batch_lots = bounds->lot_count;
    for (size_t i = 0; i < bounds->standing->place_count; i++) {
        bounds->lot[bounds->lot_count++] = (lot){i, 0, bounds->standing->place[i].tasks};
    }
    for (size_t i = 0; i < batch_lots; i++) {
        bounds->lot[batch_lots + bounds->lot[i].place].tasks -= bounds->lot[i].tasks;
    }
    return OG_OK;
}

static void list_exact(batch_bounds *bounds)
{
    const og_standing *standing = bounds->standing;
    for (int32_t n = 1; n <= standing->ahead; n++) {
        for (uint32_t i = 0; i < standing->place_count; i++) {
            if (is_exact(&standing->place[i]) && standing->place[i].steps == n) {
                bounds->exact[bounds->exact_count++] = i;
            }
        }
    }
}

static og_status bounds_init(const og_standing *standing, og_stop *stop, const og_next *next,
                             batch_bounds *out)
{
    int32_t plan = standing->ahead < PLAN_MAX ? standing->ahead : PLAN_MAX;
    *out = (batch_bounds){.standing = standing,
                          .arms = standing->arms,
                          .stop = stop,
                          .budget = standing->terms.budget,
                          .price = standing->terms.price,
                          .batch = next->count,
                          .plan = plan};
    size_t width = (size_t)plan + 1, places = standing->place_count;
    out->exact = og_arena_array(&out->arena, places, sizeof *out->exact);
    out->value = og_arena_array(&out->arena, 3 * all_nodes(out->arms), sizeof *out->value);
    out->gain = og_arena_array(&out->arena, places * width, sizeof *out->gain);
    out->begun = og_arena_array(&out->arena, places * width, sizeof *out->begun);
    OG_TRY(og_arena_status(&out->arena));
    list_exact(out);
    for (size_t i = 0; i < places; i++) {
        out->beyond = out->beyond || standing->place[i].beyond;
    }
    return find_lots(out, next);
}

/* ---- above ---- */

static double expected_next(const og_arm *arm, uint32_t node, const double *value)
{
    size_t outcomes = (size_t)arm->outcome_count, edge = node * outcomes;
    double sum = 0;
    for (size_t k = 0; k < outcomes; k++) {
        sum += arm->probability[edge + k] * value[arm->next[edge + k]];
    }
    return sum;
}

/*
 * Rounding. A node's sum has outcome_count + 3 roundings in addition to the errors of its inputs.
 * All terms are at most the arm's scale, usually 1 (so are prices and the gain of a task). Over all
 * levels the error of a value is at most this number times the scale. A factor of four covers
 * products of rounding errors.
 * Checked by tests/test_next_cli.py: test_bounds_hold_the_optimum
 */
static double value_error(const og_arms *arms)
{
    double most = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        double step =
            arm->reward_error + arm->probability_error + (arm->outcome_count + 3) * DBL_EPSILON;
        most = fmax(most, 4 * (arm->depth + 1) * step);
    }
    return most;
}

/* The most that a task can still lack. */
static double missing_most(const og_arm *arm)
{
    return og_payoff_missing(&og_arm_prior(arm)->payoff, arm->outcome_count);
}

/* An error bound for the gains of all tasks at a price. */
static double gain_error(const batch_bounds *bounds)
{
    return value_error(bounds->arms) * og_arms_scale(bounds->arms) *
               (double)bounds->standing->task_count +
           bounds->price * bounds->budget * DBL_EPSILON;
}

/* The gain of a task of the arm if a label costs `price`; after the last level it is `beyond`. */
static void find_values(const og_arm *arm, double price, double beyond, double *value)
{
    for (uint32_t node = arm->node_count; node-- > 0;) {
        double buys = node >= arm->level[arm->depth]
                          ? beyond
                          : arm->reward[node] - price + expected_next(arm, node, value);
        value[node] = buys > 0 ? buys : 0;
    }
}

/* The expected gain at a node of one mandatory label followed by those of `before`. */
static double value_of_buying(const og_arm *arm, double price, uint32_t node, const double *before)
{
    return arm->reward[node] + expected_next(arm, node, before) - price;
}

/* Compute and return the layer of n labels from that of fewer: the expected gain at each node of at
 * most n labels, bought one by one while they are worth their price. `spare` is memory for the next
 * layer. */
static double *add_layer(const og_arms *arms, double price, int32_t n, og_stop *stop,
                         double **spare, double *before)
{
    double *now = *spare;
    for (int32_t a = 0; a < arms->arm_count && !og_stop_asked(stop); a++) {
        const og_arm *arm = arms->arm[a];
        uint32_t first = arms->node_offset[a];
        for (uint32_t node = 0; node < arm->level[arm->depth - n + 1]; node++) {
            double begun = value_of_buying(arm, price, node, before + first);
            now[first + node] = begun > 0 ? begun : 0;
        }
    }
    *spare = before;
    return now;
}

/* The gain of the tasks that can get only some labels, if a label costs `price`. */
static double exact_gain(const batch_bounds *bounds, double price)
{
    double *now = bounds->value + all_nodes(bounds->arms), *spare = now + all_nodes(bounds->arms),
           sum = 0;
    int32_t n = 0;
    memset(now, 0, all_nodes(bounds->arms) * sizeof *now);
    for (size_t i = 0; i < bounds->exact_count && !og_stop_asked(bounds->stop); i++) {
        const og_spot *place = &bounds->standing->place[bounds->exact[i]];
        while (n < place->steps) {
            now = add_layer(bounds->arms, price, ++n, bounds->stop, &spare, now);
        }
        sum += (double)place->tasks * now[og_standing_node(bounds->standing, bounds->exact[i])];
    }
    return sum;
}

/*
 * The gain of the tasks if a label costs `price`, plus the budget at the excess of `price` over the
 * labels' own price, and its rounding error. After the last level a task may gain everything it
 * lacks, for the price of at least one label, unless its labels end there.
 */
static double gain_at_price(void *context, double price)
{
    const batch_bounds *bounds = context;
    const og_standing *standing = bounds->standing;
    double sum = (price - bounds->price) * bounds->budget + exact_gain(bounds, price);
    bool other = bounds->exact_count < standing->place_count;
    for (int32_t a = 0; other && a < bounds->arms->arm_count && !og_stop_asked(bounds->stop); a++) {
        const og_arm *arm = bounds->arms->arm[a];
        double beyond = bounds->beyond ? fmax(0, missing_most(arm) - price) : 0;
        find_values(arm, price, beyond, bounds->value + bounds->arms->node_offset[a]);
    }
    for (size_t i = 0; other && i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i];
        sum += is_exact(place)
                   ? 0
                   : (double)place->tasks * bounds->value[og_standing_node(standing, i)];
    }
    return sum * (1 + (double)(standing->place_count + 4) * DBL_EPSILON) + gain_error(bounds);
}

/* ---- below ---- */

static void find_gains(const batch_bounds *bounds)
{
    const og_standing *standing = bounds->standing;
    size_t width = (size_t)bounds->plan + 1, places = standing->place_count;
    double *now = bounds->value, *spare = bounds->value + all_nodes(bounds->arms);
    memset(now, 0, 2 * all_nodes(bounds->arms) * sizeof *now);
    for (int32_t n = 1; n <= bounds->plan && !og_stop_asked(bounds->stop); n++) {
        for (size_t i = 0; i < places; i++) {
            const og_spot *place = &standing->place[i];
            bounds->begun[i * width + (size_t)n] =
                value_of_buying(bounds->arms->arm[place->arm], bounds->price, place->node,
                                now + bounds->arms->node_offset[place->arm]);
        }
        now = add_layer(bounds->arms, bounds->price, n, bounds->stop, &spare, now);
        for (size_t i = 0; i < places; i++) {
            bounds->gain[i * width + (size_t)n] = now[og_standing_node(standing, i)];
        }
    }
}

/* The gains of a task of the lot by its number of labels, from those given on. With a price a task
 * has at most one label in the batch. */
static const double *gains_of(const batch_bounds *bounds, const lot *one)
{
    return (one->given == 1 ? bounds->begun : bounds->gain) +
           one->place * ((size_t)bounds->plan + 1);
}

/* A block of further labels for equal tasks, after the blocks before it. */
typedef struct {
    double slope; /* gain for each label */
    size_t lot;
    int32_t labels, turn; /* number of labels; the position among the blocks of its tasks */
} block;

static int compare_blocks(const void *x, const void *y)
{
    const block *a = x, *b = y;
    if (a->slope != b->slope) {
        return a->slope < b->slope ? 1 : -1;
    }
    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* Add the blocks of the least concave function above the gains from the given labels on, in order
 * of falling slope. */
static size_t add_blocks(const batch_bounds *bounds, size_t at, block *to)
{
    const lot *one = &bounds->lot[at];
    const double *gain = gains_of(bounds, one);
    int32_t steps = bounds->standing->place[one->place].steps;
    int32_t most = steps < bounds->plan ? steps : bounds->plan;
    size_t count = 0;
    for (int32_t given = one->given; one->tasks > 0 && given < most;) {
        int32_t best = given + 1;
        double slope = gain[best] - gain[given];
        for (int32_t n = given + 2; n <= most; n++) {
            double other = (gain[n] - gain[given]) / (n - given);
            if (other > slope) {
                best = n;
                slope = other;
            }
        }
        /* not steeper than the previous block, even with rounding */
        slope = count > 0 ? fmin(slope, to[count - 1].slope) : slope;
        to[count] = (block){slope, at, best - given, (int32_t)count};
        count++;
        given = best;
    }
    return count;
}

/* Take blocks in order while they fit; a task takes a block only if it took those before it. */
static double take_blocks(const batch_bounds *bounds, const block *blocks, size_t count,
                          int64_t *taken)
{
    int64_t left = bounds->budget - bounds->batch;
    double sum = 0;
    for (size_t i = 0; i < count && left > 0; i++) {
        const block *one = &blocks[i];
        int64_t *last = &taken[one->lot];
        int64_t tasks = one->turn > 0 ? *last : bounds->lot[one->lot].tasks;
        tasks = tasks < left / one->labels ? tasks : left / one->labels;
        *last = tasks;
        left -= tasks * one->labels;
        sum += (double)(tasks * one->labels) * one->slope;
    }
    return sum;
}

/* The tasks of each lot, as lists. */
typedef struct {
    uint32_t *first; /* [lots] a task plus 1; 0: none */
    uint32_t *next;  /* [tasks] likewise */
    int32_t *given;  /* [tasks] labels in the batch */
    int32_t *turn;   /* [tasks] blocks taken */
} members;

static size_t lot_of(const batch_bounds *bounds, uint32_t place, int32_t given)
{
    size_t others = bounds->lot_count - bounds->standing->place_count, at = 0;
    while (given > 0 && at < others &&
           (bounds->lot[at].place != place || bounds->lot[at].given != given)) {
        at++;
    }
    return given > 0 ? at : others + place;
}

static og_status list_members(batch_bounds *bounds, const og_next *next, members *out)
{
    size_t tasks = bounds->standing->task_count;
    out->first = og_arena_array(&bounds->arena, bounds->lot_count, sizeof *out->first);
    out->next = og_arena_array(&bounds->arena, tasks, sizeof *out->next);
    out->given = og_arena_array(&bounds->arena, tasks, sizeof *out->given);
    out->turn = og_arena_array(&bounds->arena, tasks, sizeof *out->turn);
    OG_TRY(og_arena_status(&bounds->arena));
    for (int32_t k = 0; k < next->count; k++) {
        out->given[next->task[k]]++;
    }
    for (uint32_t i = bounds->standing->task_count; i-- > 0;) {
        size_t at = lot_of(bounds, bounds->standing->place_of[i], out->given[i]);
        out->next[i] = out->first[at];
        out->first[at] = i + 1;
    }
    return OG_OK;
}

/* As take_blocks, task by task, as far as there are workers. */
static double take_for_workers(const batch_bounds *bounds, const block *blocks, size_t count,
                               members *all)
{
    int64_t left = bounds->budget - bounds->batch;
    double sum = 0;
    for (size_t i = 0; i < count && left > 0 && !og_stop_asked(bounds->stop); i++) {
        const block *one = &blocks[i];
        int64_t taken = 0;
        for (uint32_t at = all->first[one->lot]; at > 0 && left >= one->labels;
             at = all->next[at - 1]) {
            if (all->turn[at - 1] == one->turn &&
                og_matching_add(bounds->matching, at - 1, one->labels)) {
                all->turn[at - 1]++;
                left -= one->labels;
                taken++;
            }
        }
        sum += (double)(taken * one->labels) * one->slope;
    }
    return sum;
}

static og_status find_least(batch_bounds *bounds, const og_next *next, double *least)
{
    size_t room = bounds->lot_count * (size_t)bounds->plan, count = 0;
    block *blocks = og_arena_array(&bounds->arena, room + 1, sizeof *blocks);
    int64_t *taken = og_arena_array(&bounds->arena, bounds->lot_count + 1, sizeof *taken);
    OG_TRY(og_arena_status(&bounds->arena));
    members all = {.first = NULL};
    OG_TRY(bounds->matching != NULL ? list_members(bounds, next, &all) : OG_OK);
    double sum = 0;
    find_gains(bounds);
    for (size_t i = 0; i < bounds->lot_count; i++) {
        const lot *one = &bounds->lot[i];
        count += add_blocks(bounds, i, blocks + count);
        sum += one->given > 0 ? (double)one->tasks * gains_of(bounds, one)[one->given] : 0;
    }
    qsort(blocks, count, sizeof *blocks, compare_blocks);
    sum += bounds->matching != NULL ? take_for_workers(bounds, blocks, count, &all)
                                    : take_blocks(bounds, blocks, count, taken);
    double rounding =
        value_error(bounds->arms) + 4 * (double)(count + bounds->lot_count + 4) * DBL_EPSILON;
    /* for a sum of gains. With prices its terms, each at most the scale, may cancel */
    double terms = bounds->price > 0 ? fmin(bounds->budget, (double)bounds->standing->task_count) *
                                           og_arms_scale(bounds->arms)
                                     : sum;
    *least = sum - rounding * terms;
    *least = bounds->price > 0 && bounds->batch > 0 ? *least : fmax(0, *least);
    return OG_OK;
}

og_status og_next_bounds(const og_standing *standing, og_matching *matching, og_stop *stop,
                         og_next *next)
{
    batch_bounds bounds;
    og_status status = bounds_init(standing, stop, next, &bounds);
    bounds.matching = matching != NULL && standing->terms.workers->limited ? matching : NULL;
    if (status == OG_OK) {
        /* every value found is a valid bound, minimal or not */
        next->gain_most = og_golden_least(gain_at_price, &bounds, bounds.price,
                                          fmax(bounds.price, og_arms_scale(bounds.arms)), PRICES);
        next->stops = next->count == 0 && (!bounds.beyond || gain_at_price(&bounds, bounds.price) <=
                                                                 gain_error(&bounds));
        if (og_stop_status(stop) != OG_OK) { /* an incomplete computation is not a bound */
            next->gain_most = NAN;
            next->stops = false;
        }
        status = find_least(&bounds, next, &next->gain_least);
        next->gain_least = og_stop_status(stop) == OG_OK ? next->gain_least : NAN;
    }
    og_arena_clear(&bounds.arena);
    return status;
}

/* ---- tasks worth a label ---- */

og_status og_next_needs(const og_standing *standing, og_stop *stop, int32_t *needs)
{
    double price = standing->terms.price;
    const og_arms *arms = standing->arms;
    double *now = calloc(2 * all_nodes(arms), sizeof *now), *layers = now;
    OG_TRY(OG_ALLOCATED(layers));
    double *spare = now + all_nodes(arms), least = value_error(arms) * og_arms_scale(arms);
    for (uint32_t i = 0; i < standing->place_count; i++) {
        needs[i] = price > 0 || standing->place[i].steps == 0 ? INT32_MAX : 1;
    }
    for (int32_t n = 1; price > 0 && n <= standing->ahead && !og_stop_asked(stop); n++) {
        now = add_layer(arms, price, n, stop, &spare, now);
        for (uint32_t i = 0; i < standing->place_count; i++) {
            bool worth =
                n <= standing->place[i].steps && now[og_standing_node(standing, i)] > least;
            needs[i] = needs[i] > n && worth ? n : needs[i];
        }
    }
    free(layers);
    return og_stop_status(stop);
}
