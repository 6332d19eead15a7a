/* Finds the next pairs to compare from recorded comparisons. */
#include "bench/recorded/next_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "dp/base/stop.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_index.h"
#include "heuristics/families/ranking_play.h"
#include "heuristics/families/ranking_policy.h"
#include "heuristics/families/ranking_tiny.h"

enum { AT_ONCE = 4096 };

typedef struct {
    og_arena arena;
    const og_request *request;
    const og_pairs *from;
    const og_pairs_prior *prior;
    int32_t batch;
    bool nearest;
    int32_t items, workers; /* workers 0: they are always right */
    double *a;              /* [items] the belief */
    double *worker;         /* [workers][2] */
    uint32_t *by_use;       /* [workers] the least coin-like first */
    uint64_t *seen;         /* [from->count] pairs and workers, sorted; without workers not used */
    og_act_open *open;      /* [pairs] */
    double *index;          /* [pairs] */
    int32_t pairs;
} pair_search;

/* ---- the belief ---- */

static og_status learn(pair_search *search, og_message *message)
{
    for (int32_t i = 0; i < search->items; i++) {
        search->a[i] = search->prior->item;
    }
    for (int32_t w = 0; w < search->workers; w++) {
        memcpy(search->worker + 2 * w, search->prior->worker, sizeof search->prior->worker);
    }
    for (int64_t k = 0; k < search->from->count; k++) {
        const og_pair *pair = &search->from->pair[k];
        double *worker = search->workers > 0 ? search->worker + 2 * (size_t)pair->worker : NULL;
        int32_t i = (int32_t)pair->item[0], j = (int32_t)pair->item[1];
        bool fine = pair->draw ? og_ranking_draw(search->a, search->items, i, j)
                               : og_ranking_match(search->a, search->items, worker,
                                                  pair->first ? i : j, pair->first ? j : i);
        if (!fine) {
            return og_message_set(message, OG_FAILED,
                                  "the belief about the ranking leaves the range of doubles at "
                                  "comparison %lld; give another --prior",
                                  (long long)k + 1);
        }
    }
    return OG_OK;
}

typedef struct {
    double value;
    uint64_t tie;
    uint32_t number;
} ranked;

static int compare_ranked(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->value != b->value) {
        return a->value > b->value ? -1 : 1;
    }
    return a->tie != b->tie ? (a->tie > b->tie) - (a->tie < b->tie)
                            : (a->number > b->number) - (a->number < b->number);
}

static og_status find_ranking(const pair_search *search, og_pairs_plan *out)
{
    size_t items = (size_t)search->items;
    og_arena arena = {0};
    ranked *order = og_arena_array(&arena, items, sizeof *order);
    double *sorted = og_arena_array(&arena, items + 1, sizeof *sorted), sum = 0;
    if (og_arena_status(&arena) != OG_OK) {
        og_arena_clear(&arena);
        return OG_NO_MEMORY;
    }
    for (size_t i = 0; i < items; i++) { /* stored numbers have the order of the parameters */
        order[i] = (ranked){search->a[i], i, (uint32_t)i};
        sum += og_ranking_plain(search->a[i]);
    }
    qsort(order, items, sizeof *order, compare_ranked);
    for (size_t i = 0; i < items; i++) {
        out->ranking[i] = order[i].number;
        out->score[i] = og_ranking_plain(search->a[i]) / sum;
        sorted[i] = order[i].value;
    }
    og_ranking_above(sorted, sorted + 1, search->items - 1, out->above_next);
    out->above_next[items - 1] = 0.5;
    out->sum = sum;
    out->sorted = og_ranking_sorted(search->a, search->items);
    og_arena_clear(&arena);
    return OG_OK;
}

/* ---- the pairs ---- */

static int compare_keys(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Items have at most 10 bits, workers 32. */
static uint64_t key_of(uint32_t i, uint32_t j, uint32_t worker)
{
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    return (uint64_t)low << 48 | (uint64_t)high << 32 | worker;
}

static void sort_workers(pair_search *search, ranked *order)
{
    for (int32_t w = 0; w < search->workers; w++) {
        const double *has = search->worker + 2 * w;
        order[w] = (ranked){fabs(has[0] - has[1]) / (has[0] + has[1]), (uint64_t)w, (uint32_t)w};
    }
    qsort(order, (size_t)search->workers, sizeof *order, compare_ranked);
    for (int32_t w = 0; w < search->workers; w++) {
        search->by_use[w] = order[w].number;
    }
    for (int64_t k = 0; k < search->from->count; k++) {
        const og_pair *pair = &search->from->pair[k];
        search->seen[k] = key_of(pair->item[0], pair->item[1], pair->worker);
    }
    qsort(search->seen, (size_t)search->from->count, sizeof *search->seen, compare_keys);
}

/* The most useful worker who has not compared the pair; false if there is none. */
static bool find_worker(const pair_search *search, uint32_t i, uint32_t j, uint32_t *worker)
{
    *worker = 0;
    for (int32_t k = 0; k < search->workers; k++) {
        const uint64_t key = key_of(i, j, search->by_use[k]);
        if (bsearch(&key, search->seen, (size_t)search->from->count, sizeof key, compare_keys) ==
            NULL) {
            *worker = search->by_use[k];
            return true;
        }
    }
    return search->workers == 0;
}

static void list_pairs(pair_search *search)
{
    for (uint32_t i = 0; i < (uint32_t)search->items; i++) {
        for (uint32_t j = i + 1; j < (uint32_t)search->items; j++) {
            uint32_t worker;
            if (find_worker(search, i, j, &worker)) {
                search->open[search->pairs++] = (og_act_open){{{i, j, worker}}, 1};
            }
        }
    }
}

static og_status find_indices(pair_search *search, og_message *message)
{
    og_stop *stop = og_stop_of(&search->request->settings);
    if (search->nearest) {
        const og_strategy_view view = {
            .belief = search->a, .open = search->open, .count = search->pairs};
        og_answer kind;
        return og_ranking_choose_nearest(NULL, &view, search->index, &kind, message);
    }
    for (int32_t k = 0; k < search->pairs; k += AT_ONCE) {
        int32_t count = search->pairs - k < AT_ONCE ? search->pairs - k : AT_ONCE;
        OG_TRY(og_ranking_rises(search->a, search->items,
                                search->workers > 0 ? search->worker : NULL, search->open + k,
                                count, search->index + k));
        if (og_stop_asked(stop)) {
            return og_stop_status(stop);
        }
    }
    for (int32_t k = 0; k < search->pairs; k++) {
        if (isnan(search->index[k])) {
            return og_message_set(message, OG_FAILED,
                                  "akg: a parameter of the belief leaves the range of doubles; "
                                  "give another --prior");
        }
    }
    return OG_OK;
}

static og_status choose(const pair_search *search, og_pairs_plan *out)
{
    ranked *order = calloc((size_t)search->pairs + 1, sizeof *order);
    OG_TRY(OG_ALLOCATED(order));
    for (int32_t k = 0; k < search->pairs; k++) {
        uint64_t tie = og_draw(search->request->seed, OG_DRAW_TIE, 0, (uint32_t)k, 0);
        order[k] = (ranked){search->index[k], tie, (uint32_t)k};
    }
    qsort(order, (size_t)search->pairs, sizeof *order, compare_ranked);
    out->count = search->batch < search->pairs ? search->batch : search->pairs;
    for (int32_t k = 0; k < out->count; k++) {
        const og_act *act = &search->open[order[k].number].act;
        out->pair[k] = (og_next_pair){
            {act->part[0], act->part[1]}, act->part[2], search->index[order[k].number]};
    }
    free(order);
    return OG_OK;
}

/* ---- all of it ---- */

static og_status prepare(pair_search *search, og_pairs_plan *out)
{
    size_t items = (size_t)search->items, workers = (size_t)search->workers;
    size_t pairs = search->batch > 0 ? items * (items - 1) / 2 : 0;
    search->a = og_arena_array(&search->arena, items, sizeof *search->a);
    search->by_use = og_arena_array(&search->arena, workers, sizeof *search->by_use);
    search->seen =
        og_arena_array(&search->arena, (size_t)search->from->count, sizeof *search->seen);
    search->open = og_arena_array(&search->arena, pairs, sizeof *search->open);
    search->index = og_arena_array(&search->arena, pairs, sizeof *search->index);
    out->score = og_arena_array(&out->arena, items, sizeof *out->score);
    out->above_next = og_arena_array(&out->arena, items, sizeof *out->above_next);
    out->worker = og_arena_array(&out->arena, 2 * workers, sizeof *out->worker);
    out->ranking = og_arena_array(&out->arena, items, sizeof *out->ranking);
    size_t batch = (size_t)search->batch < pairs ? (size_t)search->batch : pairs;
    out->pair = og_arena_array(&out->arena, batch, sizeof *out->pair);
    search->worker = out->worker;
    OG_TRY(og_arena_status(&search->arena));
    return og_arena_status(&out->arena);
}

static og_status find(pair_search *search, og_pairs_plan *out, og_message *message)
{
    OG_TRY(prepare(search, out));
    OG_TRY(learn(search, message));
    OG_TRY(find_ranking(search, out));
    if (search->batch == 0) {
        return OG_OK;
    }
    if (search->workers > 0) {
        ranked *order = og_arena_array(&search->arena, (size_t)search->workers, sizeof *order);
        OG_TRY(OG_ALLOCATED(order));
        sort_workers(search, order);
    }
    list_pairs(search);
    OG_TRY(find_indices(search, message));
    return choose(search, out);
}

og_status og_pairs_plan_find(const og_asked *asked, const og_pairs *pairs,
                             const og_pairs_prior *prior, og_pairs_plan *out, og_message *message)
{
    const og_batch *wanted = asked->given;
    bool nearest = asked->policy_count > 0 && strcmp(asked->policies[0].name, "distance") == 0;
    bool crowd = prior->worker[0] > 0;
    if (pairs->item_count > OG_RANKING_PLAYED_MAX) {
        return og_message_set(message, OG_BAD_INPUT,
                              "comparisons of at most %d items are supported, not %u",
                              OG_RANKING_PLAYED_MAX, pairs->item_count);
    }
    if (nearest && crowd) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy 'distance' does not support --workers-prior; use akg");
    }
    pair_search search = {.request = &asked->request,
                          .from = pairs,
                          .prior = prior,
                          .batch = wanted->final_calls ? 0 : wanted->batch,
                          .nearest = nearest,
                          .items = (int32_t)pairs->item_count,
                          .workers = crowd ? (int32_t)pairs->worker_count : 0};
    og_pairs_plan made = {.nearest = nearest};
    og_status status = find(&search, &made, message);
    og_arena_clear(&search.arena);
    return OG_MADE_IN(status, made, og_pairs_plan_clear, out);
}

void og_pairs_plan_clear(og_pairs_plan *plan)
{
    og_arena_clear(&plan->arena);
    *plan = (og_pairs_plan){.count = 0};
}
