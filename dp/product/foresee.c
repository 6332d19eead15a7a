/* Walks forward through the states that a policy reaches. */
#include "dp/product/foresee.h"

#include <stdlib.h>
#include <string.h>

#include "dp/engine/steps.h"

enum { PART_STATES = 1000 };

/* States shown together: their groups stand one after the other. */
typedef struct {
    const og_foresight *sight;
    og_arena arena;
    og_model model;
    og_expansion x;
    og_forward_pass pass;
    uint64_t *key;         /* of a state, and */
    uint64_t *successor;   /* of one that follows */
    og_state *state;       /* [PART_STATES] */
    og_state_group *group; /* [PART_STATES * room] */
    size_t room;
    uint64_t states;
    bool more; /* false: the pass ends */
} walk;

static og_step_state place_at(walk *w, uint32_t entry)
{
    og_step_state place = {.key = w->key};
    og_forward_pass_place(&w->pass, entry, &place);
    return place;
}

static og_status show(walk *w, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        og_step_state place = place_at(w, first + i);
        og_state_group *group = &w->group[i * w->room];
        w->state[i] = og_product_shown(w->sight->product, place.key, place.words, &w->x);
        memcpy(group, w->state[i].group, (size_t)w->state[i].count * sizeof *group);
        w->state[i].group = group;
    }
    return og_ranks_foresee(w->sight->product->chosen_by, w->state, (int32_t)count, &w->more);
}

/* Adds the states that follow the expanded one; those that do not fit end the pass. */
static og_status follow(walk *w)
{
    og_step_state next = {.stage = w->pass.stage - 1, .key = w->successor};
    for (int32_t a = 0; a < w->x.action_count; a++) {
        const og_action *action = &w->x.action[a];
        for (int32_t k = 0; k < action->outcome_count; k++) {
            double value;
            uint32_t entry;
            next.words = w->model.successor(
                w->model.self, &w->x, &w->x.outcome[action->outcome_first + k], next.key, &value);
            og_status status = OG_OK;
            if (next.words > 0) {
                status = og_forward_pass_put(&w->pass, &next, &entry);
            }
            if (status == OG_STOPPED) {
                w->more = false;
                return OG_OK;
            }
            OG_TRY(status);
        }
    }
    return OG_OK;
}

static og_status take(walk *w, uint32_t first, uint32_t count)
{
    OG_TRY(show(w, first, count));
    w->states += count;
    w->more = w->more && (w->sight->states_max == 0 || w->states <= w->sight->states_max);
    for (uint32_t i = 0; i < count && w->more; i++) {
        og_step_state place = place_at(w, first + i);
        OG_TRY(w->model.expand(w->model.self, place.key, place.words, &w->x));
        OG_TRY(follow(w));
        w->more = w->more && !og_stop_asked(w->sight->stop);
    }
    return OG_OK;
}

static og_status walk_all(walk *w)
{
    for (; w->more && w->pass.stage >= 1; og_forward_pass_next(&w->pass)) {
        uint32_t count = og_forward_pass_count(&w->pass);
        for (uint32_t i = 0; i < count && w->more; i += PART_STATES) {
            OG_TRY(take(w, i, count - i < PART_STATES ? count - i : PART_STATES));
        }
    }
    return OG_OK;
}

og_status og_product_foresee(const og_foresight *sight)
{
    walk w = {.sight = sight, .model = og_product_model(sight->product), .more = sight->words > 0};
    size_t words = (size_t)sight->product->key_words_max;
    w.room = (size_t)sight->product->pairs_max;
    w.key = og_arena_array(&w.arena, words, sizeof *w.key);
    w.successor = og_arena_array(&w.arena, words, sizeof *w.successor);
    w.state = og_arena_array(&w.arena, PART_STATES, sizeof *w.state);
    w.group = og_arena_array(&w.arena, PART_STATES * w.room, sizeof *w.group);
    og_status status = og_arena_status(&w.arena);
    if (status == OG_OK) {
        memcpy(w.key, sight->key, (size_t)sight->words * sizeof *w.key);
        const og_step_state root = {
            .stage = og_product_left(sight->product, w.key), .words = sight->words, .key = w.key};
        status = og_forward_pass_begin(&root, 0, sight->limit_bytes, &w.pass);
    }
    OG_THEN(status, w.model.expansion_new(w.model.self, &w.x));
    if (status == OG_OK) {
        status = walk_all(&w);
        w.model.expansion_free(&w.x);
    }
    og_forward_pass_clear(&w.pass);
    og_arena_clear(&w.arena);
    return status;
}
