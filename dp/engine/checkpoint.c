/*
 * Stores a memory as a file: a header that identifies the problem, then key and value of every
 * entry, then a checksum over all of it. Every entry is a final value, so any file that was written
 * can be used.
 */
#include "dp/engine/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "dp/base/file.h"

static const uint64_t magic = UINT64_C(0x6f6747615043686b); /* "ogGaPChk" in one byte order only */
static const uint64_t version = 1;
static const char what[] = "checkpoint";

enum { COST_SHIFT = 16, LAYER_PART = 1 << 16 };

/* The input, with a running checksum. */
typedef struct {
    FILE *file;
    XXH3_state_t *sum;
    bool failed; /* or the file ended too early */
    int reason;  /* errno of a failed read; 0: none */
} stream;

static void get_words(stream *s, uint64_t *words, size_t count)
{
    errno = 0;
    if (s->failed || fread(words, sizeof *words, count, s->file) != count) {
        if (!s->failed && ferror(s->file) != 0) {
            s->reason = errno != 0 ? errno : EIO;
        }
        memset(words, 0, count * sizeof *words);
        s->failed = true;
        return;
    }
    XXH3_64bits_update(s->sum, words, count * sizeof *words);
}

/* ---- writing ---- */

typedef struct {
    og_atomic_file draft;
    XXH3_state_t *sum;
    uint64_t count;
} writing;

static void put_words(writing *w, const uint64_t *words, size_t count)
{
    XXH3_64bits_update(w->sum, words, count * sizeof *words);
    og_atomic_file_write(&w->draft, words, count * sizeof *words);
}

static void put_entry(void *user, const uint64_t *key, int32_t words, double value, uint32_t cost)
{
    writing *w = user;
    uint64_t head = (uint64_t)words | (uint64_t)cost << COST_SHIFT;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_words(w, &head, 1);
    put_words(w, key, (size_t)words);
    put_words(w, &bits, 1);
    w->count++;
}

/* Writes header, `body`, and trailer. */
static og_status write_file(const char *path, const uint64_t header[4],
                            void (*body)(writing *w, void *user), void *user, og_message *message)
{
    writing w = {.sum = XXH3_createState()};
    if (w.sum == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory");
    }
    og_status status = og_atomic_file_begin(path, what, &w.draft, message);
    if (status == OG_OK) {
        XXH3_64bits_reset(w.sum);
        put_words(&w, header, 4);
        body(&w, user);
        uint64_t trailer[2] = {0, w.count};
        put_words(&w, trailer, 2);
        uint64_t sum = XXH3_64bits_digest(w.sum);
        put_words(&w, &sum, 1);
        status = og_atomic_file_end(&w.draft, what, message);
    }
    XXH3_freeState(w.sum);
    return status;
}

typedef struct {
    og_memo *memo;
    og_memo_user *user;
} checkpoint_entries;

static void put_entries(writing *w, void *user)
{
    const checkpoint_entries *entries = user;
    og_memo_each(entries->memo, entries->user, put_entry, w);
}

og_status og_checkpoint_write(const char *path, const og_fingerprint *fingerprint, og_memo *memo,
                              og_memo_user *user, og_message *message)
{
    const uint64_t header[4] = {magic, version, fingerprint->half[0], fingerprint->half[1]};
    return write_file(path, header, put_entries, &(checkpoint_entries){memo, user}, message);
}

typedef struct {
    const og_checkpoint_layer *layer;
    int32_t count;
} checkpoint_layers;

static void put_layers(writing *w, void *user)
{
    const checkpoint_layers *layers = user;
    for (int32_t i = 0; i < layers->count; i++, w->count++) {
        const og_checkpoint_layer *layer = &layers->layer[i];
        const uint64_t head[2] = {(uint64_t)layer->left, layer->states};
        put_words(w, head, 2);
        put_words(w, (const uint64_t *)(const void *)layer->values, (size_t)layer->states);
    }
}

og_status og_checkpoint_write_layers(const char *path, const og_fingerprint *fingerprint,
                                     const og_checkpoint_layer *layer, int32_t count,
                                     og_message *message)
{
    const uint64_t header[4] = {magic, OG_CHECKPOINT_LAYERS, fingerprint->half[0],
                                fingerprint->half[1]};
    return write_file(path, header, put_layers, &(checkpoint_layers){layer, count}, message);
}

/* ---- reading ---- */

static og_status unreadable(const char *path, og_status status, const char *reason,
                            og_message *message)
{
    return og_message_set(message, status, "the checkpoint %s could not be read: %s", path, reason);
}

static og_status broken_off(const char *path, int reason, og_message *message)
{
    return unreadable(path, og_file_status(reason), strerror(reason), message);
}

static og_status damaged(const char *path, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "the checkpoint %s is damaged (its checksum or its form is wrong); "
                          "remove it to start anew",
                          path);
}

/* Reads entries up to the end mark; false if the data cannot be an entry. */
static bool read_entries(stream *in, og_memo *memo, int32_t key_words_max, uint64_t *count)
{
    uint64_t key[OG_MEMO_KEY_WORDS];
    og_memo_user user;
    og_memo_join(memo, &user);
    bool good = true;
    for (*count = 0;; (*count)++) {
        uint64_t head;
        get_words(in, &head, 1);
        int32_t words = (int32_t)(head & ((1u << COST_SHIFT) - 1));
        uint64_t cost = head >> COST_SHIFT;
        if (in->failed || words == 0) {
            good = !in->failed && cost == 0;
            break;
        }
        uint64_t bits = 0;
        if (words <= key_words_max) {
            get_words(in, key, (size_t)words);
            get_words(in, &bits, 1);
        }
        double value;
        memcpy(&value, &bits, sizeof value);
        if (words > key_words_max || in->failed || cost > 255 || key[0] == 0 ||
            key[words - 1] == 0 || !isfinite(value) || value < 0) {
            good = false;
            break;
        }
        og_memo_put(&user, key, words, og_memo_hash(key, words), value, (uint32_t)cost);
    }
    og_memo_leave(&user);
    return good;
}

/* The kind of data after the header, and the file's version. */
typedef struct {
    const char *path;
    const og_fingerprint *fingerprint;
    uint64_t version;
    og_memo *memo; /* receives entries; NULL: layers */
    int32_t key_words_max;
    bool (*find)(void *user, int32_t left, og_checkpoint_layer *out);
    void *user;
    int32_t left, count; /* of layers */
} reading;

/* Reads layers up to the end mark; false if the data cannot be layers. */
static bool read_layers(stream *in, reading *r)
{
    for (r->count = 0;; r->count++) {
        uint64_t head[2];
        get_words(in, head, 1);
        if (in->failed || head[0] == 0) {
            return !in->failed;
        }
        get_words(in, &head[1], 1);
        og_checkpoint_layer layer = {0};
        bool next = r->count == 0 || head[0] == (uint64_t)(r->left - r->count);
        if (in->failed || !next || head[0] > INT32_MAX ||
            !r->find(r->user, (int32_t)head[0], &layer) || layer.states != head[1]) {
            return false;
        }
        r->left = r->count == 0 ? (int32_t)head[0] : r->left;
        for (uint64_t at = 0, some; at < layer.states && !in->failed; at += some) {
            some = layer.states - at < LAYER_PART ? layer.states - at : LAYER_PART;
            get_words(in, (uint64_t *)(void *)(layer.values + at), (size_t)some);
        }
        if (in->failed) {
            return false;
        }
    }
}

/* Reads the rest after the header: entries or layers, then the trailer, and nothing more. */
static og_status read_body(stream *in, reading *r, og_message *message)
{
    uint64_t count = 0;
    uint64_t told = 0;
    uint64_t sum = 0;
    bool good =
        r->memo != NULL ? read_entries(in, r->memo, r->key_words_max, &count) : read_layers(in, r);
    count = r->memo != NULL ? count : (uint64_t)r->count;
    get_words(in, &told, 1);
    uint64_t expected = XXH3_64bits_digest(in->sum);
    get_words(in, &sum, 1);
    errno = 0;
    if (good && !in->failed && fgetc(in->file) == EOF && ferror(in->file) == 0) {
        return told == count && sum == expected ? OG_OK : damaged(r->path, message);
    }
    if (in->reason == 0 && !in->failed && ferror(in->file) != 0) {
        in->reason = errno != 0 ? errno : EIO;
    }
    return in->reason != 0 ? broken_off(r->path, in->reason, message) : damaged(r->path, message);
}

/* Checks that a file with this header may be read. */
static og_status check_header(const reading *r, const uint64_t header[4], og_message *message)
{
    uint64_t other = r->memo != NULL ? OG_CHECKPOINT_LAYERS : version;
    if (header[0] != magic) {
        return og_message_set(message, OG_BAD_INPUT, "%s is not a checkpoint of this program",
                              r->path);
    }
    if (header[1] == other) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the checkpoint %s holds %s: %s --engine blocks", r->path,
                              r->memo != NULL ? "layers of blocks" : "states of the recursion",
                              r->memo != NULL ? "add" : "omit");
    }
    if (header[1] != r->version) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the checkpoint %s is of another version of this program; give "
                              "another file or remove it",
                              r->path);
    }
    if (header[2] != r->fingerprint->half[0] || header[3] != r->fingerprint->half[1]) {
        return og_message_set(message, OG_BAD_INPUT,
                              "the checkpoint %s is of another problem, or of a version with "
                              "another search; give another file or remove it",
                              r->path);
    }
    return OG_OK;
}

static og_status read_whole(FILE *file, reading *r, og_message *message)
{
    stream in = {.file = file, .sum = XXH3_createState()};
    if (in.sum == NULL) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory");
    }
    XXH3_64bits_reset(in.sum);
    uint64_t header[4];
    get_words(&in, header, 4);
    og_status status = in.reason != 0 ? broken_off(r->path, in.reason, message)
                       : in.failed
                           ? og_message_set(message, OG_BAD_INPUT,
                                            "%s is not a checkpoint of this program", r->path)
                           : check_header(r, header, message);
    OG_THEN(status, read_body(&in, r, message));
    XXH3_freeState(in.sum);
    return status;
}

static og_status read_file(reading *r, og_message *message)
{
    FILE *file;
    const char *reason = "";
    og_status status = og_file_open(r->path, &file, &reason);
    if (status != OG_OK) {
        return access(r->path, F_OK) != 0 && errno == ENOENT
                   ? OG_OK
                   : unreadable(r->path, status, reason, message);
    }
    status = read_whole(file, r, message);
    fclose(file);
    return status;
}

og_status og_checkpoint_read(const char *path, const og_fingerprint *fingerprint, og_memo *memo,
                             int32_t key_words_max, og_message *message)
{
    reading r = {.path = path,
                 .fingerprint = fingerprint,
                 .version = version,
                 .memo = memo,
                 .key_words_max = key_words_max};
    return read_file(&r, message);
}

og_status og_checkpoint_read_layers(const char *path, const og_fingerprint *fingerprint,
                                    bool (*find)(void *user, int32_t left,
                                                 og_checkpoint_layer *out),
                                    void *user, int32_t *left, int32_t *count, og_message *message)
{
    reading r = {.path = path,
                 .fingerprint = fingerprint,
                 .version = OG_CHECKPOINT_LAYERS,
                 .find = find,
                 .user = user};
    og_status status = read_file(&r, message);
    *left = r.left;
    *count = r.count;
    return status;
}
