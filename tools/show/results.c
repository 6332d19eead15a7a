/* Writes what policies concluded to a file. */
#include "tools/show/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/words.h"
#include "dp/base/file.h"
#include "tools/show/memory.h"
#include "tools/show/report.h"

enum { COLUMNS_MAX = 64, COLUMN_BYTES = 48 };

typedef struct {
    FILE *file;
    bool csv, first, fits; /* next field is the first of its line; no name breaks the table */
    char column[COLUMNS_MAX][COLUMN_BYTES];
    int count;
} table;

/* ---- the columns ---- */

/* A kind is the name of an array without its last letter: tasks, workers. */
static size_t kind_length(const og_document *rows)
{
    return strlen(og_document_name(rows)) - 1;
}

static bool is_name(const og_document *rows, const og_document *value)
{
    const char *name = og_document_name(value);
    return strlen(name) == kind_length(rows) &&
           strncmp(name, og_document_name(rows), kind_length(rows)) == 0;
}

static void add_column(table *to, const char *name, int number)
{
    char words[COLUMN_BYTES];
    snprintf(words, sizeof words, number > 0 ? "%s_%d" : "%s", name, number);
    for (int k = 0; k < to->count; k++) {
        if (strcmp(to->column[k], words) == 0) {
            return;
        }
    }
    if (to->count < COLUMNS_MAX) {
        strcpy(to->column[to->count++], words);
    }
}

static bool is_array(const og_document *value)
{
    return value->kind == OG_ARRAY;
}

/* The columns of these rows; all have those of the first. */
static void add_columns(table *to, const og_document *rows)
{
    const og_document *row = og_document_child(rows, 0);
    for (int32_t i = 0; i < og_document_count(row); i++) {
        const og_document *value = og_document_child(row, i);
        if (is_name(rows, value)) {
            continue;
        }
        if (!is_array(value)) {
            add_column(to, og_document_name(value), 0);
        }
        for (int32_t k = 0; is_array(value) && k < og_document_count(value); k++) {
            add_column(to, og_document_name(value), k + 1);
        }
    }
}

/* ---- rows ---- */

static void put_text(table *to, const char *text)
{
    fputs(to->first ? "" : to->csv ? "," : "\t", to->file);
    to->first = false;
    to->fits = og_write_field(to->file, text, to->csv) && to->fits;
}

static void put_value(table *to, const og_document *value)
{
    const char *text = og_document_text(value);
    double number = og_document_number(value);
    char whole[32];
    snprintf(whole, sizeof whole, "%.0f", number);
    put_text(to, text != NULL                                     ? text
                 : value != NULL && value->kind == OG_BOOL        ? value->is.truth ? "1" : "0"
                 : isnan(number)                                  ? ""
                 : number == floor(number) && fabs(number) < 1e15 ? whole
                                                                  : og_words_exact(number).text);
}

static void put_head(table *to, const og_document *result, const char *kind, const char *name)
{
    put_text(to, og_document_text(og_document_find(result, "policy")));
    put_text(to, og_document_text(og_document_find(result, "ties")));
    put_text(to, kind);
    put_text(to, name != NULL ? name : "");
}

static void end_line(table *to)
{
    putc('\n', to->file);
    to->first = true;
}

/* The value of a row in a column, NULL if it has none. */
static const og_document *value_at(const og_document *rows, const og_document *row,
                                   const char *column)
{
    const og_document *found = og_document_find(row, column);
    const char *end = strrchr(column, '_');
    char name[COLUMN_BYTES];
    if (found != NULL || end == NULL) {
        return found != NULL && is_name(rows, found) ? NULL : found;
    }
    snprintf(name, sizeof name, "%.*s", (int)(end - column), column);
    found = og_document_find(row, name);
    return found != NULL && is_array(found) ? og_document_child(found, atoi(end + 1) - 1) : NULL;
}

static void put_row(table *to, const og_document *result, const og_document *rows,
                    const og_document *row)
{
    char kind[COLUMN_BYTES];
    snprintf(kind, sizeof kind, "%.*s", (int)kind_length(rows), og_document_name(rows));
    put_head(to, result, kind, og_document_text(og_document_find(row, kind)));
    for (int k = 0; k < to->count; k++) {
        put_value(to, value_at(rows, row, to->column[k]));
    }
    end_line(to);
}

static void put_total(table *to, const og_document *result, const og_document *value)
{
    put_head(to, result, "total", og_document_name(value));
    for (int k = 0; k < to->count; k++) {
        put_value(to, strcmp(to->column[k], "value") == 0 ? value : NULL);
    }
    end_line(to);
}

static void put_result(table *to, const og_document *result)
{
    for (int32_t i = 0; i < og_document_count(result); i++) {
        const og_document *part = og_document_child(result, i);
        bool totals = strcmp(og_document_name(part), "totals") == 0;
        for (int32_t k = 0; (totals || is_array(part)) && k < og_document_count(part); k++) {
            const og_document *row = og_document_child(part, k);
            if (totals) {
                put_total(to, result, row);
            } else {
                put_row(to, result, part, row);
            }
        }
    }
}

static void put_table(table *to, const og_document *results)
{
    static const char *const head[] = {"policy", "ties", "kind", "name"};
    add_column(to, "value", 0);
    for (int32_t i = 0; i < og_document_count(results); i++) {
        const og_document *result = og_document_child(results, i);
        for (int32_t k = 0; k < og_document_count(result); k++) {
            const og_document *part = og_document_child(result, k);
            if (is_array(part)) {
                add_columns(to, part);
            }
        }
    }
    for (int k = 0; k < 4; k++) {
        put_text(to, head[k]);
    }
    for (int k = 0; k < to->count; k++) {
        put_text(to, to->column[k]);
    }
    end_line(to);
    for (int32_t i = 0; i < og_document_count(results); i++) {
        put_result(to, og_document_child(results, i));
    }
}

/* ---- the file ---- */

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), more = strlen(end);
    return length >= more && strcmp(path + length - more, end) == 0;
}

static og_status write_file(const char *path, const char *text, size_t size, og_message *message)
{
    static const char what[] = "result";
    og_atomic_file file;
    OG_TRY(og_atomic_file_begin(path, what, &file, message));
    og_atomic_file_write(&file, text, size);
    return og_atomic_file_end(&file, what, message);
}

static og_status write_json(const og_document *results, const char *path, og_message *message)
{
    char *json = og_document_json(results), *text = NULL;
    size_t size;
    OG_TRY(OG_ALLOCATED(json));
    FILE *to = stream_open(&text, &size);
    fprintf(to, "%s\n", json);
    stream_close(to);
    og_status status = write_file(path, text, size, message);
    free(text);
    free(json);
    return status;
}

static og_status save_results(const og_document *document, const char *path, og_message *message)
{
    const og_document *results = og_document_find(document, "results");
    char *text = NULL;
    size_t size;
    if (og_document_failed(document)) {
        return OG_NO_MEMORY;
    }
    if (ends_in(path, ".json")) {
        return write_json(results, path, message);
    }
    table to = {.file = stream_open(&text, &size),
                .csv = ends_in(path, ".csv"),
                .first = true,
                .fits = true};
    put_table(&to, results);
    stream_close(to.file);
    og_status status =
        to.fits ? write_file(path, text, size, message)
                : og_message_set(message, OG_BAD_INPUT,
                                 "a name has a tab or a line end, which a table with tabs cannot "
                                 "have; give --result FILE.csv or FILE.json");
    free(text);
    return status;
}

int show_with_results(const command_request *request, og_document *document)
{
    og_message message = {""};
    og_status status = request->result_file != NULL
                           ? save_results(document, request->result_file, &message)
                           : OG_OK;
    if (status != OG_OK) {
        og_document_free(document);
        return complain(status, &message);
    }
    return show(document, request);
}
