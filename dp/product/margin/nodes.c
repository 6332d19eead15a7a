/* The posteriors of all instances in one grid, by the total and the margin of their parameters. */
#include <math.h>
#include <stdlib.h>

#include "dp/product/margin/made.h"

enum { KINDS = 8, TOTALS = 1 << 16 };

static bool difference_of(const og_group *group, int32_t *out)
{
    return og_fraction_distance(group->a, group->b, out) && abs(*out) <= OG_MARGIN_MOST;
}

bool og_margin_can(const og_arms *arms)
{
    bool can = !og_arms_have_actions(arms) && arms->budget > 0;
    for (int32_t a = 0; can && a < arms->arm_count; a++) {
        const og_group *group = og_arm_is_standard(arms->arm[a]) || !arms->arm[a]->lattice
                                    ? NULL
                                    : og_arm_group(arms->arm[a]);
        int32_t difference;
        can = group != NULL && !group->payoff.given && difference_of(group, &difference) &&
              og_fraction_compare(group->threshold, og_fraction_make(1, 2)) == 0;
    }
    return can;
}

static int32_t place_of(const og_margin_nodes *nodes, int32_t kind, int32_t total, int32_t margin)
{
    int32_t row = total - nodes->total_least;
    return row < 0 || row >= nodes->totals || margin < 0 || margin >= nodes->margins
               ? -1
               : (kind * nodes->totals + row) * nodes->margins + margin;
}

static int compare_origins(const void *x, const void *y)
{
    const og_margin_origin *const *a = x, *const *b = y;
    return og_fraction_compare((*a)->rest, (*b)->rest);
}

/* Numbers the fractions in ascending order. */
static int32_t number_kinds(og_margin_origin *origins, int32_t count, og_arena *arena)
{
    og_margin_origin **order = og_arena_array(arena, (size_t)count, sizeof *order);
    int32_t kinds = 0;
    if (order == NULL) {
        return 0;
    }
    for (int32_t a = 0; a < count; a++) {
        order[a] = &origins[a];
    }
    qsort(order, (size_t)count, sizeof *order, compare_origins);
    for (int32_t a = 0; a < count; a++) {
        kinds += a == 0 || og_fraction_compare(order[a]->rest, order[a - 1]->rest) != 0;
        order[a]->kind = kinds - 1;
    }
    return kinds;
}

static void fill_node(const og_arm *arm, const og_margin_nodes *nodes, int32_t place, int32_t level,
                      uint32_t number, int32_t sign)
{
    og_margin_node *x = &nodes->node[place];
    if (x->level <= level) {
        return;
    }
    x->level = level;
    x->reward = arm->reward[number];
    /* Outcome 0 raises a; toward raises the smaller of both. */
    int toward = sign > 0 ? 1 : 0;
    x->chance[OG_TOWARD] =
        x->margin == 0 ? 0 : arm->probability[2 * (size_t)number + (size_t)toward];
    x->chance[OG_AWAY] =
        x->margin == 0 ? 1 : arm->probability[2 * (size_t)number + (size_t)(1 - toward)];
    x->after[OG_TOWARD] = place_of(nodes, x->kind, x->total + 1, x->margin - 1);
    x->after[OG_AWAY] = place_of(nodes, x->kind, x->total + 1, x->margin + 1);
}

static void fill_arm(const og_arm *arm, const og_margin_origin *o, const og_margin_nodes *nodes)
{
    for (int32_t level = 0; level < arm->depth; level++) {
        for (int32_t s = 0; s <= level; s++) {
            int32_t sign = o->difference + 2 * s - level;
            int32_t place = place_of(nodes, o->kind, o->total + level, abs(sign));
            if (place >= 0) {
                fill_node(arm, nodes, place, level, arm->level[level] + (uint32_t)s, sign);
            }
        }
    }
}

/* What a node reaches with two labels, one of which may lead to a reward: dp/product/two_copies.h.
 */
static void fill_reaches(const og_margin_nodes *nodes)
{
    for (int32_t kind = 0; kind < nodes->kinds; kind++) {
        double target = 0, gain = 0;
        for (int32_t row = nodes->totals - 1; row >= 0; row--) {
            /* Nodes of margin 1 whose total is at least that of this row. */
            og_margin_node *near = &nodes->node[(kind * nodes->totals + row) * nodes->margins + 1];
            if (near->level < INT32_MAX && near->after[OG_TOWARD] >= 0) {
                const og_margin_node *to = &nodes->node[near->after[OG_TOWARD]];
                double reward = to->level < INT32_MAX ? to->reward : 0;
                target = fmax(target, reward);
                gain = fmax(gain, near->chance[OG_TOWARD] * reward);
            }
            /* A node of this total + margin - 1 reaches them. */
            for (int32_t margin = 0; margin < nodes->margins; margin++) {
                int32_t own = row - margin + 1;
                if (own >= 0 && own < nodes->totals) {
                    og_margin_node *x =
                        &nodes->node[(kind * nodes->totals + own) * nodes->margins + margin];
                    x->target_reach = target;
                    x->gain_reach = gain;
                }
            }
        }
    }
}

/* The grid's sizes; false if it would be too large. */
static bool measure(const og_arms *arms, og_margin_origin *origins, int32_t margin,
                    og_margin_nodes *out)
{
    int64_t least = INT64_MAX, most = 0;
    out->margins = margin + 2;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_group *group = og_arm_group(arms->arm[a]);
        og_wide num = group->a.num + group->b.num, den = group->a.den;
        og_margin_origin *o = &origins[a];
        difference_of(group, &o->difference);
        o->rest = og_fraction_make(num % den, den);
        int64_t total = (int64_t)(num / den);
        o->total = (int32_t)total;
        least = total < least ? total : least;
        most = total > most ? total : most;
        if (abs(o->difference) + 2 > out->margins) {
            out->margins = abs(o->difference) + 2;
        }
    }
    out->total_least = (int32_t)least;
    out->totals = (int32_t)(most - least) + arms->budget + 2;
    return most - least + arms->budget < TOTALS;
}

bool og_margin_nodes_init(const og_arms *arms, int32_t margin, og_arena *arena,
                          og_margin_nodes *out)
{
    og_margin_origin *origins = og_arena_array(arena, (size_t)arms->arm_count, sizeof *origins);
    if (origins == NULL || !measure(arms, origins, margin, out)) {
        return false;
    }
    out->origin = origins;
    out->kinds = number_kinds(origins, arms->arm_count, arena);
    if (out->kinds < 1 || out->kinds > KINDS) {
        return false;
    }
    size_t count = (size_t)out->kinds * (size_t)out->totals * (size_t)out->margins;
    out->node = og_arena_array(arena, count, sizeof *out->node);
    for (size_t i = 0; out->node != NULL && i < count; i++) {
        int32_t row = (int32_t)(i / (size_t)out->margins);
        out->node[i] = (og_margin_node){.total = out->total_least + row % out->totals,
                                        .margin = (int32_t)(i % (size_t)out->margins),
                                        .kind = row / out->totals,
                                        .level = INT32_MAX,
                                        .class = OG_MARGIN_NO_CLASS,
                                        .after = {-1, -1}};
    }
    for (int32_t a = 0; out->node != NULL && a < arms->arm_count; a++) {
        fill_arm(arms->arm[a], &origins[a], out);
    }
    if (out->node != NULL) {
        fill_reaches(out);
    }
    return out->node != NULL;
}

int32_t og_margin_node_of(const og_arms *arms, const og_margin_nodes *nodes, int32_t arm,
                          uint32_t node, int32_t most)
{
    const og_arm *from = arms->arm[arm];
    const og_margin_origin *o = &nodes->origin[arm];
    int32_t level = og_arm_level(from, node);
    int32_t s = (int32_t)(node - from->level[level]);
    int32_t margin = abs(o->difference + 2 * s - level);
    int32_t more = margin > most ? margin - most : 0;
    return place_of(nodes, o->kind, o->total + level - more, margin - more);
}
