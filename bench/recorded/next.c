/*
 * Chooses the tasks to label next. Tasks at one place are equal, so all sums run over the places,
 * and the cost of the bounds does not depend on the number of tasks.
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
#include "dp/product/chooser.h"

enum { AHEAD_MAX = 200, NODES_MAX = 30000, PLAN_MAX = 40, PRICES = 72 };

/* ---- the state of the tasks ---- */

static double nodes_of(int32_t depth, int32_t classes)
{
    double nodes = 1;
    for (int32_t k = 1; k <= classes; k++) {
        nodes *= (double)(depth + k) / k;
    }
    return nodes;
}

/* The cost of an arm's root in nodes: a root takes longer than a node of two outcomes. */
enum { ROOT_NODES = 100 };

/* The number of nodes of all arms, one for each place or one for all. */
static double nodes_in_all(const og_standing *of, bool apart, int32_t longest, int32_t classes,
                           int32_t ahead)
{
    double root = classes > 2 ? 0 : ROOT_NODES;
    return apart ? of->place_count * (root + nodes_of(ahead, classes))
                 : root + nodes_of(longest + ahead, classes);
}

static int32_t useful_ahead(const og_standing *of, bool apart, int32_t longest, int32_t classes,
                            int32_t budget)
{
    int32_t ahead = budget < AHEAD_MAX ? budget : AHEAD_MAX;
    while (classes > 2 && ahead > 1 &&
           nodes_in_all(of, apart, longest, classes, ahead) > NODES_MAX) {
        ahead--;
    }
    return ahead;
}

/* Set `ahead` as large as possible; true means one arm for each place. */
static bool choose_depth(og_standing *of, int32_t longest, int32_t classes, int32_t budget)
{
    int32_t ahead = useful_ahead(of, true, longest, classes, budget);
    int32_t together = useful_ahead(of, false, longest, classes, budget);
    of->ahead = ahead > together ? ahead : together;
    return ahead != together ? ahead > together
                             : nodes_in_all(of, true, longest, classes, ahead) <=
                                   nodes_in_all(of, false, longest, classes, ahead);
}

static og_status check_prior(const og_labels *labels, const og_group *prior, og_message *message)
{
    int32_t classes = og_labels_classes(labels);
    bool fits = classes == 2 ? prior->kind == OG_PRIOR_BETA
                             : prior->kind == OG_PRIOR_DIRICHLET && prior->part_count == classes;
    return fits && prior->count == 1
               ? OG_OK
               : og_message_set(message, OG_BAD_INPUT,
                                "the prior of every task must be %s, for labels of %d classes",
                                classes == 2 ? "A,B[@D]" : "with a number for each class",
                                (int)classes);
}

typedef struct {
    int32_t counts[OG_CLASSES_MAX]; /* labels by outcome */
    int32_t labels;
    uint32_t task;
} counted;

static int compare_counted(const void *x, const void *y)
{
    const counted *a = x, *b = y;
    int order = (a->labels > b->labels) - (a->labels < b->labels);
    for (int32_t k = 0; order == 0 && k < OG_CLASSES_MAX; k++) {
        order = (a->counts[k] > b->counts[k]) - (a->counts[k] < b->counts[k]);
    }
    return order;
}

/* Count the labels of tasks [task_count], sorted by these counts; OG_BAD_INPUT if a task has too
 * many. */
static og_status count_labels(const og_labels *labels, counted *tasks, og_message *message)
{
    for (uint32_t i = 0; i < labels->task_count; i++) {
        tasks[i].task = i;
    }
    for (int64_t i = 0; i < labels->label_count; i++) {
        counted *task = &tasks[labels->task[i]];
        task->counts[og_labels_outcome(labels, i)]++;
        if (++task->labels > OG_BUDGET_MAX - AHEAD_MAX) {
            return og_message_set(message, OG_BAD_INPUT, "a task has more than %d labels",
                                  OG_BUDGET_MAX - AHEAD_MAX);
        }
    }
    qsort(tasks, labels->task_count, sizeof *tasks, compare_counted);
    return OG_OK;
}

static og_status find_places(const counted *tasks, og_standing *out)
{
    out->place_of = calloc(out->task_count, sizeof *out->place_of);
    out->place = calloc(out->task_count, sizeof *out->place);
    OG_TRY(OG_ALLOCATED(out->place_of));
    OG_TRY(OG_ALLOCATED(out->place));
    for (uint32_t i = 0; i < out->task_count; i++) {
        if (i == 0 || compare_counted(&tasks[i], &tasks[i - 1]) != 0) {
            og_spot *place = &out->place[out->place_count++];
            memcpy(place->counts, tasks[i].counts, sizeof place->counts);
        }
        out->place[out->place_count - 1].tasks++;
        out->place_of[tasks[i].task] = out->place_count - 1;
    }
    return OG_OK;
}

/* The prior after these labels. */
static og_group posterior_of(const og_group *prior, const int32_t *counts, uint32_t tasks)
{
    og_group after = *prior;
    after.count = tasks;
    if (prior->kind == OG_PRIOR_BETA) {
        after.a = og_fraction_plus(after.a, counts[0]);
        after.b = og_fraction_plus(after.b, counts[1]);
        return after;
    }
    for (int32_t c = 0; c < prior->part_count; c++) {
        after.alpha[c] = og_fraction_plus(after.alpha[c], counts[c]);
    }
    return after;
}

static og_status build_arms(const og_group *prior, bool apart, int32_t longest,
                            const og_settings *settings, og_standing *out, og_message *message)
{
    static const int32_t no_labels[OG_CLASSES_MAX];
    og_groups problem;
    og_group whole = posterior_of(prior, no_labels, out->task_count);
    /* a limit that holds for the prior with all labels holds for each posterior */
    og_status status = og_group_check(&whole, longest + out->ahead, message);
    og_groups_init(&problem, out->ahead + (apart ? 0 : longest));
    for (uint32_t i = 0; apart && status == OG_OK && i < out->place_count; i++) {
        og_group group = posterior_of(prior, out->place[i].counts, out->place[i].tasks);
        status = og_groups_add(&problem, &group, message);
    }
    if (status == OG_OK && !apart) {
        status = og_groups_add(&problem, &whole, message);
    }
    OG_THEN(status, og_arms_new_for(&problem, settings, &out->arms, message));
    og_groups_clear(&problem);
    return status;
}

/* The node after these labels, in any order. */
static uint32_t node_after(const og_arm *arm, const int32_t *counts)
{
    uint32_t node = 0;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        for (int32_t n = 0; n < counts[k]; n++) {
            node = arm->next[(size_t)node * (size_t)arm->outcome_count + (size_t)k];
        }
    }
    return node;
}

static og_status place_tasks(const counted *tasks, const og_labels *labels, const og_group *prior,
                             int32_t budget, const og_settings *settings, og_standing *out,
                             og_message *message)
{
    int32_t longest = tasks[labels->task_count - 1].labels;
    OG_TRY(find_places(tasks, out));
    bool apart = choose_depth(out, longest, og_labels_classes(labels), budget);
    OG_TRY(build_arms(prior, apart, longest, settings, out, message));
    for (uint32_t i = 0; i < out->place_count; i++) {
        og_spot *place = &out->place[i];
        place->arm = apart ? out->arms->arm_of_group[i] : 0;
        place->node = apart ? 0 : node_after(out->arms->arm[0], place->counts);
    }
    return OG_OK;
}

og_status og_standing_init(const og_labels *labels, const og_group *prior, int32_t budget,
                           const og_settings *settings, og_standing *out, og_message *message)
{
    *out = (og_standing){.task_count = labels->task_count};
    OG_TRY(check_prior(labels, prior, message));
    counted *tasks = calloc(labels->task_count, sizeof *tasks);
    OG_TRY(OG_ALLOCATED(tasks));
    og_status status = count_labels(labels, tasks, message);
    OG_THEN(status, place_tasks(tasks, labels, prior, budget, settings, out, message));
    free(tasks);
    return status;
}

void og_standing_clear(og_standing *standing)
{
    og_arms_free(standing->arms);
    free(standing->place_of);
    free(standing->place);
    *standing = (og_standing){.arms = NULL};
}

/* right[node]: the worth of a call there. */
static og_status find_rights(const og_arm *arm, double *right)
{
    size_t outcomes = (size_t)arm->outcome_count, inner = arm->level[arm->depth];
    double *gain = calloc(inner * outcomes + 1, sizeof *gain), error;
    og_status status = OG_ALLOCATED(gain);
    right[0] = arm->call;
    OG_THEN(status, inner > 0 ? og_arm_gains(arm, gain, &error) : OG_OK);
    for (size_t edge = 0; status == OG_OK && edge < inner * outcomes; edge++) {
        right[arm->next[edge]] = right[edge / outcomes] + gain[edge];
    }
    free(gain);
    return status;
}

og_status og_standing_calls(const og_standing *standing, int32_t *called, double *worth)
{
    const og_arms *arms = standing->arms;
    double *right = calloc(arms->node_offset[arms->arm_count], sizeof *right);
    og_status status = OG_ALLOCATED(right);
    for (int32_t a = 0; status == OG_OK && a < arms->arm_count; a++) {
        status = find_rights(arms->arm[a], right + arms->node_offset[a]);
    }
    for (uint32_t i = 0; status == OG_OK && i < standing->task_count; i++) {
        const og_spot *place = &standing->place[standing->place_of[i]];
        const og_arm *arm = arms->arm[place->arm];
        double most = og_payoff_best(&og_arm_prior(arm)->payoff);
        called[i] = og_arm_called(arm, place->node);
        worth[i] = fmin(right[arms->node_offset[place->arm] + place->node], most);
    }
    free(right);
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

static og_policy_use use_of(const og_next_request *request)
{
    const og_settings *settings = request->settings;
    return (og_policy_use){.whole_budget = request->budget,
                           .threads = settings->threads,
                           .memory_bytes = settings->memory_bytes,
                           .stop = og_stop_of(settings)};
}

static og_status find_ranks(const og_standing *standing, const og_next_request *request,
                            og_ranks **ranks, og_message *message)
{
    const og_policy_name *policy = request->policy;
    const og_policy_use use = use_of(request);
    bool priced = strcmp(policy->name, "lagrangian") == 0;
    if (!priced) {
        OG_TRY(og_policy_name_ranks_for(policy, standing->arms, &use, ranks, message));
    }
    bool together = !priced && (*ranks)->chooser_lock != NULL;
    if (priced || (together && !og_policy_name_in_state(policy))) {
        return og_message_set(message, OG_BAD_INPUT,
                              "next does not support policy '%.200s', which uses all tasks "
                              "together; choose one with an index for each task, such as opt-kg",
                              policy->name);
    }
    if (together && (request->batch > 1 || request->price > 0)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "policy '%.200s' does not support %s; omit it, or choose a policy "
                              "with an index for each task, such as opt-kg",
                              policy->name, request->batch > 1 ? "--batch" : "--price");
    }
    return OG_OK;
}

/* rank[place_count]: 1 for the places that a policy without an index chooses, else 0. */
static og_status choose_places(const og_standing *standing, const og_ranks *ranks, int32_t left,
                               uint32_t *rank, og_message *message)
{
    og_arena arena = {0};
    og_state_group *group = og_arena_array(&arena, standing->place_count, sizeof *group);
    double *weight = og_arena_array(&arena, standing->place_count, sizeof *weight);
    og_status status = og_arena_status(&arena);
    if (status == OG_OK) {
        for (uint32_t i = 0; i < standing->place_count; i++) {
            const og_spot *place = &standing->place[i];
            group[i] = (og_state_group){place->arm, place->node, place->tasks};
        }
        const og_state state = {left, left, (int32_t)standing->place_count, group};
        status = og_ranks_choose(ranks, &state, OG_TIES_RANDOM, weight);
        og_ranks_failure(ranks, message);
    }
    for (uint32_t i = 0; status == OG_OK && i < standing->place_count; i++) {
        rank[i] = weight[i] > 0;
    }
    og_arena_clear(&arena);
    return status;
}

/* rank[place_count] of the places: larger ones first. */
static og_status rank_places(const og_standing *standing, const og_ranks *ranks, int32_t left,
                             uint32_t *rank, og_message *message)
{
    if (ranks->chooser_lock != NULL && left > 0) {
        return choose_places(standing, ranks, left, rank, message);
    }
    for (uint32_t i = 0; i < standing->place_count; i++) {
        const og_spot *place = &standing->place[i];
        rank[i] = left > 0 ? og_ranks_of(ranks, place->arm, left)[place->node] : 0;
    }
    return OG_OK;
}

/* Choose, in the order of ranks, among the tasks that are worth a label with at most so many
 * labels. */
static og_status choose(const og_standing *standing, const uint32_t *rank, const int32_t *needs,
                        const og_next_request *request, og_next *out)
{
    ranked *order = calloc(standing->task_count, sizeof *order);
    OG_TRY(OG_ALLOCATED(order));
    int32_t most = request->budget - out->count + 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < standing->task_count; i++) {
        uint32_t place = standing->place_of[i];
        if (needs[place] <= most) {
            order[count++] = (ranked){rank[place], i, og_draw(request->seed, OG_DRAW_TIE, 0, i, 0)};
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
    const og_policy_use use = use_of(request);
    OG_TRY(og_policy_name_index(request->policy, standing->arms, &use, &index, message));
    out->index = calloc((size_t)out->count + 1, sizeof *out->index);
    for (int32_t i = 0; out->index != NULL && i < out->count; i++) {
        const og_spot *place = &standing->place[standing->place_of[out->task[i]]];
        out->index[i] = og_index_of(index, place->arm, out->index_ahead)[place->node];
    }
    og_index_free(index);
    return OG_ALLOCATED(out->index);
}

/* ---- the bounds ---- */

typedef struct {
    og_arena arena;
    const og_standing *standing;
    const og_arms *arms;
    og_stop *stop;
    int32_t budget, batch, ahead;
    int32_t plan;      /* most labels of a task in the plan */
    double price;      /* of a label */
    int64_t *in_batch; /* [place_count] tasks of the batch, which already have a label */
    double *value;     /* [2][nodes of all arms] */
    /* [place_count][plan + 1] the expected gain of at most 0, 1, ... labels, less prices; and the
     * same if the first label is mandatory. Without a price both are equal. */
    double *gain, *begun;
} bounds;

static size_t all_nodes(const og_arms *arms)
{
    return arms->node_offset[arms->arm_count];
}

/* The number of the place's node among the nodes of all arms. */
static uint32_t node_of(const og_standing *standing, size_t place)
{
    return standing->arms->node_offset[standing->place[place].arm] + standing->place[place].node;
}

static og_status bounds_init(const og_standing *standing, const og_next_request *request,
                             og_stop *stop, const og_next *next, bounds *out)
{
    int32_t plan = standing->ahead < PLAN_MAX ? standing->ahead : PLAN_MAX;
    *out = (bounds){.standing = standing,
                    .arms = standing->arms,
                    .stop = stop,
                    .budget = request->budget,
                    .price = request->price,
                    .batch = next->count,
                    .ahead = standing->ahead,
                    .plan = plan};
    size_t width = (size_t)plan + 1, places = standing->place_count;
    out->in_batch = og_arena_array(&out->arena, places, sizeof *out->in_batch);
    out->value = og_arena_array(&out->arena, 2 * all_nodes(out->arms), sizeof *out->value);
    out->gain = og_arena_array(&out->arena, places * width, sizeof *out->gain);
    out->begun = og_arena_array(&out->arena, places * width, sizeof *out->begun);
    OG_TRY(og_arena_status(&out->arena));
    for (int32_t i = 0; i < next->count; i++) {
        out->in_batch[standing->place_of[next->task[i]]]++;
    }
    return OG_OK;
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
 * Rounding. A node's sum has outcome_count + 3 roundings in addition to the errors of its inputs.
 * All terms are at most the arm's scale, usually 1 (so are prices and the gain of a task). Over all
 * levels the error of a value is at most this number times the scale. A factor of four covers
 * products of rounding errors.
 * Checked by tests/test_next_cli.py: test_bounds_hold_the_optimum
 */
static double value_error(const og_arms *arms)
{
    double most = 0;
    for (int32_t a = 0; a < arms->arm_count; a++) {
        const og_arm *arm = arms->arm[a];
        double step =
            arm->reward_error + arm->probability_error + (arm->outcome_count + 3) * DBL_EPSILON;
        most = fmax(most, 4 * (arm->depth + 1) * step);
    }
    return most;
}

/* The most that a task can still lack; for payoffs see og_payoff_scale. */
static double missing_most(const og_arm *arm)
{
    bool paid = og_arm_prior(arm)->payoff.given;
    return paid ? og_arm_scale(arm) / 2 : 1 - 1.0 / arm->outcome_count;
}

/* An error bound for the gains of all tasks at a price. */
static double gain_error(const bounds *of)
{
    return value_error(of->arms) * og_arms_scale(of->arms) * (double)of->standing->task_count +
           of->price * of->budget * DBL_EPSILON;
}

/* The gain of a task of the arm if a label costs `price`; after the last level it is `beyond`. */
static void find_values(const og_arm *arm, double price, double beyond, double *value)
{
    for (uint32_t node = arm->node_count; node-- > 0;) {
        double buys = node >= arm->level[arm->depth]
                          ? beyond
                          : arm->reward[node] - price + expected_next(arm, node, value);
        value[node] = buys > 0 ? buys : 0;
    }
}

/*
 * The gain of the tasks if a label costs `price`, plus the budget at the excess of `price` over the
 * labels' own price, and its rounding error. After the last level a task may gain everything it
 * lacks, for the price of at least one label, unless the budget ends there.
 */
static double gain_at_price(void *context, double price)
{
    const bounds *of = context;
    const og_standing *standing = of->standing;
    double sum = (price - of->price) * of->budget;
    for (int32_t a = 0; a < of->arms->arm_count && !og_stop_asked(of->stop); a++) {
        const og_arm *arm = of->arms->arm[a];
        double beyond = of->ahead >= of->budget ? 0 : fmax(0, missing_most(arm) - price);
        find_values(arm, price, beyond, of->value + of->arms->node_offset[a]);
    }
    for (size_t i = 0; i < standing->place_count; i++) {
        sum += (double)standing->place[i].tasks * of->value[node_of(standing, i)];
    }
    return sum * (1 + (double)(standing->place_count + 4) * DBL_EPSILON) + gain_error(of);
}

/* The expected gain at a node of one mandatory label followed by those of `before`. */
static double begin(const og_arm *arm, double price, uint32_t node, const double *before)
{
    return arm->reward[node] + expected_next(arm, node, before) - price;
}

/* Compute and return the layer of n labels from that of fewer: the expected gain at each node of at
 * most n labels, bought one by one while they are worth their price. `spare` is memory for the next
 * layer. */
static double *add_layer(const og_arms *arms, double price, int32_t n, og_stop *stop,
                         double **spare, double *before)
{
    double *now = *spare;
    for (int32_t a = 0; a < arms->arm_count && !og_stop_asked(stop); a++) {
        const og_arm *arm = arms->arm[a];
        uint32_t first = arms->node_offset[a];
        for (uint32_t node = 0; node < arm->level[arm->depth - n + 1]; node++) {
            double begun = begin(arm, price, node, before + first);
            now[first + node] = begun > 0 ? begun : 0;
        }
    }
    *spare = before;
    return now;
}

static void find_gains(const bounds *of)
{
    const og_standing *standing = of->standing;
    size_t width = (size_t)of->plan + 1, places = standing->place_count;
    double *now = of->value, *spare = of->value + all_nodes(of->arms);
    memset(now, 0, 2 * all_nodes(of->arms) * sizeof *now);
    for (int32_t n = 1; n <= of->plan && !og_stop_asked(of->stop); n++) {
        for (size_t i = 0; i < places; i++) {
            const og_spot *place = &standing->place[i];
            of->begun[i * width + (size_t)n] =
                begin(of->arms->arm[place->arm], of->price, place->node,
                      now + of->arms->node_offset[place->arm]);
        }
        now = add_layer(of->arms, of->price, n, of->stop, &spare, now);
        for (size_t i = 0; i < places; i++) {
            of->gain[i * width + (size_t)n] = now[node_of(standing, i)];
        }
    }
}

/* A block of further labels for equal tasks, after the blocks before it. */
typedef struct {
    double slope; /* gain for each label */
    size_t place;
    bool batch;
    int32_t labels, turn; /* number of labels; the position among the blocks of its tasks */
} block;

static int compare_blocks(const void *x, const void *y)
{
    const block *a = x, *b = y;
    if (a->slope != b->slope) {
        return a->slope < b->slope ? 1 : -1;
    }
    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* Add the blocks of the least concave function above the gains from `given` labels on, in order of
 * falling slope. */
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
        /* not steeper than the previous block, even with rounding */
        slope = count > 0 ? fmin(slope, to[count - 1].slope) : slope;
        to[count] = (block){slope, at, batch, best - given, (int32_t)count};
        count++;
        given = best;
    }
    return count;
}

/* Take blocks in order while they fit; a task takes a block only if it took those before it. */
static double take_blocks(const bounds *of, const block *blocks, size_t count, int64_t *taken)
{
    int64_t left = of->budget - of->batch;
    double sum = 0;
    for (size_t i = 0; i < count && left > 0; i++) {
        const block *one = &blocks[i];
        int64_t all = of->standing->place[one->place].tasks, given = of->in_batch[one->place];
        int64_t *last = &taken[2 * one->place + one->batch];
        int64_t tasks = one->turn > 0 ? *last : one->batch ? given : all - given;
        tasks = tasks < left / one->labels ? tasks : left / one->labels;
        *last = tasks;
        left -= tasks * one->labels;
        sum += (double)(tasks * one->labels) * one->slope;
    }
    return sum;
}

static og_status find_least(bounds *of, double *least)
{
    size_t places = of->standing->place_count, width = (size_t)of->plan + 1;
    size_t room = 2 * places * (size_t)of->plan, count = 0;
    block *blocks = og_arena_array(&of->arena, room + 1, sizeof *blocks);
    int64_t *taken = og_arena_array(&of->arena, 2 * places, sizeof *taken);
    OG_TRY(og_arena_status(&of->arena));
    double sum = 0;
    find_gains(of);
    for (size_t i = 0; i < places; i++) {
        count += add_blocks(of, i, false, blocks + count);
        count += add_blocks(of, i, true, blocks + count);
        sum += (double)of->in_batch[i] * of->begun[i * width + 1];
    }
    qsort(blocks, count, sizeof *blocks, compare_blocks);
    sum += take_blocks(of, blocks, count, taken);
    double rounding = value_error(of->arms) + 4 * (double)(count + places + 4) * DBL_EPSILON;
    /* for a sum of gains. With prices its terms, each at most the scale, may cancel */
    double terms =
        of->price > 0 ? fmin(of->budget, (double)of->standing->task_count) * og_arms_scale(of->arms)
                      : sum;
    *least = sum - rounding * terms;
    *least = of->price > 0 && of->batch > 0 ? *least : fmax(0, *least);
    return OG_OK;
}

static og_status find_bounds(const og_standing *standing, const og_next_request *request,
                             og_stop *stop, og_next *out)
{
    bounds of;
    og_status status = bounds_init(standing, request, stop, out, &of);
    if (status == OG_OK) {
        /* every value found is a valid bound, minimal or not */
        out->gain_most = og_golden_least(gain_at_price, &of, of.price,
                                         fmax(of.price, og_arms_scale(of.arms)), PRICES);
        out->stops = out->count == 0 &&
                     (of.ahead >= of.budget || gain_at_price(&of, of.price) <= gain_error(&of));
        if (og_stop_status(stop) != OG_OK) { /* an incomplete computation is not a bound */
            out->gain_most = NAN;
            out->stops = false;
        }
        status = find_least(&of, &out->gain_least);
        out->gain_least = og_stop_status(stop) == OG_OK ? out->gain_least : NAN;
    }
    og_arena_clear(&of.arena);
    return status;
}

/* ---- tasks worth a label ---- */

/* needs[place]: the least number of labels left such that one is worth its price; INT32_MAX: more
 * than the search covers. */
static og_status find_needs(const og_standing *standing, double price, og_stop *stop,
                            int32_t *needs)
{
    const og_arms *arms = standing->arms;
    double *now = calloc(2 * all_nodes(arms), sizeof *now), *layers = now;
    OG_TRY(OG_ALLOCATED(layers));
    double *spare = now + all_nodes(arms), least = value_error(arms) * og_arms_scale(arms);
    for (uint32_t i = 0; i < standing->place_count; i++) {
        needs[i] = price > 0 ? INT32_MAX : 1;
    }
    for (int32_t n = 1; price > 0 && n <= standing->ahead && !og_stop_asked(stop); n++) {
        now = add_layer(arms, price, n, stop, &spare, now);
        for (uint32_t i = 0; i < standing->place_count; i++) {
            bool worth = now[node_of(standing, i)] > least;
            needs[i] = needs[i] > n && worth ? n : needs[i];
        }
    }
    free(layers);
    return og_stop_status(stop);
}

static void size_batch(const og_standing *standing, const int32_t *needs,
                       const og_next_request *request, og_next *out)
{
    uint32_t within[AHEAD_MAX + 1] = {0}; /* number of tasks that need at most so many labels */
    int32_t ahead = standing->ahead, budget = request->budget;
    for (uint32_t i = 0; i < standing->place_count; i++) {
        within[needs[i] <= ahead ? needs[i] : 0] += standing->place[i].tasks;
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

/* ---- the whole search ---- */

static og_status find_all(const og_standing *standing, const og_next_request *request,
                          const og_ranks *ranks, og_stop *stop, int32_t *needs, og_next *out,
                          og_message *message)
{
    OG_TRY(find_needs(standing, request->price, stop, needs));
    size_batch(standing, needs, request, out);
    uint32_t *rank = calloc(standing->place_count, sizeof *rank);
    OG_TRY(OG_ALLOCATED(rank));
    og_status chosen = rank_places(standing, ranks, out->index_ahead, rank, message);
    OG_THEN(chosen, choose(standing, rank, needs, request, out));
    free(rank);
    OG_TRY(chosen);
    if (ranks->chooser_lock == NULL && strcmp(request->policy->name, "uniform") != 0) {
        og_status status = find_indices(standing, request, out, message);
        if (status != OG_OK && status != OG_STOPPED) {
            return status;
        }
    }
    return find_bounds(standing, request, stop, out);
}

og_status og_next_find(const og_standing *standing, const og_next_request *request, og_next *out,
                       og_message *message)
{
    og_ranks *ranks = NULL;
    og_next made = {.index_ahead = standing->ahead};
    int32_t *needs = calloc(standing->place_count, sizeof *needs);
    made.task = calloc((size_t)request->batch + 1, sizeof *made.task);
    og_status status = OG_ALLOCATED(made.task);
    OG_THEN(status, OG_ALLOCATED(needs));
    OG_THEN(status, find_ranks(standing, request, &ranks, message));
    OG_THEN(status, find_all(standing, request, ranks, og_stop_of(request->settings), needs, &made,
                             message));
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
