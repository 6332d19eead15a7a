/* Expands the nodes level by level whose index may be above a price. */
#include "heuristics/index/fast/gittins_strip.h"

/* An upper bound on the exact index. */
static double ceiling_of(const og_gittins_known *known, int32_t left, double value)
{
    return value * (1 + 2 * known->left_error[left]) + known->absolute;
}

og_node_range og_gittins_children(const og_arm *arm, og_node_range parents)
{
    if (arm->lattice) {
        return (og_node_range){arm->next[2 * (size_t)parents.first + 1],
                               arm->next[2 * (size_t)parents.last]};
    }
    og_node_range range = {UINT32_MAX, 0};
    size_t outcomes = (size_t)arm->outcome_count;
    uint32_t step = arm->rising && parents.last > parents.first ? parents.last - parents.first : 1;
    for (size_t node = parents.first; node <= parents.last; node += step) {
        for (size_t i = node * outcomes; i < (node + 1) * outcomes; i++) {
            range.first = arm->next[i] < range.first ? arm->next[i] : range.first;
            range.last = arm->next[i] > range.last ? arm->next[i] : range.last;
        }
    }
    return range;
}

size_t og_gittins_width(const og_arms *arms)
{
    size_t widest = 1;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const uint32_t *level = arms->arm[i]->level;
        for (int32_t n = 0; n <= arms->budget; n++) {
            widest = level[n + 1] - level[n] > widest ? level[n + 1] - level[n] : widest;
        }
    }
    return widest;
}

int32_t og_strip_open(const og_gittins_place *from, double price, og_strip *space)
{
    const og_arm *arm = from->known->arms->arm[from->arm];
    space->reached[0] = space->open[0] = (og_node_range){from->node, from->node};
    int32_t k = 0;
    for (;;) {
        og_node_range range = space->reached[k + 1] = og_gittins_children(arm, space->open[k]);
        k++;
        int32_t left = from->left - k;
        if (left == 0) {
            return k;
        }
        const double *value = og_index_of(from->known->index, from->arm, left);
        while (range.first <= range.last &&
               ceiling_of(from->known, left, value[range.first]) <= price) {
            range.first++;
        }
        while (range.first <= range.last &&
               ceiling_of(from->known, left, value[range.last]) <= price) {
            range.last--;
        }
        space->open[k] = range;
        if (range.first > range.last) {
            return k;
        }
    }
}
