#include "tests/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static fuzz_target *targets;

void fuzz_add(fuzz_target *target)
{
    target->next = targets;
    targets = target;
}

const fuzz_target *fuzz_find(const char *name)
{
    const fuzz_target *at = targets;
    while (at != NULL && strcmp(at->name, name) != 0) {
        at = at->next;
    }
    return at;
}

void fuzz_list(void)
{
    for (const fuzz_target *at = targets; at != NULL; at = at->next) {
        puts(at->name);
    }
}

void fuzz_check(bool promise, const char *what)
{
    if (promise) {
        return;
    }
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

void fuzz_check_numbers(const uint32_t *number, int64_t count, uint32_t distinct, uint32_t most)
{
    uint32_t met = 0;
    for (int64_t i = 0; i < count; i++) {
        fuzz_check(number[i] < most, "a number beyond the last one");
        if (number[i] < distinct) {
            fuzz_check(number[i] <= met, "a number before its turn");
            met += number[i] == met;
        }
    }
    fuzz_check(met == distinct, "a wrong number of names");
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_check(text != NULL, "out of memory");
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

const char *fuzz_file(const void *data, size_t size)
{
    static char path[2][64];
    static int file[2] = {-1, -1}, turn;
    turn = 1 - turn;
    if (file[turn] < 0) {
        file[turn] = memfd_create("fuzz", 0);
        snprintf(path[turn], sizeof path[turn], "/proc/self/fd/%d", file[turn]);
    }
    fuzz_check(file[turn] >= 0 && ftruncate(file[turn], 0) == 0 &&
                   pwrite(file[turn], data, size, 0) == (ssize_t)size,
               "no file in memory");
    return path[turn];
}

size_t fuzz_cut(const uint8_t *data, size_t size, const uint8_t **second, size_t *second_size)
{
    const uint8_t *between = size > 0 ? memchr(data, '\f', size) : NULL;
    size_t first = between != NULL ? (size_t)(between - data) : size;
    size_t from = between != NULL ? first + 1 : size;
    *second = data + from;
    *second_size = size - from;
    return first;
}

void fuzz_quote(FILE *file, const char *name, char end)
{
    fputc('"', file);
    for (; *name != '\0'; name++) {
        fputs(*name == '"' ? "\"\"" : (char[]){*name, '\0'}, file);
    }
    fprintf(file, "\"%c", end);
}

void fuzz_check_message(const og_message *message)
{
    size_t length = strnlen(message->text, sizeof message->text);
    fuzz_check(length > 0 && length < sizeof message->text, "no message, or one without an end");
    for (size_t i = 0; i < length; i++) {
        fuzz_check((unsigned char)message->text[i] >= ' ' && message->text[i] != 127,
                   "a message with control characters");
    }
}
