#ifndef OG_DP_BASE_PARALLEL_H
#define OG_DP_BASE_PARALLEL_H

#include <pthread.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * The one place where threads start. Without OpenMP everything runs on the calling thread.
 *
 * A worker is an ordinary serial function. No result may depend on who does what, so the number of
 * threads cannot change a bit.
 */

/* 0 means one per core. Without OpenMP there is one, whatever is wanted. */
int og_thread_count(int threads);

/*
 * As many of the threads as are worth starting for about so much work: one where it is done in a
 * moment, before others have begun on a busy machine. Under sanitizers all, which they are to see.
 */
int og_threads_worth(int threads, double nanoseconds);

/* A moment in seconds, 0 under sanitizers: for who cannot tell before how much work there is. */
extern const double og_moment_seconds;

/* The items begin <= i < end, as thread 0 .. threads - 1, for scratch that each has its own of.
 * Thread 0 is the one that called. */
typedef void og_range_work(void *context, int thread, int64_t begin, int64_t end);

/* Cut 0 .. count - 1 into ranges of `grain` >= 1 items, which free threads take in their order. */
void og_parallel_ranges(int threads, int64_t count, int64_t grain, og_range_work *work,
                        void *context);

/* The same item by item, where each may fail: the worst status of all, OG_OK the best. */
typedef og_status og_item_work(void *context, int thread, int64_t item);
og_status og_parallel_items(int threads, int64_t count, int64_t grain, og_item_work *work,
                            void *context);

/* Call `work` once on each of the threads, the one that called without OpenMP. */
typedef void og_team_work(void *context, int thread);
void og_parallel_team(int threads, og_team_work *work, void *context);

/* For what threads share and rarely touch. */
typedef pthread_mutex_t og_lock;
static inline void og_lock_init(og_lock *lock)
{
    pthread_mutex_init(lock, NULL);
}
static inline void og_lock_clear(og_lock *lock)
{
    pthread_mutex_destroy(lock);
}
static inline void og_lock_take(og_lock *lock)
{
    pthread_mutex_lock(lock);
}
static inline void og_lock_release(og_lock *lock)
{
    pthread_mutex_unlock(lock);
}

#endif
