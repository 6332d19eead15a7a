#ifndef OG_DP_PRODUCT_BLOCKS_FILES_H
#define OG_DP_PRODUCT_BLOCKS_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/checkpoint.h"
#include "dp/product/blocks/types.h"

/*
 * Layers of blocks that memory does not hold, in files of a folder (private to
 * dp/product/blocks/). A layer is written once, by all threads, then mapped and read by those that
 * follow, and removed as soon as no other needs it. So the system's page cache, which gives way to
 * whoever needs memory, is all that holds it.
 *
 * FOLDER/optgap-FINGERPRINT-LEFT.layer; all numbers 64-bit in the byte order of the machine that
 * wrote it:
 *
 *   header    OG_BLOCK_FILES_MAGIC (which also tells the byte order), the format's version, the two
 *             halves of the fingerprint, labels left, states, pieces, XXH3 of all that
 *   values    bits of a double for each state
 *   sums      XXH3 of each piece's values
 *   trailer   XXH3 of header and sums
 *
 * A piece is a run of types: as few as have OG_BLOCK_PIECE states, or what is left. It is what one
 * thread values, checks and writes at a time.
 *
 * A file has its name only when it is whole and on the disk; until then it is NAME.part. So a run
 * that was killed is continued from the last layer that has its name. While one process works on
 * the layers of a fingerprint, FOLDER/optgap-FINGERPRINT.optgap-lock keeps others from them.
 */
enum { OG_BLOCK_PIECE = 1 << 14 };

typedef struct {
    const og_block_plan *plan; /* borrowed, like the folder's name */
    const char *folder;
    og_fingerprint fingerprint; /* of what the values belong to */
    int32_t ring;               /* a layer is read by the ring - 1 after it */
    int threads;
    uint64_t window; /* bytes of files that may stand in the process's memory, about */
} og_block_files_use;

typedef struct og_block_files og_block_files;

/* Bytes that it takes in memory beside the window, for each thread too; and most on the disk. */
double og_block_files_bytes(const og_block_plan *plan, int32_t ring);
double og_block_files_thread_bytes(const og_block_plan *plan);
double og_block_files_disk_bytes(const og_block_plan *plan, int32_t ring);

/*
 * What is there of this fingerprint is checked and continued from; drafts and layers that nobody
 * needs are removed. With a message: OG_BAD_INPUT if there is no such folder, or a file is damaged
 * or of another problem; OG_FAILED if the folder cannot be written to, or another process works on
 * the same layers; OG_NO_MEMORY.
 */
og_status og_block_files_open(const og_block_files_use *use, og_block_files **out,
                              og_message *message);

/* The last layer that is whole, with those before it that the next one reads; 0: none. */
int32_t og_block_files_done(const og_block_files *files);

/* The values of a layer that the one being written reads, or of one just ended. */
const double *og_block_files_at(const og_block_files *files, int32_t left);

/* A new layer, the one after og_block_files_done. OG_FAILED with a message if the disk has no room
 * for all of it. */
og_status og_block_files_begin(og_block_files *files, int32_t left, og_message *message);

typedef struct {
    uint32_t first, last; /* types first .. last - 1 */
    uint64_t from;        /* of the layer's states, */
    uint64_t states;
} og_block_piece;

/* Of the layer that was begun. */
int64_t og_block_files_pieces(const og_block_files *files);
og_block_piece og_block_files_piece(const og_block_files *files, int64_t piece);

/* A thread's room for a piece's values. */
double *og_block_files_room(const og_block_files *files, int thread);

/*
 * Write them; threads at once, each its own piece. And is the block of a type of a layer below what
 * was written? Each piece is looked at when it is needed first. False, here or there: something is
 * wrong, and og_block_files_end tells what.
 */
bool og_block_files_put(og_block_files *files, int thread, int64_t piece);
bool og_block_files_check(og_block_files *files, int32_t left, uint32_t type);

/* All pieces are written: on to the disk, and its name. OG_FAILED with a message if that or
 * anything before it failed; OG_BAD_INPUT if a layer below is damaged. */
og_status og_block_files_end(og_block_files *files, og_message *message);

/* All is known: remove the files; the layers at hand can be read until og_block_files_close. */
void og_block_files_remove(og_block_files *files);

/* Layers that have their names stay, for the same command; the draft does not. NULL is fine. */
void og_block_files_close(og_block_files *files);

#endif
