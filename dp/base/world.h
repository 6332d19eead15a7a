#ifndef OG_DP_BASE_WORLD_H
#define OG_DP_BASE_WORLD_H

#include <stdint.h>

#include "dp/base/status.h"

/*
 * Processes that compute one value together, each with its own memory: ranks 0 .. ranks - 1. All of
 * them call the first functions in the same order; each call waits for the others. One thread of a
 * rank makes these calls. The maker of a world provides the communication: tools/ranks/ with MPI,
 * tests with threads. Other code does not depend on it.
 *
 * A world whose functions are NULL is hypothetical: it serves to count the work on so many ranks.
 */
typedef enum { OG_WORLD_LEAST, OG_WORLD_SUM } og_world_fold;

typedef struct og_world {
    int rank, ranks;
    void *self;
    /* Combines the numbers of all ranks. */
    int64_t (*fold)(void *self, int64_t mine, og_world_fold how);
    /* Sends `bytes` from rank `from` to all others; the same number everywhere. */
    void (*tell)(void *self, int from, void *data, size_t bytes);
    int parcel; /* most words of a swap, 1 .. OG_WORLD_PARCEL; the same on all ranks */
    /* Sends words of 8 bytes, numbers or keys, to one rank, and receives words from another,
     * neither this one itself; count 0: none. Both sides know the counts. Data from one rank to
     * another arrive in order. */
    void (*swap)(void *self, int to, const void *send, int send_count, int from, void *receive,
                 int receive_count);
} og_world;

/* Far below the largest count in MPI's int, and large enough that the cost of a message is
 * small. */
enum { OG_WORLD_PARCEL = 1 << 20 };

/* NULL: one. */
int og_world_ranks(const og_world *world);

/* True if there are several ranks that can communicate. */
bool og_world_is_shared(const og_world *world);

/* The common status of all ranks: that of the first rank whose status is not OG_OK, with its
 * message and its number. */
og_status og_world_agree(const og_world *world, og_status status, og_message *message);

#endif
