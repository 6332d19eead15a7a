/*
 * A policy that plays the same game as a person. Invariant, where it reveals: for each instance the
 * labels of one game are the first labels of the other, because both draw the n-th with the same
 * number from the same posterior. So of the two posteriors, the one with more labels is the
 * posterior after all labels.
 */
#include "bench/questions/second_player.h"

#include <stdio.h>
#include <string.h>

#include "bench/posterior.h"
#include "bench/random.h"
#include "bench/truth.h"
#include "dp/product/state.h"

static bool has_truth(const og_family *family, const void *problem)
{
    const og_arms *arms = og_family_arms(family, problem);
    for (int32_t i = 0; arms != NULL && i < arms->arm_count; i++) {
        const og_group *prior = og_arm_prior(arms->arm[i]);
        if (!og_arm_has_calls(arms->arm[i]) || prior->kind == OG_PRIOR_MIXTURE ||
            prior->payoff.given) {
            return false;
        }
    }
    return arms != NULL;
}

static og_status open_policy(og_second_player *p, const og_family *family, const void *problem,
                             const og_settings *settings, const og_policy_name *policy,
                             og_message *message)
{
    og_problem_size sizes;
    family->model.sizes(problem, &sizes);
    const og_policy_use use = {.whole_budget = sizes.budget,
                               .threads = settings->threads,
                               .memory_bytes = settings->memory_bytes,
                               .stop = og_stop_of(settings)};
    OG_TRY(og_family_strategy(family, problem, policy, &use, &p->by, message));
    const char *refusal = og_choice_refusal(&p->by);
    return refusal == NULL ? OG_OK
                           : og_message_set(message, OG_BAD_INPUT,
                                            "--against does not support policy '%.100s': %s",
                                            policy->name, refusal);
}

og_status og_second_player_begin(const og_family *family, const void *problem,
                                 const og_settings *settings, const og_policy_name *policy,
                                 uint64_t seed, og_second_player *opponent, og_message *message)
{
    og_play *game = &opponent->game;
    *opponent = (og_second_player){.reveals = has_truth(family, problem)};
    OG_TRY(open_policy(opponent, family, problem, settings, policy, message));
    OG_TRY(og_play_begin(family, problem, settings, &opponent->by, seed, game, message));
    opponent->weight =
        og_arena_array(&game->arena, (size_t)game->steps.acts_max + 1, sizeof *opponent->weight);
    OG_TRY(og_choice_init(&game->arena, &opponent->by, &game->steps, OG_TIES_RANDOM,
                          &opponent->choice));
    opponent->choice.may_stop = true;
    return OG_OK;
}

void og_second_player_clear(og_second_player *opponent)
{
    og_play_clear(&opponent->game);
    og_strategy_free(&opponent->by);
    memset(opponent, 0, sizeof *opponent);
}

bool og_second_player_is_over(const og_second_player *opponent)
{
    return opponent->game.over || opponent->stopped > 0;
}

/* An act, or the number of acts for a stop, drawn by the weights. */
static int32_t draw_act(const og_second_player *p)
{
    const og_play *game = &p->game;
    double rest = 0;
    int32_t act = 0;
    for (int32_t i = 0; i <= game->count; i++) {
        rest += p->weight[i];
    }
    rest *= og_draw_unit(og_draw(game->seed, OG_DRAW_TIE, 0, UINT32_MAX, (uint32_t)game->done));
    for (int32_t i = 0; i <= game->count; i++) {
        act = p->weight[i] > 0 && rest >= 0 ? i : act;
        rest -= p->weight[i];
    }
    return act;
}

og_status og_second_player_move(og_second_player *opponent, char *act, char *answer, size_t size,
                                og_message *message)
{
    og_play *game = &opponent->game;
    og_answer kind;
    act[0] = answer[0] = '\0';
    OG_TRY(og_choice_weigh(&opponent->choice, &game->stand, opponent->weight, &kind, message));
    int32_t drawn = draw_act(opponent);
    if (drawn == game->count) {
        opponent->stopped = game->done + 1;
        return OG_OK;
    }
    og_play_act_text(game, drawn, act, size);
    return og_play_do(game, drawn, answer, size, message);
}

og_status og_second_player_undo(og_second_player *opponent, og_message *message)
{
    if (opponent->stopped > 0) {
        opponent->stopped = 0;
        return OG_OK;
    }
    return og_play_undo(&opponent->game, message);
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
