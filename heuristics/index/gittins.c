/*
 * Computes the finite-horizon Gittins index [Hu and Frazier, section 6; spec: gittins-fh]
 *
 *   gamma_r(x) = sup over stopping times 1 <= tau <= r of
 *                E[sum of R over the first tau labels] / E[tau],
 *
 * the largest price z at which a single instance at x, with r labels left, still buys. It is
 * computed for every node and every number of labels left, smaller numbers first.
 *
 * The plain method is Dinkelbach's iteration [Management Science 13 (1967)]: the best rule at a
 * price z has a larger ratio of earnings to labels than z, unless z is the index; so that ratio is
 * the next price, until it grows no more. The best rule buys at y with s labels left if its net
 * worth there is greater than 0,
 *
 *   Q_z(y, s) = -z + R(y) + sum_k p_k v_z(next_k, s - 1),   v_z = max(0, Q_z),  v_z(., 0) = 0;
 *
 * at x it always buys. The rest is speed. The indices for fewer labels show which nodes may buy at
 * z: those not below it (fast/gittins_strip.h). Nearly always they even determine the best rule, so
 * that its ratio needs no net worths (fast/gittins_node.h); if some are too close to z for that,
 * the plain method computes the index here, in long doubles. Roots alone: fast/gittins_root.h.
 * gittins_exact.c has the plain method in fractions.
 *
 * Rounding. Let m be the number of outcomes, u the unit roundoff, c = max(error of p, error of R) +
 * (m + 2) u the error of a node's sum, w the same (m + 2) times the roundoff of long doubles, and g
 * the index of the stored p and R. These change the earnings and labels of every rule by a relative
 * r c, and so the largest ratio by 2 r c. In the plain method:
 *
 *   (1) max(0, .) does not expand, so the error of Q is at most the local errors
 *       w (R + z + sum p v) summed along the rule. E[v after k labels] <= r g and
 *       E[sum of R] <= r g, since continuing is a rule with at most r labels.
 *       So the error is D <= w g (r^2 + 2 r).
 *   (2) The rule found at the last z has a computed ratio <= z. So its net worth is at most
 *       2 r^2 w z, and that of the best rule at most 2 D more. Q falls by at least 1 per unit of
 *       price, so the index is at most z + 2 r^2 w z + 2 D. Every z is a rule's ratio, so it is at
 *       least z (1 - 2 r w). Together w (4 r^2 + 5 r) or less.
 *
 * The error of a known rule's ratio is at most (3 r + 3) c (fast/gittins_node.c). The stated error,
 * (3 r + 3) c + 5 w (r + 1)^2, covers both.
 *
 * Cost: T^3 / 6 indices for a Beta arm. For the uniform prior half of them are 0, and half of the
 * others are the same as with one label less. The rest usually take one walk (1.13 on average at T
 * = 400), over up to left^2 / 2 nodes: 0.03 s at T = 100, 0.5 s at 200, 8 s at 400, 48 s at 600
 * (one thread), which is T^4.3. T = 1000 takes 825 s on two busy cores, ranks included, because
 * tables no longer fit in the caches. The work for an index is not constant, because the rules of
 * two nodes almost always differ in a few nodes, and each of these changes the values of all nodes
 * before it.
 * Checked by tests/test_index.c: index_is_the_definition_within_the_stated_error
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "heuristics/index/fast/gittins_node.h"
#include "heuristics/index/fast/gittins_root.h"
#include "heuristics/index/index.h"

double og_gittins_error(const og_arms *arms, int32_t left)
{
    double reward_error = 0, outcomes = 0, steps = (double)left + 1;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        reward_error = fmax(reward_error, arms->arm[i]->reward_error);
        outcomes = fmax(outcomes, arms->arm[i]->outcome_count);
    }
    if (left == 1) {
        return reward_error;
    }
    double w = (outcomes + 2) * (double)(LDBL_EPSILON / 2);
    return 3 * steps * og_node_error(arms, 2) + 5 * w * steps * steps;
}

/* ---- the plain method ---- */

/* Of the best rule at a price, from a node on; all 0 if it stops there. */
typedef struct {
    long double net, earned, labels;
} worth;

/* Work space of one thread. */
typedef struct {
    og_strip strip;
    worth *here, *below; /* [widest level] of two levels */
} plain_space;

static void plain_space_init(og_arena *arena, const og_arms *arms, plain_space *out)
{
    size_t width = og_gittins_width(arms);
    *out = (plain_space){.strip = og_strip_new(arena, arms->budget),
                         .here = og_arena_array(arena, width, sizeof(worth)),
                         .below = og_arena_array(arena, width, sizeof(worth))};
}

static void stop_at(worth *level, og_node_range nodes)
{
    for (uint32_t i = 0; i <= nodes.last - nodes.first; i++) {
        level[i] = (worth){0, 0, 0};
    }
}

/* If a label is bought at the node; `below` starts with the node `first`. */
static worth worth_of_label(const og_arm *arm, uint32_t node, long double price, uint32_t first,
                            const worth *below)
{
    size_t outcomes = (size_t)arm->outcome_count;
    worth out = {0, 0, 0};
    for (size_t k = node * outcomes; k < (node + (size_t)1) * outcomes; k++) {
        const worth *next = &below[arm->next[k] - first];
        out.net += arm->probability[k] * next->net;
        out.earned += arm->probability[k] * next->earned;
        out.labels += arm->probability[k] * next->labels;
    }
    out.net += arm->reward[node] - price;
    out.earned += arm->reward[node];
    out.labels += 1;
    return out;
}

/* The ratio of earnings to labels of the best rule at the price. */
static long double best_ratio(const og_gittins_place *at, long double price, plain_space *space)
{
    const og_arm *arm = at->known->arms->arm[at->arm];
    double low = nextafter((double)price, 0); /* opens the same nodes as the price */
    int32_t levels = og_strip_open(at, low, &space->strip);
    og_node_range reached = space->strip.reached[levels];
    stop_at(space->below, reached);
    for (int32_t k = levels - 1; k > 0; k--) {
        og_node_range open = space->strip.open[k];
        uint32_t first_below = reached.first;
        reached = space->strip.reached[k];
        stop_at(space->here, reached);
        for (uint32_t node = open.first; node <= open.last; node++) {
            worth bought = worth_of_label(arm, node, price, first_below, space->below);
            if (bought.net > 0) {
                space->here[node - reached.first] = bought;
            }
        }
        worth *done = space->here;
        space->here = space->below;
        space->below = done;
    }
    worth whole = worth_of_label(arm, at->node, price, reached.first, space->below);
    return whole.earned / whole.labels;
}

/* `least` > 0 is a lower bound on the index. */
static double plain_index(const og_gittins_place *at, double least, plain_space *space)
{
    long double price = least, ratio = best_ratio(at, price, space);
    while (ratio > price) {
        price = ratio;
        ratio = best_ratio(at, price, space);
    }
    return (double)price;
}

/* ---- the table ---- */

typedef struct {
    og_gittins_space *fast;
    plain_space plain;
} thread_space;

/* The work for one number of labels left; all smaller numbers are done. */
typedef struct {
    const og_index_job *job;
    og_scored *scored;
    og_gittins_known known;
    const og_gittins_tables *tables;
    thread_space *spaces; /* [threads] */
    uint32_t *first;      /* [runs + 1] classes whose first members are in one level of one arm */
    int32_t left;
} sweep;

static void score_run(const sweep *s, thread_space *space, int64_t run)
{
    const og_twins *twins = s->job->twins;
    uint32_t first = s->first[run];
    og_gittins_place at = {&s->known, twins->first_arm[first], twins->first_node[first], s->left};
    double *row = s->scored->index->index[(int64_t)s->left * s->job->arms->arm_count + at.arm];
    og_gittins_space_enter(s->tables, &at, space->fast);
    for (uint32_t c = first; c < s->first[run + 1] && !og_stop_asked(s->job->stop); c++) {
        at.node = twins->first_node[c];
        double index;
        if (!og_gittins_node_index(space->fast, at.node, &index)) {
            index = plain_index(&at, index, &space->plain);
        }
        row[at.node] = index;
    }
}

static void score_runs(void *context, int thread, int64_t begin, int64_t end)
{
    const sweep *s = context;
    for (int64_t run = begin; run < end; run++) {
        score_run(s, &s->spaces[thread], run);
    }
}

/* Classes are numbered by level and arm. Returns the number of runs of the classes up to `count`.
 */
static uint32_t find_runs(const og_index_job *job, uint32_t *first)
{
    const og_twins *twins = job->twins;
    uint32_t runs = 0;
    for (uint32_t c = 0; c < twins->class_count; c++) {
        const og_arm *arm = job->arms->arm[twins->first_arm[c]];
        bool goes_on =
            c > 0 && twins->first_arm[c] == twins->first_arm[c - 1] &&
            og_arm_level(arm, twins->first_node[c]) == og_arm_level(arm, twins->first_node[c - 1]);
        if (!goes_on) {
            first[runs++] = c;
        }
    }
    first[runs] = twins->class_count;
    return runs;
}

static og_status sweep_init(sweep *s, og_gittins_tables *tables, int32_t last)
{
    const og_arms *arms = s->job->arms;
    size_t threads = (size_t)s->job->threads;
    OG_TRY(og_gittins_tables_init(tables, &s->known, og_node_error(arms, 2), last));
    s->tables = tables;
    s->spaces = og_arena_array(&tables->arena, threads, sizeof *s->spaces);
    s->first =
        og_arena_array(&tables->arena, (size_t)s->job->twins->class_count + 1, sizeof *s->first);
    for (size_t i = 0; !tables->arena.failed && i < threads; i++) {
        s->spaces[i].fast = og_gittins_space_new(&tables->arena, arms);
        plain_space_init(&tables->arena, arms, &s->spaces[i].plain);
    }
    return og_arena_status(&tables->arena);
}

static og_status score_rows_with(sweep *s, og_gittins_tables *tables, int32_t last)
{
    const og_index_job *job = s->job;
    int threads = og_index_threads(job, 500);
    OG_TRY(sweep_init(s, tables, last));
    uint32_t runs = find_runs(job, s->first);
    for (s->left = 1; s->left <= last; s->left++) {
        uint32_t classes = og_twins_with_left(job->twins, job->arms->budget, s->left);
        while (runs > 0 && s->first[runs] > classes) {
            runs--;
        }
        og_parallel_ranges(threads, runs, 1, score_runs, s);
        OG_TRY(og_stop_status(job->stop));
        og_scored_copy_to_twins(job, s->scored, s->left);
        og_gittins_tables_look(tables, threads, s->left);
    }
    return OG_OK;
}

static void state_errors(const og_arms *arms, og_scored *scored)
{
    for (int32_t left = 1; left <= arms->budget; left++) {
        scored->left_error[left] = og_gittins_error(arms, left);
        scored->index->error = scored->left_error[left];
    }
    scored->absolute = scored->index->absolute_error = OG_GITTINS_FLOOR;
}

/* Computes the rows of 1 .. last labels left. */
static og_status score_rows(const og_index_job *job, int32_t last, og_scored *out)
{
    og_gittins_tables tables = {.arena = {0}};
    sweep s = {.job = job,
               .scored = out,
               .known = {.arms = job->arms,
                         .index = out->index,
                         .left_error = out->left_error,
                         .absolute = out->absolute}};
    state_errors(job->arms, out);
    og_status status = score_rows_with(&s, &tables, last);
    og_gittins_tables_clear(&tables);
    return status;
}

/* ---- gittins-fh:N ---- */

/*
 * gittins-fh:N assumes N labels left in every state; an instance that has had n of the T labels can
 * have at most T - n. So the index does not depend on the labels left, and stages can evaluate any
 * number of instances (dp/product/stationary/). Its twins are of one level.
 */
static int32_t as_if_left(const og_index_job *job, int32_t level)
{
    double most = job->policy->parameter;
    int32_t left = job->arms->budget - level;
    return most < left ? (int32_t)most : left;
}

static og_status exact_as_if(const og_index_job *job, const og_scored *scored, int32_t arm,
                             uint32_t node, int32_t left, mpq_t out)
{
    const uint32_t *first = job->arms->arm[arm]->level;
    int32_t level = 0;
    while (first[level + 1] <= node) {
        level++;
    }
    (void)left;
    return og_exact_gittins_fh(job, scored->own, arm, node, as_if_left(job, level), out);
}

static void free_rows(void *own)
{
    og_scored_clear(own);
    free(own);
}

static og_status score_as_if(const og_index_job *job, og_scored *out)
{
    const og_arms *arms = job->arms;
    og_scored *rows = calloc(1, sizeof *rows);
    OG_TRY(OG_ALLOCATED(rows));
    out->own = rows;
    out->free_own = free_rows;
    out->exact = exact_as_if;
    int32_t last = as_if_left(job, 0);
    OG_TRY(og_scored_init_up_to(job, last, rows));
    OG_TRY(score_rows(job, last, rows));
    OG_TRY(og_scored_init(job, false, false, out));
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const uint32_t *first = arms->arm[i]->level;
        for (int32_t level = 0; level < arms->budget; level++) {
            const double *row = og_index_of(rows->index, i, as_if_left(job, level));
            memcpy(out->index->index[i] + first[level], row + first[level],
                   (first[level + 1] - first[level]) * sizeof *row);
        }
    }
    og_scored_copy_to_twins(job, out, 1);
    out->left_error[0] = out->index->error = rows->left_error[last];
    out->absolute = out->index->absolute_error = OG_GITTINS_FLOOR;
    return OG_OK;
}

/* ---- roots only ---- */

typedef struct {
    const og_index_job *job;
    og_scored *scored;
    int32_t left;
} roots;

static og_status score_root(void *context, int thread, int64_t c)
{
    const roots *all = context;
    const og_index_job *job = all->job;
    int32_t arm = job->twins->first_arm[c];
    (void)thread;
    return og_gittins_root_index(job->arms->arm[arm], all->left, job->stop,
                                 all->scored->index->index[arm]);
}

static og_status score_roots(const og_index_job *job, og_scored *out)
{
    roots all = {job, out, og_gittins_root_left(job)};
    out->left_error[0] = og_gittins_root_error(og_node_error(job->arms, 2), all.left);
    out->index->error = out->left_error[0];
    out->absolute = out->index->absolute_error = OG_GITTINS_FLOOR;
    int threads = og_index_threads(job, 100);
    OG_TRY(og_parallel_items(threads, job->twins->class_count, 1, score_root, &all));
    og_scored_copy_to_twins(job, out, 0);
    return OG_OK;
}

og_status og_score_gittins_fh(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    if (job->policy->has_parameter && !job->roots) {
        return score_as_if(job, out);
    }
    OG_TRY(og_scored_init(job, !job->roots, false, out));
    out->exact = og_exact_gittins_fh;
    if (job->roots) {
        return score_roots(job, out);
    }
    return score_rows(job, job->arms->budget, out);
}
