#ifndef OG_DP_ENGINE_SPREAD_PAGE_H
#define OG_DP_ENGINE_SPREAD_PAGE_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"
#include "dp/engine/model.h"
#include "dp/engine/spread_layer.h"

/*
 * A page of states at work, on one thread: which successors it asks the ranks for, and, once they
 * have answered, its values. Both ways it asks for the same keys in the same order, so that answers
 * need no names. Most successors that states of a page have in common are asked for once.
 */
typedef struct {
    const og_model *model;
    int ranks;
    og_stop *stop;          /* asked before each state */
    og_expansion expansion; /* action NULL: not made */
    uint64_t *key;          /* [key_words_max] scratch */
    uint32_t *seen;         /* places in `met` by hash, the last of each */
    uint64_t *met;          /* [room] records of what is asked for: see og_spread_asked */
    size_t used, room;
    uint32_t *asked; /* [ranks] keys of each owner so far */
    uint64_t expanded, looked_up;
    /* Answers, NULL at first: those of each owner, and where this page's begin. */
    const double *const *answer; /* [ranks] */
    const uint32_t *first;       /* [ranks] */
} og_spread_hand;

/* Whose state a key of this hash is. */
static inline int og_spread_owner(uint64_t hash, int ranks)
{
    return (int)((hash >> 32) * (uint64_t)ranks >> 32);
}

/* Borrows all it is given. OG_NO_MEMORY. */
og_status og_spread_hand_new(const og_model *model, int ranks, og_stop *stop, og_spread_hand *out);
void og_spread_hand_free(og_spread_hand *hand); /* a zeroed one is fine */

/* Its bytes, without the expansion. */
uint64_t og_spread_hand_bytes(const og_spread_hand *hand);

/* Expands the states of a page; with answers they get their values in place of lengths. OG_STOPPED;
 * OG_NO_MEMORY; as the model's expand. */
og_status og_spread_hand_visit(og_spread_hand *hand, const og_spread_layer *layer, uint32_t page);

/* What was asked for, in that order; *at begins as 0. False: that was all. */
typedef struct {
    int owner;
    int32_t words;
    const uint64_t *key;
} og_spread_asked;
bool og_spread_hand_next(const og_spread_hand *hand, size_t *at, og_spread_asked *out);

#endif
