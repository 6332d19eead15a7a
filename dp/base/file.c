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

static void draft_free(og_draft *draft)
{
    free(draft->path);
    free(draft->part);
    memset(draft, 0, sizeof *draft);
}

og_status og_draft_begin(const char *path, const char *what, og_draft *out, og_message *message)
{
    size_t length = strlen(path);
    og_draft draft = {.path = strdup(path), .part = malloc(length + sizeof suffix)};
    memset(out, 0, sizeof *out);
    if (draft.path == NULL || draft.part == NULL) {
        draft_free(&draft);
        return og_message_set(message, OG_NO_MEMORY, "out of memory");
    }
    memcpy(draft.part, path, length);
    memcpy(draft.part + length, suffix, sizeof suffix);
    struct stat kind;
    bool is_folder = stat(path, &kind) == 0 && S_ISDIR(kind.st_mode);
    draft.file = is_folder ? NULL : fopen(draft.part, "wb");
    if (draft.file == NULL) {
        int reason = is_folder ? EISDIR : errno;
        draft_free(&draft);
        return not_written(what, path, reason, message);
    }
    *out = draft;
    return OG_OK;
}

og_status og_draft_check(const char *path, const char *what, og_message *message)
{
    og_draft draft;
    og_status status = og_draft_begin(path, what, &draft, message);
    if (status == OG_OK) {
        og_draft_drop(&draft);
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

void og_draft_write(og_draft *draft, const void *bytes, size_t count)
{
    if (draft->reason == 0 && fwrite(bytes, 1, count, draft->file) != count) {
        draft->reason = errno != 0 ? errno : EIO;
    }
}

og_status og_draft_end(og_draft *draft, const char *what, og_message *message)
{
    int reason = draft->reason;
    if (reason == 0 && (fflush(draft->file) != 0 || fsync(fileno(draft->file)) != 0)) {
        reason = errno;
    }
    if (fclose(draft->file) != 0 && reason == 0) {
        reason = errno;
    }
    draft->file = NULL;
    if (reason == 0 && rename(draft->part, draft->path) != 0) {
        reason = errno;
    }
    og_status status = OG_OK;
    if (reason == 0) {
        flush_folder(draft->path);
    } else {
        status = not_written(what, draft->path, reason, message);
        unlink(draft->part);
    }
    draft_free(draft);
    return status;
}

void og_draft_drop(og_draft *draft)
{
    if (draft->file != NULL) {
        fclose(draft->file);
        unlink(draft->part);
    }
    draft_free(draft);
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
