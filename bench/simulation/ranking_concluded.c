/* Writes what a run of recorded comparisons concluded. */
#include "bench/simulation/ranking_concluded.h"

#include <string.h>

#include "bench/recorded/next_pairs.h"
#include "bench/simulation/concluded.h"

enum { LARGEST = 3 };

typedef struct {
    const og_recorded_pairs *from;
    const og_pairs *given;
    og_pairs_plan plan;
    og_arena arena;
    og_concluded_place *item, *worker; /* [items], [workers] in the order of their rows */
    int64_t *wins, *losses;            /* [items] */
    int64_t *asked, *disagreed;        /* [workers] */
    uint32_t *rank;                    /* [items] 0 for the best */
} concluded_work;

static void sort_items(concluded_work *work, const double *decision)
{
    for (uint32_t i = 0; i < work->given->item_count; i++) {
        work->item[i] = (og_concluded_place){decision[i], "", i};
    }
    og_concluded_sort(work->item, work->given->item_count);
    for (uint32_t k = 0; k < work->given->item_count; k++) {
        work->rank[work->item[k].number] = k;
    }
}

static void count_comparisons(concluded_work *work)
{
    for (int64_t k = 0; k < work->given->count; k++) {
        const og_pair *pair = &work->given->pair[k];
        uint32_t winner = pair->item[pair->first ? 0 : 1], loser = pair->item[pair->first ? 1 : 0];
        work->wins[winner]++;
        work->losses[loser]++;
        work->asked[pair->worker]++;
        work->disagreed[pair->worker] += work->rank[winner] > work->rank[loser];
    }
}

static void sort_workers(concluded_work *work)
{
    for (uint32_t w = 0; w < work->given->worker_count; w++) {
        const double *has = work->plan.worker + 2 * (size_t)w;
        double asked = (double)work->asked[w];
        double by = work->from->prior.worker[0] > 0 ? has[0] / (has[0] + has[1])
                    : work->asked[w] == 0           ? -1
                                                    : 1 - (double)work->disagreed[w] / asked;
        work->worker[w] = (og_concluded_place){by, work->given->worker[w], w};
    }
    og_concluded_sort(work->worker, work->given->worker_count);
}

/* ---- rows ---- */

static void put_items(const concluded_work *work, og_document *rows)
{
    for (uint32_t k = 0; k < work->given->item_count; k++) {
        uint32_t i = work->item[k].number;
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "item", work->given->item[i]);
        og_put_whole(row, "rank", (uint64_t)k + 1);
        og_put_number(row, "score", work->plan.score[i]);
        og_put_number(row, "parameter", work->plan.score[i] * work->plan.sum);
        og_put_whole(row, "wins", (uint64_t)work->wins[i]);
        og_put_whole(row, "losses", (uint64_t)work->losses[i]);
        og_put_number(row, "gold", work->given->score[i]);
    }
}

static void put_workers(const concluded_work *work, og_document *rows)
{
    for (uint32_t k = 0; k < work->given->worker_count; k++) {
        uint32_t w = work->worker[k].number;
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "worker", work->given->worker[w]);
        og_put_whole(row, "labels", (uint64_t)work->asked[w]);
        og_put_whole(row, "disagreements", (uint64_t)work->disagreed[w]);
        if (work->from->prior.worker[0] > 0) {
            og_put_number(row, "reliability", work->worker[k].by);
            og_put_numbers(row, "posterior", work->plan.worker + 2 * (size_t)w, 2);
        }
    }
}

static void put_pairs(const concluded_work *work, og_document *rows)
{
    int32_t count = work->plan.count;
    for (int32_t k = 0; k < count; k++) {
        const og_next_pair *pair = &work->plan.pair[k];
        if (k >= LARGEST && k + 1 < count) {
            continue;
        }
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "left", work->given->item[pair->item[0]]);
        og_put_text(row, "right", work->given->item[pair->item[1]]);
        og_put_whole(row, "rank", (uint64_t)k + 1);
        og_put_number(row, "index", pair->index);
        if (work->from->prior.worker[0] > 0) {
            og_put_text(row, "worker", work->given->worker[pair->worker]);
        }
    }
}

static void put_all(const concluded_work *work, double accuracy, og_document *object)
{
    double pairs = work->given->item_count * (work->given->item_count - 1.) / 2;
    put_items(work, og_put_array(object, "items"));
    put_workers(work, og_put_array(object, "workers"));
    put_pairs(work, og_put_array(object, "pairs"));
    og_document *totals = og_put_object(object, "totals");
    og_put_whole(totals, "labels", (uint64_t)work->given->count);
    og_put_number(totals, "parameters", work->plan.sum);
    og_put_whole(totals, "pairs", (uint64_t)pairs);
    og_put_number(totals, "right", accuracy * pairs);
    og_put_number(totals, "expected", work->plan.sorted * pairs);
}

/* ---- all of it ---- */

static og_status allocate(concluded_work *work)
{
    size_t items = work->given->item_count, workers = work->given->worker_count;
    work->item = og_arena_array(&work->arena, items, sizeof *work->item);
    work->worker = og_arena_array(&work->arena, workers, sizeof *work->worker);
    work->wins = og_arena_array(&work->arena, items, sizeof *work->wins);
    work->losses = og_arena_array(&work->arena, items, sizeof *work->losses);
    work->asked = og_arena_array(&work->arena, workers, sizeof *work->asked);
    work->disagreed = og_arena_array(&work->arena, workers, sizeof *work->disagreed);
    work->rank = og_arena_array(&work->arena, items, sizeof *work->rank);
    return og_arena_status(&work->arena);
}

og_status og_ranking_conclude(const og_recorded_pairs *from, const og_pairs *given,
                              const double *decision, double accuracy, uint64_t seed,
                              og_document *object, og_message *message)
{
    int32_t items = (int32_t)given->item_count;
    const og_batch wanted = {.batch = items * (items - 1) / 2};
    const og_asked asked = {.given = &wanted, .request = {.seed = seed}};
    concluded_work work = {.from = from, .given = given};
    og_status status = allocate(&work);
    OG_THEN(status, og_pairs_plan_find(&asked, given, &from->prior, true, &work.plan, message));
    if (status == OG_OK) {
        sort_items(&work, decision);
        count_comparisons(&work);
        sort_workers(&work);
        put_all(&work, accuracy, object);
    }
    og_pairs_plan_clear(&work.plan);
    og_arena_clear(&work.arena);
    return status;
}
