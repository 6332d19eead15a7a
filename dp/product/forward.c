/*
 * Two sets of states, by labels left. Invariant: `below` holds the states put since the last step,
 * all with left - 1 labels left. The current state is a copy, because the sets move in memory.
 */
#include "dp/product/forward.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare_members(const void *left, const void *right)
{
    const og_copies *a = left;
    const og_copies *b = right;
    return (a->member > b->member) - (a->member < b->member);
}

/* Joins neighbouring runs of one member; returns the length. */
static int32_t join(og_copies *list, int32_t count)
{
    int32_t written = 0;
    for (int32_t i = 0; i < count; i++) {
        if (written > 0 && list[written - 1].member == list[i].member) {
            list[written - 1].copies += list[i].copies;
        } else if (list[i].copies > 0) {
            list[written++] = list[i];
        }
    }
    return written;
}

/* Labels the first instance of run `from`, which becomes `to`; writes the runs after that. */
static int32_t replace_in_order(const og_copies *list, int32_t count, int32_t from, uint32_t to,
                                og_copies *out)
{
    int32_t written = 0;
    for (int32_t i = 0; i < count; i++) {
        if (i == from) {
            out[written++] = (og_copies){to, 1};
            out[written++] = (og_copies){list[i].member, list[i].copies - 1};
        } else {
            out[written++] = list[i];
        }
    }
    return join(out, written);
}

int32_t og_forward_root(const og_forward *pass)
{
    const og_arms *arms = pass->arms;
    bool apart = pass->order == OG_FORWARD_APART;
    int32_t count = 0;
    for (int32_t g = 0; g < arms->group_count; g++) {
        const og_copies all = {arms->node_offset[arms->arm_of_group[g]],
                               (uint32_t)arms->group_size[g]};
        for (int64_t i = 0; i < (apart ? arms->group_size[g] : 1); i++) {
            pass->list[count++] = apart ? (og_copies){all.member, 1} : all;
        }
    }
    if (pass->order == OG_FORWARD_SORTED) {
        qsort(pass->list, (size_t)count, sizeof *pass->list, compare_members);
    }
    return apart ? count : join(pass->list, count);
}

static og_status put_root(og_forward *pass)
{
    uint32_t entry;
    bool added;
    return og_state_set_put(pass->here, pass->list, og_forward_root(pass), pass->limit_bytes,
                            &entry, &added);
}

static og_status allocate(og_forward *pass, uint32_t payload_bytes)
{
    const og_arms *arms = pass->arms;
    /* A label adds a posterior, or splits a run into three. */
    int64_t most = arms->group_count + 2 * (int64_t)arms->budget + 2;
    if (pass->order == OG_FORWARD_APART) {
        most = 0;
        for (int32_t g = 0; g < arms->group_count; g++) {
            most += arms->group_size[g];
        }
    }
    if (most > INT32_MAX) {
        return OG_NO_MEMORY;
    }
    pass->room = (int32_t)most;
    size_t room = (size_t)most;
    pass->group = og_arena_array(&pass->arena, room, sizeof *pass->group);
    pass->list = og_arena_array(&pass->arena, room, sizeof *pass->list);
    pass->successor = og_arena_array(&pass->arena, room, sizeof *pass->successor);
    OG_TRY(og_arena_status(&pass->arena));
    OG_TRY(og_state_set_new(payload_bytes, &pass->here));
    return og_state_set_new(payload_bytes, &pass->below);
}

og_status og_forward_begin(const og_arms *arms, og_forward_order order, uint32_t payload_bytes,
                           uint64_t limit_bytes, og_forward *pass)
{
    *pass = (og_forward){.arms = arms,
                         .order = order,
                         .limit_bytes = limit_bytes,
                         .left = arms->budget,
                         .payload_bytes = payload_bytes};
    og_status status = allocate(pass, payload_bytes);
    return status == OG_OK ? put_root(pass) : status;
}

void og_forward_clear(og_forward *pass)
{
    og_state_set_free(pass->here);
    og_state_set_free(pass->below);
    og_arena_clear(&pass->arena);
    *pass = (og_forward){.arms = NULL};
}

uint32_t og_forward_count(const og_forward *pass)
{
    return og_state_set_count(pass->here);
}

void og_forward_take_list(og_forward *pass, int32_t left, const og_copies *list, int32_t count)
{
    const og_arms *arms = pass->arms;
    for (int32_t i = 0; i < count; i++) {
        int32_t arm = og_arms_arm_of(arms, list[i].member);
        pass->list[i] = list[i];
        pass->group[i] =
            (og_state_group){arm, list[i].member - arms->node_offset[arm], list[i].copies};
    }
    pass->state = (og_state){left, arms->budget, count, pass->group};
}

void og_forward_take(og_forward *pass, uint32_t entry)
{
    int32_t count;
    const og_copies *list = og_state_set_at(pass->here, entry, &count);
    og_forward_take_list(pass, pass->left, list, count);
}

int32_t og_forward_successor(const og_forward *pass, int32_t group, int32_t outcome)
{
    const og_state *state = &pass->state;
    const og_state_group *moved = &state->group[group];
    const og_arm *arm = pass->arms->arm[moved->arm];
    size_t at = (size_t)moved->node * (size_t)arm->outcome_count + (size_t)outcome;
    uint32_t to = pass->arms->node_offset[moved->arm] + arm->next[at];
    assert(state->left > 0 && group < state->count);
    switch (pass->order) {
    case OG_FORWARD_RUNS:
        return replace_in_order(pass->list, state->count, group, to, pass->successor);
    case OG_FORWARD_APART:
        memcpy(pass->successor, pass->list, (size_t)state->count * sizeof *pass->list);
        pass->successor[group].member = to;
        return state->count;
    case OG_FORWARD_SORTED:
        break;
    }
    return og_multiset_replace(pass->list, state->count, pass->list[group].member, to,
                               pass->successor);
}

og_status og_forward_put(og_forward *pass, int32_t group, int32_t outcome, uint32_t *entry)
{
    bool added;
    int32_t count = og_forward_successor(pass, group, outcome);
    return og_state_set_put(pass->below, pass->successor, count, pass->limit_bytes, entry, &added);
}

void og_forward_next(og_forward *pass)
{
    og_state_set *done = pass->here;
    pass->here = pass->below;
    pass->below = done;
    og_state_set_empty(done);
    pass->left--;
}

og_status og_forward_keep(og_forward *pass, og_state_set **kept)
{
    og_state_set *empty = NULL;
    OG_TRY(og_state_set_new(pass->payload_bytes, &empty));
    *kept = pass->here;
    pass->here = pass->below;
    pass->below = empty;
    pass->left--;
    return OG_OK;
}
