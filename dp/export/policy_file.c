/*
 * Writes and reads exported policies. One function writes a line, and the reader uses it too: the
 * parsed line, written again, must equal the line. So there is one way to write each state, and
 * nothing is overlooked.
 */
#include "dp/export/policy_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "dp/base/file.h"

static const char magic[] = "optgap-policy";
static const char what[] = "policy";

enum {
    SUM_DIGITS = 16,
    ITEM_BYTES = 64,      /* larger than any item */
    LINE_BYTES = 1 << 27, /* no line is longer */
    CHUNK_BYTES = 1 << 16,
};

/* A line while it is built. */
typedef struct {
    char *text;
    size_t length;
    size_t capacity;
} line;

static bool line_reserve(line *l, size_t more)
{
    size_t needed = l->length + more;
    if (needed > l->capacity) {
        size_t capacity = needed + needed / 2 + 256;
        char *text = capacity > LINE_BYTES ? NULL : realloc(l->text, capacity);
        if (text == NULL) {
            return false;
        }
        l->text = text;
        l->capacity = capacity;
    }
    return true;
}

/* Appends at most ITEM_BYTES, for which there is room. */
static void line_add(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line_add(line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    l->length += (size_t)vsnprintf(l->text + l->length, ITEM_BYTES, format, arguments);
    va_end(arguments);
}

static void add_node(line *l, const og_policy_item *item)
{
    line_add(l, "%" PRId32 ":%" PRId32 ",%" PRId32, item->prior, item->positive, item->negative);
}

static bool state_line(line *l, const og_policy_state *state)
{
    l->length = 0;
    if (!line_reserve(l, ((size_t)state->count * 2 + 2) * ITEM_BYTES)) {
        return false;
    }
    line_add(l, "%" PRId32 "\t", state->left);
    for (int32_t i = 0; i < state->count; i++) {
        line_add(l, i > 0 ? ";" : "");
        add_node(l, &state->item[i]);
        line_add(l, "x%" PRId64, state->item[i].copies);
    }
    line_add(l, state->any ? "\t*" : "\t");
    const char *between = "";
    for (int32_t i = 0; i < state->count; i++) {
        if (state->item[i].choice != OG_CHOICE_NONE) {
            line_add(l, "%s", between);
            add_node(l, &state->item[i]);
            line_add(l, state->item[i].choice == OG_CHOICE_NEAR ? "~" : "");
            between = ";";
        }
    }
    line_add(l, "\n");
    return true;
}

const char *og_policy_state_format(const og_policy_state *state, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%" PRId32 " left:", state->left);
    for (int32_t i = 0; i < state->count && used < size; i++) {
        const og_policy_item *item = &state->item[i];
        used += (size_t)snprintf(
            text + used, size - used, "%s%" PRId32 ":%" PRId32 ",%" PRId32 "x%" PRId64,
            i > 0 ? ";" : " ", item->prior, item->positive, item->negative, item->copies);
    }
    return text;
}

/* ---- writing ---- */

struct og_policy_writer {
    og_atomic_file file;
    XXH3_state_t *sum;
    line line;
    uint64_t states;
    uint64_t bytes;
};

void og_policy_writer_drop(og_policy_writer *writer)
{
    if (writer != NULL) {
        og_atomic_file_drop(&writer->file);
        XXH3_freeState(writer->sum);
        free(writer->line.text);
    }
    free(writer);
}

/* Writes the line built so far. */
static void write_line(og_policy_writer *w)
{
    og_atomic_file_write(&w->file, w->line.text, w->line.length);
    w->bytes += w->line.length;
    w->line.length = 0;
}

static void put_line(og_policy_writer *w)
{
    XXH3_64bits_update(w->sum, w->line.text, w->line.length);
    write_line(w);
}

static bool header_lines(line *l, const og_policy_header *header)
{
    l->length = 0;
    size_t bytes = 8 * ITEM_BYTES;
    for (int32_t i = 0; i < header->prior_count; i++) {
        bytes += (size_t)og_group_format(&header->prior[i], NULL, 0) + sizeof "prior\t\n";
    }
    if (!line_reserve(l, bytes)) {
        return false;
    }
    line_add(l, "%s\t%d\n", magic, OG_POLICY_FILE_VERSION);
    line_add(l, "budget\t%" PRId32 "\n", header->budget);
    for (int32_t i = 0; i < header->prior_count; i++) {
        line_add(l, "prior\t");
        l->length +=
            (size_t)og_group_format(&header->prior[i], l->text + l->length, OG_GROUP_TEXT_BYTES);
        line_add(l, "\n");
    }
    line_add(l, "value\t%.17g\n", header->value);
    line_add(l, "gain\t%.17g\n", header->gain);
    line_add(l, "error_bound\t%.17g\n", header->error_bound);
    line_add(l, "actions\t%s\n", header->all ? "all" : "one");
    return true;
}

/* Fractions without a finite decimal cannot be read back. */
static og_status check_priors(const og_policy_header *header, og_message *message)
{
    for (int32_t i = 0; i < header->prior_count; i++) {
        char text[OG_GROUP_TEXT_BYTES];
        og_group back;
        og_group_format(&header->prior[i], text, sizeof text);
        if (og_group_parse(text, &back, NULL) != OG_OK) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "a policy for '%s' cannot be written: its numbers have no finite "
                                  "decimals",
                                  text);
        }
    }
    return OG_OK;
}

og_status og_policy_writer_check(const char *path, og_message *message)
{
    return og_atomic_file_check(path, what, message);
}

og_status og_policy_writer_new(const char *path, const og_policy_header *header,
                               og_policy_writer **out, og_message *message)
{
    OG_TRY(check_priors(header, message));
    og_policy_writer *writer = calloc(1, sizeof *writer);
    OG_TRY(OG_ALLOCATED(writer));
    writer->sum = XXH3_createState();
    bool made = writer->sum != NULL && header_lines(&writer->line, header);
    og_status status =
        made ? og_atomic_file_begin(path, what, &writer->file, message) : OG_NO_MEMORY;
    if (status != OG_OK) {
        og_policy_writer_drop(writer);
        return status;
    }
    XXH3_64bits_reset(writer->sum);
    put_line(writer);
    *out = writer;
    return OG_OK;
}

og_status og_policy_writer_put(og_policy_writer *writer, const og_policy_state *state)
{
    if (!state_line(&writer->line, state)) {
        return OG_NO_MEMORY;
    }
    put_line(writer);
    writer->states++;
    return OG_OK;
}

og_status og_policy_writer_end(og_policy_writer *writer, uint64_t *bytes, og_message *message)
{
    line *l = &writer->line; /* with the room that the header had */
    line_add(l, "end\t%" PRIu64 "\t", writer->states);
    put_line(writer);
    line_add(l, "%016" PRIx64 "\n", (uint64_t)XXH3_64bits_digest(writer->sum));
    write_line(writer);
    og_status status = og_atomic_file_end(&writer->file, what, message);
    if (status == OG_OK) {
        *bytes = writer->bytes;
    }
    og_policy_writer_drop(writer);
    return status;
}

/* ---- reading ---- */

struct og_policy_reader {
    FILE *file;
    off_t begin; /* after a byte order mark */
    char *name;
    og_policy_header header;
    int32_t prior_capacity;
    int64_t instances;
    line in;    /* the last line, including its newline, then a 0 */
    line again; /* the same, written again from the parsed values */
    uint64_t number;
    uint64_t states;
    og_policy_state state;
    int32_t item_capacity;
    int32_t left_before;
};

void og_policy_reader_free(og_policy_reader *r)
{
    if (r != NULL) {
        free(r->name);
        free(r->header.prior);
        free(r->in.text);
        free(r->again.text);
        free(r->state.item);
    }
    free(r);
}

const og_policy_header *og_policy_reader_header(const og_policy_reader *reader)
{
    return &reader->header;
}

uint64_t og_policy_reader_line(const og_policy_reader *reader)
{
    return reader->number;
}

static og_status unreadable(const og_policy_reader *r, og_message *message)
{
    int reason = errno;
    return og_message_set(message, og_file_status(reason), "the policy %s could not be read: %s",
                          r->name, strerror(reason));
}

static og_status damaged(const og_policy_reader *r, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "the policy %s is damaged: its checksum is wrong; export it again",
                          r->name);
}

static og_status malformed(const og_policy_reader *r, const char *reason, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT, "the policy %s is wrong in line %" PRIu64 ": %s",
                          r->name, r->number, reason);
}

/* Reads a line; an empty one at the end of the file. */
static og_status next_line(og_policy_reader *r, og_message *message)
{
    line *l = &r->in;
    l->length = 0;
    int c;
    do {
        c = getc_unlocked(r->file);
        if (!line_reserve(l, 2)) {
            return OG_NO_MEMORY;
        }
        if (c != EOF) {
            l->text[l->length++] = (char)c;
        }
    } while (c != EOF && c != '\n');
    l->text[l->length] = '\0';
    r->number++;
    return ferror(r->file) != 0 ? unreadable(r, message) : OG_OK;
}

/* True if the line equals r->again. */
static bool line_agrees(const og_policy_reader *r)
{
    return r->in.length == r->again.length && memcmp(r->in.text, r->again.text, r->in.length) == 0;
}

/* The XXH3 of the first `length` bytes after the mark. */
static bool sum_of_file(og_policy_reader *r, off_t length, uint64_t *sum)
{
    XXH3_state_t *state = XXH3_createState();
    char *chunk = malloc(CHUNK_BYTES);
    bool good = state != NULL && chunk != NULL && fseeko(r->file, r->begin, SEEK_SET) == 0;
    if (good) {
        XXH3_64bits_reset(state);
    }
    while (good && length > 0) {
        size_t want = length < CHUNK_BYTES ? (size_t)length : CHUNK_BYTES;
        good = fread(chunk, 1, want, r->file) == want;
        if (good) {
            XXH3_64bits_update(state, chunk, want);
            length -= (off_t)want;
        }
    }
    *sum = good ? XXH3_64bits_digest(state) : 0;
    XXH3_freeState(state);
    free(chunk);
    return good;
}

static og_status check_sum(og_policy_reader *r, og_message *message)
{
    errno = 0;
    if (fseeko(r->file, 0, SEEK_END) != 0) {
        return unreadable(r, message);
    }
    off_t size = ftello(r->file) - r->begin;
    uint64_t sum;
    if (size < SUM_DIGITS + 1) {
        return damaged(r, message);
    }
    if (!sum_of_file(r, size - SUM_DIGITS - 1, &sum)) {
        return errno == ENOMEM ? OG_NO_MEMORY : unreadable(r, message);
    }
    char expected[SUM_DIGITS + 2];
    char found[SUM_DIGITS + 2];
    snprintf(expected, sizeof expected, "%016" PRIx64 "\n", sum);
    if (fread(found, 1, SUM_DIGITS + 1, r->file) != SUM_DIGITS + 1 ||
        memcmp(found, expected, SUM_DIGITS + 1) != 0) {
        return damaged(r, message);
    }
    return fseeko(r->file, r->begin, SEEK_SET) == 0 ? OG_OK : unreadable(r, message);
}

static og_status check_name(og_policy_reader *r, og_message *message)
{
    static const char mark[] = "\xEF\xBB\xBF";
    char first[sizeof mark + sizeof magic] = "";
    const char *name = first;
    if (fread(first, 1, sizeof first - 1, r->file) < sizeof first - 1 && ferror(r->file) != 0) {
        return unreadable(r, message);
    }
    if (strncmp(first, mark, sizeof mark - 1) == 0) {
        r->begin = sizeof mark - 1;
        name += r->begin;
    }
    if (strncmp(name, magic, sizeof magic - 1) != 0 || name[sizeof magic - 1] != '\t') {
        return og_message_set(message, OG_BAD_INPUT, "%s is not an exported policy", r->name);
    }
    return OG_OK;
}

/* The value of a header line "KEY<tab>VALUE"; NULL if it has another key. Removes the newline. */
static char *header_value(og_policy_reader *r, const char *key)
{
    size_t length = strlen(key);
    line *l = &r->in;
    if (l->length < length + 2 || strncmp(l->text, key, length) != 0 || l->text[length] != '\t' ||
        l->text[l->length - 1] != '\n' || strlen(l->text) != l->length) {
        return NULL;
    }
    l->text[l->length - 1] = '\0';
    return l->text + length + 1;
}

static og_status read_number(og_policy_reader *r, const char *key, double *out, og_message *message)
{
    OG_TRY(next_line(r, message));
    char again[ITEM_BYTES] = "";
    const char *value = header_value(r, key);
    double number = value == NULL ? NAN : strtod(value, NULL);
    snprintf(again, sizeof again, "%.17g", number);
    if (value == NULL || !isfinite(number) || signbit(number) || strcmp(again, value) != 0) {
        return malformed(r, key, message);
    }
    *out = number;
    return OG_OK;
}

/* Makes room for one more element of an array. */
static bool reserve(void *array, int32_t count, int32_t *capacity, size_t size)
{
    void **at = array;
    if (count == *capacity) {
        void *bigger = realloc(*at, ((size_t)*capacity * 2 + 16) * size);
        if (bigger == NULL) {
            return false;
        }
        *at = bigger;
        *capacity = *capacity * 2 + 16;
    }
    return true;
}

static og_status read_prior(og_policy_reader *r, const char *word, og_message *message)
{
    og_policy_header *h = &r->header;
    og_group group;
    og_message reason;
    char again[OG_GROUP_TEXT_BYTES];
    if (og_group_parse(word, &group, &reason) != OG_OK) {
        return malformed(r, reason.text, message);
    }
    if (group.kind == OG_PRIOR_DIRICHLET) {
        return malformed(r, "the prior is not one of two kinds of labels", message);
    }
    og_group_format(&group, again, sizeof again);
    if (strcmp(word, again) != 0) {
        return malformed(r, "the prior is not written in its usual form", message);
    }
    r->instances += group.count;
    if (og_group_check(&group, h->budget, &reason) != OG_OK) {
        return malformed(r, reason.text, message);
    }
    if (r->instances > OG_COUNT_MAX) {
        return malformed(r, "there are too many instances", message);
    }
    if (!reserve(&h->prior, h->prior_count, &r->prior_capacity, sizeof *h->prior)) {
        return OG_NO_MEMORY;
    }
    h->prior[h->prior_count++] = group;
    return OG_OK;
}

/* Reads all "prior" lines and the following line, the value's, which stays in r->in. */
static og_status read_priors(og_policy_reader *r, og_message *message)
{
    for (;;) {
        off_t here = ftello(r->file);
        OG_TRY(next_line(r, message));
        char *word = header_value(r, "prior");
        if (word == NULL) {
            r->number--;
            if (r->header.prior_count == 0) {
                return malformed(r, "there is no prior", message);
            }
            return fseeko(r->file, here, SEEK_SET) == 0 ? OG_OK : unreadable(r, message);
        }
        OG_TRY(read_prior(r, word, message));
    }
}

static og_status read_header(og_policy_reader *r, og_message *message)
{
    og_policy_header *h = &r->header;
    double budget = 0;
    double version = 0;
    OG_TRY(read_number(r, magic, &version, message));
    if (version != OG_POLICY_FILE_VERSION) {
        return og_message_set(
            message, OG_BAD_INPUT,
            "the policy %s is of another version of this program; export it again", r->name);
    }
    OG_TRY(read_number(r, "budget", &budget, message));
    if (budget > OG_BUDGET_MAX || budget != floor(budget)) {
        return malformed(r, "budget", message);
    }
    h->budget = (int32_t)budget;
    r->left_before = h->budget;
    OG_TRY(read_priors(r, message));
    OG_TRY(read_number(r, "value", &h->value, message));
    OG_TRY(read_number(r, "gain", &h->gain, message));
    OG_TRY(read_number(r, "error_bound", &h->error_bound, message));
    OG_TRY(next_line(r, message));
    const char *actions = header_value(r, "actions");
    h->all = actions != NULL && strcmp(actions, "all") == 0;
    bool one = actions != NULL && strcmp(actions, "one") == 0;
    return h->all || one ? OG_OK : malformed(r, "actions", message);
}

static og_status read_start(og_policy_reader *r, const char *name, og_message *message)
{
    r->name = strdup(name);
    OG_TRY(OG_ALLOCATED(r->name));
    OG_TRY(check_name(r, message));
    OG_TRY(check_sum(r, message));
    return read_header(r, message);
}

og_status og_policy_reader_new(FILE *file, const char *name, og_policy_reader **out,
                               og_message *message)
{
    og_policy_reader *r = calloc(1, sizeof *r);
    OG_TRY(OG_ALLOCATED(r));
    r->file = file;
    og_status status = read_start(r, name, message);
    return OG_MADE(status, r, og_policy_reader_free, out);
}

/* ---- states ---- */

/* A number of 0 .. most. Its spelling is checked later, when the line is written again. */
static bool take_number(const char **at, int64_t most, int64_t *number)
{
    char *end;
    *number = strtoll(*at, &end, 10);
    bool good = end != *at && *number >= 0 && *number <= most;
    *at = end;
    return good;
}

static bool take(const char **at, char mark)
{
    bool there = **at == mark;
    *at += there;
    return there;
}

/* "PRIOR:POSITIVE,NEGATIVE". */
static bool take_node(const char **at, og_policy_item *item)
{
    int64_t prior, positive, negative;
    if (!take_number(at, INT32_MAX, &prior) || !take(at, ':') ||
        !take_number(at, INT32_MAX, &positive) || !take(at, ',') ||
        !take_number(at, INT32_MAX, &negative)) {
        return false;
    }
    item->prior = (int32_t)prior;
    item->positive = (int32_t)positive;
    item->negative = (int32_t)negative;
    return true;
}

/* The order of items: -1, 0, 1. */
static int compare_items(const og_policy_item *x, const og_policy_item *y)
{
    int64_t of_x[3] = {x->prior, (int64_t)x->positive + x->negative, x->positive};
    int64_t of_y[3] = {y->prior, (int64_t)y->positive + y->negative, y->positive};
    for (int i = 0; i < 3; i++) {
        if (of_x[i] != of_y[i]) {
            return of_x[i] < of_y[i] ? -1 : 1;
        }
    }
    return 0;
}

/* "LEFT<tab>ITEM;ITEM...<tab>". *wrong NULL: no error so far, and *at is the place after it. */
static og_status take_items(og_policy_reader *r, const char **at, const char **wrong)
{
    og_policy_state *state = &r->state;
    int64_t left;
    *wrong = "it is not a state";
    if (!take_number(at, INT32_MAX, &left) || !take(at, '\t')) {
        return OG_OK;
    }
    state->left = (int32_t)left;
    state->count = 0;
    do {
        og_policy_item item = {.choice = OG_CHOICE_NONE};
        if (!take_node(at, &item) || !take(at, 'x') ||
            !take_number(at, OG_COUNT_MAX, &item.copies) || state->count == INT32_MAX / 64) {
            return OG_OK;
        }
        if (!reserve(&state->item, state->count, &r->item_capacity, sizeof *state->item)) {
            return OG_NO_MEMORY;
        }
        state->item[state->count++] = item;
    } while (take(at, ';'));
    *wrong = take(at, '\t') ? NULL : *wrong;
    return OG_OK;
}

/* "*" or "NODE;NODE..." and the newline; NULL: no error. */
static const char *take_choices(og_policy_state *state, const char *at)
{
    static const char wrong[] = "its choice is not one of the state's posteriors";
    state->any = strcmp(at, "*\n") == 0;
    int32_t i = 0;
    if (state->any) {
        return NULL;
    }
    do {
        og_policy_item chosen;
        if (!take_node(&at, &chosen)) {
            return wrong;
        }
        while (i < state->count && compare_items(&state->item[i], &chosen) < 0) {
            i++;
        }
        if (i == state->count || compare_items(&state->item[i], &chosen) != 0) {
            return wrong;
        }
        state->item[i++].choice = take(&at, '~') ? OG_CHOICE_NEAR : OG_CHOICE_OPTIMAL;
    } while (take(&at, ';'));
    return *at == '\n' ? NULL : wrong;
}

/* Why the state does not fit the problem; NULL if it does. */
static const char *check_state(og_policy_reader *r)
{
    const og_policy_header *h = &r->header;
    const og_policy_state *state = &r->state;
    int32_t chosen = 0;
    int32_t prior = 0;
    int64_t copies = 0; /* of that prior */
    int64_t had = 0;
    if (state->left < 1 || state->left > r->left_before) {
        return "it is out of order";
    }
    for (int32_t i = 0; i < state->count; i++) {
        const og_policy_item *item = &state->item[i];
        int64_t labels = (int64_t)item->positive + item->negative;
        if (i > 0 && compare_items(item - 1, item) >= 0) {
            return "its posteriors are out of order";
        }
        while (prior < item->prior && prior < h->prior_count && copies == h->prior[prior].count) {
            prior++;
            copies = 0;
        }
        copies += item->copies;
        if (item->prior != prior || item->copies < 1 || prior >= h->prior_count ||
            copies > h->prior[prior].count) {
            return "its number of instances of a prior is not the problem's";
        }
        if (labels > h->budget || item->copies > OG_COUNT_MAX) {
            return "it has more labels than the budget";
        }
        had += labels * item->copies;
        chosen += item->choice != OG_CHOICE_NONE;
    }
    if (prior != h->prior_count - 1 || copies != h->prior[prior].count) {
        return "its number of instances of a prior is not the problem's";
    }
    if (had != h->budget - state->left) {
        return "its labels and those left do not add up to the budget";
    }
    return state->any || chosen == 1 || (h->all && chosen > 0) ? NULL : "one action is expected";
}

static og_status read_end(og_policy_reader *r, og_message *message)
{
    int64_t states;
    const char *at = r->in.text + 4;
    /* The checksum's digits have been compared already. */
    if (!take_number(&at, INT64_MAX, &states) || !take(&at, '\t') ||
        (uint64_t)states != r->states || r->in.text + r->in.length != at + SUM_DIGITS + 1 ||
        getc_unlocked(r->file) != EOF) {
        return malformed(r, "the number of states is wrong, or more lines follow", message);
    }
    return OG_OK;
}

og_status og_policy_reader_next(og_policy_reader *r, const og_policy_state **state, bool *more,
                                og_message *message)
{
    OG_TRY(next_line(r, message));
    *more = strncmp(r->in.text, "end\t", 4) != 0;
    if (!*more) {
        return read_end(r, message);
    }
    const char *at = r->in.text;
    const char *wrong = NULL;
    og_status status = take_items(r, &at, &wrong);
    if (status == OG_OK && wrong == NULL) {
        wrong = take_choices(&r->state, at);
    }
    if (status == OG_OK && wrong == NULL) {
        wrong = check_state(r);
    }
    if (status == OG_OK && wrong == NULL) {
        status = state_line(&r->again, &r->state) ? OG_OK : OG_NO_MEMORY;
        if (status == OG_OK && !line_agrees(r)) {
            wrong = "it is not written in its usual form";
        }
    }
    if (status != OG_OK) {
        return OG_NO_MEMORY;
    }
    if (wrong != NULL) {
        return malformed(r, wrong, message);
    }
    r->left_before = r->state.left;
    r->states++;
    *state = &r->state;
    return OG_OK;
}
