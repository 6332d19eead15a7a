#ifndef OG_TESTS_RANKS_H
#define OG_TESTS_RANKS_H

#include "dp/base/world.h"

/*
 * Ranks as threads of one process: the world of dp/base/world.h without MPI. What is sent is copied
 * once, from the one that sends to the one that waits for it.
 */
typedef void rank_work(void *user, const og_world *world);

/* All of them at work, each on a thread, until the last has ended. Returns how many words of 8
 * bytes were swapped. A parcel of few words makes many messages. */
int64_t ranks_run(int ranks, int parcel, rank_work *work, void *user);

#endif
