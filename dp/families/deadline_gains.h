#ifndef OG_DP_FAMILIES_DEADLINE_GAINS_H
#define OG_DP_FAMILIES_DEADLINE_GAINS_H

#include <stdint.h>

#include "dp/base/arena.h"
#include "dp/families/deadline.h"
#include "dp/product/layers.h"

/*
 * D(x, w) of labels in batches (dp/families/deadline.h) of each class of each layer, for w
 * below the size of a batch; the table is the arena's. OG_NO_MEMORY with a message if it and the
 * layers exceed memory_bytes, or if a number of a class and w, of so many bits, has more than 32 of
 * them.
 */
og_status og_deadline_gains(const og_layers *layers, const og_deadline *deadline,
                            uint64_t memory_bytes, og_arena *arena, double ***out,
                            og_message *message);

/* With so many labels left, and w under way. */
static inline double og_deadline_gain(double *const *gain, int32_t bits, int32_t left,
                                      uint32_t class, uint32_t w)
{
    return gain[left + (int32_t)w][(size_t) class << bits | w];
}

#endif
