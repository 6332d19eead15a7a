#ifndef OG_DP_BASE_FILE_H
#define OG_DP_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "dp/base/status.h"

/* ---- reading ---- */

/*
 * Opens a file to be read from front to end: a regular file, a pipe or terminal that is open
 * already (/dev/stdin, bash's <(command)), or /dev/null. Never waits and never reads a device, so
 * a named pipe, /dev/zero and the like are refused.
 *
 * OG_OK, and the caller closes *out; else og_file_status and *reason, words that are valid until
 * the next call ("No such file or directory").
 */
og_status og_file_open(const char *path, FILE **out, const char **reason);

/* Would og_file_open do? For who opens it in another way then; a missing file is not refused here.
 * OG_BAD_INPUT and *reason: it is no regular file. */
og_status og_file_check_regular(const char *path, const char **reason);

/* What it means that a file could not be opened or read for this reason (an errno): OG_BAD_INPUT
 * where its name is at fault (nothing goes by it, or a folder does), OG_NO_MEMORY without memory,
 * else OG_FAILED: a permission, a device. */
og_status og_file_status(int reason);

/* Do two names stand for one file, by links or otherwise? Also of files that are still to be made.
 * False where that cannot be found out. */
bool og_file_same(const char *one, const char *other);

/* ---- writing ---- */

/*
 * Files that are whole or not there: what is written goes to a draft beside the file, which is
 * flushed to the disk and then renamed, so that the file never holds half of anything. A file
 * already there is replaced, keeping its permissions, and stays as it was when anything fails; a
 * symbolic link stays one, and its target is written.
 *
 * The draft is PATH.optgap-N.part, a new file that no other process writes to; one that a killed
 * process left behind is removed when the next is made (whoever writes one has it locked).
 */
typedef struct {
    FILE *file;     /* written to by og_atomic_file_write only; owned */
    int descriptor; /* of the draft, below the stream */
    char *path;     /* of the file, links followed */
    char *part;     /* of the draft */
    int reason;     /* errno of the first write that failed; 0: none */
} og_atomic_file;

/*
 * `what` says what the file is to be: "checkpoint". OG_FAILED with a message if the draft cannot be
 * made or there is a folder, a device or a pipe at PATH; OG_BAD_INPUT if PATH holds a study, an
 * exported policy, a checkpoint or a search, and `what` is another of these or none: it would be
 * lost. OG_NO_MEMORY. The file is then empty.
 */
og_status og_atomic_file_begin(const char *path, const char *what, og_atomic_file *out,
                               og_message *message);

/* Could a file begin there? As og_atomic_file_begin, and what it made is removed again: for work
 * that takes long before there is anything to write. */
og_status og_atomic_file_check(const char *path, const char *what, og_message *message);

/* A write that fails is remembered for og_atomic_file_end, and nothing is written after it. */
void og_atomic_file_write(og_atomic_file *file, const void *bytes, size_t count);

/* Flush, close, rename. Frees *file whatever comes of it; OG_FAILED with a message if that or
 * any write failed. */
og_status og_atomic_file_end(og_atomic_file *file, const char *what, og_message *message);

/* Close and remove the draft. An empty one is fine. */
void og_atomic_file_drop(og_atomic_file *file);

/* ---- one at a time ---- */

/*
 * A file in use: while one process holds the lock of PATH, no other gets it. The lock is a file
 * PATH.optgap-lock with the process number in it, which is removed at the end; one that a killed
 * process left behind locks nothing. Where the file system knows no locks, all get it.
 */
typedef struct {
    char *path; /* of the lock; NULL: none is held */
    int descriptor;
} og_file_lock;

/* OG_FAILED with a message: another process, whose number it tells, or this one has it, or nothing
 * can be written beside PATH; OG_NO_MEMORY. *out is then a lock that is not held. */
og_status og_file_lock_take(const char *path, const char *what, og_file_lock *out,
                            og_message *message);
void og_file_lock_release(og_file_lock *lock); /* zeroed, or not held: nothing */

#endif
