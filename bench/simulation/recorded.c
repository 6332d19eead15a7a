/*
 * Simulates policies on recorded labels: each instance's labels come in an order that is the same
 * for all policies, and accuracy is measured against gold. The scores of an index policy are stored
 * for every instance. They are recomputed if the instance has changed, and all of them once the
 * labels left matter, that is, are fewer than an instance may have recorded. A tournament
 * (bench/simulation/tournament.h) holds the instances with the largest score. Every instance is
 * checked only if the labels left matter, or if ties within the slack do not form classes
 * (bench/simulation/recorded_order.h). The choices are the same. og_environment_loop asks about all
 * instances and skips those without labels left.
 */
#include <math.h>
#include <string.h>

#include "bench/random.h"
#include "bench/recorded/standing.h"
#include "bench/simulation/independent.h"
#include "bench/simulation/recorded_answers.h"
#include "bench/simulation/recorded_calls.h"
#include "bench/simulation/recorded_order.h"
#include "bench/simulation/sources.h"
#include "dp/base/clock.h"
#include "dp/product/chooser.h"
#include "heuristics/prices.h"

/* Data shared by all runs. */
typedef struct {
    const og_recorded *from; /* borrowed */
    /* one arm, as deep as the longest list of labels; with a price also a standard arm */
    og_arms *arms;
    og_arms alone; /* without the standard arm, if there is one; a view */
    const og_arm *arm;
    double price; /* of a label; 0: free */
    bool scored;
    uint32_t count;            /* instances */
    og_tournament_shape shape; /* for these instances */
    og_recorded_answers answers;
    const uint32_t *first; /* [count + 1] theirs: start of each instance's labels */
    double *call;          /* [nodes][outcomes] 1 for the call; for a tie each call's part */
    double *pay;           /* [nodes][outcomes] worth of the call if this is true; NULL: as call */
    uint32_t known;        /* instances with gold */
    int32_t budget;
    uint64_t memory_bytes;
    og_stop *stop;
} shared;

typedef struct {
    const shared *all;
    og_environment interface;
    uint64_t seed, run;
    bool drawn;
    og_recorded_answer *order; /* recorded answers in this run's order */
    uint32_t *node;            /* [count] */
    double *score;             /* [count]; -INFINITY if no label is left */
    uint32_t *tournament;      /* of place_of, if usable; 0 if no label is left */
    int64_t *copies;           /* [nodes] number of instances there */
    int64_t *open;             /* [nodes] number of them with labels left */
    int32_t *group_of;         /* [nodes] */
    og_state_group *group;     /* [nodes] */
    og_state state;
    uint64_t *labels;     /* [count] given in all runs; borrowed; NULL: do not count */
    double correct, paid; /* correct calls, and the worth of calls */
    double begun;
    int32_t report_count; /* number of budgets recorded */
    double *reported;     /* [4][at_count] the metrics */
    og_act heard;         /* the last answer: task and worker */
    int32_t heard_answer; /* -1: already returned */
} recorded_run;

/* ---- shared data ---- */

static void assign_shared(void *object, og_block *block)
{
    shared *all = object;
    og_recorded_answers_take(&all->answers, all->from->labels, block);
}

/* The entry of a table of calls for this instance; 0 without gold. */
static double call_by(const shared *all, const double *table, uint32_t instance, uint32_t node)
{
    uint8_t gold = all->from->gold[instance];
    size_t outcomes = (size_t)all->arm->outcome_count;
    return gold == OG_GOLD_NONE ? 0 : table[node * outcomes + (outcomes == 2 ? 1U - gold : gold)];
}

static double correct_call(const shared *all, uint32_t instance, uint32_t node)
{
    return call_by(all, all->call, instance, node);
}

static double paid_call(const shared *all, uint32_t instance, uint32_t node)
{
    return call_by(all, all->pay != NULL ? all->pay : all->call, instance, node);
}

static uint32_t node_after(const shared *all, uint32_t node, uint8_t outcome)
{
    return all->arm->next[(size_t)node * (size_t)all->arm->outcome_count + outcome];
}

static double accuracy_of_all(const shared *all)
{
    double correct = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t node = 0;
        for (uint32_t n = all->first[i]; n < all->first[i + 1]; n++) {
            node = node_after(all, node, all->answers.answer[n].outcome);
        }
        correct += correct_call(all, i, node);
    }
    return correct / all->known;
}

static og_status check(const og_recorded *from, og_message *message)
{
    long long labels = (long long)from->labels->label_count;
    int32_t budget = from->at[from->at_count - 1];
    int classes = og_labels_classes(from->labels);
    int parts = from->prior->kind == OG_PRIOR_BETA        ? 2
                : from->prior->kind == OG_PRIOR_DIRICHLET ? from->prior->part_count
                                                          : 0;
    if (parts != classes) {
        return og_message_set(message, OG_BAD_INPUT,
                              "labels of %d classes require a %s prior (--prior) of %d parameters",
                              classes, classes == 2 ? "Beta" : "Dirichlet", classes);
    }
    if (labels > OG_BUDGET_MAX) {
        return og_message_set(message, OG_BAD_INPUT, "%lld labels are too many; give at most %d",
                              labels, OG_BUDGET_MAX);
    }
    if (budget > labels) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the budget (-T) of %d is more than the %lld recorded labels", budget,
                              labels);
    }
    return OG_OK;
}

static void shared_free(void *self)
{
    shared *all = self;
    free(all->call);
    free(all->pay);
    og_arms_free(all->arms);
    free(all);
}

static og_status fill_shared(shared *all, const og_environment_use *use, og_message *message)
{
    const og_settings settings = og_stop_limits(1, use->memory_bytes, use->stop);
    og_groups problem;
    og_group prior = *all->from->prior;
    og_recorded_answers_fill(&all->answers, all->from->labels);
    all->first = all->answers.first;
    prior.count = all->count;
    og_groups_init(&problem, og_recorded_answers_most(&all->answers));
    og_status status = og_groups_add(&problem, &prior, message);
    OG_THEN(status, og_arms_new(&problem, &settings, &all->arms, message));
    OG_THEN(status, og_standing_check_payoffs(all->arms, message));
    og_groups_clear(&problem);
    if (status == OG_OK) {
        all->arm = all->arms->arm[0];
        status = og_recorded_calls(all->from, all->arm, &all->call, &all->pay);
    }
    if (status == OG_OK && all->from->price.num > 0) {
        all->price = og_fraction_double(all->from->price);
        status = og_arms_add_standard(all->arms, all->from->price, &all->arms);
    }
    if (status == OG_OK && all->price > 0) {
        all->alone = og_arms_without_standard(all->arms);
    }
    return status;
}

/* ---- policies ---- */

static uint32_t labels_had(const shared *all, uint32_t node)
{
    return (uint32_t)og_arm_level(all->arm, node);
}

static uint32_t labels_open(const shared *all, uint32_t instance, uint32_t node)
{
    return all->first[instance + 1] - all->first[instance] - labels_had(all, node);
}

/*
 * Build arms for a policy that evaluates states: as deep as a task's recorded labels plus the
 * labels it looks ahead, which may exceed the recorded ones, but not the budget. Every posterior
 * may occur in one state, so there are as many groups.
 */
static og_status make_arms_ahead(const shared *all, int32_t ahead, og_arms **out,
                                 og_message *message)
{
    const int32_t most = all->arms->budget, more = all->budget - most;
    const og_settings settings = og_stop_limits(1, all->memory_bytes, all->stop);
    og_groups problem;
    og_group prior = *all->from->prior;
    uint32_t groups = all->arm->node_count < all->count ? all->arm->node_count : all->count;
    og_status status = OG_OK;
    og_groups_init(&problem, most + (ahead < more ? ahead : more));
    for (uint32_t i = 0; status == OG_OK && i < groups; i++) {
        prior.count = i + 1 < groups ? 1 : all->count - i;
        status = og_groups_add(&problem, &prior, message);
    }
    OG_THEN(status, og_arms_new(&problem, &settings, out, message));
    og_groups_clear(&problem);
    return status;
}

static og_policy_use policy_use(const shared *all)
{
    return (og_policy_use){.whole_budget = all->budget,
                           .threads = 1,
                           .memory_bytes = all->memory_bytes / 2,
                           .stop = all->stop};
}

/* For labels that run out: the environment closes the tasks that have none left. */
static og_status make_ahead(const shared *all, const og_policy_name *policy, og_strategy *out,
                            og_message *message)
{
    og_index_play by = {.ranks = NULL};
    const og_policy_use use = policy_use(all);
    OG_TRY(make_arms_ahead(all, og_policy_name_ahead(policy), &by.arms, message));
    og_status status = og_policy_name_ranks_for(policy, by.arms, &use, &by.ranks, message);
    if (status != OG_OK) {
        og_arms_free(by.arms);
        return status;
    }
    return og_index_play_strategy(&by, out);
}

/* A policy whose ranks say where it stops: a run ends if no rank is above 0. Ranks by labels left
 * are not enough here, as tasks run out of labels: they need an index. */
static og_status make_stopping(const og_arms *arms, const og_policy_name *policy,
                               const og_policy_use *use, og_index_play *by, og_message *message)
{
    OG_TRY(og_policy_name_ranks_for(policy, arms, use, &by->ranks, message));
    if (by->ranks->chooser_lock != NULL) {
        return OG_OK;
    }
    by->stops = by->ranks->stops;
    by->stop = by->ranks->by_left ? -INFINITY : 0;
    if (by->ranks->by_left && og_policy_name_is_rule(policy)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "replay does not support policy '%.200s', whose index depends on the "
                              "labels left; choose another after the rule, such as kg",
                              policy->name);
    }
    return by->ranks->by_left ? og_policy_name_index(policy, arms, use, &by->index, message)
                              : OG_OK;
}

/* With a price: ranks are compared with the standard arm, an index with the price. */
static og_status make_priced(const shared *all, const og_policy_name *policy, og_index_play *by,
                             og_message *message)
{
    og_policy_use use = policy_use(all);
    if (og_policy_name_ignores_price(policy)) {
        use.with_standard = all->arms;
        use.price = all->price;
        return make_stopping(&all->alone, policy, &use, by, message);
    }
    OG_TRY(og_priced_ranks(policy, all->arms, &use, &by->ranks, message));
    by->stops = true;
    if (by->ranks->by_left) {
        by->stop = all->price;
        return og_policy_name_index(policy, all->arms, &use, &by->index, message);
    }
    by->stop = og_ranks_of(by->ranks, 1, 1)[0];
    return OG_OK;
}

static og_status make_free(const shared *all, const og_policy_name *policy, og_index_play *by,
                           og_message *message)
{
    const og_policy_use use = policy_use(all);
    return make_stopping(all->arms, policy, &use, by, message);
}

/* The bound below which a run ends: it ends if no score is above it. */
static double bound_of(const og_index_play *by)
{
    return by->stops ? by->stop * (1 + by->slack) : -INFINITY;
}

/* Build the order, unless it would be too large or the labels left matter from the start. */
static og_status make_order(const shared *all, og_index_play *by)
{
    if (by->index == NULL || all->budget < all->arms->budget) {
        return OG_OK;
    }
    bool *there = calloc((size_t)all->arm->depth + 1, sizeof *there);
    OG_TRY(OG_ALLOCATED(there));
    for (uint32_t i = 0; i < all->count; i++) {
        there[all->first[i + 1] - all->first[i]] = true;
    }
    og_status status = og_recorded_order_new(by->index, all->arm, there, by->slack, bound_of(by),
                                             all->memory_bytes / 4, &by->order);
    free(there);
    return status;
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    const shared *all = self;
    if (all->price == 0 && og_policy_name_ahead(policy) > 0 && all->budget > all->arms->budget) {
        return make_ahead(all, policy, out, message);
    }
    og_index_play by = {.ranks = NULL};
    og_status status = (all->price > 0 ? make_priced : make_free)(all, policy, &by, message);
    if (status == OG_OK) {
        by.slack = by.index != NULL ? 4 * by.index->error + 0x1p-50 : 0;
        status = make_order(all, &by);
    }
    if (status != OG_OK) {
        og_ranks_free(by.ranks);
        og_index_free(by.index);
        return status;
    }
    return og_index_play_strategy(&by, out);
}

/* ---- runs ---- */

static void assign_run(void *object, og_block *block)
{
    recorded_run *run = object;
    size_t count = run->all->count, nodes = run->all->arm->node_count;
    run->order = og_block_take(block, run->all->first[count], sizeof *run->order);
    run->node = og_block_take(block, count, sizeof *run->node);
    run->score = og_block_take(block, count, sizeof *run->score);
    run->tournament =
        og_block_take(block, og_tournament_words(&run->all->shape), sizeof *run->tournament);
    run->copies = og_block_take(block, nodes, sizeof *run->copies);
    run->open = og_block_take(block, nodes, sizeof *run->open);
    run->group_of = og_block_take(block, nodes, sizeof *run->group_of);
    run->group = og_block_take(block, nodes, sizeof *run->group);
    run->reported =
        og_block_take(block, 4 * (size_t)run->all->from->at_count, sizeof *run->reported);
}

/* Record the metrics if they are requested at this number of labels; at the end of the run also for
 * larger budgets. */
static void report(recorded_run *run, bool over)
{
    const og_recorded *from = run->all->from;
    int32_t given = run->all->budget - run->state.left;
    while (run->report_count < from->at_count && (over || from->at[run->report_count] == given)) {
        double *metric = &run->reported[run->report_count++];
        metric[0] = run->correct / run->all->known;
        metric[from->at_count] = og_seconds_of_thread() - run->begun;
        metric[2 * from->at_count] = given;
        metric[3 * from->at_count] = run->paid - run->all->price * given;
    }
}

static void begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    recorded_run *play = self;
    play->labels = labels;
    const shared *all = play->all;
    if (!play->drawn || play->seed != seed || play->run != run) {
        play->drawn = true;
        play->seed = seed;
        play->run = run;
        og_recorded_answers_shuffle(&all->answers, seed, run, play->order);
    }
    play->begun = og_seconds_of_thread();
    memset(play->node, 0, all->count * sizeof *play->node);
    memset(play->copies, 0, all->arm->node_count * sizeof *play->copies);
    memset(play->open, 0, all->arm->node_count * sizeof *play->open);
    play->copies[0] = play->open[0] = all->count;
    play->state.left = all->budget;
    play->state.count = 0;
    play->report_count = 0;
    play->heard_answer = -1;
    play->correct = play->paid = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        play->correct += correct_call(all, i, 0);
        play->paid += paid_call(all, i, 0);
    }
    report(play, false);
}

/* Give the instance its next recorded label. */
static void label_one(recorded_run *run, uint32_t instance)
{
    const shared *all = run->all;
    uint32_t node = run->node[instance], had = labels_had(all, node);
    og_recorded_answer answer = run->order[all->first[instance] + had];
    uint32_t next = node_after(all, node, answer.outcome);
    run->correct += correct_call(all, instance, next) - correct_call(all, instance, node);
    run->paid += paid_call(all, instance, next) - paid_call(all, instance, node);
    run->node[instance] = next;
    run->copies[node]--;
    run->copies[next]++;
    run->open[node]--;
    run->open[next] += had + 1 < all->first[instance + 1] - all->first[instance];
    if (run->labels != NULL) {
        run->labels[instance]++;
    }
    run->heard = (og_act){{instance, answer.worker}};
    run->heard_answer = answer.outcome;
    run->state.left--;
    run->state.count = 0;
    report(run, false);
}

/* Group the instances with equal posteriors, including those without labels left. */
static const void *state(void *self)
{
    recorded_run *run = self;
    for (uint32_t node = 0, last = run->state.count == 0 ? run->all->arm->node_count : 0;
         node < last; node++) {
        if (run->copies[node] > 0) {
            run->group_of[node] = run->state.count;
            run->group[run->state.count++] = (og_state_group){0, node, run->copies[node]};
        }
    }
    return &run->state;
}

static int32_t open_groups(void *self, og_act_open *open, uint32_t *number)
{
    recorded_run *run = self;
    state(run);
    for (int32_t i = 0; i < run->state.count; i++) {
        open[i] = (og_act_open){{{(uint32_t)i}}, run->open[run->group[i].node]};
    }
    *number = (uint32_t)(run->all->budget - run->state.left);
    return run->state.left > 0 ? run->state.count : 0;
}

static void step(void *self, const bool *tied, int64_t j)
{
    recorded_run *run = self;
    uint32_t i = 0;
    while (labels_open(run->all, i, run->node[i]) == 0 || !tied[run->group_of[run->node[i]]] ||
           j-- > 0) {
        i++;
    }
    label_one(run, i);
}

static bool hear(void *self, og_act *act, int32_t *answer)
{
    recorded_run *run = self;
    *act = run->heard;
    *answer = run->heard_answer;
    run->heard_answer = -1;
    return *answer >= 0;
}

static void score(void *self, double *metric)
{
    recorded_run *run = self;
    report(run, true); /* a policy may have stopped */
    size_t kinds = run->all->scored ? 4 : 2;
    memcpy(metric, run->reported, kinds * (size_t)run->all->from->at_count * sizeof *metric);
}

/* ---- index policies ---- */

static double score_of(const recorded_run *run, const og_index_play *by, uint32_t instance,
                       int32_t left)
{
    uint32_t node = run->node[instance];
    int32_t open = (int32_t)labels_open(run->all, instance, node);
    if (open == 0) {
        return -INFINITY;
    }
    if (by->index == NULL) {
        return og_ranks_of(by->ranks, 0, 1)[node];
    }
    return og_index_of(by->index, 0, left < open ? left : open)[node];
}

/* A rank for the instance's score; scores that tie have equal ranks. */
static uint32_t place_of(const recorded_run *run, const og_index_play *by, uint32_t instance)
{
    uint32_t node = run->node[instance];
    if (labels_open(run->all, instance, node) == 0) {
        return 0;
    }
    if (by->index == NULL) {
        return 1 + og_ranks_of(by->ranks, 0, 1)[node];
    }
    return 1 + by->order->class_of[run->all->first[instance + 1] - run->all->first[instance]][node];
}

/* True if the tournament is used with so many labels left. */
static bool has_tournament(const recorded_run *run, const og_index_play *by, int32_t left)
{
    return !by->looks &&
           (by->index == NULL || (by->order != NULL && left >= run->all->arms->budget));
}

static void fill_tournament(recorded_run *run, const og_index_play *by)
{
    for (uint32_t i = 0; i < run->all->count; i++) {
        og_tournament_put(run->tournament, i, place_of(run, by, i));
    }
    og_tournament_fill(&run->all->shape, run->tournament);
}

static void score_all(recorded_run *run, const og_index_play *by)
{
    for (uint32_t i = 0; i < run->all->count; i++) {
        run->score[i] = score_of(run, by, i, run->state.left);
    }
}

static double top_score(const recorded_run *run)
{
    double top = -INFINITY;
    for (uint32_t i = 0; i < run->all->count; i++) {
        top = run->score[i] > top ? run->score[i] : top;
    }
    return top;
}

/* Draw one of so many ties. */
static uint32_t draw_tie(const recorded_run *run, og_ties ties, uint32_t tied)
{
    uint32_t given = (uint32_t)(run->all->budget - run->state.left);
    uint64_t bits = og_draw(run->seed, OG_DRAW_TIE, run->run, 0, given);
    return ties == OG_TIES_FIRST ? 0 : og_draw_below(bits, tied);
}

static bool is_to_stop(const og_index_play *by, double top)
{
    return by->stops && top <= bound_of(by);
}

/* Choose the instance to label: scores within the slack of the largest tie. False if there is
 * none. */
static bool choose_by_score(const recorded_run *run, const og_index_play *by, og_ties ties,
                            uint32_t *instance)
{
    double top = top_score(run), least = og_recorded_least(top, by->slack);
    uint32_t tied = 0, at = 0;
    if (is_to_stop(by, top)) {
        return false;
    }
    for (uint32_t i = 0; i < run->all->count; i++) {
        tied += run->score[i] >= least;
    }
    uint32_t skip = draw_tie(run, ties, tied);
    while (run->score[at] < least || skip-- > 0) {
        at++;
    }
    *instance = at;
    return true;
}

/* The same with the tournament, unless its leaders belong to a loose class. */
static bool choose(const recorded_run *run, const og_index_play *by, og_ties ties,
                   uint32_t *instance)
{
    const og_tournament_shape *shape = &run->all->shape;
    if (!has_tournament(run, by, run->state.left)) {
        return choose_by_score(run, by, ties, instance);
    }
    uint32_t first = og_tournament_leader(shape, run->tournament, 0);
    if (by->index != NULL && by->order->loose[place_of(run, by, first) - 1]) {
        return choose_by_score(run, by, ties, instance);
    }
    if (is_to_stop(by, run->score[first])) {
        return false;
    }
    uint32_t tied = og_tournament_leaders(shape, run->tournament);
    *instance = og_tournament_leader(shape, run->tournament, draw_tie(run, ties, tied));
    return true;
}

static og_status play_by_score(recorded_run *run, const og_strategy *strategy, og_ties ties)
{
    const og_index_play *by = strategy->self;
    uint32_t instance;
    if (run->state.left == 0) {
        return OG_OK; /* there are no scores then */
    }
    score_all(run, by);
    if (has_tournament(run, by, run->state.left)) {
        fill_tournament(run, by);
    }
    while (run->state.left > 0) {
        int32_t left = run->state.left;
        OG_TRY(og_run_status(strategy, left));
        if (by->index != NULL && left < run->all->arms->budget) {
            score_all(run, by); /* the labels left begin to matter */
        }
        if (!choose(run, by, ties, &instance)) {
            break;
        }
        label_one(run, instance);
        run->score[instance] = score_of(run, by, instance, left > 1 ? left - 1 : 1);
        if (has_tournament(run, by, left - 1)) {
            og_tournament_change(&run->all->shape, run->tournament, instance,
                                 place_of(run, by, instance));
        }
    }
    return OG_OK;
}

static og_status play(void *self, const og_strategy *by, og_ties ties, double *metric,
                      og_message *message)
{
    recorded_run *run = self;
    if (by->ranks == NULL) {
        return og_environment_loop(&run->interface, by, ties, run->seed, run->run, metric, message);
    }
    OG_TRY(play_by_score(run, by, ties));
    report(run, true);
    score(run, metric);
    return OG_OK;
}

static og_status conclude(void *self, const og_strategy *by, og_document *object,
                          og_message *message)
{
    const recorded_run *run = self;
    const shared *all = run->all;
    og_concluded found;
    (void)by, (void)message;
    OG_TRY(og_concluded_new(all->from->labels, all->budget, &found));
    for (uint32_t i = 0; i < all->count; i++) {
        const og_recorded_answer *answer = &run->order[all->first[i]];
        for (uint32_t n = 0; n < labels_had(all, run->node[i]); n++) {
            og_concluded_add(&found, i, answer[n].worker, answer[n].outcome);
        }
    }
    og_status status =
        og_recorded_conclude(all->from, all->arm, all->call, run->node, &found, object);
    og_concluded_clear(&found);
    return status;
}

/* ---- opening ---- */

static og_status make_environment(void *self, og_environment *out)
{
    const shared *all = self;
    recorded_run start = {.all = all, .state = {.budget = all->budget}};
    recorded_run *run = og_block_build(&start, sizeof start, assign_run);
    OG_TRY(OG_ALLOCATED(run));
    run->state.group = run->group;
    run->interface = (og_environment){.self = run,
                                      .open_max = (int32_t)all->arm->node_count,
                                      .begin = begin,
                                      .state = state,
                                      .open = open_groups,
                                      .step = step,
                                      .hear = hear,
                                      .score = score,
                                      .play = play,
                                      .result = conclude,
                                      .free = free};
    *out = run->interface;
    return OG_OK;
}

/* True if all runs of the policy buy the whole budget. With a price only uniform does, because it
 * never stops. */
static bool buys_all(const shared *all, const og_policy_name *policy)
{
    return all->price == 0 || strcmp(policy->name, "uniform") == 0;
}

/* The metrics that are shares: accuracies, except the constant ones without labels and with all of
 * them. */
static double whole(const void *self, const og_policy_name *policy, int32_t metric)
{
    const shared *all = self;
    const og_recorded *from = all->from;
    if (metric >= from->at_count || from->at[metric] == 0) {
        return 0;
    }
    bool every = from->at[metric] == from->labels->label_count;
    return every && buys_all(all, policy) ? 0 : 1;
}

static og_status open_recorded(const og_source *source, const og_environment_use *use,
                               og_environments *out, og_message *message)
{
    const og_recorded *from = source->problem;
    shared start = {.from = from};
    og_status status = check(from, message);
    shared *all = status == OG_OK ? og_block_build(&start, sizeof start, assign_shared) : NULL;
    if (all == NULL) {
        return status == OG_OK ? OG_NO_MEMORY : status;
    }
    all->count = from->labels->task_count;
    all->shape = og_tournament_shape_of(all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        all->known += from->gold[i] != OG_GOLD_NONE;
    }
    all->budget = from->at[from->at_count - 1];
    all->scored = og_recorded_scored(from);
    all->memory_bytes = use->memory_bytes;
    all->stop = use->stop;
    status = fill_shared(all, use, message);
    if (status != OG_OK) {
        shared_free(all);
        return status;
    }
    *out = (og_environments){.self = all,
                             .instances = all->count,
                             .metric_count = (all->scored ? 4 : 2) * from->at_count,
                             .whole = whole,
                             .all_labels = accuracy_of_all(all),
                             .strategy = make_strategy,
                             .environment = make_environment,
                             .free = shared_free};
    return OG_OK;
}

bool og_recorded_scored(const og_recorded *recorded)
{
    return recorded->price.num > 0 || recorded->prior->payoff.given;
}

og_source og_source_recorded(const og_recorded *recorded)
{
    return (og_source){.open = open_recorded, .problem = recorded};
}
