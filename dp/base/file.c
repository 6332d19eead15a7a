/*
 * Files that are either whole or absent: they are written under another name, then renamed. The
 * owner of a draft or a lock has locked it with flock, which ends with the process; so a file that
 * another process can lock was left behind.
 */
#include "dp/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DRAFTS_MAX = 1000, LINKS_MAX = 40, PERMISSIONS = 0777, NEW_FILE = 0666 };

static og_status not_written(const char *what, const char *path, const char *reason,
                             og_message *message)
{
    return og_message_set(message, OG_FAILED, "the %s %s could not be written: %s", what, path,
                          reason);
}

/* ---- reading ---- */

/* True for a pipe without a name. */
static bool is_open_pipe(int descriptor)
{
    const long pipefs = 0x50495045;
    struct statfs on;
    return fstatfs(descriptor, &on) == 0 && (long)on.f_type == pipefs;
}

/* Why a file of this kind is not read; NULL if it is. */
static const char *unfit(int descriptor, const struct stat *kind)
{
    if (S_ISREG(kind->st_mode)) {
        return NULL;
    }
    if (S_ISDIR(kind->st_mode)) {
        return strerror(EISDIR);
    }
    if (S_ISFIFO(kind->st_mode)) {
        return is_open_pipe(descriptor) ? NULL : "it is a named pipe, not a file";
    }
    bool none = S_ISCHR(kind->st_mode) && kind->st_rdev == makedev(1, 3); /* /dev/null */
    return none || isatty(descriptor) ? NULL : "it is a device, not a file";
}

og_status og_file_open(const char *path, FILE **out, const char **reason)
{
    struct stat kind;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &kind) != 0) {
        og_status status = og_file_status(errno);
        *reason = strerror(errno);
        if (descriptor >= 0) {
            close(descriptor);
        }
        return status;
    }
    *reason = unfit(descriptor, &kind);
    if (*reason != NULL) {
        close(descriptor);
        return OG_BAD_INPUT;
    }
    fcntl(descriptor, F_SETFL, 0); /* reading may wait for the writer of the pipe */
    FILE *file = fdopen(descriptor, "rb");
    if (file == NULL) {
        *reason = strerror(errno);
        close(descriptor);
        return OG_NO_MEMORY;
    }
    *out = file;
    return OG_OK;
}

og_status og_file_check_regular(const char *path, const char **reason)
{
    struct stat kind;
    if (stat(path, &kind) != 0 || S_ISREG(kind.st_mode)) {
        return OG_OK;
    }
    *reason = S_ISDIR(kind.st_mode)    ? strerror(EISDIR)
              : S_ISFIFO(kind.st_mode) ? "it is a pipe, not a file"
                                       : "it is a device, not a file";
    return OG_BAD_INPUT;
}

og_status og_file_status(int reason)
{
    switch (reason) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return OG_BAD_INPUT;
    case ENOMEM:
        return OG_NO_MEMORY;
    default:
        return OG_FAILED;
    }
}

/* ---- names ---- */

/* A name followed by `rest`; NULL: no memory. */
static char *joined(const char *name, size_t length, const char *rest)
{
    size_t more = strlen(rest) + 1;
    char *text = malloc(length + more);
    if (text != NULL) {
        memcpy(text, name, length);
        memcpy(text + length, rest, more);
    }
    return text;
}

/* The target of a link, relative to its folder; frees `link`. NULL: no memory. */
static char *follow(char *link, const char *to)
{
    const char *slash = to[0] == '/' ? NULL : strrchr(link, '/');
    char *next = joined(link, slash != NULL ? (size_t)(slash + 1 - link) : 0, to);
    free(link);
    return next;
}

/* The file of a name after following all links, whether it exists or not. NULL: no memory. */
static char *target_of(const char *path)
{
    char to[PATH_MAX];
    char *name = strdup(path);
    for (int i = 0; name != NULL && i < LINKS_MAX; i++) {
        ssize_t length = readlink(name, to, sizeof to - 1);
        if (length < 0) {
            break;
        }
        to[length] = '\0';
        name = follow(name, to);
    }
    return name;
}

static bool same_inode(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* For names of missing files: true if both are the same name in one folder. */
static bool same_place(char *one, char *other)
{
    const char *ends[] = {strrchr(one, '/'), strrchr(other, '/')};
    struct stat folder[2];
    if (strcmp(ends[0] != NULL ? ends[0] + 1 : one, ends[1] != NULL ? ends[1] + 1 : other) != 0) {
        return false;
    }
    return stat(dirname(one), &folder[0]) == 0 && stat(dirname(other), &folder[1]) == 0 &&
           same_inode(&folder[0], &folder[1]);
}

bool og_file_same(const char *one, const char *other)
{
    struct stat kind[2];
    bool there = stat(one, &kind[0]) == 0;
    if (there != (stat(other, &kind[1]) == 0)) {
        return false;
    }
    if (there) {
        return same_inode(&kind[0], &kind[1]);
    }
    char *targets[] = {target_of(one), target_of(other)};
    bool same = targets[0] != NULL && targets[1] != NULL && same_place(targets[0], targets[1]);
    free(targets[0]);
    free(targets[1]);
    return same;
}

/* ---- files that must not be overwritten ---- */

/* The kind of a file, from its first bytes; NULL: none of this program. */
static const char *kind_of(const char *path)
{
    static const struct {
        const char *name, *bytes;
    } kinds[] = {
        {"study", "{\"asked\": "},     {"study", "SQLite format 3"}, /* of an earlier version */
        {"policy", "optgap-policy\t"}, {"search", "optgap-search\t"},
        {"checkpoint", "khCPaGgo"},    {"checkpoint", "ogGaPChk"}, /* of the other byte order */
    };
    char first[16] = "";
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = descriptor < 0 ? 0 : pread(descriptor, first, sizeof first - 1, 0);
    if (descriptor >= 0) {
        close(descriptor);
    }
    for (size_t i = 0; got > 0 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(first, kinds[i].bytes, strlen(kinds[i].bytes)) == 0) {
            return kinds[i].name;
        }
    }
    return NULL;
}

/* Checks that a file may be replaced by one of this kind. *mode: its permissions, unchanged if
 * there is none. */
static og_status check_place(const char *path, const char *what, int *mode, og_message *message)
{
    const char *reason = "";
    struct stat kind;
    if (og_file_check_regular(path, &reason) != OG_OK) {
        return not_written(what, path, reason, message);
    }
    if (stat(path, &kind) != 0) {
        return errno == ENOENT ? OG_OK : not_written(what, path, strerror(errno), message);
    }
    const char *found = kind_of(path);
    if (found != NULL && strcmp(found, what) != 0) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "the %s %s could not be written: it holds a %s, which would be lost; give another name",
            what, path, found);
    }
    *mode = (int)(kind.st_mode & PERMISSIONS);
    return OG_OK;
}

/* ---- locked files ---- */

/* Returns 0 or an errno. */
static int lock(int descriptor)
{
    int failed = flock(descriptor, LOCK_EX | LOCK_NB);
    while (failed != 0 && errno == EINTR) {
        failed = flock(descriptor, LOCK_EX | LOCK_NB);
    }
    return failed != 0 ? errno : 0;
}

/* False if another process has it. */
static bool take_flock(int descriptor)
{
    return lock(descriptor) != EWOULDBLOCK;
}

/* True if the open file still has that name. */
static bool is_named(int descriptor, const char *path)
{
    struct stat own, named;
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && same_inode(&own, &named);
}

/* Removes a file that a killed process left; false if that is not certain. */
static bool remove_stale(const char *path)
{
    struct stat kind;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    bool stale = descriptor >= 0 && fstat(descriptor, &kind) == 0 && S_ISREG(kind.st_mode) &&
                 lock(descriptor) == 0 && is_named(descriptor, path) && unlink(path) == 0;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return stale;
}

/* Closes a file that was made and locked but lost its name; removes it if its name cannot be
 * checked. */
static void give_up(int descriptor, const char *path)
{
    struct stat own;
    if (fstat(descriptor, &own) != 0) {
        unlink(path);
    }
    close(descriptor);
}

/* A new file that this process has locked; -1 with errno. EEXIST: the name is in use. */
static int open_draft(const char *path)
{
    for (int i = 0; i < 2; i++) {
        int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, NEW_FILE);
        if (descriptor >= 0) {
            if (take_flock(descriptor) && is_named(descriptor, path)) {
                return descriptor;
            }
            give_up(descriptor, path); /* taken for stale and removed before it was locked */
        } else if (errno != EEXIST) {
            return -1;
        } else if (!remove_stale(path)) {
            break;
        }
    }
    errno = EEXIST;
    return -1;
}

/* ---- writing ---- */

static void clear(og_atomic_file *file)
{
    free(file->path);
    free(file->part);
    memset(file, 0, sizeof *file);
}

/* Opens the first name that is free. */
static int open_numbered(og_atomic_file *made)
{
    static const char form[] = ".optgap-%d.part";
    size_t length = strlen(made->path);
    size_t room = length + sizeof form + 8;
    int descriptor = -1;
    made->part = malloc(room);
    if (made->part == NULL) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(made->part, made->path, length);
    for (int i = 1; descriptor < 0 && i <= DRAFTS_MAX; i++) {
        snprintf(made->part + length, room - length, form, i);
        descriptor = open_draft(made->part);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

/* A stream's write function, like the C library's but restarting interrupted calls. Returns 0 with
 * errno on failure. */
static ssize_t write_all(void *descriptor, const char *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t part = write((int)(intptr_t)descriptor, bytes + done, count - done);
        if (part < 0 && errno != EINTR) {
            return 0;
        }
        done += part > 0 ? (size_t)part : 0;
    }
    return (ssize_t)done;
}

static int flush_to_disk(int descriptor)
{
    int failed = fsync(descriptor);
    while (failed != 0 && errno == EINTR) {
        failed = fsync(descriptor);
    }
    return failed;
}

/* Opens the draft as a stream; mode -1: the default permissions. Returns 0 or an errno. */
static int open_stream(og_atomic_file *made, int mode)
{
    int descriptor = open_numbered(made);
    if (descriptor >= 0 && (mode < 0 || fchmod(descriptor, (mode_t)mode) == 0)) {
        const cookie_io_functions_t calls = {.write = write_all};
        made->file = fopencookie((void *)(intptr_t)descriptor, "wb", calls);
        made->descriptor = descriptor;
    }
    int reason = made->file != NULL ? 0 : errno;
    if (made->file == NULL && descriptor >= 0) {
        unlink(made->part);
        close(descriptor);
    }
    return reason;
}

og_status og_atomic_file_begin(const char *path, const char *what, og_atomic_file *out,
                               og_message *message)
{
    int mode = -1;
    og_atomic_file made = {.path = target_of(path)};
    memset(out, 0, sizeof *out);
    og_status status = made.path == NULL ? OG_NO_MEMORY : check_place(path, what, &mode, message);
    int reason = status == OG_OK ? open_stream(&made, mode) : 0;
    if (reason != 0) {
        status =
            reason == ENOMEM ? OG_NO_MEMORY : not_written(what, path, strerror(reason), message);
    }
    return OG_MADE_IN(status, made, clear, out);
}

og_status og_atomic_file_check(const char *path, const char *what, og_message *message)
{
    og_atomic_file made;
    og_status status = og_atomic_file_begin(path, what, &made, message);
    if (status == OG_OK) {
        og_atomic_file_drop(&made);
    }
    return status;
}

/* Makes the rename survive a power cut too. Systems that cannot flush a folder ignore this. */
static void flush_folder(const char *path)
{
    char *copy = strdup(path);
    int folder = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        flush_to_disk(folder);
        close(folder);
    }
    free(copy);
}

void og_atomic_file_write(og_atomic_file *file, const void *bytes, size_t count)
{
    if (file->reason == 0 && fwrite(bytes, 1, count, file->file) != count) {
        file->reason = errno != 0 ? errno : EIO;
    }
}

/* Renamed before it is closed: until then it is locked, so no process treats it as stale. */
og_status og_atomic_file_end(og_atomic_file *file, const char *what, og_message *message)
{
    int reason = file->reason;
    if (reason == 0 && (fflush(file->file) != 0 || flush_to_disk(file->descriptor) != 0)) {
        reason = errno;
    }
    if (reason == 0 && rename(file->part, file->path) != 0) {
        reason = errno;
    }
    og_status status = OG_OK;
    if (reason == 0) {
        flush_folder(file->path);
    } else {
        status = not_written(what, file->path, strerror(reason), message);
        unlink(file->part);
    }
    fclose(file->file); /* everything is on the disk already */
    close(file->descriptor);
    clear(file);
    return status;
}

void og_atomic_file_drop(og_atomic_file *file)
{
    if (file->file != NULL) {
        unlink(file->part);
        fclose(file->file);
        close(file->descriptor);
    }
    clear(file);
}

og_status og_atomic_file_save(const char *path, const char *what, const char *bytes, size_t size,
                              og_message *message)
{
    og_atomic_file draft;
    OG_TRY(og_atomic_file_begin(path, what, &draft, message));
    og_atomic_file_write(&draft, bytes, size);
    return og_atomic_file_end(&draft, what, message);
}

/* ---- one at a time ---- */

/* Writes the holder's process number into the lock, so that the user can find the process. */
static void sign(int descriptor)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(descriptor, 0) == 0) { /* remove the number of a former holder */
        ssize_t written = pwrite(descriptor, text, (size_t)length, 0);
        (void)written; /* the lock works without it */
    }
}

/* The process number in a lock; 0 if none is there. */
static long signed_by(int descriptor)
{
    char text[32] = "";
    ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
    long number = length > 0 ? strtol(text, NULL, 10) : 0;
    return number > 0 ? number : 0;
}

/* Opens, locks and signs a file of that name, which is made if missing; -1 with errno. EWOULDBLOCK:
 * another process, *owner, has it. */
static int open_lock(const char *path, long *owner)
{
    for (;;) {
        int descriptor =
            open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, NEW_FILE);
        if (descriptor < 0) {
            return -1;
        }
        bool locked = take_flock(descriptor);
        if (locked && is_named(descriptor, path)) {
            sign(descriptor);
            return descriptor;
        }
        *owner = locked ? 0 : signed_by(descriptor);
        if (locked) {
            give_up(descriptor, path);
        } else {
            close(descriptor);
            errno = EWOULDBLOCK;
            return -1;
        } /* else its owner has just removed it */
    }
}

og_status og_file_lock_take(const char *path, const char *what, og_file_lock *out,
                            og_message *message)
{
    char *target = target_of(path);
    char *name = target != NULL ? joined(target, strlen(target), ".optgap-lock") : NULL;
    *out = (og_file_lock){.path = NULL, .descriptor = -1};
    free(target);
    OG_TRY(OG_ALLOCATED(name));
    long owner = 0;
    int descriptor = open_lock(name, &owner);
    if (descriptor >= 0) {
        *out = (og_file_lock){.path = name, .descriptor = descriptor};
        return OG_OK;
    }
    int reason = errno;
    free(name);
    if (reason != EWOULDBLOCK) {
        return not_written(what, path, strerror(reason), message);
    }
    char number[40] = "another process";
    if (owner == (long)getpid()) {
        snprintf(number, sizeof number, "this process already");
    } else if (owner > 0) {
        snprintf(number, sizeof number, "another process (%ld)", owner);
    }
    return og_message_set(message, OG_FAILED, "the %s %s is in use by %s; give another file", what,
                          path, number);
}

void og_file_lock_release(og_file_lock *lock)
{
    if (lock->path != NULL) {
        unlink(lock->path);
        close(lock->descriptor);
        free(lock->path);
    }
    *lock = (og_file_lock){.path = NULL, .descriptor = -1};
}
