/*
 * Reads a table of indices. Every number is stored exactly until all are sorted, so that their
 * order is that of the decimals; then numbers that are close together tie.
 */
#include "heuristics/index/table_file.h"

#include <gmp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"

typedef enum { COLUMN_A, COLUMN_B, COLUMN_LEFT, COLUMN_INDEX, COLUMN_NODE, COLUMN_COUNT } column;

static const char *const column_names[COLUMN_COUNT] = {"a", "b", "left", "index", "node"};

enum { COLUMNS_MOST = 4, LIMBS_BYTES = 32 }; /* overhead of malloc for two blocks */

/* A row while the file is read. */
typedef struct {
    og_table_row row;
    mpq_t index;
} entry;

typedef struct {
    og_rows rows;
    int position[COLUMN_COUNT]; /* -1: no such column */
    int column_count;           /* 0: unknown so far */
    og_arena names;             /* of nodes */
    bool decimals;              /* true if an index is neither a whole number nor a fraction */
    entry *entries;
    size_t count, room;
} reader;

static bool by_left(const reader *in)
{
    return in->position[COLUMN_LEFT] >= 0;
}

static bool by_node(const reader *in)
{
    return in->position[COLUMN_NODE] >= 0;
}

static bool fault(reader *in, const char *text, const char *what)
{
    return og_rows_fail(&in->rows, "'%.60s' %s", text, what);
}

static bool is_column(const char *name)
{
    int c = 0;
    while (c < COLUMN_COUNT && strcmp(name, column_names[c]) != 0) {
        c++;
    }
    return c < COLUMN_COUNT;
}

static bool read_column_names(reader *in)
{
    for (int i = 0; i < in->column_count; i++) {
        if (!is_column(in->rows.field[i])) {
            return fault(in, in->rows.field[i],
                         "is not a column; columns are a, b, index and perhaps left, or node for "
                         "a and b");
        }
    }
    if (!og_rows_columns(&in->rows, column_names, COLUMN_COUNT, in->position)) {
        return false;
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        bool wanted = c == COLUMN_INDEX || (c != COLUMN_LEFT && (c == COLUMN_NODE) == by_node(in));
        if (in->position[c] < 0 && wanted) {
            return fault(in, column_names[c], "is missing among the columns");
        }
    }
    return true;
}

static void assume_columns(reader *in)
{
    bool left = in->column_count == COLUMNS_MOST;
    static const int with[COLUMN_COUNT] = {0, 1, 2, 3, -1};
    static const int without[COLUMN_COUNT] = {0, 1, -1, 2, -1};
    memcpy(in->position, left ? with : without, sizeof in->position);
}

/* The end of the digits, or NULL if there are none. */
static const char *skip_digits(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 ? text + digits : NULL;
}

static bool read_left(reader *in, const char *text, int32_t *out)
{
    const char *end = skip_digits(text);
    long value = end != NULL && *end == '\0' && end - text <= 9 ? strtol(text, NULL, 10) : 0;
    *out = (int32_t)value;
    return value >= 1 || fault(in, text, "is not a number of labels left, 1 or more");
}

static bool read_parameter(reader *in, const char *text, og_fraction *out)
{
    return (og_fraction_parse(text, strlen(text), out) == OG_OK && out->num != 0) ||
           fault(in, text, "is not a positive decimal number of at most 18 digits");
}

static bool read_index(reader *in, const char *text, entry *out)
{
    if (strcmp(text, "-inf") == 0) {
        out->row.index = -INFINITY;
        return true;
    }
    bool fraction = strchr(text, '/') != NULL;
    if (!og_rational_parse(out->index, text)) {
        return fault(in, text,
                     fraction ? "is not a fraction of whole numbers"
                              : "is not a decimal number or fraction");
    }
    if (fraction) {
        out->row.index = og_nearest(out->index);
        return isfinite(out->row.index) || fault(in, text, "is out of range");
    }
    in->decimals |= strpbrk(text, ".eE") != NULL;
    return og_rows_decimal(&in->rows, text, &out->row.index) || fault(in, text, "is out of range");
}

/* A node's name, or the parameters of a posterior. */
static bool read_place(reader *in, og_table_row *out)
{
    char **field = in->rows.field;
    const int *at = in->position;
    if (!by_node(in)) {
        return read_parameter(in, field[at[COLUMN_A]], &out->a) &&
               read_parameter(in, field[at[COLUMN_B]], &out->b);
    }
    const char *name = field[at[COLUMN_NODE]];
    size_t bytes = strlen(name) + 1;
    out->node = og_arena_copy(&in->names, name, bytes, 1);
    return out->node == NULL ? og_rows_no_memory(&in->rows)
                             : og_rows_hold(&in->rows, (int64_t)(LIMBS_BYTES + bytes));
}

/* Counts the memory of an entry's fraction and of its row in the table. */
static bool hold_row(reader *in, const entry *own)
{
    size_t limbs = mpz_size(mpq_numref(own->index)) + mpz_size(mpq_denref(own->index));
    return og_rows_hold(&in->rows,
                        (int64_t)(LIMBS_BYTES + limbs * sizeof(mp_limb_t) + sizeof(og_table_row)));
}

static bool read_row(reader *in)
{
    entry *grown = og_rows_grown(&in->rows, in->entries, &in->room, in->count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    in->entries = grown;
    entry *own = &grown[in->count++];
    own->row = (og_table_row){.a = {0, 1}, .b = {0, 1}, .line = in->rows.line};
    mpq_init(own->index);
    char **field = in->rows.field;
    const int *at = in->position;
    return read_place(in, &own->row) &&
           (!by_left(in) || read_left(in, field[at[COLUMN_LEFT]], &own->row.left)) &&
           read_index(in, field[at[COLUMN_INDEX]], own) && hold_row(in, own);
}

static bool starts_like_a_name(const char *text)
{
    return (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
}

static bool read_line(reader *in)
{
    int count = in->rows.field_count;
    bool first = in->column_count == 0, more = count > COLUMNS_MOST;
    bool named = first && starts_like_a_name(in->rows.field[0]);
    if (first ? count < (named ? 2 : 3) || more : count != in->column_count) {
        char expected[12];
        snprintf(expected, sizeof expected, "%d", in->column_count);
        return og_rows_fail(&in->rows,
                            "there must be %s columns, separated by tabs or commas, not %s%d",
                            !first  ? expected
                            : named ? "2 to 4"
                                    : "3 or 4",
                            more ? "more than " : "", more ? COLUMNS_MOST : count);
    }
    in->column_count = count;
    if (named) {
        return read_column_names(in);
    }
    if (first) {
        assume_columns(in);
    }
    return read_row(in);
}

static int compare_keys(const og_table_row *x, const og_table_row *y)
{
    int order = x->node != NULL ? strcmp(x->node, y->node) : og_fraction_compare(x->a, y->a);
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

static bool is_done(const entry *own)
{
    return own->row.index == -INFINITY;
}

static int compare_entry_indices(const void *x, const void *y)
{
    const entry *left = x, *right = y;
    return is_done(left) || is_done(right) ? is_done(right) - is_done(left)
                                           : mpq_cmp(left->index, right->index);
}

static bool told_twice(reader *in, const og_table_row *row, const og_table_row *again)
{
    char a[64], b[64], left[32] = "";
    og_fraction_format(row->a, a, sizeof a);
    og_fraction_format(row->b, b, sizeof b);
    if (by_left(in)) {
        snprintf(left, sizeof left, " with %" PRId32 " left", row->left);
    }
    bool node = row->node != NULL;
    return og_rows_fail(
        &in->rows, "line %" PRId64 ": another index for %.60s%s%s%s than on line %" PRId64,
        again->line, node ? row->node : a, node ? "" : ",", node ? "" : b, left, row->line);
}

/* Returns the position of the smallest entry that ties with entries[first], the largest of its
 * group. Entries are in ascending order. */
static size_t group_end(const entry *entries, size_t first, double relative)
{
    mpq_t least, share;
    mpq_inits(least, share, NULL);
    mpq_set_d(share, relative);
    mpq_abs(least, entries[first].index);
    mpq_mul(share, share, least);
    mpq_sub(least, entries[first].index, share);
    size_t end = first;
    while (end > 0 && is_done(&entries[end - 1]) == is_done(&entries[first]) &&
           mpq_cmp(entries[end - 1].index, least) >= 0) {
        end--;
    }
    mpq_clears(least, share, NULL);
    return end;
}

/* Numbers the values and the groups of ties, starting from the largest. */
static void find_places(reader *in, double relative)
{
    uint32_t value = 0, groups = 0;
    entry *entries = in->entries;
    qsort(entries, in->count, sizeof *entries, compare_entry_indices);
    for (size_t i = 0; i < in->count; i++) {
        value += i > 0 && compare_entry_indices(&entries[i], &entries[i - 1]) != 0;
        entries[i].row.value = value;
    }
    for (size_t rest = in->count; rest > 0; groups++) {
        size_t end = group_end(entries, rest - 1, in->decimals ? relative : 0);
        for (; rest > end; rest--) {
            entries[rest - 1].row.place = groups;
        }
    }
    for (size_t i = 0; i < in->count; i++) {
        entries[i].row.place = groups - 1 - entries[i].row.place;
    }
}

/* Builds the table: rows sorted by posterior, each once. */
static bool make_table(reader *in, og_table *out)
{
    qsort(in->entries, in->count, sizeof *in->entries, compare_entry_keys);
    for (size_t i = 0; i < in->count; i++) {
        og_table_row *last = out->row_count > 0 ? &out->row[out->row_count - 1] : NULL;
        const og_table_row *row = &in->entries[i].row;
        if (last == NULL || compare_keys(last, row) != 0) {
            out->row[out->row_count++] = *row;
        } else if (last->value != row->value) {
            return told_twice(in, last, row);
        }
    }
    return true;
}

/* Reads the table; incomplete or NULL if in->rows has a failure. */
static og_table *read_all(reader *in, double relative)
{
    while (og_rows_next(&in->rows) && read_line(in)) {
    }
    if (in->count == 0) {
        og_rows_fail(&in->rows, "the table has no rows");
    }
    og_table *table = in->rows.status == OG_OK ? calloc(1, sizeof *table) : NULL;
    if (table == NULL || (table->row = malloc(in->count * sizeof *table->row)) == NULL) {
        og_rows_no_memory(&in->rows);
        return table;
    }
    table->by_left = by_left(in);
    table->by_node = by_node(in);
    table->names = in->names;
    in->names = (og_arena){0};
    find_places(in, relative);
    table->stops = is_done(&in->entries[0]); /* in the order of the indices */
    make_table(in, table);
    return table;
}

og_status og_table_read(const char *path, double tie_relative, const og_rows_limits *limits,
                        og_table **out, og_message *message)
{
    reader in = {.count = 0};
    og_rows_open(&in.rows, path, OG_ROWS_BY_HEADER, '#', limits, message);
    og_table *table = read_all(&in, tie_relative);
    og_status status = og_rows_close(&in.rows);
    for (size_t i = 0; i < in.count; i++) {
        mpq_clear(in.entries[i].index);
    }
    free(in.entries);
    og_arena_clear(&in.names);
    if (status == OG_OK) {
        *out = table;
    } else {
        og_table_free(table);
    }
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

const og_table_row *og_table_find_node(const og_table *table, const char *node, int32_t left)
{
    og_table_row key = {.a = {0, 1}, .b = {0, 1}, .node = node, .left = table->by_left ? left : 0};
    return bsearch(&key, table->row, table->row_count, sizeof *table->row, compare_rows);
}

void og_table_free(og_table *table)
{
    if (table == NULL) {
        return;
    }
    og_arena_clear(&table->names);
    free(table->row);
    free(table);
}
