#ifndef OG_TOOLS_SHOW_MEMORY_H
#define OG_TOOLS_SHOW_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/*
 * Allocation for the program itself, which needs little. Without memory the program prints a line
 * and ends with status 1. The library does not use these functions.
 */
void *allocate(size_t count, size_t size); /* zeroed; count * size may be 0 */
void *grow(void *block, size_t count, size_t size);

/* A text that grows: zeroed at first; `text` ends with a NUL once something was added, and is freed
 * by the caller. */
typedef struct {
    char *text; /* [length] */
    size_t length, room;
} growing;

void growing_add(growing *to, const char *bytes, size_t count);
void growing_put(growing *to, const char *text);

/* Opens a stream into memory. After stream_close, *text holds the written text and a final NUL; the
 * caller frees it. */
FILE *stream_open(char **text, size_t *size);
void stream_close(FILE *stream);

#endif
