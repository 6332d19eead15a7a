/*
 * Many states as states of one problem: it has an arm for each posterior with which a row begins,
 * and posteriors that are equal, now or after labels, are one class of the layers, whatever their
 * arm. So a state that follows several rows is evaluated once.
 */
#include "bench/public/states_shared.h"

#include <flint/flint.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/families/independent/independent.h"
#include "bench/public/problem.h"
#include "dp/base/arena.h"
#include "dp/base/parallel.h"
#include "dp/base/rational.h"
#include "dp/exact/exact.h"
#include "dp/exact/near_tie.h"
#include "dp/product/solve.h"

enum {
    BATCH_ROWS = 4096,
    NODES_MOST = 1 << 22,    /* of the layers of a batch, some 64 bytes each */
    STARTS_OF_A_GROUP = 3,   /* at least, on average */
    SETTLE_STATES = 1 << 21, /* in fractions, of a batch */
    ROW_STATES = 1 << 15, /* that a row may expand before it is to be asked alone: blocks may take
                           * less */
};

/* A row in the order of batches: neighbours have much in common. */
typedef struct {
    int64_t row;
    const double *posterior; /* [2 * instances] */
    int32_t instances;
    int32_t left;
    bool whole;
} sorted_row;

/* An instance of a row. */
typedef struct {
    double a, b;
    int32_t instance;
    int32_t number; /* of this start in its batch: row after row, instance after instance */
} start;

typedef struct {
    og_arena arena;
    const og_state_rows *rows;
    const og_family *family;
    const sorted_row *row; /* [count] */
    int32_t count;
    int32_t *arm;    /* [count * instances] of each start: its group, then its arm */
    og_group *group; /* [groups] the different starts */
    void *problem;   /* of these groups */
    bool rational;   /* as that problem */
    og_arms arms;    /* a view of its arms: as many instances as a row has */
    og_solver *solver;
    og_exact *exact;       /* NULL: no tie yet */
    bool given_up;         /* fractions passed a limit */
    og_state_group *state; /* [instances] of one row, like the others */
    double *error;
    mpq_t *fraction;
} batch;

typedef struct {
    const og_state_rows *rows;
    sorted_row *row; /* [rows->count] */
    bool *done;      /* [rows->count] */
} shared_work;

/* ---- the order of rows ---- */

static int compare_rows(const void *one, const void *other)
{
    const sorted_row *x = one, *y = other;
    if (x->whole != y->whole) {
        return x->whole ? -1 : 1;
    }
    if (x->left != y->left) {
        return x->left > y->left ? -1 : 1;
    }
    for (int32_t i = 0; i < 2 * x->instances; i++) {
        if (x->posterior[i] != y->posterior[i]) {
            return x->posterior[i] < y->posterior[i] ? -1 : 1;
        }
    }
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_rows(const og_state_rows *rows, sorted_row *sorted)
{
    for (int64_t row = 0; row < rows->count; row++) {
        const double *posterior = &rows->posterior[2 * row * rows->instances];
        bool whole = true;
        for (int32_t i = 0; i < 2 * rows->instances; i++) {
            whole = whole && posterior[i] == floor(posterior[i]);
        }
        sorted[row] = (sorted_row){row, posterior, rows->instances, rows->left[row], whole};
    }
    qsort(sorted, (size_t)rows->count, sizeof *sorted, compare_rows);
}

/* ---- the problem of a batch ---- */

static int compare_starts(const void *one, const void *other)
{
    const start *x = one, *y = other;
    if (x->instance != y->instance) {
        return x->instance < y->instance ? -1 : 1;
    }
    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    return (x->b > y->b) - (x->b < y->b);
}

/* The first of neighbouring instances that differ in their posteriors alone. */
static int32_t first_alike(const og_state_rows *rows, int32_t instance)
{
    const og_group *group = &rows->instance[instance];
    while (instance > 0 && og_fraction_compare(group[-1].threshold, group->threshold) == 0 &&
           og_payoff_compare(&group[-1].payoff, &group->payoff) == 0) {
        instance--;
        group--;
    }
    return instance;
}

/* Writes the number of its group into `arm` for each start, and the number of groups. */
static og_status number_starts(batch *b, const start **first, int32_t *groups)
{
    int32_t instances = b->rows->instances, count = 0;
    size_t all = (size_t)b->count * (size_t)instances;
    start *list = og_arena_array(&b->arena, all, sizeof *list);
    start *kept = og_arena_array(&b->arena, all, sizeof *kept);
    b->arm = og_arena_array(&b->arena, all, sizeof *b->arm);
    OG_TRY(og_arena_status(&b->arena));
    for (int32_t i = 0; i < instances; i++) {
        int32_t instance = first_alike(b->rows, i);
        for (int32_t row = 0; row < b->count; row++) {
            const double *at = &b->row[row].posterior[2 * i];
            int32_t number = row * instances + i;
            list[number] = (start){at[0], at[1], instance, number};
        }
    }
    qsort(list, all, sizeof *list, compare_starts);
    for (size_t i = 0; i < all; i++) {
        if (i == 0 || compare_starts(&list[i - 1], &list[i]) != 0) {
            kept[count++] = list[i];
        }
        b->arm[list[i].number] = count - 1;
    }
    *first = kept;
    *groups = count;
    return OG_OK;
}

/* Nodes of the layers of so many arms. */
static double nodes_of(int32_t arms, int32_t left)
{
    return (double)arms * (left + 1.0) * (left + 2.0) * (left + 3.0) / 6;
}

/* The groups of the different starts; OG_BAD_INPUT if one is refused. */
static og_status take_groups(batch *b, const start *first, int32_t groups)
{
    b->group = og_arena_array(&b->arena, (size_t)groups, sizeof *b->group);
    OG_TRY(og_arena_status(&b->arena));
    for (int32_t g = 0; g < groups; g++) {
        b->group[g] = b->rows->instance[first[g].instance];
        OG_TRY(og_read_number(first[g].a, "a", &b->group[g].a, NULL));
        OG_TRY(og_read_number(first[g].b, "b", &b->group[g].b, NULL));
    }
    return OG_OK;
}

/* Arms of all starts, of which a state has as many instances as a row. */
static og_status take_arms(batch *b)
{
    const og_arms *all = og_family_arms(b->family, b->problem);
    size_t instances = (size_t)b->rows->instances;
    int32_t *arm_of_group = og_arena_array(&b->arena, instances, sizeof *arm_of_group);
    int64_t *group_size = og_arena_array(&b->arena, instances, sizeof *group_size);
    OG_TRY(og_arena_status(&b->arena));
    for (size_t i = 0; i < instances * (size_t)b->count; i++) {
        b->arm[i] = all->arm_of_group[b->arm[i]];
    }
    for (size_t i = 0; i < instances; i++) {
        arm_of_group[i] = b->arm[i];
        group_size[i] = 1;
    }
    b->arms = *all;
    b->arms.group_count = b->rows->instances;
    b->arms.arm_of_group = arm_of_group;
    b->arms.group_size = group_size;
    return OG_OK;
}

static og_status open_batch(batch *b, const start *first, int32_t groups)
{
    og_problem_text from = *b->rows->from;
    og_problem_size sizes;
    OG_TRY(take_groups(b, first, groups));
    const og_groups all = og_groups_of(b->group, groups);
    from.instances = &all;
    from.budget = b->row[0].left;
    from.left = -1;
    OG_TRY(og_family_open(b->family, &from, b->rows->settings, &b->problem, NULL));
    b->family->model.sizes(b->problem, &sizes);
    if (sizes.losses) {
        return OG_BAD_INPUT; /* what a label may lose depends on the instances of a row */
    }
    b->rational = sizes.rational;
    OG_TRY(take_arms(b));
    size_t instances = (size_t)b->rows->instances;
    b->state = og_arena_array(&b->arena, instances, sizeof *b->state);
    b->error = og_arena_array(&b->arena, instances, sizeof *b->error);
    b->fraction = og_arena_fractions(&b->arena, instances);
    OG_TRY(og_arena_status(&b->arena));
    return from.budget > 0 ? og_solver_new(&b->arms, b->rows->settings, &b->solver, NULL) : OG_OK;
}

static void close_batch(batch *b)
{
    og_exact_free(b->exact);
    og_solver_free(b->solver);
    if (b->problem != NULL) {
        og_family_close(b->family, b->problem);
    }
    og_arena_clear(&b->arena);
}

/* ---- a row ---- */

/* As og_query_run decides it. True: doubles do not tell which of the best is best. */
static bool mark_optimal(const batch *b, const double *q, bool *best)
{
    double proved = 0, most = 0;
    int32_t first = -1;
    bool unsettled = false;
    for (int32_t i = 0; i < b->rows->instances; i++) {
        proved = fmax(proved, q[i] - b->error[i]);
        most = fmax(most, q[i]);
    }
    for (int32_t i = 0; i < b->rows->instances; i++) {
        best[i] = q[i] + b->error[i] >= proved;
        first = first < 0 && best[i] ? i : first;
        unsettled = unsettled ||
                    (best[i] && most > 0 && !og_alike(&b->arms, &b->state[first], &b->state[i]));
    }
    return unsettled;
}

static og_status value_exactly(batch *b, const og_state *state, double *q, bool *best)
{
    int32_t top = 0;
    if (b->exact == NULL) {
        og_settings settings = *b->rows->settings;
        settings.states_max = SETTLE_STATES;
        OG_TRY(og_exact_new(&b->arms, &settings, &b->exact, NULL));
    }
    OG_TRY(og_exact_q_at(b->exact, state, b->fraction, NULL));
    for (int32_t i = 1; i < state->count; i++) {
        top = mpq_cmp(b->fraction[i], b->fraction[top]) > 0 ? i : top;
    }
    for (int32_t i = 0; i < state->count; i++) {
        q[i] = og_nearest_quotient(mpq_numref(b->fraction[i]), mpq_denref(b->fraction[i]));
        best[i] = mpq_equal(b->fraction[i], b->fraction[top]) != 0;
    }
    return OG_OK;
}

/* OG_STOPPED: the row is to be asked alone. */
static og_status answer_row(batch *b, int32_t number)
{
    const og_state_rows *rows = b->rows;
    const sorted_row *row = &b->row[number];
    double *q = &rows->q[row->row * rows->instances];
    bool *best = &rows->best[row->row * rows->instances];
    const og_state state = {row->left, b->arms.budget, rows->instances, b->state};
    for (int32_t i = 0; i < rows->instances; i++) {
        b->state[i] = (og_state_group){b->arm[number * rows->instances + i], 0, 1};
        q[i] = NAN; /* without labels left there is no choice */
        best[i] = false;
    }
    if (row->left == 0) {
        return OG_OK;
    }
    og_solver_pace(b->solver, 1, og_solver_expanded(b->solver) + ROW_STATES);
    OG_TRY(og_solver_q_at(b->solver, &state, q, b->error, NULL));
    if (!mark_optimal(b, q, best) || !b->rational) {
        return OG_OK;
    }
    og_status status = b->given_up ? OG_STOPPED : value_exactly(b, &state, q, best);
    b->given_up = status != OG_OK;
    return status;
}

/* ---- batches ---- */

static og_status answer_batch(shared_work *work, int64_t first, int32_t count);

static og_status answer_halves(shared_work *work, int64_t first, int32_t count)
{
    OG_TRY(answer_batch(work, first, count / 2));
    return answer_batch(work, first + count / 2, count - count / 2);
}

static og_status run_batch(shared_work *work, batch *b)
{
    og_stop *stop = og_stop_of(work->rows->settings);
    og_status status = OG_OK;
    for (int32_t i = 0; i < b->count && status == OG_OK; i++) {
        og_status answered = answer_row(b, i);
        work->done[b->row[i].row] = answered == OG_OK;
        status = answered == OG_NO_MEMORY ? answered : og_stop_status(stop);
    }
    return status;
}

/* A single row shares nothing, and a batch that cannot be opened has a row that cannot. */
static og_status answer_batch(shared_work *work, int64_t first, int32_t count)
{
    batch b = {.rows = work->rows,
               .family = &og_family_independent,
               .row = &work->row[first],
               .count = count};
    const start *list;
    int32_t groups = 0;
    if (count < 2) {
        return OG_OK;
    }
    int32_t most = b.row[0].left, least = b.row[count - 1].left;
    bool like = b.row[0].whole == b.row[count - 1].whole && least >= most / 2;
    og_status status = like ? number_starts(&b, &list, &groups) : OG_OK;
    like = like && status == OG_OK;
    /* With little in common, the tables of all would cost more than those of each. */
    bool apart = like && groups > count * work->rows->instances / STARTS_OF_A_GROUP;
    bool small = like && !apart && nodes_of(groups, most) <= NODES_MOST;
    if (small) {
        status = open_batch(&b, list, groups);
        OG_THEN(status, run_batch(work, &b));
    }
    close_batch(&b);
    if (status == OG_OK && !small && !apart) {
        return answer_halves(work, first, count);
    }
    return status == OG_NO_MEMORY || og_stop_status(og_stop_of(work->rows->settings)) != OG_OK
               ? status
               : OG_OK;
}

static og_status answer_part(void *context, int thread, int64_t part)
{
    shared_work *work = context;
    int64_t first = part * BATCH_ROWS, rest = work->rows->count - first;
    if (og_stop_asked(og_stop_of(work->rows->settings))) {
        return OG_STOPPED;
    }
    og_status status = answer_batch(work, first, rest < BATCH_ROWS ? (int32_t)rest : BATCH_ROWS);
    if (thread != 0) {
        flint_cleanup(); /* a worker thread may not run again */
    }
    return status;
}

og_status og_state_rows_answer(const og_state_rows *rows, int threads, bool *done)
{
    shared_work work = {rows, calloc((size_t)rows->count + 1, sizeof *work.row), done};
    OG_TRY(OG_ALLOCATED(work.row));
    sort_rows(rows, work.row);
    int64_t parts = (rows->count + BATCH_ROWS - 1) / BATCH_ROWS;
    og_status status = og_parallel_items(threads, parts, 1, answer_part, &work);
    free(work.row);
    return status;
}
