/*
 * Ranks with MPI. Only the thread that called ranks_begin communicates. A waiting rank sleeps
 * between polls, because other ranks may need the same cores.
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "dp/base/clock.h"
#include "tools/ranks/ranks.h"

/* How long a failed rank waits for the others to fail too. */
static const double patience_seconds = 3;

enum { REQUESTS = 2 }; /* at most at once */
enum { SWAPPED };      /* tag */

static og_world world;
static MPI_Comm farewell; /* separate from MPI_COMM_WORLD, where others may still work */
static int on_machine = 1;
static int spoken = -1; /* the original standard error, if it was redirected; else -1 */

/* Polls until all requests are done, or until `seconds` have passed (0: no limit; then false).
 * After 200 polls it sleeps between them, longer each time, at most a millisecond. */
static bool wait_for(MPI_Request *request, int count, double seconds)
{
    double begin = og_seconds();
    long pause = 0;
    for (int looks = 0;; looks++) {
        int done = 0;
        MPI_Status status[REQUESTS];
        MPI_Testall(count, request, &done, status);
        if (done) {
            return true;
        }
        if (seconds > 0 && og_seconds() - begin > seconds) {
            return false;
        }
        if (looks > 200) {
            pause = pause < 1000000 ? pause + 1000 : pause;
            nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        }
    }
}

static int64_t fold(void *self, int64_t mine, og_world_fold how)
{
    int64_t all = 0;
    MPI_Request request;
    (void)self;
    MPI_Iallreduce(&mine, &all, 1, MPI_INT64_T, how == OG_WORLD_LEAST ? MPI_MIN : MPI_SUM,
                   MPI_COMM_WORLD, &request);
    wait_for(&request, 1, 0);
    return all;
}

static void tell(void *self, int from, void *data, size_t bytes)
{
    MPI_Request request;
    (void)self;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, from, MPI_COMM_WORLD, &request);
    wait_for(&request, 1, 0);
}

static void swap(void *self, int to, const void *send, int send_count, int from, void *receive,
                 int receive_count)
{
    MPI_Request request[REQUESTS];
    int count = 0;
    (void)self;
    if (receive_count > 0) {
        MPI_Irecv(receive, receive_count, MPI_UINT64_T, from, SWAPPED, MPI_COMM_WORLD,
                  &request[count++]);
    }
    if (send_count > 0) {
        MPI_Isend(send, send_count, MPI_UINT64_T, to, SWAPPED, MPI_COMM_WORLD, &request[count++]);
    }
    wait_for(request, count, 0);
}

/* True if this process was started by MPI; a single process need not spend time on MPI_Init. */
static bool is_started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK",
                                        "PMI_FD"};
    bool started = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        started = started || getenv(names[i]) != NULL;
    }
    return started;
}

/* Discards standard output, and redirects standard error to a temporary file. */
static void be_quiet(void)
{
    FILE *kept = tmpfile();
    fflush(NULL);
    if (freopen("/dev/null", "w", stdout) == NULL || kept == NULL) {
        return;
    }
    spoken = dup(STDERR_FILENO);
    if (spoken >= 0) {
        dup2(fileno(kept), STDERR_FILENO);
    }
}

const og_world *ranks_begin(void)
{
    int provided = 0;
    if (!is_started()) {
        return NULL;
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &farewell);
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &on_machine);
    MPI_Comm_free(&machine);
    world.parcel = OG_WORLD_PARCEL;
    world.fold = fold;
    world.tell = tell;
    world.swap = swap;
    if (world.rank > 0) {
        be_quiet();
    }
    return &world;
}

/* Under the mpirun of another MPI each process is alone here. */
int ranks_unknown(void)
{
    return world.ranks == 1 ? ranks_of_environment() : 1;
}

int ranks_on_machine(void)
{
    return on_machine;
}

/* Copies this rank's redirected messages to the original standard error. */
static void speak(void)
{
    char text[4096];
    ssize_t count = 0;
    off_t at = 0;
    while (spoken >= 0 && (count = pread(STDERR_FILENO, text, sizeof text, at)) > 0 &&
           write(spoken, text, (size_t)count) == count) {
        at += count;
    }
}

/* Waits until the launcher has read this rank's messages, and a moment longer. MPI_Abort ends the
 * launcher's helpers too, and they would lose messages that they have not yet passed on. */
static void let_hear(void)
{
    const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    int unread = 0;
    for (int i = 0; i < 40 && ioctl(spoken, FIONREAD, &unread) == 0 && unread > 0; i++) {
        nanosleep(&moment, NULL);
    }
    for (int i = 0; i < 4; i++) {
        nanosleep(&moment, NULL);
    }
}

/* One status for all ranks, because MPICH's mpirun reports the bits of any: that of success only if
 * all succeed, else the least. */
int ranks_end(int code)
{
    MPI_Request request;
    int own = code == 0 ? INT_MAX : code, least = own;
    if (world.ranks == 0) {
        return code;
    }
    MPI_Iallreduce(&own, &least, 1, MPI_INT, MPI_MIN, farewell, &request);
    if (!wait_for(&request, 1, code == 0 ? 0 : patience_seconds)) {
        speak();
        let_hear();
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Comm_free(&farewell);
    MPI_Finalize();
    return least == INT_MAX ? 0 : least;
}
