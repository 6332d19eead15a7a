/* Instances with features from a file of tab separated columns, which its first line names. */
#include "bench/families/feature_file.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp/base/file.h"
#include "dp/families/features.h"

enum { COLUMNS_MAX = OG_FEATURES_MAX + 2, NONE = -1, FIELD_SHOWN = 24 };

typedef struct {
    const char *path;
    FILE *file;
    int64_t line;
    int column_count; /* 0: the first line is still to come */
    int positive;     /* columns; NONE: there is no such column */
    int negative;
    char *field[COLUMNS_MAX]; /* of the line at hand */
    int32_t room;             /* rows that have memory */
    og_feature_table table;
    locale_t plain; /* where a point is a point */
    og_message *message;
} reader;

static og_status fault(const reader *in, const char *what)
{
    return og_message_set(in->message, OG_BAD_INPUT, "%.200s, line %" PRId64 ": %s", in->path,
                          in->line, what);
}

static og_status fault_of(const reader *in, const char *field, const char *what)
{
    return og_message_set(in->message, OG_BAD_INPUT, "%.200s, line %" PRId64 ": '%.*s' %s",
                          in->path, in->line, FIELD_SHOWN, field, what);
}

static og_status no_memory(const reader *in)
{
    return og_message_set(in->message, OG_NO_MEMORY, "%.200s: out of memory", in->path);
}

/* ---- the first line ---- */

static og_status read_names(reader *in, int count)
{
    in->positive = NONE;
    in->negative = NONE;
    for (int i = 0; i < count; i++) {
        if (in->field[i][0] == '\0') {
            return fault(in, "a column has no name");
        }
        for (int j = 0; j < i; j++) {
            if (strcmp(in->field[i], in->field[j]) == 0) {
                return fault_of(in, in->field[i], "names two columns");
            }
        }
        char *end;
        strtod_l(in->field[i], &end, in->plain);
        if (*end == '\0') {
            return fault_of(in, in->field[i], "is a number; the first line must name the columns");
        }
        in->positive = strcmp(in->field[i], "positive") == 0 ? i : in->positive;
        in->negative = strcmp(in->field[i], "negative") == 0 ? i : in->negative;
    }
    in->column_count = count;
    in->table.feature_count = count - (in->positive != NONE) - (in->negative != NONE);
    return in->table.feature_count > 0 ? OG_OK : fault(in, "there is no column with a feature");
}

/* ---- the others ---- */

static bool make_room(reader *in)
{
    og_feature_table *table = &in->table;
    if (table->instance_count < in->room) {
        return true;
    }
    size_t room = in->room > 0 ? 2 * (size_t)in->room : 16;
    size_t features = (size_t)table->feature_count;
    double *row = realloc(table->row, room * features * sizeof *row);
    if (row != NULL) {
        table->row = row;
    }
    int32_t *positive = realloc(table->positive, room * sizeof *positive);
    if (positive != NULL) {
        table->positive = positive;
    }
    int32_t *negative = realloc(table->negative, room * sizeof *negative);
    if (negative != NULL) {
        table->negative = negative;
    }
    if (row == NULL || positive == NULL || negative == NULL) {
        return false;
    }
    in->room = (int32_t)room;
    return true;
}

static og_status read_count(const reader *in, const char *text, int32_t *out)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[digits] != '\0' || digits > 3 ||
        strtol(text, NULL, 10) > OG_FEATURES_LABELS_MAX) {
        return fault_of(in, text, "is not a number of labels from 0 to 255");
    }
    *out = (int32_t)strtol(text, NULL, 10);
    return OG_OK;
}

static og_status read_feature(const reader *in, const char *text, double *out)
{
    char *end;
    *out = strtod_l(text, &end, in->plain);
    bool decimal = text[0] != '\0' && strspn(text, "+-.0123456789eE") == strlen(text);
    return decimal && *end == '\0' && isfinite(*out) ? OG_OK
                                                     : fault_of(in, text, "is not a decimal");
}

static og_status read_row(reader *in)
{
    og_feature_table *table = &in->table;
    if (table->instance_count == OG_FEATURES_INSTANCES_MAX) {
        return fault(in, "there are more than 10000 instances");
    }
    if (!make_room(in)) {
        return no_memory(in);
    }
    int32_t at = table->instance_count;
    double *row = &table->row[(int64_t)at * table->feature_count];
    table->positive[at] = 0;
    table->negative[at] = 0;
    og_status status = OG_OK;
    for (int i = 0; i < in->column_count && status == OG_OK; i++) {
        if (i == in->positive) {
            status = read_count(in, in->field[i], &table->positive[at]);
        } else if (i == in->negative) {
            status = read_count(in, in->field[i], &table->negative[at]);
        } else {
            status = read_feature(in, in->field[i], row++);
        }
    }
    table->instance_count += status == OG_OK;
    return status;
}

static og_status read_line(reader *in, char *line)
{
    if (in->line == 1 && strncmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3;
    }
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '\0') {
        return OG_OK;
    }
    int count = 0;
    for (char *rest = line; rest != NULL; count++) {
        if (count == COLUMNS_MAX) {
            return fault(in, "there are more than 1002 columns");
        }
        in->field[count] = strsep(&rest, "\t");
    }
    if (in->column_count == 0) {
        return read_names(in, count);
    }
    if (count != in->column_count) {
        return og_message_set(in->message, OG_BAD_INPUT,
                              "%.200s, line %" PRId64 ": %d columns with a tab between them, where "
                              "the first line has %d",
                              in->path, in->line, count, in->column_count);
    }
    return read_row(in);
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
        status = strlen(line) == (size_t)length ? read_line(in, line)
                                                : fault(in, "there is a zero byte");
        errno = 0;
    }
    int reason = errno;
    free(line);
    if (status == OG_OK && !feof(in->file)) {
        return og_message_set(in->message, og_file_status(reason), "%.200s: cannot read: %s",
                              in->path, strerror(reason));
    }
    if (status == OG_OK && in->table.instance_count == 0) {
        return og_message_set(in->message, OG_BAD_INPUT, "%.200s: there are no instances in it",
                              in->path);
    }
    return status;
}

og_status og_feature_table_read(const char *path, og_feature_table *out, og_message *message)
{
    reader in = {.path = path, .message = message};
    in.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (in.plain == (locale_t)0) {
        return no_memory(&in);
    }
    og_status status;
    in.file = fopen(path, "r");
    if (in.file == NULL) {
        int reason = errno;
        status = og_message_set(message, og_file_status(reason), "%.200s: cannot open: %s", path,
                                strerror(reason));
    } else {
        status = read_lines(&in);
        fclose(in.file);
    }
    freelocale(in.plain);
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
