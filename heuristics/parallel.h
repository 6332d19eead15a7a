#ifndef OG_HEURISTICS_PARALLEL_H
#define OG_HEURISTICS_PARALLEL_H

#include <omp.h>
#include <stdint.h>

/*
 * The one place of this folder where threads start (private to heuristics/).
 *
 * `work` is an ordinary serial function over a range of items; no result may depend on how the
 * items are cut into ranges, so the thread count cannot change a bit. `thread` is 0 .. threads - 1,
 * for scratch space that every thread has its own of.
 */
typedef void og_range_work(void *context, int thread, int64_t begin, int64_t end);

/* 0 means one per core. */
static inline int og_thread_count(int threads)
{
    return threads > 0 ? threads : omp_get_num_procs();
}

static inline void og_parallel_ranges(int threads, int64_t count, int64_t grain,
                                      og_range_work *work, void *context)
{
    if (threads == 1 || count <= grain) {
        if (count > 0)
            work(context, 0, 0, count);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t begin = 0; begin < count; begin += grain) {
        int64_t end = begin + grain < count ? begin + grain : count;
        work(context, omp_get_thread_num(), begin, end);
    }
}

#endif
