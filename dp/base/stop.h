#ifndef OG_DP_BASE_STOP_H
#define OG_DP_BASE_STOP_H

#include <pthread.h>
#include <stdbool.h>

#include "dp/base/status.h"

/*
 * Lets a watch end work that expands no states (tables, indices, bounds). Loops call og_stop_asked
 * every millisecond or so; unfinished results are discarded by the caller, which sees OG_STOPPED.
 */
typedef struct {
    og_watch *watch; /* may be NULL */
    void *user;
    pthread_t asker; /* the thread that started the work */
    double begun, looked;
    _Atomic bool over;
} og_stop;

/* Called by the thread that starts the work. */
void og_stop_init(og_stop *stop, og_watch *watch, void *user);

/*
 * True if the work must end. Any thread may call it; the one that started the work calls the watch
 * about ten times a second, the others read its result. NULL: never.
 */
bool og_stop_asked(og_stop *stop);

/* OG_STOPPED if the work must end, else OG_OK. Never calls the watch. */
og_status og_stop_status(const og_stop *stop);

#endif
