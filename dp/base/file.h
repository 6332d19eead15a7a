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
    FILE *file; /* written to by og_draft_write only; owned */
    char *path;
    char *part;
    int reason; /* errno of the first write that failed; 0: none */
} og_draft;

/* OG_FAILED with a message (`what` names the file in it, "checkpoint") if PATH.part cannot be made
 * or PATH is a folder; the draft is then empty. */
og_status og_draft_begin(const char *path, const char *what, og_draft *out, og_message *message);

/* Could a draft begin there? As og_draft_begin, and what it made is removed again: for work that
 * takes long before there is anything to write. */
og_status og_draft_check(const char *path, const char *what, og_message *message);

/* A write that fails is remembered for og_draft_end, and nothing is written after it. */
void og_draft_write(og_draft *draft, const void *bytes, size_t count);

/* Flush, close, rename. Frees the draft whatever comes of it; OG_FAILED with a message if that or
 * any write failed. */
og_status og_draft_end(og_draft *draft, const char *what, og_message *message);

/* Close and remove PATH.part. An empty draft is fine. */
void og_draft_drop(og_draft *draft);

/* What it means that a file could not be opened or read for this reason (an errno): OG_BAD_INPUT
 * where its name is at fault (nothing goes by it, or a folder does), OG_NO_MEMORY without memory,
 * else OG_FAILED: a permission, a device. */
og_status og_file_status(int reason);

#endif
