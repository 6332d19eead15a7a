/*
 * Computes the finite-horizon Gittins index of a root with all labels left, without the indices of
 * other nodes.
 *
 * Dinkelbach's iteration [Management Science 13 (1967)]: the best rule at price z,
 *
 *   Q_z(x, r) = -z + R(x) + sum_k p_k v_z(next_k, r - 1),   v_z = max(0, Q_z),  v_z(., 0) = 0,
 *
 * has a ratio of earnings to labels larger than z unless z is the index. The index for r labels
 * starts from that for r - 1, so the root's indices are computed for 1, 2, ... labels. The walks
 * visit only a set with all nodes that may continue: those that buy at some lower price with more
 * labels left. A node's value falls with the price and grows with the labels, and so do computed
 * values, since they are sums and products of nonnegative numbers.
 *
 * If the set is empty from some level on, more labels than that do not change the index, and the
 * search ends. Cost: the set, some 1 % of the arm's nodes for a Beta of few labels, a few times for
 * each number of labels; some milliseconds for 200 labels.
 *
 * Rounding. With c the error of a node's sum, as in gittins_node.c, g = max(z, gamma):
 *
 *   (1) Expected earnings E and labels L of a rule have positive terms only, so each has a relative
 *       error of at most r c. So z, the last ratio, is at most gamma (1 + 2 r c + u).
 *   (2) max(0, .) does not expand, so the error of the computed Q is at most the local errors
 *       c (R + z + sum p v) summed along the walk. Buying k labels and then following the best rule
 *       is a rule with at most r labels, so E[v after k labels] <= r g and E[sum of R] <= r g.
 *       In all: D <= c g (r^2 + 2 r).
 *   (3) The rule found at the last z has a computed ratio <= z. Its net worth is then at most
 *       z r (2 r c + u), and that of the best rule at most 2 D more. Q falls by at least 1 per unit
 *       of price (the first label is always bought), so gamma <= z + z r (2 r c + u) + 2 D.
 *
 * Together |z - gamma| <= gamma c (4 r^2 + 5 r) up to products of small errors; the stated error is
 * 5 c (r + 1)^2. If no two indices on the way are this close and there is no core, this code and
 * the table compute the ratio of the same rule with the same sums, and so the same bits.
 * Checked by tests/test_index.c: index_of_roots_alone_is_that_of_the_table
 */
#include "heuristics/index/fast/gittins_root.h"

#include <math.h>

/* The set is rebuilt when the price has grown by this factor. */
static const double price_step = 1.1;

/* Values of the nodes of a level by place; all outside `filled` are 0. */
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

/* Outcome 0 leads to the next entry of `below`, outcome 1 to the entry with the same place. */
static void value_lattice_level(const og_arm *arm, og_node_range range, double price,
                                og_worth below, og_worth out)
{
    const double *restrict reward = arm->reward + range.first;
    const double *restrict p = arm->probability + 2 * (size_t)range.first;
    double *restrict net = out.net, *restrict earned = out.earned, *restrict labels = out.labels;
    uint32_t count = range.last - range.first + 1;
    for (uint32_t i = 0; i < count; i++) {
        double plus = p[2 * i], minus = p[2 * i + 1];
        double worth_on = (reward[i] - price) + (plus * below.net[i + 1] + minus * below.net[i]);
        double earned_on = reward[i] + (plus * below.earned[i + 1] + minus * below.earned[i]);
        double labels_on = 1 + (plus * below.labels[i + 1] + minus * below.labels[i]);
        bool goes_on = worth_on > 0;
        net[i] = goes_on ? worth_on : 0;
        earned[i] = goes_on ? earned_on : 0;
        labels[i] = goes_on ? labels_on : 0;
    }
}

/* `first_below` is the node of entry 0 of `below`. */
static void value_level(const og_arm *arm, og_node_range range, double price, uint32_t first_below,
                        og_worth below, og_worth out)
{
    size_t outcomes = (size_t)arm->outcome_count;
    for (uint32_t node = range.first; node <= range.last; node++) {
        double net = 0, earned = 0, labels = 0;
        for (size_t k = node * outcomes; k < (node + (size_t)1) * outcomes; k++) {
            uint32_t next = arm->next[k] - first_below;
            net += arm->probability[k] * below.net[next];
            earned += arm->probability[k] * below.earned[next];
            labels += arm->probability[k] * below.labels[next];
        }
        net += arm->reward[node] - price;
        bool goes_on = net > 0;
        uint32_t i = node - range.first;
        out.net[i] = goes_on ? net : 0;
        out.earned[i] = goes_on ? arm->reward[node] + earned : 0;
        out.labels[i] = goes_on ? 1 + labels : 0;
    }
}

static void value_any_level(const og_arm *arm, og_node_range range, double price,
                            uint32_t first_below, og_worth below, og_worth out)
{
    if (arm->lattice) {
        size_t first = arm->next[2 * (size_t)range.first + 1] - first_below;
        value_lattice_level(arm, range, price, og_worth_from(below, first), out);
    } else {
        value_level(arm, range, price, first_below, below, out);
    }
}

/* Earnings divided by labels from a node on; the first label is always bought. */
static double root_ratio(const og_arm *arm, uint32_t root, og_worth below, uint32_t first_below)
{
    double earned = 0, labels = 0;
    for (size_t k = 0; k < (size_t)arm->outcome_count; k++) {
        size_t outcome = root * (size_t)arm->outcome_count + k;
        uint32_t next = arm->next[outcome] - first_below;
        earned += arm->probability[outcome] * below.earned[next];
        labels += arm->probability[outcome] * below.labels[next];
    }
    return (arm->reward[root] + earned) / (1 + labels);
}

static void empty(level_worth *worth)
{
    for (size_t i = worth->begin; i < worth->end; i++) {
        worth->worth.net[i] = worth->worth.earned[i] = worth->worth.labels[i] = 0;
    }
    worth->begin = worth->end = 0;
}

/* Computes level n from the next level, then swaps the two. */
static void step(walk *w, int32_t n, double price)
{
    og_node_range open = w->open[n];
    empty(&w->here);
    w->here.begin = open.first - w->arm->level[n];
    w->here.end = open.last - w->arm->level[n] + (size_t)1;
    value_any_level(w->arm, open, price, w->arm->level[n + 1], w->below.worth,
                    og_worth_from(w->here.worth, w->here.begin));
    level_worth done = w->here;
    w->here = w->below;
    w->below = done;
}

/* Computes the values of level 1 in `below`, with `left` labels left at the root. */
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
    return root_ratio(w->arm, 0, w->below.worth, w->arm->level[1]);
}

/* Reduces the set to the nodes that buy at this price with all labels left. */
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

/* The number of labels after which a reward can be reached; `budget` if there is none. */
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

og_status og_gittins_root_index(const og_arm *arm, int32_t budget, og_stop *stop, double *index)
{
    og_arena arena = {0};
    walk w = walk_new(&arena, arm, budget);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        *index = index_of_root(&w, stop);
        status = og_stop_status(stop);
    }
    og_arena_clear(&arena);
    return status;
}

double og_gittins_root_error(double node_error, int32_t budget)
{
    double steps = (double)budget + 1;
    return 5 * node_error * steps * steps;
}

/* Fills the strip with the nodes that the root reaches within the set; returns the number of levels
 * with such nodes. */
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

og_status og_strip_open_root(const og_arm *arm, int32_t left, double price, double doubt,
                             og_strip *strip, int32_t *levels)
{
    og_arena arena = {0};
    walk w = walk_new(&arena, arm, left);
    og_status status = og_arena_status(&arena);
    /* At a price lowered by the doubt each label costs less by it, so every node that exactly buys
     * also buys here. */
    if (status == OG_OK) {
        narrow(&w, fmax(price - doubt, 0));
        strip->reached[0] = strip->open[0] = (og_node_range){0, 0};
        *levels = meet_reached(&w, strip);
    }
    og_arena_clear(&arena);
    return status;
}
