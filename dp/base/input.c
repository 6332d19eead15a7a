/*
 * Reads the bytes of a file or a pipe. Nothing is read before poll reports data, and what another
 * reader of the pipe takes in between is waited for again, so that the stop is checked while a pipe
 * is silent; interrupted calls are repeated.
 */
#include "dp/base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dp/base/file.h"

enum { LOOK_MILLISECONDS = 100, GZIP_ONLY = 16 + MAX_WBITS };

static const unsigned char gzip_magic[2] = {0x1f, 0x8b};

og_status og_input_open(og_input *input, const char *path, og_stop *stop, const char **reason)
{
    *input = (og_input){.stop = stop};
    OG_TRY(og_file_open(path, &input->file, reason));
    fcntl(fileno(input->file), F_SETFL, O_NONBLOCK);
    input->bytes = malloc(OG_INPUT_BYTES);
    return OG_ALLOCATED(input->bytes);
}

void og_input_text(og_input *input, const char *text, size_t bytes)
{
    *input = (og_input){.at = (const unsigned char *)text, .have = bytes, .begun = true};
}

/* Reads some bytes of the file itself, after those in the buffer; `have` remains the end of the
 * data. */
static og_status read_more(og_input *input, const char **reason)
{
    unsigned char *to = input->bytes + input->have;
    struct pollfd wait = {fileno(input->file), POLLIN, 0};
    ssize_t count = -1;
    while (count < 0) {
        if (og_stop_asked(input->stop)) {
            return OG_STOPPED;
        }
        ssize_t done = poll(&wait, 1, input->stop != NULL ? LOOK_MILLISECONDS : -1);
        if (done > 0) {
            done = count = read(wait.fd, to, OG_INPUT_BYTES - input->have);
        }
        if (done < 0 && errno != EINTR && errno != EAGAIN) {
            *reason = strerror(errno);
            return og_file_status(errno);
        }
    }
    input->have += (size_t)count;
    return OG_OK;
}

static og_status refill(og_input *input, const char **reason)
{
    input->have = 0;
    if (input->file == NULL) {
        return OG_OK; /* the end of a text */
    }
    input->at = input->bytes;
    return read_more(input, reason);
}

/* Checks the first two bytes for a gzip file. */
static og_status look_for_gzip(og_input *input, const char **reason)
{
    OG_TRY(refill(input, reason));
    for (size_t before = 0; input->have > before && input->have < sizeof gzip_magic;) {
        before = input->have;
        OG_TRY(read_more(input, reason));
    }
    input->begun = true;
    if (input->have >= sizeof gzip_magic &&
        memcmp(input->bytes, gzip_magic, sizeof gzip_magic) == 0) {
        input->zipped = inflateInit2(&input->unzip, GZIP_ONLY) == Z_OK;
        return input->zipped ? OG_OK : OG_NO_MEMORY;
    }
    return OG_OK;
}

/* Decompresses bytes of a member; skips the rest of the file if no further member follows. */
static og_status unzip(og_input *input, char *to, size_t room, size_t *got, const char **reason)
{
    z_stream *unzip = &input->unzip;
    int code = Z_OK;
    *got = 0;
    while (*got == 0 && code == Z_OK) {
        if (input->have == 0) {
            OG_TRY(refill(input, reason));
        }
        bool ended = input->have == 0;
        if (input->member_over && (ended || *input->at != gzip_magic[0])) {
            return OG_OK;
        }
        if (input->member_over) {
            inflateReset(unzip);
            input->member_over = false;
        }
        unzip->next_in = (unsigned char *)input->at;
        unzip->avail_in = (unsigned)input->have;
        unzip->next_out = (unsigned char *)to;
        unzip->avail_out = (unsigned)room;
        code = inflate(unzip, Z_NO_FLUSH);
        input->at += input->have - unzip->avail_in;
        input->have = unzip->avail_in;
        *got = room - unzip->avail_out;
        input->member_over = code == Z_STREAM_END;
        code = input->member_over ? Z_OK : code;
    }
    return code == Z_OK ? OG_OK : code == Z_MEM_ERROR ? OG_NO_MEMORY : OG_BAD_INPUT;
}

og_status og_input_read(og_input *input, char *to, size_t room, size_t *got, const char **reason)
{
    if (!input->begun) {
        OG_TRY(look_for_gzip(input, reason));
    }
    if (input->zipped) {
        return unzip(input, to, room, got, reason);
    }
    if (input->have == 0) {
        OG_TRY(refill(input, reason));
    }
    *got = input->have < room ? input->have : room;
    memcpy(to, input->at, *got);
    input->at += *got;
    input->have -= *got;
    return OG_OK;
}

void og_input_close(og_input *input)
{
    if (input->zipped) {
        inflateEnd(&input->unzip);
    }
    if (input->file != NULL) {
        fclose(input->file);
    }
    free(input->bytes);
    *input = (og_input){.file = NULL};
}
