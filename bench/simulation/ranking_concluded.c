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

static void sort_items(concluded_work *of, const double *decision)
{
    for (uint32_t i = 0; i < of->given->item_count; i++) {
        of->item[i] = (og_concluded_place){decision[i], "", i};
    }
    og_concluded_sort(of->item, of->given->item_count);
    for (uint32_t k = 0; k < of->given->item_count; k++) {
        of->rank[of->item[k].number] = k;
    }
}

static void count_comparisons(concluded_work *of)
{
    for (int64_t k = 0; k < of->given->count; k++) {
        const og_pair *pair = &of->given->pair[k];
        uint32_t winner = pair->item[pair->first ? 0 : 1], loser = pair->item[pair->first ? 1 : 0];
        of->wins[winner]++;
        of->losses[loser]++;
        of->asked[pair->worker]++;
        of->disagreed[pair->worker] += of->rank[winner] > of->rank[loser];
    }
}

static void sort_workers(concluded_work *of)
{
    for (uint32_t w = 0; w < of->given->worker_count; w++) {
        const double *has = of->plan.worker + 2 * (size_t)w;
        double asked = (double)of->asked[w];
        double by = of->from->prior.worker[0] > 0 ? has[0] / (has[0] + has[1])
                    : of->asked[w] == 0           ? -1
                                                  : 1 - (double)of->disagreed[w] / asked;
        of->worker[w] = (og_concluded_place){by, of->given->worker[w], w};
    }
    og_concluded_sort(of->worker, of->given->worker_count);
}

/* ---- rows ---- */

static void put_items(const concluded_work *of, og_document *rows)
{
    for (uint32_t k = 0; k < of->given->item_count; k++) {
        uint32_t i = of->item[k].number;
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "item", of->given->item[i]);
        og_put_whole(row, "rank", (uint64_t)k + 1);
        og_put_number(row, "score", of->plan.score[i]);
        og_put_number(row, "parameter", of->plan.score[i] * of->plan.sum);
        og_put_whole(row, "wins", (uint64_t)of->wins[i]);
        og_put_whole(row, "losses", (uint64_t)of->losses[i]);
        og_put_number(row, "gold", of->given->score[i]);
    }
}

static void put_workers(const concluded_work *of, og_document *rows)
{
    for (uint32_t k = 0; k < of->given->worker_count; k++) {
        uint32_t w = of->worker[k].number;
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "worker", of->given->worker[w]);
        og_put_whole(row, "labels", (uint64_t)of->asked[w]);
        og_put_whole(row, "disagreements", (uint64_t)of->disagreed[w]);
        if (of->from->prior.worker[0] > 0) {
            og_put_number(row, "reliability", of->worker[k].by);
            og_put_numbers(row, "posterior", of->plan.worker + 2 * (size_t)w, 2);
        }
    }
}

static void put_pairs(const concluded_work *of, og_document *rows)
{
    int32_t count = of->plan.count;
    for (int32_t k = 0; k < count; k++) {
        const og_next_pair *pair = &of->plan.pair[k];
        if (k >= LARGEST && k + 1 < count) {
            continue;
        }
        og_document *row = og_put_object(rows, NULL);
        og_put_text(row, "left", of->given->item[pair->item[0]]);
        og_put_text(row, "right", of->given->item[pair->item[1]]);
        og_put_whole(row, "rank", (uint64_t)k + 1);
        og_put_number(row, "index", pair->index);
        if (of->from->prior.worker[0] > 0) {
            og_put_text(row, "worker", of->given->worker[pair->worker]);
        }
    }
}

static void put_all(const concluded_work *of, double accuracy, og_document *object)
{
    double pairs = of->given->item_count * (of->given->item_count - 1.) / 2;
    put_items(of, og_put_array(object, "items"));
    put_workers(of, og_put_array(object, "workers"));
    put_pairs(of, og_put_array(object, "pairs"));
    og_document *totals = og_put_object(object, "totals");
    og_put_whole(totals, "labels", (uint64_t)of->given->count);
    og_put_number(totals, "parameters", of->plan.sum);
    og_put_whole(totals, "pairs", (uint64_t)pairs);
    og_put_number(totals, "right", accuracy * pairs);
    og_put_number(totals, "expected", of->plan.sorted * pairs);
}

/* ---- all of it ---- */

static og_status allocate(concluded_work *of)
{
    size_t items = of->given->item_count, workers = of->given->worker_count;
    of->item = og_arena_array(&of->arena, items, sizeof *of->item);
    of->worker = og_arena_array(&of->arena, workers, sizeof *of->worker);
    of->wins = og_arena_array(&of->arena, items, sizeof *of->wins);
    of->losses = og_arena_array(&of->arena, items, sizeof *of->losses);
    of->asked = og_arena_array(&of->arena, workers, sizeof *of->asked);
    of->disagreed = og_arena_array(&of->arena, workers, sizeof *of->disagreed);
    of->rank = og_arena_array(&of->arena, items, sizeof *of->rank);
    return og_arena_status(&of->arena);
}

og_status og_ranking_conclude(const og_recorded_pairs *from, const og_pairs *given,
                              const double *decision, double accuracy, uint64_t seed,
                              og_document *object, og_message *message)
{
    int32_t items = (int32_t)given->item_count;
    const og_batch wanted = {.batch = items * (items - 1) / 2};
    const og_asked asked = {.given = &wanted, .request = {.seed = seed}};
    concluded_work of = {.from = from, .given = given};
    og_status status = allocate(&of);
    OG_THEN(status, og_pairs_plan_find(&asked, given, &from->prior, &of.plan, message));
    if (status == OG_OK) {
        sort_items(&of, decision);
        count_comparisons(&of);
        sort_workers(&of);
        put_all(&of, accuracy, object);
    }
    og_pairs_plan_clear(&of.plan);
    og_arena_clear(&of.arena);
    return status;
}
