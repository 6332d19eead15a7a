#ifndef OG_TESTS_FUZZ_H
#define OG_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dp/base/status.h"

/*
 * A fuzz target tests/fuzz_NAME.c passes arbitrary bytes to one function and checks accepted inputs
 * and the refusal of others; a violation aborts. Built with -Dfuzz=true (clang) each is a libFuzzer
 * program fuzz_NAME; otherwise it is a test that replays the inputs of tests/data/fuzz/NAME. A long
 * run, which writes new inputs to the folder LEARNT:
 *
 *     CC=clang meson setup build-fuzz -Dfuzz=true -Dtests=disabled && ninja -C build-fuzz
 *     ASAN_OPTIONS=quarantine_size_mb=1 build-fuzz/fuzz_NAME -max_len=300 -runs=10000000 \
 *         LEARNT tests/data/fuzz/NAME
 *
 * Store a failing input in tests/data/fuzz/NAME under the name of its mistake.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Abort with a line on stderr where `promise` does not hold. */
void fuzz_check(bool promise, const char *what);

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
