/*
 * The finite-horizon Gittins index [Hu and Frazier, section 6; spec: gittins-fh]
 *
 *   gamma_r(x) = sup over stopping times 1 <= tau <= r of  E[sum of R over the first tau labels] /
 * E[tau],
 *
 * the largest price z at which a single instance in x, with r labels left, would still buy. Found
 * by Dinkelbach's iteration [Management Science 13 (1967)]: the best rule at price z,
 *
 *   Q_z(x, r) = -z + R(x) + sum_k p_k v_z(next_k, r - 1),   v_z = max(0, Q_z),  v_z(., 0) = 0,
 *
 * has a ratio larger than z unless z is the index already. It starts from gamma_{r-1}(x), the ratio
 * of a rule that is allowed too, and every step is the ratio of some rule.
 *
 * Cost: the index of every (node, left), that is T^3 / 6 of them for a Beta arm, at a strip of up
 * to left^2 / 2 nodes each, a few times; 0.07 s for T = 100, 1.7 s for T = 200 and growing like
 * T^4.6.
 *
 * What makes it fast: v_z(y, s) = 0 exactly where gamma_s(y) <= z, and the indices for fewer labels
 * are known when they are needed. Only the strip of nodes with a larger index, as far as their
 * proved intervals tell, is walked: in each level the nodes between its first and its last one.
 *
 * Rounding. Let m be the number of outcomes, u the unit roundoff and c = max(error of p, error of
 * R)
 * + (m + 2) u: no term of a node's sum carries a larger relative error than c. Let g = max(z,
 * gamma).
 *
 *   (1) Expected earnings E and labels L of a rule have positive terms only: each is off by at most
 *       a relative r c. So z, the last ratio taken, is at most gamma (1 + 2 r c + u).
 *   (2) max(0, .) does not expand, so the computed Q is off by at most the local errors c (R + z +
 *       sum p v) summed along the strip. Buying k labels and playing well from there is a rule with
 *       at most r labels, hence E[v after k labels] <= r g and E[sum of R] <= r g. In all: D <=
 *       c g (r^2 + 2 r).
 *   (3) The rule found at the last z has a computed ratio <= z. Its own net worth is then at most
 *       z r (2 r c + u), the best rule's at most 2 D more; and as Q falls by at least 1 per unit of
 *       price (the first label is always bought) gamma <= z + z r (2 r c + u) + 2 D.
 *
 * Together |z - gamma| <= gamma c (4 r^2 + 5 r) but for products of small errors; stated is
 * 5 c (r + 1)^2. An index that is not zero is never stored below OG_GITTINS_FLOOR, where products
 * of probabilities could leave the range of doubles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/parallel.h"
#include "heuristics/index/gittins.h"

/* Scratch of one thread. */
typedef struct {
    og_strip strip;
    og_worth here, below; /* [widest level] */
} scratch;

/* The largest that the exact index can be. */
static double ceiling_of(const og_scored *scored, int32_t left, double value)
{
    return value * (1 + 2 * scored->left_error[left]) + scored->absolute;
}

og_node_range og_gittins_children(const og_arm *arm, og_node_range parents)
{
    if (arm->lattice) {
        return (og_node_range){arm->next[2 * (size_t)parents.first + 1],
                               arm->next[2 * (size_t)parents.last]};
    }
    og_node_range range = {UINT32_MAX, 0};
    size_t outcomes = (size_t)arm->outcome_count;
    for (size_t i = parents.first * outcomes; i < (parents.last + (size_t)1) * outcomes; i++) {
        range.first = arm->next[i] < range.first ? arm->next[i] : range.first;
        range.last = arm->next[i] > range.last ? arm->next[i] : range.last;
    }
    return range;
}

int32_t og_strip_open(const og_gittins_place *from, double price, og_strip *space)
{
    const og_arm *arm = from->job->arms->arm[from->arm];
    space->reached[0] = space->open[0] = (og_node_range){from->node, from->node};
    int32_t k = 0;
    for (;;) {
        og_node_range range = space->reached[k + 1] = og_gittins_children(arm, space->open[k]);
        k++;
        int32_t left = from->left - k;
        if (left == 0) {
            return k;
        }
        const double *value = og_index_of(from->scored->index, from->arm, left);
        while (range.first <= range.last &&
               ceiling_of(from->scored, left, value[range.first]) <= price) {
            range.first++;
        }
        while (range.first <= range.last &&
               ceiling_of(from->scored, left, value[range.last]) <= price) {
            range.last--;
        }
        space->open[k] = range;
        if (range.first > range.last) {
            return k;
        }
    }
}

static void clear_worth(og_worth of, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        of.net[i] = of.earned[i] = of.labels[i] = 0;
    }
}

/* Outcome 0 leads to the next entry of `below`, outcome 1 to the one of the same place. */
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

/* `first_below`: the node that the entry 0 of `below` is about. */
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

void og_gittins_level(const og_arm *arm, og_node_range range, double price, uint32_t first_below,
                      og_worth below, og_worth out)
{
    if (arm->lattice) {
        size_t first = arm->next[2 * (size_t)range.first + 1] - first_below;
        value_lattice_level(arm, range, price, og_worth_from(below, first), out);
    } else {
        value_level(arm, range, price, first_below, below, out);
    }
}

double og_gittins_root_ratio(const og_arm *arm, uint32_t root, og_worth below, uint32_t first_below)
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

/* Earnings over labels of the best rule at this price, the first label being bought in any case. */
static double best_ratio(const og_gittins_place *from, double price, scratch *space)
{
    const og_arm *arm = from->job->arms->arm[from->arm];
    int32_t levels = og_strip_open(from, price, &space->strip);
    og_node_range reached = space->strip.reached[levels];
    clear_worth(space->below, 0, (size_t)(reached.last - reached.first) + 1);
    for (int32_t k = levels - 1; k > 0; k--) {
        og_node_range open = space->strip.open[k];
        uint32_t first_below = reached.first;
        reached = space->strip.reached[k];
        size_t begin = open.first - reached.first, end = open.last - reached.first + (size_t)1;
        clear_worth(space->here, 0, begin);
        clear_worth(space->here, end, (size_t)(reached.last - reached.first) + 1);
        og_gittins_level(arm, open, price, first_below, space->below,
                         og_worth_from(space->here, begin));
        og_worth done = space->here;
        space->here = space->below;
        space->below = done;
    }
    return og_gittins_root_ratio(arm, from->node, space->below, reached.first);
}

/* Is there a reward within reach? The index is 0 exactly where there is none. */
static bool is_live(const og_gittins_place *from)
{
    const og_arm *arm = from->job->arms->arm[from->arm];
    bool live = arm->reward[from->node] > 0;
    for (size_t k = 0; !live && from->left > 1 && k < (size_t)arm->outcome_count; k++) {
        uint32_t next = arm->next[from->node * (size_t)arm->outcome_count + k];
        live = og_index_of(from->scored->index, from->arm, from->left - 1)[next] > 0;
    }
    return live;
}

static double gittins_index(const og_gittins_place *from, scratch *space)
{
    if (!is_live(from)) {
        return 0;
    }
    double price = fmax(from->job->arms->arm[from->arm]->reward[from->node], OG_GITTINS_FLOOR);
    if (from->left == 1) {
        return price;
    }
    price = fmax(price, og_index_of(from->scored->index, from->arm, from->left - 1)[from->node]);
    for (;;) {
        double ratio = best_ratio(from, price, space);
        if (ratio <= price) {
            return price;
        }
        price = ratio;
    }
}

/* One number of labels left, all with fewer being known. */
typedef struct {
    const og_index_job *job;
    og_scored *scored;
    scratch *spaces; /* [threads] */
    int32_t left;
} sweep;

static void score_classes(void *context, int thread, int64_t begin, int64_t end)
{
    const sweep *s = context;
    const og_twins *twins = s->job->twins;
    for (int64_t c = begin; c < end && !og_stop_asked(s->job->stop); c++) {
        og_gittins_place from = {s->job, s->scored, twins->first_arm[c], twins->first_node[c],
                                 s->left};
        int64_t row = (int64_t)s->left * s->job->arms->arm_count + from.arm;
        s->scored->index->index[row][from.node] = gittins_index(&from, &s->spaces[thread]);
    }
}

static size_t widest_level(const og_arms *arms)
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

static scratch *allocate_spaces(og_arena *arena, const og_arms *arms, int count)
{
    size_t width = widest_level(arms);
    scratch *spaces = og_arena_array(arena, (size_t)count, sizeof *spaces);
    for (int i = 0; spaces != NULL && i < count; i++) {
        spaces[i] = (scratch){.strip = og_strip_new(arena, arms->budget),
                              .here = og_worth_new(arena, width),
                              .below = og_worth_new(arena, width)};
    }
    return spaces;
}

static void state_errors(const og_arms *arms, og_scored *scored)
{
    double c = og_node_error(arms, 2), reward_error = 0;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        reward_error = fmax(reward_error, arms->arm[i]->reward_error);
    }
    for (int32_t left = 1; left <= arms->budget; left++) {
        double steps = (double)left + 1;
        scored->left_error[left] = left == 1 ? reward_error : 5 * c * steps * steps;
        scored->index->error = scored->left_error[left];
    }
    scored->absolute = scored->index->absolute_error = OG_GITTINS_FLOOR;
}

/* The rows of 1 .. last labels left. */
static og_status score_rows(const og_index_job *job, int32_t last, og_scored *out)
{
    scratch *spaces = allocate_spaces(&out->arena, job->arms, job->threads);
    OG_TRY(og_arena_status(&out->arena));
    state_errors(job->arms, out);
    int threads = og_index_threads(job, 2000);
    for (int32_t left = 1; left <= last; left++) {
        sweep s = {job, out, spaces, left};
        og_parallel_ranges(threads, og_twins_with_left(job->twins, job->arms->budget, left), 16,
                           score_classes, &s);
        OG_TRY(og_stop_status(job->stop));
        og_scored_copy_to_twins(job, out, left);
    }
    return OG_OK;
}

/*
 * gittins-fh:N, with N labels left whatever is left; an instance that has had n of the T can have
 * no more than T - n. So it does not depend on the labels left, and any number of instances is
 * valued by stages (dp/product/stationary/). Twins of different arms, which may have had different
 * numbers, count as the one of the lowest level.
 */
static int32_t as_if_left(const og_index_job *job, int32_t level)
{
    double most = job->policy->parameter;
    int32_t left = job->arms->budget - level;
    return most < left ? (int32_t)most : left;
}

static og_status exact_as_if(const og_index_job *job, const og_scored *scored, int32_t arm,
                             uint32_t node, int32_t left, mpq_t out)
{
    const uint32_t *first = job->arms->arm[arm]->level;
    int32_t level = 0;
    while (first[level + 1] <= node) {
        level++;
    }
    (void)left;
    return og_exact_gittins_fh(job, scored->own, arm, node, as_if_left(job, level), out);
}

static void free_rows(void *own)
{
    og_scored_clear(own);
    free(own);
}

static og_status score_as_if(const og_index_job *job, og_scored *out)
{
    const og_arms *arms = job->arms;
    og_scored *rows = calloc(1, sizeof *rows);
    OG_TRY(OG_ALLOCATED(rows));
    out->own = rows;
    out->free_own = free_rows;
    out->exact = exact_as_if;
    int32_t last = as_if_left(job, 0);
    OG_TRY(og_scored_init_up_to(job, last, rows));
    OG_TRY(score_rows(job, last, rows));
    OG_TRY(og_scored_init(job, false, false, out));
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const uint32_t *first = arms->arm[i]->level;
        for (int32_t level = 0; level < arms->budget; level++) {
            const double *row = og_index_of(rows->index, i, as_if_left(job, level));
            memcpy(out->index->index[i] + first[level], row + first[level],
                   (first[level + 1] - first[level]) * sizeof *row);
        }
    }
    og_scored_copy_to_twins(job, out, 1);
    out->left_error[0] = out->index->error = rows->left_error[last];
    out->absolute = out->index->absolute_error = OG_GITTINS_FLOOR;
    return OG_OK;
}

og_status og_score_gittins_fh(const og_index_job *job, og_scored *out, og_message *message)
{
    (void)message;
    if (job->policy->has_parameter) {
        return score_as_if(job, out);
    }
    OG_TRY(og_scored_init(job, !job->roots, false, out));
    out->exact = og_exact_gittins_fh;
    if (job->roots) {
        state_errors(job->arms, out);
        out->left_error[0] = out->left_error[job->arms->budget];
        return og_gittins_roots(job, out);
    }
    return score_rows(job, job->arms->budget, out);
}
