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

static uint32_t nodes_of(const order_builder *builder, int32_t length)
{
    return builder->there[length] ? builder->arm->level[length] : 0;
}

static double score_at(const order_builder *builder, int32_t length, uint32_t node)
{
    return og_index_of(builder->index, 0, length - og_arm_level(builder->arm, node))[node];
}

static void sort_scores(order_builder *builder)
{
    uint32_t at = 0;
    for (int32_t length = 1; length <= builder->arm->depth; length++) {
        for (uint32_t node = 0; node < nodes_of(builder, length); node++) {
            builder->score[at++] = score_at(builder, length, node);
        }
    }
    qsort(builder->score, builder->count, sizeof *builder->score, compare);
}

/* Close the class of the scores from `from` up to, but without, `to`. */
static void close_class(order_builder *builder, og_recorded_order *order, uint32_t from,
                        uint32_t to)
{
    double low = builder->score[from], high = builder->score[to - 1];
    bool ties = low >= og_recorded_least(high, builder->slack);
    bool cut = low <= builder->bound && high > builder->bound;
    order->loose[builder->class_count] = !ties || cut;
    builder->first[builder->class_count++] = low;
}

static void find_classes(order_builder *builder, og_recorded_order *order)
{
    uint32_t from = 0;
    for (uint32_t i = 1; i <= builder->count; i++) {
        if (i == builder->count ||
            builder->score[i - 1] < og_recorded_least(builder->score[i], builder->slack)) {
            close_class(builder, order, from, i);
            from = i;
        }
    }
}

/* The last class whose first score is at most this score. */
static uint32_t find_class(const order_builder *builder, double score)
{
    uint32_t low = 0, high = builder->class_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (builder->first[middle] <= score) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void fill_classes(const order_builder *builder, og_recorded_order *order)
{
    for (int32_t length = 1; length <= builder->arm->depth; length++) {
        for (uint32_t node = 0; node < nodes_of(builder, length); node++) {
            order->class_of[length][node] = find_class(builder, score_at(builder, length, node));
        }
    }
}

static og_status make(order_builder *builder, og_recorded_order *order)
{
    order->class_of =
        og_arena_array(&order->arena, (size_t)builder->arm->depth + 1, sizeof *order->class_of);
    order->loose = og_arena_array(&order->arena, builder->count, sizeof *order->loose);
    OG_TRY(og_arena_status(&order->arena));
    for (int32_t length = 1; length <= builder->arm->depth; length++) {
        if (builder->there[length]) {
            order->class_of[length] =
                og_arena_array(&order->arena, nodes_of(builder, length), sizeof(uint32_t));
        }
    }
    OG_TRY(og_arena_status(&order->arena));
    sort_scores(builder);
    find_classes(builder, order);
    fill_classes(builder, order);
    return OG_OK;
}

og_status og_recorded_order_new(const og_index *index, const og_arm *arm, const bool *there,
                                double slack, double bound, uint64_t memory_bytes,
                                og_recorded_order **out)
{
    order_builder builder = {
        .index = index, .arm = arm, .there = there, .slack = slack, .bound = bound};
    uint64_t count = 0;
    for (int32_t length = 1; length <= arm->depth; length++) {
        count += nodes_of(&builder, length);
    }
    if (count >= UINT32_MAX || count > memory_bytes / 32) {
        *out = NULL;
        return OG_OK;
    }
    builder.count = (uint32_t)count;
    builder.score = malloc((count + 1) * sizeof *builder.score);
    builder.first = builder.score; /* a class is written only over smaller scores already read */
    og_recorded_order *order = og_arena_new(sizeof *order);
    og_status status =
        builder.score == NULL || order == NULL ? OG_NO_MEMORY : make(&builder, order);
    free(builder.score);
    return OG_MADE(status, order, og_recorded_order_free, out);
}

void og_recorded_order_free(og_recorded_order *order)
{
    og_arena_free(order);
}
