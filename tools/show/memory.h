#ifndef OG_TOOLS_SHOW_MEMORY_H
#define OG_TOOLS_SHOW_MEMORY_H

#include <stddef.h>

/*
 * Allocation for the program itself, whose needs are small: when there is no memory it says so
 * and ends with status 1. The library does not use these.
 */
void *allocate(size_t count, size_t size); /* zeroed; count * size may be 0 */
void *grow(void *block, size_t count, size_t size);

#endif
