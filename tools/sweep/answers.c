/*
 * Reads only the keys of the lines, through a mapping of the file, and appends with one write a
 * line, so that a killed process leaves at most a part of the last line.
 */
#include "tools/sweep/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/document.h"
#include "dp/base/clock.h"
#include "dp/base/file.h"
#include "tools/show/memory.h"

static const double sync_seconds = 1;

/* The key of a line, without blanks between its parts. */
typedef struct {
    char *text; /* owned */
    int64_t line;
    bool stopped;
} line_key;

struct answers {
    char *path; /* owned */
    og_file_lock lock;
    int descriptor;
    off_t size; /* of the whole lines */
    size_t cut;
    line_key *key; /* [count] by text, then by line; those that count */
    size_t count;
    bool retry, begun, unsynced; /* begun: a line was added */
    double synced;               /* on the clock */
};

/* ---- keys ---- */

/* Goes past one JSON value and copies it without blanks; returns its end, or NULL if it is not one
 * that a key can hold: a text, or a list or an object of texts. */
static const char *copy_value(const char *at, const char *end, growing *to)
{
    int depth = 0;
    do {
        while (at < end && strchr(" \t", *at) != NULL) {
            at++;
        }
        if (at == end) {
            return NULL;
        }
        if (*at == '"') {
            const char *from = at++;
            while (at < end && *at != '"') {
                at += *at == '\\' ? 2 : 1;
            }
            if (at >= end) {
                return NULL;
            }
            growing_add(to, from, (size_t)(at + 1 - from));
        } else if (strchr("[{", *at) != NULL) {
            depth++;
            growing_add(to, at, 1);
        } else if (strchr("]}", *at) != NULL && depth > 0) {
            depth--;
            growing_add(to, at, 1);
        } else if (strchr(",:", *at) != NULL && depth > 0) {
            growing_add(to, at, 1);
        } else {
            return NULL;
        }
        at++;
    } while (depth > 0);
    return at;
}

static const char *skip(const char *at, const char *end, const char *sign)
{
    size_t length = strlen(sign);
    while (at != NULL && at < end && strchr(" \t", *at) != NULL) {
        at++;
    }
    return at != NULL && (size_t)(end - at) >= length && memcmp(at, sign, length) == 0 ? at + length
                                                                                       : NULL;
}

/* Reads a line's key. False: the line is not an answer. */
static bool read_key(const char *line, const char *end, line_key *out)
{
    growing to = {.text = NULL};
    const char *at = skip(skip(skip(line, end, "{"), end, "\"asked\""), end, ":");
    at = skip(at, end, "[") != NULL ? copy_value(at, end, &to) : NULL;
    const char *more = skip(skip(skip(at, end, ","), end, "\"files\""), end, ":");
    if (more != NULL) {
        growing_put(&to, ",");
        at = copy_value(more, end, &to);
    }
    out->text = to.text;
    const char *next = skip(at, end, ",");
    out->stopped = skip(next, end, "\"stopped\"") != NULL;
    bool is_answer = out->stopped || skip(next, end, "\"answer\"") != NULL;
    if (!is_answer) {
        free(out->text);
    }
    return is_answer;
}

/* The key of a text that a caller gives, {"asked": ...} */
static char *plain_key(const char *key)
{
    line_key found;
    char *line = allocate(strlen(key) + 32, 1);
    char *end = stpcpy(stpcpy(line, key) - 1, ",\"answer\"");
    bool good = read_key(line, end, &found);
    free(line);
    return good ? found.text : NULL;
}

static int by_text(const void *one, const void *other)
{
    const line_key *a = one, *b = other;
    int order = strcmp(a->text, b->text);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* Keeps of each key the last line; and none that is asked again. */
static void keep_last(answers *file)
{
    size_t kept = 0;
    if (file->count > 0) {
        qsort(file->key, file->count, sizeof *file->key, by_text);
    }
    for (size_t i = 0; i < file->count; i++) {
        bool later = i + 1 < file->count && strcmp(file->key[i].text, file->key[i + 1].text) == 0;
        if (later || (file->retry && file->key[i].stopped)) {
            free(file->key[i].text);
        } else {
            file->key[kept++] = file->key[i];
        }
    }
    file->count = kept;
}

static og_status read_lines(answers *file, const char *text, size_t length, og_message *message)
{
    static const char database[] = "SQLite format 3";
    size_t room = 0;
    int64_t number = 0;
    if (length >= sizeof database && memcmp(text, database, sizeof database) == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s is a database of an earlier version: 'bench/studies/convert %s "
                              "study.jsonl' makes a study of it",
                              file->path, file->path);
    }
    const char *end = text + length;
    for (const char *at = text, *next; at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        number++;
        if (stop == NULL) {
            file->cut = (size_t)(end - at);
            break;
        }
        next = stop + 1;
        if (stop == at) {
            continue;
        }
        if (file->count == room) {
            room = 2 * room + 64;
            file->key = grow(file->key, room, sizeof *file->key);
        }
        line_key *key = &file->key[file->count];
        if (!read_key(at, stop, key)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%s, line %" PRId64 ": it is not an answer of a sweep; give "
                                  "another file, or remove the line",
                                  file->path, number);
        }
        key->line = number;
        file->count++;
    }
    file->size = (off_t)(length - file->cut);
    return OG_OK;
}

/* ---- the file ---- */

static og_status broken(const answers *file, const char *what, og_message *message)
{
    return og_message_set(message, OG_FAILED, "%s cannot be %s: %s", file->path, what,
                          strerror(errno));
}

static og_status read_file(answers *file, og_message *message)
{
    struct stat about;
    if (fstat(file->descriptor, &about) != 0) {
        return broken(file, "read", message);
    }
    if (!S_ISREG(about.st_mode)) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%s is not a regular file; give a file such as study.jsonl",
                              file->path);
    }
    if (about.st_size == 0) {
        return OG_OK;
    }
    size_t length = (size_t)about.st_size;
    void *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (text == MAP_FAILED) {
        return broken(file, "read", message);
    }
    og_status status = read_lines(file, text, length, message);
    munmap(text, length);
    return status;
}

/* Opens what is there; `create`: a new file. */
static og_status open_file(answers *file, bool create, og_message *message)
{
    int how = O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | (create ? O_CREAT : 0);
    file->descriptor = open(file->path, how, 0666);
    if (file->descriptor >= 0 || (errno == ENOENT && !create)) {
        return OG_OK;
    }
    return errno == EISDIR
               ? og_message_set(message, OG_BAD_INPUT,
                                "%s is a folder; give a file such as study.jsonl", file->path)
               : broken(file, "opened", message);
}

og_status answers_open(const char *path, bool retry, answers **out, og_message *message)
{
    answers *file = allocate(1, sizeof *file);
    *file = (answers){
        .path = strcpy(allocate(strlen(path) + 1, 1), path), .retry = retry, .descriptor = -1};
    og_status status = og_file_lock_take(path, "study", &file->lock, message);
    OG_THEN(status, open_file(file, false, message));
    OG_THEN(status, file->descriptor >= 0 ? read_file(file, message) : OG_OK);
    if (status != OG_OK) {
        answers_close(file, NULL);
        return status;
    }
    keep_last(file);
    *out = file;
    return OG_OK;
}

size_t answers_cut(const answers *file)
{
    return file->cut;
}

bool answers_has(const answers *file, const char *key)
{
    line_key wanted = {.text = plain_key(key)};
    size_t from = 0, to = file->count;
    while (wanted.text != NULL && from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(file->key[middle].text, wanted.text) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    bool found =
        wanted.text != NULL && from < file->count && strcmp(file->key[from].text, wanted.text) == 0;
    free(wanted.text);
    return found;
}

/* A JSON text without its line ends: a text in it holds none. */
static void put_on_one_line(const char *text, FILE *to)
{
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        fwrite(at, 1, length, to);
        at += length;
        if (*at == '\n') {
            at += strspn(at, "\n ");
            fputs(*at != '\0' ? " " : "", to);
        }
    }
}

static og_status sync_lines(answers *file, bool now, og_message *message)
{
    if (!file->unsynced || (!now && og_seconds() - file->synced < sync_seconds)) {
        return OG_OK;
    }
    if (fdatasync(file->descriptor) != 0) {
        return broken(file, "written", message);
    }
    file->unsynced = false;
    file->synced = og_seconds();
    return OG_OK;
}

og_status answers_add(answers *file, const char *key, const char *stopped, const char *answer,
                      og_message *message)
{
    char *line = NULL;
    size_t length = 0;
    if (file->descriptor < 0) {
        OG_TRY(open_file(file, true, message));
    }
    if (!file->begun && file->cut > 0 && ftruncate(file->descriptor, file->size) != 0) {
        return broken(file, "written", message);
    }
    file->begun = true;
    FILE *to = stream_open(&line, &length);
    fwrite(key, 1, strlen(key) - 1, to); /* without its last brace */
    if (stopped != NULL) {
        og_document *why = og_document_new();
        og_put_text(why, "stopped", stopped);
        char *part = og_document_json_line(why); /* {"stopped": "..."} */
        og_document_free(why);
        fprintf(to, ", %.*s", part != NULL ? (int)strlen(part) - 2 : 0,
                part != NULL ? part + 1 : "");
        free(part);
    }
    if (answer != NULL) {
        fputs(", \"answer\": ", to);
        put_on_one_line(answer, to);
    }
    fputs("}\n", to);
    stream_close(to);
    size_t done = 0;
    ssize_t count = 0;
    while (done < length && (count = write(file->descriptor, line + done, length - done)) >= 0) {
        done += (size_t)count;
    }
    free(line);
    if (done < length) {
        og_status status = broken(file, "written", message);
        int ignored = ftruncate(file->descriptor, file->size); /* else the next run removes it */
        (void)ignored;
        return status;
    }
    file->size += (off_t)length;
    file->unsynced = true;
    return sync_lines(file, false, message);
}

og_status answers_close(answers *file, og_message *message)
{
    og_status status = OG_OK;
    if (file == NULL) {
        return OG_OK;
    }
    if (file->descriptor >= 0) {
        status = sync_lines(file, true, message);
        close(file->descriptor);
    }
    og_file_lock_release(&file->lock);
    for (size_t i = 0; i < file->count; i++) {
        free(file->key[i].text);
    }
    free(file->key);
    free(file->path);
    free(file);
    return status;
}
