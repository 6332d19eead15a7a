#ifndef OG_DP_BASE_FILE_H
#define OG_DP_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "dp/base/status.h"

/* ---- reading ---- */

/*
 * Opens a file to be read from front to end: a regular file, a pipe or terminal that is open
 * already (/dev/stdin, bash's <(command)), or /dev/null. Never waits and never reads a device, so a
 * named pipe, /dev/zero and the like are refused.
 *
 * OG_OK, and the caller closes *out; else og_file_status and *reason, a text that is valid until
 * the next call ("No such file or directory").
 */
og_status og_file_open(const char *path, FILE **out, const char **reason);

/* Checks whether og_file_open would accept the file, for callers that open it in another way later;
 * a missing file is not refused here. OG_BAD_INPUT and *reason: it is not a regular file. */
og_status og_file_check_regular(const char *path, const char **reason);

/* The status for a file that could not be opened or read for this reason (an errno): OG_BAD_INPUT
 * if its name is wrong (no such file, or a folder), OG_NO_MEMORY without memory, else OG_FAILED: a
 * permission, a device. */
og_status og_file_status(int reason);

/* True if two names mean the same file, through links or otherwise; also for files that do not
 * exist yet. False if that cannot be determined. */
bool og_file_same(const char *one, const char *other);

/* ---- writing ---- */

/*
 * Files that are either whole or absent. The data go to a draft next to the file, which is flushed
 * to the disk and then renamed, so that the file is never incomplete. An existing file is replaced,
 * keeps its permissions, and is unchanged if anything fails; a symbolic link stays one, and its
 * target is written.
 *
 * The draft is PATH.optgap-N.part, a new file that no other process writes to. If a killed process
 * left one behind, the next call removes it (a process that writes a draft has it locked).
 */
typedef struct {
    FILE *file;     /* only og_atomic_file_write writes to it; owned */
    int descriptor; /* of the draft, below the stream */
    char *path;     /* of the file, with links followed */
    char *part;     /* of the draft */
    int reason;     /* errno of the first write that failed; 0: none */
} og_atomic_file;

/*
 * `what` is the kind of the new file: "checkpoint". OG_FAILED with a message if the draft cannot be
 * made or PATH is a folder, a device or a pipe. OG_BAD_INPUT if PATH holds a study, an exported
 * policy, a checkpoint or a search, and `what` is another kind: it would be lost. OG_NO_MEMORY. On
 * failure *out is empty.
 */
og_status og_atomic_file_begin(const char *path, const char *what, og_atomic_file *out,
                               og_message *message);

/* Checks whether a file could begin there. Like og_atomic_file_begin, but removes the draft again:
 * for long work that has nothing to write at first. */
og_status og_atomic_file_check(const char *path, const char *what, og_message *message);

/* A failed write is recorded for og_atomic_file_end, and nothing is written after it. */
void og_atomic_file_write(og_atomic_file *file, const void *bytes, size_t count);

/* Flushes, closes, renames. Frees *file in any case; OG_FAILED with a message if that or any write
 * failed. */
og_status og_atomic_file_end(og_atomic_file *file, const char *what, og_message *message);

/* Closes and removes the draft. An empty one is fine. */
void og_atomic_file_drop(og_atomic_file *file);

/* Writes these bytes as a file. Errors as for og_atomic_file_begin and og_atomic_file_end. */
og_status og_atomic_file_save(const char *path, const char *what, const char *bytes, size_t size,
                              og_message *message);

/* ---- one at a time ---- */

/*
 * A file in use: while one process holds the lock of PATH, no other gets it. The lock is a file
 * PATH.optgap-lock that holds the process number and is removed at the end; a file that a killed
 * process left behind locks nothing. If the file system does not support locks, every process gets
 * it.
 */
typedef struct {
    char *path; /* of the lock; NULL: not held */
    int descriptor;
} og_file_lock;

/* OG_FAILED with a message if another process, whose number it gives, or this one has it, or if
 * nothing can be written next to PATH; OG_NO_MEMORY. On failure *out is a lock that is not held. */
og_status og_file_lock_take(const char *path, const char *what, og_file_lock *out,
                            og_message *message);
void og_file_lock_release(og_file_lock *lock); /* zeroed, or not held: does nothing */

#endif
