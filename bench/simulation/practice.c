/* A person labels, the optimum comments: one episode, its draws addressed by seed and label. */
#include "bench/simulation/practice.h"

#include <stdlib.h>
#include <string.h>

#include "bench/simulation/random.h"

og_status og_practice_init(og_practice *game, const og_arms *arms, const og_settings *settings,
                           uint64_t seed, og_message *message)
{
    int64_t instances = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        instances += arms->group_size[g];
    }
    if (instances > OG_PRACTICE_INSTANCES) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%lld instances are more than anybody labels by hand (at most %d)",
                              (long long)instances, OG_PRACTICE_INSTANCES);
    }
    og_practice g = {.arms = arms, .seed = seed, .left = arms->budget, .count = (int32_t)instances};
    size_t count = (size_t)instances + 1;
    g.arm = calloc(count, sizeof *g.arm);
    g.node = calloc(count, sizeof *g.node);
    g.q = calloc(count, sizeof *g.q);
    g.group = calloc(count, sizeof *g.group);
    g.group_of = calloc(count, sizeof *g.group_of);
    g.group_q = calloc(count, sizeof *g.group_q);
    g.group_error = calloc(count, sizeof *g.group_error);
    og_status status = OG_NO_MEMORY;
    if (g.arm != NULL && g.node != NULL && g.q != NULL && g.group != NULL && g.group_of != NULL &&
        g.group_q != NULL && g.group_error != NULL) {
        status = og_solver_new(arms, settings, &g.solver, message);
    }
    if (status != OG_OK) {
        og_practice_clear(&g);
        return status;
    }
    int32_t next = 0;
    for (int32_t i = 0; i < arms->group_count; i++) {
        for (int64_t c = 0; c < arms->group_size[i]; c++) {
            g.arm[next++] = arms->arm_of_group[i];
        }
    }
    *game = g;
    return OG_OK;
}

/* Instances with one posterior stand together. */
static int32_t make_groups(og_practice *game)
{
    int32_t count = 0;
    for (int32_t i = 0; i < game->count; i++) {
        int32_t at = 0;
        while (at < count &&
               (game->group[at].arm != game->arm[i] || game->group[at].node != game->node[i])) {
            at++;
        }
        if (at == count) {
            game->group[count++] = (og_state_group){game->arm[i], game->node[i], 0};
        }
        game->group[at].copies++;
        game->group_of[i] = at;
    }
    return count;
}

og_status og_practice_ask(og_practice *game, og_message *message)
{
    int32_t count = make_groups(game);
    og_state state = {game->left, game->arms->budget, count, game->group};
    og_status status =
        og_solver_q_at(game->solver, &state, game->group_q, game->group_error, message);
    if (status != OG_OK) {
        return status;
    }
    game->best = 0;
    game->error = 0;
    for (int32_t i = 0; i < game->count; i++) {
        int32_t at = game->group_of[i];
        game->q[i] = game->group_q[at];
        if (game->q[i] > game->best) {
            game->best = game->q[i];
            game->error = game->group_error[at];
        }
    }
    return OG_OK;
}

bool og_practice_is_worse(const og_practice *game, int32_t instance)
{
    double error = game->error + game->group_error[game->group_of[instance]];
    return game->best - game->q[instance] > error;
}

int32_t og_practice_label(og_practice *game, int32_t instance)
{
    const og_arm *arm = game->arms->arm[game->arm[instance]];
    size_t labels = (size_t)arm->outcome_count;
    size_t first = game->node[instance] * labels;
    uint32_t number = 0; /* of labels that the instance has had */
    while (arm->level[number + 1] <= game->node[instance]) {
        number++;
    }
    double unit = og_draw_unit(og_draw(game->seed, OG_DRAW_LABEL, 0, (uint32_t)instance, number));
    size_t label = 0;
    while (label + 1 < labels && unit >= arm->probability[first + label]) {
        unit -= arm->probability[first + label++];
    }
    if (og_practice_is_worse(game, instance)) {
        game->cost += game->best - game->q[instance];
    }
    game->node[instance] = arm->next[first + label];
    game->left--;
    return (int32_t)label;
}

void og_practice_clear(og_practice *game)
{
    free(game->arm);
    free(game->node);
    free(game->q);
    free(game->group);
    free(game->group_of);
    free(game->group_q);
    free(game->group_error);
    og_solver_free(game->solver);
    memset(game, 0, sizeof *game);
}
