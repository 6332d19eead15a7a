/*
 * Narrows the intervals of infinite-horizon Gittins indices (fast/gittins_inf_search.c computes
 * them): all, or until they are in order.
 *
 * Intervals are in order if those that overlap are as narrow as the stated rounding error allows;
 * they tie or not as if all were that narrow. "Overlap" is meant with twice the radius that narrow
 * ones have, so that narrow ones of others cannot overlap either.
 */
#include "heuristics/index/gittins_inf_narrow.h"

#include <math.h>
#include <stdlib.h>

#include "heuristics/index/fast/gittins_inf_search.h"

/* Intervals of this relative width are nearly always in order. */
static const double rough = 1e-5;

/* A target in the order of the lower ends, less the radius. */
typedef struct {
    double from, to;
    og_inf_target *target;
} place;

typedef struct {
    og_arena arena;
    const og_index_job *job;
    const og_inf_table *tables;
    double relative;
    og_inf_target *targets;   /* [class_count] by arm */
    int64_t *first;           /* [arm_count + 1] */
    uint32_t *classes;        /* [class_count] of each target */
    og_inf_search **searches; /* [arm_count] or NULL */
    place *places;            /* [class_count] */
} narrowing;

/* The radius of a narrow interval. */
static double narrow_radius(const narrowing *work, const og_inf_table *table,
                            const og_inf_target *at)
{
    return 2 * work->relative * at->low + table->beyond[og_inf_node(at->n, at->s)];
}

/* Lists the classes whose first member is a node of an arm with two outcomes. */
static void find_targets(narrowing *work)
{
    const og_twins *twins = work->job->twins;
    int64_t count = 0;
    for (int32_t arm = 0; arm < work->job->arms->arm_count; arm++) {
        work->first[arm] = count;
        for (uint32_t c = 0; work->tables[arm].wide == NULL && c < twins->class_count; c++) {
            int32_t counts[2];
            if (twins->first_arm[c] == arm) {
                og_arm_counts(work->job->arms->arm[arm], twins->first_node[c], counts);
                work->classes[count] = c;
                work->targets[count++] =
                    (og_inf_target){.n = counts[0] + counts[1], .s = counts[0], .wanted = true};
            }
        }
    }
    work->first[work->job->arms->arm_count] = count;
}

static og_status start(narrowing *work)
{
    int threads = og_index_threads(work->job, 10000);
    for (int32_t arm = 0; arm < work->job->arms->arm_count; arm++) {
        int64_t first = work->first[arm], count = work->first[arm + 1] - first;
        OG_TRY(count == 0 ? OG_OK
                          : og_inf_search_new(&work->tables[arm], work->job->arms->budget,
                                              work->targets + first, count, threads,
                                              work->job->stop, &work->searches[arm]));
    }
    return OG_OK;
}

static og_status narrow(narrowing *work, double tolerance)
{
    for (int32_t arm = 0; arm < work->job->arms->arm_count; arm++) {
        OG_TRY(work->searches[arm] == NULL ? OG_OK
                                           : og_inf_search_narrow(work->searches[arm], tolerance));
    }
    return OG_OK;
}

static int compare_places(const void *x, const void *y)
{
    const place *left = x, *right = y;
    if (left->from != right->from) {
        return left->from < right->from ? -1 : 1;
    }
    return (left->target > right->target) - (left->target < right->target);
}

/* Wants only the intervals that overlap. */
static void want_overlapping(narrowing *work)
{
    int64_t count = 0;
    for (int32_t arm = 0; arm < work->job->arms->arm_count; arm++) {
        for (; count < work->first[arm + 1]; count++) {
            og_inf_target *at = &work->targets[count];
            double more = 2 * narrow_radius(work, &work->tables[arm], at);
            work->places[count] = (place){at->low - more, at->high + more, at};
        }
    }
    qsort(work->places, (size_t)count, sizeof *work->places, compare_places);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        double most = work->places[begin].to;
        for (end = begin + 1; end < count && work->places[end].from <= most; end++) {
            most = fmax(most, work->places[end].to);
        }
        for (int64_t i = begin; i < end; i++) {
            work->places[i].target->wanted = end - begin > 1;
        }
    }
}

static og_status narrow_all(narrowing *work, bool ordered)
{
    find_targets(work);
    OG_TRY(start(work));
    if (ordered) {
        want_overlapping(work);
        OG_TRY(narrow(work, rough));
        want_overlapping(work);
    }
    return narrow(work, work->relative / 4);
}

static void store(const narrowing *work, og_scored *out)
{
    int64_t i = 0;
    for (int32_t arm = 0; arm < work->job->arms->arm_count; arm++) {
        for (; i < work->first[arm + 1]; i++) {
            const og_inf_target *at = &work->targets[i];
            uint32_t node = work->job->twins->first_node[work->classes[i]];
            double half = (at->high - at->low) / 2;
            bool narrow = 2 * half <= work->relative / 4 * at->low; /* the radius covers it */
            out->index->index[arm][node] = narrow ? at->best : at->low + half;
            out->radius[arm][node] =
                narrow_radius(work, &work->tables[arm], at) + (narrow ? 0 : half);
        }
    }
}

og_status og_inf_narrow(const og_index_job *job, const og_inf_table *tables, double relative,
                        bool ordered, og_scored *out)
{
    narrowing work = {.job = job, .tables = tables, .relative = relative};
    size_t classes = job->twins->class_count, arms = (size_t)job->arms->arm_count;
    work.targets = og_arena_array(&work.arena, classes, sizeof *work.targets);
    work.classes = og_arena_array(&work.arena, classes, sizeof *work.classes);
    work.places = og_arena_array(&work.arena, classes, sizeof *work.places);
    work.first = og_arena_array(&work.arena, arms + 1, sizeof *work.first);
    work.searches = og_arena_array(&work.arena, arms, sizeof(og_inf_search *));
    og_status status = og_arena_status(&work.arena);
    OG_THEN(status, narrow_all(&work, ordered));
    if (status == OG_OK) {
        store(&work, out);
    }
    for (size_t i = 0; work.searches != NULL && i < arms; i++) {
        og_inf_search_free(work.searches[i]);
    }
    og_arena_clear(&work.arena);
    return status;
}
