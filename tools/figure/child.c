/* Programs that draw, with files in memory for what they read and write. */
#include "tools/figure/child.h"

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
} channels;

static void channels_close(channels *of)
{
    int *const all[] = {&of->in, &of->out, &of->err};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i] >= 0) {
            close(*all[i]);
        }
    }
}

static bool channels_open(channels *of)
{
    of->in = memfd_create("script", MFD_CLOEXEC);
    of->out = memfd_create("picture", MFD_CLOEXEC);
    of->err = memfd_create("errors", MFD_CLOEXEC);
    return of->in >= 0 && of->out >= 0 && of->err >= 0;
}

static bool send_script(const char *script, size_t size, int to)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = write(to, script + done, size - done);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return lseek(to, 0, SEEK_SET) == 0;
}

/* The whole of a file in memory, with a NUL behind it. */
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

static int spawn(const child_program *of, const channels *with, int *wait_status)
{
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, with->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, with->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, with->err, STDERR_FILENO);
    int error =
        posix_spawnp(&child, of->words[0], &actions, NULL, (char *const *)of->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(child, wait_status, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    return error;
}

static og_status run(const child_program *of, const channels *with, int *wait_status,
                     og_message *message)
{
    int error = spawn(of, with, wait_status);
    if (error == ENOENT ||
        (error == 0 && WIFEXITED(*wait_status) && WEXITSTATUS(*wait_status) == 127)) {
        return og_message_set(message, OG_FAILED,
                              "%s is not installed, and draws %s (on Debian: apt-get install %s)",
                              of->words[0], of->draws, of->package);
    }
    return error == 0 ? OG_OK
                      : og_message_set(message, OG_FAILED, "%s cannot be started: %s", of->words[0],
                                       strerror(error));
}

static og_status exchange(const child_program *of, const channels *with, const char *script,
                          size_t script_size, char **bytes, size_t *size, char **errors,
                          bool *failed, og_message *message)
{
    int wait_status = 0;
    char *wrote = NULL, *said = NULL;
    size_t said_size = 0;
    if (!send_script(script, script_size, with->in)) {
        return og_message_set(message, OG_FAILED, "the figure cannot be described: %s",
                              strerror(errno));
    }
    OG_TRY(run(of, with, &wait_status, message));
    if (!take_all(with->out, &wrote, size) || !take_all(with->err, &said, &said_size)) {
        free(wrote);
        return og_message_set(message, OG_FAILED, "the picture cannot be read: %s",
                              strerror(errno));
    }
    *bytes = wrote;
    *errors = said;
    *failed = wait_status != 0;
    return OG_OK;
}

og_status child_run(const child_program *of, const char *script, size_t script_size, char **bytes,
                    size_t *size, char **errors, bool *failed, og_message *message)
{
    channels with = {-1, -1, -1};
    og_status status = OG_FAILED;
    if (channels_open(&with)) {
        status = exchange(of, &with, script, script_size, bytes, size, errors, failed, message);
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
