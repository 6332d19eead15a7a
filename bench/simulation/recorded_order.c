/* Finds classes of scores: sorts all scores and cuts between neighbours that do not tie. */
#include "bench/simulation/recorded_order.h"

#include <stdlib.h>

typedef struct {
    const og_index *index;
    const og_arm *arm;
    const bool *there;
    double slack, bound;
    double *score;        /* [count] ascending */
    uint32_t count;       /* number of scores */
    double *first;        /* [class_count] smallest score of each class; reuses `score` */
    uint32_t class_count; /* so far */
} order_builder;

static int compare(const void *left, const void *right)
{
    double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

static uint32_t nodes_of(const order_builder *of, int32_t length)
{
    return of->there[length] ? of->arm->level[length] : 0;
}

static double score_at(const order_builder *of, int32_t length, uint32_t node)
{
    return og_index_of(of->index, 0, length - og_arm_level(of->arm, node))[node];
}

static void sort_scores(order_builder *of)
{
    uint32_t at = 0;
    for (int32_t length = 1; length <= of->arm->depth; length++) {
        for (uint32_t node = 0; node < nodes_of(of, length); node++) {
            of->score[at++] = score_at(of, length, node);
        }
    }
    qsort(of->score, of->count, sizeof *of->score, compare);
}

/* Close the class of the scores from `from` up to, but without, `to`. */
static void close_class(order_builder *of, og_recorded_order *order, uint32_t from, uint32_t to)
{
    double low = of->score[from], high = of->score[to - 1];
    bool ties = low >= og_recorded_least(high, of->slack);
    bool cut = low <= of->bound && high > of->bound;
    order->loose[of->class_count] = !ties || cut;
    of->first[of->class_count++] = low;
}

static void find_classes(order_builder *of, og_recorded_order *order)
{
    uint32_t from = 0;
    for (uint32_t i = 1; i <= of->count; i++) {
        if (i == of->count || of->score[i - 1] < og_recorded_least(of->score[i], of->slack)) {
            close_class(of, order, from, i);
            from = i;
        }
    }
}

/* The last class whose first score is at most this score. */
static uint32_t find_class(const order_builder *of, double score)
{
    uint32_t low = 0, high = of->class_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (of->first[middle] <= score) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void fill_classes(const order_builder *of, og_recorded_order *order)
{
    for (int32_t length = 1; length <= of->arm->depth; length++) {
        for (uint32_t node = 0; node < nodes_of(of, length); node++) {
            order->class_of[length][node] = find_class(of, score_at(of, length, node));
        }
    }
}

static og_status make(order_builder *of, og_recorded_order *order)
{
    order->class_of =
        og_arena_array(&order->arena, (size_t)of->arm->depth + 1, sizeof *order->class_of);
    order->loose = og_arena_array(&order->arena, of->count, sizeof *order->loose);
    OG_TRY(og_arena_status(&order->arena));
    for (int32_t length = 1; length <= of->arm->depth; length++) {
        if (of->there[length]) {
            order->class_of[length] =
                og_arena_array(&order->arena, nodes_of(of, length), sizeof(uint32_t));
        }
    }
    OG_TRY(og_arena_status(&order->arena));
    sort_scores(of);
    find_classes(of, order);
    fill_classes(of, order);
    return OG_OK;
}

og_status og_recorded_order_new(const og_index *index, const og_arm *arm, const bool *there,
                                double slack, double bound, uint64_t memory_bytes,
                                og_recorded_order **out)
{
    order_builder of = {.index = index, .arm = arm, .there = there, .slack = slack, .bound = bound};
    uint64_t count = 0;
    for (int32_t length = 1; length <= arm->depth; length++) {
        count += nodes_of(&of, length);
    }
    if (count >= UINT32_MAX || count > memory_bytes / 32) {
        *out = NULL;
        return OG_OK;
    }
    of.count = (uint32_t)count;
    of.score = malloc((count + 1) * sizeof *of.score);
    of.first = of.score; /* a class is written only over smaller scores already read */
    og_recorded_order *order = og_arena_new(sizeof *order);
    og_status status = of.score == NULL || order == NULL ? OG_NO_MEMORY : make(&of, order);
    free(of.score);
    return OG_MADE(status, order, og_recorded_order_free, out);
}

void og_recorded_order_free(og_recorded_order *order)
{
    og_arena_free(order);
}
