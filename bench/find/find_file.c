/*
 * Reads and writes the progress of a search. A write leaves a complete new file or the old one
 * (dp/base/file.h), and every line is checked when read: from a wrong position, a search could
 * report an answer that is not the smallest.
 */
#include "bench/find/find_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dp/base/file.h"
#include "dp/base/number.h"
#include "dp/base/rows.h"

/* Read the value of the next row, which must have this name; valid until the next row. NULL:
 * failure. */
static const char *read_value(og_rows *rows, const char *name)
{
    if (!og_rows_next(rows)) {
        og_rows_fail(rows, "the file ends before '%s'", name);
        return NULL;
    }
    if (rows->field_count != 2 || strcmp(rows->field[0], name) != 0) {
        og_rows_fail(rows, "expected '%s' and a value", name);
        return NULL;
    }
    return rows->field[1];
}

static void read_count(og_rows *rows, const char *name, uint64_t *out)
{
    int64_t count = 0;
    const char *text = read_value(rows, name);
    if (text != NULL && !og_number_parse(text, 0, INT64_MAX, &count)) {
        og_rows_fail(rows, "expected a whole number, not '%.64s'", text);
    }
    *out = (uint64_t)count;
}

static void read_head(og_rows *rows, const char *search)
{
    const char *text = read_value(rows, "optgap-search");
    if (text != NULL && strcmp(text, "1") != 0) {
        og_rows_fail(rows, "the file has version '%.16s'; this program reads version 1", text);
    }
    text = text != NULL ? read_value(rows, "search") : NULL;
    if (text != NULL && strcmp(text, search) != 0) {
        og_rows_fail(rows, "the file is of another search, %.400s; give another or remove it",
                     text);
    }
}

static void read_position(og_rows *rows, og_search_position *out)
{
    read_count(rows, "settled", &out->settled);
    const char *text = read_value(rows, "last");
    snprintf(out->last, sizeof out->last, "%s", text != NULL ? text : "");
    read_count(rows, "best", &out->best);
    read_count(rows, "tolerance", &out->tolerance);
    if (rows->status == OG_OK && (out->best > out->settled || out->tolerance > out->settled)) {
        og_rows_fail(rows, "'best' and 'tolerance' must be at most 'settled'");
    }
    if (og_rows_next(rows)) {
        og_rows_fail(rows, "expected no more lines");
    }
}

og_status og_search_position_read(const char *path, const char *search, og_search_position *out,
                                  og_message *message)
{
    og_rows rows;
    og_search_position read = {0};
    *out = read;
    if (access(path, F_OK) != 0) {
        return OG_OK;
    }
    og_rows_open(&rows, path, '\t', '\0', NULL, message);
    read_head(&rows, search);
    if (rows.status == OG_OK) {
        read_position(&rows, &read);
    }
    og_status status = og_rows_close(&rows);
    if (status == OG_OK) {
        *out = read;
    }
    return status;
}

og_status og_search_position_write(const char *path, const char *search,
                                   const og_search_position *position, og_message *message)
{
    og_atomic_file file;
    char numbers[sizeof position->last + 160];
    OG_TRY(og_atomic_file_begin(path, "search", &file, message));
    static const char head[] = "optgap-search\t1\nsearch\t";
    int length =
        snprintf(numbers, sizeof numbers,
                 "\nsettled\t%" PRIu64 "\nlast\t%s\nbest\t%" PRIu64 "\ntolerance\t%" PRIu64 "\n",
                 position->settled, position->last, position->best, position->tolerance);
    og_atomic_file_write(&file, head, sizeof head - 1);
    og_atomic_file_write(&file, search, strlen(search));
    og_atomic_file_write(&file, numbers, (size_t)length);
    return og_atomic_file_end(&file, "search", message);
}
