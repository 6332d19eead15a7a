/*
 * Values of later states, read from layers that were kept.
 *
 * A contracted node has no state: its reward is added and its outcomes are read one layer below, as
 * in the sweep.
 */
#include <stdlib.h>
#include <string.h>

#include "dp/product/blocks/made.h"

enum { FEW = 32 };

/* An instance's group and its number in it. */
typedef struct {
    uint32_t member;
    int32_t number;
    int64_t copies;
} source_item;

/* Inserts one into those before it, sorted by group and number: few, so by insertion. */
static void insert(source_item *items, int32_t count, source_item item)
{
    while (count > 0 &&
           (items[count - 1].member > item.member ||
            (items[count - 1].member == item.member && items[count - 1].number > item.number))) {
        items[count] = items[count - 1];
        count--;
    }
    items[count] = item;
}

static og_status not_known(og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT, "the value of this state was not kept");
}

/* The slot of an arm, -1 if it has none. */
static int32_t slot_of(const og_blocks *b, int32_t arm)
{
    int32_t slot = b->slots.slot_count - 1;
    while (slot >= 0 && b->slots.arm[slot] != arm) {
        slot--;
    }
    return slot;
}

/* The rank of the instances of one group, items[0 .. count). */
static uint32_t rank_of(const og_blocks *b, const source_item *items, int32_t count,
                        int32_t *number)
{
    int32_t copies = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int64_t c = 0; c < items[i].copies; c++) {
            number[copies++] = items[i].number;
        }
    }
    return copies == 1 ? (uint32_t)number[0] : og_block_rank(b->ranks, number, copies);
}

/* The value of the state with these instances, which are sorted. */
static og_status look_up(const og_blocks *b, int32_t left, const source_item *items, int32_t count,
                         og_copies *list, int32_t *number, double *gain, og_message *message)
{
    uint64_t place = 0, stride = 1;
    int32_t groups = 0;
    for (int32_t i = 0, end; i < count; i = end) {
        int64_t copies = 0;
        for (end = i; end < count && items[end].member == items[i].member; end++) {
            copies += items[end].copies;
        }
        int32_t arm = b->slots.arm[og_block_slot_of(&b->slots, items[i].member)];
        int32_t depth = og_block_depth_of(&b->slots, items[i].member);
        int32_t classes = og_block_summary_of(b->summaries, left, arm, depth)->count;
        list[groups++] = (og_copies){items[i].member, (uint32_t)copies};
        if (classes == 1) {
            continue;
        }
        if (copies > b->plan->copies_max || b->plan->classes[copies] < (uint32_t)classes) {
            return not_known(message);
        }
        place += stride * rank_of(b, &items[i], end - i, number);
        stride *= og_block_axis(b->ranks, classes, (uint32_t)copies);
    }
    uint32_t type;
    const og_state_set *set = b->plan->layer[left].set;
    if (!og_state_set_find(set, list, groups, &type)) {
        return not_known(message);
    }
    uint64_t begin = *(const uint64_t *)og_state_set_payload(set, type);
    *gain = og_blocks_layer(b, left)[begin + place];
    return OG_OK;
}

static og_status value_of(const og_blocks *b, int32_t left, const og_state_group *group,
                          int32_t count, double *gain, og_message *message);

static int32_t depth_of(const og_blocks *b, const og_state_group *group)
{
    const og_arm *arm = b->arms->arm[group->arm];
    int32_t depth = 0, past = arm->depth + 1; /* level[depth] <= node < level[past] */
    while (past - depth > 1) {
        int32_t middle = depth + (past - depth) / 2;
        if (group->node >= arm->level[middle]) {
            depth = middle;
        } else {
            past = middle;
        }
    }
    return depth;
}

/* The value of a state with a contracted instance in group i. */
static og_status value_contracted(const og_blocks *b, int32_t left, const og_state_group *group,
                                  int32_t count, int32_t i, double *gain, og_message *message)
{
    const og_arm *arm = b->arms->arm[group[i].arm];
    for (int32_t j = 0; j < count; j++) { /* labelled at once only if nothing better is there */
        if (group[j].copies > (j == i) &&
            og_block_summary_of(b->summaries, left, group[j].arm, depth_of(b, &group[j]))->reach >
                arm->reward[group[i].node]) {
            return not_known(message);
        }
    }
    og_state_group *moved = calloc((size_t)count + 1, sizeof *moved);
    OG_TRY(OG_ALLOCATED(moved));
    memcpy(moved, group, (size_t)count * sizeof *group);
    moved[i].copies--;
    double sum = arm->reward[group[i].node];
    og_status status = OG_OK;
    for (int32_t k = 0; status == OG_OK && k < arm->outcome_count; k++) {
        size_t at = (size_t)group[i].node * (size_t)arm->outcome_count + (size_t)k;
        moved[count] = (og_state_group){group[i].arm, arm->next[at], 1};
        double value = 0;
        status = value_of(b, left - 1, moved, count + 1, &value, message);
        sum += arm->probability[at] * value;
    }
    free(moved);
    *gain = sum;
    return status;
}

static og_status value_of(const og_blocks *b, int32_t left, const og_state_group *group,
                          int32_t count, double *gain, og_message *message)
{
    *gain = 0;
    if (left == 0) {
        return OG_OK;
    }
    source_item few_items[FEW];
    og_copies few_list[FEW];
    int32_t few_numbers[FEW];
    bool few = count <= FEW && b->plan->copies_max <= FEW; /* nearly always, without allocation */
    source_item *items = few ? few_items : calloc((size_t)count + 1, sizeof *items);
    og_copies *list = few ? few_list : calloc((size_t)count + 1, sizeof *list);
    int32_t *number = few ? few_numbers : calloc((size_t)b->plan->copies_max + 1, sizeof *number);
    og_status status = items == NULL || list == NULL || number == NULL ? OG_NO_MEMORY : OG_OK;
    int32_t listed = 0, contracted = -1;
    for (int32_t i = 0; status == OG_OK && i < count; i++) {
        if (group[i].copies < 1) {
            continue;
        }
        int32_t slot = slot_of(b, group[i].arm);
        int32_t depth = depth_of(b, &group[i]);
        if (slot < 0 || depth > b->arms->budget - left) {
            status = not_known(message);
            break;
        }
        uint32_t node = b->arms->node_offset[group[i].arm] + group[i].node;
        insert(items, listed++,
               (source_item){og_block_member(&b->slots, slot, depth), b->number[left][node],
                             group[i].copies});
        contracted = b->number[left][node] < 0 ? i : contracted;
    }
    if (status == OG_OK && contracted >= 0) {
        status = value_contracted(b, left, group, count, contracted, gain, message);
    } else if (status == OG_OK) {
        status = look_up(b, left, items, listed, list, number, gain, message);
    }
    if (!few) {
        free(items);
        free(list);
        free(number);
    }
    return status;
}

og_status og_blocks_value_at(const og_blocks *b, const og_state *state, double *gain,
                             og_message *message)
{
    unsigned needed = OG_BLOCKS_KEEP | OG_BLOCKS_FOLD;
    if ((b->use & needed) != needed || !b->solved || state->left < 0 ||
        state->left > b->arms->budget) {
        return not_known(message);
    }
    double found;
    og_status status = value_of(b, state->left, state->group, state->count, &found, message);
    if (status == OG_OK) {
        *gain = found;
    }
    return status;
}
