#ifndef OG_DP_BASE_WORLD_H
#define OG_DP_BASE_WORLD_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Processes that compute one value together, each with memory of its own: ranks 0 .. ranks - 1.
 * All of them make the same calls of the first functions in the same order; each call waits for
 * the others. One thread of a rank calls them. Who makes a world says how ranks talk: tools/ranks/
 * by MPI, tests by threads. Nothing else knows which.
 *
 * A world whose functions are NULL is imagined: what work would take on so many ranks can be
 * counted for it.
 */
typedef enum { OG_WORLD_LEAST, OG_WORLD_SUM } og_world_fold;

struct og_world {
    int rank, ranks;
    void *self;
    /* Of the numbers that all ranks give. */
    int64_t (*fold)(void *self, int64_t mine, og_world_fold how);
    /* `bytes` from rank `from` to all others; as many everywhere. */
    void (*tell)(void *self, int from, void *data, size_t bytes);
    int parcel; /* most words of a swap, 1 .. OG_WORLD_PARCEL; the same on all ranks */
    /* Words of 8 bytes, numbers or keys, to one rank, and words from another, neither this one
     * itself; 0: none. Each side knows how many. What one rank sends to another arrives in that
     * order. */
    void (*swap)(void *self, int to, const void *send, int send_count, int from, void *receive,
                 int receive_count);
    /* Messages of any length, for which no call of the others is waited: one to a rank; the next
     * one that is there, of any rank, which is told, and its bytes; and then that one itself. */
    void (*send)(void *self, int to, const void *data, size_t bytes);
    size_t (*await)(void *self, int *from);
    void (*receive)(void *self, int from, void *data, size_t bytes);
};

/* Far below what MPI counts in an int, and enough that the cost of a message does not show. */
enum { OG_WORLD_PARCEL = 1 << 20 };

/* NULL: one. */
int og_world_ranks(const og_world *world);

/* More than one rank, and they can talk? */
bool og_world_is_shared(const og_world *world);

/* What every rank answers where each comes with a status of its own: that of the first rank whose
 * is not OG_OK, with its message, which says whose it is. */
og_status og_world_agree(const og_world *world, og_status status, og_message *message);

#endif
