#ifndef OG_TOOLS_SHOW_PROGRESS_WORDS_H
#define OG_TOOLS_SHOW_PROGRESS_WORDS_H

#include <stddef.h>

#include "dp/engine/settings.h"

/* The progress when the line was last written; all 0 at the start of a stage. */
typedef struct {
    double seconds;
    uint64_t states;
    double settled;
    double end; /* forecast of the end, in seconds; 0: none */
} progress_past;

/*
 * Writes the progress line at `now` seconds: the share that is done and the time left, if they are
 * known, then states, their rate, memory and the time so far. Parts that would make the line longer
 * than `width` < bytes of words are omitted, except that the stage is cut. Updates `past`.
 *
 * The time left is forecast from the share done since the line was last written. It is shown only
 * if two forecasts in a row agree within a quarter: the share of a recursion grows unevenly.
 */
void progress_words(char *words, size_t width, const char *stage, const og_progress *progress,
                    double now, progress_past *past);

#endif
