/* The groups of a problem. A group takes more than a kilobyte, and most of many INSTANCE words
 * repeat another: equal groups are stored once. */
#include <inttypes.h>
#include <stdlib.h>

#include "dp/prior/problem.h"

void og_groups_init(og_groups *problem, int32_t budget)
{
    *problem = (og_groups){.budget = budget};
}

og_groups og_groups_of(og_group *group, int32_t count)
{
    return (og_groups){.group_count = count, .kind_count = count, .kind = group};
}

/* True if the groups are equal also as they are written, and hold the same tables. */
static bool is_same(const og_group *x, const og_group *y)
{
    return x->kind == y->kind && x->count == y->count && x->payoff.given == y->payoff.given &&
           x->payoff.values == y->payoff.values &&
           (x->kind != OG_PRIOR_NODES || x->nodes == y->nodes) && og_group_compare(x, y) == 0;
}

/* The slot of the group's kind, or a free one for it. */
static int32_t *slot_of(const og_groups *problem, const og_group *group)
{
    size_t mask = 2 * problem->kind_room - 1, at = (size_t)og_group_hash(group) & mask;
    while (problem->slot[at] != 0 && !is_same(&problem->kind[problem->slot[at] - 1], group)) {
        at = (at + 1) & mask;
    }
    return &problem->slot[at];
}

static og_status make_kind_room(og_groups *problem)
{
    if ((size_t)problem->kind_count < problem->kind_room) {
        return OG_OK;
    }
    size_t room = problem->kind_room == 0 ? 4 : 2 * problem->kind_room;
    og_group *kind = realloc(problem->kind, room * sizeof *kind);
    problem->kind = kind != NULL ? kind : problem->kind;
    int32_t *slot = calloc(2 * room, sizeof *slot);
    if (kind == NULL || slot == NULL) {
        free(slot);
        return OG_NO_MEMORY;
    }
    free(problem->slot);
    problem->slot = slot;
    problem->kind_room = room;
    for (int32_t k = 0; k < problem->kind_count; k++) {
        *slot_of(problem, &kind[k]) = k + 1;
    }
    return OG_OK;
}

/* The capacity is the smallest power of two that holds the groups, so no field stores it. */
static og_status make_group_room(og_groups *problem)
{
    int32_t used = problem->group_count;
    if ((used & (used - 1)) != 0) {
        return OG_OK;
    }
    size_t capacity = used == 0 ? 1 : 2 * (size_t)used;
    int32_t *kind_of = realloc(problem->kind_of, capacity * sizeof *kind_of);
    OG_TRY(OG_ALLOCATED(kind_of));
    problem->kind_of = kind_of;
    return OG_OK;
}

static void add_kind(og_groups *problem, const og_group *group)
{
    problem->kind[problem->kind_count++] = *group;
    if (group->kind == OG_PRIOR_NODES) {
        og_node_table_hold(group->nodes);
    }
    og_worth_values_hold(group->payoff.values);
}

og_status og_groups_add(og_groups *problem, const og_group *group, og_message *message)
{
    OG_TRY(og_group_check(group, problem->budget, message));
    if (group->count > OG_COUNT_MAX - problem->added) {
        return og_message_set(message, OG_BAD_INPUT, "more than %" PRId64 " instances in all",
                              OG_COUNT_MAX);
    }
    if (make_kind_room(problem) != OG_OK || make_group_room(problem) != OG_OK) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for the list of instances");
    }
    int32_t *slot = slot_of(problem, group);
    if (*slot == 0) {
        add_kind(problem, group);
        *slot = problem->kind_count;
    }
    problem->kind_of[problem->group_count++] = *slot - 1;
    problem->added += group->count;
    return OG_OK;
}

void og_groups_cut(og_groups *problem, int32_t group_count)
{
    while (problem->group_count > group_count) {
        problem->added -= og_groups_at(problem, --problem->group_count)->count;
    }
}

int64_t og_groups_size(const og_groups *problem)
{
    int64_t size = 0;
    for (int32_t i = 0; i < problem->group_count; i++) {
        size += og_groups_at(problem, i)->count;
    }
    return size;
}

void og_groups_clear(og_groups *problem)
{
    for (int32_t k = 0; k < problem->kind_count; k++) {
        if (problem->kind[k].kind == OG_PRIOR_NODES) {
            og_node_table_release(problem->kind[k].nodes);
        }
        og_worth_values_release(problem->kind[k].payoff.values);
    }
    free(problem->kind);
    free(problem->kind_of);
    free(problem->slot);
    *problem = (og_groups){0};
}
