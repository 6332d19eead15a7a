/* The progress line on a terminal, and the signals that end the work. */
#include "tools/show/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "bench/words.h"
#include "dp/base/clock.h"

enum { LINE_BYTES = 256, WIDTH_USUAL = 80 };

static const double draw_seconds = 0.5;

static struct {
    bool quiet;
    double start; /* of the clock */
    double seconds_max;
    char stage[LINE_BYTES];
    double drawn; /* when the line was last drawn, and the states and what was settled then */
    uint64_t states;
    double settled;
    double end; /* when all should be settled, foretold then; 0: not foretold */
} line;

/* Set by the handler, read by whoever is at work. */
static atomic_bool signalled;

void progress_begin(bool quiet, double seconds_max)
{
    memset(&line, 0, sizeof line);
    line.quiet = quiet;
    line.start = og_seconds();
    line.seconds_max = seconds_max;
}

static void take_signal(int number)
{
    static const char words[] = "\r\033[Koptgap: stopping; once more ends at once\n";
    int before = errno; /* of whoever is interrupted */
    if (atomic_exchange(&signalled, true)) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when this handler returns */
    } else if (isatty(STDERR_FILENO) && !line.quiet) {
        ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
        (void)written; /* nothing could be done about it here */
    }
    errno = before;
}

void progress_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            memset(&action, 0, sizeof action);
            action.sa_handler = take_signal;
            action.sa_flags = SA_RESTART;
            sigemptyset(&action.sa_mask);
            sigaction(numbers[i], &action, NULL);
        }
    }
}

bool progress_quiet(void)
{
    return line.quiet;
}

double progress_seconds(void)
{
    return og_seconds() - line.start;
}

double progress_drawn(void)
{
    return line.drawn;
}

bool progress_interrupted(void)
{
    return atomic_load(&signalled);
}

bool progress_out_of_time(void)
{
    return line.seconds_max > 0 && progress_seconds() >= line.seconds_max;
}

static bool is_shown(void)
{
    return !line.quiet && isatty(STDERR_FILENO);
}

/* The last column stays empty: a terminal may wrap after it. */
static size_t width_of_line(void)
{
    struct winsize size;
    size_t width = WIDTH_USUAL;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) {
        width = size.ws_col;
    }
    return width <= LINE_BYTES ? width - 1 : LINE_BYTES - 1;
}

static void draw(const char *words)
{
    fprintf(stderr, "\r\033[K%.*s", (int)width_of_line(), words);
    fflush(stderr);
}

void show_stage(const char *stage)
{
    snprintf(line.stage, sizeof line.stage, "%s", stage != NULL ? stage : "");
    line.drawn = line.start > 0 ? progress_seconds() : 0;
    line.states = 0;
    line.settled = line.end = 0;
    if (is_shown()) {
        char words[LINE_BYTES + 8];
        snprintf(words, sizeof words, "%s%s", line.stage, stage != NULL ? " ..." : "");
        draw(words);
    }
}

/* Adds a part if the line still holds it. */
static void add_part(char words[LINE_BYTES], size_t width, const char *part)
{
    size_t length = strlen(words);
    if (length + strlen(part) <= width) {
        memcpy(words + length, part, strlen(part) + 1);
    }
}

/* Seconds to go, by how fast shares were settled lately; 0 where the pace is not steady: two
 * forecasts in a row must agree within a quarter. */
static double seconds_left(const og_progress *progress, double now)
{
    double grown = progress->settled - line.settled, before = line.end;
    if (!(grown > 0) || line.settled <= 0) {
        line.end = 0;
        return 0;
    }
    line.end = now + (1 - progress->settled) * (now - line.drawn) / grown;
    double left = line.end - now, other = before - now;
    return before > 0 && left <= 1.25 * other && other <= 1.25 * left ? left : 0;
}

static void draw_progress(const og_progress *progress, double now)
{
    char words[LINE_BYTES];
    char part[LINE_BYTES];
    size_t width = width_of_line();
    double rate = (double)(progress->states - line.states) / (now - line.drawn);
    snprintf(words, sizeof words, "%.*s", (int)width, line.stage);
    if (progress->states > 0) {
        snprintf(part, sizeof part, ": %s states", og_words_count((double)progress->states).text);
        add_part(words, width, part);
    } else {
        /* before a sweep of blocks; tables of indices tell no bytes */
        add_part(words, width, progress->memory_bytes > 0 ? ": counting states" : ": at work");
    }
    if (line.states > 0 && progress->states >= line.states) {
        snprintf(part, sizeof part, ", %s/s", og_words_count(rate).text);
        add_part(words, width, part);
    }
    if (progress->memory_bytes > 0) {
        snprintf(part, sizeof part, ", %s", og_words_bytes(progress->memory_bytes).text);
        add_part(words, width, part);
    }
    if (progress->settled >= 0.005) {
        snprintf(part, sizeof part, ", %.0f %% settled", 100 * progress->settled);
        add_part(words, width, part);
    }
    snprintf(part, sizeof part, ", %.0f s", now);
    add_part(words, width, part);
    double left = seconds_left(progress, now);
    if (left >= 1) {
        snprintf(part, sizeof part, ", about %.0f s left", left);
        add_part(words, width, part);
    }
    draw(words);
}

bool progress_watch(void *user, const og_progress *progress)
{
    (void)user;
    double now = progress_seconds();
    bool counted = progress->states > 0 || progress->settled > 0; /* not while tables are built */
    if (counted && is_shown() && now - line.drawn >= draw_seconds) {
        draw_progress(progress, now);
        line.drawn = now;
        line.states = progress->states;
        line.settled = progress->settled;
    }
    return !progress_interrupted() && !progress_out_of_time();
}
