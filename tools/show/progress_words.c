/* The words of the progress line: share done, time left, states, memory. */
#include "tools/show/progress_words.h"

#include <stdio.h>
#include <string.h>

#include "bench/words.h"

enum { PART_BYTES = 64 };

/* Adds a part if the line still holds it. */
static void add_part(char *words, size_t width, const char *part)
{
    size_t length = strlen(words);
    if (length + strlen(part) <= width) {
        memcpy(words + length, part, strlen(part) + 1);
    }
}

/* Seconds left, from the share done since the last line; 0 if there is no steady forecast. */
static double seconds_left(const og_progress *progress, double now, progress_past *past)
{
    double grown = progress->settled - past->settled, before = past->end;
    if (!(grown > 0) || past->settled <= 0) {
        past->end = 0;
        return 0;
    }
    past->end = now + (1 - progress->settled) * (now - past->seconds) / grown;
    double left = past->end - now, other = before - now;
    return before > 0 && left <= 1.25 * other && other <= 1.25 * left ? left : 0;
}

/* "40 s", "12 min", "3.5 h": no more digits than a forecast has. */
static void time_words(double seconds, char words[PART_BYTES])
{
    if (seconds < 100) {
        snprintf(words, PART_BYTES, "%.0f s", seconds);
    } else if (seconds < 100 * 60) {
        snprintf(words, PART_BYTES, "%.0f min", seconds / 60);
    } else {
        snprintf(words, PART_BYTES, "%.1f h", seconds / 3600);
    }
}

void progress_words(char *words, size_t width, const char *stage, const og_progress *progress,
                    double now, progress_past *past)
{
    char part[2 * PART_BYTES], left[PART_BYTES];
    const char *before = ": ";
    double seconds = seconds_left(progress, now, past);
    snprintf(words, width + 1, "%s", stage);
    if (progress->settled >= 0.005) {
        snprintf(part, sizeof part, "%s%.0f %%", before, 100 * progress->settled);
        add_part(words, width, part);
        before = ", ";
    }
    if (seconds >= 1) {
        time_words(seconds, left);
        snprintf(part, sizeof part, ", about %s left", left);
        add_part(words, width, part);
    }
    if (progress->states > 0) {
        snprintf(part, sizeof part, "%s%s states", before,
                 og_words_count((double)progress->states).text);
        add_part(words, width, part);
    } else if (progress->settled < 0.005) {
        /* before a sweep of blocks; tables of indices have no bytes */
        add_part(words, width, progress->memory_bytes > 0 ? ": counting states" : ": at work");
    }
    if (past->states > 0 && progress->states >= past->states && now > past->seconds) {
        snprintf(
            part, sizeof part, ", %s/s",
            og_words_count((double)(progress->states - past->states) / (now - past->seconds)).text);
        add_part(words, width, part);
    }
    if (progress->memory_bytes > 0) {
        snprintf(part, sizeof part, ", %s", og_words_bytes(progress->memory_bytes).text);
        add_part(words, width, part);
    }
    snprintf(part, sizeof part, ", %.0f s so far", now);
    add_part(words, width, part);
    past->seconds = now;
    past->states = progress->states;
    past->settled = progress->settled;
}
