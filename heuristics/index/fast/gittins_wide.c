/*
 * Computes the infinite-horizon index with Dinkelbach's iteration as in gittins_inf.c, on a graph
 * instead of strips. At a price z it visits only nodes that buy at a price below z; for each node a
 * table has the highest price of a grid at which the node buys.
 *
 * Truncation: a label after level `end` has weight at most delta^(end - n), and at a node y of that
 * level labels can gain at most 1 - h(y), the probability of a wrong call, or -h(y) of a worth that
 * has a name. If no rule stops before,
 * its expectation is 1 - h(x) - E[sum of R from x to the end], and stopping only reduces it.
 */
#include "heuristics/index/fast/gittins_wide.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dp/base/arena.h"

enum { PRICES = OG_GITTINS_PRICES };

static const double price_slack = OG_GITTINS_PRICE_SLACK;
static const double least_index = OG_GITTINS_LEAST;

/* For a node: net worth, earnings and number of labels of the best rule from there on. */
typedef struct {
    double net, earned, labels;
} worth;

/* Chooses the level where the look-ahead ends: as many nodes as allowed, but at least eight labels.
 */
static int32_t choose_end(const og_arm *arm, double delta, double least)
{
    double ahead = fmin(ceil(log(least) / log(delta)), 1e6);
    int32_t most = arm->depth + (int32_t)ahead, end = arm->depth;
    double nodes = 1;
    /* Levels up to n have binomial(n + C, C) nodes. */
    for (int32_t n = 1; n <= most; n++) {
        nodes = nodes * (n + arm->outcome_count) / n;
        if (nodes > OG_GITTINS_WIDE_NODES && n > arm->depth + 8) {
            break;
        }
        end = n > end ? n : end;
    }
    return end;
}

/* The value of buying the first label and then continuing with the values in `here` (NULL:
 * stopping). */
static worth value_of(const og_gittins_wide *wide, uint32_t node, double price,
                      const worth *(*next_worth)(const void *data, uint32_t node), const void *data)
{
    const og_arm *arm = wide->arm;
    uint32_t outcomes = (uint32_t)arm->outcome_count;
    worth out = {0, 0, 0};
    for (uint32_t k = 0; k < outcomes; k++) {
        size_t at = (size_t)node * outcomes + k;
        const worth *next = next_worth(data, arm->next[at]);
        double p = arm->probability[at] * wide->delta;
        out.net += p * next->net;
        out.earned += p * next->earned;
        out.labels += p * next->labels;
    }
    out.net += arm->reward[node] - price;
    out.earned += arm->reward[node];
    out.labels += 1;
    return out;
}

static const worth stopped = {0, 0, 0};

/* ---- all nodes, at the prices of the grid ---- */

typedef struct {
    const og_gittins_wide *wide;
    const worth *all; /* [nodes below `end`] */
} sweep;

static const worth *swept(const void *data, uint32_t node)
{
    const sweep *s = data;
    return node < s->wide->arm->level[s->wide->end] ? &s->all[node] : &stopped;
}

static void sweep_price(og_gittins_wide *wide, int i, worth *all)
{
    double price = og_gittins_grid_price(i);
    sweep s = {wide, all};
    for (uint32_t node = wide->arm->level[wide->end]; node-- > 0;) {
        worth here = stopped;
        if (i == PRICES - 1 || wide->first_open[node] == i + 1) {
            here = value_of(wide, node, price, swept, &s);
        }
        if (node < wide->known && here.net > 0) {
            wide->ratio[node] = fmax(wide->ratio[node], here.earned / here.labels);
        }
        all[node] = here.net > 0 ? here : stopped;
        if (here.net > 0) {
            wide->first_open[node] = (uint8_t)i;
        }
    }
}

static og_status sweep_grid(og_gittins_wide *wide, og_stop *stop)
{
    size_t nodes = wide->arm->level[wide->end];
    worth *all = calloc(nodes + 1, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    for (size_t i = 0; i < nodes; i++) {
        wide->first_open[i] = PRICES;
    }
    for (int i = PRICES - 1; i >= 0 && !og_stop_asked(stop); i--) {
        sweep_price(wide, i, all);
    }
    free(all);
    return og_stop_status(stop);
}

/* ---- truncation ---- */

/* Computes h of the nodes with an index, along some path. */
static og_status sum_calls(const og_arm *arm, og_stop *stop, double *call)
{
    size_t outcomes = (size_t)arm->outcome_count, labelled = arm->level[arm->depth];
    double error, *gain = malloc((labelled * outcomes + 1) * sizeof *gain);
    og_status status = gain == NULL ? OG_NO_MEMORY : og_arm_gains(arm, stop, gain, &error);
    if (labelled > 0) {
        call[0] = arm->call;
    }
    for (size_t k = 0; status == OG_OK && k < labelled * outcomes; k++) {
        if (arm->next[k] < labelled) {
            call[arm->next[k]] = call[k / outcomes] + gain[k];
        }
    }
    free(gain);
    return status;
}

static og_status bound_truncation(og_gittins_wide *wide, const og_arm *known, og_stop *stop)
{
    const og_arm *arm = wide->arm;
    uint32_t outcomes = (uint32_t)arm->outcome_count;
    const og_payoff *payoff = &og_arm_prior(arm)->payoff;
    double best = og_payoff_name(payoff) != NULL ? og_payoff_best(payoff) : 1;
    double *sum = malloc(((size_t)arm->node_count + 1) * sizeof *sum);
    og_status status = sum == NULL ? OG_NO_MEMORY : sum_calls(known, stop, wide->beyond);
    for (uint32_t node = arm->node_count; status == OG_OK && node-- > 0;) {
        sum[node] = node < arm->level[wide->end] ? arm->reward[node] : 0;
        for (uint32_t k = 0; node < arm->level[wide->end] && k < outcomes; k++) {
            size_t at = (size_t)node * outcomes + k;
            sum[node] += arm->probability[at] * sum[arm->next[at]];
        }
    }
    for (int32_t n = 0; status == OG_OK && n < known->depth; n++) {
        for (uint32_t node = arm->level[n]; node < arm->level[n + 1]; node++) {
            /* Sums of a few hundred terms below 1: the error is far below 1e-10. */
            double wrong = fmax(best - wide->beyond[node] - sum[node], 0) + 1e-10;
            wide->beyond[node] = pow(wide->delta, wide->end - n) * wrong * (1 + price_slack);
        }
    }
    free(sum);
    return status;
}

/* ---- one node ---- */

/* The nodes that a rule can visit, level by level; place[node] is the node's position in the list
 * plus 1. */
typedef struct {
    const og_gittins_wide *wide;
    uint32_t count;
    uint32_t *list;  /* [nodes below `end`] */
    uint32_t *place; /* [nodes below `end`] */
    worth *worth;    /* [nodes below `end`] by position */
} visit;

static const worth *visited(const void *data, uint32_t node)
{
    const visit *v = data;
    if (node >= v->wide->arm->level[v->wide->end] || v->place[node] == 0) {
        return &stopped;
    }
    return &v->worth[v->place[node] - 1];
}

/* Grid prices from this one on are certainly below `price`; PRICES: none is. */
static int grid_below(double price)
{
    int i = 0;
    while (i < PRICES && og_gittins_grid_price(i) * (1 + 2 * price_slack) > price) {
        i++;
    }
    return i;
}

/* Lists the open nodes at the price, from the node on; successors have larger positions. */
static void list_open(visit *v, uint32_t from, double price)
{
    const og_arm *arm = v->wide->arm;
    uint32_t outcomes = (uint32_t)arm->outcome_count, end = arm->level[v->wide->end];
    int below = grid_below(price);
    v->count = 0;
    v->list[v->count++] = from;
    v->place[from] = v->count;
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = 0; k < outcomes; k++) {
            uint32_t next = arm->next[(size_t)v->list[i] * outcomes + k];
            if (next >= end || v->place[next] != 0 ||
                (below < PRICES && v->wide->first_open[next] > below)) {
                continue;
            }
            v->list[v->count++] = next;
            v->place[next] = v->count;
        }
    }
}

static worth best_rule(visit *v, uint32_t from, double price)
{
    list_open(v, from, price);
    for (uint32_t i = v->count; i-- > 1;) {
        worth here = value_of(v->wide, v->list[i], price, visited, v);
        v->worth[i] = here.net > 0 ? here : stopped;
    }
    worth first = value_of(v->wide, from, price, visited, v);
    for (uint32_t i = 0; i < v->count; i++) {
        v->place[v->list[i]] = 0;
    }
    return first;
}

og_status og_gittins_wide_index(const og_gittins_wide *wide, uint32_t node, double *index)
{
    size_t nodes = wide->arm->level[wide->end];
    og_arena arena = {0};
    visit v = {.wide = wide,
               .list = og_arena_array(&arena, nodes, sizeof *v.list),
               .place = og_arena_array(&arena, nodes, sizeof *v.place),
               .worth = og_arena_array(&arena, nodes, sizeof *v.worth)};
    og_status status = og_arena_status(&arena);
    double price = fmax(fmax(wide->arm->reward[node], wide->ratio[node]), least_index);
    while (status == OG_OK) {
        worth best = best_rule(&v, node, price);
        double ratio = best.earned / best.labels;
        if (ratio <= price) {
            break;
        }
        price = ratio;
        /* The index is at most the price plus the net worth: the first label is always bought. */
        if (best.net <= wide->error / 4 * price) {
            break;
        }
    }
    og_arena_clear(&arena);
    if (status == OG_OK) {
        *index = price;
    }
    return status;
}

og_status og_gittins_wide_new(const og_arm *arm, double delta, double least, og_stop *stop,
                              og_gittins_wide **out)
{
    og_gittins_wide *wide = og_arena_new(sizeof *wide);
    OG_TRY(OG_ALLOCATED(wide));
    wide->delta = delta;
    wide->end = choose_end(arm, delta, least);
    wide->known = arm->level[arm->depth];
    double labels = fmin(wide->end, 1 / (1 - delta));
    wide->error = 8 * (arm->outcome_count + 6) * (DBL_EPSILON / 2) * labels * (wide->end + 2.0);
    og_status status = og_arm_new_like(arm, wide->end, stop, &wide->arm);
    if (status == OG_OK) {
        size_t nodes = wide->arm->level[wide->end];
        wide->first_open = og_arena_array(&wide->arena, nodes, sizeof *wide->first_open);
        wide->ratio = og_arena_array(&wide->arena, wide->known, sizeof *wide->ratio);
        wide->beyond = og_arena_array(&wide->arena, wide->known, sizeof *wide->beyond);
        status = og_arena_status(&wide->arena);
    }
    OG_THEN(status, sweep_grid(wide, stop));
    OG_THEN(status, bound_truncation(wide, arm, stop));
    return OG_MADE(status, wide, og_gittins_wide_free, out);
}

void og_gittins_wide_free(og_gittins_wide *wide)
{
    if (wide != NULL) {
        og_arm_free(wide->arm);
    }
    og_arena_free(wide);
}
