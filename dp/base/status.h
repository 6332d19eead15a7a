#ifndef OG_DP_BASE_STATUS_H
#define OG_DP_BASE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "optgap.h"

/*
 * How a call ended is an og_status, and one line for a person about why an og_message (optgap.h).
 *
 * The library never prints and never exits: a function returns a status, and
 * where the reason needs words it writes them to an og_message the caller may
 * pass (NULL where nobody will read it). Outputs are written on OG_OK only,
 * unless a header says otherwise.
 */

/* Pass a status that is not OG_OK up to the caller at once: for functions that own nothing. */
#define OG_TRY(call)                                                                               \
    do {                                                                                           \
        og_status og_try_status = (call);                                                          \
        if (og_try_status != OG_OK) {                                                              \
            return og_try_status;                                                                  \
        }                                                                                          \
    } while (0)

/* The next step of work that owns something: done only where all went well so far. */
#define OG_THEN(status, call) ((status) = (status) == OG_OK ? (call) : (status))

/* How a function that makes something ends: `return OG_MADE(status, thing, og_thing_free, out);`
 * gives the thing to *out, or frees it where something went wrong. */
#define OG_MADE(status, made, free_made, out)                                                      \
    ((status) == OG_OK ? (void)(*(out) = (made)) : free_made(made), (status))

/* OG_NO_MEMORY for NULL. */
static inline og_status og_allocated(const void *memory)
{
    return memory != NULL ? OG_OK : OG_NO_MEMORY;
}

/* Write a printf-style line to message (NULL: nowhere), control characters as
 * '?'; returns `status`, so that a check can read `return og_message_set(m, OG_BAD_INPUT, "...")`.
 */
og_status og_message_set(og_message *message, og_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef OG_ANALYSED /* tools/analyse reads one source at a time: what comes back is `status` */
#define og_message_set(message, status, ...)                                                       \
    ((void)og_message_set(message, status, __VA_ARGS__), (status))
#endif

enum { OG_BYTES_TEXT_BYTES = 24 };

/* A number of bytes for a person, "512 B", "1.5 MB": powers of 1024. Returns text. */
const char *og_bytes_format(uint64_t bytes, char text[OG_BYTES_TEXT_BYTES]);

#endif
