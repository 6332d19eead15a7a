#ifndef OG_DP_ENGINE_CHECKPOINT_H
#define OG_DP_ENGINE_CHECKPOINT_H

#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/memo.h"

/*
 * A memory on disk. Every entry is a final value, so a memory written at any moment can be
 * continued from. Format, all numbers 64-bit in the byte order of the machine that wrote it:
 *
 *   header    OG_CHECKPOINT_MAGIC (which also tells the byte order), the format's version, the two
 *             halves of the fingerprint
 *   entries   words + 2^16 * cost, key[words], bits of the value
 *   trailer   0, number of entries, XXH3 of everything before it
 *
 * The fingerprint names what the values belong to; how it is made is the caller's.
 */
typedef struct {
    uint64_t half[2];
} og_fingerprint;

/*
 * Write all entries, as an og_atomic_file, so that PATH is always whole. The caller is the memo's
 * only user, or one of those that have joined; the others wait meanwhile. OG_FAILED with a message
 * if the file cannot be written; PATH is then as it was.
 */
og_status og_checkpoint_write(const char *path, const og_fingerprint *fingerprint, og_memo *memo,
                              og_memo_user *user, og_message *message);

/*
 * Put the entries of a file into the memo; nobody else is using it. A file that is not there counts
 * as empty. With a message: OG_BAD_INPUT if it is no checkpoint, of another version, of another
 * problem, or damaged; OG_NO_MEMORY; OG_FAILED if it cannot be read (dp/base/file.h). The memo must
 * then be thrown away.
 */
og_status og_checkpoint_read(const char *path, const og_fingerprint *fingerprint, og_memo *memo,
                             int32_t key_words_max, og_message *message);

#endif
