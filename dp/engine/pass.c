/*
 * A forward pass over places, by stage. Invariant: only the sets of the current stage and of stages
 * below hold anything, and nothing is added to the current one. A key's words are stored as members
 * and copies of a sequence.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dp/engine/steps.h"

_Static_assert(sizeof(og_copies) == sizeof(uint64_t), "a word is one member and its copies");

static og_status put(og_forward_pass *pass, const og_step_state *place, uint32_t *entry)
{
    og_state_set **set = &pass->set[place->stage];
    bool added;
    if (*set == NULL) {
        OG_TRY(og_state_set_new(pass->payload_bytes, set));
    }
    return og_state_set_put(*set, (const og_copies *)place->key, place->words, pass->limit_bytes,
                            entry, &added);
}

og_status og_forward_pass_begin(const og_step_state *root, uint32_t payload_bytes,
                                uint64_t limit_bytes, og_forward_pass *pass)
{
    uint32_t entry;
    *pass =
        (og_forward_pass){.payload_bytes = payload_bytes, .limit_bytes = limit_bytes, .stage = -1};
    if (root->words == 0) {
        return OG_OK;
    }
    pass->set = calloc((size_t)root->stage + 1, sizeof *pass->set);
    if (pass->set == NULL) {
        return OG_NO_MEMORY;
    }
    pass->stage = pass->stage_max = root->stage;
    return put(pass, root, &entry);
}

void og_forward_pass_clear(og_forward_pass *pass)
{
    for (int32_t i = 0; pass->set != NULL && i <= pass->stage_max; i++) {
        og_state_set_free(pass->set[i]);
    }
    free(pass->set);
    *pass = (og_forward_pass){.stage = -1};
}

uint32_t og_forward_pass_count(const og_forward_pass *pass)
{
    const og_state_set *set = pass->set[pass->stage];
    return set != NULL ? og_state_set_count(set) : 0;
}

void og_forward_pass_place(const og_forward_pass *pass, uint32_t entry, og_step_state *out)
{
    const og_copies *word = og_state_set_at(pass->set[pass->stage], entry, &out->words);
    memcpy(out->key, word, (size_t)out->words * sizeof *word);
    out->stage = pass->stage;
}

void *og_forward_pass_payload(const og_forward_pass *pass, int32_t stage, uint32_t entry)
{
    return og_state_set_payload(pass->set[stage], entry);
}

uint64_t og_forward_pass_bytes(const og_forward_pass *pass)
{
    uint64_t bytes = 0;
    for (int32_t i = 0; i <= pass->stage; i++) {
        bytes += pass->set[i] != NULL ? og_state_set_bytes(pass->set[i]) : 0;
    }
    return bytes;
}

og_status og_forward_pass_put(og_forward_pass *pass, const og_step_state *place, uint32_t *entry)
{
    assert(place->words > 0 && place->stage >= 0 && place->stage < pass->stage);
    return put(pass, place, entry);
}

void og_forward_pass_next(og_forward_pass *pass)
{
    og_state_set_free(pass->set[pass->stage]);
    pass->set[pass->stage--] = NULL;
}
