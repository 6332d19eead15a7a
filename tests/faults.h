#ifndef OG_TESTS_FAULTS_H
#define OG_TESTS_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Allocations and file operations that fail on request, without a change to the sources. The linker
 * redirects only the calls of this project's objects to the __wrap_ functions of faults.c
 * (-Wl,--wrap=NAME for every NAME of fault_calls in meson.build). A call that fails does what the
 * real one would: it returns its error, sets errno, and a stream has its error mark set.
 *
 * Calls are numbered from 1 in order. The counters are in memory that a child process shares with
 * its parent, so a child may count and the parent may read.
 */
enum {
    FAULTS_MEMORY = 1, /* malloc, calloc, realloc, aligned_alloc, strdup, mmap, mremap, and
                          XXH3_createState and getline, which allocate for us */
    FAULTS_FILES = 2,  /* fopen, fread, fgetc, fseeko, fwrite, fflush, fclose, fsync, fstat, open,
                          rename */
    FAULTS_ALL = 3,
};

/*
 * Starts counting calls of these kinds, and tracking allocations and open files. The `first`-th
 * call fails (0: none), and with `on` all later ones too. Not nested.
 */
void faults_begin(unsigned kinds, int64_t first, bool on);

typedef struct {
    int64_t calls;     /* counted */
    bool failed;       /* one was made to fail, ... */
    char call[24];     /* ... the first being a call of this function ... */
    uint64_t caller;   /* ... from here, for addr2line: an offset in the program */
    int64_t blocks;    /* allocated since faults_begin and not freed */
    uint64_t block_by; /* where one of them comes from, likewise */
    int64_t files;     /* opened and not closed */
} faults_report;

/* Stop it, and say what there was. */
void faults_end(faults_report *out);

#endif
