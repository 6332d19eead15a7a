/* Working memory of a thread, large enough for the largest block of a plan. */
#include "dp/product/blocks/scratch.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t most_moves(const og_block_plan *plan)
{
    uint64_t most = 1;
    for (int32_t g = 1; g <= plan->copies_max; g++) {
        double moves = g * og_block_rank_count(plan->classes[g] == 0 ? 1 : plan->classes[g], g);
        most = moves > (double)most ? (uint64_t)moves : most;
    }
    return most;
}

double og_block_scratch_bytes(const og_block_plan *plan, int32_t outcomes, bool policy)
{
    double states = (double)plan->block_max + 1, moves = (double)most_moves(plan);
    double groups = (double)plan->groups_max + 2;
    return groups * (sizeof(og_block_line) + 12) + states * (sizeof(og_block_place) + 8) +
           moves * (20 + 12.0 * outcomes) + (policy ? states * 12 + moves * 4 : 0);
}

og_status og_block_scratch_new(const og_block_plan *plan, int32_t outcomes, bool policy,
                               og_block_scratch **out)
{
    og_block_scratch *s = calloc(1, sizeof *s);
    OG_TRY(OG_ALLOCATED(s));
    size_t groups = (size_t)plan->groups_max + 2, states = (size_t)plan->block_max + 1;
    size_t moves = (size_t)most_moves(plan), streams = (size_t)outcomes;
    s->moves_max = (uint32_t)moves;
    s->axis = calloc(groups, sizeof *s->axis);
    for (int i = 0; i < 3; i++) {
        s->size[i] = calloc(groups, sizeof *s->size[i]);
        s->stride[i] = calloc(groups, sizeof *s->stride[i]);
    }
    s->place = calloc(states, sizeof *s->place);
    s->inside = calloc(states, sizeof *s->inside);
    s->inside_two = calloc(states, sizeof *s->inside_two);
    s->reward = calloc(moves, sizeof *s->reward);
    s->probability = calloc(moves * streams, sizeof *s->probability);
    s->to = calloc(moves, sizeof *s->to);
    s->rest = calloc(moves, sizeof *s->rest);
    s->number = calloc(moves, sizeof *s->number);
    s->at = calloc(moves * streams, sizeof *s->at);
    if (policy) {
        s->times = calloc(moves, sizeof *s->times);
        s->top = calloc(states, sizeof *s->top);
        s->weight = calloc(states, sizeof *s->weight);
    }
    bool strides = !policy || (s->times != NULL && s->top != NULL && s->weight != NULL);
    for (int i = 0; i < 3; i++) {
        strides = strides && s->size[i] != NULL && s->stride[i] != NULL;
    }
    if (!strides || s->axis == NULL || s->place == NULL || s->inside == NULL ||
        s->inside_two == NULL || s->reward == NULL || s->probability == NULL || s->to == NULL ||
        s->rest == NULL || s->number == NULL || s->at == NULL) {
        og_block_scratch_free(s);
        return OG_NO_MEMORY;
    }
    *out = s;
    return OG_OK;
}

void og_block_scratch_free(og_block_scratch *s)
{
    if (s != NULL) {
        free(s->axis);
        for (int i = 0; i < 3; i++) {
            free(s->size[i]);
            free(s->stride[i]);
        }
        free(s->place);
        free(s->inside);
        free(s->inside_two);
        free(s->reward);
        free(s->probability);
        free(s->to);
        free(s->rest);
        free(s->number);
        free(s->at);
        free(s->times);
        free(s->top);
        free(s->weight);
    }
    free(s);
}
