/*
 * The bound of a joint end: charges for all labels but the last L, and these played together.
 *
 * Notation. h(x): what an instance at node x is worth; R(x): the gain of a label. V_L(S), G_L(S) =
 * V_L(S) - sum of h: the optimum of L labels from a state S, a multiset of nodes. w >= 0: any
 * numbers, one for each node. m: any number of labels, 0 <= m <= L. D = T - L + m. Where an
 * instance is worth h + w in the end, let v_z(x) be what is earned at x by whoever buys labels at
 * the price z, D labels in all, N_x(z) the number that the one buys who buys least, and
 *
 *   U(S) = integral over z > 0 of E[min(m, sum of N_x(z))] dz.
 *
 * Theorem.  V <= sum of (h + w)(priors) + integral of E[min(D, sum of N(z))] dz
 *                + sup over all S of (G_L(S) - sum over S of w - U(S)).
 *
 * Proof. Let S be the state with L labels left, whatever policy led there. By the supremum, V_L(S)
 * is at most it and W(S) = sum of (h + w) + U(S). It remains to be seen that E[W(S)] is at most the
 * first line. In the problem of D labels with worths h + w let a label, by its place in an
 * instance's history, be charged the least index so far (prevailing charges; bound_prevailing.c).
 * Then v_z(x) - (h + w)(x) is the integral of E N_x from z on (the slope of v is -E N), so that
 *
 *   W(S) = sum of v_0(x) - integral of E[(sum of N_x(z) - m)^+] dz.
 *
 * v_0 of an instance does not rise on average, whoever labels it. N of the prior is the number of
 * labels charged above z on the instance's whole history, whatever is played; a policy makes T - L
 * = D - m labels, so at most so many of these are made in S, and what is made beside leaves no
 * fewer to be wanted: sum of N_x(z) >= sum of N(z) - (D - m), on average over what comes, and
 * (. - m)^+ is convex and does not fall. So E[W(S)] is at most
 *
 *   sum of v_0(priors) - integral of E[(sum of N(z) - D)^+] dz,
 *
 * which is the first line. QED
 *
 * Any w and m make a bound. What is good: U sees that labels are worth less where few instances are
 * left to want them, so that w need not be chosen for one price at which the last labels are
 * made; with w = v - h at a price a little above those that will prevail, only instances whose next
 * label is nearly decided have w > 0. G sees what charges and prices do not: that with few labels
 * left what takes several is not begun, and that of what takes one or two a few can be kept for
 * them. Nodes that are hardly ever reached get more: from the level on at which fewer than `rare`
 * instances are expected to want another label, the price once more, and from that of fewer than
 * `never` on all that L labels could gain there, whereby they need not be in S at all: then G_L
 * grows by no more than w. The supremum over
 * all other S is found by branch and bound (joint_search.h).
 *
 * U is taken from below: N at some prices, each for all prices down to the one before it, and an
 * instance that gains too little to be sure of, in doubles, counts as one that buys nothing.
 *
 * Rounding. With rho, pi the arms' errors of rewards and probabilities, u = 2^-53, k outcomes, R
 * and w the largest of their kind and L R >= G: a step of G is off by rho R + (pi + (k + 4) u) (L +
 * 1) (R + w), L steps make G; `slack` is that. A node whose alone-gain is below w by less than it
 * is looked at. The law of N to m labels is m steps and n convolutions for n instances, all terms
 * >= 0: a relative n (m (pi + (k + 1) u) + (m + 1) u).
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/arena.h"
#include "heuristics/bounds/bound.h"
#include "heuristics/bounds/joint_search.h"
#include "heuristics/bounds/prevailing.h"

/* Of the price that all labels could have (the scalar bound's). */
static const double dear_of_price[] = {1.1, 1.05, 1.15};

/* Instances that are expected to want a label after so many labels. */
static const double rare = 0.1, never = 0.01;

/* Prices up to so many times that are looked at for what is wanted: others add little. */
static const double dearest = 2;

/* The search may leave so much of the value open, and may look into so many multisets. */
static const double near = 1e-6;
enum { EXPANDED_MOST = 20000 };

static const int32_t few_labels = 4;

static const double unit = DBL_EPSILON / 2;

/* An arm's tables, of its nodes. */
typedef struct {
    const og_arm *arm;
    double count;    /* instances */
    double *worth;   /* w */
    double *alone;   /* [.. (labels + 1)] what so many labels gain on one instance alone */
    int32_t rare, never; /* levels from which on w is more */
    double *value;   /* scratch */
    double *law;     /* [.. charged] chance that 0, 1, .. labels are wanted at a price */
    int32_t *needed; /* labels for which the node's kind is needed; labels: it can be in S */
    uint16_t *kind;
} part;

typedef struct {
    const og_arms *arms;
    int threads;
    uint64_t memory_bytes;
    og_stop *stop;
    int32_t labels;
    og_arena arena;
    part *part;    /* [arm_count] */
    double price;  /* the scalar bound's */
    double reward; /* the largest */
    double error;  /* of a step of a recursion in one number, relative to its size */
} ending;

/* One way to choose w and m, and what it gives. */
typedef struct {
    double dear; /* the price by which w is chosen */
    int32_t charged;
    double worth; /* the largest w */
    og_arena arena;
    og_joint joint;
    og_joint_kind *kind;
    double *from; /* [kinds] the price above which an instance buys nothing: of types */
    part **of;       /* [kinds] whose node is of the kind, */
    uint32_t *node;  /* and this is one */
    double *point; /* [points] prices */
    og_upper_bound bound;
} attempt;

static int32_t outcomes_of(const ending *of)
{
    int32_t most = 0;
    for (int32_t i = 0; i < of->arms->arm_count; i++) {
        int32_t count = of->arms->arm[i]->outcome_count;
        most = count > most ? count : most;
    }
    return most;
}

static og_status ending_init(ending *of)
{
    const og_arms *arms = of->arms;
    size_t labels = (size_t)of->labels;
    of->reward = of->error = 0;
    of->part = og_arena_array(&of->arena, (size_t)arms->arm_count, sizeof *of->part);
    OG_TRY(og_arena_status(&of->arena));
    for (int32_t i = 0; i < arms->arm_count; i++) {
        part *it = &of->part[i];
        size_t nodes = arms->arm[i]->node_count;
        it->arm = arms->arm[i];
        it->worth = og_arena_array(&of->arena, nodes, sizeof *it->worth);
        it->alone = og_arena_array(&of->arena, nodes, (labels + 1) * sizeof *it->alone);
        it->value = og_arena_array(&of->arena, nodes, sizeof *it->value);
        it->law = og_arena_array(&of->arena, nodes, labels * sizeof *it->law);
        it->needed = og_arena_array(&of->arena, nodes, sizeof *it->needed);
        it->kind = og_arena_array(&of->arena, nodes, sizeof *it->kind);
        OG_TRY(og_arena_status(&of->arena));
        const og_arm *arm = it->arm;
        for (uint32_t x = 0; x < arm->level[arm->depth]; x++) {
            of->reward = fmax(of->reward, arm->reward[x]);
        }
        of->error = fmax(of->error, fmax(arm->reward_error, arm->probability_error));
    }
    of->error += (outcomes_of(of) + 5) * unit;
    for (int32_t g = 0; g < arms->group_count; g++) {
        of->part[arms->arm_of_group[g]].count += (double)arms->group_size[g];
    }
    return OG_OK;
}

static double mean_next(const og_arm *arm, uint32_t x, const double *value, size_t stride)
{
    double sum = 0;
    size_t first = (size_t)x * (size_t)arm->outcome_count;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        if (arm->probability[first + (size_t)k] > 0) {
            sum += arm->probability[first + (size_t)k] *
                   value[stride * arm->next[first + (size_t)k]];
        }
    }
    return sum;
}

/* value: what is earned at every node by who buys at a price and has all labels of the arm. */
static void buy_at(part *of, double price)
{
    const og_arm *arm = of->arm;
    memset(of->value, 0, arm->node_count * sizeof *of->value);
    for (uint32_t x = arm->level[arm->depth]; x-- > 0;) {
        of->value[x] = fmax(0, (arm->reward[x] - price) + mean_next(arm, x, of->value, 1));
    }
}

static void fill_alone(part *of, int32_t labels)
{
    const og_arm *arm = of->arm;
    size_t stride = (size_t)labels + 1;
    for (int32_t r = 1; r <= labels; r++) {
        for (uint32_t x = 0; x < arm->level[arm->depth]; x++) {
            double *at = of->alone + stride * x;
            at[r] = fmax(at[r - 1],
                         arm->reward[x] + mean_next(arm, x, of->alone + (r - 1), stride));
        }
    }
}

/* Follows the instances that buy at the price of buy_at. law: scratch. */
static void find_rare(part *of)
{
    const og_arm *arm = of->arm;
    double *reached = of->law;
    memset(reached, 0, arm->node_count * sizeof *reached);
    of->rare = of->never = arm->depth;
    reached[0] = of->count;
    for (int32_t n = 0; n < arm->depth; n++) {
        double wanting = 0;
        for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
            size_t first = (size_t)x * (size_t)arm->outcome_count;
            wanting += of->value[x] > 0 ? reached[x] : 0;
            for (int32_t k = 0; of->value[x] > 0 && k < arm->outcome_count; k++) {
                reached[arm->next[first + (size_t)k]] +=
                    arm->probability[first + (size_t)k] * reached[x];
            }
        }
        of->rare = wanting < rare && n < of->rare ? n : of->rare;
        of->never = wanting < never && n < of->never ? n : of->never;
    }
}

/* What a recursion of so many labels can be off by, of numbers up to that and w. */
static double slack(const ending *of, double worth)
{
    return 1.1 * of->labels * of->error * (of->labels + 1) * (of->reward + worth);
}

/* w of every node. */
static void fill_worth(const ending *of, attempt *try, part *it)
{
    size_t stride = (size_t)of->labels + 1;
    buy_at(it, try->dear);
    for (int32_t n = 0; n <= it->arm->depth; n++) {
        for (uint32_t x = it->arm->level[n]; x < it->arm->level[n + 1]; x++) {
            double all = it->alone[stride * x + (size_t)of->labels];
            it->worth[x] = it->value[x] + (it->value[x] > 0 && n >= it->rare ? try->dear : 0);
            if (all > 0 && n >= it->never) {
                it->worth[x] = fmax(it->worth[x], all + slack(of, 0));
            }
            try->worth = fmax(try->worth, it->worth[x]);
        }
    }
}

/* ---- kinds ---- */

/* Which nodes can be in S, and which these lead to. */
static void mark_needed(const ending *of, part *it)
{
    const og_arm *arm = it->arm;
    size_t stride = (size_t)of->labels + 1;
    int32_t last = arm->depth - of->labels;
    memset(it->needed, 0, arm->node_count * sizeof *it->needed);
    for (int32_t n = 0; n < arm->depth; n++) {
        for (uint32_t x = arm->level[n]; x < arm->level[n + 1]; x++) {
            double all = it->alone[stride * x + (size_t)of->labels];
            if (n <= last && all > 0 && all + slack(of, 0) > it->worth[x]) {
                it->needed[x] = of->labels;
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

static bool is_kind(const ending *of, const part *it, uint32_t x)
{
    size_t stride = (size_t)of->labels + 1;
    return it->needed[x] > 0 && it->alone[stride * x + (size_t)it->needed[x]] > 0;
}

/* Are two nodes, whose next ones have their kinds, one kind? Outcomes may be in another order. */
static bool alike(const ending *of, const part *a, uint32_t x, const part *b, uint32_t y)
{
    const og_arm *left = a->arm, *right = b->arm;
    bool type = a->needed[x] == of->labels;
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

/* The kinds of all nodes of an arm that are needed, from the last level to the first. */
static bool add_kinds(const ending *of, attempt *try, part *it)
{
    og_joint *joint = &try->joint;
    memset(it->kind, 0xff, it->arm->node_count * sizeof *it->kind);
    for (uint32_t x = it->arm->level[it->arm->depth]; x-- > 0;) {
        int32_t kind = 0;
        if (!is_kind(of, it, x)) {
            continue;
        }
        while (kind < joint->kinds && !alike(of, it, x, try->of[kind], try->node[kind])) {
            kind++;
        }
        if (kind == joint->kinds) {
            if (kind == OG_JOINT_NONE) {
                return false;
            }
            try->of[kind] = it;
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

/* Types first; of these the ones with a price first, then by how much their labels are worth. */
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

/* ---- what is wanted at a price ---- */

/* Does an instance at x buy at this price, surely? value and law of all nodes. */
static void want_at(const ending *of, const attempt *try, part *it, double price)
{
    const og_arm *arm = it->arm;
    size_t charged = (size_t)try->charged;
    int32_t levels = arm->depth - of->labels + try->charged;
    double sure = 2.2 * (arm->depth + 1) * of->error * (of->reward + try->worth + price);
    for (uint32_t x = arm->level[levels + 1]; x-- > 0;) {
        double *law = it->law + charged * x;
        double buy = x < arm->level[levels]
                         ? (arm->reward[x] - price) + mean_next(arm, x, it->value, 1)
                         : 0;
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

/* The price up to which a type buys, from below, to a relative 1e-6. */
static double price_of(const ending *of, attempt *try, int32_t kind)
{
    part *it = try->of[kind];
    double low = 0, high = dearest * try->dear;
    if (try->charged == 0) {
        return 0;
    }
    for (int i = 0; i < 24 && high - low > 1e-6 * try->dear; i++) {
        double middle = low + (high - low) / 2;
        want_at(of, try, it, middle);
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

/* Prices at which types stop to buy, and some between. */
static og_status place_points(attempt *try)
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
            /* The lower end of a cluster stands for it: more is wanted there than above, but less
             * wide. */
            width[joint->points] = try->point[i] - before;
            before = try->point[joint->points++] = try->point[i];
        }
    }
    joint->width = width;
    return OG_OK;
}

/* The law of what is wanted by all nodes of a kind: of those that differ, what is wanted least. */
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

static void fill_law(const ending *of, const attempt *try, double price, double *law, bool *filled)
{
    size_t charged = (size_t)try->charged, types = (size_t)try->joint.types;
    memset(filled, 0, types * sizeof *filled);
    for (int32_t i = 0; i < of->arms->arm_count; i++) {
        part *it = &of->part[i];
        want_at(of, try, it, price);
        for (uint32_t x = 0; x < it->arm->level[it->arm->depth - of->labels + 1]; x++) {
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

static og_status fill_laws(const ending *of, attempt *try)
{
    og_joint *joint = &try->joint;
    size_t charged = (size_t)try->charged, types = (size_t)joint->types;
    double *law = og_arena_array(&try->arena, (size_t)joint->points * types + 1,
                                 (charged + 1) * sizeof *law);
    bool *filled = og_arena_array(&try->arena, types + 1, sizeof *filled);
    OG_TRY(og_arena_status(&try->arena));
    joint->law = law;
    for (int32_t p = 0; charged > 0 && p < joint->points && !og_stop_asked(of->stop); p++) {
        fill_law(of, try, try->point[p], law + (size_t)p * types * charged, filled);
    }
    return og_stop_status(of->stop);
}

/* ---- one attempt ---- */

static og_status fill_kind(const ending *of, attempt *try, int32_t i)
{
    og_joint *joint = &try->joint;
    const og_arm *arm = try->of[i]->arm;
    size_t outcomes = (size_t)joint->outcomes, own = (size_t)arm->outcome_count;
    size_t first = own * try->node[i];
    double *probability = og_arena_array(&try->arena, outcomes, sizeof *probability);
    uint16_t *next = og_arena_array(&try->arena, outcomes, sizeof *next);
    OG_TRY(og_arena_status(&try->arena));
    for (size_t k = 0; k < own; k++) {
        probability[k] = arm->probability[first + k];
        next[k] = try->of[i]->kind[arm->next[first + k]];
    }
    try->kind[i] =
        (og_joint_kind){.reward = arm->reward[try->node[i]],
                        .worth = try->of[i]->worth[try->node[i]],
                        .probability = probability,
                        .next = next,
                        .alone = try->of[i]->alone + ((size_t)of->labels + 1) * try->node[i]};
    return OG_OK;
}

/* Kinds in the order of the search. */
static og_status order_kinds(const ending *of, attempt *try)
{
    og_joint *joint = &try->joint;
    size_t kinds = (size_t)joint->kinds;
    place *order = og_arena_array(&try->arena, kinds + 1, sizeof *order);
    part **part_of = og_arena_array(&try->arena, kinds + 1, sizeof *part_of);
    uint32_t *node = og_arena_array(&try->arena, kinds + 1, sizeof *node);
    uint16_t *now = og_arena_array(&try->arena, kinds + 1, sizeof *now);
    try->kind = og_arena_array(&try->arena, kinds + 1, sizeof *try->kind);
    try->from = og_arena_array(&try->arena, kinds + 1, sizeof *try->from);
    OG_TRY(og_arena_status(&try->arena));
    for (int32_t i = 0; i < joint->kinds; i++) {
        const part *it = try->of[i];
        bool type = it->needed[try->node[i]] == of->labels;
        order[i] = (place){.type = type,
                           .dear = type && it->worth[try->node[i]] > 0,
                           .from = type ? price_of(of, try, i) : 0,
                           .was = i};
        joint->types += type;
    }
    qsort(order, kinds, sizeof *order, compare_places);
    for (int32_t i = 0; i < joint->kinds; i++) {
        part_of[i] = try->of[order[i].was];
        node[i] = try->node[order[i].was];
        try->from[i] = order[i].from;
        now[order[i].was] = (uint16_t)i;
    }
    try->of = part_of;
    try->node = node;
    for (int32_t i = 0; i < of->arms->arm_count; i++) {
        part *it = &of->part[i];
        for (uint32_t x = 0; x < it->arm->node_count; x++) {
            it->kind[x] = it->kind[x] == OG_JOINT_NONE ? OG_JOINT_NONE : now[it->kind[x]];
        }
    }
    for (int32_t i = 0; i < joint->kinds; i++) {
        OG_TRY(fill_kind(of, try, i));
    }
    joint->kind = try->kind;
    return OG_OK;
}

static og_status make_kinds(const ending *of, attempt *try)
{
    enum { ROOM = UINT16_MAX };
    try->joint = (og_joint){
        .labels = of->labels, .charged = try->charged, .outcomes = outcomes_of(of)};
    try->of = og_arena_array(&try->arena, ROOM, sizeof *try->of);
    try->node = og_arena_array(&try->arena, ROOM, sizeof *try->node);
    OG_TRY(og_arena_status(&try->arena));
    for (int32_t i = 0; i < of->arms->arm_count; i++) {
        mark_needed(of, &of->part[i]);
        if (!add_kinds(of, try, &of->part[i])) {
            return OG_NO_MEMORY;
        }
    }
    OG_TRY(order_kinds(of, try));
    OG_TRY(place_points(try));
    return fill_laws(of, try);
}

/* What the search's result can be off by: see the head of the file. */
static double allowance(const ending *of, const attempt *try, int32_t items)
{
    double charged = try->charged, labels = of->labels;
    double gains = 3 * slack(of, try->worth);
    double worths = items * (items + 2.0) * unit * try->worth;
    double laws = items * (charged * of->error + (charged + 1) * unit);
    double wanted = try->dear * charged * (laws + (charged + try->joint.points + 4) * unit);
    double sums = 4 * unit * (labels * of->reward + items * try->worth + charged * try->dear);
    return 1.1 * (gains + worths + wanted + sums);
}

static og_status charge(const ending *of, const attempt *try, bool rough, og_upper_bound *out)
{
    int32_t arms = of->arms->arm_count;
    const double **worth = malloc((size_t)arms * sizeof *worth);
    OG_TRY(OG_ALLOCATED(worth));
    for (int32_t i = 0; i < arms; i++) {
        worth[i] = of->part[i].worth;
    }
    const og_left left = {.worth = worth,
                          .labels = of->arms->budget - of->labels + try->charged,
                          .cheap = of->price,
                          .rough = rough};
    og_status status = og_bound_left(of->arms, &left, of->threads, of->stop, out);
    free(worth);
    return status;
}

/* The bound with w for a price and m; INFINITY where `stop` ended it. */
static og_status attempt_at(const ending *of, double dear, int32_t charged, og_upper_bound *out)
{
    attempt try = {.dear = dear, .charged = charged};
    og_joint_found found = {.most = INFINITY};
    for (int32_t i = 0; i < of->arms->arm_count; i++) {
        fill_worth(of, &try, &of->part[i]);
    }
    og_status status = charge(of, &try, false, out);
    OG_THEN(status, make_kinds(of, &try));
    OG_THEN(status, og_joint_search(&try.joint, near * fabs(out->value), EXPANDED_MOST,
                                    of->memory_bytes, of->stop, &found));
    if (status == OG_OK) {
        double rounding = allowance(of, &try, found.items_max);
        double size = fabs(out->value) + found.most;
        out->error += 1.01 * rounding + 4 * unit * size;
        out->value += found.most + 1.01 * rounding + 4 * unit * size;
        out->converged = out->converged && found.most - found.found <= near * size;
    } else if (status == OG_STOPPED) {
        *out = (og_upper_bound){.value = INFINITY};
        status = OG_OK;
    }
    og_arena_clear(&try.arena);
    return status;
}

/* How w and m are chosen. */
typedef struct {
    double dear;   /* relative to the scalar bound's price */
    int32_t fewer; /* L - m */
} choice;

/* One choice more: *chosen and *best are kept if they are better. */
static og_status take_better(const ending *of, choice next, choice *chosen, og_upper_bound *best)
{
    og_upper_bound found;
    int32_t charged = of->labels - next.fewer;
    if (charged < 0 || charged > of->labels || og_stop_asked(of->stop)) {
        return OG_OK;
    }
    OG_TRY(attempt_at(of, next.dear * of->price, charged, &found));
    found.evaluations += best->evaluations;
    best->evaluations = found.evaluations;
    if (found.value < best->value) {
        *best = found;
        *chosen = next;
    }
    return OG_OK;
}

/* The best price for two labels fewer that are charged than there are, then some other number of
 * these. */
static og_status choose(const ending *of, choice *chosen, og_upper_bound *best)
{
    choice first = {.fewer = of->labels < 2 ? of->labels : 2};
    for (size_t i = 0; i < sizeof dear_of_price / sizeof *dear_of_price; i++) {
        first.dear = dear_of_price[i];
        OG_TRY(take_better(of, first, chosen, best));
    }
    const choice centre = *chosen;
    for (int step = -1; step <= 1; step += 2) {
        choice other = {centre.dear, centre.fewer + step};
        OG_TRY(take_better(of, other, chosen, best));
    }
    return OG_OK;
}

static bool is_possible(const og_arms *arms, int32_t labels)
{
    bool possible = labels >= 1 && labels <= OG_BOUND_JOINT_LABELS_MAX && labels < arms->budget;
    for (int32_t i = 0; possible && i < arms->arm_count; i++) {
        possible = arms->arm[i]->action_first == NULL && arms->arm[i]->cost == NULL;
    }
    return possible;
}

static uint64_t bytes_of(const og_arms *arms, int32_t labels)
{
    uint64_t node = 2 * sizeof(double) + sizeof(int32_t) + sizeof(uint16_t) +
                    (2 * (uint64_t)labels + 1) * sizeof(double);
    uint64_t nodes = 0, bytes;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        nodes += arms->arm[i]->node_count;
    }
    return __builtin_mul_overflow(nodes, node, &bytes) ? UINT64_MAX : bytes;
}

/* With so many labels: by the choice, or where there is none yet, the best of some. */
static og_status play_together(ending *of, int32_t labels, choice *chosen, og_upper_bound *best)
{
    of->labels = labels;
    og_status status = ending_init(of);
    for (int32_t i = 0; status == OG_OK && i < of->arms->arm_count; i++) {
        fill_alone(&of->part[i], labels);
        buy_at(&of->part[i], of->price);
        find_rare(&of->part[i]);
    }
    if (status == OG_OK) {
        status = chosen->dear > 0 ? take_better(of, *chosen, chosen, best)
                                  : choose(of, chosen, best);
    }
    og_arena_clear(&of->arena);
    return status;
}

og_status og_bound_joint_end(const og_arms *arms, int32_t labels, int threads,
                             uint64_t memory_bytes, og_stop *stop, og_upper_bound *out)
{
    ending of = {.arms = arms, .threads = threads, .memory_bytes = memory_bytes, .stop = stop};
    og_upper_bound scalar, best = {.value = INFINITY, .price_count = labels};
    choice chosen = {0};
    og_status status = OG_OK;
    if (is_possible(arms, labels) && bytes_of(arms, labels) <= memory_bytes) {
        OG_TRY(og_bound_lagrangian_scalar(arms, threads, NULL, &scalar));
        of.price = scalar.price[0];
        og_bound_clear(&scalar);
        /* What is good for few labels, which takes a moment, is good for more. */
        int32_t few = labels < few_labels ? labels : few_labels;
        status = of.price > 0 ? play_together(&of, few, &chosen, &best) : OG_OK;
        if (status == OG_OK && labels > few && chosen.dear > 0) {
            status = play_together(&of, labels, &chosen, &best);
        }
    }
    best.price_count = labels;
    *out = best;
    return status;
}
