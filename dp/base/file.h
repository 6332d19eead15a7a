#ifndef OG_DP_BASE_FILE_H
#define OG_DP_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "dp/base/status.h"

/*
 * Files that are whole or not there: what is written goes to "PATH.part", which is flushed to the
 * disk and then renamed, so that PATH never holds half of anything. A file already at PATH is
 * replaced, and stays as it was when anything fails.
 */
typedef struct {
    FILE *file; /* written to by og_atomic_file_write only; owned */
    char *path;
    char *part;
    int reason; /* errno of the first write that failed; 0: none */
} og_atomic_file;

/* OG_FAILED with a message (`what` names the file in it, "checkpoint") if PATH.part cannot be made
 * or PATH is a folder; the file is then empty. */
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

/* Close and remove PATH.part. An empty one is fine. */
void og_atomic_file_drop(og_atomic_file *file);

/* What it means that a file could not be opened or read for this reason (an errno): OG_BAD_INPUT
 * where its name is at fault (nothing goes by it, or a folder does), OG_NO_MEMORY without memory,
 * else OG_FAILED: a permission, a device. */
og_status og_file_status(int reason);

#endif
