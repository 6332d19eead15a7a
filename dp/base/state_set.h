#ifndef OG_DP_BASE_STATE_SET_H
#define OG_DP_BASE_STATE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * A set of multisets of numbers, each with a payload of the caller. A multiset is a list of
 * (member, copies), members ascending, copies >= 1; at most INT32_MAX members. Sequences of
 * (member, copies), whatever their order, can be kept as well: only og_multiset_replace asks for
 * ascending members. Entries are numbered 0, 1, ... in the order of insertion, and never removed.
 * One thread at a time.
 */
typedef struct {
    uint32_t member;
    uint32_t copies;
} og_copies;

typedef struct og_state_set og_state_set;

/* payload_bytes: a multiple of 8. */
og_status og_state_set_new(uint32_t payload_bytes, og_state_set **out);
void og_state_set_free(og_state_set *sets); /* NULL is fine */

/* Removes all entries; keeps the memory for new ones. */
void og_state_set_empty(og_state_set *sets);

uint32_t og_state_set_count(const og_state_set *sets);

/* Bytes held. */
uint64_t og_state_set_bytes(const og_state_set *sets);

/* The number of an entry; false if there is none. */
bool og_state_set_find(const og_state_set *sets, const og_copies *list, int32_t count,
                       uint32_t *entry);

/* The same, but adds it with a payload of zeros if it is missing (*added). The list is copied; it
 * must not be one that og_state_set_at returned. OG_NO_MEMORY, also for more than 2^31 entries;
 * OG_STOPPED if the set would exceed limit_bytes; then the set is unchanged. */
og_status og_state_set_put(og_state_set *sets, const og_copies *list, int32_t count,
                           uint64_t limit_bytes, uint32_t *entry, bool *added);

/* An entry's list and payload; valid until the next put. */
const og_copies *og_state_set_at(const og_state_set *sets, uint32_t entry, int32_t *count);
void *og_state_set_payload(const og_state_set *sets, uint32_t entry);

/*
 * The multiset with one copy of member `from` less and one of `to` more: writes it to out[count +
 * 1] and returns its length. `from` must be in it.
 */
int32_t og_multiset_replace(const og_copies *list, int32_t count, uint32_t from, uint32_t to,
                            og_copies *out);

#endif
