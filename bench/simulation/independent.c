/*
 * Simulates independent instances: draws soft labels from the priors or a stated truth, and labels
 * from the soft labels. Data that is the same in all runs is built once and read by all threads.
 */
#include "bench/simulation/independent.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "dp/base/rational.h"

enum { WORTHS = 2 * OG_CALL_COUNT }; /* for an arm: the worth of each call under each truth */

/* ---- shared data ---- */

static void assign_shared(void *object, og_block *block)
{
    og_instances *all = object;
    size_t count = all->count, arms = (size_t)all->arms->arm_count;
    all->arm_of = og_block_take(block, count, sizeof *all->arm_of);
    all->group_of = og_block_take(block, count, sizeof *all->group_of);
    all->by_arm = og_block_take(block, count, sizeof *all->by_arm);
    all->first = og_block_take(block, arms + 1, sizeof *all->first);
    all->price = og_block_take(block, arms, sizeof *all->price);
    all->worth = og_block_take(block, arms, WORTHS * sizeof *all->worth);
}

static void assign_episode(void *object, og_block *block)
{
    og_episode *episode = object;
    const og_instances *all = episode->all;
    size_t count = all->count, arms = (size_t)all->arms->arm_count;
    episode->cut = og_block_take(block, count, all->cuts * sizeof *episode->cut);
    episode->truly = og_block_take(block, count, sizeof *episode->truly);
    episode->places = og_block_take(block, count, sizeof *episode->places);
    episode->earned = og_block_take(block, count, sizeof *episode->earned);
    episode->touched = og_block_take(block, count, sizeof *episode->touched);
    episode->tournament =
        og_block_take(block, og_tournament_words(&all->shape), sizeof *episode->tournament);
    episode->crowd = og_block_take(block, count, sizeof *episode->crowd);
    episode->crowd_first = og_block_take(block, arms, sizeof *episode->crowd_first);
    episode->crowd_end = og_block_take(block, arms, sizeof *episode->crowd_end);
    episode->curve = og_block_take(block, (size_t)all->at_count, sizeof *episode->curve);
    episode->group = og_block_take(block, count, sizeof *episode->group);
    episode->index = og_block_take(block, count, sizeof *episode->index);
    episode->gained = og_block_take(block, count, sizeof *episode->gained);
}

/* The count of numbers that divide the unit interval into the outcomes of a label. */
static uint32_t cuts_of(const og_arms *arms)
{
    int32_t most = 2;
    for (int32_t i = 0; i < arms->arm_count; i++) {
        bool drawn = og_arm_table(arms->arm[i]) == NULL && arms->arm[i]->outcome_count > most;
        most = drawn ? arms->arm[i]->outcome_count : most;
    }
    return (uint32_t)most - 1;
}

/* The size of everything except depths. */
static uint64_t count_bytes(const og_instances *all)
{
    const og_environment_use *use = &all->use;
    og_instances shared = *all;
    og_episode own = {.all = all};
    og_block block = {NULL, 0}, of_thread = {NULL, 0};
    assign_shared(&shared, &block);
    assign_episode(&own, &of_thread);
    uint64_t tournaments =
        sizeof(uint32_t) * og_tournament_words(&all->shape) * (uint64_t)use->policy_count;
    return block.bytes + tournaments + (uint64_t)use->threads * of_thread.bytes +
           use->count_bytes * all->count;
}

static void place_instances(og_instances *all)
{
    const og_arms *arms = all->arms;
    uint32_t instance = 0;
    for (int32_t g = 0; g < arms->group_count - all->priced; g++) {
        for (int64_t copy = 0; copy < arms->group_size[g]; copy++, instance++) {
            all->group_of[instance] = (uint32_t)g;
            all->arm_of[instance] = (uint32_t)arms->arm_of_group[g];
            all->first[arms->arm_of_group[g] + 1]++;
        }
    }
    for (int32_t a = 0; a < arms->arm_count; a++) {
        all->first[a + 1] += all->first[a];
    }
    for (uint32_t i = all->count; i-- > 0;) {
        /* Fill backwards, so that first[arm + 1] ends at the start of the arm. */
        all->by_arm[--all->first[all->arm_of[i] + 1]] = i;
    }
    memmove(all->first, all->first + 1, (size_t)arms->arm_count * sizeof *all->first);
    all->first[arms->arm_count] = all->count;
}

static void instances_free(void *instances)
{
    og_instances *all = instances;
    og_depths_free(all->depths);
    free(all);
}

/* Set the worth of calls; returns the largest absolute worth. */
static double place_payoffs(og_instances *all)
{
    double most = 0;
    for (int32_t a = 0; a < all->arms->arm_count; a++) {
        const og_payoff *payoff = &og_arm_prior(all->arms->arm[a])->payoff;
        const og_node_table *table = og_arm_table(all->arms->arm[a]);
        if (table != NULL) {
            double least, best;
            og_node_table_range(table, all->labels, &least, &best);
            most = fmax(most, fmax(fabs(least), fabs(best)));
            all->paid = true;
            continue;
        }
        all->paid = all->paid || payoff->given;
        most = fmax(most, og_payoff_most(payoff, all->arms->arm[a]->outcome_count));
        for (int i = 0; i < 2 * og_payoff_call_count(payoff); i++) {
            all->worth[WORTHS * (size_t)a + (size_t)i] = og_payoff_worth(payoff, i / 2, i % 2);
        }
    }
    return most;
}

static void place_prices(og_instances *all)
{
    og_fraction largest = all->price_most;
    for (int32_t a = 0; a < all->arms->arm_count; a++) {
        og_fraction bonus = og_group_bonus(og_arm_prior(all->arms->arm[a]));
        all->price[a] = og_fraction_double(og_fraction_make(
            largest.num * bonus.den - bonus.num * largest.den, largest.den * bonus.den));
    }
}

/* The metrics are shares of the calls only if they count correct calls and nothing else. */
static double whole(const void *self, const og_policy_name *policy, int32_t metric)
{
    (void)policy;
    const og_instances *all = self;
    bool calls = metric >= OG_CORRECT && !all->paid && !all->priced && !all->bandit;
    return !calls ? 0 : metric == OG_CORRECT ? all->count : 1;
}

static og_status fill_shared(og_instances *all, og_environments *out, og_message *message)
{
    const og_depth *first;
    double prior_error = 0;
    OG_TRY(og_instances_depth(all, 0, &first, message));
    place_instances(all);
    if (all->priced) {
        place_prices(all);
    }
    double paid = all->priced ? og_fraction_double(all->price_most) * all->labels : 0;
    double most = place_payoffs(all), change = all->paid ? 2 * most : 1;
    if (all->at_count > 0 && (all->paid || all->bandit)) {
        return og_message_set(message, OG_BAD_INPUT, "--at does not support %s; omit it",
                              all->bandit ? "bandits" : "--payoff");
    }
    /* Error of the sum of an instance's gains: at most T terms, which like their sums are at most
     * `change` in size. Each has its relative error and is rounded when added. */
    double gain_error = change * all->labels * (first->gain_error + DBL_EPSILON);
    /* m instances have the error gain_error each; the sum of m numbers of size at most change / 2
     * adds at most u m^2 change / 2. */
    double m = fmin(all->count, (double)all->labels), u = DBL_EPSILON / 2;
    double rewards = all->bandit ? all->labels : 0; /* whole numbers are exact */
    /* The prices add up to at most `paid`; each term has the error 2u and each sum u. */
    *out = (og_environments){.self = all,
                             .instances = all->count,
                             .metric_count = OG_CORRECT + 1 + all->at_count,
                             .totals = OG_CORRECT + 1,
                             .block_runs = 64,
                             .prior = og_arms_prior_value(all->arms, &prior_error),
                             .size = fmax(all->count * fmax(most, change) + paid, rewards),
                             .gain_max = fmax(m * change + paid, rewards),
                             .run_error = all->bandit ? 0
                                                      : m * gain_error + u * m * m * change / 2 +
                                                            2 * u * (m + 1) * paid,
                             .whole = whole,
                             .all_labels = NAN,
                             .free = instances_free};
    out->prior_error = prior_error;
    return OG_OK;
}

/* Check the priors with the whole budget, because the arms hold only a few labels. */
static og_status check_groups(const og_groups *problem, og_message *message)
{
    for (int32_t i = 0; i < problem->group_count; i++) {
        OG_TRY(og_group_check(og_groups_at(problem, i), problem->budget, message));
    }
    return OG_OK;
}

og_status og_instances_open(const og_source *source, const og_environment_use *use,
                            og_environments *out, og_message *message)
{
    static const og_truth prior = {.kind = OG_TRUTH_PRIOR};
    const og_groups *problem = source->problem;
    og_instances start = {.problem = problem,
                          .truth = source->truth != NULL ? source->truth : &prior,
                          .labels = problem->budget,
                          .at = source->at,
                          .at_count = source->at_count,
                          .delay = source->delay,
                          .priced = source->price != NULL,
                          .bandit = problem->objective == OG_OBJECTIVE_BANDIT,
                          .use = *use,
                          .ranks = source->ranks,
                          .first_depth = source->first_depth};
    start.price_most = start.priced ? *source->price : (og_fraction){0, 1};
    OG_TRY(og_truth_check(start.truth, problem, message));
    OG_TRY(check_groups(problem, message));
    OG_TRY(og_depths_new(&start, message));
    start.count = (uint32_t)og_groups_size(problem);
    start.shape = og_tournament_shape_of(start.count);
    start.cuts = cuts_of(start.arms);
    start.bytes = count_bytes(&start);
    og_instances *all = og_block_build(&start, sizeof start, assign_shared);
    og_status status = OG_ALLOCATED(all);
    OG_THEN(status, fill_shared(all, out, message));
    if (status != OG_OK) {
        og_depths_free(start.depths);
        free(all);
    }
    return status;
}

/* ---- policies ---- */

static og_status strategy_at(const og_instances *all, const og_policy_name *policy, int32_t number,
                             og_strategy *out, og_message *message)
{
    const og_depth *depth;
    int32_t labels = number == 0 ? all->arms->budget : all->labels;
    /* Check before long work that might be useless. */
    const og_settings limits = og_stop_limits(1, all->use.memory_bytes, all->use.stop);
    OG_TRY(number == 0 ? OG_OK : og_arms_check(all->arms, labels, &limits, message));
    OG_TRY(og_instances_check_index(all, policy, labels, message));
    OG_TRY(og_instances_depth(all, number, &depth, message));
    return all->make(all, policy, depth->arms, out, message);
}

og_status og_instances_strategy(void *instances, const og_policy_name *policy, og_strategy *out,
                                og_message *message)
{
    const og_instances *all = instances;
    return strategy_at(all, policy, all->depth_last, out, message);
}

static bool is_proved(const og_strategy *by)
{
    return by->tolerance_ties == NULL || by->tolerance_ties(by->self) == 0;
}

/*
 * A policy that looks one label ahead orders the nodes of shallow arms like those of the whole
 * arms, if the order is proved: then it is the order of exact indices, which depend only on the
 * posterior. But two indices may be called equal because they are too close to distinguish. Then
 * the index of a deeper node may lie between two others and join them. So if ranks have such ties,
 * the run continues on the whole arms, as it does for policies that look further ahead.
 */
static og_status strategy_by_ranks(const og_instances *all, const og_policy_name *policy,
                                   og_strategy *out, og_message *message)
{
    bool near = og_policy_name_one_label(policy) && all->ranks == NULL;
    int32_t number = near ? 0 : all->depth_last;
    og_strategy made;
    OG_TRY(strategy_at(all, policy, number, &made, message));
    if (number < all->depth_last && !is_proved(&made)) {
        made.free(made.self);
        number = all->depth_last;
        OG_TRY(strategy_at(all, policy, number, &made, message));
    }
    og_status status = og_index_play_deepens(made.self, all, policy, number);
    if (status != OG_OK) {
        made.free(made.self);
        return status;
    }
    *out = made;
    return OG_OK;
}

static bool is_beta(const og_arm *arm)
{
    return og_arm_group(arm) != NULL || (arm->bandit && og_arm_prior(arm)->kind == OG_PRIOR_BETA);
}

static og_status strategy_by_chance(const og_instances *all, const og_policy_name *policy,
                                    og_strategy *out, og_message *message)
{
    const og_depth *depth;
    og_played played = og_policy_name_played(policy);
    OG_TRY(og_policy_name_check_arms(policy, all->arms, message));
    for (int32_t i = 0; i < all->arms->arm_count; i++) {
        /* thompson draws from posteriors that are Betas. */
        if (played == OG_PLAYED_THOMPSON && !is_beta(all->arms->arm[i])) {
            return og_message_set(message, OG_BAD_INPUT, "policy '%s' supports only Beta priors",
                                  policy->name);
        }
    }
    OG_TRY(og_instances_steps(all, 0, &depth, message));
    return og_index_play_strategy(&(og_index_play){.played = played}, out);
}

static og_status make_strategy(void *self, const og_policy_name *policy, og_strategy *out,
                               og_message *message)
{
    return og_policy_name_played(policy) == OG_PLAYED_BY_RANKS
               ? strategy_by_ranks(self, policy, out, message)
               : strategy_by_chance(self, policy, out, message);
}

/* Solvers inside policies use half of the memory. */
static og_status make_index_play(const og_instances *all, const og_policy_name *policy,
                                 const og_arms *arms, og_strategy *out, og_message *message)
{
    const og_environment_use *limits = &all->use;
    const og_policy_use use = og_instances_policy_use(
        all, arms, limits->memory_bytes / 2 / (uint64_t)limits->policy_count);
    og_ranks *ranks = NULL;
    og_status status = all->ranks != NULL
                           ? og_ranks_copy(arms, all->ranks, &ranks)
                           : og_policy_name_ranks_for(policy, arms, &use, &ranks, message);
    return status == OG_OK ? og_index_play_new(all, ranks, out) : status;
}

/* ---- runs ---- */

/* The place of the group of this arm and node, or the place to insert it. */
static int32_t find_group(const og_episode *episode, int32_t arm, uint32_t node)
{
    int32_t low = 0;
    int32_t high = episode->state.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const og_state_group *at = &episode->group[middle];
        bool before = at->arm != arm ? at->arm < arm : at->node < node;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static void add_to_group(og_episode *episode, int32_t arm, uint32_t node, int64_t copies)
{
    int32_t at = find_group(episode, arm, node);
    og_state_group *group = &episode->group[at];
    size_t behind = (size_t)(episode->state.count - at);
    if (behind == 0 || group->arm != arm || group->node != node) {
        memmove(group + 1, group, behind * sizeof *group);
        *group = (og_state_group){arm, node, 0};
        episode->state.count++;
    }
    group->copies += copies;
}

static void leave_group(og_episode *episode, int32_t arm, uint32_t node)
{
    og_state_group *group = &episode->group[find_group(episode, arm, node)];
    if (--group->copies == 0) {
        episode->state.count--;
        size_t behind = (size_t)(episode->group + episode->state.count - group);
        memmove(group, group + 1, behind * sizeof *group);
    }
}

static const void *episode_state(void *self)
{
    og_episode *episode = self;
    const og_instances *all = episode->all;
    for (int32_t a = 0, last = episode->state.count == 0 ? all->arms->arm_count : 0; a < last;
         a++) {
        int64_t copies = (int64_t)all->first[a + 1] - all->first[a];
        if (copies > 0) {
            add_to_group(episode, a, 0, copies);
        }
    }
    return &episode->state;
}

static int32_t episode_open(void *self, og_act_open *open, uint32_t *number)
{
    og_episode *episode = self;
    episode_state(episode);
    for (int32_t i = 0; i < episode->state.count; i++) {
        open[i] = (og_act_open){{{(uint32_t)i}}, episode->group[i].copies};
    }
    *number = (uint32_t)episode->state.left;
    return episode->state.left > 0 ? episode->state.count : 0;
}

static void episode_step(void *self, const bool *tied, int64_t j)
{
    og_episode *episode = self;
    uint32_t i = 0;
    while (!tied[find_group(episode, (int32_t)episode->all->arm_of[i], episode->places[i].node)] ||
           j-- > 0) {
        i++;
    }
    int32_t arm = (int32_t)episode->all->arm_of[i];
    leave_group(episode, arm, episode->places[i].node);
    episode->answer = (int32_t)og_episode_label(episode, i);
    add_to_group(episode, arm, episode->places[i].node, 1);
    episode->latest = i;
    episode->state.left--;
}

static bool episode_hear(void *self, og_act *act, int32_t *answer)
{
    og_episode *episode = self;
    *act = (og_act){{episode->latest}};
    *answer = episode->answer;
    episode->latest = UINT32_MAX;
    return act->part[0] != UINT32_MAX;
}

static int64_t episode_used(void *self)
{
    const og_episode *episode = self;
    return episode->given;
}

og_episode *og_episode_new(const og_instances *all)
{
    og_episode start = {.all = all, .state = {.budget = all->labels}};
    if (og_instances_depth(all, 0, &start.first, NULL) != OG_OK) {
        return NULL;
    }
    og_episode *episode = og_block_build(&start, sizeof start, assign_episode);
    if (episode != NULL) {
        episode->state.group = episode->group;
        episode->interface = (og_environment){.self = episode,
                                              .open_max = (int32_t)all->count,
                                              .begin = og_episode_begin,
                                              .state = episode_state,
                                              .used = episode_used,
                                              .open = episode_open,
                                              .step = episode_step,
                                              .hear = episode_hear,
                                              .score = og_episode_score,
                                              .play = og_episode_play,
                                              .free = free};
    }
    return episode;
}

og_status og_instances_environment(void *self, og_environment *out)
{
    og_episode *episode = og_episode_new(self);
    OG_TRY(OG_ALLOCATED(episode));
    *out = episode->interface;
    return OG_OK;
}

static og_status open_independent(const og_source *source, const og_environment_use *use,
                                  og_environments *out, og_message *message)
{
    OG_TRY(og_instances_open(source, use, out, message));
    ((og_instances *)out->self)->make = make_index_play;
    out->strategy = make_strategy;
    out->environment = og_instances_environment;
    return OG_OK;
}

og_source og_source_independent(const og_groups *problem, const og_truth *truth)
{
    return (og_source){.open = open_independent, .problem = problem, .truth = truth};
}
