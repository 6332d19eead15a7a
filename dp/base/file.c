/* Files that are there whole or not at all: written beside their place, then renamed. */
#include "dp/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".part";

static og_status not_written(const char *what, const char *path, int reason, og_message *message)
{
    return og_message_set(message, OG_FAILED, "the %s %s could not be written: %s", what, path,
                          strerror(reason));
}

static void clear(og_atomic_file *file)
{
    free(file->path);
    free(file->part);
    memset(file, 0, sizeof *file);
}

og_status og_atomic_file_begin(const char *path, const char *what, og_atomic_file *out,
                               og_message *message)
{
    size_t length = strlen(path);
    og_atomic_file made = {.path = strdup(path), .part = malloc(length + sizeof suffix)};
    memset(out, 0, sizeof *out);
    if (made.path == NULL || made.part == NULL) {
        clear(&made);
        return og_message_set(message, OG_NO_MEMORY, "out of memory");
    }
    memcpy(made.part, path, length);
    memcpy(made.part + length, suffix, sizeof suffix);
    struct stat kind;
    bool is_folder = stat(path, &kind) == 0 && S_ISDIR(kind.st_mode);
    made.file = is_folder ? NULL : fopen(made.part, "wb");
    if (made.file == NULL) {
        int reason = is_folder ? EISDIR : errno;
        clear(&made);
        return not_written(what, path, reason, message);
    }
    *out = made;
    return OG_OK;
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

/* The rename itself must survive a power cut too. Systems that cannot flush a folder do without. */
static void flush_folder(const char *path)
{
    char *copy = strdup(path);
    int folder = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
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

og_status og_atomic_file_end(og_atomic_file *file, const char *what, og_message *message)
{
    int reason = file->reason;
    if (reason == 0 && (fflush(file->file) != 0 || fsync(fileno(file->file)) != 0)) {
        reason = errno;
    }
    if (fclose(file->file) != 0 && reason == 0) {
        reason = errno;
    }
    file->file = NULL;
    if (reason == 0 && rename(file->part, file->path) != 0) {
        reason = errno;
    }
    og_status status = OG_OK;
    if (reason == 0) {
        flush_folder(file->path);
    } else {
        status = not_written(what, file->path, reason, message);
        unlink(file->part);
    }
    clear(file);
    return status;
}

void og_atomic_file_drop(og_atomic_file *file)
{
    if (file->file != NULL) {
        fclose(file->file);
        unlink(file->part);
    }
    clear(file);
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
