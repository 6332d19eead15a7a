#ifndef OG_TOOLS_SHOW_MEMORY_H
#define OG_TOOLS_SHOW_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/*
 * Allocation for the program itself, whose needs are small: when there is no memory it says so
 * and ends with status 1. The library does not use these.
 */
void *allocate(size_t count, size_t size); /* zeroed; count * size may be 0 */
void *grow(void *block, size_t count, size_t size);

/* A stream into memory, and its end, after which *text has what was written, with a NUL behind it:
 * the caller's to free. */
FILE *stream_open(char **text, size_t *size);
void stream_close(FILE *stream);

#endif
