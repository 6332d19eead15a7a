/* A part looks at its whole, and at last at the call, which asks the caller's watch. */
#include "dp/base/stop.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>

#include "dp/base/clock.h"

static const double look_seconds = 0.1;

og_stop og_stop_part(og_stop *whole, double end)
{
    double now = og_seconds();
    return (og_stop){.whole = whole, .end = end, .looked = now, .begun = now, .called = -INFINITY};
}

og_stop og_stop_for(og_stop *whole, double seconds)
{
    return og_stop_part(whole, seconds > 0 ? og_seconds() + seconds : INFINITY);
}

void og_stop_init(og_stop *stop, og_watch *watch, void *user)
{
    *stop = og_stop_part(NULL, INFINITY);
    stop->watch = watch;
    stop->user = user;
    og_lock_init(&stop->lock);
}

void og_stop_take(og_stop *stop, og_settings *settings)
{
    og_stop_init(stop, settings->watch, settings->watch_user);
    *settings = og_stop_settings(settings, stop);
}

void og_stop_extend(og_stop *stop, double end)
{
    stop->end = end;
    atomic_store(&stop->looked, og_seconds());
    atomic_store(&stop->limit, OG_LIMIT_NONE);
}

void og_stop_end(og_stop *stop)
{
    atomic_store(&stop->limit, OG_LIMIT_INTERRUPT);
}

og_limit og_stop_limit(const og_stop *stop)
{
    return stop != NULL ? (og_limit)atomic_load_explicit(&stop->limit, memory_order_relaxed)
                        : OG_LIMIT_NONE;
}

/* True if the caller's watch ends the work. Without progress it is called ten times a second. */
static bool is_interrupted(og_stop *call, double now, const og_progress *progress)
{
    if (call->watch == NULL) {
        return false;
    }
    og_lock_take(&call->lock);
    bool over = og_stop_limit(call) == OG_LIMIT_INTERRUPT;
    if (!over && (progress != NULL || now - call->called >= look_seconds)) {
        call->called = now;
        call->progress = progress != NULL ? *progress : call->progress;
        call->progress.seconds = now - call->begun;
        over = !call->watch(call->user, &call->progress);
    }
    og_lock_release(&call->lock);
    return over;
}

static og_limit look(og_stop *stop, double now, const og_progress *progress)
{
    og_limit limit = og_stop_limit(stop);
    if (limit != OG_LIMIT_NONE) {
        return limit;
    }
    const og_progress *told = stop->quiet ? NULL : progress;
    atomic_store_explicit(&stop->looked, now, memory_order_relaxed);
    if (stop->whole != NULL) {
        limit = look(stop->whole, now, told);
    } else if (is_interrupted(stop, now, told)) {
        limit = OG_LIMIT_INTERRUPT;
    }
    if (limit == OG_LIMIT_NONE && now >= stop->end) {
        limit = OG_LIMIT_TIME;
    }
    if (limit == OG_LIMIT_NONE && stop->states_max > 0 && progress != NULL &&
        progress->forgotten > 0 && progress->states > stop->states_max) {
        limit = OG_LIMIT_STATES;
    }
    if (limit != OG_LIMIT_NONE) {
        atomic_store_explicit(&stop->limit, (int)limit, memory_order_relaxed);
    }
    return limit;
}

bool og_stop_asked(og_stop *stop)
{
    if (og_stop_limit(stop) != OG_LIMIT_NONE) {
        return true;
    }
    return stop != NULL &&
           og_seconds_coarse() - atomic_load_explicit(&stop->looked, memory_order_relaxed) >=
               look_seconds &&
           look(stop, og_seconds(), NULL) != OG_LIMIT_NONE;
}

og_limit og_stop_look(og_stop *stop)
{
    og_limit limit = og_stop_limit(stop);
    return stop == NULL || limit != OG_LIMIT_NONE ? limit : look(stop, og_seconds(), NULL);
}

bool og_stop_watch(void *stop, const og_progress *progress)
{
    return stop == NULL || look(stop, og_seconds(), progress) == OG_LIMIT_NONE;
}

og_stop *og_stop_of(const og_settings *settings)
{
    assert(settings == NULL || settings->watch == NULL || settings->watch == og_stop_watch);
    return settings != NULL && settings->watch != NULL ? settings->watch_user : NULL;
}

og_settings og_stop_settings(const og_settings *settings, og_stop *stop)
{
    og_settings with = *settings;
    with.watch = og_stop_watch;
    with.watch_user = stop;
    return with;
}

og_settings og_stop_limits(int threads, uint64_t memory_bytes, og_stop *stop)
{
    return og_stop_settings(&(og_settings){.threads = threads, .memory_bytes = memory_bytes}, stop);
}

og_status og_stop_building(og_message *message)
{
    return og_message_set(message, OG_STOPPED, "the work was stopped while its tables were built");
}

void og_stop_tell(og_stop *stop, const char *stage, double share)
{
    for (; stop != NULL && !stop->quiet && stop->whole != NULL; stop = stop->whole) {
    }
    if (stop != NULL && !stop->quiet && (stop->watch != NULL || stop->stage != NULL)) {
        og_lock_take(&stop->lock);
        stop->progress = (og_progress){.settled = share, .seconds = og_seconds() - stop->begun};
        if (stop->stage != NULL) {
            stop->stage(stop->user, stage, share);
        }
        og_lock_release(&stop->lock);
    }
}

void og_stop_warn(og_stop *stop, const char *line)
{
    for (; stop != NULL && stop->whole != NULL; stop = stop->whole) {
    }
    if (stop != NULL && stop->warn != NULL) {
        og_lock_take(&stop->lock);
        stop->warn(stop->user, line);
        og_lock_release(&stop->lock);
    }
}
