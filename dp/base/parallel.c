/*
 * The only file that knows OpenMP. FLINT and Arb cache memory for each thread, and a worker may
 * never come back for its own: whoever starts workers that use them cleans up in the worker.
 */
#include "dp/base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int og_thread_count(int threads)
{
#ifdef _OPENMP
    return threads > 0 ? threads : omp_get_num_procs();
#else
    (void)threads;
    return 1;
#endif
}

void og_parallel_ranges(int threads, int64_t count, int64_t grain, og_range_work *work,
                        void *context)
{
#ifdef _OPENMP
    if (threads > 1 && count > grain) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int64_t begin = 0; begin < count; begin += grain) {
            int64_t end = begin + grain < count ? begin + grain : count;
            work(context, omp_get_thread_num(), begin, end);
        }
        return;
    }
#endif
    (void)threads;
    (void)grain;
    if (count > 0) {
        work(context, 0, 0, count);
    }
}

void og_parallel_team(int threads, og_team_work *work, void *context)
{
#ifdef _OPENMP
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        work(context, omp_get_thread_num());
        return;
    }
#endif
    (void)threads;
    work(context, 0);
}
