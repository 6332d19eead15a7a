/*
 * Builds the view of a state that an external policy receives. A view is sorted and has no two
 * equal groups, so it does not depend on how the engine stores the state.
 */
#include "heuristics/whole_state/view.h"

#include <math.h>
#include <string.h>

#include "dp/engine/strategy.h"

static uint32_t name_of(const og_ranks *ranks, const og_state_group *group)
{
    return ranks->rank[group->arm][group->node];
}

static og_status reserve(og_view *view, int32_t count)
{
    if (count <= view->room) {
        return OG_OK;
    }
    og_view_clear(view);
    size_t room = (size_t)count + 8;
    view->group = og_arena_array(&view->arena, room, sizeof *view->group);
    view->answer = og_arena_array(&view->arena, room + 1, sizeof *view->answer);
    view->counts = og_arena_array(&view->arena, room, sizeof *view->counts);
    view->room = (int32_t)room;
    og_status status = og_arena_status(&view->arena);
    if (status != OG_OK) {
        og_view_clear(view);
    }
    return status;
}

void og_view_clear(og_view *view)
{
    og_arena_clear(&view->arena);
    *view = (og_view){0};
}

/* The position of a name among the view's groups, which are in ascending order: the first group not
 * below it. */
static int32_t place_of(const og_view *view, const og_ranks *ranks, uint32_t name)
{
    int32_t low = 0;
    int32_t high = view->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (name_of(ranks, &view->group[middle]) < name) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

og_status og_view_take(og_view *view, const og_ranks *ranks, const og_state *state)
{
    OG_TRY(reserve(view, state->count));
    view->count = 0;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        uint32_t name = name_of(ranks, group);
        int32_t at = place_of(view, ranks, name);
        if (at < view->count && name_of(ranks, &view->group[at]) == name) {
            view->group[at].copies += group->copies;
            continue;
        }
        memmove(&view->group[at + 1], &view->group[at],
                (size_t)(view->count - at) * sizeof *view->group);
        view->group[at] = *group;
        view->count++;
    }
    for (int32_t i = 0; i < state->count; i++) {
        view->counts[i] = place_of(view, ranks, name_of(ranks, &state->group[i]));
    }
    return OG_OK;
}

og_status og_view_answer(og_view *view, const og_state *state, og_answer kind, double *answer,
                         og_message *message)
{
    OG_TRY(og_stopping_check(kind, &view->answer[view->count], message));
    OG_TRY(og_answer_check(kind, view->count + 1, view->answer, "group", message));
    answer[state->count] = view->answer[view->count];
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *seen = &view->group[view->counts[i]];
        bool whole = kind != OG_ANSWER_WEIGHTS || seen->copies == state->group[i].copies;
        double share = whole ? 1 : (double)state->group[i].copies / (double)seen->copies;
        answer[i] = share * view->answer[view->counts[i]];
    }
    return OG_OK;
}

/* ---- posteriors ---- */

/* The likelihood of one more label with this outcome, after counts[2], under the component. */
static double likelihood(const og_component *part, const int32_t *counts, int outcome)
{
    double a = og_fraction_double(part->a) + counts[0];
    double b = og_fraction_double(part->b) + counts[1];
    return (outcome == 0 ? a : b) / (a + b);
}

/* Weights after all labels; the order of the labels does not matter, up to rounding. */
static void weigh_components(const og_group *prior, const int32_t *counts, double *weight)
{
    const double tiny = 0x1p-500;
    int32_t so_far[2] = {0, 0};
    for (int32_t k = 0; k < prior->part_count; k++) {
        weight[k] = og_fraction_double(prior->component[k].weight);
    }
    for (int32_t label = 0; label < counts[0] + counts[1]; label++) {
        int outcome = so_far[0] < counts[0] ? 0 : 1;
        double top = 0;
        for (int32_t k = 0; k < prior->part_count; k++) {
            weight[k] *= likelihood(&prior->component[k], so_far, outcome);
            top = fmax(top, weight[k]);
        }
        for (int32_t k = 0; top < tiny && k < prior->part_count; k++) {
            weight[k] /= tiny;
        }
        so_far[outcome]++;
    }
    double sum = 0;
    for (int32_t k = 0; k < prior->part_count; k++) {
        sum += weight[k];
    }
    for (int32_t k = 0; k < prior->part_count; k++) {
        weight[k] /= sum;
    }
}

static int32_t mixture_numbers(const og_group *prior, const int32_t *counts, double *number)
{
    double weight[OG_PARTS_MAX];
    weigh_components(prior, counts, weight);
    for (int32_t k = 0; k < prior->part_count; k++) {
        number[3 * k] = weight[k];
        number[3 * k + 1] = og_fraction_double(prior->component[k].a) + counts[0];
        number[3 * k + 2] = og_fraction_double(prior->component[k].b) + counts[1];
    }
    return 3 * prior->part_count;
}

int32_t og_posterior_numbers(const og_arm *arm, uint32_t node, double *number)
{
    const og_group *prior = og_arm_prior(arm);
    if (prior->kind == OG_PRIOR_MIXTURE) {
        int32_t counts[2];
        og_arm_counts(arm, node, counts);
        return mixture_numbers(prior, counts, number);
    }
    if (prior->kind == OG_PRIOR_NODES) {
        number[0] = og_arm_table_node(arm, node);
        return 1;
    }
    og_fraction parameter[OG_CLASSES_MAX];
    og_arm_posterior(arm, node, parameter);
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        number[k] = og_fraction_double(parameter[k]);
    }
    return arm->outcome_count;
}

static int32_t kind_of(const og_group *prior)
{
    static const int32_t kinds[] = {[OG_PRIOR_BETA] = OG_PLUGIN_BETA,
                                    [OG_PRIOR_MIXTURE] = OG_PLUGIN_MIXTURE,
                                    [OG_PRIOR_DIRICHLET] = OG_PLUGIN_CLASSES,
                                    [OG_PRIOR_NODES] = OG_PLUGIN_ARM};
    return kinds[prior->kind];
}

og_plugin_group og_user_group(const og_arm *arm, uint32_t node, int64_t copies, double *parameter,
                              int32_t *labels)
{
    const og_group *prior = og_arm_prior(arm);
    bool counted = labels != NULL && prior->kind != OG_PRIOR_NODES;
    if (counted) {
        og_arm_counts(arm, node, labels);
    }
    return (og_plugin_group){
        .copies = copies,
        .kind = kind_of(prior),
        .parameter_count = og_posterior_numbers(arm, node, parameter),
        .parameter = parameter,
        .threshold = prior->kind == OG_PRIOR_DIRICHLET ? 0.5 : og_fraction_double(prior->threshold),
        .label_count = arm->outcome_count,
        .labels = counted ? labels : NULL,
    };
}
