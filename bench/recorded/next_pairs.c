/* Finds the next pairs to compare from recorded comparisons. */
#include "bench/recorded/next_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/pairs_belief.h"
#include "dp/base/stop.h"
#include "heuristics/families/ranking_belief.h"
#include "heuristics/families/ranking_index.h"
#include "heuristics/families/ranking_play.h"
#include "heuristics/families/ranking_tiny.h"

enum { AT_ONCE = 64 };

typedef struct {
    og_arena arena;
    const og_request *request;
    const og_pairs *from;
    const og_pairs_prior *prior;
    int32_t batch;
    bool nearest;
    int32_t items, workers; /* workers 0: they are always right */
    og_pairs_belief belief;
    double *a;        /* [items] the Dirichlet of akg */
    double *worker;   /* [workers][2] */
    uint32_t *by_use; /* [workers] the least coin-like first */
    uint64_t *seen;   /* [from->count] pairs and workers, sorted; without workers not used */
} pair_search;

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

/* ---- the belief ---- */

/* As the policies learn: one comparison after another. */
static og_status learn_in_order(pair_search *search, og_message *message)
{
    og_stop *stop = og_stop_of(&search->request->settings);
    for (int32_t i = 0; i < search->items; i++) {
        search->a[i] = search->prior->item;
    }
    for (int32_t w = 0; w < search->workers; w++) {
        memcpy(search->worker + 2 * w, search->prior->worker, sizeof search->prior->worker);
    }
    for (int64_t k = 0; k < search->from->count; k++) {
        const og_pair *pair = &search->from->pair[k];
        OG_TRY(k % 64 == 0 && og_stop_asked(stop) ? OG_STOPPED : OG_OK);
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

static og_status learn(pair_search *search, bool in_order, og_message *message)
{
    if (in_order) {
        return learn_in_order(search, message);
    }
    og_pairs_belief *belief = &search->belief;
    OG_TRY(og_pairs_believe(search->from, search->prior, og_stop_of(&search->request->settings),
                            belief, message));
    for (int32_t i = 0; i < search->items; i++) {
        search->a[i] = (belief->covariance != NULL ? belief->size : 1) * exp(belief->mode[i]);
    }
    if (search->workers > 0) {
        memcpy(search->worker, belief->worker, 2 * (size_t)search->workers * sizeof(double));
    }
    return OG_OK;
}

/* ---- the ranking ---- */

/* The expected share of pairs in the order of the ranking. */
static double sorted_by(const og_pairs_belief *belief, const uint32_t *ranking)
{
    uint32_t item[AT_ONCE], other[AT_ONCE];
    double above[AT_ONCE], sum = 0;
    int32_t count = 0;
    for (uint32_t i = 0; i < belief->items; i++) {
        for (uint32_t j = i + 1; j < belief->items; j++) {
            item[count] = ranking[i];
            other[count++] = ranking[j];
            if (count == AT_ONCE || i + 2 == belief->items) {
                og_pairs_above(belief, item, other, count, above);
                for (int32_t k = 0; k < count; k++) {
                    sum += above[k];
                }
                count = 0;
            }
        }
    }
    return sum / (belief->items * (belief->items - 1.) / 2);
}

/* Without a covariance there are no probabilities. */
static void find_probabilities(const pair_search *search, const double *sorted, og_pairs_plan *out)
{
    const og_pairs_belief *belief = &search->belief;
    int32_t last = search->items - 1;
    out->sorted = NAN;
    if (belief->covariance != NULL) {
        og_pairs_above(belief, out->ranking, out->ranking + 1, last, out->above_next);
        out->sorted = sorted_by(belief, out->ranking);
    } else if (belief->mode == NULL) {
        og_ranking_above(sorted, sorted + 1, last, out->above_next);
        out->sorted = og_ranking_sorted(search->a, search->items);
    }
    for (int32_t k = 0; isnan(out->sorted) && k < last; k++) {
        out->above_next[k] = NAN;
    }
    out->above_next[last] = 0.5;
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
    for (size_t i = 0; search->belief.mode != NULL && i < items; i++) {
        out->score[i] = exp(search->belief.mode[i]);
    }
    find_probabilities(search, sorted, out);
    out->sum = search->belief.mode != NULL ? search->belief.size : sum;
    og_arena_clear(&arena);
    return OG_OK;
}

/* ---- workers ---- */

static int compare_keys(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* For at most OG_PAIRS_SPREAD_MAX items. */
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

/* ---- the nearest pairs ---- */

/* Items are numbered by their place in the ranking. `gap` items lie between these two. */
typedef struct {
    double distance;
    uint64_t tie;
    uint32_t place, gap;
} near;

static bool is_nearer(const near *x, const near *y)
{
    return x->distance != y->distance ? x->distance < y->distance : x->tie < y->tie;
}

static void sink(near *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child < count && child <= 2 * at + 2; child++) {
            least = is_nearer(&heap[child], &heap[least]) ? child : least;
        }
        if (least == at) {
            return;
        }
        near moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static near near_of(const pair_search *search, const og_pairs_plan *plan, uint32_t place,
                    uint32_t gap)
{
    uint32_t i = plan->ranking[place], j = plan->ranking[place + gap + 1];
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    return (near){plan->score[i] - plan->score[j],
                  og_draw(search->request->seed, OG_DRAW_TIE, (uint64_t)low, high, 0), place, gap};
}

/* The nearest pair of each item with a lower one is in a heap; one that is taken is followed by the
 * item's next one. */
static og_status choose_nearest(const pair_search *search, og_pairs_plan *out)
{
    size_t count = (size_t)search->items - 1;
    near *heap = calloc(count, sizeof *heap);
    OG_TRY(OG_ALLOCATED(heap));
    for (size_t k = 0; k < count; k++) {
        heap[k] = near_of(search, out, (uint32_t)k, 0);
    }
    for (size_t k = count; k-- > 0;) {
        sink(heap, count, k);
    }
    while (count > 0 && out->count < search->batch) {
        near *first = &heap[0];
        uint32_t i = out->ranking[first->place], j = out->ranking[first->place + first->gap + 1];
        uint32_t low = i < j ? i : j, high = i < j ? j : i, worker;
        if (find_worker(search, low, high, &worker)) {
            out->pair[out->count++] = (og_next_pair){{low, high}, worker, 0 - first->distance};
        }
        if (first->place + first->gap + 2 < (uint32_t)search->items) {
            *first = near_of(search, out, first->place, first->gap + 1);
        } else {
            *first = heap[--count];
        }
        sink(heap, count, 0);
    }
    free(heap);
    return OG_OK;
}

/* ---- the best pairs ---- */

typedef struct {
    og_act_open *open; /* [count] */
    double *index;     /* [count] */
    int32_t count;
} pair_list;

static og_status list_pairs(const pair_search *search, pair_list *list)
{
    og_stop *stop = og_stop_of(&search->request->settings);
    for (uint32_t i = 0; i < (uint32_t)search->items; i++) {
        for (uint32_t j = i + 1; j < (uint32_t)search->items; j++) {
            uint32_t worker;
            OG_TRY(og_stop_asked(stop) ? OG_STOPPED : OG_OK);
            if (find_worker(search, i, j, &worker)) {
                list->open[list->count++] = (og_act_open){{{i, j, worker}}, 1};
            }
        }
    }
    return OG_OK;
}

static og_status find_indices(const pair_search *search, pair_list *list, og_message *message)
{
    og_stop *stop = og_stop_of(&search->request->settings);
    OG_TRY(og_ranking_rises(search->a, search->items, search->workers > 0 ? search->worker : NULL,
                            list->open, list->count, stop, list->index));
    const double grid = 0x1p40; /* far above the errors: equal pairs have equal indices */
    for (int32_t k = 0; k < list->count; k++) {
        list->index[k] = rint(list->index[k] * grid) / grid;
        if (isnan(list->index[k])) {
            return og_message_set(message, OG_FAILED,
                                  "akg: a parameter of the belief leaves the range of doubles; "
                                  "give another --prior");
        }
    }
    return OG_OK;
}

static og_status choose(const pair_search *search, const pair_list *list, og_pairs_plan *out)
{
    ranked *order = calloc((size_t)list->count + 1, sizeof *order);
    OG_TRY(OG_ALLOCATED(order));
    for (int32_t k = 0; k < list->count; k++) {
        uint64_t tie = og_draw(search->request->seed, OG_DRAW_TIE, 0, (uint32_t)k, 0);
        order[k] = (ranked){list->index[k], tie, (uint32_t)k};
    }
    qsort(order, (size_t)list->count, sizeof *order, compare_ranked);
    out->count = search->batch < list->count ? search->batch : list->count;
    for (int32_t k = 0; k < out->count; k++) {
        const og_act *act = &list->open[order[k].number].act;
        out->pair[k] = (og_next_pair){
            {act->part[0], act->part[1]}, act->part[2], list->index[order[k].number]};
    }
    free(order);
    return OG_OK;
}

static og_status choose_by_akg(pair_search *search, og_pairs_plan *out, og_message *message)
{
    size_t pairs = (size_t)search->items * ((size_t)search->items - 1) / 2;
    pair_list list = {.open = og_arena_array(&search->arena, pairs, sizeof *list.open),
                      .index = og_arena_array(&search->arena, pairs, sizeof *list.index)};
    OG_TRY(og_arena_status(&search->arena));
    OG_TRY(list_pairs(search, &list));
    OG_TRY(find_indices(search, &list, message));
    return choose(search, &list, out);
}

/* ---- all of it ---- */

static og_status prepare(pair_search *search, og_pairs_plan *out)
{
    size_t items = (size_t)search->items, workers = (size_t)search->workers;
    double pairs = (double)items * ((double)items - 1) / 2;
    size_t batch = search->batch < pairs ? (size_t)search->batch : (size_t)pairs;
    search->a = og_arena_array(&search->arena, items, sizeof *search->a);
    search->by_use = og_arena_array(&search->arena, workers, sizeof *search->by_use);
    search->seen =
        og_arena_array(&search->arena, (size_t)search->from->count, sizeof *search->seen);
    out->score = og_arena_array(&out->arena, items, sizeof *out->score);
    out->above_next = og_arena_array(&out->arena, items, sizeof *out->above_next);
    out->worker = og_arena_array(&out->arena, 2 * workers, sizeof *out->worker);
    out->ranking = og_arena_array(&out->arena, items, sizeof *out->ranking);
    out->pair = og_arena_array(&out->arena, batch, sizeof *out->pair);
    search->worker = out->worker;
    OG_TRY(og_arena_status(&search->arena));
    return og_arena_status(&out->arena);
}

static og_status find(pair_search *search, bool in_order, og_pairs_plan *out, og_message *message)
{
    OG_TRY(prepare(search, out));
    OG_TRY(learn(search, in_order, message));
    OG_TRY(find_ranking(search, out));
    out->settled = search->belief.mode == NULL || search->belief.settled;
    if (search->batch == 0) {
        return OG_OK;
    }
    if (search->workers > 0) {
        ranked *order = og_arena_array(&search->arena, (size_t)search->workers, sizeof *order);
        OG_TRY(OG_ALLOCATED(order));
        sort_workers(search, order);
    }
    return search->nearest ? choose_nearest(search, out) : choose_by_akg(search, out, message);
}

og_status og_pairs_plan_find(const og_asked *asked, const og_pairs *pairs,
                             const og_pairs_prior *prior, bool in_order, og_pairs_plan *out,
                             og_message *message)
{
    const og_batch *wanted = asked->given;
    bool named = asked->policy_count > 0, many = pairs->item_count > OG_RANKING_PLAYED_MAX;
    bool nearest = named ? strcmp(asked->policies[0].name, "distance") == 0 : many;
    bool crowd = prior->worker[0] > 0;
    if (many && !nearest && !wanted->final_calls) {
        return og_message_set(message, OG_BAD_INPUT,
                              "akg supports comparisons of at most %d items, not %u; give --policy "
                              "distance",
                              OG_RANKING_PLAYED_MAX, pairs->item_count);
    }
    pair_search search = {.request = &asked->request,
                          .from = pairs,
                          .prior = prior,
                          .batch = wanted->final_calls ? 0 : wanted->batch,
                          .nearest = nearest,
                          .items = (int32_t)pairs->item_count,
                          .workers = crowd ? (int32_t)pairs->worker_count : 0};
    og_pairs_plan made = {.nearest = nearest};
    og_status status = find(&search, in_order, &made, message);
    og_pairs_belief_clear(&search.belief);
    og_arena_clear(&search.arena);
    return OG_MADE_IN(status, made, og_pairs_plan_clear, out);
}

void og_pairs_plan_clear(og_pairs_plan *plan)
{
    og_arena_clear(&plan->arena);
    *plan = (og_pairs_plan){.count = 0};
}
