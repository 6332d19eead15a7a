/*
 * Converts indices to ranks. The engine compares only ranks, so this code decides ties, in this
 * order: with equal posteriors (twins), an exact order of the index, intervals that do not overlap,
 * rationals, and a tolerance. A second index, if any, orders the ties.
 */
#include "heuristics/index/rank.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "dp/base/parallel.h"

/* A class of twins and the interval that contains its exact index. */
typedef struct {
    double low, high;
    uint32_t class;
} item;

/* Work space of one thread for ranking one number of labels left. */
typedef struct {
    item *items;             /* [class_count] */
    uint32_t *rank_of_class; /* [class_count] */
} workspace;

typedef struct {
    og_arena arena;
    const og_index_job *job;
    const og_scored *scored;
    og_ranks *ranks;
    workspace *spaces;      /* [threads] */
    uint64_t *tolerance;    /* [lefts] */
    og_rank_effort *effort; /* [lefts] */
    int64_t from;           /* the first slot that is needed */
} ranking;

static int compare_items(const void *x, const void *y)
{
    const item *left = x, *right = y;
    if (left->low != right->low) {
        return left->low < right->low ? -1 : 1;
    }
    return (left->class > right->class) - (left->class < right->class);
}

static uint32_t fill_items(const ranking *r, int32_t left, item *items)
{
    const og_index_job *job = r->job;
    const og_twins *twins = job->twins;
    uint32_t count =
        r->ranks->by_left ? og_twins_with_left(twins, job->arms->budget, left) : twins->class_count;
    for (uint32_t c = 0; c < count; c++) {
        int32_t arm = twins->first_arm[c];
        uint32_t node = twins->first_node[c];
        double value = og_index_of(r->scored->index, arm, left)[node];
        double radius = og_scored_radius(r->scored, arm, node, left);
        /* Rounding changes a sum by at most one step. */
        items[c].low = radius == 0 ? value : nextafter(value - radius, -INFINITY);
        items[c].high = radius == 0 ? value : nextafter(value + radius, INFINITY);
        items[c].class = c;
    }
    qsort(items, count, sizeof *items, compare_items);
    return count;
}

/* The end of the run of overlapping intervals that starts at `begin`: all after it are larger. */
static uint32_t run_end(const item *items, uint32_t begin, uint32_t count)
{
    assert(begin < count);
    double high = items[begin].high;
    uint32_t end = begin + 1;
    for (; end < count && items[end].low <= high; end++) {
        high = items[end].high > high ? items[end].high : high;
    }
    return end;
}

/* True if all are the same number: each interval is a point, and the ends of the run, which is
 * sorted by `low`, are equal. */
static bool is_one_number(const item *run, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (run[i].low != run[i].high || run[i].low != run[0].low) {
            return false;
        }
    }
    return true;
}

static bool is_rational(const ranking *r, const item *run, uint32_t count)
{
    if (r->scored->exact == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t arm = r->job->twins->first_arm[run[i].class];
        if (!r->job->arms->arm[arm]->rational) {
            return false;
        }
    }
    return true;
}

/* Ranks a run with exact values; *rank is the first free rank, before and after. */
static og_status settle_run(const ranking *r, int32_t left, const item *run, uint32_t count,
                            uint32_t *rank_of_class, uint32_t *rank, og_rank_effort *effort)
{
    const og_twins *twins = r->job->twins;
    og_arena arena = {0};
    og_exact_item *exact = og_arena_array(&arena, count, sizeof *exact);
    mpq_t *value = og_arena_fractions(&arena, count);
    og_status status = og_arena_status(&arena);
    for (uint32_t i = 0; status == OG_OK && i < count; i++) {
        uint32_t class = run[i].class;
        exact[i] = (og_exact_item){value[i], class};
        status = r->scored->exact(r->job, r->scored, twins->first_arm[class],
                                  twins->first_node[class], left, value[i]);
        if (status == OG_OK && og_stop_asked(r->job->stop)) {
            status = OG_STOPPED;
        }
    }
    if (status == OG_OK) {
        qsort(exact, count, sizeof *exact, og_compare_exact_items);
        for (uint32_t i = 0; i < count; i++) {
            bool tie = i > 0 && mpq_equal(exact[i].index, exact[i - 1].index);
            *rank += i > 0 && !tie;
            effort->exact_ties += tie;
            rank_of_class[exact[i].class] = *rank;
        }
        effort->exact_indices += count;
        (*rank)++;
    }
    og_arena_clear(&arena);
    return status;
}

static og_status rank_classes(const ranking *r, int32_t left, workspace *space, int64_t slot)
{
    uint32_t count = fill_items(r, left, space->items), rank = 0;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        const item *run = space->items + begin;
        end = run_end(space->items, begin, count);
        bool tie = end - begin == 1 || is_one_number(run, end - begin);
        if (!tie && is_rational(r, run, end - begin)) {
            OG_TRY(settle_run(r, left, run, end - begin, space->rank_of_class, &rank,
                              &r->effort[slot]));
            continue;
        }
        if (!tie) {
            r->tolerance[slot] += end - begin - 1;
        }
        for (uint32_t i = begin; i < end; i++) {
            space->rank_of_class[space->items[i].class] = rank;
        }
        rank++;
    }
    return OG_OK;
}

/* Writes to every node the rank of its class. */
static og_status write_ranks(const ranking *r, int32_t left, const uint32_t *rank_of_class)
{
    const og_arms *arms = r->job->arms;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        int32_t levels = r->ranks->by_left ? arms->budget - left + 1 : arms->budget;
        uint32_t nodes = og_index_nodes(r->job, i, levels);
        const uint32_t *class_of = r->job->twins->class_of + arms->node_offset[i];
        uint32_t *rank = malloc(((size_t)nodes + 1) * sizeof *rank);
        OG_TRY(OG_ALLOCATED(rank));
        for (uint32_t node = 0; node < nodes; node++) {
            rank[node] = rank_of_class[class_of[node]];
        }
        r->ranks->rank[r->ranks->by_left ? (int64_t)left * arms->arm_count + i : i] = rank;
    }
    return OG_OK;
}

/* A class, its rank, and its second index. */
typedef struct {
    uint32_t rank, class;
    double second;
} split_item;

static int compare_split(const void *x, const void *y)
{
    const split_item *left = x, *right = y;
    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    if (left->second != right->second) {
        return left->second < right->second ? -1 : 1;
    }
    return (left->class > right->class) - (left->class < right->class);
}

static void split_ranks(split_item *items, uint32_t count, uint32_t *rank_of_class,
                        uint64_t *tolerance)
{
    uint32_t rank = 0;
    qsort(items, count, sizeof *items, compare_split);
    for (uint32_t i = 0; i < count; i++) {
        const split_item *at = &items[i], *before = i > 0 ? at - 1 : at;
        bool apart = at->rank != before->rank || at->second > before->second + OG_SECOND_TIE;
        rank += apart;
        *tolerance += !apart && at->second != before->second;
        rank_of_class[at->class] = rank;
    }
}

/* Writes the ranks, after the second index, if any, has separated classes of equal rank. */
static og_status take_ranks(const ranking *r, int32_t left, const uint32_t *rank_of_class)
{
    if (r->scored->second == NULL) {
        return write_ranks(r, left, rank_of_class);
    }
    uint32_t count = og_twins_with_left(r->job->twins, r->job->arms->budget, left);
    const double *second = r->scored->second(r->scored, left);
    og_arena arena = {0};
    split_item *items = og_arena_array(&arena, count, sizeof *items);
    uint32_t *rank = og_arena_array(&arena, count, sizeof *rank);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        for (uint32_t c = 0; c < count; c++) {
            items[c] = (split_item){.rank = rank_of_class[c], .class = c, .second = second[c]};
        }
        split_ranks(items, count, rank, &r->tolerance[left - 1]);
        status = write_ranks(r, left, rank);
    }
    og_arena_clear(&arena);
    return status;
}

/* Ranks the nodes for one number of labels left; slot = left - 1, or 0 if not by left. */
static og_status rank_slot(void *context, int thread, int64_t i)
{
    const ranking *r = context;
    int64_t slot = r->from + i;
    workspace *space = &r->spaces[thread];
    int32_t left = (int32_t)slot + 1;
    if (og_stop_asked(r->job->stop)) {
        return OG_STOPPED;
    }
    OG_TRY(rank_classes(r, left, space, slot));
    return take_ranks(r, left, space->rank_of_class);
}

static og_status take_places(void *sink, int32_t left, const uint32_t *place, uint64_t near)
{
    const ranking *r = sink;
    r->tolerance[left - 1] += near;
    return take_ranks(sink, left, place);
}

static og_ranks *allocate_ranks(const og_arms *arms, bool by_left)
{
    og_ranks *ranks = calloc(1, sizeof *ranks);
    if (ranks == NULL) {
        return NULL;
    }
    ranks->arm_count = arms->arm_count;
    ranks->budget = arms->budget;
    ranks->by_left = by_left;
    size_t rows = (size_t)arms->arm_count * (by_left ? (size_t)arms->budget + 1 : 1);
    ranks->rank = calloc(rows, sizeof *ranks->rank);
    if (ranks->rank == NULL) {
        free(ranks);
        return NULL;
    }
    return ranks;
}

static og_status allocate_spaces(ranking *r, size_t slots)
{
    size_t classes = r->job->twins->class_count, threads = (size_t)r->job->threads;
    bool places = r->scored->places != NULL; /* with `places` these arrays are not needed */
    r->tolerance = og_arena_array(&r->arena, slots, sizeof *r->tolerance);
    r->effort = og_arena_array(&r->arena, slots, sizeof *r->effort);
    r->spaces = og_arena_array(&r->arena, threads, sizeof *r->spaces);
    for (size_t i = 0; !r->arena.failed && !places && i < threads; i++) {
        r->spaces[i].items = og_arena_array(&r->arena, classes, sizeof(item));
        r->spaces[i].rank_of_class = og_arena_array(&r->arena, classes, sizeof(uint32_t));
    }
    return og_arena_status(&r->arena);
}

/* Adds the counts of all slots. */
static void collect(ranking *r, int64_t slots, og_rank_effort *effort)
{
    r->ranks->tolerance_ties_begin = slots > 0 ? r->tolerance[slots - 1] : 0;
    for (int64_t i = 0; i < slots; i++) {
        r->ranks->tolerance_ties += r->tolerance[i];
        if (effort != NULL) {
            effort->exact_indices += r->effort[i].exact_indices;
            effort->exact_ties += r->effort[i].exact_ties;
        }
    }
}

og_status og_rank(const og_index_job *job, const og_scored *scored, og_ranks **out,
                  og_rank_effort *effort)
{
    bool by_left = scored->index->by_left;
    int64_t slots = by_left ? job->arms->budget : 1;
    ranking r = {.job = job, .scored = scored, .ranks = allocate_ranks(job->arms, by_left)};
    r.from = by_left && job->first && slots > 0 ? slots - 1 : 0;
    og_status status = r.ranks == NULL ? OG_NO_MEMORY : allocate_spaces(&r, (size_t)slots);
    if (status == OG_OK && scored->places != NULL) {
        status = scored->places(job, scored, take_places, &r);
    } else if (status == OG_OK) {
        int threads = og_index_threads(job, 2000);
        status = og_parallel_items(threads, slots - r.from, 1, rank_slot, &r);
    }
    if (status == OG_OK) {
        collect(&r, slots, effort);
        r.ranks->stops = scored->stops;
        *out = r.ranks;
        r.ranks = NULL;
    }
    og_ranks_free(r.ranks);
    og_arena_clear(&r.arena);
    return status;
}
