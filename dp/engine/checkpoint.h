#ifndef OG_DP_ENGINE_CHECKPOINT_H
#define OG_DP_ENGINE_CHECKPOINT_H

#include <stdbool.h>
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

/*
 * Whole layers of values, where the work goes by layers and no memory is kept
 * (dp/product/blocks/). In the same file and form, but of version OG_CHECKPOINT_LAYERS, so that
 * each kind tells the other:
 *
 *   header    as above
 *   layers    from the last one down: labels left, number of values, bits of the values
 *   trailer   0, number of layers, XXH3 of everything before it
 */
enum { OG_CHECKPOINT_LAYERS = 1001 };

typedef struct {
    int32_t left;
    uint64_t states;
    double *values; /* [states] */
} og_checkpoint_layer;

/* Write `count` layers, those of left, left - 1, ...; as og_checkpoint_write. */
og_status og_checkpoint_write_layers(const char *path, const og_fingerprint *fingerprint,
                                     const og_checkpoint_layer *layer, int32_t count,
                                     og_message *message);

/*
 * Read them. `find` says where the values of the layer with so many labels left go and how many
 * they are; false: there is no such layer. *left: of the last one, 0 where there is no file;
 * *count: layers. Messages and status as og_checkpoint_read; what was written is not to be used
 * then.
 */
og_status og_checkpoint_read_layers(const char *path, const og_fingerprint *fingerprint,
                                    bool (*find)(void *user, int32_t left,
                                                 og_checkpoint_layer *out),
                                    void *user, int32_t *left, int32_t *count, og_message *message);

#endif
