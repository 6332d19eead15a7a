#ifndef OG_DP_PRODUCT_BLOCKS_FILES_H
#define OG_DP_PRODUCT_BLOCKS_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp/base/status.h"
#include "dp/engine/checkpoint.h"
#include "dp/product/blocks/types.h"

/*
 * Stores layers of blocks that do not fit in memory in files of a folder (private to
 * dp/product/blocks/). All threads write a layer once; later layers map and read it, and it is
 * removed as soon as no other needs it. So only the system's page cache holds it, which gives up
 * memory when other processes need it.
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
 * A piece is a run of types: as few as have OG_BLOCK_PIECE states, or the rest of the layer. One
 * thread evaluates, checks and writes a piece at a time.
 *
 * A file gets its name only when it is whole and on the disk; until then it is NAME.part. So a
 * killed run is continued from the last layer that has its name. While one process works on the
 * layers of a fingerprint, FOLDER/optgap-FINGERPRINT.optgap-lock locks out others.
 */
enum { OG_BLOCK_PIECE = 1 << 14 };

typedef struct {
    const og_block_plan *plan; /* borrowed, like the folder's name */
    const char *folder;
    og_fingerprint fingerprint; /* identifies the problem of the values */
    int32_t ring;               /* a layer is read while the next ring - 1 are computed */
    int threads;
    uint64_t window; /* approximate limit of file bytes in the process's memory */
} og_block_files_use;

typedef struct og_block_files og_block_files;

/* Bytes in memory in addition to the window, for each thread too; and the largest size on the
 * disk. */
double og_block_files_bytes(const og_block_plan *plan, int32_t ring);
double og_block_files_thread_bytes(const og_block_plan *plan);
double og_block_files_disk_bytes(const og_block_plan *plan, int32_t ring);

/*
 * Checks the files of this fingerprint and goes on from them; removes drafts and layers that are no
 * longer needed. With a message: OG_BAD_INPUT if the folder does not exist, or a file is damaged or
 * belongs to another problem; OG_FAILED if the folder cannot be written to, or another process
 * works on the same layers; OG_NO_MEMORY.
 */
og_status og_block_files_open(const og_block_files_use *use, og_block_files **out,
                              og_message *message);

/* The last whole layer for which the layers that the next one reads are also there; 0: none. */
int32_t og_block_files_done(const og_block_files *files);

/* The values of a layer that the current one reads, or of one just finished. */
const double *og_block_files_at(const og_block_files *files, int32_t left);

/* Begins the layer after og_block_files_done. OG_FAILED with a message if the disk has no room for
 * all of it. */
og_status og_block_files_begin(og_block_files *files, int32_t left, og_message *message);

typedef struct {
    uint32_t first, last; /* types first .. last - 1 */
    uint64_t from;        /* of the layer's states, */
    uint64_t states;
} og_block_piece;

/* Number of pieces of the layer that was begun. */
int64_t og_block_files_pieces(const og_block_files *files);
og_block_piece og_block_files_piece(const og_block_files *files, int64_t piece);

/* A thread's buffer for the values of a piece. */
double *og_block_files_room(const og_block_files *files, int thread);

/*
 * og_block_files_put writes a piece; threads may write at once, each its own piece. The next
 * function checks that the block of a type in a layer below is as it was written; each piece is
 * checked when it is first needed. If either returns false, og_block_files_end gives the error.
 */
bool og_block_files_put(og_block_files *files, int thread, int64_t piece);
bool og_block_files_check(og_block_files *files, int32_t left, uint32_t type);

/* Finishes a layer whose pieces are all written: flushes it to the disk and gives it its name.
 * OG_FAILED with a message if that or any write failed; OG_BAD_INPUT if a layer below is
 * damaged. */
og_status og_block_files_end(og_block_files *files, og_message *message);

/* Removes the files after the last layer; layers in use can be read until og_block_files_close. */
void og_block_files_remove(og_block_files *files);

/* Keeps layers that have their names, for the same command; removes the draft. NULL is fine. */
void og_block_files_close(og_block_files *files);

#endif
