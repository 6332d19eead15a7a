/* Only one thread calls the watch; once it has ended the work, that is final. */
#include "dp/base/stop.h"

#include <stdatomic.h>
#include <stddef.h>

#include "dp/base/clock.h"

static const double look_seconds = 0.1;

void og_stop_init(og_stop *stop, og_watch *watch, void *user)
{
    stop->watch = watch;
    stop->user = user;
    stop->asker = pthread_self();
    stop->begun = stop->looked = og_seconds();
    atomic_init(&stop->over, false);
}

static void look(og_stop *stop)
{
    double now = og_seconds();
    if (now - stop->looked >= look_seconds) {
        const og_progress progress = {.seconds = now - stop->begun};
        stop->looked = now;
        if (!stop->watch(stop->user, &progress)) {
            atomic_store(&stop->over, true);
        }
    }
}

bool og_stop_asked(og_stop *stop)
{
    if (stop == NULL || stop->watch == NULL) {
        return false;
    }
    bool over = atomic_load_explicit(&stop->over, memory_order_relaxed);
    if (!over && pthread_equal(pthread_self(), stop->asker)) {
        look(stop);
        over = atomic_load_explicit(&stop->over, memory_order_relaxed);
    }
    return over;
}

og_status og_stop_status(const og_stop *stop)
{
    return stop != NULL && atomic_load(&stop->over) ? OG_STOPPED : OG_OK;
}
