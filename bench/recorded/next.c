/*
 * Which tasks to label next. Tasks at one node of the arm are alike, so that all sums go over the
 * nodes where some stand, and the bounds cost the same for any number of tasks.
 */
#include "bench/recorded/next.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/random.h"
#include "dp/base/arena.h"
#include "dp/base/golden.h"

enum { AHEAD_MAX = 200, NODES_MAX = 30000, PLAN_MAX = 40, PRICES = 72 };

/* ---- where the tasks stand ---- */

static double nodes_of(int32_t depth, int32_t classes)
{
    double nodes = 1;
    for (int32_t k = 1; k <= classes; k++) {
        nodes *= (double)(depth + k) / k;
    }
    return nodes;
}

static int32_t useful_ahead(int32_t longest, int32_t classes, int32_t budget)
{
    int32_t ahead = budget < AHEAD_MAX ? budget : AHEAD_MAX;
    while (classes > 2 && ahead > 1 && nodes_of(longest + ahead, classes) > NODES_MAX) {
        ahead--;
    }
    return ahead > 1 ? ahead : 1;
}

static og_status check_prior(const og_labels *labels, const og_group *prior, og_message *message)
{
    int32_t classes = og_labels_classes(labels);
    bool fits = classes == 2 ? prior->kind == OG_PRIOR_BETA
                             : prior->kind == OG_PRIOR_DIRICHLET && prior->part_count == classes;
    return fits && prior->count == 1
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "the prior is that of every task, %s, for labels of %d classes",
                                classes == 2 ? "A,B[@D]" : "with a number for each class",
                                (int)classes);
}

static og_status build_arm(const og_group *prior, int32_t depth, int threads, uint64_t memory_bytes,
                           og_standing *out, og_message *message)
{
    og_groups problem;
    og_group group = *prior;
    group.count = out->task_count;
    og_groups_init(&problem, depth);
    og_status status = og_groups_add(&problem, &group, message);
    OG_THEN(status, og_arms_new(&problem, threads, memory_bytes, &out->arms, message));
    og_groups_clear(&problem);
    return status;
}

og_status og_standing_init(const og_labels *labels, const og_group *prior, int32_t budget,
                           int threads, uint64_t memory_bytes, og_standing *out,
                           og_message *message)
{
    *out = (og_standing){.task_count = labels->task_count};
    OG_TRY(check_prior(labels, prior, message));
    int64_t longest = 0;
    uint32_t *had = calloc(labels->task_count, sizeof *had);
    out->node = had;
    OG_TRY(OG_ALLOCATED(had));
    for (int64_t i = 0; i < labels->label_count; i++) {
        int64_t count = ++had[labels->task[i]];
        longest = count > longest ? count : longest;
    }
    if (longest > OG_BUDGET_MAX - AHEAD_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "a task has %lld labels, more than %d",
                              (long long)longest, OG_BUDGET_MAX - AHEAD_MAX);
    }
    out->ahead = useful_ahead((int32_t)longest, og_labels_classes(labels), budget);
    OG_TRY(build_arm(prior, (int32_t)longest + out->ahead, threads, memory_bytes, out, message));
    const og_arm *arm = out->arms->arm[0];
    memset(out->node, 0, labels->task_count * sizeof *out->node);
    for (int64_t i = 0; i < labels->label_count; i++) {
        uint32_t *node = &out->node[labels->task[i]];
        *node = arm->next[(size_t)*node * (size_t)arm->outcome_count +
                          (size_t)og_labels_outcome(labels, i)];
    }
    return OG_OK;
}

void og_standing_clear(og_standing *standing)
{
    og_arms_free(standing->arms);
    free(standing->node);
    *standing = (og_standing){.arms = NULL};
}

og_status og_standing_calls(const og_standing *standing, int32_t *called, double *worth)
{
    const og_arm *arm = standing->arms->arm[0];
    size_t outcomes = (size_t)arm->outcome_count, inner = arm->level[arm->depth];
    og_arena arena = {0};
    double *gain = og_arena_array(&arena, inner * outcomes, sizeof *gain), error;
    double *right = og_arena_array(&arena, arm->node_count, sizeof *right);
    og_status status = og_arena_status(&arena);
    OG_THEN(status, og_arm_gains(arm, gain, &error));
    if (status == OG_OK) {
        right[0] = arm->call;
        for (size_t edge = 0; edge < inner * outcomes; edge++) {
            right[arm->next[edge]] = right[edge / outcomes] + gain[edge];
        }
        for (uint32_t i = 0; i < standing->task_count; i++) {
            called[i] = og_arm_called(arm, standing->node[i]);
            double most = og_payoff_best(&og_arm_prior(arm)->payoff);
            worth[i] = fmin(right[standing->node[i]], most);
        }
    }
    og_arena_clear(&arena);
    return status;
}

/* ---- the batch ---- */

typedef struct {
    uint32_t rank, task;
    uint64_t tie;
} ranked;

static int compare_ranked(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? 1 : -1;
    }
    return a->tie != b->tie ? (a->tie > b->tie) - (a->tie < b->tie)
                            : (a->task > b->task) - (a->task < b->task);
}

static og_status find_ranks(const og_standing *standing, const og_next_request *request,
                            og_ranks **ranks, og_message *message)
{
    const og_policy_name *policy = request->policy;
    const og_policy_use use = {.whole_budget = request->budget,
                               .threads = request->threads,
                               .memory_bytes = request->memory_bytes};
    bool priced = strcmp(policy->name, "lagrangian") == 0;
    if (!priced) {
        OG_TRY(og_policy_name_ranks_for(policy, standing->arms, &use, ranks, message));
    }
    if (priced || (*ranks)->chooser_lock != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.200s' looks at all tasks together; next takes those with "
                              "an index for each, such as opt-kg",
                              policy->name);
    }
    return OG_OK;
}

/* The tasks that need at most so many labels to be worth one, in the order of their ranks. */
static og_status choose(const og_standing *standing, const og_ranks *ranks, const int32_t *needs,
                        const og_next_request *request, og_next *out)
{
    ranked *order = calloc(standing->task_count, sizeof *order);
    OG_TRY(OG_ALLOCATED(order));
    const uint32_t *rank = og_ranks_of(ranks, 0, out->index_ahead);
    int32_t most = request->budget - out->count + 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < standing->task_count; i++) {
        uint32_t node = standing->node[i];
        if (needs[node] <= most) {
            order[count++] = (ranked){rank[node], i, og_draw(request->seed, OG_DRAW_TIE, 0, i, 0)};
        }
    }
    qsort(order, count, sizeof *order, compare_ranked);
    for (int32_t i = 0; i < out->count; i++) {
        out->task[i] = order[i].task;
    }
    free(order);
    return OG_OK;
}

static og_status find_indices(const og_standing *standing, const og_next_request *request,
                              og_next *out, og_message *message)
{
    og_index *index = NULL;
    const og_policy_use use = {.whole_budget = request->budget, .threads = request->threads};
    OG_TRY(og_policy_name_index(request->policy, standing->arms, &use, &index, message));
    out->index = calloc((size_t)out->count + 1, sizeof *out->index);
    for (int32_t i = 0; out->index != NULL && i < out->count; i++) {
        out->index[i] = og_index_of(index, 0, out->index_ahead)[standing->node[out->task[i]]];
    }
    og_index_free(index);
    return OG_ALLOCATED(out->index);
}

/* ---- the bounds ---- */

/* Tasks at one node; of those in the batch one label is given already. */
typedef struct {
    uint32_t node;
    int64_t tasks, batch;
} place;

typedef struct {
    og_arena arena;
    const og_arm *arm;
    int32_t budget, batch, ahead;
    int32_t plan; /* most labels of a task in a plan */
    double price; /* of a label */
    int64_t tasks;
    place *place; /* [place_count] */
    size_t place_count;
    double *value; /* [node_count] */
    /* [place_count][plan + 1] what at most 0, 1, ... labels are expected to add, net of their
     * prices; and if the first of them is given in any case. Without a price that is the same. */
    double *gain, *begun;
} bounds;

static og_status bounds_init(const og_standing *standing, const og_next_request *request,
                             const og_next *next, bounds *out)
{
    const og_arm *arm = standing->arms->arm[0];
    int32_t plan = standing->ahead < PLAN_MAX ? standing->ahead : PLAN_MAX;
    *out = (bounds){.arm = arm,
                    .budget = request->budget,
                    .price = request->price,
                    .batch = next->count,
                    .ahead = standing->ahead,
                    .plan = plan,
                    .tasks = standing->task_count};
    place *all = calloc(arm->node_count, sizeof *all);
    OG_TRY(OG_ALLOCATED(all));
    for (uint32_t i = 0; i < standing->task_count; i++) {
        out->place_count += all[standing->node[i]].tasks++ == 0;
    }
    for (int32_t i = 0; i < next->count; i++) {
        all[standing->node[next->task[i]]].batch++;
    }
    size_t width = (size_t)plan + 1, used = 0;
    out->place = og_arena_array(&out->arena, out->place_count, sizeof *out->place);
    out->value = og_arena_array(&out->arena, 2 * (size_t)arm->node_count, sizeof *out->value);
    out->gain = og_arena_array(&out->arena, out->place_count * width, sizeof *out->gain);
    out->begun = og_arena_array(&out->arena, out->place_count * width, sizeof *out->begun);
    og_status status = og_arena_status(&out->arena);
    for (uint32_t node = 0; status == OG_OK && node < arm->node_count; node++) {
        if (all[node].tasks > 0) {
            out->place[used] = all[node];
            out->place[used++].node = node;
        }
    }
    free(all);
    return status;
}

static double expected_next(const og_arm *arm, uint32_t node, const double *value)
{
    size_t outcomes = (size_t)arm->outcome_count, edge = node * outcomes;
    double sum = 0;
    for (size_t k = 0; k < outcomes; k++) {
        sum += arm->probability[edge + k] * value[arm->next[edge + k]];
    }
    return sum;
}

/*
 * Rounding. A node's sum has outcome_count + 3 roundings beside the errors of its numbers, all of
 * terms of at most the arm's scale, usually 1 (a price is at most that, and so is what a task can
 * gain): through all levels a value is off by at most this many times it. Four times, for what the
 * roundings do to each other.
 */
static double value_error(const og_arm *arm)
{
    double step =
        arm->reward_error + arm->probability_error + (arm->outcome_count + 3) * DBL_EPSILON;
    return 4 * (arm->depth + 1) * step;
}

/* What is still missing of a task when all is known: of payoffs, og_payoff_scale says why. */
static double missing_most(const og_arm *arm)
{
    bool paid = og_arm_prior(arm)->payoff.given;
    return paid ? og_arm_scale(arm) / 2 : 1 - 1.0 / arm->outcome_count;
}

/* What the gains of all tasks at a price can be off by. */
static double gain_error(const bounds *of)
{
    return value_error(of->arm) * og_arm_scale(of->arm) * (double)of->tasks +
           of->price * of->budget * DBL_EPSILON;
}

/*
 * What the tasks gain where a label costs `price`, and what the budget costs beyond the labels' own
 * price, which is no more, but for its rounding. Behind the last level a
 * task may gain whatever it lacks, at the price of a label at least, unless the budget ends there.
 */
static double gain_at_price(void *context, double price)
{
    const bounds *of = context;
    const og_arm *arm = of->arm;
    double beyond = of->ahead >= of->budget ? 0 : fmax(0, missing_most(arm) - price);
    double sum = (price - of->price) * of->budget;
    for (uint32_t node = arm->node_count; node-- > 0;) {
        double buys = node >= arm->level[arm->depth]
                          ? beyond
                          : arm->reward[node] - price + expected_next(arm, node, of->value);
        of->value[node] = buys > 0 ? buys : 0;
    }
    for (size_t i = 0; i < of->place_count; i++) {
        sum += (double)of->place[i].tasks * of->value[of->place[i].node];
    }
    return sum * (1 + (double)(of->place_count + 4) * DBL_EPSILON) + gain_error(of);
}

/* The layer of n labels, after those of fewer: what at most so many are expected to add to a node,
 * given one by one while it is worth their price; returns it. `spare` is the next one's. */
static double *add_layer(const og_arm *arm, double price, int32_t n, double **spare, double *before)
{
    double *now = *spare;
    for (uint32_t node = 0; node < arm->level[arm->depth - n + 1]; node++) {
        double begun = arm->reward[node] + expected_next(arm, node, before) - price;
        now[node] = begun > 0 ? begun : 0;
    }
    *spare = before;
    return now;
}

static void find_gains(const bounds *of)
{
    const og_arm *arm = of->arm;
    size_t width = (size_t)of->plan + 1;
    double *now = of->value, *spare = of->value + arm->node_count;
    memset(now, 0, 2 * (size_t)arm->node_count * sizeof *now);
    for (int32_t n = 1; n <= of->plan; n++) {
        for (size_t i = 0; i < of->place_count; i++) {
            uint32_t node = of->place[i].node;
            of->begun[i * width + (size_t)n] =
                arm->reward[node] + expected_next(arm, node, now) - of->price;
        }
        now = add_layer(arm, of->price, n, &spare, now);
        for (size_t i = 0; i < of->place_count; i++) {
            of->gain[i * width + (size_t)n] = now[of->place[i].node];
        }
    }
}

/* So many labels more for tasks alike, behind others of theirs. */
typedef struct {
    double slope; /* gain of a label */
    size_t place;
    bool batch;
    int32_t labels, turn; /* the turn-th block of its tasks */
} block;

static int compare_blocks(const void *x, const void *y)
{
    const block *a = x, *b = y;
    if (a->slope != b->slope) {
        return a->slope < b->slope ? 1 : -1;
    }
    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* The blocks of the least concave function above the gains from `given` labels on: steepest first,
 * which later ones are not steeper than. */
static size_t add_blocks(const bounds *of, size_t at, bool batch, block *to)
{
    const double *gain = (batch ? of->begun : of->gain) + at * ((size_t)of->plan + 1);
    size_t count = 0;
    for (int32_t given = batch ? 1 : 0; given < of->plan;) {
        int32_t best = given + 1;
        double slope = gain[best] - gain[given];
        for (int32_t n = given + 2; n <= of->plan; n++) {
            double other = (gain[n] - gain[given]) / (n - given);
            if (other > slope) {
                best = n;
                slope = other;
            }
        }
        /* no steeper than the one before, also where rounding says otherwise */
        slope = count > 0 ? fmin(slope, to[count - 1].slope) : slope;
        to[count] = (block){slope, at, batch, best - given, (int32_t)count};
        count++;
        given = best;
    }
    return count;
}

/* Takes blocks in order while they fit; tasks take a block only where they took those before it. */
static double take_blocks(const bounds *of, const block *blocks, size_t count, int64_t *taken)
{
    int64_t left = of->budget - of->batch;
    double sum = 0;
    for (size_t i = 0; i < count && left > 0; i++) {
        const block *one = &blocks[i];
        const place *at = &of->place[one->place];
        int64_t *last = &taken[2 * one->place + one->batch];
        int64_t tasks = one->turn > 0 ? *last : one->batch ? at->batch : at->tasks - at->batch;
        tasks = tasks < left / one->labels ? tasks : left / one->labels;
        *last = tasks;
        left -= tasks * one->labels;
        sum += (double)(tasks * one->labels) * one->slope;
    }
    return sum;
}

static og_status find_least(bounds *of, double *least)
{
    size_t room = 2 * of->place_count * (size_t)of->plan, count = 0;
    block *blocks = og_arena_array(&of->arena, room + 1, sizeof *blocks);
    int64_t *taken = og_arena_array(&of->arena, 2 * of->place_count, sizeof *taken);
    OG_TRY(og_arena_status(&of->arena));
    double sum = 0;
    find_gains(of);
    for (size_t i = 0; i < of->place_count; i++) {
        count += add_blocks(of, i, false, blocks + count);
        count += add_blocks(of, i, true, blocks + count);
        sum += (double)of->place[i].batch * of->begun[i * ((size_t)of->plan + 1) + 1];
    }
    qsort(blocks, count, sizeof *blocks, compare_blocks);
    sum += take_blocks(of, blocks, count, taken);
    double rounding =
        value_error(of->arm) + 4 * (double)(count + of->place_count + 4) * DBL_EPSILON;
    /* of a sum of gains; net of prices its terms may cancel, each the scale at most */
    double terms =
        of->price > 0 ? fmin(of->budget, (double)of->tasks) * og_arm_scale(of->arm) : sum;
    *least = sum - rounding * terms;
    *least = of->price > 0 && of->batch > 0 ? *least : fmax(0, *least);
    return OG_OK;
}

static og_status find_bounds(const og_standing *standing, const og_next_request *request,
                             og_next *out)
{
    bounds of;
    og_status status = bounds_init(standing, request, out, &of);
    if (status == OG_OK) {
        /* what is found holds whether it is the least or not */
        out->gain_most = og_golden_least(gain_at_price, &of, of.price,
                                         fmax(of.price, og_arm_scale(of.arm)), PRICES);
        out->stops = out->count == 0 &&
                     (of.ahead >= of.budget || gain_at_price(&of, of.price) <= gain_error(&of));
        status = find_least(&of, &out->gain_least);
    }
    og_arena_clear(&of.arena);
    return status;
}

/* ---- what is worth a label ---- */

/* needs[node]: labels that must be left for one to be worth its price; INT32_MAX: more than can be
 * looked at. */
static og_status find_needs(const og_standing *standing, double price, int32_t *needs)
{
    const og_arm *arm = standing->arms->arm[0];
    double *now = calloc(2 * (size_t)arm->node_count, sizeof *now), *layers = now;
    OG_TRY(OG_ALLOCATED(layers));
    double *spare = now + arm->node_count, least = value_error(arm) * og_arm_scale(arm);
    for (uint32_t node = 0; node < arm->node_count; node++) {
        needs[node] = price > 0 ? INT32_MAX : 1;
    }
    for (int32_t n = 1; price > 0 && n <= standing->ahead; n++) {
        now = add_layer(arm, price, n, &spare, now);
        for (uint32_t node = 0; node < arm->level[arm->depth - n + 1]; node++) {
            needs[node] = needs[node] > n && now[node] > least ? n : needs[node];
        }
    }
    free(layers);
    return OG_OK;
}

static void size_batch(const og_standing *standing, const int32_t *needs,
                       const og_next_request *request, og_next *out)
{
    uint32_t within[AHEAD_MAX + 1] = {0}; /* tasks that need at most so many labels */
    int32_t ahead = standing->ahead, budget = request->budget;
    for (uint32_t i = 0; i < standing->task_count; i++) {
        within[needs[standing->node[i]] <= ahead ? needs[standing->node[i]] : 0]++;
    }
    within[0] = 0;
    for (int32_t n = 1; n <= ahead; n++) {
        within[n] += within[n - 1];
    }
    out->worth = within[budget < ahead ? budget : ahead];
    out->count = request->batch < (int64_t)out->worth ? request->batch : (int32_t)out->worth;
    while (within[budget - out->count < ahead ? budget - out->count + 1 : ahead] <
           (uint32_t)out->count) {
        out->count--;
    }
}

/* ---- all of it ---- */

static og_status find_all(const og_standing *standing, const og_next_request *request,
                          const og_ranks *ranks, int32_t *needs, og_next *out, og_message *message)
{
    OG_TRY(find_needs(standing, request->price, needs));
    size_batch(standing, needs, request, out);
    OG_TRY(choose(standing, ranks, needs, request, out));
    if (strcmp(request->policy->name, "uniform") != 0) {
        OG_TRY(find_indices(standing, request, out, message));
    }
    return find_bounds(standing, request, out);
}

og_status og_next_find(const og_standing *standing, const og_next_request *request, og_next *out,
                       og_message *message)
{
    og_ranks *ranks = NULL;
    og_next made = {.index_ahead = standing->ahead};
    int32_t *needs = calloc(standing->arms->arm[0]->node_count, sizeof *needs);
    made.task = calloc((size_t)request->batch + 1, sizeof *made.task);
    og_status status = OG_ALLOCATED(made.task);
    OG_THEN(status, OG_ALLOCATED(needs));
    OG_THEN(status, find_ranks(standing, request, &ranks, message));
    OG_THEN(status, find_all(standing, request, ranks, needs, &made, message));
    og_ranks_free(ranks);
    free(needs);
    if (status != OG_OK) {
        og_next_clear(&made);
        return status;
    }
    *out = made;
    return OG_OK;
}

void og_next_clear(og_next *next)
{
    free(next->task);
    free(next->index);
    *next = (og_next){.task = NULL};
}
