/*
 * One backward pass over the number of labels left, by classes of twins: a class is the same
 * process everywhere, so its value is computed once. With `left` labels left the classes are those
 * that first occur before the last `left` levels. Their successors occur one level later, and have
 * a value with one label less.
 */
#include "heuristics/index/finite_horizon.h"

#include <stdlib.h>

#include "dp/base/arena.h"
#include "dp/base/parallel.h"

static uint32_t classes_with(const og_index_job *job, int32_t left)
{
    return og_twins_with_left(job->twins, job->arms->budget, left);
}

typedef struct {
    const og_index_job *job;
    og_stage_step *step;
    const void *data;
    og_scored *scored;
    int32_t left;
    double *before, *after; /* [class_count] */
    double *index;          /* [class_count] */
} pass;

static double expected_of(const pass *p, uint32_t class)
{
    int32_t number = p->job->twins->first_arm[class];
    uint32_t node = p->job->twins->first_node[class];
    const og_arm *arm = p->job->arms->arm[number];
    double sum = 0;
    for (int32_t k = 0; p->left > 1 && k < arm->outcome_count; k++) {
        sum += arm->probability[node * (size_t)arm->outcome_count + (size_t)k] *
               p->before[og_twins_next(p->job->twins, p->job->arms, class, k)];
    }
    return arm->reward[node] + sum;
}

static void score_classes(void *context, int thread, int64_t begin, int64_t end)
{
    const pass *p = context;
    const og_twins *twins = p->job->twins;
    (void)thread;
    for (uint32_t c = (uint32_t)begin; c < (uint32_t)end; c++) {
        int64_t row = (int64_t)p->left * p->job->arms->arm_count + twins->first_arm[c];
        double unused;
        double *row_of_index = p->scored->index->index[row];
        og_stage stage = {.left = p->left,
                          .class = c,
                          .before = p->before[c],
                          .expected = expected_of(p, c),
                          .value = &p->after[c],
                          .index = &p->index[c],
                          .radius = &unused};
        if (p->scored->radius != NULL && p->scored->radius[row] != NULL) {
            stage.radius = &p->scored->radius[row][twins->first_node[c]];
        }
        p->step(&stage, p->data);
        if (row_of_index != NULL) {
            row_of_index[twins->first_node[c]] = p->index[c];
        }
    }
}

og_status og_stages_score(const og_index_job *job, og_stage_step *step, const void *data,
                          og_scored *scored)
{
    size_t classes = job->twins->class_count;
    og_arena arena = {0};
    pass p = {.job = job,
              .step = step,
              .data = data,
              .scored = scored,
              .before = og_arena_array(&arena, classes, sizeof(double)),
              .after = og_arena_array(&arena, classes, sizeof(double)),
              .index = og_arena_array(&arena, classes, sizeof(double))};
    og_status status = og_arena_status(&arena);
    int threads = og_index_threads(job, 1000);
    for (int32_t left = 1; status == OG_OK && left <= job->arms->budget; left++) {
        p.left = left;
        og_parallel_ranges(threads, classes_with(job, left), 1024, score_classes, &p);
        status = og_stop_asked(job->stop) ? OG_STOPPED : OG_OK;
        if (!job->first) { /* ranks read the first member of a class */
            og_scored_copy_to_twins(job, scored, left);
        }
        double *done = p.after;
        p.after = p.before;
        p.before = done;
    }
    og_arena_clear(&arena);
    return status;
}

bool og_stages_exact_possible(const og_index_job *job)
{
    const og_arms *arms = job->arms;
    uint64_t steps = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        if (!arms->arm[i]->rational) {
            return false;
        }
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        steps += classes_with(job, left);
    }
    return steps <= OG_STAGES_EXACT_MOST;
}

typedef struct {
    og_arena arena;
    const og_index_job *job;
    og_exact_stage_step *step;
    const void *data;
    int32_t left;
    size_t outcomes;    /* largest number of outcomes of an arm */
    mpq_t *reward;      /* [class_count] */
    mpq_t *probability; /* [class_count][outcomes] */
    mpq_t *before, *after, *index;
    og_exact_item *order; /* [class_count] */
    uint32_t *place;      /* [class_count] */
} exact_pass;

static og_status exact_pass_init(exact_pass *p, const og_index_job *job)
{
    size_t classes = job->twins->class_count;
    p->job = job;
    for (int32_t i = 0; i < job->arms->arm_count; i++) {
        size_t outcomes = (size_t)job->arms->arm[i]->outcome_count;
        p->outcomes = outcomes > p->outcomes ? outcomes : p->outcomes;
    }
    p->reward = og_arena_fractions(&p->arena, classes);
    p->probability = og_arena_fractions(&p->arena, classes * p->outcomes);
    p->before = og_arena_fractions(&p->arena, classes);
    p->after = og_arena_fractions(&p->arena, classes);
    p->index = og_arena_fractions(&p->arena, classes);
    p->order = og_arena_array(&p->arena, classes, sizeof *p->order);
    p->place = og_arena_array(&p->arena, classes, sizeof *p->place);
    return og_arena_status(&p->arena);
}

static void read_classes(void *context, int thread, int64_t begin, int64_t end)
{
    exact_pass *p = context;
    (void)thread;
    for (int64_t c = begin; c < end; c++) {
        const og_arm *arm = p->job->arms->arm[p->job->twins->first_arm[c]];
        uint32_t node = p->job->twins->first_node[c];
        og_arm_exact_reward(arm, node, p->reward[c]);
        for (int32_t k = 0; k < arm->outcome_count; k++) {
            og_arm_exact_probability(arm, node, k,
                                     p->probability[(size_t)c * p->outcomes + (size_t)k]);
        }
    }
}

static void exact_expected_of(const exact_pass *p, uint32_t class, mpq_t term, mpq_t out)
{
    const og_arm *arm = p->job->arms->arm[p->job->twins->first_arm[class]];
    mpq_set(out, p->reward[class]);
    for (int32_t k = 0; p->left > 1 && k < arm->outcome_count; k++) {
        mpq_srcptr next = p->before[og_twins_next(p->job->twins, p->job->arms, class, k)];
        if (mpq_sgn(next) != 0) {
            mpq_mul(term, p->probability[class * p->outcomes + (size_t)k], next);
            mpq_add(out, out, term);
        }
    }
}

static void value_classes(void *context, int thread, int64_t begin, int64_t end)
{
    exact_pass *p = context;
    mpq_t expected, term;
    (void)thread;
    mpq_inits(expected, term, NULL);
    for (uint32_t c = (uint32_t)begin; c < (uint32_t)end && !og_stop_asked(p->job->stop); c++) {
        exact_expected_of(p, c, term, expected);
        og_exact_stage stage = {.left = p->left,
                                .before = p->before[c],
                                .expected = expected,
                                .value = p->after[c],
                                .index = p->index[c]};
        p->step(&stage, p->data);
    }
    mpq_clears(expected, term, NULL);
}

static void find_places(exact_pass *p, uint32_t count)
{
    uint32_t place = 0;
    for (uint32_t c = 0; c < count; c++) {
        p->order[c] = (og_exact_item){p->index[c], c};
    }
    qsort(p->order, count, sizeof *p->order, og_compare_exact_items);
    for (uint32_t i = 0; i < count; i++) {
        place += i > 0 && !mpq_equal(p->order[i].index, p->order[i - 1].index);
        p->place[p->order[i].class] = place;
    }
}

og_status og_stages_places(const og_index_job *job, og_exact_stage_step *step, const void *data,
                           og_take_places *take, void *sink)
{
    exact_pass p = {.step = step, .data = data};
    og_status status = exact_pass_init(&p, job);
    int threads = og_index_threads(job, 10000);
    if (status == OG_OK) {
        og_parallel_ranges(threads, job->twins->class_count, 16, read_classes, &p);
    }
    for (int32_t left = 1; status == OG_OK && left <= job->arms->budget; left++) {
        uint32_t count = classes_with(job, left);
        p.left = left;
        og_parallel_ranges(threads, count, 16, value_classes, &p);
        status = og_stop_status(job->stop);
        if (status == OG_OK && (!job->first || left == job->arms->budget)) {
            find_places(&p, count);
            status = take(sink, left, p.place, 0);
        }
        mpq_t *done = p.after;
        p.after = p.before;
        p.before = done;
    }
    og_arena_clear(&p.arena);
    return status;
}
