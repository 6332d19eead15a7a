/* Memory for the program, which ends here without it. */
#include "tools/show/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

static void *checked(void *block)
{
    if (block == NULL) {
        fputs("optgap: out of memory\n", stderr);
        __fpurge(stdout); /* what stands in its buffer is not a result */
        _exit(1);
    }
    return block;
}

void *allocate(size_t count, size_t size)
{
    return checked(calloc(count + 1, size));
}

void *grow(void *block, size_t count, size_t size)
{
    return checked(count < SIZE_MAX / size ? realloc(block, count * size) : NULL);
}
