/*
 * The finite-horizon Gittins index of the roots alone, with all labels left: what gittins.c gives
 * them, without the indices of all other nodes.
 *
 * Same bits. The index for r labels is found from that for r - 1, so the root's own are found for
 * 1, 2, ... labels, by the same steps in the same order. Where the table walks the strip of nodes
 * whose known index may be above the price, all nodes of a set are walked that holds the strip; the
 * value of the others is computed as 0, as their index lies below the price by more than rounding
 * (gittins.c). The set: nodes that buy at some lower price with more labels left. A node's value
 * falls with the price and grows with the labels, and rounding keeps to that, as sums and products
 * of numbers that are not negative do.
 *
 * With the set empty from some level on, more labels than that change nothing, and the search ends.
 * Cost: the set, some 1 % of the arm's nodes for a Beta of few labels, a few times for each number
 * of labels; some milliseconds for 200 labels.
 */
#include <math.h>

#include "dp/base/parallel.h"
#include "heuristics/index/gittins.h"

/* The set is made anew where the price has grown by this. */
static const double price_step = 1.1;

/* Worths of the nodes of a level by their place in it; all but those in `filled` are 0. */
typedef struct {
    og_worth worth;
    size_t begin, end;
} level_worth;

typedef struct {
    const og_arm *arm;
    int32_t budget;
    int32_t levels;      /* the first level without a node in the set, or the budget */
    og_node_range *open; /* [budget] the set */
    level_worth here, below;
} walk;

static walk walk_new(og_arena *arena, const og_arm *arm, int32_t budget)
{
    size_t width = 1;
    for (int32_t n = 0; n <= budget; n++) {
        size_t size = arm->level[n + 1] - arm->level[n];
        width = size > width ? size : width;
    }
    walk w = {.arm = arm,
              .budget = budget,
              .levels = budget,
              .open = og_arena_array(arena, (size_t)budget, sizeof *w.open),
              .here = {.worth = og_worth_new(arena, width + 1)},
              .below = {.worth = og_worth_new(arena, width + 1)}};
    for (int32_t n = 0; !arena->failed && n < budget; n++) {
        w.open[n] = (og_node_range){arm->level[n], arm->level[n + 1] - 1};
    }
    return w;
}

static void empty(level_worth *of)
{
    for (size_t i = of->begin; i < of->end; i++) {
        of->worth.net[i] = of->worth.earned[i] = of->worth.labels[i] = 0;
    }
    of->begin = of->end = 0;
}

/* Level n from the one below it, which trade places then. */
static void step(walk *w, int32_t n, double price)
{
    og_node_range open = w->open[n];
    empty(&w->here);
    w->here.begin = open.first - w->arm->level[n];
    w->here.end = open.last - w->arm->level[n] + (size_t)1;
    og_gittins_level(w->arm, open, price, w->arm->level[n + 1], w->below.worth,
                     og_worth_from(w->here.worth, w->here.begin));
    level_worth done = w->here;
    w->here = w->below;
    w->below = done;
}

/* The values of level 1 into `below`, with so many labels left at the root. */
static void value(walk *w, int32_t left, double price)
{
    empty(&w->below);
    for (int32_t n = (left < w->levels ? left : w->levels) - 1; n > 0; n--) {
        step(w, n, price);
    }
}

static double best_ratio(walk *w, int32_t left, double price)
{
    value(w, left, price);
    return og_gittins_root_ratio(w->arm, 0, w->below.worth, w->arm->level[1]);
}

/* The nodes of the set that buy at this price with all labels left. */
static void narrow(walk *w, double price)
{
    empty(&w->below);
    for (int32_t n = w->levels - 1; n > 0; n--) {
        og_node_range *open = &w->open[n];
        step(w, n, price);
        size_t first = w->below.begin, last = w->below.end;
        while (first < last && !(w->below.worth.net[first] > 0)) {
            first++;
        }
        while (last > first && !(w->below.worth.net[last - 1] > 0)) {
            last--;
        }
        if (first == last) {
            w->levels = n;
        } else {
            *open = (og_node_range){w->arm->level[n] + (uint32_t)first,
                                    w->arm->level[n] + (uint32_t)last - 1};
        }
    }
}

/* Labels after which a reward can be met; `budget` if there is none. */
static int32_t first_reward(const og_arm *arm, int32_t budget)
{
    uint32_t node = 0;
    while (node < arm->level[budget] && !(arm->reward[node] > 0)) {
        node++;
    }
    return node < arm->level[budget] ? og_arm_level(arm, node) : budget;
}

static double index_of_root(walk *w, og_stop *stop)
{
    double index = 0, narrowed = 0;
    int32_t left = first_reward(w->arm, w->budget) + 1;
    bool more = left <= w->budget;
    for (; more && !og_stop_asked(stop); left++) {
        double ratio = fmax(fmax(w->arm->reward[0], OG_GITTINS_FLOOR), index);
        index = 0;
        while (ratio > index) {
            index = ratio;
            if (left > 1 && index > price_step * narrowed) {
                narrow(w, index);
                narrowed = index;
            }
            ratio = left > 1 ? best_ratio(w, left, index) : index;
        }
        more = left < w->budget && left < w->levels;
    }
    return index;
}

static og_status score_root(void *context, int thread, int64_t c)
{
    const og_gittins_place *all = context;
    const og_index_job *job = all->job;
    int32_t number = job->twins->first_arm[c];
    og_arena arena = {0};
    walk w = walk_new(&arena, job->arms->arm[number], job->arms->budget);
    (void)thread;
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        all->scored->index->index[number][0] = index_of_root(&w, job->stop);
        status = og_stop_status(job->stop);
    }
    og_arena_clear(&arena);
    return status;
}

og_status og_gittins_roots(const og_index_job *job, og_scored *scored)
{
    og_gittins_place all = {.job = job, .scored = scored};
    OG_TRY(og_parallel_items(job->threads, job->twins->class_count, 1, score_root, &all));
    og_scored_copy_to_twins(job, scored, 0);
    return OG_OK;
}

/* Of the set what the root reaches by way of the set; the levels that have any. */
static int32_t meet_reached(const walk *w, og_strip *strip)
{
    int32_t n = 0;
    do {
        og_node_range reached = og_gittins_children(w->arm, strip->open[n++]);
        strip->reached[n] = reached;
        if (n == w->levels) {
            break;
        }
        og_node_range open = w->open[n];
        open.first = open.first > reached.first ? open.first : reached.first;
        open.last = open.last < reached.last ? open.last : reached.last;
        strip->open[n] = open;
    } while (strip->open[n].first <= strip->open[n].last);
    return n;
}

og_status og_strip_open_root(const og_gittins_place *from, double price, double doubt,
                             og_strip *strip, int32_t *levels)
{
    const og_arm *arm = from->job->arms->arm[from->arm];
    og_arena arena = {0};
    walk w = walk_new(&arena, arm, from->left);
    og_status status = og_arena_status(&arena);
    /* Lower by the doubt, each label costs less by it: what buys in truth buys here. */
    if (status == OG_OK) {
        narrow(&w, fmax(price - doubt, 0));
        strip->reached[0] = strip->open[0] = (og_node_range){0, 0};
        *levels = meet_reached(&w, strip);
    }
    og_arena_clear(&arena);
    return status;
}
