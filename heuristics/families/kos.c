/* Assigns labels by a random regular graph, and infers the calls with messages. */
#include "heuristics/families/kos.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "dp/base/arena.h"
#include "dp/base/bits.h"

/* ---- assignment ---- */

typedef struct {
    og_arena arena;
    int32_t workers, count;
    og_kos_random *random;
    void *stream;
    int32_t *instance, *worker;
    uint64_t *taken; /* bits of the pairs of edges that are settled */
    bool *repeated;  /* [count] the edge's pair was taken already */
} graph;

static uint32_t below(graph *g, uint32_t count)
{
    return (uint32_t)(((g->random(g->stream) >> 32) * count) >> 32);
}

static void shuffle(graph *g, int32_t *list, int32_t count)
{
    for (int32_t k = count - 1; k > 0; k--) {
        uint32_t other = below(g, (uint32_t)k + 1);
        int32_t kept = list[k];
        list[k] = list[other];
        list[other] = kept;
    }
}

/* Writes each of `size` nodes count / size times, and a random part of them once more. */
static og_status write_ends(graph *g, int32_t size, int32_t *end)
{
    int32_t *order = og_arena_array(&g->arena, (size_t)size, sizeof *order);
    bool *more = og_arena_array(&g->arena, (size_t)size, sizeof *more);
    OG_TRY(og_arena_status(&g->arena));
    for (int32_t i = 0; i < size; i++) {
        order[i] = i;
    }
    shuffle(g, order, size);
    for (int32_t i = 0; i < g->count % size; i++) {
        more[order[i]] = true;
    }
    int32_t used = 0;
    for (int32_t i = 0; i < size; i++) {
        for (int32_t k = 0; k < g->count / size + (more[i] ? 1 : 0); k++) {
            end[used++] = i;
        }
    }
    return OG_OK;
}

static size_t pair_of(const graph *g, int32_t instance, int32_t worker)
{
    return (size_t)instance * (size_t)g->workers + (size_t)worker;
}

/* Exchanges the workers of a repeated edge and a settled one, if neither pair is taken then. */
static bool exchange(graph *g, int32_t edge, int32_t other)
{
    int32_t own = g->worker[edge], new = g->worker[other];
    size_t mine = pair_of(g, g->instance[edge], new), theirs = pair_of(g, g->instance[other], own);
    if (g->repeated[other] || og_bits_has(g->taken, mine) || og_bits_has(g->taken, theirs)) {
        return false;
    }
    og_bits_remove(g->taken, pair_of(g, g->instance[other], new));
    og_bits_add(g->taken, mine);
    og_bits_add(g->taken, theirs);
    g->worker[edge] = new;
    g->worker[other] = own;
    g->repeated[edge] = false;
    return true;
}

/* Tries random edges, then all in turn. */
static void exchange_any(graph *g, int32_t edge)
{
    enum { DRAWS = 64 };
    for (int32_t k = 0; k < DRAWS; k++) {
        if (exchange(g, edge, (int32_t)below(g, (uint32_t)g->count))) {
            return;
        }
    }
    int32_t start = (int32_t)below(g, (uint32_t)g->count);
    for (int32_t k = 0; k < g->count; k++) {
        if (exchange(g, edge, (int32_t)(((int64_t)start + k) % g->count))) {
            return;
        }
    }
}

static og_status assign(graph *g, int32_t instances)
{
    size_t pairs = (size_t)instances * (size_t)g->workers;
    g->taken = og_arena_array(&g->arena, og_bits_words(pairs), sizeof *g->taken);
    g->repeated = og_arena_array(&g->arena, (size_t)g->count, sizeof *g->repeated);
    OG_TRY(og_arena_status(&g->arena));
    OG_TRY(write_ends(g, instances, g->instance));
    OG_TRY(write_ends(g, g->workers, g->worker));
    shuffle(g, g->worker, g->count);
    for (int32_t e = 0; e < g->count; e++) {
        size_t pair = pair_of(g, g->instance[e], g->worker[e]);
        g->repeated[e] = og_bits_has(g->taken, pair);
        og_bits_add(g->taken, pair);
    }
    for (int32_t e = 0; (size_t)g->count <= pairs && e < g->count; e++) {
        if (g->repeated[e]) {
            exchange_any(g, e);
        }
    }
    return OG_OK;
}

og_status og_kos_assign(int32_t instances, int32_t workers, int32_t count, og_kos_random *random,
                        void *stream, int32_t *instance, int32_t *worker)
{
    graph g = {.workers = workers,
               .count = count,
               .random = random,
               .stream = stream,
               .instance = instance,
               .worker = worker};
    og_status status = assign(&g, instances);
    og_arena_clear(&g.arena);
    return status;
}

/* ---- messages ---- */

static void sum_by(const int32_t *end, int32_t ends, const og_kos_labels *labels,
                   const double *message, double *sum)
{
    memset(sum, 0, (size_t)ends * sizeof *sum);
    for (int64_t e = 0; e < labels->count; e++) {
        sum[end[e]] += labels->label[e] * message[e];
    }
}

/* Replaces each message by the total of its node without its own edge. */
static double pass(const int32_t *end, int32_t ends, const og_kos_labels *labels, double *message,
                   double *sum)
{
    double most = 0;
    sum_by(end, ends, labels, message, sum);
    for (int64_t e = 0; e < labels->count; e++) {
        message[e] = sum[end[e]] - labels->label[e] * message[e];
        most = fmax(most, fabs(message[e]));
    }
    return most;
}

static void divide(double *list, int64_t count, double by)
{
    for (int64_t k = 0; by > 0 && k < count; k++) {
        list[k] /= by;
    }
}

og_status og_kos_run(const og_kos_labels *labels, int32_t rounds, double *message, double *score)
{
    const double nothing = 1e-12;
    int32_t instances = labels->instances, workers = labels->workers;
    og_arena arena = {0};
    double *sum =
        og_arena_array(&arena, (size_t)(instances > workers ? instances : workers), sizeof *sum);
    OG_TRY(og_arena_status(&arena));
    for (int32_t n = 0; n < rounds; n++) {
        pass(labels->instance, instances, labels, message, sum);
        double most = pass(labels->worker, workers, labels, message, sum);
        divide(message, labels->count, most);
    }
    sum_by(labels->instance, instances, labels, message, score);
    double most = 0;
    for (int32_t i = 0; i < instances; i++) {
        most = fmax(most, fabs(score[i]));
    }
    divide(score, instances, most);
    for (int32_t i = 0; i < instances; i++) {
        score[i] = fabs(score[i]) <= nothing ? 0 : score[i];
    }
    og_arena_clear(&arena);
    return OG_OK;
}
