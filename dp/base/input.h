#ifndef OG_DP_BASE_INPUT_H
#define OG_DP_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * Reads the bytes of a file from front to end, also of a pipe and of a terminal, and decompresses
 * gzip files. Waiting for a pipe ends when the work is stopped.
 */
typedef struct {
    FILE *file;
    og_stop *stop;        /* borrowed; may be NULL */
    unsigned char *bytes; /* [OG_INPUT_BYTES] as in the file; at[0 .. have) are not used yet */
    const unsigned char *at;
    size_t have;
    bool begun, zipped;
    bool member_over; /* end of a member of the gzip file: another may follow */
    z_stream unzip;
} og_input;

enum { OG_INPUT_BYTES = 1 << 15 };

/* As og_file_open; OG_NO_MEMORY, with *reason unchanged. Must be closed in any case. */
og_status og_input_open(og_input *input, const char *path, og_stop *stop, const char **reason);

/* The bytes of a text instead of a file; they are borrowed until the input is closed. */
void og_input_text(og_input *input, const char *text, size_t bytes);

/*
 * Reads up to `room` > 0 bytes; *got 0 at the end. Errors that leave *reason unchanged: OG_STOPPED
 * if the stop ends the work; OG_BAD_INPUT for a gzip file that is cut or damaged; OG_NO_MEMORY.
 * Else og_file_status of the errno of the read, and *reason.
 */
og_status og_input_read(og_input *input, char *to, size_t room, size_t *got, const char **reason);

void og_input_close(og_input *input);

#endif
