/*
 * Computes the finite-horizon Gittins index [Hu and Frazier, section 6; spec: gittins-fh]
 *
 *   gamma_r(x) = sup over stopping times 1 <= tau <= r of
 *                E[sum of R over the first tau labels] / E[tau],
 *
 * the largest price z at which a single instance at x, with r labels left, still buys. It is
 * computed for every node and every number of labels left, smaller numbers first. gittins_node.c
 * computes one index.
 *
 * Cost: T^3 / 6 indices for a Beta arm. For the uniform prior half of them are 0, and half of the
 * others are the same as with one label less. The rest usually take one walk (1.13 on average at T
 * = 400), over up to left^2 / 2 nodes: 0.03 s at T = 100, 0.5 s at 200, 8 s at 400, 48 s at 600
 * (one thread), which is T^4.3. T = 1000 takes 825 s on two busy cores, ranks included, because
 * tables no longer fit in the caches. The work for an index is not constant, because the rules of
 * two nodes almost always differ in a few nodes, and each of these changes the values of all nodes
 * before it.
 */
#include <stdlib.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "heuristics/index/gittins.h"
#include "heuristics/index/gittins_node.h"

/* The work for one number of labels left; all smaller numbers are done. */
typedef struct {
    const og_index_job *job;
    og_scored *scored;
    const og_gittins_tables *tables;
    og_gittins_space **spaces; /* [threads] */
    uint32_t *first; /* [runs + 1] classes whose first members are in one level of one arm */
    int32_t left;
} sweep;

static void score_run(const sweep *s, og_gittins_space *space, int64_t run)
{
    const og_twins *twins = s->job->twins;
    uint32_t first = s->first[run];
    const og_gittins_place at = {s->job, s->scored, twins->first_arm[first],
                                 twins->first_node[first], s->left};
    double *row = s->scored->index->index[(int64_t)s->left * s->job->arms->arm_count + at.arm];
    og_gittins_space_enter(s->tables, &at, space);
    for (uint32_t c = first; c < s->first[run + 1] && !og_stop_asked(s->job->stop); c++) {
        row[twins->first_node[c]] = og_gittins_node_index(space, twins->first_node[c]);
    }
}

static void score_runs(void *context, int thread, int64_t begin, int64_t end)
{
    const sweep *s = context;
    for (int64_t run = begin; run < end; run++) {
        score_run(s, s->spaces[thread], run);
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
    OG_TRY(og_gittins_tables_init(tables, s->job, s->scored, last));
    s->tables = tables;
    s->spaces = og_arena_array(&tables->arena, threads, sizeof(og_gittins_space *));
    s->first =
        og_arena_array(&tables->arena, (size_t)s->job->twins->class_count + 1, sizeof *s->first);
    for (size_t i = 0; !tables->arena.failed && i < threads; i++) {
        s->spaces[i] = og_gittins_space_new(&tables->arena, arms);
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
    og_gittins_tables tables = {.job = job};
    sweep s = {.job = job, .scored = out};
    state_errors(job->arms, out);
    og_status status = score_rows_with(&s, &tables, last);
    og_gittins_tables_clear(&tables);
    return status;
}

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

og_status og_score_gittins_fh(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    if (job->policy->has_parameter) {
        return score_as_if(job, out);
    }
    OG_TRY(og_scored_init(job, !job->roots, false, out));
    out->exact = og_exact_gittins_fh;
    if (job->roots) {
        return og_gittins_roots(job, out);
    }
    return score_rows(job, job->arms->budget, out);
}
