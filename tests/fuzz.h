#ifndef OG_TESTS_FUZZ_H
#define OG_TESTS_FUZZ_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/status.h"

/*
 * A fuzz target tests/fuzz_NAME.c passes arbitrary bytes to one function and checks accepted inputs
 * and the refusal of others; a violation aborts. All targets are linked once. `corpus NAME` replays
 * the inputs of tests/data/fuzz/NAME and random mutations of them (tests/fuzz_replay.c). Built with
 * -Dfuzz=true (clang), `fuzz NAME` is a libFuzzer program, which looks for inputs that reach new
 * code; CONTRIBUTING.md has a long run.
 *
 * Store a failing input in tests/data/fuzz/NAME under the name of its mistake.
 */
typedef void fuzz_function(const uint8_t *data, size_t size);

typedef struct fuzz_target {
    const char *name;
    fuzz_function *run;
    struct fuzz_target *next;
} fuzz_target;

void fuzz_add(fuzz_target *target);

/* NULL: there is none of that name. */
const fuzz_target *fuzz_find(const char *name);

/* The names, one a line. */
void fuzz_list(void);

/* Followed by the body of a function of (const uint8_t *data, size_t size). */
#define FUZZ_TARGET(name_)                                                                         \
    static fuzz_function run_target;                                                               \
    static __attribute__((constructor)) void add_target(void)                                      \
    {                                                                                              \
        static fuzz_target target = {#name_, run_target, NULL};                                    \
        fuzz_add(&target);                                                                         \
    }                                                                                              \
    static void run_target(const uint8_t *data, size_t size)

/* Abort with a line on stderr where `promise` does not hold. */
void fuzz_check(bool promise, const char *what);

/* Numbers below `distinct` are given in order of first appearance, without gaps; all are below
 * `most`.
 */
void fuzz_check_numbers(const uint32_t *number, int64_t count, uint32_t distinct, uint32_t most);

/* Copies the bytes to a string that ends at the first NUL; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The path of a file of these bytes, which exists in memory only. Two of them at a time: the next
 * call but one writes over it. */
const char *fuzz_file(const void *data, size_t size);

/* The size of the first of two files with a form feed between; the second is empty where there is
 * no form feed. */
size_t fuzz_cut(const uint8_t *data, size_t size, const uint8_t **second, size_t *second_size);

/* A field of a table with commas, in quotation marks, and what ends it. A name may hold tabs, where
 * commas separated it. */
void fuzz_quote(FILE *file, const char *name, char end);

/* A refusal has a message: one printable line, with words in it. */
void fuzz_check_message(const og_message *message);

#endif
