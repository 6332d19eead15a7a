#ifndef OG_DP_BASE_STOP_H
#define OG_DP_BASE_STOP_H

#include <pthread.h>
#include <stdbool.h>

#include "dp/base/status.h"

/*
 * Work that expands no states (tables, indices, bounds) and somebody who may end it. Loops ask
 * og_stop_asked as they go, every millisecond or so; what they leave half done is thrown away by
 * whoever started them, which sees OG_STOPPED.
 */
typedef struct {
    og_watch *watch; /* NULL: nobody */
    void *user;
    pthread_t asker; /* the thread that started the work */
    double begun, looked;
    _Atomic bool over;
} og_stop;

/* By the thread that starts the work. */
void og_stop_init(og_stop *stop, og_watch *watch, void *user);

/*
 * Is the work to end? Asked by any thread; the one that started the work asks the watch about ten
 * times a second, the others hear of it. NULL: never.
 */
bool og_stop_asked(og_stop *stop);

/* OG_STOPPED where it is, else OG_OK. Never asks the watch. */
og_status og_stop_status(const og_stop *stop);

#endif
