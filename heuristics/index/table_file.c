/*
 * Reading a table of indices. Every number is kept as the decimal says it until all are put in
 * order, so that two indices tie where their decimals are equal and nowhere else.
 */
#include "heuristics/index/table_file.h"

#include <assert.h>
#include <errno.h>
#include <gmp.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/file.h"

typedef enum { COLUMN_A, COLUMN_B, COLUMN_LEFT, COLUMN_INDEX, COLUMN_COUNT } column;

static const char *const column_names[COLUMN_COUNT] = {"a", "b", "left", "index"};

/* What a row says while the file is read. */
typedef struct {
    og_table_row row;
    mpq_t index;
} entry;

typedef struct {
    const char *path;
    FILE *file;
    int64_t line;
    column columns[COLUMN_COUNT]; /* in the file's order */
    int column_count;             /* 0: not known yet */
    bool by_left;
    entry *entries;
    size_t count, room;
    locale_t plain; /* where a point is a point */
    og_message *message;
} reader;

static og_status fault(const reader *in, const char *what, const char *text)
{
    return og_message_set(in->message, OG_BAD_INPUT, "table '%.200s', line %" PRId64 ": '%.60s' %s",
                          in->path, in->line, text, what);
}

static og_status read_column_names(reader *in, char *const *field, int count)
{
    bool seen[COLUMN_COUNT] = {false};
    for (int i = 0; i < count; i++) {
        int c = 0;
        while (c < COLUMN_COUNT && strcmp(field[i], column_names[c]) != 0) {
            c++;
        }
        if (c == COLUMN_COUNT) {
            return fault(in, "is not a column: a, b, left (or without), index", field[i]);
        }
        if (seen[c]) {
            return fault(in, "is there twice", field[i]);
        }
        seen[c] = true;
        in->columns[i] = (column)c;
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (!seen[c] && c != COLUMN_LEFT) {
            return fault(in, "is missing among the columns", column_names[c]);
        }
    }
    in->column_count = count;
    in->by_left = seen[COLUMN_LEFT];
    return OG_OK;
}

static void assume_columns(reader *in, int count)
{
    in->by_left = count == COLUMN_COUNT;
    in->column_count = 0;
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (c != COLUMN_LEFT || in->by_left) {
            in->columns[in->column_count++] = (column)c;
        }
    }
}

/* The end of the digits, or NULL where there are none. */
static const char *skip_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 ? text + digits : NULL;
}

/* The exact value of a decimal; false if the text is none. */
static bool set_decimal(mpq_t out, const char *text)
{
    enum { EXPONENT_MOST = 1000 };
    char digits[OG_TABLE_DIGITS + 1];
    size_t used = 0;
    const char *rest = text + (*text == '-' || *text == '+');
    long exponent = 0;
    bool point = false;
    if (strlen(text) > OG_TABLE_DIGITS) {
        return false;
    }
    for (; (*rest >= '0' && *rest <= '9') || (*rest == '.' && !point); rest++) {
        if (*rest == '.') {
            point = true;
        } else {
            digits[used++] = *rest;
            exponent -= point;
        }
    }
    digits[used] = '\0';
    if (used == 0) {
        return false;
    }
    if (*rest == 'e' || *rest == 'E') {
        const char *power = rest + 1 + (rest[1] == '-' || rest[1] == '+');
        const char *end = skip_digits(power);
        if (end == NULL || *end != '\0' || end - power > 6) {
            return false;
        }
        exponent += strtol(rest + 1, NULL, 10);
        rest = end;
    }
    if (*rest != '\0' || labs(exponent) > EXPONENT_MOST) {
        return false;
    }
    mpz_set_str(mpq_numref(out), digits, 10);
    mpz_ui_pow_ui(mpq_denref(out), 10, (unsigned long)labs(exponent));
    if (exponent > 0) {
        mpz_mul(mpq_numref(out), mpq_numref(out), mpq_denref(out));
        mpz_set_ui(mpq_denref(out), 1);
    }
    mpq_canonicalize(out);
    if (*text == '-') {
        mpq_neg(out, out);
    }
    return true;
}

static og_status read_left(const reader *in, const char *text, int32_t *out)
{
    const char *end = skip_digits(text);
    long value = end != NULL && *end == '\0' && end - text <= 9 ? strtol(text, NULL, 10) : 0;
    if (value < 1) {
        return fault(in, "is not a number of labels left, 1 or more", text);
    }
    *out = (int32_t)value;
    return OG_OK;
}

static og_status read_parameter(const reader *in, const char *text, og_fraction *out)
{
    if (og_fraction_parse(text, strlen(text), out) != OG_OK || out->num == 0) {
        return fault(in, "is not a positive decimal number of at most 18 digits", text);
    }
    return OG_OK;
}

static og_status read_index(const reader *in, const char *text, entry *out)
{
    if (!set_decimal(out->index, text)) {
        return fault(in, "is not a decimal number", text);
    }
    out->row.index = strtod_l(text, NULL, in->plain);
    return isfinite(out->row.index) ? OG_OK : fault(in, "is out of range", text);
}

static og_status read_row(reader *in, char *const *field)
{
    if (in->count == in->room) {
        size_t room = in->room > 0 ? 2 * in->room : 64;
        entry *grown = realloc(in->entries, room * sizeof *grown);
        if (grown == NULL) {
            return og_message_set(in->message, OG_NO_MEMORY, "out of memory for the table '%.200s'",
                                  in->path);
        }
        in->entries = grown;
        in->room = room;
    }
    entry *own = &in->entries[in->count];
    og_status status = OG_OK;
    own->row = (og_table_row){.line = in->line};
    mpq_init(own->index);
    in->count++;
    for (int i = 0; status == OG_OK && i < in->column_count; i++) {
        switch (in->columns[i]) {
        case COLUMN_A:
            status = read_parameter(in, field[i], &own->row.a);
            break;
        case COLUMN_B:
            status = read_parameter(in, field[i], &own->row.b);
            break;
        case COLUMN_LEFT:
            status = read_left(in, field[i], &own->row.left);
            break;
        default:
            status = read_index(in, field[i], own);
        }
    }
    return status;
}

static bool starts_like_a_name(const char *text)
{
    return (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
}

static og_status read_line(reader *in, char *line)
{
    char *field[COLUMN_COUNT + 1], *rest = line;
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    if (*line == '\0' || *line == '#') {
        return OG_OK;
    }
    while (rest != NULL && count <= COLUMN_COUNT) {
        field[count++] = strsep(&rest, "\t");
    }
    bool first = in->column_count == 0;
    if (first ? count < 3 || count > COLUMN_COUNT : count != in->column_count) {
        return og_message_set(in->message, OG_BAD_INPUT,
                              "table '%.200s', line %" PRId64 ": %s%d columns with a tab between "
                              "them, not %s",
                              in->path, in->line, count > COLUMN_COUNT ? "more than " : "",
                              count > COLUMN_COUNT ? COLUMN_COUNT : count,
                              first         ? "3 or 4"
                              : in->by_left ? "4"
                                            : "3");
    }
    if (first && starts_like_a_name(field[0])) {
        return read_column_names(in, field, count);
    }
    if (first) {
        assume_columns(in, count);
    }
    assert(in->column_count == count);
    return read_row(in, field);
}

static og_status read_lines(reader *in)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    og_status status = OG_OK;
    errno = 0;
    while (status == OG_OK && (length = getline(&line, &room, in->file)) >= 0) {
        in->line++;
        if (strlen(line) != (size_t)length) {
            status = fault(in, "is followed by a zero byte", line);
        } else {
            status = read_line(in, line);
        }
        errno = 0;
    }
    int reason = errno;
    free(line);
    if (status != OG_OK || feof(in->file)) {
        return status;
    }
    return og_message_set(in->message, og_file_status(reason),
                          "the table '%.200s' cannot be read: %s", in->path, strerror(reason));
}

static int compare_keys(const og_table_row *x, const og_table_row *y)
{
    int order = og_fraction_compare(x->a, y->a);
    if (order == 0) {
        order = og_fraction_compare(x->b, y->b);
    }
    return order != 0 ? order : (x->left > y->left) - (x->left < y->left);
}

static int compare_entry_keys(const void *x, const void *y)
{
    const entry *left = x, *right = y;
    int order = compare_keys(&left->row, &right->row);
    return order != 0 ? order
                      : (left->row.line > right->row.line) - (left->row.line < right->row.line);
}

static int compare_entry_indices(const void *x, const void *y)
{
    return mpq_cmp(((const entry *)x)->index, ((const entry *)y)->index);
}

static og_status told_twice(const reader *in, const og_table_row *row, const og_table_row *again)
{
    char a[64], b[64], left[32] = "";
    og_fraction_format(row->a, a, sizeof a);
    og_fraction_format(row->b, b, sizeof b);
    if (in->by_left) {
        snprintf(left, sizeof left, " with %" PRId32 " left", row->left);
    }
    return og_message_set(in->message, OG_BAD_INPUT,
                          "table '%.200s', line %" PRId64
                          ": another index for %s,%s%s than on line %" PRId64,
                          in->path, again->line, a, b, left, row->line);
}

/* Places by the order of the decimals, then rows by posterior, each once. */
static og_status make_table(reader *in, og_table *out)
{
    uint32_t place = 0;
    qsort(in->entries, in->count, sizeof *in->entries, compare_entry_indices);
    for (size_t i = 0; i < in->count; i++) {
        place += i > 0 && !mpq_equal(in->entries[i].index, in->entries[i - 1].index);
        in->entries[i].row.place = place;
    }
    qsort(in->entries, in->count, sizeof *in->entries, compare_entry_keys);
    for (size_t i = 0; i < in->count; i++) {
        og_table_row *last = out->row_count > 0 ? &out->row[out->row_count - 1] : NULL;
        const og_table_row *row = &in->entries[i].row;
        if (last == NULL || compare_keys(last, row) != 0) {
            out->row[out->row_count++] = *row;
        } else if (last->place != row->place) {
            return told_twice(in, last, row);
        }
    }
    return OG_OK;
}

static og_status read_all(reader *in, og_table **out)
{
    og_status status = read_lines(in);
    if (status != OG_OK) {
        return status;
    }
    if (in->count == 0) {
        return og_message_set(in->message, OG_BAD_INPUT, "the table '%.200s' has no rows",
                              in->path);
    }
    og_table *table = calloc(1, sizeof *table);
    if (table != NULL) {
        table->row = malloc(in->count * sizeof *table->row);
    }
    if (table == NULL || table->row == NULL) {
        og_table_free(table);
        return og_message_set(in->message, OG_NO_MEMORY, "out of memory for the table '%.200s'",
                              in->path);
    }
    table->by_left = in->by_left;
    status = make_table(in, table);
    if (status == OG_OK) {
        *out = table;
    } else {
        og_table_free(table);
    }
    return status;
}

og_status og_table_read(const char *path, og_table **out, og_message *message)
{
    reader in = {.path = path, .message = message};
    in.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (in.plain == (locale_t)0) {
        return og_message_set(message, OG_NO_MEMORY, "out of memory for the table '%.200s'", path);
    }
    og_status status;
    in.file = fopen(path, "r");
    if (in.file == NULL) {
        int reason = errno;
        status = og_message_set(message, og_file_status(reason),
                                "the table '%.200s' cannot be opened: %s", path, strerror(reason));
    } else {
        status = read_all(&in, out);
        fclose(in.file);
    }
    for (size_t i = 0; i < in.count; i++) {
        mpq_clear(in.entries[i].index);
    }
    free(in.entries);
    freelocale(in.plain);
    return status;
}

static int compare_rows(const void *x, const void *y)
{
    return compare_keys(x, y);
}

const og_table_row *og_table_find(const og_table *table, og_fraction a, og_fraction b, int32_t left)
{
    og_table_row key = {.a = a, .b = b, .left = table->by_left ? left : 0};
    return bsearch(&key, table->row, table->row_count, sizeof *table->row, compare_rows);
}

void og_table_free(og_table *table)
{
    if (table == NULL) {
        return;
    }
    free(table->row);
    free(table);
}
