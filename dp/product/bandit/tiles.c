/*
 * Updates several layers of two axes at once, so that values in the cache are used several times.
 *
 * Step t = 1 .. steps computes the layer with given - t labels given. Let (m, s, x) be the labels
 * of axis 0, its positive ones and those of axis 1. A value of step t is computed from those of
 * step t - 1 at (m, s, x), (m, s, x + 1), (m + 1, s, x) and (m + 1, s + 1, x), never from smaller
 * coordinates. So a tile takes s and x from intervals that move down by one with each step. It
 * reads its own values and those of tiles of smaller s and x; none of these still needs a value
 * that it overwrites. Tiles of one diagonal are independent.
 *
 * Within a tile m + t ascends, then t: (m + 1, t - 1) comes just before (m, t), and (m + 1, t)
 * after it. The working set is the tile times steps + 1.
 *
 * If both axes are identical, types whose two numbers are close also read each other with the axes
 * exchanged. So m stays below a border that moves down too, and the types at the border or above
 * are computed layer by layer after the tiles.
 */

#include "dp/base/parallel.h"
#include "dp/product/bandit/made.h"

enum { ROWS = 48, PLACES = 256 };

typedef struct {
    og_bandit *bandit;
    int32_t given, steps;
    int32_t border;   /* m < border - t */
    int32_t diagonal; /* of tiles */
    int32_t first;    /* the first of them: its index along s */
} tiling;

static int32_t least(int32_t x, int32_t y)
{
    return x < y ? x : y;
}

static int32_t most(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

/* m + t = slot; returns the number of values. */
static uint64_t do_slot(const tiling *w, int32_t slot, int32_t s, int32_t x)
{
    const og_bandit *b = w->bandit;
    uint64_t done = 0;
    for (int32_t t = 1; t <= least(w->steps, slot); t++) {
        int32_t m = slot - t;
        og_bandit_part part = {.type = (uint32_t)m,
                               .last = w->given - slot,
                               .from = most(x - t, 0),
                               .upto = least(x + PLACES - t, w->given - slot + 1)};
        int32_t begin = most(s - t, 0), end = least(s + ROWS - t, m + 1);
        if (begin < end && part.from < part.upto) {
            part.begin = (uint64_t)begin;
            part.end = (uint64_t)end;
            og_bandit_update(b, &part);
            done += (uint64_t)(end - begin) * (uint64_t)(part.upto - part.from);
        }
    }
    return done;
}

static void do_tiles(void *context, int thread, int64_t begin, int64_t end)
{
    const tiling *w = context;
    bool going = true;
    for (int64_t i = begin; i < end && going; i++) {
        int32_t s = (w->first + (int32_t)i) * ROWS;
        int32_t x = (w->diagonal - w->first - (int32_t)i) * PLACES;
        uint64_t done = 0;
        for (int32_t slot = most(s, 1); slot < w->border && slot <= w->given; slot++) {
            done += do_slot(w, slot, s, x);
        }
        going = og_bandit_go_on(w->bandit, thread, done);
    }
}

void og_bandit_tiles(og_bandit *b, int32_t given, int32_t steps)
{
    tiling w = {.bandit = b, .given = given, .steps = steps};
    w.border = b->alike[0] ? (given - steps) / 2 + 1 : given + 1;
    int32_t along = (w.border + ROWS - 1) / ROWS, across = given / PLACES + 1;
    for (w.diagonal = 0; w.diagonal < along + across - 1; w.diagonal++) {
        w.first = most(0, w.diagonal - across + 1);
        int32_t end = least(along, w.diagonal + 1);
        og_parallel_ranges(b->settings.threads, end - w.first, 1, do_tiles, &w);
    }
    for (int32_t t = 1; t <= steps && b->alike[0]; t++) {
        og_bandit_layer(b, given - t, most(w.border - t, 0));
    }
}
