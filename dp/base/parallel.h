#ifndef OG_DP_BASE_PARALLEL_H
#define OG_DP_BASE_PARALLEL_H

#include <pthread.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * The one place where threads start. Without OpenMP everything runs on the calling thread.
 *
 * A worker is an ordinary serial function. No result may depend on which thread does which work, so
 * the number of threads cannot change a bit.
 */

/* 0 means one per core. Without OpenMP there is always one. */
int og_thread_count(int threads);

/*
 * The number of threads worth starting for so much work: one if it would be finished before others
 * have begun on a busy machine. Under sanitizers all, so that they are checked.
 */
int og_threads_worth(int threads, double nanoseconds);

/* A moment in seconds, 0 under sanitizers: for callers that cannot predict the amount of work. */
extern const double og_moment_seconds;

/* Processes the items begin <= i < end as thread 0 .. threads - 1, which selects its scratch.
 * Thread 0 is the caller. */
typedef void og_range_work(void *context, int thread, int64_t begin, int64_t end);

/* Cuts 0 .. count - 1 into ranges of `grain` >= 1 items, which free threads take in order. */
void og_parallel_ranges(int threads, int64_t count, int64_t grain, og_range_work *work,
                        void *context);

/* The same item by item, each of which may fail: returns the worst status of all, where OG_OK is
 * the best. */
typedef og_status og_item_work(void *context, int thread, int64_t item);
og_status og_parallel_items(int threads, int64_t count, int64_t grain, og_item_work *work,
                            void *context);

/* Calls `work` once on each of the threads; only on the calling one without OpenMP. */
typedef void og_team_work(void *context, int thread);
void og_parallel_team(int threads, og_team_work *work, void *context);

/* For shared data that are rarely accessed. */
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
