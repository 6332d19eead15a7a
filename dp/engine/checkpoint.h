#ifndef OG_DP_ENGINE_CHECKPOINT_H
#define OG_DP_ENGINE_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/memo.h"

/*
 * A memory on disk. Every entry is a final value, so work can be continued from a memory written at
 * any moment. Format, all numbers 64-bit in the byte order of the machine that wrote it:
 *
 *   header    OG_CHECKPOINT_MAGIC (which also tells the byte order), the format's version, the two
 *             halves of the fingerprint
 *   entries   words + 2^16 * cost, key[words], bits of the value
 *   trailer   0, number of entries, XXH3 of everything before it
 *
 * The fingerprint identifies the problem of the values; the caller defines it.
 */
typedef struct {
    uint64_t half[2];
} og_fingerprint;

/*
 * Writes all entries, as an og_atomic_file, so that PATH is always whole. The caller is the memo's
 * only user, or one of those that have joined; the others wait meanwhile. OG_FAILED with a message
 * if the file cannot be written; PATH is then unchanged.
 */
og_status og_checkpoint_write(const char *path, const og_fingerprint *fingerprint, og_memo *memo,
                              og_memo_user *user, og_message *message);

/*
 * Reads the entries of a file into the memo, which has no other user meanwhile. A missing file
 * counts as empty. With a message: OG_BAD_INPUT if it is not a checkpoint, of another version, of
 * another problem, or damaged; OG_NO_MEMORY; OG_FAILED if it cannot be read (dp/base/file.h). The
 * memo must then be discarded.
 */
og_status og_checkpoint_read(const char *path, const og_fingerprint *fingerprint, og_memo *memo,
                             int32_t key_words_max, og_message *message);

/*
 * Whole layers of values, for engines that work layer by layer without a memory
 * (dp/product/blocks/). The file has the same form, but version OG_CHECKPOINT_LAYERS, so that the
 * two kinds are distinguished:
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

/* Writes `count` layers, those of left, left - 1, ...; as og_checkpoint_write. */
og_status og_checkpoint_write_layers(const char *path, const og_fingerprint *fingerprint,
                                     const og_checkpoint_layer *layer, int32_t count,
                                     og_message *message);

/*
 * Reads them. `find` gives the place and the number of values of the layer with so many labels
 * left; false: there is no such layer. *left: of the last layer, 0 if there is no file; *count:
 * number of layers. Messages and status as og_checkpoint_read; after an error the values must not
 * be used.
 */
og_status og_checkpoint_read_layers(const char *path, const og_fingerprint *fingerprint,
                                    bool (*find)(void *user, int32_t left,
                                                 og_checkpoint_layer *out),
                                    void *user, int32_t *left, int32_t *count, og_message *message);

#endif
