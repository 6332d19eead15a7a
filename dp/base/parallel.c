/*
 * The only file that uses OpenMP. FLINT and Arb cache memory for each thread, and a worker thread
 * may never run again; so workers that use them clean up at their end.
 */
#include "dp/base/parallel.h"

#include <stdatomic.h>

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

#ifdef OG_EAGER_THREADS
const double og_moment_seconds = 0;
#else
const double og_moment_seconds = 0.02;
#endif

int og_threads_worth(int threads, double nanoseconds)
{
    return nanoseconds < 1e9 * og_moment_seconds ? 1 : threads;
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

typedef struct {
    og_item_work *work;
    void *context;
    _Atomic int worst;
} item_work;

static void do_items(void *context, int thread, int64_t begin, int64_t end)
{
    item_work *items = context;
    for (int64_t i = begin; i < end; i++) {
        int status = (int)items->work(items->context, thread, i), worst = items->worst;
        while (status > worst && !atomic_compare_exchange_weak(&items->worst, &worst, status)) {
        }
    }
}

og_status og_parallel_items(int threads, int64_t count, int64_t grain, og_item_work *work,
                            void *context)
{
    item_work items = {work, context, OG_OK};
    og_parallel_ranges(threads, count, grain, do_items, &items);
    return (og_status)items.worst;
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
