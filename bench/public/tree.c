/* The decision tree of an optimal policy, as a document. */
#include "bench/value/tree.h"

#include "bench/describe.h"
#include "bench/public/handles.h"

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
        put_outcomes(one, tree, action);
    }
}

static og_document *describe(const og_task *task, const og_tree *tree)
{
    og_document *document = og_document_new();
    task->family->describe(task->problem, document);
    og_put_text(document, "unit", task->sizes.metric.unit);
    og_put_bool(document, "gains", tree->gains);
    og_document *states = og_put_array(document, "states");
    for (int32_t i = 0; i < tree->state_count; i++) {
        const og_tree_state *state = &tree->state[i];
        og_document *row = og_put_object(states, NULL);
        og_put_text(row, "text", state->text);
        og_put_whole(row, "left", (uint64_t)state->left);
        put_value(row, tree, "value", "value_exact", state->value, state->exact);
        og_put_bool(row, "chance", state->chance);
        og_put_bool(row, "cut", state->cut);
        put_actions(row, tree, state);
    }
    return document;
}

og_status og_task_tree(og_task *task, og_message *message)
{
    const og_request *request = &task->request;
    const og_tree_request wanted = {.family = task->family,
                                    .problem = task->problem,
                                    .settings = request->settings,
                                    .exact = request->exact,
                                    .all = request->all_actions,
                                    .states_max = request->tree_states_max,
                                    .levels_max = request->tree_levels};
    if (wanted.states_max < 1 || wanted.levels_max < 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "a tree requires at least one state and at least 0 levels");
    }
    og_tree tree = {.state = NULL};
    OG_TRY(og_tree_grow(&wanted, &tree, message));
    og_report *report = &task->box->report;
    report->value = tree.state[0].value;
    report->states = (uint64_t)tree.state_count;
    task->box->document = describe(task, &tree);
    og_tree_clear(&tree);
    return OG_OK;
}
