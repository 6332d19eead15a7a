/* Reads instances with features from a file of columns separated by tabs; the first line names the
 * columns. */
#include "bench/families/features/file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/grow.h"
#include "dp/base/rows.h"
#include "dp/families/features.h"

enum { COLUMNS_MAX = OG_FEATURES_MAX + 2, FIELD_SHOWN = 24 };
enum { POSITIVE, NEGATIVE, NAMED_COLUMNS };

typedef struct {
    og_rows rows;
    int column_count;            /* 0 until the first line is read */
    int position[NAMED_COLUMNS]; /* -1: there is no such column */
    size_t room;                 /* number of rows allocated */
    og_feature_table table;
} reader;

static bool fault_of(reader *in, const char *field, const char *what)
{
    return og_rows_fail(&in->rows, "'%.*s' %s", FIELD_SHOWN, field, what);
}

/* ---- the first line ---- */

static bool read_names(reader *in)
{
    static const char *const names[NAMED_COLUMNS] = {"positive", "negative"};
    char **name = in->rows.field;
    in->column_count = in->rows.field_count;
    for (int i = 0; i < in->column_count; i++) {
        double number;
        if (name[i][0] == '\0') {
            return og_rows_fail(&in->rows, "a column has no name");
        }
        for (int j = 0; j < i; j++) {
            if (strcmp(name[i], name[j]) == 0) {
                return fault_of(in, name[i], "names two columns");
            }
        }
        if (og_rows_decimal(&in->rows, name[i], &number)) {
            return fault_of(in, name[i], "is a number; the first line must name the columns");
        }
    }
    og_rows_columns(&in->rows, names, NAMED_COLUMNS, in->position);
    in->table.feature_count =
        in->column_count - (in->position[POSITIVE] >= 0) - (in->position[NEGATIVE] >= 0);
    return in->table.feature_count > 0 ||
           og_rows_fail(&in->rows, "no column has a feature; give at least one");
}

/* ---- the other lines ---- */

/* Make room for one more row. If only some arrays could grow, they remain valid. */
static bool make_room(reader *in)
{
    og_feature_table *table = &in->table;
    size_t needed = (size_t)table->instance_count + 1;
    size_t room[] = {in->room, in->room, in->room};
    double *row =
        og_grown(table->row, &room[0], needed, (size_t)table->feature_count * sizeof *row);
    table->row = row != NULL ? row : table->row;
    int32_t *positive = og_grown(table->positive, &room[1], needed, sizeof *positive);
    table->positive = positive != NULL ? positive : table->positive;
    int32_t *negative = og_grown(table->negative, &room[2], needed, sizeof *negative);
    table->negative = negative != NULL ? negative : table->negative;
    if (row == NULL || positive == NULL || negative == NULL) {
        return og_rows_no_memory(&in->rows);
    }
    in->room = room[0];
    return true;
}

/* Read a count; 0 if there is no such column. */
static bool read_count(reader *in, int position, int32_t *out)
{
    const char *text = position >= 0 ? in->rows.field[position] : "0";
    size_t digits = strspn(text, "0123456789");
    long value = digits >= 1 && digits <= 3 && text[digits] == '\0' ? strtol(text, NULL, 10) : -1;
    *out = (int32_t)value;
    return (value >= 0 && value <= OG_FEATURES_LABELS_MAX) ||
           fault_of(in, text, "must be a number of labels from 0 to 255");
}

static bool read_row(reader *in)
{
    og_feature_table *table = &in->table;
    if (table->instance_count == OG_FEATURES_INSTANCES_MAX) {
        return og_rows_fail(&in->rows, "there are more than 10000 instances");
    }
    if (!make_room(in)) {
        return false;
    }
    int32_t at = table->instance_count;
    double *row = &table->row[(int64_t)at * table->feature_count];
    for (int i = 0; i < in->column_count; i++) {
        const char *text = in->rows.field[i];
        if (i == in->position[POSITIVE] || i == in->position[NEGATIVE]) {
            continue;
        }
        if (!og_rows_decimal(&in->rows, text, row++)) {
            return fault_of(in, text, "must be a decimal");
        }
    }
    table->instance_count++;
    return read_count(in, in->position[POSITIVE], &table->positive[at]) &&
           read_count(in, in->position[NEGATIVE], &table->negative[at]);
}

static bool read_line(reader *in)
{
    int count = in->rows.field_count;
    if (count > COLUMNS_MAX) {
        return og_rows_fail(&in->rows, "there are more than 1002 columns");
    }
    if (in->column_count == 0) {
        return read_names(in);
    }
    if (count != in->column_count) {
        return og_rows_fail(&in->rows, "%d columns, but the first line has %d", count,
                            in->column_count);
    }
    return read_row(in);
}

og_status og_feature_table_read(const char *path, og_feature_table *out, og_message *message)
{
    reader in = {.column_count = 0};
    og_rows_open(&in.rows, path, OG_ROWS_BY_HEADER, '\0', NULL, message); /* the number of rows is
                                                                             limited above */
    while (og_rows_next(&in.rows) && read_line(&in)) {
    }
    if (in.table.instance_count == 0) {
        og_rows_fail(&in.rows, "the table has no instances; give a line for each");
    }
    og_status status = og_rows_close(&in.rows);
    if (status == OG_OK) {
        *out = in.table;
    } else {
        og_feature_table_clear(&in.table);
    }
    return status;
}

void og_feature_table_clear(og_feature_table *table)
{
    free(table->row);
    free(table->positive);
    free(table->negative);
    memset(table, 0, sizeof *table);
}
