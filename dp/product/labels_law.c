/*
 * The probabilities of 0, 1, ... labels of a policy that may stop: forward through the states that
 * it reaches, those with most labels left first.
 */
#include <stdlib.h>
#include <string.h>

#include "dp/base/ties.h"
#include "dp/engine/steps.h"
#include "dp/product/solver.h"

typedef struct {
    og_arena arena;
    const og_product *product;
    og_model model;
    og_expansion x;
    og_forward_pass pass; /* payload: the probability */
    uint64_t *key, *successor;
    double *law; /* [budget + 1] */
    og_stop *stop;
} walk;

static og_status follow_action(walk *w, const og_action *action, double chance)
{
    og_step_state next = {.stage = w->pass.stage - 1, .key = w->successor};
    const int32_t labels = w->product->budget - w->pass.stage;
    if (action->outcome_count == 0) { /* it stops */
        w->law[labels] += chance;
    }
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_outcome *outcome = &w->x.outcome[action->outcome_first + k];
        double ignored;
        uint32_t entry;
        next.words = w->model.successor(w->model.self, &w->x, outcome, next.key, &ignored);
        if (next.words == 0) {
            w->law[labels + 1] += chance * outcome->probability;
            continue;
        }
        OG_TRY(og_forward_pass_put(&w->pass, &next, &entry));
        double *there = og_forward_pass_payload(&w->pass, next.stage, entry);
        *there += chance * outcome->probability;
    }
    return OG_OK;
}

static og_status visit(walk *w, uint32_t entry)
{
    og_step_state place = {.key = w->key};
    const double *probability = og_forward_pass_payload(&w->pass, w->pass.stage, entry);
    double chance = *probability, sum = 0;
    og_forward_pass_place(&w->pass, entry, &place);
    OG_TRY(w->model.expand(w->model.self, place.key, place.words, &w->x));
    for (int32_t a = 0; a < w->x.action_count; a++) {
        sum += w->x.action[a].weight;
    }
    for (int32_t a = 0; a < w->x.action_count; a++) {
        OG_TRY(follow_action(w, &w->x.action[a], chance * (w->x.action[a].weight / sum)));
    }
    return og_stop_asked(w->stop) ? OG_STOPPED : OG_OK;
}

static og_status walk_all(walk *w, const og_step_state *root, uint64_t memory_bytes)
{
    og_status status = og_forward_pass_begin(root, sizeof(double), memory_bytes / 2, &w->pass);
    if (status == OG_OK) {
        double *at = og_forward_pass_payload(&w->pass, root->stage, 0);
        *at = 1;
        status = w->model.expansion_new(w->model.self, &w->x);
    }
    for (; status == OG_OK && w->pass.stage >= 1; og_forward_pass_next(&w->pass)) {
        for (uint32_t i = 0; status == OG_OK && i < og_forward_pass_count(&w->pass); i++) {
            status = visit(w, i);
        }
    }
    if (w->x.scratch != NULL) {
        w->model.expansion_free(&w->x);
    }
    og_forward_pass_clear(&w->pass);
    return status;
}

static og_status law_of(og_solver *solver, double *law, og_message *message)
{
    const og_product *product = &solver->product;
    const og_settings *settings = &solver->valuation.settings;
    walk w = {.product = product,
              .model = og_product_model(product),
              .law = law,
              .stop = og_stop_of(settings)};
    size_t words = (size_t)product->key_words_max;
    og_state state;
    int32_t root_words = 0;
    w.key = og_arena_array(&w.arena, words, sizeof *w.key);
    w.successor = og_arena_array(&w.arena, words, sizeof *w.successor);
    og_status status = og_arena_status(&w.arena);
    OG_THEN(status, og_state_first(solver->arms, &state));
    if (status == OG_OK) {
        status = og_solver_key(solver, &state, &root_words, message);
        free((void *)state.group);
    }
    memset(law, 0, ((size_t)product->budget + 1) * sizeof *law);
    if (status == OG_OK && root_words == 0) {
        law[0] = 1;
    } else if (status == OG_OK) {
        const og_step_state root = {
            .stage = product->budget, .words = root_words, .key = solver->key};
        status = walk_all(&w, &root, settings->memory_bytes);
    }
    og_arena_clear(&w.arena);
    return status;
}

og_status og_policy_labels_law(const og_ranks_play *play, const og_settings *settings, double *law,
                               og_message *message)
{
    og_solver *solver;
    OG_TRY(og_solver_new_policy(play->arms, play->ranks, play->ties, settings, &solver, message));
    og_status status = law_of(solver, law, message);
    og_solver_free(solver);
    return status;
}
