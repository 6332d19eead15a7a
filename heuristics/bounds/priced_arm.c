/*
 * Evaluates one arm with priced labels by backward recursion over the nodes with a positive value.
 *
 * Invariant: a row is a range of positions in one level, and the value is exactly 0 outside it. The
 * candidates of level n are the positions with a reward and those with a successor in the next
 * level's row; no other position can be positive. A row is then cut to its first and last positive
 * position.
 *
 * Rounding. Let u = 2^-53, rho and pi the arm's relative errors of R and p, starred values exact,
 * hats computed, k the number of outcomes; F >= every computed value of the next level (stage) and
 * E >= its error. For the worth of buying, c = -z + R + sum p f, because the exact probabilities
 * sum to one,
 *
 *   |R - R*|                 <= rho R*                  <= 1.01 rho R
 *   |sum p f^ - sum p* f*|   <= sum |p - p*| f^ + sum p* |f^ - f*|  <= pi F + E
 *   rounding of sum p f^     <= 1.01 k u (1 + pi) F     (k products, k - 1 sums)
 *   rounding of R - z and of the last sum  <= u max(R, z) + u (max(R, z) + F) (1 + 1.01 (k u + pi))
 *
 * and max(0, .), max(f, .) do not widen an error. So one level (stage) adds to E at most
 *
 *   step = 1.02 (rho R + pi F + (k + 1) u F + 2 u max(R, z)) + underflow,
 *
 * with R the largest reward of the level (of the nodes that can be there), rho and pi being below
 * 0.001. E itself is a sum of at most 10^6 such terms, so its rounding stays below the 2 % in 1.02.
 *
 * Priced ends. f of the last stages has the same step for each stage, with the largest reward for
 * R. The substitute for R, A = (R - w) + sum p w, is computed from stored w, with F the largest of
 * them, and has an error of at most
 *
 *   slack = 1.02 (rho R + pi F + (k + 4) u (R + F)) + underflow.
 *
 * |A| <= R + F. So a step has the slack instead of rho R, and 2 u (R + F + z) instead of 2 u max(R,
 * z). At a price above A plus the slack no label is bought, in exact arithmetic either.
 * Checked by tests/test_priced_arm.c: priced_arm_is_within_its_error_of_the_recursion_in_fractions
 */
#include "heuristics/bounds/priced_arm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/base/grow.h"

/* Positions low .. high of a level; empty if low > high. `at`: where the first position's value is
 * stored. */
typedef struct {
    int32_t low;
    int32_t high;
    size_t at;
} row;

/* A range of positions of a level that all buy. */
typedef struct {
    int32_t level;
    int32_t low;
    int32_t high;
} run;

static const row nothing = {.low = INT32_MAX, .high = -1, .at = 0};

struct og_priced_arm {
    og_arena arena; /* all except the pool and the runs, which grow */
    const og_arm *arm;
    row *reward;        /* [depth] positions with a reward */
    double *reward_max; /* [depth] largest reward of the level */
    double dearest;     /* largest of all */
    og_arm ended;       /* with a priced end: `arm` points to it */
    double slack;       /* priced end: the error of the substitute rewards; else 0 */
    double size;        /* priced end: R + F, a bound on the size of substitute rewards; else 0 */
    int32_t widest;     /* nodes of the widest level */
    row *strip;         /* [depth + 1] rows with a positive value */
    double *pool;       /* constant price: the values of the strips */
    size_t pool_size;
    double *mass[2]; /* [widest] probability of being at a position, for two adjacent levels */
    /* For prices by stage; allocated at the first use. */
    double *value;   /* [node_count] f; all 0 between calls */
    double *reached; /* [node_count] probability of being there; all 0 between calls */
    uint8_t *buys;   /* [widest] scratch: true if buying is better than waiting */
    bool *moved;     /* [depth + 1] levels with purchases at the last evaluated stage */
    run *runs;       /* positions that buy; from the last stage to the first */
    size_t runs_size;
    size_t *mark;   /* [depth + 2] the runs of stage l are mark[l + 1] .. mark[l] - 1 */
    int32_t stages; /* of the last evaluation */
    int32_t levels; /* from this level on it bought no label */
    uint64_t work;  /* nodes evaluated so far */
};

static int32_t width(const og_arm *arm, int32_t level)
{
    return (int32_t)(arm->level[level + 1] - arm->level[level]);
}

static row hull(row a, row b)
{
    row both = {.low = a.low < b.low ? a.low : b.low, .high = a.high > b.high ? a.high : b.high};
    return both;
}

/* Positions of `level` with a successor in `next`, a row of the following level. */
static row before(const og_arm *arm, int32_t level, row next)
{
    int32_t last = width(arm, level) - 1;
    if (next.low > next.high) {
        return nothing;
    }
    row all = {.low = 0, .high = last};
    if (arm->lattice) {
        all.low = next.low > 0 ? next.low - 1 : 0;
        all.high = next.high < last ? next.high : last;
    }
    return all;
}

static void find_rewards(og_priced_arm *priced)
{
    const og_arm *arm = priced->arm;
    for (int32_t n = 0; n < arm->depth; n++) {
        const double *reward = arm->reward + arm->level[n];
        row found = nothing;
        double largest = 0.0;
        int32_t count = width(arm, n);
        for (int32_t s = 0; s < count; s++) {
            if (reward[s] > 0.0) {
                found.low = found.low < s ? found.low : s;
                found.high = s;
                largest = reward[s] > largest ? reward[s] : largest;
            }
        }
        priced->reward[n] = found;
        priced->reward_max[n] = largest + priced->slack;
        priced->dearest = fmax(priced->dearest, priced->reward_max[n]);
        priced->widest = count > priced->widest ? count : priced->widest;
    }
    int32_t last = width(arm, arm->depth);
    priced->widest = last > priced->widest ? last : priced->widest;
}

/* Builds the rest of the handle from the arm and its rewards or their substitutes. */
static og_status prepare(og_priced_arm *priced)
{
    const og_arm *arm = priced->arm;
    size_t levels = (size_t)arm->depth + 1;
    og_arena *arena = &priced->arena;
    priced->reward = og_arena_array(arena, levels, sizeof *priced->reward);
    priced->reward_max = og_arena_array(arena, levels, sizeof *priced->reward_max);
    priced->strip = og_arena_array(arena, levels, sizeof *priced->strip);
    if (!arena->failed) {
        find_rewards(priced);
        priced->mass[0] = og_arena_array(arena, (size_t)priced->widest, sizeof(double));
        priced->mass[1] = og_arena_array(arena, (size_t)priced->widest, sizeof(double));
    }
    return og_arena_status(arena);
}

og_status og_priced_arm_new(const og_arm *arm, og_priced_arm **out)
{
    og_priced_arm *priced = og_arena_new(sizeof *priced);
    OG_TRY(OG_ALLOCATED(priced));
    assert(arm->reward_error < 0.001 && arm->probability_error < 0.001);
    priced->arm = arm;
    return OG_MADE(prepare(priced), priced, og_priced_arm_free, out);
}

void og_priced_arm_free(og_priced_arm *priced)
{
    if (priced != NULL) {
        free(priced->pool);
        free(priced->runs);
    }
    og_arena_free(priced);
}

double og_priced_arm_dearest(const og_priced_arm *priced)
{
    return priced->dearest;
}

uint64_t og_priced_arm_work(const og_priced_arm *priced)
{
    return priced->work;
}

/* Each level multiplies by a probability and adds the masses of all predecessors of a node; then a
 * level's masses and the levels' sums are added. */
double og_priced_arm_bought_error(const og_priced_arm *priced)
{
    const og_arm *arm = priced->arm;
    double unit = DBL_EPSILON / 2;
    double sources = arm->lattice ? 2 : (double)arm->outcome_count * priced->widest;
    return 1.01 *
           (arm->depth * (arm->probability_error + (sources + 2) * unit) + priced->widest * unit);
}

/* See the head of the file; `reward`, `next` and `price` are R, F and z. */
static double rounding_step(const og_priced_arm *priced, double reward, double next, double price)
{
    const og_arm *arm = priced->arm;
    double unit = DBL_EPSILON / 2;
    double dear = (reward > price ? reward : price) + priced->size;
    double k = arm->outcome_count;
    return 1.02 * (arm->reward_error * reward + arm->probability_error * next +
                   (k + 1) * unit * next + 2 * unit * dear + priced->slack) +
           (k + 3) * DBL_TRUE_MIN;
}

/* sum_k p_k value(next_k) at a node; `next` has the values of `there`, a row of the next level.
 */
static double expectation(const og_arm *arm, uint32_t node, uint32_t next_level, row there,
                          const double *next)
{
    double sum = 0.0;
    size_t first = (size_t)node * (size_t)arm->outcome_count;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        int32_t s = (int32_t)(arm->next[first + (size_t)k] - next_level);
        if (s >= there.low && s <= there.high) {
            sum += arm->probability[first + (size_t)k] * next[s - there.low];
        }
    }
    return sum;
}

/* Fills strip[n], the values of level n at a constant price, from those of level n + 1. `used`:
 * used part of the pool. Returns the largest value. */
static double fill_strip(og_priced_arm *priced, int32_t n, double price, row span, size_t *used)
{
    const og_arm *arm = priced->arm;
    row there = priced->strip[n + 1];
    const double *next = priced->pool + there.at;
    double *value = priced->pool + *used;
    row found = nothing;
    double largest = 0.0;
    priced->work += (uint64_t)(span.high - span.low) + 1;
    for (int32_t s = span.low; s <= span.high; s++) {
        uint32_t node = arm->level[n] + (uint32_t)s;
        double worth =
            (arm->reward[node] - price) + expectation(arm, node, arm->level[n + 1], there, next);
        value[s - span.low] = worth > 0.0 ? worth : 0.0;
        if (worth > 0.0) {
            found.low = found.low < s ? found.low : s;
            found.high = s;
            largest = worth > largest ? worth : largest;
        }
    }
    if (found.low <= found.high) {
        found.at = *used + (size_t)(found.low - span.low);
        *used = found.at + (size_t)(found.high - found.low) + 1;
    }
    priced->strip[n] = found;
    return largest;
}

static og_status value_constant(og_priced_arm *priced, double price, og_priced *out)
{
    const og_arm *arm = priced->arm;
    size_t used = 0;
    double largest = 0.0;
    double error = 0.0;
    priced->strip[arm->depth] = nothing;
    for (int32_t n = arm->depth - 1; n >= 0; n--) {
        row span = before(arm, n, priced->strip[n + 1]);
        if (priced->reward_max[n] > price) {
            span = hull(span, priced->reward[n]);
        }
        /* After this level no label is worth its price, in exact arithmetic either. */
        bool idle = error == 0.0 && priced->reward_max[n] * 1.002 <= price;
        error += idle ? 0.0 : rounding_step(priced, priced->reward_max[n], largest, price);
        priced->strip[n] = nothing;
        if (span.low > span.high) {
            largest = 0.0;
            continue;
        }
        size_t need = used + (size_t)(span.high - span.low) + 1;
        double *pool = og_grown(priced->pool, &priced->pool_size, need, sizeof *pool);
        OG_TRY(OG_ALLOCATED(pool));
        priced->pool = pool;
        largest = fill_strip(priced, n, price, span, &used);
    }
    out->gain = priced->strip[0].high == 0 ? priced->pool[priced->strip[0].at] : 0.0;
    out->error = error;
    return OG_OK;
}

/* Moves the probability of buying positions of level n to the positions of level n + 1 that buy
 * too. So both arrays are 0 outside the strips, and all 0 at the end. Returns the expected
 * purchases. */
static double move_mass(const og_priced_arm *priced, int32_t n, double *here, double *there)
{
    const og_arm *arm = priced->arm;
    row strip = priced->strip[n];
    row onward = priced->strip[n + 1];
    double bought = 0.0;
    for (int32_t s = strip.low; s <= strip.high; s++) {
        double mass = here[s];
        here[s] = 0.0;
        if (mass == 0.0 || priced->pool[strip.at + (size_t)(s - strip.low)] == 0.0) {
            continue;
        }
        bought += mass;
        size_t first = (size_t)(arm->level[n] + (uint32_t)s) * (size_t)arm->outcome_count;
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            int32_t next = (int32_t)(arm->next[first + (size_t)k] - arm->level[n + 1]);
            if (next >= onward.low && next <= onward.high) {
                there[next] += arm->probability[first + (size_t)k] * mass;
            }
        }
    }
    return bought;
}

/* The expected purchases of the buyer whose strips are filled. */
static double count_purchases(og_priced_arm *priced, double *bought)
{
    int32_t depth = priced->arm->depth;
    double sum = 0.0;
    int32_t n = 0;
    priced->mass[0][0] = priced->strip[0].high == 0 ? 1.0 : 0.0;
    for (; n < depth && priced->strip[n].high >= 0; n++) {
        double now = move_mass(priced, n, priced->mass[n & 1], priced->mass[(n + 1) & 1]);
        sum += now;
        if (bought != NULL) {
            bought[n] = now;
        }
    }
    for (; bought != NULL && n < depth; n++) {
        bought[n] = 0.0;
    }
    return sum;
}

og_status og_priced_arm_constant(og_priced_arm *priced, double price, double *bought,
                                 og_priced *out)
{
    og_priced result;
    OG_TRY(value_constant(priced, price, &result));
    result.purchases = count_purchases(priced, bought);
    *out = result;
    return OG_OK;
}

/* Changes value[] of all nodes from values after a stage to values before it, in place, with levels
 * in ascending order. Returns the largest value. */
static double end_stage(const og_arm *arm, int32_t levels, double price, double *value)
{
    double largest = 0;
    for (int32_t n = 0; n < levels; n++) {
        row there = {.low = 0, .high = width(arm, n + 1) - 1};
        const double *next = value + arm->level[n + 1];
        for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
            double worth =
                (arm->reward[x] - price) + expectation(arm, x, arm->level[n + 1], there, next);
            value[x] = fmax(value[x], worth);
            largest = fmax(largest, value[x]);
        }
    }
    return largest;
}

/* Builds the arm with `depth` labels and substitute rewards. */
static void put_in_place(og_priced_arm *priced, const og_arm *arm, int32_t depth,
                         const double *value, double *in_place)
{
    for (int32_t n = 0; n < depth; n++) {
        row there = {.low = 0, .high = width(arm, n + 1) - 1};
        const double *next = value + arm->level[n + 1];
        for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
            in_place[x] =
                (arm->reward[x] - value[x]) + expectation(arm, x, arm->level[n + 1], there, next);
        }
    }
    priced->ended = *arm; /* shares the arm's tables, except rewards */
    priced->ended.depth = depth;
    priced->ended.node_count = arm->level[depth + 1];
    priced->ended.reward = in_place;
    priced->ended.reward_error = 0;
    priced->arm = &priced->ended;
}

/* Writes w of every node before the end to value[]; *error as in the header. */
static void value_end(const og_priced_arm *plain, const double *price, int32_t stages,
                      double *value, double *error)
{
    const og_arm *arm = plain->arm;
    double largest = 0;
    *error = 0;
    for (int32_t l = stages; l >= 1; l--) {
        *error += rounding_step(plain, plain->dearest, largest, price[l - 1]);
        largest = end_stage(arm, arm->depth - stages + l, price[l - 1], value);
    }
}

/* Builds the arm with `labels` labels and the final worth `worth`; `plain` is the original arm. */
static og_status make_left(const og_priced_arm *plain, int32_t labels, const double *worth,
                           og_priced_arm **out)
{
    const og_arm *arm = plain->arm;
    og_priced_arm *priced = og_arena_new(sizeof *priced);
    OG_TRY(OG_ALLOCATED(priced));
    double *in_place = og_arena_array(&priced->arena, arm->node_count, sizeof *in_place);
    og_status status = OG_ALLOCATED(in_place);
    if (status == OG_OK) {
        double k = arm->outcome_count, unit = DBL_EPSILON / 2, largest = 0;
        for (uint32_t x = 0; x < arm->level[labels + 1]; x++) {
            largest = fmax(largest, worth[x]);
        }
        put_in_place(priced, arm, labels, worth, in_place);
        priced->size = plain->dearest + largest;
        priced->slack = 1.02 * (arm->reward_error * plain->dearest +
                                arm->probability_error * largest + (k + 4) * unit * priced->size) +
                        (k + 4) * DBL_TRUE_MIN;
        status = prepare(priced);
    }
    return OG_MADE(status, priced, og_priced_arm_free, out);
}

og_status og_priced_arm_left(const og_arm *arm, int32_t labels, const double *worth,
                             og_priced_arm **out)
{
    assert(labels >= 0 && labels <= arm->depth);
    og_priced_arm *plain = NULL;
    OG_TRY(og_priced_arm_new(arm, &plain));
    og_status status = make_left(plain, labels, worth, out);
    og_priced_arm_free(plain);
    return status;
}

og_status og_priced_arm_ended(const og_arm *arm, const double *price, int32_t stages,
                              og_priced_arm **out, double *worth, double *error)
{
    assert(stages >= 1 && stages <= arm->depth);
    og_priced_arm *plain = NULL;
    double *value = calloc(arm->node_count, sizeof *value);
    og_status status = OG_ALLOCATED(value);
    OG_THEN(status, og_priced_arm_new(arm, &plain));
    if (status == OG_OK) {
        value_end(plain, price, stages, value, error);
        *worth = value[0];
        status = make_left(plain, arm->depth - stages, value, out);
    }
    free(value);
    og_priced_arm_free(plain);
    return status;
}

static og_status prepare_stages(og_priced_arm *priced)
{
    size_t nodes = priced->arm->node_count, depth = (size_t)priced->arm->depth;
    og_arena *arena = &priced->arena;
    if (priced->mark == NULL && !arena->failed) {
        priced->value = og_arena_array(arena, nodes, sizeof *priced->value);
        priced->reached = og_arena_array(arena, nodes, sizeof *priced->reached);
        priced->buys = og_arena_array(arena, (size_t)priced->widest, sizeof *priced->buys);
        priced->moved = og_arena_array(arena, depth + 1, sizeof *priced->moved);
        priced->mark = og_arena_array(arena, depth + 2, sizeof *priced->mark);
    }
    return og_arena_status(arena);
}

/* The inner loop of update_level if outcome 0 of node s leads to s + 1 and outcome 1 to s. It needs
 * no lookups, so that a compiler can vectorize it. */
static void update_lattice(double *restrict value, const double *restrict next,
                           const double *restrict reward, const double *restrict probability,
                           double price, int32_t count, uint8_t *restrict buys)
{
    for (int32_t s = 0; s < count; s++) {
        double worth = (reward[s] - price) +
                       (probability[2 * s] * next[s + 1] + probability[2 * s + 1] * next[s]);
        buys[s] = worth > value[s];
        value[s] = worth > value[s] ? worth : value[s];
    }
}

/*
 * One stage at one level: replaces f(., stage + 1) of the span with f(., stage) in place, and marks
 * the buying positions in `buys`. The next level still has f(., stage + 1), because levels are
 * processed in ascending order.
 */
static void update_level(og_priced_arm *priced, int32_t n, double price, row span)
{
    const og_arm *arm = priced->arm;
    uint32_t first = arm->level[n] + (uint32_t)span.low;
    int32_t count = span.high - span.low + 1;
    double *value = priced->value + first;
    const double *next = priced->value + arm->level[n + 1];
    priced->work += (uint64_t)count;
    if (arm->lattice) {
        update_lattice(value, next + span.low, arm->reward + first,
                       arm->probability + 2 * (size_t)first, price, count, priced->buys);
        return;
    }
    row there = {.low = 0, .high = width(arm, n + 1) - 1};
    for (int32_t s = 0; s < count; s++) {
        uint32_t node = first + (uint32_t)s;
        double worth =
            (arm->reward[node] - price) + expectation(arm, node, arm->level[n + 1], there, next);
        priced->buys[s] = worth > value[s];
        value[s] = worth > value[s] ? worth : value[s];
    }
}

/* Appends the buying runs of the span, and widens the level's strip to contain them. */
static og_status note_runs(og_priced_arm *priced, int32_t n, row span, size_t *used)
{
    const uint8_t *buys = priced->buys;
    int32_t count = span.high - span.low + 1;
    for (int32_t s = 0; s < count; s++) {
        if (!buys[s]) {
            continue;
        }
        int32_t end = s + 1;
        while (end < count && buys[end]) {
            end++;
        }
        run *runs = og_grown(priced->runs, &priced->runs_size, *used + 1, sizeof *runs);
        OG_TRY(OG_ALLOCATED(runs));
        priced->runs = runs;
        run found = {.level = n, .low = span.low + s, .high = span.low + end - 1};
        priced->runs[(*used)++] = found;
        row bought = {.low = found.low, .high = found.high};
        priced->strip[n] = hull(priced->strip[n], bought);
        s = end;
    }
    return OG_OK;
}

/*
 * Updates levels first .. last at one stage, from f(., stage + 1) to f(., stage). Without `all` it
 * updates only the levels before a level whose values changed at the stage after this one.
 *
 * Proof that the others do not change: let the price be no lower than at that later stage, and c
 * the computed worth of buying there. The values of the next level are the same, and each rounded
 * step is monotone, so the computed worth c^ of buying now is at most c. f(., stage + 1) is the
 * larger of c and the value before, so it is at least c^.
 */
static og_status update_stage(og_priced_arm *priced, int32_t first, int32_t last, double price,
                              bool all, size_t *used)
{
    for (int32_t n = first; n <= last; n++) {
        size_t before_level = *used;
        bool stays = !all && !priced->moved[n + 1];
        priced->moved[n] = false;
        if (stays) {
            continue;
        }
        row span = before(priced->arm, n, priced->strip[n + 1]);
        if (priced->reward_max[n] > price) {
            span = hull(span, priced->reward[n]);
        }
        if (span.low > span.high) {
            continue;
        }
        update_level(priced, n, price, span);
        OG_TRY(note_runs(priced, n, span, used));
        priced->moved[n] = *used > before_level;
    }
    return OG_OK;
}

/* Returns the largest value of all stages: values only grow from stage to stage, so the current
 * ones are the largest. Sets them all to 0. */
static double largest_value(og_priced_arm *priced, int32_t levels)
{
    double largest = 0.0;
    for (int32_t n = 0; n < levels; n++) {
        row strip = priced->strip[n];
        for (int32_t s = strip.low; s <= strip.high; s++) {
            double *value = &priced->value[priced->arm->level[n] + (uint32_t)s];
            largest = *value > largest ? *value : largest;
            *value = 0.0;
        }
    }
    return largest;
}

/*
 * Computes f at the start's nodes for the first stage, and keeps the runs of every stage. The first
 * `flat` stages have one price. Among them, buying later is as good as buying at once, and no
 * information arrives meanwhile. So an instance that has waited once may wait until stage flat + 1.
 * In these stages only the levels of instances that have bought at every stage are needed: one for
 * each level of the start.
 */
static og_status value_stages(og_priced_arm *priced, const og_priced_start *start,
                              const double *price, int32_t flat, double *gain, double *error)
{
    int32_t stages = start->stages, levels = priced->levels;
    size_t used = 0;
    og_status status = OG_OK;
    for (int32_t n = 0; n <= priced->arm->depth; n++) {
        priced->strip[n] = nothing;
        priced->moved[n] = false;
    }
    priced->mark[stages + 1] = 0;
    for (int32_t l = stages; l >= 1 && status == OG_OK; l--) {
        int32_t end = start->high + l;
        int32_t first = start->low + (l <= flat ? l - 1 : 0);
        bool all = l <= flat || l == stages || price[l - 1] < price[l];
        status = update_stage(priced, first, (end < levels ? end : levels) - 1, price[l - 1], all,
                              &used);
        priced->mark[l] = used;
    }
    for (int32_t i = 0; i < start->count; i++) {
        gain[i] = priced->value[start->node[i]];
    }
    *error = 0.0;
    double largest = largest_value(priced, levels);
    for (int32_t l = stages; l >= 1; l--) {
        /* In the stages so far no label is worth its price, in exact arithmetic either. */
        bool idle = *error == 0.0 && priced->dearest * 1.002 <= price[l - 1];
        *error += idle ? 0.0 : rounding_step(priced, priced->dearest, largest, price[l - 1]);
    }
    return status;
}

/* Returns the purchases of one stage in one run, and moves the buyers to the next level. */
static double buy_in_run(og_priced_arm *priced, run where)
{
    const og_arm *arm = priced->arm;
    row onward = priced->strip[where.level + 1];
    double bought = 0.0;
    for (int32_t s = where.low; s <= where.high; s++) {
        uint32_t node = arm->level[where.level] + (uint32_t)s;
        double mass = priced->reached[node];
        if (mass == 0.0) {
            continue;
        }
        bought += mass;
        priced->reached[node] = 0.0;
        size_t first = (size_t)node * (size_t)arm->outcome_count;
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            /* If no later stage buys at a position, no mass may remain there; see the strips. */
            uint32_t next = arm->next[first + (size_t)k];
            int32_t position = (int32_t)(next - arm->level[where.level + 1]);
            if (position >= onward.low && position <= onward.high) {
                priced->reached[next] += arm->probability[first + (size_t)k] * mass;
            }
        }
    }
    return bought;
}

/* The expected purchases by stage, from the runs. A stage's runs are in ascending order of levels
 * and are processed in descending order, so that each instance buys one label in a stage. */
static double count_stages(og_priced_arm *priced, uint32_t node, double *bought)
{
    const og_arm *arm = priced->arm;
    double sum = 0.0;
    priced->reached[node] = 1.0;
    for (int32_t l = 1; l <= priced->stages; l++) {
        double now = 0.0;
        for (size_t i = priced->mark[l]; i > priced->mark[l + 1]; i--) {
            now += buy_in_run(priced, priced->runs[i - 1]);
        }
        sum += now;
        if (bought != NULL) {
            bought[l - 1] = now;
        }
    }
    priced->reached[node] = 0.0;
    for (int32_t n = 0; n < priced->levels; n++) {
        row strip = priced->strip[n];
        for (int32_t s = strip.low; s <= strip.high; s++) {
            priced->reached[arm->level[n] + (uint32_t)s] = 0.0;
        }
    }
    return sum;
}

og_status og_priced_arm_from(og_priced_arm *priced, const og_priced_start *start,
                             const double *price, double *gain, double *error)
{
    OG_TRY(prepare_stages(priced));
    int32_t stages = start->stages;
    double cheapest = INFINITY;
    assert(start->high + stages <= priced->arm->depth);
    for (int32_t l = 0; l < stages; l++) {
        cheapest = price[l] < cheapest ? price[l] : cheapest;
    }
    int32_t flat = stages > 0 ? 1 : 0;
    while (flat < stages && price[flat] == price[0]) {
        flat++;
    }
    /* From this level on no reward exceeds any price, so no label is bought there. */
    int32_t levels = start->high + stages;
    while (levels > 0 && priced->reward_max[levels - 1] <= cheapest) {
        levels--;
    }
    priced->stages = stages;
    priced->levels = levels;
    return value_stages(priced, start, price, flat, gain, error);
}

void og_priced_arm_bought(og_priced_arm *priced, uint32_t node, double *bought)
{
    count_stages(priced, node, bought);
}

og_status og_priced_arm_stages(og_priced_arm *priced, const double *price, double *bought,
                               og_priced *out)
{
    static const uint32_t root = 0;
    const og_priced_start start = {.stages = priced->arm->depth, .node = &root, .count = 1};
    og_priced result;
    OG_TRY(og_priced_arm_from(priced, &start, price, &result.gain, &result.error));
    result.purchases = count_stages(priced, 0, bought);
    *out = result;
    return OG_OK;
}
