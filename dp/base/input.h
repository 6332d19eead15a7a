#ifndef OG_DP_BASE_INPUT_H
#define OG_DP_BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <zlib.h>

#include "dp/base/status.h"
#include "dp/base/stop.h"

/*
 * The bytes of a file from front to end, of a pipe and of a terminal; what gzip compressed comes
 * out as what it holds. Waiting for a pipe ends when the work is to end.
 */
typedef struct {
    FILE *file;
    og_stop *stop;        /* borrowed; NULL: nobody ends it */
    unsigned char *bytes; /* [OG_INPUT_BYTES] as they stand in the file; at[0 .. have) are left */
    const unsigned char *at;
    size_t have;
    bool begun, zipped;
    bool member_over; /* of the gzip file: another may follow */
    z_stream unzip;
} og_input;

enum { OG_INPUT_BYTES = 1 << 15 };

/* As og_file_open; OG_NO_MEMORY, *reason as it was. To be closed whatever comes of it. */
og_status og_input_open(og_input *input, const char *path, og_stop *stop, const char **reason);

/*
 * What there is of the next `room` > 0 bytes; *got 0: the end. Else, and *reason as it was:
 * OG_STOPPED if the stop says so; OG_BAD_INPUT: a gzip file that is cut or damaged; OG_NO_MEMORY.
 * Or og_file_status of the errno that read left, and *reason.
 */
og_status og_input_read(og_input *input, char *to, size_t room, size_t *got, const char **reason);

void og_input_close(og_input *input);

#endif
