/*
 * Computes the index of one node x with r labels left if other indices are so close to it that they
 * do not determine the best rule; for gittins_node.c. Dinkelbach's iteration [Management Science 13
 * (1967)] uses the computed net worth
 *
 *   Q_z(y, s) = -z + R(y) + sum_k p_k v_z(next_k, s - 1),   v_z = max(0, Q_z),
 *
 * in long doubles, with c as there. Stored p and R instead of exact ones change E and L of every
 * rule by a relative r c, and so the largest ratio by 2 r c. Let w be (m + 2) times the roundoff of
 * long doubles, m the number of outcomes, and g the index of the stored numbers.
 *
 *   (1) max(0, .) does not expand, so the error of Q is at most the local errors
 *       w (R + z + sum p v) summed along the rule. E[v after k labels] <= r g and
 *       E[sum of R] <= r g, since continuing is a rule with at most r labels.
 *       So the error is D <= w g (r^2 + 2 r).
 *   (2) The rule found at the last z has a computed ratio <= z. So its net worth is at most
 *       2 r^2 w z, and that of the best rule at most 2 D more. Q falls by at least 1 per unit of
 *       price, so the index is at most z + 2 r^2 w z + 2 D. Every z is a rule's ratio, so it is at
 *       least z (1 - 2 r w). Together w (4 r^2 + 5 r) or less.
 */
#include "heuristics/index/gittins_near.h"

#include <math.h>

typedef struct {
    long double *net, *earned, *labels;
} long_worth;

struct og_gittins_near {
    og_strip strip;
    long_worth here, below;
};

static long_worth long_worth_new(og_arena *arena, size_t width)
{
    return (long_worth){.net = og_arena_array(arena, width, sizeof(long double)),
                        .earned = og_arena_array(arena, width, sizeof(long double)),
                        .labels = og_arena_array(arena, width, sizeof(long double))};
}

og_gittins_near *og_gittins_near_new(og_arena *arena, int32_t budget, size_t width)
{
    og_gittins_near *near = og_arena_array(arena, 1, sizeof *near);
    if (near != NULL) {
        near->strip = og_strip_new(arena, budget);
        near->here = long_worth_new(arena, width);
        near->below = long_worth_new(arena, width);
    }
    return arena->failed ? NULL : near;
}

static void clear_long(long_worth worth, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        worth.net[i] = worth.earned[i] = worth.labels[i] = 0;
    }
}

/* Computes a node's entry from those of the next level; `below` starts with the node `first`. */
static void value_node(const og_arm *arm, uint32_t node, long double price, uint32_t first,
                       long_worth below, long double out[3])
{
    size_t outcomes = (size_t)arm->outcome_count;
    out[0] = out[1] = out[2] = 0;
    for (size_t k = node * outcomes; k < (node + (size_t)1) * outcomes; k++) {
        uint32_t next = arm->next[k] - first;
        out[0] += arm->probability[k] * below.net[next];
        out[1] += arm->probability[k] * below.earned[next];
        out[2] += arm->probability[k] * below.labels[next];
    }
    out[0] += arm->reward[node] - price;
    out[1] += arm->reward[node];
    out[2] += 1;
}

/* The ratio of the best rule at the price, from net worths. */
static long double ratio_by_worth(const og_gittins_place *at, long double price,
                                  og_gittins_near *near)
{
    const og_arm *arm = at->job->arms->arm[at->arm];
    og_strip *strip = &near->strip;
    double low = nextafter((double)price, 0); /* opens the same nodes as the price */
    int32_t levels = og_strip_open(at, low, strip);
    og_node_range reached = strip->reached[levels];
    long double out[3];
    clear_long(near->below, 0, reached.last - reached.first + 1);
    for (int32_t k = levels - 1; k > 0; k--) {
        og_node_range open = strip->open[k];
        uint32_t first_below = reached.first;
        reached = strip->reached[k];
        clear_long(near->here, 0, reached.last - reached.first + 1);
        for (uint32_t node = open.first; node <= open.last; node++) {
            uint32_t i = node - reached.first;
            value_node(arm, node, price, first_below, near->below, out);
            if (out[0] > 0) {
                near->here.net[i] = out[0];
                near->here.earned[i] = out[1];
                near->here.labels[i] = out[2];
            }
        }
        long_worth done = near->here;
        near->here = near->below;
        near->below = done;
    }
    value_node(arm, at->node, price, reached.first, near->below, out);
    return out[1] / out[2];
}

double og_gittins_near_index(const og_gittins_place *at, double least, og_gittins_near *space)
{
    long double price = least, ratio = ratio_by_worth(at, price, space);
    while (ratio > price) {
        price = ratio;
        ratio = ratio_by_worth(at, price, space);
    }
    return (double)price;
}
