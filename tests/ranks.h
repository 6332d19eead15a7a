#ifndef OG_TESTS_RANKS_H
#define OG_TESTS_RANKS_H

#include "dp/base/world.h"

/*
 * Ranks as threads of one process: the world of dp/base/world.h without MPI. A message is copied
 * once, from the sender to the waiting receiver.
 */
typedef void rank_work(void *user, const og_world *world);

/* All of them at work, each on a thread, until the last has ended. Returns how many words of 8
 * bytes were swapped. A parcel of few words makes many messages. */
int64_t ranks_run(int ranks, int parcel, rank_work *work, void *user);

#endif
