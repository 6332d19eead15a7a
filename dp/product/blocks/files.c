/*
 * Stores layers in files: writes them piece by piece, then maps them for reading.
 *
 * Invariant: a file with its final name is whole, on the disk, and no longer written to; and the
 * layers that the next one reads are also there.
 */
#include "dp/product/blocks/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "dp/base/file.h"

enum { HEADER_WORDS = 8, NEW_FILE = 0666, NAME_BYTES = 64 };

static const uint64_t magic = UINT64_C(0x6f6747615043726c); /* "ogGaPCrl" in one byte order only */
static const uint64_t version = 1;
static const char what[] = "scratch file";
static const char suffix[] = ".layer";
static const char draft_suffix[] = ".layer.part";

/* A layer while it is written or mapped. */
typedef struct {
    int32_t left; /* 0: none */
    int64_t pieces;
    uint32_t *type;                 /* [pieces + 1] the first type of each */
    uint64_t *sum;                  /* [pieces] */
    _Atomic unsigned char *checked; /* [pieces] */
    char *map;                      /* NULL: not mapped */
    size_t bytes;                   /* of the file */
} layer;

struct og_block_files {
    og_block_files_use use;
    char *path; /* FOLDER/optgap-FINGERPRINT, with room for the rest of the name */
    size_t path_length;
    char *draft; /* the name of the file being written */
    og_file_lock lock;
    layer *ring; /* [use.ring] layer r at r % ring */
    int32_t done;
    double **room;   /* [threads] */
    int descriptor;  /* of the draft; -1: none */
    int status_file; /* /proc/self/statm; -1: there is none */
    uint64_t shared; /* bytes of files in memory at the start */
    _Atomic bool relieving;
    _Atomic int reason;  /* errno of the first write that failed; 0: none */
    _Atomic int damaged; /* the layer with a wrong checksum; 0: none */
};

/* ---- pieces ---- */

static uint64_t begin_of(const og_block_plan *plan, int32_t left, uint32_t type)
{
    const og_block_types *types = &plan->layer[left];
    return type < og_state_set_count(types->set)
               ? *(const uint64_t *)og_state_set_payload(types->set, type)
               : types->states;
}

/* The type after the piece that begins with this type. */
static uint32_t piece_end(const og_block_plan *plan, int32_t left, uint32_t type)
{
    uint32_t types = og_state_set_count(plan->layer[left].set);
    uint64_t from = begin_of(plan, left, type);
    while (type < types && begin_of(plan, left, type) - from < OG_BLOCK_PIECE) {
        type++;
    }
    return type;
}

static int64_t count_pieces(const og_block_plan *plan, int32_t left)
{
    uint32_t types = og_state_set_count(plan->layer[left].set);
    int64_t count = 0;
    for (uint32_t t = 0; t < types; t = piece_end(plan, left, t)) {
        count++;
    }
    return count;
}

static size_t file_bytes(uint64_t states, int64_t pieces)
{
    return sizeof(uint64_t) * (HEADER_WORDS + (size_t)states + (size_t)pieces + 1);
}

/* Upper bound of the number of pieces, without looking at types. */
static double pieces_most(double states)
{
    return floor(states / OG_BLOCK_PIECE) + 1;
}

double og_block_files_bytes(const og_block_plan *plan, int32_t ring)
{
    double most = 0;
    for (int32_t left = 1; left <= plan->budget; left++) {
        most = fmax(most, pieces_most((double)plan->layer[left].states));
    }
    return ring * (most + 1) * (sizeof(uint32_t) + sizeof(uint64_t) + 1);
}

double og_block_files_thread_bytes(const og_block_plan *plan)
{
    return sizeof(double) * ((double)plan->block_max + OG_BLOCK_PIECE);
}

double og_block_files_disk_bytes(const og_block_plan *plan, int32_t ring)
{
    double most = 0;
    for (int32_t left = 1; left < plan->budget; left++) {
        double bytes = 0;
        for (int32_t below = 0; below < ring && left - below >= 1; below++) {
            uint64_t states = plan->layer[left - below].states;
            bytes += (double)file_bytes(states, (int64_t)pieces_most((double)states));
        }
        most = fmax(most, bytes);
    }
    return most;
}

/* ---- layers ---- */

static layer *layer_at(const og_block_files *f, int32_t left)
{
    return &f->ring[left % f->use.ring];
}

static void layer_clear(layer *l)
{
    if (l->map != NULL) {
        munmap(l->map, l->bytes);
    }
    free(l->type);
    free(l->sum);
    free(l->checked);
    memset(l, 0, sizeof *l);
}

static og_status layer_init(const og_block_files *f, int32_t left)
{
    const og_block_plan *plan = f->use.plan;
    layer *l = layer_at(f, left);
    layer_clear(l);
    l->left = left;
    l->pieces = count_pieces(plan, left);
    l->bytes = file_bytes(plan->layer[left].states, l->pieces);
    l->type = malloc(((size_t)l->pieces + 1) * sizeof *l->type);
    l->sum = calloc((size_t)l->pieces + 1, sizeof *l->sum);
    l->checked = calloc((size_t)l->pieces + 1, sizeof *l->checked);
    if (l->type == NULL || l->sum == NULL || l->checked == NULL) {
        return OG_NO_MEMORY;
    }
    l->type[0] = 0;
    for (int64_t i = 0; i < l->pieces; i++) {
        l->type[i + 1] = piece_end(plan, left, l->type[i]);
    }
    return OG_OK;
}

static og_block_piece piece_of(const og_block_files *f, const layer *l, int64_t piece)
{
    og_block_piece at = {.first = l->type[piece], .last = l->type[piece + 1]};
    at.from = begin_of(f->use.plan, l->left, at.first);
    at.states = begin_of(f->use.plan, l->left, at.last) - at.from;
    return at;
}

static void make_header(const og_block_files *f, const layer *l, uint64_t header[HEADER_WORDS])
{
    const uint64_t words[HEADER_WORDS - 1] = {magic,
                                              version,
                                              f->use.fingerprint.half[0],
                                              f->use.fingerprint.half[1],
                                              (uint64_t)l->left,
                                              f->use.plan->layer[l->left].states,
                                              (uint64_t)l->pieces};
    memcpy(header, words, sizeof words);
    header[HEADER_WORDS - 1] = XXH3_64bits(words, sizeof words);
}

static uint64_t trailer_of(const layer *l, const uint64_t header[HEADER_WORDS])
{
    return XXH3_64bits_withSeed(l->sum, (size_t)l->pieces * sizeof *l->sum,
                                header[HEADER_WORDS - 1]);
}

static const double *values_of(const layer *l)
{
    return (const double *)(const void *)(l->map + HEADER_WORDS * sizeof(uint64_t));
}

static bool piece_is_whole(const og_block_files *f, layer *l, int64_t piece)
{
    og_block_piece at = piece_of(f, l, piece);
    if (atomic_load_explicit(&l->checked[piece], memory_order_relaxed) == 0) {
        if (XXH3_64bits(values_of(l) + at.from, at.states * sizeof(double)) != l->sum[piece]) {
            return false;
        }
        atomic_store_explicit(&l->checked[piece], 1, memory_order_relaxed);
    }
    return true;
}

/* ---- names ---- */

/* The name of a layer, valid until the next call. */
static const char *name_of(const og_block_files *f, int32_t left, const char *end)
{
    snprintf(f->path + f->path_length, NAME_BYTES, "-%" PRId32 "%s", left, end);
    return f->path;
}

/* The number in the name of a file of this fingerprint, and its ending; 0 for other files. */
static int32_t number_in(const og_block_files *f, const char *name, const char **end)
{
    const char *own = strrchr(f->path, '/') + 1;
    size_t length = (size_t)(f->path + f->path_length - own);
    char *after;
    if (strncmp(name, own, length) != 0 || name[length] != '-') {
        return 0;
    }
    long number = strtol(name + length + 1, &after, 10);
    *end = after;
    return number > 0 && number <= f->use.plan->budget ? (int32_t)number : 0;
}

static og_status not_usable(const og_block_files *f, int reason, og_message *message)
{
    return og_message_set(message, og_file_status(reason),
                          "the scratch folder %s could not be used: %s", f->use.folder,
                          strerror(reason));
}

static og_status not_written(const og_block_files *f, int32_t left, int reason, og_message *message)
{
    return og_message_set(message, OG_FAILED,
                          "the %s %s could not be written: %s; the layers before it stay for the "
                          "same command",
                          what, name_of(f, left, suffix), strerror(reason));
}

static og_status is_damaged(const og_block_files *f, int32_t left, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "the %s %s is damaged (its checksum or its form is wrong); remove it to "
                          "start anew",
                          what, name_of(f, left, suffix));
}

/* Calls `each` for all files of this fingerprint that are layers or drafts of layers. */
static og_status each_name(og_block_files *f, og_message *message,
                           void (*each)(og_block_files *f, int32_t left, bool draft, void *user),
                           void *user)
{
    DIR *folder = opendir(f->use.folder);
    if (folder == NULL) {
        return not_usable(f, errno, message);
    }
    for (struct dirent *item = readdir(folder); item != NULL; item = readdir(folder)) {
        const char *end = "";
        int32_t left = number_in(f, item->d_name, &end);
        bool draft = strcmp(end, draft_suffix) == 0;
        if (left > 0 && (draft || strcmp(end, suffix) == 0)) {
            each(f, left, draft, user);
        }
    }
    closedir(folder);
    return OG_OK;
}

/* ---- layers from earlier runs ---- */

static void note(og_block_files *f, int32_t left, bool draft, void *user)
{
    bool *there = user;
    (void)f;
    there[left] = there[left] || !draft;
}

/* Removes all layers but the mapped ones. */
static void remove_others(og_block_files *f, int32_t left, bool draft, void *user)
{
    (void)user;
    if (draft || layer_at(f, left)->left != left || layer_at(f, left)->map == NULL) {
        unlink(name_of(f, left, draft ? draft_suffix : suffix));
    }
}

/* True if all layers that the next one reads are there. */
static bool can_go_on(const og_block_files *f, const bool *there, int32_t left)
{
    for (int32_t below = 0; below < f->use.ring - 1 && left - below >= 1; below++) {
        if (!there[left - below]) {
            return false;
        }
    }
    return true;
}

/* Maps the file, whatever its contents. Returns 0 or an errno; *fits: its size is right. */
static int map_file(layer *l, int descriptor, bool *fits)
{
    struct stat found;
    if (fstat(descriptor, &found) != 0) {
        return errno;
    }
    *fits = S_ISREG(found.st_mode) && found.st_size == (off_t)l->bytes;
    if (*fits) {
        char *map = mmap(NULL, l->bytes, PROT_READ, MAP_SHARED, descriptor, 0);
        if (map == MAP_FAILED) {
            return errno;
        }
        l->map = map;
    }
    return 0;
}

static void relieve(og_block_files *f);

static og_status check_layer(og_block_files *f, layer *l, og_message *message)
{
    uint64_t header[HEADER_WORDS], found[HEADER_WORDS], trailer;
    const char *sums = l->map + l->bytes - ((size_t)l->pieces + 1) * sizeof(uint64_t);
    make_header(f, l, header);
    memcpy(found, l->map, sizeof found);
    if (found[0] == magic && found[1] == version && found[2] == header[2] &&
        found[3] != header[3]) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the %s %s is of another problem; give another folder or remove it",
                              what, name_of(f, l->left, suffix));
    }
    memcpy(l->sum, sums, (size_t)l->pieces * sizeof *l->sum);
    memcpy(&trailer, sums + (size_t)l->pieces * sizeof *l->sum, sizeof trailer);
    bool whole = memcmp(header, found, sizeof header) == 0 && trailer == trailer_of(l, header);
    for (int64_t i = 0; i < l->pieces && whole; i++) {
        whole = piece_is_whole(f, l, i);
        relieve(f);
    }
    return whole ? OG_OK : is_damaged(f, l->left, message);
}

static og_status open_layer(og_block_files *f, int32_t left, og_message *message)
{
    OG_TRY(layer_init(f, left));
    layer *l = layer_at(f, left);
    const char *name = name_of(f, left, suffix);
    bool fits = false;
    int descriptor = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    int reason = descriptor < 0 ? errno : map_file(l, descriptor, &fits);
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (reason != 0) {
        return og_message_set(message, og_file_status(reason), "the %s %s could not be read: %s",
                              what, name, strerror(reason));
    }
    return fits ? check_layer(f, l, message) : is_damaged(f, left, message);
}

static og_status resume(og_block_files *f, og_message *message)
{
    bool *there = calloc((size_t)f->use.plan->budget + 1, sizeof *there);
    OG_TRY(OG_ALLOCATED(there));
    og_status status = each_name(f, message, note, there);
    int32_t left = f->use.plan->budget - 1;
    while (left > 0 && !can_go_on(f, there, left)) {
        left--;
    }
    for (int32_t below = 0; status == OG_OK && below < f->use.ring - 1 && left - below >= 1;
         below++) {
        status = open_layer(f, left - below, message);
    }
    free(there);
    f->done = left > 0 ? left : 0;
    return status == OG_OK ? each_name(f, message, remove_others, NULL) : status;
}

/* ---- opening ---- */

/* FOLDER/optgap-FINGERPRINT as an absolute path, valid even if the current folder changes. */
static bool make_path(og_block_files *f)
{
    size_t length = strlen(f->use.folder);
    f->path = malloc(length + 2 * NAME_BYTES);
    f->draft = malloc(length + 2 * NAME_BYTES);
    if (f->path != NULL && f->draft != NULL) {
        memcpy(f->path, f->use.folder, length);
        int more = snprintf(f->path + length, NAME_BYTES, "/optgap-%016" PRIx64,
                            f->use.fingerprint.half[0]);
        f->path_length = length + (size_t)more;
    }
    return f->path != NULL && f->draft != NULL;
}

/* Bytes of files in the process's memory. */
static uint64_t shared_bytes(const og_block_files *f)
{
    char text[128] = "";
    unsigned long long pages = 0;
    if (f->status_file < 0 || pread(f->status_file, text, sizeof text - 1, 0) <= 0 ||
        sscanf(text, "%*u %*u %llu", &pages) != 1) {
        return 0;
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

og_status og_block_files_open(const og_block_files_use *use, og_block_files **out,
                              og_message *message)
{
    og_block_files *f = calloc(1, sizeof *f);
    OG_TRY(OG_ALLOCATED(f));
    *f = (og_block_files){.use = *use, .descriptor = -1, .lock = {.path = NULL}};
    f->status_file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    f->shared = shared_bytes(f);
    f->ring = calloc((size_t)use->ring, sizeof *f->ring);
    f->room = calloc((size_t)use->threads, sizeof *f->room);
    bool made = f->ring != NULL && f->room != NULL && make_path(f);
    for (int i = 0; made && i < use->threads; i++) {
        f->room[i] = malloc((size_t)og_block_files_thread_bytes(use->plan));
        made = f->room[i] != NULL;
    }
    og_status status = OG_NO_MEMORY;
    if (made) {
        f->path[f->path_length] = '\0';
        status = og_file_lock_take(f->path, what, &f->lock, message);
    }
    OG_THEN(status, resume(f, message));
    return OG_MADE(status, f, og_block_files_close, out);
}

int32_t og_block_files_done(const og_block_files *f)
{
    return f->done;
}

const double *og_block_files_at(const og_block_files *f, int32_t left)
{
    return values_of(layer_at(f, left));
}

/* ---- writing ---- */

/* Returns 0 or an errno. */
static int write_at(int descriptor, const void *from, size_t count, off_t at)
{
    const char *bytes = from;
    while (count > 0) {
        ssize_t part = pwrite(descriptor, bytes, count, at);
        if (part < 0 && errno != EINTR) {
            return errno;
        }
        if (part > 0) {
            bytes += part;
            count -= (size_t)part;
            at += part;
        }
    }
    return 0;
}

/* Reserves disk space for the whole file, if the file system supports it. Returns 0 or an errno. */
static int reserve(int descriptor, size_t bytes)
{
    int reason = posix_fallocate(descriptor, 0, (off_t)bytes);
    while (reason == EINTR) {
        reason = posix_fallocate(descriptor, 0, (off_t)bytes);
    }
    return reason == EINVAL || reason == EOPNOTSUPP ? 0 : reason;
}

static void drop_draft(og_block_files *f)
{
    if (f->descriptor >= 0) {
        close(f->descriptor);
        f->descriptor = -1;
        unlink(f->draft);
    }
}

og_status og_block_files_begin(og_block_files *f, int32_t left, og_message *message)
{
    layer *l = layer_at(f, left);
    if (l->left > 0) { /* no longer read */
        unlink(name_of(f, l->left, suffix));
    }
    OG_TRY(layer_init(f, left));
    strcpy(f->draft, name_of(f, left, draft_suffix));
    f->descriptor = open(f->draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, NEW_FILE);
    int reason = f->descriptor < 0 ? errno : reserve(f->descriptor, l->bytes);
    if (reason != 0) {
        drop_draft(f);
        return not_written(f, left, reason, message);
    }
    return OG_OK;
}

int64_t og_block_files_pieces(const og_block_files *f)
{
    return layer_at(f, f->done + 1)->pieces;
}

og_block_piece og_block_files_piece(const og_block_files *f, int64_t piece)
{
    return piece_of(f, layer_at(f, f->done + 1), piece);
}

double *og_block_files_room(const og_block_files *f, int thread)
{
    return f->room[thread];
}

/* Starts writing to the disk while others compute, so that little is left to wait for at the
 * end. */
static void begin_writing(int descriptor, off_t at, off_t bytes)
{
#if defined(__linux__) && defined(SYNC_FILE_RANGE_WRITE)
    (void)sync_file_range(descriptor, at, bytes, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)at, (void)bytes;
#endif
}

/* Unmaps the pages of mapped layers when they take much of the process's memory. They stay in the
 * page cache as long as the system has room. */
static void relieve(og_block_files *f)
{
    if (shared_bytes(f) < f->shared + f->use.window || atomic_exchange(&f->relieving, true)) {
        return;
    }
    for (int32_t i = 0; i < f->use.ring; i++) {
        if (f->ring[i].map != NULL) {
            madvise(f->ring[i].map, f->ring[i].bytes, MADV_DONTNEED);
        }
    }
    atomic_store(&f->relieving, false);
}

bool og_block_files_put(og_block_files *f, int thread, int64_t piece)
{
    layer *l = layer_at(f, f->done + 1);
    og_block_piece at = piece_of(f, l, piece);
    size_t bytes = at.states * sizeof(double);
    off_t begin = (off_t)(sizeof(uint64_t) * (HEADER_WORDS + at.from));
    l->sum[piece] = XXH3_64bits(f->room[thread], bytes);
    int reason = write_at(f->descriptor, f->room[thread], bytes, begin);
    if (reason != 0) {
        int none = 0;
        atomic_compare_exchange_strong(&f->reason, &none, reason);
        return false;
    }
    begin_writing(f->descriptor, begin, (off_t)bytes);
    relieve(f);
    return true;
}

bool og_block_files_check(og_block_files *f, int32_t left, uint32_t type)
{
    layer *l = layer_at(f, left);
    int64_t least = 0, most = l->pieces; /* of the pieces, with l->type[least] <= type */
    while (most - least > 1) {
        int64_t middle = least + (most - least) / 2;
        if (l->type[middle] <= type) {
            least = middle;
        } else {
            most = middle;
        }
    }
    if (!piece_is_whole(f, l, least)) {
        atomic_store(&f->damaged, left);
        return false;
    }
    return true;
}

static int flush(int descriptor)
{
    int failed = fdatasync(descriptor);
    while (failed != 0 && errno == EINTR) {
        failed = fdatasync(descriptor);
    }
    return failed != 0 ? errno : 0;
}

/* Writes header, sums and trailer, flushes them to the disk, and renames the file. Returns 0 or an
 * errno. */
static int finish(og_block_files *f, layer *l)
{
    uint64_t header[HEADER_WORDS];
    make_header(f, l, header);
    uint64_t trailer = trailer_of(l, header);
    size_t sums = (size_t)l->pieces * sizeof *l->sum;
    off_t at = (off_t)(l->bytes - sums - sizeof trailer);
    int reason = write_at(f->descriptor, header, sizeof header, 0);
    reason = reason != 0 ? reason : write_at(f->descriptor, l->sum, sums, at);
    reason =
        reason != 0 ? reason : write_at(f->descriptor, &trailer, sizeof trailer, at + (off_t)sums);
    reason = reason != 0 ? reason : flush(f->descriptor);
    bool fits = false;
    reason = reason != 0 ? reason : map_file(l, f->descriptor, &fits);
    if (reason != 0 || !fits) {
        return reason != 0 ? reason : EIO;
    }
    return rename(f->draft, name_of(f, l->left, suffix)) != 0 ? errno : 0;
}

/* Makes the name survive a power cut too. Systems that cannot flush a folder ignore this. */
static void flush_folder(const og_block_files *f)
{
    int folder = open(f->use.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

og_status og_block_files_end(og_block_files *f, og_message *message)
{
    int32_t left = f->done + 1;
    int reason = atomic_load(&f->reason);
    int damaged = atomic_load(&f->damaged);
    if (damaged == 0 && reason == 0) {
        reason = finish(f, layer_at(f, left));
    }
    if (damaged != 0 || reason != 0) {
        drop_draft(f);
        return damaged != 0 ? is_damaged(f, damaged, message)
                            : not_written(f, left, reason, message);
    }
    close(f->descriptor); /* everything is on the disk already */
    f->descriptor = -1;
    flush_folder(f);
    f->done = left;
    return OG_OK;
}

void og_block_files_remove(og_block_files *f)
{
    for (int32_t i = 0; i < f->use.ring; i++) {
        if (f->ring[i].left > 0 && f->ring[i].map != NULL) {
            unlink(name_of(f, f->ring[i].left, suffix));
        }
    }
}

void og_block_files_close(og_block_files *f)
{
    if (f == NULL) {
        return;
    }
    drop_draft(f);
    for (int32_t i = 0; f->ring != NULL && i < f->use.ring; i++) {
        layer_clear(&f->ring[i]);
    }
    for (int i = 0; f->room != NULL && i < f->use.threads; i++) {
        free(f->room[i]);
    }
    if (f->status_file >= 0) {
        close(f->status_file);
    }
    og_file_lock_release(&f->lock);
    free(f->ring);
    free(f->room);
    free(f->path);
    free(f->draft);
    free(f);
}
