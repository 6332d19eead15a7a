/*
 * Writes and reads the keys of states, including states given by callers.
 *
 * Invariant: a key written here is normal. Classes ascend (or runs are in order), equal neighbours
 * are joined, everything that can be dropped or capped is, and there are no zero words at the end.
 * Two states of one value class have one key.
 */
#include "dp/product/product_key.h"

#include <assert.h>
#include <stdlib.h>

#include "dp/product/key_code.h"

/* The number of `copies` that matter with `left` labels left. */
static int64_t capped(const og_product *p, const og_layer *layer, int32_t left, og_pair pair)
{
    if (!p->cap) {
        return pair.copies;
    }
    int64_t most = left;
    if (p->optimum) { /* reduction 3; dead classes that are kept have no cap */
        int32_t first_live = layer->first_live[pair.class];
        most = first_live > 0 ? left - first_live + 1 : left;
    }
    return pair.copies < most ? pair.copies : most;
}

/* True if the state has an action. */
static bool any_action(const og_layer *layer, const og_pair *pair, int32_t count)
{
    bool any = false;
    for (int32_t i = 0; i < count; i++) {
        const uint32_t *first = &layer->action_first[pair[i].class];
        any = any || (pair[i].copies > 0 && first[1] > first[0]);
    }
    return any;
}

int32_t og_product_write_key(const og_product *p, int32_t left, const og_pair *pair, int32_t count,
                             uint64_t *key)
{
    const og_layer *layer = &p->layers->layer[left];
    int32_t order = p->order[left];
    if (p->several && !any_action(layer, pair, count)) {
        return 0;
    }
    og_key_writer w = {key, 0, 0, 0};
    og_key_put(&w, (uint64_t)left, p->left_bits);
    uint32_t previous = 0;
    int32_t written = 0;
    for (int32_t i = 0; i < count; i++) {
        if (pair[i].copies == 0) {
            continue;
        }
        uint32_t gap = pair[i].class - previous;
        og_key_put_code(&w, gap - (previous > 0 || p->drop ? 1u : 0u), order);
        if (pair[i].copies == 1) {
            og_key_put(&w, 1, 1); /* the code of 0, by far the most frequent */
        } else {
            og_key_put_code(&w, (uint64_t)capped(p, layer, left, pair[i]) - 1, 0);
        }
        previous = p->ordered ? 0 : pair[i].class;
        written++;
    }
    return written == 0 ? 0 : og_key_end(&w);
}

int32_t og_product_read_key(const og_product *p, const uint64_t *key, int32_t words, og_pair *pairs,
                            int32_t *left)
{
    og_key_reader r = {key, 0, (int64_t)words << 6};
    *left = (int32_t)og_key_get(&r, p->left_bits);
    int32_t order = p->order[*left];
    uint32_t previous = 0;
    uint64_t gap;
    uint64_t copies;
    int32_t count = 0;
    while (og_key_get_code(&r, order, &gap) && og_key_get_code(&r, 0, &copies)) {
        og_pair *pair = &pairs[count++];
        pair->class = previous + (uint32_t)gap + (previous > 0 || p->drop ? 1u : 0u);
        pair->copies = (int64_t)copies + 1;
        previous = p->ordered ? 0 : pair->class;
    }
    return count;
}

/* ---- states given by callers ---- */

/* The most pairs of a state from which `left` more labels stay within pairs_max: each label adds
 * one, or two if it splits a run in three. There are never more pairs than instances. */
static int64_t pairs_most(const og_product *p, int32_t left)
{
    int64_t most = p->pairs_max - 2;
    return most == p->instances ? most : most - (p->ordered ? 2 : 1) * (int64_t)left;
}

og_status og_product_key(const og_product *p, const og_pairs *pairs, uint64_t *key, int32_t *words,
                         og_message *message)
{
    *words = 0;
    assert(pairs->left >= 0 && pairs->left <= p->budget && pairs->moved < pairs->count);
    if (pairs->left == 0) {
        return OG_OK;
    }
    og_pair *list = calloc((size_t)pairs->count + 3, sizeof *list);
    OG_TRY(OG_ALLOCATED(list));
    int32_t listed = 0;
    for (int32_t i = 0; i < pairs->count; i++) {
        int64_t copies = pairs->pair[i].copies - (i == pairs->moved);
        if (p->ordered) {
            og_product_append(p, list, &listed, pairs->to, i == pairs->moved);
            og_product_append(p, list, &listed, pairs->pair[i].class, copies);
        } else if (copies > 0 && !(p->drop && pairs->pair[i].class == 0)) {
            og_product_insert(list, &listed, pairs->pair[i].class, copies);
        }
    }
    if (!p->ordered && pairs->moved >= 0 && !(p->drop && pairs->to == 0)) {
        og_product_insert(list, &listed, pairs->to, 1);
    }
    bool fits = listed <= pairs_most(p, pairs->left);
    if (fits) {
        *words = og_product_write_key(p, pairs->left, list, listed, key);
    }
    free(list);
    return fits ? OG_OK
                : og_message_set(
                      message, OG_BAD_INPUT,
                      "the state has more different instances than this problem can reach");
}

og_status og_state_first(const og_arms *arms, og_state *state)
{
    og_state_group *group = calloc((size_t)arms->group_count + 1, sizeof *group);
    OG_TRY(OG_ALLOCATED(group));
    for (int32_t g = 0; g < arms->group_count; g++) {
        group[g] = (og_state_group){arms->arm_of_group[g], 0, arms->group_size[g]};
    }
    *state = (og_state){arms->budget, arms->budget, arms->group_count, group};
    return OG_OK;
}

bool og_state_is_first(const og_arms *arms, const og_state *state)
{
    bool first = state->left == arms->budget;
    for (int32_t i = 0; first && i < state->count; i++) {
        first = state->group[i].node == 0;
    }
    return first;
}

void og_product_pairs(const og_product *p, const og_classes *classes, const og_state *state,
                      og_pair *pair, og_pair *down)
{
    const uint32_t *below = p->layers->layer[state->left].down;
    for (int32_t i = 0; i < state->count; i++) {
        const og_state_group *group = &state->group[i];
        uint32_t class = 0;
        if (state->left > 0) {
            class = classes == NULL ? p->layers->root_class[group->arm]
                                    : og_classes_of(classes, state->left, group->arm, group->node);
        }
        pair[i] = (og_pair){class, group->copies};
        down[i] = (og_pair){below[class], group->copies};
    }
}

int32_t og_product_alike(const og_product *p, const og_pair *pair, int32_t i)
{
    int32_t same = 0;
    while (p->ordered ? same < i : pair[same].class != pair[i].class) {
        same++;
    }
    return same;
}

int32_t og_product_left(const og_product *p, const uint64_t *key)
{
    return (int32_t)(key[0] >> (64 - p->left_bits));
}
