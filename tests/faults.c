/*
 * The functions that the linker calls instead of allocations and file operations.
 *
 * Blocks are kept in a table of this process, so that what another library allocated may be freed
 * here, and the other way round, without being taken for a leak.
 */
#include "tests/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { SLOTS = 1 << 18, SLOTS_USED_MAX = SLOTS / 2 };

/* The functions themselves, and those that take their places: names that the linker gives. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__real_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__real_mremap(void *old, size_t old_size, size_t size, int flags, ...);
int __real_munmap(void *at, size_t size);
XXH3_state_t *__real_XXH3_createState(void);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__real_fdopen(int descriptor, const char *mode);
FILE *__real_fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls);
FILE *__real_open_memstream(char **text, size_t *size);
size_t __real_fread(void *to, size_t size, size_t count, FILE *file);
int __real_fgetc(FILE *file);
ssize_t __real_getline(char **line, size_t *room, FILE *file);
ssize_t __real___getdelim(char **line, size_t *room, int end, FILE *file);
int __real_fseeko64(FILE *file, off_t offset, int from);
size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *file);
int __real_fflush(FILE *file);
int __real_fclose(FILE *file);
int __real_ferror(FILE *file);
int __real_fsync(int file);
int __real_fstat64(int file, struct stat *out);
int __real_open64(const char *path, int flags, ...);
int __real_rename(const char *from, const char *to);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mremap(void *old, size_t old_size, size_t size, int flags);
int __wrap_munmap(void *at, size_t size);
XXH3_state_t *__wrap_XXH3_createState(void);
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fdopen(int descriptor, const char *mode);
FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls);
FILE *__wrap_open_memstream(char **text, size_t *size);
size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file);
int __wrap_fgetc(FILE *file);
ssize_t __wrap_getline(char **line, size_t *room, FILE *file);
ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file);
int __wrap_fseeko64(FILE *file, off_t offset, int from);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file);
int __wrap_fflush(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_ferror(FILE *file);
int __wrap_fsync(int file);
int __wrap_fstat64(int file, struct stat *out);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_rename(const char *from, const char *to);

/* ---- counters ---- */

typedef struct {
    unsigned kinds;
    int64_t first;
    bool on;
    _Atomic int64_t calls;
    _Atomic bool failed;
    char call[sizeof((faults_report *)NULL)->call];
    uint64_t caller;
    _Atomic int64_t blocks;
    _Atomic int64_t files;
} counters;

static counters *shared;    /* by processes; NULL before the first faults_begin */
static _Atomic bool active; /* in this process */

static struct {
    pthread_mutex_t lock;
    FILE *broken; /* the stream whose operation was made to fail last */
    int64_t used; /* slots whose block is not NULL */
    struct {
        void *block;
        const void *by; /* who allocated it; NULL: it was freed */
    } slot[SLOTS];
    int32_t order[SLOTS_USED_MAX]; /* [used], in the order of their first use */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

extern const char __executable_start[];

static uint64_t offset_of(const void *address)
{
    return (uint64_t)((const char *)address - __executable_start);
}

static bool is_active(void)
{
    return atomic_load(&active);
}

/* Is this call the one that must fail? */
static bool due(unsigned kind, const char *call, const void *caller)
{
    if (!is_active() || (shared->kinds & kind) == 0) {
        return false;
    }
    int64_t number = atomic_fetch_add(&shared->calls, 1) + 1;
    if (shared->first == 0 || number < shared->first || (number > shared->first && !shared->on)) {
        return false;
    }
    if (!atomic_exchange(&shared->failed, true)) {
        snprintf(shared->call, sizeof shared->call, "%s", call);
        shared->caller = offset_of(caller);
    }
    return true;
}

/* What lies in a page of memory goes to a page of the table: a process that has just begun pays for
 * each page that it touches first. */
static size_t slot_of(const void *block)
{
    uintptr_t page = (uintptr_t)block >> 12;
    size_t at =
        (size_t)((page * UINT64_C(0x9E3779B97F4A7C15) >> 46 << 8) + ((uintptr_t)block >> 4 & 255)) %
        SLOTS;
    while (table.slot[at].block != NULL && table.slot[at].block != block) {
        at = (at + 1) % SLOTS;
    }
    return at;
}

static void *keep(void *block, const void *by)
{
    if (block == NULL || !is_active()) {
        return block;
    }
    pthread_mutex_lock(&table.lock);
    size_t at = slot_of(block);
    if (table.slot[at].block == NULL) {
        if (table.used == SLOTS_USED_MAX) {
            fputs("faults: too many blocks\n", stderr);
            abort();
        }
        table.order[table.used++] = (int32_t)at;
    }
    table.slot[at].block = block;
    table.slot[at].by = by;
    atomic_fetch_add(&shared->blocks, 1);
    pthread_mutex_unlock(&table.lock);
    return block;
}

/* Before the block is freed, as another thread may be given it at once. NULL: it was not kept. */
static const void *forget(void *block)
{
    if (block == NULL || !is_active()) {
        return NULL;
    }
    pthread_mutex_lock(&table.lock);
    size_t at = slot_of(block);
    const void *by = table.slot[at].block == NULL ? NULL : table.slot[at].by;
    if (by != NULL) {
        table.slot[at].by = NULL;
        atomic_fetch_sub(&shared->blocks, 1);
    }
    pthread_mutex_unlock(&table.lock);
    return by;
}

void faults_begin(unsigned kinds, int64_t first, bool on)
{
    if (shared == NULL) {
        shared = __real_mmap64(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            fputs("faults: no shared memory\n", stderr);
            abort();
        }
    }
    memset(shared, 0, sizeof *shared);
    while (table.used > 0) {
        memset(&table.slot[table.order[--table.used]], 0, sizeof *table.slot);
    }
    table.broken = NULL;
    shared->kinds = kinds;
    shared->first = first;
    shared->on = on;
    atomic_store(&active, true);
}

void faults_end(faults_report *out)
{
    atomic_store(&active, false);
    memset(out, 0, sizeof *out);
    out->calls = atomic_load(&shared->calls);
    out->failed = atomic_load(&shared->failed);
    memcpy(out->call, shared->call, sizeof out->call);
    out->caller = shared->caller;
    out->blocks = atomic_load(&shared->blocks);
    out->files = atomic_load(&shared->files);
    for (int64_t i = 0; out->blocks != 0 && out->block_by == 0 && i < table.used; i++) {
        const void *by = table.slot[table.order[i]].by;
        out->block_by = by == NULL ? 0 : offset_of(by);
    }
}

/* ---- memory ---- */

#define CALLER __builtin_return_address(0)

void *__wrap_malloc(size_t size)
{
    if (due(FAULTS_MEMORY, "malloc", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return keep(__real_malloc(size), CALLER);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (due(FAULTS_MEMORY, "calloc", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return keep(__real_calloc(count, size), CALLER);
}

void *__wrap_realloc(void *block, size_t size)
{
    if (due(FAULTS_MEMORY, "realloc", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    const void *by = forget(block);
    void *grown = __real_realloc(block, size);
    if (grown == NULL) {
        return by == NULL ? NULL : (keep(block, by), NULL);
    }
    return block != NULL && by == NULL ? grown : keep(grown, CALLER);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (due(FAULTS_MEMORY, "aligned_alloc", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return keep(__real_aligned_alloc(alignment, size), CALLER);
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = due(FAULTS_MEMORY, "strdup", CALLER) ? NULL : __real_malloc(size);
    if (copy == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    return keep(memcpy(copy, text, size), CALLER);
}

void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (due(FAULTS_MEMORY, "mmap", CALLER)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *block = __real_mmap64(at, size, protection, flags, file, offset);
    return block == MAP_FAILED ? block : keep(block, CALLER);
}

void *__wrap_mremap(void *old, size_t old_size, size_t size, int flags)
{
    if (due(FAULTS_MEMORY, "mremap", CALLER)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    const void *by = forget(old);
    void *block = __real_mremap(old, old_size, size, flags);
    if (by != NULL) {
        keep(block == MAP_FAILED ? old : block, by);
    }
    return block;
}

int __wrap_munmap(void *at, size_t size)
{
    forget(at);
    return __real_munmap(at, size);
}

XXH3_state_t *__wrap_XXH3_createState(void)
{
    if (due(FAULTS_MEMORY, "XXH3_createState", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return __real_XXH3_createState();
}

/* ---- files ---- */

/* The stream's error mark, which stays. */
static void breaks(FILE *file, int reason)
{
    table.broken = file;
    errno = reason;
}

static FILE *opened(FILE *file)
{
    if (file != NULL && is_active()) {
        atomic_fetch_add(&shared->files, 1);
        table.broken = table.broken == file ? NULL : table.broken; /* a new stream in its place */
    }
    return file;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
    if (due(FAULTS_FILES, "fopen", CALLER)) {
        errno = EMFILE;
        return NULL;
    }
    return opened(__real_fopen64(path, mode));
}

/* The descriptor stays its owner's to close. */
FILE *__wrap_fdopen(int descriptor, const char *mode)
{
    if (due(FAULTS_MEMORY, "fdopen", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return opened(__real_fdopen(descriptor, mode));
}

FILE *__wrap_fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls)
{
    if (due(FAULTS_MEMORY, "fopencookie", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return opened(__real_fopencookie(cookie, mode, calls));
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    if (due(FAULTS_MEMORY, "open_memstream", CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return opened(__real_open_memstream(text, size));
}

size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file)
{
    if (due(FAULTS_FILES, "fread", CALLER)) {
        breaks(file, EIO);
        return 0;
    }
    return __real_fread(to, size, count, file);
}

int __wrap_fgetc(FILE *file)
{
    if (due(FAULTS_FILES, "fgetc", CALLER)) {
        breaks(file, EIO);
        return EOF;
    }
    return __real_fgetc(file);
}

/* getline is one of the two, as the compiler likes. What the line needs is the C library's to
 * allocate. */
ssize_t __wrap_getline(char **line, size_t *room, FILE *file)
{
    if (due(FAULTS_MEMORY, "getline", CALLER)) {
        breaks(file, ENOMEM);
        return -1;
    }
    return __real_getline(line, room, file);
}

ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file)
{
    if (due(FAULTS_MEMORY, "getline", CALLER)) {
        breaks(file, ENOMEM);
        return -1;
    }
    return __real___getdelim(line, room, end, file);
}

int __wrap_fseeko64(FILE *file, off_t offset, int from)
{
    if (due(FAULTS_FILES, "fseeko", CALLER)) {
        errno = EIO;
        return -1;
    }
    return __real_fseeko64(file, offset, from);
}

size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    if (file != stderr && due(FAULTS_FILES, "fwrite", CALLER)) {
        breaks(file, ENOSPC);
        return 0;
    }
    return __real_fwrite(from, size, count, file);
}

int __wrap_fflush(FILE *file)
{
    if (file != stderr && due(FAULTS_FILES, "fflush", CALLER)) {
        breaks(file, ENOSPC);
        return EOF;
    }
    return __real_fflush(file);
}

/* Closes the file even so, like fclose when it cannot write the rest of the buffer. */
int __wrap_fclose(FILE *file)
{
    bool fails = due(FAULTS_FILES, "fclose", CALLER);
    if (is_active() && file != stdout) {
        atomic_fetch_sub(&shared->files, 1);
    }
    int result = __real_fclose(file);
    if (fails) {
        errno = ENOSPC;
        return EOF;
    }
    return result;
}

int __wrap_ferror(FILE *file)
{
    return is_active() && table.broken == file ? 1 : __real_ferror(file);
}

int __wrap_fsync(int file)
{
    if (due(FAULTS_FILES, "fsync", CALLER)) {
        errno = EIO;
        return -1;
    }
    return __real_fsync(file);
}

int __wrap_fstat64(int file, struct stat *out)
{
    if (due(FAULTS_FILES, "fstat", CALLER)) {
        errno = EIO;
        return -1;
    }
    return __real_fstat64(file, out);
}

int __wrap_open64(const char *path, int flags, ...)
{
    if (due(FAULTS_FILES, "open", CALLER)) {
        errno = EMFILE;
        return -1;
    }
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return __real_open64(path, flags, mode);
}

int __wrap_rename(const char *from, const char *to)
{
    if (due(FAULTS_FILES, "rename", CALLER)) {
        errno = EIO;
        return -1;
    }
    return __real_rename(from, to);
}
