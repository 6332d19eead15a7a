#ifndef OG_TOOLS_SWEEP_ANSWERS_H
#define OG_TOOLS_SWEEP_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp/base/status.h"

/*
 * A file of answers, one on a line:
 *
 *   {"asked": [WORD, ...], "files": {NAME: HASH, ...}, "answer": {...}}
 *
 * "files" is there if the words name files. In a line that a limit ended, "stopped" stands before
 * "answer", which then may be missing. The part before is the key: what has a line is not asked
 * again, and of several lines of a key the last one counts. Other programs only append or remove
 * whole lines.
 */
typedef struct answers answers;

/*
 * Opens the file, which may be missing, and reads the keys of its lines. `retry`: lines that a
 * limit ended do not count. The file is created, and a last line that was cut off is removed, when
 * an answer is added. While it is open, no other process can open it so.
 *
 * OG_BAD_INPUT with a message: it is a folder or a device, a database, or a line is not one of the
 * above; the file is as before. OG_FAILED: another process has it, or it cannot be written.
 */
og_status answers_open(const char *path, bool retry, answers **out, og_message *message);

bool answers_has(const answers *file, const char *key);

/* Bytes of a last line that was cut off. */
size_t answers_cut(const answers *file);

/* Appends a line, whole or not at all: the key, why the answer was stopped (NULL: it was not), and
 * the answer, a JSON object on any number of lines (NULL: none). OG_FAILED with a message. It is on
 * the disk after a second at most, while lines are added, and when the file is closed. */
og_status answers_add(answers *file, const char *key, const char *stopped, const char *answer,
                      og_message *message);

/* Writes to the disk what is not yet there, and closes the file; it may be NULL. */
og_status answers_close(answers *file, og_message *message);

#endif
