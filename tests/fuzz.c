#include "tests/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_check(bool promise, const char *what)
{
    if (promise)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_check(text != NULL, "out of memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_check_message(const og_message *message)
{
    size_t length = strnlen(message->text, sizeof message->text);
    fuzz_check(length > 0 && length < sizeof message->text, "no message, or one without an end");
    for (size_t i = 0; i < length; i++)
        fuzz_check((unsigned char)message->text[i] >= ' ' && message->text[i] != 127,
                   "a message with control characters");
}
