/* Reads tables of worths, and keeps what functions answered. */
#include "dp/prior/worth_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/rational.h"

typedef enum { A, B, VALUE, COLUMN_COUNT } column;

static const char *const column_names[COLUMN_COUNT] = {"a", "b", "value"};
static const char prefix[] = "table:";

typedef struct {
    og_fraction a, b;
    mpq_t value;
} value_row;

typedef struct {
    og_rows rows;
    int position[COLUMN_COUNT];
    value_row *row; /* [count] */
    size_t count, room;
} reader;

static const char *field(const reader *in, column which)
{
    int at = in->position[which];
    return at < in->rows.field_count ? in->rows.field[at] : "";
}

static bool read_columns(reader *in)
{
    if (!og_rows_columns(&in->rows, column_names, COLUMN_COUNT, in->position)) {
        return false;
    }
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (in->position[c] < 0) {
            return og_rows_fail(&in->rows, "the column '%s' is missing; columns are a, b and value",
                                column_names[c]);
        }
    }
    return true;
}

static bool read_parameter(reader *in, column which, og_fraction *out)
{
    const char *text = field(in, which);
    return (og_fraction_parse(text, strlen(text), out) == OG_OK && out->num > 0) ||
           og_rows_fail(&in->rows, "%s '%.60s' is not a decimal above 0", column_names[which],
                        text);
}

static bool read_value(reader *in, mpq_t out)
{
    const char *text = field(in, VALUE);
    if (!og_rational_parse(out, text)) {
        return og_rows_fail(&in->rows, "'%.60s' is not a finite number", text);
    }
    return (mpq_cmp_si(out, OG_WORTH_MOST, 1) <= 0 && mpq_cmp_si(out, -OG_WORTH_MOST, 1) >= 0) ||
           og_rows_fail(&in->rows, "value '%.60s' must lie between -%d and %d", text, OG_WORTH_MOST,
                        OG_WORTH_MOST);
}

static bool read_row(reader *in)
{
    value_row *grown = og_rows_grown(&in->rows, in->row, &in->room, in->count + 1, sizeof *in->row);
    if (grown == NULL) {
        return false;
    }
    in->row = grown;
    mpq_init(grown[in->count].value);
    value_row *own = &grown[in->count++];
    return read_parameter(in, A, &own->a) && read_parameter(in, B, &own->b) &&
           read_value(in, own->value);
}

static int compare_keys(og_fraction a, og_fraction b, og_fraction other_a, og_fraction other_b)
{
    int order = og_fraction_compare(a, other_a);
    return order != 0 ? order : og_fraction_compare(b, other_b);
}

static int compare_rows(const void *left, const void *right)
{
    const value_row *x = left, *y = right;
    return compare_keys(x->a, x->b, y->a, y->b);
}

static og_worth_values *values_new(const char *before, const char *name, size_t count)
{
    og_worth_values *values = og_arena_new(sizeof *values);
    if (values == NULL) {
        return NULL;
    }
    size_t bytes = strlen(before) + strlen(name) + 1;
    char *words = og_arena_array(&values->arena, bytes, 1);
    values->held = 1;
    values->count = count;
    values->value = og_arena_fractions(&values->arena, count);
    values->name = words;
    if (values->arena.failed) {
        og_arena_free(values);
        return NULL;
    }
    snprintf(words, bytes, "%s%s", before, name);
    return values;
}

static void find_range(og_worth_values *values)
{
    values->least = INFINITY;
    values->most = -INFINITY;
    for (size_t i = 0; i < values->count; i++) {
        double value = og_nearest(values->value[i]);
        values->least = fmin(values->least, value);
        values->most = fmax(values->most, value);
    }
}

/* Sorts the rows and drops those that say the same again. */
static bool sort_rows(reader *in)
{
    size_t kept = 0;
    qsort(in->row, in->count, sizeof *in->row, compare_rows);
    for (size_t i = 1; i < in->count; i++) {
        value_row *last = &in->row[kept];
        if (compare_rows(last, &in->row[i]) != 0) {
            value_row next = in->row[++kept];
            in->row[kept] = in->row[i];
            in->row[i] = next;
        } else if (!mpq_equal(last->value, in->row[i].value)) {
            char a[OG_FRACTION_TEXT_BYTES], b[OG_FRACTION_TEXT_BYTES];
            og_fraction_format(last->a, a, sizeof a);
            og_fraction_format(last->b, b, sizeof b);
            return og_rows_fail_at(&in->rows, 0, "%s,%s has two values", a, b);
        }
    }
    for (size_t i = kept + 1; i < in->count; i++) {
        mpq_clear(in->row[i].value);
    }
    in->count = kept + 1;
    return true;
}

static bool take_rows(reader *in, const char *path, og_worth_values **out)
{
    og_worth_values *values = values_new(prefix, path, in->count);
    if (values != NULL) {
        values->key = og_arena_array(&values->arena, in->count, sizeof *values->key);
    }
    if (values == NULL || values->key == NULL) {
        og_arena_free(values);
        return og_rows_no_memory(&in->rows);
    }
    for (size_t i = 0; i < in->count; i++) {
        values->key[i][0] = in->row[i].a;
        values->key[i][1] = in->row[i].b;
        mpq_swap(values->value[i], in->row[i].value);
    }
    find_range(values);
    *out = values;
    return true;
}

og_status og_worth_values_read(const char *path, const og_rows_limits *limits,
                               og_worth_values **out, og_message *message)
{
    reader in = {.count = 0};
    og_worth_values *values = NULL;
    og_rows_open(&in.rows, path, '\t', '\0', limits, message);
    if (og_rows_next(&in.rows) && read_columns(&in)) {
        while (og_rows_next(&in.rows) && read_row(&in)) {
        }
    }
    if (in.rows.status == OG_OK && in.count == 0) {
        og_rows_fail_at(&in.rows, 0, "the table has no row");
    }
    if (in.rows.status == OG_OK && sort_rows(&in)) {
        take_rows(&in, path, &values);
    }
    og_status status = og_rows_close(&in.rows);
    for (size_t i = 0; i < in.count; i++) {
        mpq_clear(in.row[i].value);
    }
    free(in.row);
    return OG_MADE(status, values, og_worth_values_release, out);
}

og_status og_worth_values_new(const char *name, int32_t number, const double *value, size_t count,
                              og_worth_values **out)
{
    og_worth_values *values = values_new("", name, count);
    OG_TRY(OG_ALLOCATED(values));
    values->by_node = true;
    values->number = number;
    for (size_t i = 0; i < count; i++) {
        mpq_set_d(values->value[i], value[i]);
    }
    find_range(values);
    *out = values;
    return OG_OK;
}

og_worth_values *og_worth_values_hold(const og_worth_values *values)
{
    og_worth_values *held = (og_worth_values *)values;
    if (held != NULL) {
        __atomic_fetch_add(&held->held, 1, __ATOMIC_RELAXED);
    }
    return held;
}

void og_worth_values_release(const og_worth_values *values)
{
    og_worth_values *held = (og_worth_values *)values;
    if (held != NULL && __atomic_sub_fetch(&held->held, 1, __ATOMIC_ACQ_REL) == 0) {
        og_arena_free(held);
    }
}

mpq_srcptr og_worth_values_find(const og_worth_values *values, og_fraction a, og_fraction b)
{
    size_t low = 0, high = values->by_node ? 0 : values->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_keys(values->key[middle][0], values->key[middle][1], a, b);
        if (order == 0) {
            return values->value[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static int compare_sizes(size_t x, size_t y)
{
    return (x > y) - (x < y);
}

int og_worth_values_compare(const og_worth_values *x, const og_worth_values *y)
{
    if (x == NULL || y == NULL) {
        return y != NULL ? -1 : 1;
    }
    if (x == y) {
        return 0;
    }
    int order = compare_sizes(x->by_node, y->by_node);
    if (order == 0 && x->by_node) {
        return compare_sizes((size_t)x->number, (size_t)y->number);
    }
    order = order != 0 ? order : compare_sizes(x->count, y->count);
    for (size_t i = 0; order == 0 && i < x->count; i++) {
        order = compare_keys(x->key[i][0], x->key[i][1], y->key[i][0], y->key[i][1]);
        order = order != 0 ? order : mpq_cmp(x->value[i], y->value[i]);
    }
    return order;
}
