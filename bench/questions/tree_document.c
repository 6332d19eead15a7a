/* The question for a tree: its rows as a document, and its figure. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h> /* before gmp.h, which declares functions on streams only after it */

#include "bench/describe.h"
#include "bench/questions/tree_figure.h"

static void put_value(og_document *row, const og_tree *tree, const char *name,
                      const char *exact_name, double value, mpq_srcptr exact)
{
    og_put_number(row, name, value);
    if (tree->exact) {
        og_put_fraction(row, exact_name, exact);
    }
}

static void put_outcomes(og_document *row, const og_tree *tree, const og_tree_action *action)
{
    og_document *outcomes = og_put_array(row, "outcomes");
    for (int32_t k = 0; k < action->outcome_count; k++) {
        const og_tree_outcome *outcome = &tree->outcome[action->outcome_first + k];
        og_document *one = og_put_object(outcomes, NULL);
        og_put_text(one, "text", outcome->text);
        put_value(one, tree, "probability", "probability_exact", outcome->probability,
                  outcome->exact);
        og_put_whole(one, "to", (uint64_t)outcome->to);
    }
}

static void put_actions(og_document *row, const og_tree *tree, const og_tree_state *state)
{
    og_document *actions = og_put_array(row, "actions");
    for (int32_t i = 0; i < state->action_count; i++) {
        const og_tree_action *action = &tree->action[state->action_first + i];
        og_document *one = og_put_object(actions, NULL);
        og_put_text(one, "text", action->text);
        og_put_bool(one, "optimal", action->optimal);
        put_value(one, tree, "value", "value_exact", action->value, action->exact);
        if (tree->against != NULL) {
            put_value(one, tree, "chosen", "chosen_exact", action->chosen, action->chosen_exact);
            put_value(one, tree, "lost", "lost_exact", action->lost, action->lost_exact);
        }
        put_outcomes(one, tree, action);
    }
}

static og_document *describe(const og_asked *asked, const og_tree *tree)
{
    og_document *document = og_document_new();
    og_family_describe_problem(asked->family, asked->problem, document);
    og_put_text(document, "unit", asked->sizes.metric.unit);
    og_put_bool(document, "gains", tree->gains);
    if (tree->against != NULL) {
        og_put_text(document, "against", tree->against);
        put_value(document, tree, "lost", "lost_exact", tree->lost,
                  isnan(tree->lost) ? NULL : tree->lost_exact);
    }
    og_document *states = og_put_array(document, "states");
    for (int32_t i = 0; i < tree->state_count; i++) {
        const og_tree_state *state = &tree->state[i];
        og_document *row = og_put_object(states, NULL);
        og_put_text(row, "text", state->text);
        og_put_whole(row, "left", (uint64_t)state->left);
        put_value(row, tree, "value", "value_exact", state->value, state->exact);
        og_put_bool(row, "chance", state->chance);
        og_put_bool(row, "cut", state->cut);
        if (tree->against != NULL) {
            put_value(row, tree, "reached", "reached_exact", state->reached, state->reached_exact);
            put_value(row, tree, "lost", "lost_exact", state->lost, state->lost_exact);
        }
        put_actions(row, tree, state);
    }
    return document;
}

static og_status answer(og_asked *asked, og_message *message)
{
    if (asked->policy_count > 1) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a tree supports one policy beside the optimum, not %" PRId32,
                              asked->policy_count);
    }
    og_tree tree = {.state = NULL};
    OG_TRY(og_tree_grow(asked, &tree, message));
    asked->document = describe(asked, &tree);
    og_document *figure = og_put_object(asked->document, "figure");
    og_status status = og_tree_figure(asked, &tree, false, figure);
    og_tree_clear(&tree);
    return status;
}

const og_question_kind og_question_tree = {.answer = answer};
