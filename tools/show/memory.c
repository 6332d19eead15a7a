/* Memory for the program. If there is none, the program ends here. */
#include "tools/show/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *checked(void *block)
{
    if (block == NULL) {
        fputs("optgap: out of memory\n", stderr);
        __fpurge(stdout); /* discard a partial result */
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

void growing_add(growing *to, const char *bytes, size_t count)
{
    if (to->room - to->length <= count) {
        to->room = 2 * to->room + count + 64;
        to->text = grow(to->text, to->room, 1);
    }
    memcpy(to->text + to->length, bytes, count);
    to->length += count;
    to->text[to->length] = '\0';
}

void growing_put(growing *to, const char *text)
{
    growing_add(to, text, strlen(text));
}

FILE *stream_open(char **text, size_t *size)
{
    return checked(open_memstream(text, size));
}

void stream_close(FILE *stream)
{
    bool broken = ferror(stream) != 0;
    broken = fclose(stream) != 0 || broken;
    checked(broken ? NULL : &broken);
}
