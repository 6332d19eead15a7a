/*
 * The outcomes of nodes as rows: adds up outcomes that lead to one class, joins those of several
 * actions with headers between them, and removes the headers again.
 */
#include <assert.h>
#include <stdlib.h>

#include "dp/product/layers_builder.h"

bool og_layers_resize(void *pointer, size_t count, size_t size)
{
    void **array = pointer;
    void *bigger = realloc(*array, (count == 0 ? 1 : count) * size);
    if (bigger == NULL) {
        return false;
    }
    *array = bigger;
    return true;
}

bool og_layers_merge(og_exact_names *names, signature_outcome *outcome, uint32_t *count)
{
    for (uint32_t i = 1; i < *count; i++) {
        signature_outcome item = outcome[i];
        uint32_t j = i;
        while (j > 0 && (outcome[j - 1].next > item.next ||
                         (outcome[j - 1].next == item.next &&
                          outcome[j - 1].probability > item.probability))) {
            outcome[j] = outcome[j - 1];
            j--;
        }
        outcome[j] = item;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (kept == 0 || outcome[kept - 1].next != outcome[i].next) {
            outcome[kept++] = outcome[i];
        } else if (names == NULL) {
            outcome[kept - 1].probability += outcome[i].probability;
        } else {
            uint32_t sum;
            if (og_exact_names_sum(names, (uint32_t)outcome[kept - 1].probability,
                                   (uint32_t)outcome[i].probability, &sum) != OG_OK) {
                return false;
            }
            outcome[kept - 1].probability = sum;
        }
    }
    *count = kept;
    return true;
}

/* ---- rows of several actions ---- */

static uint32_t header_of(int32_t cost, uint32_t outcomes)
{
    assert(cost <= OG_ARM_COST_MAX && outcomes <= UINT16_MAX);
    return (uint32_t)cost << 16 | outcomes;
}

static int32_t header_cost(uint64_t header)
{
    return (int32_t)(header >> 16);
}

static uint32_t header_outcomes(uint64_t header)
{
    return (uint32_t)header & UINT16_MAX;
}

/* Writes the possible outcomes of an action, after a header at `row`. *length is the length of
 * both: 0 if the action gains nothing. */
static bool action_row(const builder *b, int32_t arm_number, uint32_t action,
                       signature_outcome *row, uint32_t *length)
{
    const og_arm *arm = b->arms->arm[arm_number];
    const og_exact_names *names = b->names;
    uint32_t outcomes = 0;
    int32_t cost = arm->cost == NULL ? 1 : arm->cost[action];
    const uint32_t *below = &b->past[cost][b->arms->node_offset[arm_number]];
    bool dead = b->merge && arm->reward[action] == 0;
    for (int32_t k = 0; k < arm->outcome_count; k++) {
        size_t at = (size_t)action * (size_t)arm->outcome_count + (size_t)k;
        if (arm->probability[at] > 0) {
            signature_outcome *outcome = &row[1 + outcomes++];
            outcome->probability =
                names != NULL ? names->probability_of[arm_number][at] : arm->probability[at];
            outcome->next = below[arm->next[at]];
            dead = dead && outcome->next == 0;
        }
    }
    if (b->merge && !og_layers_merge(b->names, &row[1], &outcomes)) {
        return false;
    }
    row[0].probability =
        names != NULL ? names->reward_of[arm_number][action] : arm->reward[action] + 0.0;
    row[0].next = header_of(cost, outcomes);
    *length = dead ? 0 : 1 + outcomes;
    return true;
}

bool og_layers_signature(const builder *b, int32_t arm_number, uint32_t node, int32_t left,
                         signature *key)
{
    const og_arm *arm = b->arms->arm[arm_number];
    key->reward = 0;
    key->rank = 0;
    key->down = b->below[b->arms->node_offset[arm_number] + node];
    key->node = b->merge ? 0 : b->arms->node_offset[arm_number] + node;
    key->outcome_count = 0;
    uint32_t end = og_arm_first_action(arm, node + 1);
    for (uint32_t action = og_arm_first_action(arm, node); action < end; action++) {
        signature_outcome *row = &key->outcome[key->outcome_count];
        uint32_t length;
        if (arm->cost != NULL && arm->cost[action] > left) {
            continue;
        }
        if (!action_row(b, arm_number, action, row, &length)) {
            return false;
        }
        key->reward =
            length > 0 && row[0].probability > key->reward ? row[0].probability : key->reward;
        key->outcome_count += length;
    }
    return true;
}

void og_layers_reach(const builder *b, const signature *key, int32_t left, double *reach,
                     bool *live)
{
    for (uint32_t at = 0; at < key->outcome_count;) {
        const og_layer *below = &b->layers->layer[left - header_cost(key->outcome[at].next)];
        uint32_t end = at + 1 + header_outcomes(key->outcome[at].next);
        for (at++; at < end; at++) {
            uint64_t next = key->outcome[at].next;
            *reach = reaches(below)[next] > *reach ? reaches(below)[next] : *reach;
            *live = *live || below->first_live[next] > 0;
        }
    }
}

bool og_layers_unpack(builder *b)
{
    og_layer *layer = &b->layer;
    const og_exact_names *names = b->names;
    uint32_t rows = layer->outcome_first[layer->class_count], actions = 0, kept = 0;
    uint32_t *class_first = layer->outcome_first;
    uint32_t *first = malloc(((size_t)rows + 1) * sizeof *first);
    layer->action_first = class_first;
    layer->outcome_first = first;
    if (first == NULL || !og_layers_resize(&layer->action_cost, rows, sizeof *layer->action_cost) ||
        !og_layers_resize(&layer->action_reward, rows, sizeof *layer->action_reward) ||
        (names != NULL && !og_layers_resize(&layer->action_reward_name, rows, sizeof(double)))) {
        return false;
    }
    for (uint32_t c = 0, at = 0; c < layer->class_count; c++) {
        uint32_t end = class_first[c + 1];
        class_first[c] = actions;
        while (at < end) {
            uint32_t outcomes = header_outcomes(layer->next[at]);
            double reward = layer->probability[at];
            layer->action_cost[actions] = header_cost(layer->next[at]);
            layer->action_reward[actions] =
                names != NULL ? names->reward.nearest[(uint32_t)reward] : reward;
            if (names != NULL) {
                layer->action_reward_name[actions] = reward;
            }
            first[actions++] = kept;
            for (at++; outcomes > 0; outcomes--, at++) {
                double probability = layer->probability[at];
                layer->next[kept] = layer->next[at];
                layer->probability[kept] =
                    names != NULL ? names->probability.nearest[(uint32_t)probability] : probability;
                if (names != NULL) {
                    layer->probability_name[kept] = probability;
                }
                kept++;
            }
        }
    }
    class_first[layer->class_count] = actions;
    first[actions] = kept;
    return true;
}
