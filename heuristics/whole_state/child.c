/*
 * Exchanges lines with a child process. The pipes do not block on this side, so a child that does
 * not read or does not write cannot delay this process beyond the time limit.
 */
#include "heuristics/whole_state/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dp/base/clock.h"

enum { FIRST_ROOM = 4096, FIRST_FREE_DESCRIPTOR = 3, LOOK_MILLISECONDS = 100 };

/* Waiting times for the child to end: after its input is closed, after SIGTERM, and after its
 * output has ended. */
static const double leave_seconds = 0.2;
static const double obey_seconds = 0.5;
static const double end_seconds = 1;

struct og_child {
    pid_t pid; /* also the number of its process group; 0: none */
    int to;    /* -1: closed */
    int from;
    char *text; /* [room] its output since the question */
    size_t room;
    size_t used;
};

/* ---- starting ---- */

/* Moves the descriptor above the three standard ones, which may be closed in this process and are
 * replaced in the child. */
static bool move_up(int *descriptor)
{
    if (*descriptor >= FIRST_FREE_DESCRIPTOR) {
        return true;
    }
    int moved = fcntl(*descriptor, F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR);
    if (moved >= 0) {
        close(*descriptor);
        *descriptor = moved;
    }
    return moved >= 0;
}

static bool open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    return move_up(&ends[0]) && move_up(&ends[1]);
}

static void close_pipe(const int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
}

static int fill_actions(posix_spawn_file_actions_t *actions, int in, int out)
{
    int error = posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
    }
    return error != 0 ? error
                      : posix_spawn_file_actions_addclosefrom_np(actions, FIRST_FREE_DESCRIPTOR);
}

/* Gives the child the default signal actions and mask, whatever this process has set. */
static int fill_attributes(posix_spawnattr_t *attributes)
{
    static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGXFSZ};
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        sigaddset(&usual, ours[i]);
    }
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETPGROUP);
}

static int spawn_shell(const char *command, int in, int out, pid_t *pid)
{
    extern char **environ;
    char *words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = fill_actions(&actions, in, out);
        error = error != 0 ? error : fill_attributes(&attributes);
        if (error == 0) {
            error = posix_spawn(pid, "/bin/sh", &actions, &attributes, words, environ);
        }
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool stop_blocking(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

og_status og_child_start(const char *command, og_child **out, og_message *message)
{
    og_child *child = calloc(1, sizeof *child);
    char *text = malloc(FIRST_ROOM);
    if (child == NULL || text == NULL) {
        free(child);
        free(text);
        return og_message_set(message, OG_NO_MEMORY, "out of memory for a child process");
    }
    int request[2] = {-1, -1};
    int reply[2] = {-1, -1};
    errno = 0;
    bool open = open_pipe(request) && open_pipe(reply) && stop_blocking(request[1]) &&
                stop_blocking(reply[0]);
    int error = open ? spawn_shell(command, request[0], reply[1], &child->pid) : errno;
    if (!open || error != 0) {
        close_pipe(request);
        close_pipe(reply);
        free(child);
        free(text);
        return og_message_set(message, OG_FAILED, "a shell cannot be started: %s", strerror(error));
    }
    close(request[0]);
    close(reply[1]);
    child->to = request[1];
    child->from = reply[0];
    child->text = text;
    child->room = FIRST_ROOM;
    *out = child;
    return OG_OK;
}

/* ---- ending ---- */

/* True if it has ended. The numbers of its process and of its group are not reused until it is
 * reaped. */
static bool has_ended(const og_child *child, siginfo_t *how)
{
    how->si_pid = 0;
    int done = waitid(P_PID, (id_t)child->pid, how, WEXITED | WNOHANG | WNOWAIT);
    return done != 0 ? errno != EINTR : how->si_pid != 0;
}

static bool wait_for_end(const og_child *child, double seconds, siginfo_t *how)
{
    const struct timespec nap = {0, 1000000};
    double deadline = og_seconds() + seconds;
    bool ended = has_ended(child, how);
    while (!ended && og_seconds() < deadline) {
        nanosleep(&nap, NULL);
        ended = has_ended(child, how);
    }
    return ended;
}

void og_child_end(og_child *child)
{
    if (child == NULL) {
        return;
    }
    siginfo_t how;
    if (child->to >= 0) {
        close(child->to);
    }
    if (!wait_for_end(child, leave_seconds, &how)) {
        kill(-child->pid, SIGTERM);
        wait_for_end(child, obey_seconds, &how);
    }
    close(child->from); /* only now: a program that still writes would complain of a broken pipe */
    kill(-child->pid, SIGKILL); /* also its surviving descendants */
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    free(child->text);
    free(child);
}

static og_status say_end(const og_child *child, og_message *message)
{
    siginfo_t how = {0};
    if (!wait_for_end(child, end_seconds, &how) || how.si_pid == 0) {
        return og_message_set(message, OG_FAILED, "it closed its output");
    }
    if (how.si_code != CLD_EXITED) {
        return og_message_set(message, OG_FAILED, "it was ended by signal %d (%s)", how.si_status,
                              strsignal(how.si_status));
    }
    return og_message_set(message, OG_FAILED, "it ended with status %d%s", how.si_status,
                          how.si_status == 127 ? " (the shell does not find it)" : "");
}

/* ---- talking ---- */

/* Like write, but without SIGPIPE if the pipe has no reader; a SIGPIPE that was pending before
 * stays pending. */
static ssize_t write_quietly(int descriptor, const char *text, size_t length)
{
    const struct timespec at_once = {0, 0};
    sigset_t pipe;
    sigset_t pending;
    sigset_t before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigemptyset(&pending);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t written = write(descriptor, text, length);
    int reason = errno;
    if (written < 0 && reason == EPIPE && !sigismember(&pending, SIGPIPE)) {
        while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

static bool not_now(int reason)
{
    return reason == EAGAIN || reason == EWOULDBLOCK || reason == EINTR;
}

/* Sends as much of the rest as the pipe takes; drops the rest once the pipe has no reader. */
static void send_some(og_child *child, og_child_line *rest)
{
    ssize_t written = write_quietly(child->to, rest->text, rest->length);
    if (written >= 0) {
        rest->text += written;
        rest->length -= (size_t)written;
    } else if (!not_now(errno)) {
        close(child->to);
        child->to = -1;
    }
}

static og_status make_room(og_child *child, size_t answer_max, og_message *message)
{
    if (child->used + 1 < child->room) {
        return OG_OK;
    }
    if (child->used > answer_max) {
        return og_message_set(message, OG_FAILED, "its answer is longer than %zu bytes",
                              answer_max);
    }
    char *text = realloc(child->text, 2 * child->room);
    if (text == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for its answer");
    }
    child->text = text;
    child->room *= 2;
    return OG_OK;
}

/* *end points to the newline, once it has arrived. */
static og_status read_some(og_child *child, size_t answer_max, char **end, og_message *message)
{
    OG_TRY(make_room(child, answer_max, message));
    char *begin = child->text + child->used;
    ssize_t count = read(child->from, begin, child->room - 1 - child->used);
    if (count < 0 && not_now(errno)) {
        return OG_OK;
    }
    if (count <= 0) {
        return say_end(child, message);
    }
    child->used += (size_t)count;
    *end = memchr(begin, '\n', (size_t)count);
    size_t length = *end == NULL ? child->used : (size_t)(*end - child->text);
    if (length > answer_max) {
        return og_message_set(message, OG_FAILED, "its answer is longer than %zu bytes",
                              answer_max);
    }
    if (*end != NULL && *end + 1 != child->text + child->used) {
        return og_message_set(message, OG_FAILED, "it answered more than one line");
    }
    return OG_OK;
}

/* Fails if output arrived before the question, since it cannot be the answer. */
static og_status expect_silence(og_child *child, og_message *message)
{
    struct pollfd from = {child->from, POLLIN, 0};
    if (poll(&from, 1, 0) <= 0) {
        return OG_OK;
    }
    char *end = NULL;
    og_status status = read_some(child, FIRST_ROOM, &end, message);
    return status != OG_OK || child->used == 0
               ? status
               : og_message_set(message, OG_FAILED, "it wrote a line before it was asked");
}

static og_status converse(og_child *child, og_child_line line, const og_answer_limits *limits,
                          og_message *message)
{
    double waited = 0, looked = og_seconds();
    char *end = NULL;
    while (end == NULL) {
        double now = og_seconds(), wait;
        /* No wait lasts much longer than LOOK_MILLISECONDS; if it seems to, the clock has jumped.
         */
        waited += fmin(fmax(now - looked, 0), 2e-3 * LOOK_MILLISECONDS);
        looked = now;
        wait = limits->seconds - waited;
        if (wait <= 0) {
            return og_message_set(
                message, OG_FAILED,
                "it did not answer within %g seconds (a program must flush its output after "
                "each answer)",
                limits->seconds);
        }
        if (og_stop_asked(limits->stop)) {
            return og_message_set(message, OG_STOPPED, "the wait for its answer was stopped");
        }
        struct pollfd ends[] = {{child->from, POLLIN, 0},
                                {line.length > 0 ? child->to : -1, POLLOUT, 0}};
        if (poll(ends, 2, (int)fmin(ceil(1000 * wait), LOOK_MILLISECONDS)) < 0 && errno != EINTR) {
            return og_message_set(message, OG_FAILED, "a pipe to it cannot be created: %s",
                                  strerror(errno));
        }
        if (ends[1].revents != 0) {
            send_some(child, &line);
        }
        OG_TRY(ends[0].revents != 0 ? read_some(child, limits->bytes, &end, message) : OG_OK);
    }
    return line.length == 0
               ? OG_OK
               : og_message_set(message, OG_FAILED, "it answered before it had read the question");
}

og_status og_child_ask(og_child *child, og_child_line line, const og_answer_limits *limits,
                       og_child_line *answer, og_message *message)
{
    child->used = 0;
    og_status status = expect_silence(child, message);
    OG_THEN(status, converse(child, line, limits, message));
    *answer = (og_child_line){child->text, status == OG_OK ? child->used - 1 : child->used};
    child->text[answer->length] = '\0';
    return status;
}

/* ---- words ---- */

static int shown(size_t length, int most)
{
    return length < (size_t)most ? (int)length : most;
}

static const char *dots(size_t length, int most)
{
    return length <= (size_t)most ? "" : "...";
}

og_status og_child_complain(const char *command, og_child_line request, og_child_line answer,
                            const og_message *why, og_message *message)
{
    enum { COMMAND = 60, REQUEST = 160, ANSWER = 100 }; /* lengths shown */
    size_t name = strlen(command);
    if (answer.length == 0) {
        answer = (og_child_line){"nothing", strlen("nothing")};
    }
    return og_message_set(
        message, OG_FAILED, "policy 'command:%.*s%s': %s; asked: %.*s%s; answered: %.*s%s",
        shown(name, COMMAND), command, dots(name, COMMAND), why->text,
        shown(request.length, REQUEST), request.text, dots(request.length, REQUEST),
        shown(answer.length, ANSWER), answer.text, dots(answer.length, ANSWER));
}
