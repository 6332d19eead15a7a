#ifndef OG_DP_BASE_STOP_H
#define OG_DP_BASE_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/limit.h"
#include "dp/base/parallel.h"
#include "dp/base/settings.h"
#include "dp/base/status.h"

/*
 * What ends the work early, and where it reports to. A call of the library has one; parts of the
 * work have parts of it, which end with the whole or at their own time. Inside the library
 * settings.watch is NULL or og_stop_watch, and watch_user the stop. Any thread may look at it; the
 * caller's functions are called one at a time. Once it has ended the work, that is final, until
 * og_stop_extend. Unfinished results are discarded by the caller, which sees
 * OG_STOPPED.
 */
typedef struct og_stop og_stop;
struct og_stop {
    og_stop *whole;      /* it ends when this ends; borrowed; NULL: the call */
    double end;          /* on the clock; INFINITY: no limit */
    uint64_t states_max; /* most states once some were evicted; 0: any number */
    bool quiet;          /* a part whose progress is not reported */
    _Atomic int limit;   /* an og_limit: why it is over */
    _Atomic double looked;
    /* Only of a call: */
    og_watch *watch;                                           /* may be NULL, like the next */
    void (*stage)(void *user, const char *name, double share); /* what begins; share of it done */
    void (*warn)(void *user, const char *line);                /* before long work */
    void *user;
    og_lock lock;         /* held while the caller's functions are called */
    double begun, called; /* on the clock; the watch was last called */
    og_progress progress; /* the last */
};

void og_stop_init(og_stop *stop, og_watch *watch, void *user);

/* A call's stop, with the watch of these settings, which then have the stop in its place. */
void og_stop_take(og_stop *stop, og_settings *settings);

/* A part of it (NULL: of nothing), which begins now, and ends then or after so many seconds, 0:
 * any number. */
og_stop og_stop_part(og_stop *whole, double end);
og_stop og_stop_for(og_stop *whole, double seconds);

/* Begins again, with another end. No other thread may use it meanwhile. */
void og_stop_extend(og_stop *stop, double end);

/* Ends it from within, as the caller would. */
void og_stop_end(og_stop *stop);

/*
 * True if the work must end. For loops, which call it every millisecond or so: it looks about ten
 * times a second, first a tenth of a second after it began, so that quick work is done even when
 * the whole is over. NULL: never.
 */
bool og_stop_asked(og_stop *stop);

/* Looks now: the reason to end; OG_LIMIT_NONE: none. For the steps of longer work. */
og_limit og_stop_look(og_stop *stop);

/* What was found when it was last looked at. Never calls the watch. */
og_limit og_stop_limit(const og_stop *stop);
static inline og_status og_stop_status(const og_stop *stop)
{
    return og_stop_limit(stop) != OG_LIMIT_NONE ? OG_STOPPED : OG_OK;
}

/* An og_watch, whose user is the stop. */
bool og_stop_watch(void *stop, const og_progress *progress);

/* The stop of settings inside the library; NULL: none. */
og_stop *og_stop_of(const og_settings *settings);

/* The same settings with this stop; and settings with only these limits. */
og_settings og_stop_settings(const og_settings *settings, og_stop *stop);
og_settings og_stop_limits(int threads, uint64_t memory_bytes, og_stop *stop);

/* OG_STOPPED, and the sentence for whoever builds tables. */
og_status og_stop_building(og_message *message);

/* Reports what begins, and the share of it that is done. */
void og_stop_tell(og_stop *stop, const char *stage, double share);

/* Shows a line to the caller at once; it may be ignored. */
void og_stop_warn(og_stop *stop, const char *line);

#endif
