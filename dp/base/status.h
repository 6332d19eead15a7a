#ifndef OG_DP_BASE_STATUS_H
#define OG_DP_BASE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "optgap.h"

/*
 * The result of a call is an og_status; an og_message (optgap.h) explains it to the user in one
 * line.
 *
 * The library never prints and never exits. A function returns a status and, if the reason needs
 * words, writes them to an og_message that the caller may pass (or NULL). Outputs are written on
 * OG_OK only, unless a header states otherwise. A lack of memory needs no words of its own: whoever
 * shows a message takes og_message_words.
 */

/* Returns a status other than OG_OK to the caller at once: for functions that own nothing. */
#define OG_TRY(call)                                                                               \
    do {                                                                                           \
        og_status og_try_status = (call);                                                          \
        if (og_try_status != OG_OK) {                                                              \
            return og_try_status;                                                                  \
        }                                                                                          \
    } while (0)

/* The next step of work that owns something: done only if all steps so far succeeded. */
#define OG_THEN(status, call) ((status) = (status) == OG_OK ? (call) : (status))

/* The end of a function that makes something: `return OG_MADE(status, thing, og_thing_free, out);`
 * stores the thing in *out, or frees it after an error. */
#define OG_MADE(status, made, free_made, out)                                                      \
    __extension__({                                                                                \
        og_status og_made_status = (status);                                                       \
        og_made_status == OG_OK ? (void)(*(out) = (made)) : free_made(made);                       \
        og_made_status;                                                                            \
    })

/* The same for a struct of the function, which clear_made(&made) clears. */
#define OG_MADE_IN(status, made, clear_made, out)                                                  \
    __extension__({                                                                                \
        og_status og_made_status = (status);                                                       \
        og_made_status == OG_OK ? (void)(*(out) = (made)) : clear_made(&(made));                   \
        og_made_status;                                                                            \
    })

/* OG_NO_MEMORY for NULL. A macro, because gcc assumes that a function reads the memory it gets. */
#define OG_ALLOCATED(memory) ((memory) != NULL ? OG_OK : OG_NO_MEMORY)

/* The message's line, or the status's words if it has none. */
const char *og_message_words(const og_message *message, og_status status);

/* Writes an error's words to a message that has no line: for a message that is kept. */
void og_message_complete(og_message *message, og_status status);

/* Writes a printf-style line to message (may be NULL), control characters as '?'. Returns `status`,
 * so that a check can read `return og_message_set(m, OG_BAD_INPUT, "...")`. */
og_status og_message_set(og_message *message, og_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef OG_ANALYSED /* tools/analyse reads one source at a time: the result is `status` */
#define og_message_set(message, status, ...)                                                       \
    ((void)og_message_set(message, status, __VA_ARGS__), (status))
#endif

/* No message. Not all of it is cleared, for calls that are made in each state. */
static inline void og_message_clear(og_message *message)
{
    message->text[0] = '\0';
}

enum { OG_BYTES_TEXT_BYTES = 24 };

/* A number of bytes as text for the user, "512 B", "1.5 MB": powers of 1024. Returns text. */
const char *og_bytes_format(uint64_t bytes, char text[OG_BYTES_TEXT_BYTES]);

#endif
