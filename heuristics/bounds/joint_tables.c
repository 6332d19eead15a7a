/*
 * Builds the tables of a joint end: the instances with which the last labels can start, grouped in
 * kinds of equivalent nodes, their payments w, and their demand for labels at each price.
 * Invariants: if a node's kind cannot be in S, its w is at least the gain of L labels on it alone;
 * and the distributions never overstate the demand.
 */
#include "heuristics/bounds/joint_tables.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Expected numbers of instances that want another label at a level; see joint_end.c. */
static const double rare = 0.1, never = 0.01;

/* Demand is computed at prices up to this multiple of w's price; larger prices add little. */
static const double dearest = 2;

/* Each kind is compared with those before it; a search over more kinds would take too long. */
enum { KINDS_MOST = 5000 };

static const double unit = DBL_EPSILON / 2;

static int32_t outcomes_of(const og_joint_ending *ending)
{
    int32_t most = 0;
    for (int32_t i = 0; i < ending->arms->arm_count; i++) {
        int32_t count = ending->arms->arm[i]->outcome_count;
        most = count > most ? count : most;
    }
    return most;
}

static double mean_next(const og_arm *arm, uint32_t x, const double *value, size_t stride)
{
    double sum = 0;
    size_t first = (size_t)x * (size_t)arm->outcome_count;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        if (arm->probability[first + (size_t)k] > 0) {
            sum +=
                arm->probability[first + (size_t)k] * value[stride * arm->next[first + (size_t)k]];
        }
    }
    return sum;
}

/* Fills `value`: at each node, the value of buying at a price with all labels of the arm. */
static void buy_at(og_joint_part *part, double price)
{
    const og_arm *arm = part->arm;
    memset(part->value, 0, arm->node_count * sizeof *part->value);
    for (uint32_t x = arm->level[arm->depth]; x-- > 0;) {
        part->value[x] = fmax(0, (arm->reward[x] - price) + mean_next(arm, x, part->value, 1));
    }
}

static void fill_alone(og_joint_part *part, int32_t labels)
{
    const og_arm *arm = part->arm;
    size_t stride = (size_t)labels + 1;
    for (int32_t r = 1; r <= labels; r++) {
        for (uint32_t x = 0; x < arm->level[arm->depth]; x++) {
            double *at = part->alone + stride * x;
            at[r] =
                fmax(at[r - 1], arm->reward[x] + mean_next(arm, x, part->alone + (r - 1), stride));
        }
    }
}

/* Finds the levels `rare` and `never`, following the instances that buy at the price of buy_at.
 * Uses `law` as scratch space. */
static void find_rare(og_joint_part *part)
{
    const og_arm *arm = part->arm;
    double *reached = part->law;
    memset(reached, 0, arm->node_count * sizeof *reached);
    part->rare = part->never = arm->depth;
    reached[0] = part->count;
    for (int32_t n = 0; n < arm->depth; n++) {
        double wanting = 0;
        for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
            size_t first = (size_t)x * (size_t)arm->outcome_count;
            wanting += part->value[x] > 0 ? reached[x] : 0;
            for (int32_t k = 0; part->value[x] > 0 && k < arm->outcome_count; k++) {
                reached[arm->next[first + (size_t)k]] +=
                    arm->probability[first + (size_t)k] * reached[x];
            }
        }
        part->rare = wanting < rare && n < part->rare ? n : part->rare;
        part->never = wanting < never && n < part->never ? n : part->never;
    }
}

og_status og_joint_ending_init(og_joint_ending *ending)
{
    const og_arms *arms = ending->arms;
    size_t labels = (size_t)ending->labels;
    ending->reward = ending->error = 0;
    ending->part = og_arena_array(&ending->arena, (size_t)arms->arm_count, sizeof *ending->part);
    OG_TRY(og_arena_status(&ending->arena));
    for (int32_t i = 0; i < arms->arm_count; i++) {
        og_joint_part *it = &ending->part[i];
        size_t nodes = arms->arm[i]->node_count;
        it->arm = arms->arm[i];
        it->worth = og_arena_array(&ending->arena, nodes, sizeof *it->worth);
        it->alone = og_arena_array(&ending->arena, nodes, (labels + 1) * sizeof *it->alone);
        it->value = og_arena_array(&ending->arena, nodes, sizeof *it->value);
        it->law = og_arena_array(&ending->arena, nodes, labels * sizeof *it->law);
        it->needed = og_arena_array(&ending->arena, nodes, sizeof *it->needed);
        it->kind = og_arena_array(&ending->arena, nodes, sizeof *it->kind);
        OG_TRY(og_arena_status(&ending->arena));
        const og_arm *arm = it->arm;
        for (uint32_t x = 0; x < arm->level[arm->depth]; x++) {
            ending->reward = fmax(ending->reward, arm->reward[x]);
        }
        ending->error = fmax(ending->error, fmax(arm->reward_error, arm->probability_error));
    }
    ending->error += (outcomes_of(ending) + 5) * unit;
    for (int32_t g = 0; g < arms->group_count; g++) {
        ending->part[arms->arm_of_group[g]].count += (double)arms->group_size[g];
    }
    for (int32_t i = 0; i < arms->arm_count; i++) {
        fill_alone(&ending->part[i], ending->labels);
        buy_at(&ending->part[i], ending->price);
        find_rare(&ending->part[i]);
    }
    return OG_OK;
}

/* The error of a recursion over ending->labels labels, with numbers up to the rewards and `worth`.
 */
double og_joint_slack(const og_joint_ending *ending, double worth)
{
    return 1.1 * ending->labels * ending->error * (ending->labels + 1) * (ending->reward + worth);
}

/* Fills w of every node. */
static void fill_worth(const og_joint_ending *ending, og_joint_attempt *try, og_joint_part *it)
{
    size_t stride = (size_t)ending->labels + 1;
    buy_at(it, try->dear);
    for (int32_t n = 0; n <= it->arm->depth; n++) {
        for (uint32_t x = it->arm->level[n]; x < it->arm->level[n + 1]; x++) {
            double all = it->alone[stride * x + (size_t)ending->labels];
            it->worth[x] = it->value[x] + (it->value[x] > 0 && n >= it->rare ? try->dear : 0);
            if (all > 0 && n >= it->never) {
                it->worth[x] = fmax(it->worth[x], all + og_joint_slack(ending, 0));
            }
            try->worth = fmax(try->worth, it->worth[x]);
        }
    }
}

void og_joint_choose(const og_joint_ending *ending, og_joint_attempt *try)
{
    for (int32_t i = 0; i < ending->arms->arm_count; i++) {
        fill_worth(ending, try, &ending->part[i]);
    }
}

/* ---- kinds ---- */

/* Marks the nodes that can be in S, and their successors. */
static void mark_needed(const og_joint_ending *ending, og_joint_part *it)
{
    const og_arm *arm = it->arm;
    size_t stride = (size_t)ending->labels + 1;
    int32_t last = arm->depth - ending->labels;
    memset(it->needed, 0, arm->node_count * sizeof *it->needed);
    for (int32_t n = 0; n < arm->depth; n++) {
        for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
            double all = it->alone[stride * x + (size_t)ending->labels];
            if (n <= last && all > 0 && all + og_joint_slack(ending, 0) > it->worth[x]) {
                it->needed[x] = ending->labels;
            }
            size_t first = (size_t)x * (size_t)arm->outcome_count;
            for (int32_t k = 0; it->needed[x] > 0 && k < arm->outcome_count; k++) {
                uint32_t next = arm->next[first + (size_t)k];
                bool fewer = it->needed[next] < it->needed[x] - 1;
                it->needed[next] = fewer ? it->needed[x] - 1 : it->needed[next];
            }
        }
    }
}

static bool is_kind(const og_joint_ending *ending, const og_joint_part *it, uint32_t x)
{
    size_t stride = (size_t)ending->labels + 1;
    return it->needed[x] > 0 && it->alone[stride * x + (size_t)it->needed[x]] > 0;
}

/* True if two nodes are of one kind, given the kinds of their successors. Their outcomes may be in
 * a different order. */
static bool alike(const og_joint_ending *ending, const og_joint_part *a, uint32_t x,
                  const og_joint_part *b, uint32_t y)
{
    const og_arm *left = a->arm, *right = b->arm;
    bool type = a->needed[x] == ending->labels;
    if (a->needed[x] != b->needed[y] || left->outcome_count != right->outcome_count ||
        left->reward[x] != right->reward[y] || (type && a->worth[x] != b->worth[y])) {
        return false;
    }
    uint64_t used = 0;
    for (int32_t k = 0; k < left->outcome_count; k++) {
        size_t i = (size_t)x * (size_t)left->outcome_count + (size_t)k;
        bool found = false;
        for (int32_t l = 0; !found && l < right->outcome_count && l < 64; l++) {
            size_t j = (size_t)y * (size_t)right->outcome_count + (size_t)l;
            found = (used >> l & 1) == 0 && left->probability[i] == right->probability[j] &&
                    a->kind[left->next[i]] == b->kind[right->next[j]];
            used |= found ? UINT64_C(1) << l : 0;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* Adds the kinds of all needed nodes of an arm, from the last level to the first. */
static bool add_kinds(const og_joint_ending *ending, og_joint_attempt *try, og_joint_part *it)
{
    og_joint *joint = &try->joint;
    memset(it->kind, 0xff, it->arm->node_count * sizeof *it->kind);
    for (uint32_t x = it->arm->level[it->arm->depth]; x-- > 0;) {
        int32_t kind = 0;
        if (!is_kind(ending, it, x)) {
            continue;
        }
        while (kind < joint->kinds && !alike(ending, it, x, try->parts[kind], try->node[kind])) {
            kind++;
        }
        if (kind == joint->kinds) {
            if (kind == KINDS_MOST) {
                return false;
            }
            try->parts[kind] = it;
            try->node[kind] = x;
            joint->kinds++;
        }
        it->kind[x] = (uint16_t)kind;
    }
    return true;
}

typedef struct {
    bool type, dear;
    double from;
    int32_t was;
} place;

/* Orders types first; among types those with a price first, then those with more valuable labels.
 */
static int compare_places(const void *x, const void *y)
{
    const place *a = x, *b = y;
    if (a->type != b->type || a->dear != b->dear) {
        return a->type != b->type ? (int)b->type - (int)a->type : (int)b->dear - (int)a->dear;
    }
    if (a->from != b->from && !a->dear) {
        return a->from < b->from ? 1 : -1;
    }
    return (a->was > b->was) - (a->was < b->was);
}

/* ---- demand at a price ---- */

/* Fills `value` and `law` of all nodes at this price, with purchases only if they are certain. */
static void want_at(const og_joint_ending *ending, const og_joint_attempt *try, og_joint_part *it,
                    double price)
{
    const og_arm *arm = it->arm;
    size_t charged = (size_t)try->charged;
    int32_t levels = arm->depth - ending->labels + try->charged;
    double sure = 2.2 * (arm->depth + 1) * ending->error * (ending->reward + try->worth + price);
    for (uint32_t x = arm->level[levels + 1]; x-- > 0;) {
        double *law = it->law + charged * x;
        double buy =
            x < arm->level[levels] ? (arm->reward[x] - price) + mean_next(arm, x, it->value, 1) : 0;
        bool buys = buy > it->worth[x] + sure;
        it->value[x] = buys ? buy : it->worth[x];
        for (size_t n = 0; n < charged; n++) {
            law[n] = buys ? 0 : n == 0;
            for (int32_t k = 0; buys && n > 0 && k < arm->outcome_count; k++) {
                size_t i = (size_t)x * (size_t)arm->outcome_count + (size_t)k;
                if (arm->probability[i] > 0) {
                    law[n] += arm->probability[i] * it->law[charged * arm->next[i] + (n - 1)];
                }
            }
        }
    }
}

/* A lower bound on the price up to which a type buys, to a relative 1e-6. */
static double price_of(const og_joint_ending *ending, og_joint_attempt *try, int32_t kind)
{
    og_joint_part *it = try->parts[kind];
    double low = 0, high = dearest * try->dear;
    if (try->charged == 0) {
        return 0;
    }
    while (high - low > 1e-6 * try->dear) {
        double middle = low + (high - low) / 2;
        want_at(ending, try, it, middle);
        bool wants = it->law[(size_t)try->charged * try->node[kind]] == 0;
        low = wants ? middle : low;
        high = wants ? high : middle;
    }
    return low;
}

static int compare_prices(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Places the prices at which types stop buying, and some between. */
static og_status place_points(og_joint_attempt *try)
{
    enum { BETWEEN = 48 };
    og_joint *joint = &try->joint;
    size_t most = (size_t)joint->types + BETWEEN;
    try->point = og_arena_array(&try->arena, most, sizeof *try->point);
    double *width = og_arena_array(&try->arena, most, sizeof *width);
    OG_TRY(og_arena_status(&try->arena));
    int32_t count = 0;
    for (int32_t i = 0; i < joint->types; i++) {
        try->point[count++] = try->from[i];
    }
    for (int i = 1; i <= BETWEEN; i++) {
        try->point[count++] = try->dear * (0.5 + (dearest - 0.5) * i / BETWEEN) * (1 - 1e-6);
    }
    qsort(try->point, (size_t)count, sizeof *try->point, compare_prices);
    double before = 0;
    joint->points = 0;
    for (int32_t i = 0; i < count; i++) {
        if (try->point[i] - before > 2e-6 * try->dear) {
            /* The lower end represents a cluster of prices: more labels are wanted there than above
             * it, but over a smaller width. */
            width[joint->points] = try->point[i] - before;
            before = try->point[joint->points++] = try->point[i];
        }
    }
    joint->width = width;
    return OG_OK;
}

/* Merges the distributions of demand of a kind's nodes; where they differ, it keeps the smallest
 * demand. */
static void add_law(double *law, const double *other, size_t charged)
{
    double below = 0, other_below = 0, before = 0;
    if (memcmp(law, other, charged * sizeof *law) == 0) {
        return;
    }
    for (size_t n = 0; n < charged; n++) {
        below += law[n];
        other_below += other[n];
        double most = fmax(below, other_below);
        law[n] = most - before;
        before = most;
    }
}

static void fill_law(const og_joint_ending *ending, const og_joint_attempt *try, double price,
                     double *law, bool *filled)
{
    size_t charged = (size_t)try->charged, types = (size_t)try->joint.types;
    memset(filled, 0, types * sizeof *filled);
    for (int32_t i = 0; i < ending->arms->arm_count; i++) {
        og_joint_part *it = &ending->part[i];
        want_at(ending, try, it, price);
        for (uint32_t x = 0; x < it->arm->level[it->arm->depth - ending->labels + 1]; x++) {
            size_t t = it->kind[x];
            if (t >= types) {
                continue;
            }
            if (filled[t]) {
                add_law(law + charged * t, it->law + charged * x, charged);
            } else {
                memcpy(law + charged * t, it->law + charged * x, charged * sizeof *law);
                filled[t] = true;
            }
        }
    }
}

static og_status fill_laws(const og_joint_ending *ending, og_joint_attempt *try)
{
    og_joint *joint = &try->joint;
    size_t charged = (size_t)try->charged, types = (size_t)joint->types;
    double *law =
        og_arena_array(&try->arena, (size_t)joint->points * types + 1, (charged + 1) * sizeof *law);
    bool *filled = og_arena_array(&try->arena, types + 1, sizeof *filled);
    OG_TRY(og_arena_status(&try->arena));
    joint->law = law;
    for (int32_t p = 0; charged > 0 && p < joint->points && !og_stop_asked(ending->stop); p++) {
        fill_law(ending, try, try->point[p], law + (size_t)p * types * charged, filled);
    }
    return og_stop_status(ending->stop);
}

/* ---- one attempt ---- */

static og_status fill_kind(const og_joint_ending *ending, og_joint_attempt *try, int32_t i)
{
    og_joint *joint = &try->joint;
    const og_arm *arm = try->parts[i]->arm;
    size_t outcomes = (size_t)joint->outcomes, own = (size_t)arm->outcome_count;
    size_t first = own * try->node[i];
    double *probability = og_arena_array(&try->arena, outcomes, sizeof *probability);
    uint16_t *next = og_arena_array(&try->arena, outcomes, sizeof *next);
    OG_TRY(og_arena_status(&try->arena));
    for (size_t k = 0; k < own; k++) {
        probability[k] = arm->probability[first + k];
        next[k] = try->parts[i]->kind[arm->next[first + k]];
    }
    try->kind[i] = (og_joint_kind){.reward = arm->reward[try->node[i]],
                                   .worth = try->parts[i]->worth[try->node[i]],
                                   .probability = probability,
                                   .next = next,
                                   .alone = try->parts[i]->alone +
                                            ((size_t)ending->labels + 1) * try->node[i]};
    return OG_OK;
}

/* Puts the kinds in the order of the search. */
static og_status order_kinds(const og_joint_ending *ending, og_joint_attempt *try)
{
    og_joint *joint = &try->joint;
    size_t kinds = (size_t)joint->kinds;
    place *order = og_arena_array(&try->arena, kinds + 1, sizeof *order);
    og_joint_part **part_of = og_arena_array(&try->arena, kinds + 1, sizeof *part_of);
    uint32_t *node = og_arena_array(&try->arena, kinds + 1, sizeof *node);
    uint16_t *now = og_arena_array(&try->arena, kinds + 1, sizeof *now);
    try->kind = og_arena_array(&try->arena, kinds + 1, sizeof *try->kind);
    try->from = og_arena_array(&try->arena, kinds + 1, sizeof *try->from);
    OG_TRY(og_arena_status(&try->arena));
    for (int32_t i = 0; i < joint->kinds; i++) {
        const og_joint_part *it = try->parts[i];
        bool type = it->needed[try->node[i]] == ending->labels;
        order[i] = (place){.type = type,
                           .dear = type && it->worth[try->node[i]] > 0,
                           .from = type ? price_of(ending, try, i) : 0,
                           .was = i};
        joint->types += type;
    }
    qsort(order, kinds, sizeof *order, compare_places);
    for (int32_t i = 0; i < joint->kinds; i++) {
        part_of[i] = try->parts[order[i].was];
        node[i] = try->node[order[i].was];
        try->from[i] = order[i].from;
        now[order[i].was] = (uint16_t)i;
    }
    try->parts = part_of;
    try->node = node;
    for (int32_t i = 0; i < ending->arms->arm_count; i++) {
        og_joint_part *it = &ending->part[i];
        for (uint32_t x = 0; x < it->arm->node_count; x++) {
            it->kind[x] = it->kind[x] == OG_JOINT_NONE ? OG_JOINT_NONE : now[it->kind[x]];
        }
    }
    for (int32_t i = 0; i < joint->kinds; i++) {
        OG_TRY(fill_kind(ending, try, i));
    }
    joint->kind = try->kind;
    return OG_OK;
}

og_status og_joint_make(const og_joint_ending *ending, og_joint_attempt *try)
{
    try->joint = (og_joint){
        .labels = ending->labels, .charged = try->charged, .outcomes = outcomes_of(ending)};
    try->parts = og_arena_array(&try->arena, KINDS_MOST, sizeof *try->parts);
    try->node = og_arena_array(&try->arena, KINDS_MOST, sizeof *try->node);
    OG_TRY(og_arena_status(&try->arena));
    for (int32_t i = 0; i < ending->arms->arm_count; i++) {
        mark_needed(ending, &ending->part[i]);
        if (!add_kinds(ending, try, &ending->part[i])) {
            return OG_STOPPED;
        }
    }
    OG_TRY(order_kinds(ending, try));
    OG_TRY(place_points(try));
    return fill_laws(ending, try);
}
