#ifndef OG_TOOLS_SHOW_PROGRESS_H
#define OG_TOOLS_SHOW_PROGRESS_H

#include <stdbool.h>

#include "dp/engine/settings.h"

/*
 * A command's progress line on the terminal, and what ends the command early: signals and the time
 * limit. The state is global, because the terminal and the signals are.
 */

/*
 * Starts the clock. quiet: no progress line and no warnings. seconds_max: the time after which
 * the work is out of time; 0: never.
 */
void progress_begin(bool quiet, double seconds_max);

/*
 * From now on, SIGINT and SIGTERM only make progress_watch stop the work; a second signal ends the
 * program. A signal that was ignored at the start is still ignored.
 */
void progress_catch_signals(void);
void progress_stop_on(int number); /* so does this signal, however often it comes */

bool progress_quiet(void);
double progress_seconds(void); /* since progress_begin */
double progress_drawn(void);   /* of the last drawing of the line, on the same clock */
bool progress_interrupted(void);
bool progress_out_of_time(void);

/* An og_watch: draws the line once states are counted; false if interrupted. Call it from one
 * thread at a time. */
bool progress_watch(void *user, const og_progress *progress);

/* Shows the name of the current step, if standard error is a terminal; NULL erases the line. */
void show_stage(const char *stage);

#endif
