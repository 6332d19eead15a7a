/* Runs other programs; their input and output are files in memory. */
#include "tools/plot/child.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/show/memory.h"

extern char **environ;

/* The child's input and its two outputs. */
typedef struct {
    int in, out, err;
} child_channels;

static void channels_close(child_channels *channels)
{
    int *const all[] = {&channels->in, &channels->out, &channels->err};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i] >= 0) {
            close(*all[i]);
        }
    }
}

static bool channels_open(child_channels *channels)
{
    channels->in = memfd_create("numbers", MFD_CLOEXEC);
    channels->out = memfd_create("picture", MFD_CLOEXEC);
    channels->err = memfd_create("errors", MFD_CLOEXEC);
    return channels->in >= 0 && channels->out >= 0 && channels->err >= 0;
}

static bool send_text(const char *text, size_t size, int to)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = write(to, text + done, size - done);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return lseek(to, 0, SEEK_SET) == 0;
}

/* Reads a file in memory completely, and adds a NUL. */
static bool take_all(int from, char **bytes, size_t *size)
{
    off_t length = lseek(from, 0, SEEK_END);
    if (length < 0) {
        return false;
    }
    char *all = allocate((size_t)length + 1, 1);
    for (off_t done = 0; done < length;) {
        ssize_t count = pread(from, all + done, (size_t)(length - done), done);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            free(all);
            return false;
        }
        done += count > 0 ? count : 0;
    }
    *bytes = all;
    *size = (size_t)length;
    return true;
}

static int spawn(const char *const *words, const child_channels *with, int *wait_status)
{
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, with->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, with->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, with->err, STDERR_FILENO);
    int error = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(child, wait_status, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    return error;
}

static og_status exchange(const char *const *words, const child_channels *with, const char *input,
                          child_result *out, og_message *message)
{
    int wait_status = 0;
    child_result made = {.bytes = NULL};
    size_t errors_size;
    if (!send_text(input, strlen(input), with->in)) {
        return og_message_set(message, OG_FAILED, "the figure cannot be described: %s",
                              strerror(errno));
    }
    int error = spawn(words, with, &wait_status);
    if (error != 0 && error != ENOENT) {
        return og_message_set(message, OG_FAILED, "%s cannot be started: %s", words[0],
                              strerror(error));
    }
    if (!take_all(with->out, &made.bytes, &made.size) ||
        !take_all(with->err, &made.errors, &errors_size)) {
        free(made.bytes);
        return og_message_set(message, OG_FAILED, "the picture cannot be read: %s",
                              strerror(errno));
    }
    made.code = error == ENOENT          ? CHILD_MISSING
                : WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                         : -1;
    *out = made;
    return OG_OK;
}

og_status child_run(const char *const *words, const char *input, child_result *out,
                    og_message *message)
{
    child_channels with = {-1, -1, -1};
    og_status status = OG_FAILED;
    if (channels_open(&with)) {
        status = exchange(words, &with, input, out, message);
    } else {
        og_message_set(message, OG_FAILED, "no room for a picture: %s", strerror(errno));
    }
    channels_close(&with);
    return status;
}

const char *child_last_line(char *errors)
{
    size_t size = strlen(errors);
    while (size > 0 && (errors[size - 1] == '\n' || errors[size - 1] == ' ')) {
        errors[--size] = '\0';
    }
    char *line = strrchr(errors, '\n');
    return size == 0 ? "no word about why" : line != NULL ? line + 1 : errors;
}
