/*
 * A shared object that stands between the program and the C library, LD_PRELOAD, and bends what it
 * is told in the environment variable OG_BENT, "KIND N":
 *
 *   clock N    the N-th reading of the clock is a million seconds late, and all that follow it
 *   back N     the N-th is a hundred seconds early, and all that follow it
 *   signal N   at the N-th there is a Ctrl-C; the clock runs a second from one reading to the next,
 *              so that each place which looks at it now and then looks at it now
 *   short N    no read or write moves more than N bytes; standard streams excepted, whose calls
 *              stay inside the C library
 *
 * Only in the program itself: what it starts inherits the environment.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LATE = 1000000, EARLY = 100 };

static struct {
    enum { NOTHING, CLOCK, BACK, SIGNAL, SHORT } kind;
    long n;
    _Atomic long readings;
} bent;

__attribute__((constructor)) static void begin(void)
{
    static const char *const kinds[] = {"", "clock", "back", "signal", "short"};
    const char *text = getenv("OG_BENT");
    const char *space = text != NULL ? strchr(text, ' ') : NULL;
    if (space == NULL || strcmp(program_invocation_short_name, "optgap") != 0) {
        return;
    }
    for (int kind = CLOCK; kind <= SHORT; kind++) {
        if (strncmp(text, kinds[kind], (size_t)(space - text)) == 0) {
            bent.kind = kind;
        }
    }
    bent.n = strtol(space, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (clock != CLOCK_MONOTONIC || bent.kind == NOTHING || bent.kind == SHORT) {
        return status;
    }
    long reading = atomic_fetch_add(&bent.readings, 1) + 1;
    if (bent.kind == SIGNAL) {
        out->tv_sec += reading;
        if (reading == bent.n) {
            raise(SIGINT);
        }
    } else if (reading >= bent.n) {
        out->tv_sec += bent.kind == CLOCK ? LATE : -EARLY;
    }
    return status;
}

static size_t cut(size_t count)
{
    return bent.kind == SHORT && count > (size_t)bent.n ? (size_t)bent.n : count;
}

ssize_t read(int file, void *to, size_t count)
{
    return syscall(SYS_read, file, to, cut(count));
}

ssize_t write(int file, const void *from, size_t count)
{
    return syscall(SYS_write, file, from, cut(count));
}

ssize_t pread64(int file, void *to, size_t count, off_t at)
{
    return syscall(SYS_pread64, file, to, cut(count), at);
}

ssize_t pwrite64(int file, const void *from, size_t count, off_t at)
{
    return syscall(SYS_pwrite64, file, from, cut(count), at);
}
