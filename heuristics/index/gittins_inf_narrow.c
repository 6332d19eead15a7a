/*
 * Narrows the intervals of infinite-horizon Gittins indices (gittins_inf_cut.c computes one) until
 * they are in order.
 *
 * Intervals are in order if those that overlap are as narrow as the stated rounding error allows;
 * they tie or not as if all were that narrow. "Overlap" is meant with twice the radius that narrow
 * ones have, so that narrow ones of others cannot overlap either.
 *
 * Each round samples an arm at the lower ends of open intervals, at one of those that overlap.
 */
#include "heuristics/index/gittins_inf_narrow.h"

#include <math.h>
#include <stdlib.h>

#include "dp/base/parallel.h"
#include "heuristics/index/fast/gittins_inf_cut.h"

typedef struct {
    double low, high;
    bool open, done; /* still too wide; cannot become narrower */
    bool asked;      /* sampled at `low` in this round */
} interval;

/* A class in the order of the lower ends, less the radius. */
typedef struct {
    double from, to;
    uint32_t class;
} place;

typedef struct {
    double price;
    int32_t arm, slot;
} sampling;

typedef struct {
    og_arena arena;
    const og_index_job *job;
    const og_inf_table *tables;
    double relative;
    const og_worth *spaces;
    og_inf_cut **cuts;   /* [arm_count] */
    interval *intervals; /* [class_count] */
    place *places;       /* [class_count] */
    sampling *asked;     /* [class_count] */
    int32_t *slots;      /* [arm_count] */
    double *last;        /* [arm_count] the upper end of the last interval sampled at */
    int64_t asked_count;
} narrowing;

static void level_and_place(const narrowing *work, uint32_t class, int32_t *n, int32_t *s)
{
    const og_twins *twins = work->job->twins;
    int32_t counts[2];
    og_arm_counts(work->job->arms->arm[twins->first_arm[class]], twins->first_node[class], counts);
    *n = counts[0] + counts[1];
    *s = counts[0];
}

/* The radius of a narrow interval. */
static double narrow_radius(const narrowing *work, uint32_t class)
{
    int32_t n, s;
    level_and_place(work, class, &n, &s);
    return 2 * work->relative * work->intervals[class].low +
           work->tables[work->job->twins->first_arm[class]].beyond[og_inf_node(n, s)];
}

static bool is_narrow(const narrowing *work, const interval *at)
{
    return at->done || at->high - at->low <= work->relative / 4 * at->low;
}

static og_status start_arm(void *context, int thread, int64_t arm)
{
    const narrowing *work = context;
    og_status status = og_inf_cut_new(&work->tables[arm], work->job->arms->budget, work->relative,
                                      &work->cuts[arm]);
    OG_THEN(status, og_inf_cut_start(work->cuts[arm], work->job->stop, work->spaces[thread]));
    return status;
}

static og_status bracket_class(void *context, int thread, int64_t class)
{
    const narrowing *work = context;
    interval *at = &work->intervals[class];
    int32_t n, s;
    if (!at->open) {
        return OG_OK;
    }
    if (og_stop_asked(work->job->stop)) {
        return OG_STOPPED;
    }
    level_and_place(work, (uint32_t) class, &n, &s);
    double before = at->high - at->low;
    og_inf_cut_bracket(work->cuts[work->job->twins->first_arm[class]], n, s, work->spaces[thread],
                       &at->low, &at->high);
    at->done = at->asked && at->high - at->low >= before;
    at->asked = false;
    return OG_OK;
}

static og_status sample_one(void *context, int thread, int64_t i)
{
    const narrowing *work = context;
    const sampling *at = &work->asked[i];
    if (og_stop_asked(work->job->stop)) {
        return OG_STOPPED;
    }
    og_inf_cut_sample(work->cuts[at->arm], at->slot, at->price, work->spaces[thread]);
    return OG_OK;
}

static int compare_places(const void *x, const void *y)
{
    const place *left = x, *right = y;
    if (left->from != right->from) {
        return left->from < right->from ? -1 : 1;
    }
    return (left->class > right->class) - (left->class < right->class);
}

static void sort_places(const narrowing *work)
{
    uint32_t count = work->job->twins->class_count;
    for (uint32_t c = 0; c < count; c++) {
        double more = 2 * narrow_radius(work, c);
        work->places[c] = (place){work->intervals[c].low - more, work->intervals[c].high + more, c};
    }
    qsort(work->places, count, sizeof *work->places, compare_places);
}

/* Opens the intervals that are to become narrower. */
static void open_intervals(const narrowing *work)
{
    uint32_t count = work->job->twins->class_count;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        double most = work->places[begin].to;
        for (end = begin + 1; end < count && work->places[end].from <= most; end++) {
            most = fmax(most, work->places[end].to);
        }
        bool overlaps = end - begin > 1;
        for (uint32_t i = begin; i < end; i++) {
            interval *at = &work->intervals[work->places[i].class];
            at->open = overlaps && !is_narrow(work, at);
        }
    }
}

/* Chooses the prices of this round and makes room for them. */
static og_status ask(narrowing *work)
{
    const og_twins *twins = work->job->twins;
    work->asked_count = 0;
    for (int32_t i = 0; i < work->job->arms->arm_count; i++) {
        work->slots[i] = 0;
        work->last[i] = -1;
    }
    for (uint32_t i = 0; i < twins->class_count; i++) {
        uint32_t class = work->places[i].class;
        int32_t arm = twins->first_arm[class];
        interval *at = &work->intervals[class];
        if (at->open && at->low > work->last[arm]) {
            work->asked[work->asked_count++] = (sampling){at->low, arm, work->slots[arm]++};
            work->last[arm] = at->high;
            at->asked = true;
        }
    }
    for (int32_t i = 0; i < work->job->arms->arm_count; i++) {
        OG_TRY(og_inf_cut_reserve(work->cuts[i], work->slots[i]));
    }
    return OG_OK;
}

static og_status narrow_all(narrowing *work)
{
    const og_index_job *job = work->job;
    int64_t classes = job->twins->class_count;
    int threads = og_index_threads(job, 10000);
    OG_TRY(og_parallel_items(threads, job->arms->arm_count, 1, start_arm, work));
    for (int64_t c = 0; c < classes; c++) {
        work->intervals[c].open = true;
    }
    for (;;) {
        OG_TRY(og_parallel_items(threads, classes, 4, bracket_class, work));
        sort_places(work);
        open_intervals(work);
        OG_TRY(ask(work));
        if (work->asked_count == 0) {
            return OG_OK;
        }
        OG_TRY(og_parallel_items(threads, work->asked_count, 1, sample_one, work));
        for (int32_t i = 0; i < job->arms->arm_count; i++) {
            og_inf_cut_merge(work->cuts[i]);
        }
    }
}

static void store(const narrowing *work, og_scored *out)
{
    const og_twins *twins = work->job->twins;
    for (uint32_t c = 0; c < twins->class_count; c++) {
        const interval *at = &work->intervals[c];
        double half = (at->high - at->low) / 2;
        half = 2 * half <= work->relative / 4 * at->low ? 0 : half; /* the radius covers it */
        out->index->index[twins->first_arm[c]][twins->first_node[c]] = at->low + half;
        out->radius[twins->first_arm[c]][twins->first_node[c]] = narrow_radius(work, c) + half;
    }
}

og_status og_inf_narrow(const og_index_job *job, const og_inf_table *tables, double relative,
                        const og_worth *spaces, og_scored *out)
{
    narrowing work = {.job = job, .tables = tables, .relative = relative, .spaces = spaces};
    size_t classes = job->twins->class_count, arms = (size_t)job->arms->arm_count;
    work.cuts = og_arena_array(&work.arena, arms, sizeof(og_inf_cut *));
    work.slots = og_arena_array(&work.arena, arms, sizeof *work.slots);
    work.last = og_arena_array(&work.arena, arms, sizeof *work.last);
    work.intervals = og_arena_array(&work.arena, classes, sizeof *work.intervals);
    work.places = og_arena_array(&work.arena, classes, sizeof *work.places);
    work.asked = og_arena_array(&work.arena, classes, sizeof *work.asked);
    og_status status = og_arena_status(&work.arena);
    OG_THEN(status, narrow_all(&work));
    if (status == OG_OK) {
        store(&work, out);
    }
    for (size_t i = 0; work.cuts != NULL && i < arms; i++) {
        og_inf_cut_free(work.cuts[i]);
    }
    og_arena_clear(&work.arena);
    return status;
}
