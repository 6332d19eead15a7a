/*
 * A policy that plays the same game as a person. Invariant: for each instance the labels of one
 * game are the first labels of the other, because both draw the n-th with the same number from the
 * same posterior. So of the two posteriors, the one with more labels is the posterior after all
 * labels.
 */
#include "bench/questions/second_player.h"

#include <stdio.h>
#include <string.h>

#include "bench/posterior.h"
#include "bench/random.h"
#include "bench/truth.h"
#include "dp/product/policy.h"
#include "dp/product/state.h"

static og_status check_problem(const og_family *family, const void *problem, og_message *message)
{
    const og_arms *arms = og_family_arms(family, problem);
    if (arms == NULL) {
        return og_family_lacks(family, "--against", message);
    }
    for (int32_t i = 0; i < arms->arm_count; i++) {
        const og_group *prior = og_arm_prior(arms->arm[i]);
        if (!og_arm_has_calls(arms->arm[i]) || prior->kind == OG_PRIOR_MIXTURE ||
            prior->payoff.given) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "--against supports only Beta and Dirichlet priors without "
                                  "--payoff, because it reveals the correct calls");
        }
    }
    return OG_OK;
}

og_status og_second_player_begin(const og_family *family, const void *problem,
                                 const og_settings *settings, const og_policy_name *policy,
                                 uint64_t seed, og_second_player *opponent, og_message *message)
{
    og_problem_size sizes;
    *opponent = (og_second_player){.by = {.self = NULL}};
    OG_TRY(check_problem(family, problem, message));
    OG_TRY(og_play_begin(family, problem, settings, seed, &opponent->game, message));
    family->model.sizes(problem, &sizes);
    const og_policy_use use = {.whole_budget = sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes,
                               .stop = og_stop_of(settings)};
    OG_TRY(og_family_strategy(family, problem, policy, &use, &opponent->by, message));
    if (opponent->by.ranks->chooser_lock != NULL) {
        return og_message_set(message, OG_BAD_INPUT,
                              "--against does not support policy '%.100s', which uses the whole "
                              "state; choose one with an index",
                              policy->name);
    }
    return OG_OK;
}

void og_second_player_clear(og_second_player *opponent)
{
    og_play_clear(&opponent->game);
    og_strategy_free(&opponent->by);
    memset(opponent, 0, sizeof *opponent);
}

static uint32_t rank_of(const og_second_player *opponent, const og_state *now, int32_t instance)
{
    const og_state_group *at = &now->group[instance];
    return og_ranks_of(opponent->by.ranks, at->arm, now->left)[at->node];
}

og_status og_second_player_move(og_second_player *opponent, int32_t *act, char *answer, size_t size,
                                og_message *message)
{
    og_play *game = &opponent->game;
    const og_state *now = game->state;
    uint32_t largest = 0, count = 0;
    for (int32_t i = 0; i < now->count; i++) {
        uint32_t rank = rank_of(opponent, now, i);
        count = count > 0 && rank < largest ? count : rank > largest ? 1 : count + 1;
        largest = rank > largest ? rank : largest;
    }
    uint64_t bits = og_draw(game->seed, OG_DRAW_TIE, 0, 0, (uint32_t)game->done);
    uint32_t which = og_draw_below(bits, count);
    for (*act = 0; rank_of(opponent, now, *act) < largest || which-- > 0; ++*act) {
    }
    return og_play_do(game, *act, answer, size, message);
}

int32_t og_second_player_instances(const og_second_player *opponent)
{
    const og_state *now = opponent->game.state;
    return now->count;
}

static int32_t labels_of(const og_arm *arm, uint32_t node)
{
    int32_t counts[OG_CLASSES_MAX] = {0}, sum = 0;
    og_arm_counts(arm, node, counts);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        sum += counts[k];
    }
    return sum;
}

/* How right the call of a posterior is: an undecided one, of equal parameters at the threshold 1/2,
 * counts half, as it is worth before the truth is known. `label` is 0 for positive, or the class.
 */
static double right_of(const og_arm *arm, uint32_t node, int32_t label)
{
    const og_group posterior = og_posterior_group(arm, node);
    if (!arm->lattice) {
        return og_arm_called(arm, node) == label;
    }
    bool even = og_fraction_double(posterior.threshold) == 0.5 &&
                og_fraction_compare(posterior.a, posterior.b) == 0;
    return even ? 0.5 : !og_arm_positive(arm, node) == label;
}

static void draw_truth(const og_arm *arm, const og_group *posterior, uint64_t seed,
                       int32_t instance, og_revealed *out)
{
    const og_truth prior = {.kind = OG_TRUTH_PRIOR};
    double cut[OG_CLASSES_MAX] = {0};
    if (arm->lattice) {
        out->soft = og_truth_draw(&prior, posterior, seed, 0, (uint32_t)instance);
        out->label = out->soft >= og_fraction_double(posterior->threshold) ? 0 : 1;
        snprintf(out->text, sizeof out->text, out->label == 0 ? "positive" : "negative");
        return;
    }
    out->label = og_truth_draw_classes(posterior, seed, 0, (uint32_t)instance, cut);
    double before = out->label > 0 ? cut[out->label - 1] : 0;
    out->soft = (out->label + 1 < arm->outcome_count ? cut[out->label] : 1) - before;
    snprintf(out->text, sizeof out->text, "class %d", out->label + 1);
}

void og_second_player_reveal(const og_second_player *opponent, const og_play *person,
                             int32_t instance, og_revealed *out)
{
    const og_state *theirs = opponent->game.state, *own = person->state;
    const og_arms *arms = og_family_arms(person->family, person->problem);
    const og_arm *arm = arms->arm[own->group[instance].arm];
    uint32_t nodes[2] = {own->group[instance].node, theirs->group[instance].node};
    bool longer = labels_of(arm, nodes[1]) > labels_of(arm, nodes[0]);
    const og_group posterior = og_posterior_group(arm, nodes[longer]);
    draw_truth(arm, &posterior, person->seed, instance, out);
    for (int i = 0; i < 2; i++) {
        out->right[i] = right_of(arm, nodes[i], out->label);
    }
}
