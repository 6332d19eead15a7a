#ifndef OG_TOOLS_SHOW_PROGRESS_H
#define OG_TOOLS_SHOW_PROGRESS_H

#include <stdbool.h>

#include "dp/engine/settings.h"

/*
 * A command at work: how far it is, on one line of the terminal, and what may end it early. There
 * is one terminal and there are one process's signals, so this state is the program's own.
 */

/*
 * Starts the clock. quiet: no progress line, no warnings. seconds_max: progress_watch stops the
 * work after so long; 0: never.
 */
void progress_begin(bool quiet, double seconds_max);

/*
 * SIGINT and SIGTERM no longer end the program but stop the work at the next chance; the second one
 * ends it. A signal that was ignored at the start still is.
 */
void progress_catch_signals(void);

bool progress_quiet(void);
double progress_seconds(void); /* since progress_begin */
double progress_drawn(void);   /* when the line was last drawn, by the same clock */
bool progress_interrupted(void);
bool progress_out_of_time(void);

/* An og_watch: draws the line, and returns false when interrupted or out of time. From one thread
 * at a time. */
bool progress_watch(void *user, const og_progress *progress);

/* What is going on, on standard error if that is a terminal; NULL takes it away again. */
void show_stage(const char *stage);

#endif
