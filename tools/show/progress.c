/* Draws the progress line on a terminal, and handles the signals that end the work. */
#include "tools/show/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "dp/base/clock.h"
#include "tools/show/progress_words.h"

enum { LINE_BYTES = 256, WIDTH_USUAL = 80 };

static const double draw_seconds = 0.5;

static struct {
    bool quiet;
    double start; /* of the clock */
    double seconds_max;
    char stage[LINE_BYTES];
    progress_past past; /* when the line was last drawn */
} line;

/* Set by the signal handler, read by progress_watch. */
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
    static const char words[] = "\r\033[Koptgap: stopping; again to end at once\n";
    int before = errno; /* of the interrupted code */
    if (atomic_exchange(&signalled, true)) {
        signal(number, SIG_DFL);
        raise(number); /* delivered when this handler returns */
    } else if (isatty(STDERR_FILENO) && !line.quiet) {
        ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
        (void)written; /* a handler cannot report a failure */
    }
    errno = before;
}

static void take_stop(int number)
{
    (void)number;
    atomic_store(&signalled, true);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void progress_stop_on(int number)
{
    handle(number, take_stop);
}

void progress_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            handle(numbers[i], take_signal);
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
    return line.past.seconds;
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

/* Without the last column: a terminal may wrap after it. */
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
    line.past = (progress_past){.seconds = line.start > 0 ? progress_seconds() : 0};
    if (is_shown()) {
        char words[LINE_BYTES + 8];
        snprintf(words, sizeof words, "%s%s", line.stage, stage != NULL ? " ..." : "");
        draw(words);
    }
}

static void draw_progress(const og_progress *progress, double now)
{
    char words[LINE_BYTES];
    progress_words(words, width_of_line(), line.stage, progress, now, &line.past);
    draw(words);
}

bool progress_watch(void *user, const og_progress *progress)
{
    (void)user;
    double now = progress_seconds();
    if (progress->states > 0 && is_shown() && now - line.past.seconds >= draw_seconds) {
        draw_progress(progress, now);
    }
    return !progress_interrupted();
}
