/*
 * A run of independent instances: draws soft labels, labels and ties, and computes the score. All
 * ways to play a policy use it. Random numbers have addresses from seed, run and instance.
 */
#include "bench/random.h"
#include "bench/simulation/independent.h"

/* The worth of a call: as the instance's payoff says, else 1 if it is right, of any class. */
static double worth_of(const og_instances *all, uint32_t arm, int32_t called, int32_t truly)
{
    return og_arm_prior(all->arms->arm[arm])->payoff.given
               ? all->worth[2 * ((size_t)arm * OG_CALL_COUNT + (size_t)called) + (size_t)truly]
               : called == truly;
}

/* True if the worth of the instance follows from its posterior alone, not from calls. */
static bool is_valued(const og_group *group)
{
    return group->kind == OG_PRIOR_NODES || og_payoff_name(&group->payoff) != NULL;
}

static void draw_soft_labels(og_episode *episode)
{
    const og_instances *all = episode->all;
    episode->fresh_correct = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const og_group *group = og_groups_at(all->problem, all->group_of[i]);
        double *cut = episode->cut + (size_t)i * all->cuts;
        bool positive = false;
        if (group->kind == OG_PRIOR_NODES) {
            episode->fresh_correct += all->arms->arm[all->arm_of[i]]->call;
            continue;
        }
        if (group->kind == OG_PRIOR_DIRICHLET) {
            episode->truly[i] = og_truth_draw_classes(group, episode->seed, episode->run, i, cut);
        } else if (all->truth->kind == OG_TRUTH_LIST) {
            og_fraction soft = all->truth->soft[i];
            cut[0] = og_fraction_double(soft);
            positive = og_fraction_compare(soft, group->threshold) >= 0;
        } else {
            cut[0] = og_truth_draw(all->truth, group, episode->seed, episode->run, i);
            positive = cut[0] >= og_fraction_double(group->threshold);
        }
        if (group->kind != OG_PRIOR_DIRICHLET) {
            episode->truly[i] = positive ? 0 : 1;
        }
        if (all->bandit) {
            continue;
        }
        if (is_valued(group)) {
            episode->fresh_correct += all->arms->arm[all->arm_of[i]]->call;
            continue;
        }
        int32_t called = og_depth_called(episode->first, all->arm_of[i], 0);
        episode->fresh_correct += worth_of(all, all->arm_of[i], called, episode->truly[i]);
    }
}

/* The gain from an instance's labels, as the posterior has it or, for a table, as it came. */
static double gained_by(const og_episode *episode, uint32_t instance)
{
    const og_arms *arms = episode->depth->arms;
    uint32_t place = arms->node_offset[episode->all->arm_of[instance]];
    return episode->depth->gain[place + episode->places[instance].node] + episode->earned[instance];
}

/* The worth of the current call, less the worth without labels. */
static double called_more(const og_episode *episode, uint32_t instance)
{
    const og_instances *all = episode->all;
    uint32_t number = all->arm_of[instance];
    if (is_valued(og_groups_at(all->problem, all->group_of[instance]))) {
        return gained_by(episode, instance);
    }
    int32_t truly = episode->truly[instance];
    int32_t called = og_depth_called(episode->depth, number, episode->places[instance].node);
    int32_t before = og_depth_called(episode->depth, number, 0);
    return worth_of(all, number, called, truly) - worth_of(all, number, before, truly);
}

/* Adds the point of the curve if this is one of its budgets. */
static void report(og_episode *episode)
{
    const og_instances *all = episode->all;
    if (episode->reported == all->at_count || episode->given != all->at[episode->reported]) {
        return;
    }
    double correct = episode->fresh_correct;
    for (uint32_t i = 0; i < episode->touched_count; i++) {
        correct += called_more(episode, episode->touched[i]);
    }
    episode->curve[episode->reported++] = correct / all->count;
}

void og_episode_begin(void *self, uint64_t seed, uint64_t run, uint64_t *labels)
{
    og_episode *episode = self;
    episode->labels = labels;
    for (uint32_t i = 0; i < episode->touched_count; i++) {
        episode->places[episode->touched[i]] = (og_run_place){0, 0};
        episode->earned[episode->touched[i]] = 0;
    }
    episode->touched_count = 0;
    episode->depth_number = 0;
    episode->depth = episode->first;
    episode->state.left = episode->all->labels;
    episode->state.count = 0; /* groups are formed when needed */
    episode->latest = UINT32_MAX;
    if (!episode->drawn || episode->seed != seed || episode->run != run) {
        episode->drawn = true;
        episode->seed = seed;
        episode->run = run;
        draw_soft_labels(episode);
    }
    episode->given = episode->reported = 0;
    report(episode);
}

og_status og_episode_go(og_episode *episode, int32_t depth_number, og_message *message)
{
    const og_depth *depth;
    OG_TRY(og_instances_depth(episode->all, depth_number, &depth, message));
    episode->depth_number = depth_number;
    episode->depth = depth;
    return OG_OK;
}

/* The outcome at a table's node that has this uniform number, and its reward. */
static uint32_t draw_outcome(const og_arm *arm, uint32_t node, double drawn, double *earned)
{
    const og_node_table *table = og_arm_table(arm);
    const double *probability = arm->probability + (size_t)node * (size_t)arm->outcome_count;
    uint32_t at = og_arm_table_node(arm, node), first = table->first[at];
    uint32_t count = table->first[at + 1] - first, label = 0;
    for (double sum = probability[0]; label + 1 < count && !(drawn < sum);) {
        sum += probability[++label];
    }
    if (table->rewards && count > 0) {
        *earned += mpq_get_d(table->reward[first + label]);
    }
    return label;
}

uint32_t og_episode_label(og_episode *episode, uint32_t instance)
{
    const og_instances *all = episode->all;
    const og_arm *arm = episode->depth->arms->arm[all->arm_of[instance]];
    og_run_place *at = &episode->places[instance];
    uint64_t bits = og_draw(episode->seed, OG_DRAW_LABEL, episode->run, instance, at->labels);
    const double *cut = episode->cut + (size_t)instance * all->cuts;
    double drawn = og_draw_unit(bits);
    uint32_t label = 0, last = (uint32_t)arm->outcome_count - 1;
    if (og_arm_table(arm) != NULL) {
        label = draw_outcome(arm, at->node, drawn, &episode->earned[instance]);
    } else {
        while (label < last && !(drawn < cut[label])) {
            label++;
        }
    }
    if (at->labels == 0) {
        episode->touched[episode->touched_count++] = instance;
    }
    at->labels++;
    at->node = arm->next[(last + 1) * (size_t)at->node + label];
    episode->given++;
    report(episode);
    return label;
}

void og_episode_score(void *self, double *metric)
{
    const og_episode *episode = self;
    const og_instances *all = episode->all;
    double gain = 0, correct = episode->fresh_correct;
    for (uint32_t i = 0; i < episode->touched_count; i++) {
        uint32_t instance = episode->touched[i];
        uint32_t arm = all->arm_of[instance];
        const og_run_place *at = &episode->places[instance];
        double gained = gained_by(episode, instance);
        double paid = all->priced ? all->price[arm] * at->labels : 0;
        gain += gained;
        correct += all->bandit ? gained : called_more(episode, instance);
        if (all->priced) {
            gain -= paid;
            correct -= paid;
        }
        if (episode->labels != NULL) {
            episode->labels[instance] += at->labels;
        }
    }
    for (int32_t k = episode->reported; k < all->at_count; k++) { /* the policy stopped before */
        episode->curve[k] = correct / all->count;
    }
    metric[OG_EXPECTED] = gain;
    metric[OG_CORRECT] = correct;
    for (int32_t k = 0; k < all->at_count; k++) {
        metric[OG_CORRECT + 1 + k] = episode->curve[k];
    }
}

uint32_t og_episode_draw_tie(const og_episode *episode, og_ties ties, uint32_t count, int32_t left)
{
    if (ties == OG_TIES_FIRST || count == 1) {
        return 0;
    }
    return og_draw_below(og_draw(episode->seed, OG_DRAW_TIE, episode->run, 0, (uint32_t)left),
                         count);
}
