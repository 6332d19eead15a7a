/*
 * A shared object between the program and the C library (LD_PRELOAD), which changes the calls named
 * in the environment variable OG_BENT, "KIND N":
 *
 *   clock N    the N-th reading of the clock is a million seconds late, and all that follow it
 *   back N     the N-th is a hundred seconds early, and all that follow it
 *   signal N   at the N-th there is a Ctrl-C; the clock runs a second from one reading to the next,
 *              so that each place which looks at it now and then looks at it now
 *   run N      the clock runs likewise, and is late from the N-th reading, or the first after a
 *              fifth of a second of the processor; then a program is killed that reads it LOOKS
 *              times more
 *   break N    one in N+1 calls that may wait is interrupted, as by a signal whose handler does not
 *              ask for it to be made again
 *   short N    no read or write moves more than N bytes; standard streams excepted, whose calls
 *              stay inside the C library
 *
 * It affects only the program, although child processes inherit the environment.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LATE = 1000000, EARLY = 100, LOOKS = 80, USUAL_NSEC = 200000000 };

static struct {
    enum { NOTHING, CLOCK, BACK, SIGNAL, RUN, BREAK, SHORT } kind;
    long n, over;
    _Atomic long readings, calls;
} bent;

__attribute__((constructor)) static void begin(void)
{
    static const char *const kinds[] = {"", "clock", "back", "signal", "run", "break", "short"};
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

/* How late the clock is at a reading of a run, which may be its last. */
static long late_in_run(long reading)
{
    struct timespec used;
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
    if (bent.over == 0 && (reading >= bent.n || used.tv_sec > 0 || used.tv_nsec > USUAL_NSEC)) {
        bent.over = reading;
    }
    if (bent.over > 0 && reading > bent.over + LOOKS) {
        raise(SIGKILL);
    }
    return reading + (bent.over > 0 ? LATE : 0);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int status = (int)syscall(SYS_clock_gettime, clock, out);
    bool of_time = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE;
    if (!of_time || bent.kind == NOTHING || bent.kind >= BREAK) {
        return status;
    }
    long reading = atomic_fetch_add(&bent.readings, 1) + 1;
    if (bent.kind == SIGNAL || bent.kind == RUN) {
        out->tv_sec += bent.kind == RUN ? late_in_run(reading) : reading;
        if (reading == bent.n && bent.kind == SIGNAL) {
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

static bool is_interrupted(void)
{
    unsigned long call = (unsigned long)atomic_fetch_add(&bent.calls, 1) * 2654435761UL;
    bool breaks = bent.kind == BREAK && (call >> 16) % ((unsigned long)bent.n + 1) == 0;
    errno = breaks ? EINTR : errno;
    return breaks;
}

ssize_t read(int file, void *to, size_t count)
{
    return is_interrupted() ? -1 : syscall(SYS_read, file, to, cut(count));
}

ssize_t write(int file, const void *from, size_t count)
{
    return is_interrupted() ? -1 : syscall(SYS_write, file, from, cut(count));
}

ssize_t pread64(int file, void *to, size_t count, off_t at)
{
    return is_interrupted() ? -1 : syscall(SYS_pread64, file, to, cut(count), at);
}

ssize_t pwrite64(int file, const void *from, size_t count, off_t at)
{
    return is_interrupted() ? -1 : syscall(SYS_pwrite64, file, from, cut(count), at);
}

int fsync(int file)
{
    return is_interrupted() ? -1 : (int)syscall(SYS_fsync, file);
}

int flock(int file, int how)
{
    return is_interrupted() ? -1 : (int)syscall(SYS_flock, file, how);
}

int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    return is_interrupted() ? -1 : (int)syscall(SYS_poll, files, count, milliseconds);
}

pid_t waitpid(pid_t child, int *status, int options)
{
    return is_interrupted() ? -1 : (pid_t)syscall(SYS_wait4, child, status, options, NULL);
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    return is_interrupted() ? -1 : (int)syscall(SYS_nanosleep, time, left);
}
