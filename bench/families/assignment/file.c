/* Reads accuracies of workers in contexts, from the command line or a file. */
#include <inttypes.h>
#include <string.h>

#include "bench/families/assignment/assignment.h"
#include "bench/recorded/columns.h"
#include "dp/base/rows.h"

enum { CONTEXTS = OG_ACCURACIES_CONTEXTS_MAX, WORKERS = OG_ACCURACIES_WORKERS_MAX, SHOWN = 24 };

static const og_fraction missing = {-1, 1};

static bool read_chance(const char *text, size_t length, og_fraction *out)
{
    return og_fraction_parse(text, length, out) == OG_OK && out->num <= out->den;
}

/* ---- the command line ---- */

static og_status bad_text(const char *text, const char *why, og_message *message)
{
    return og_message_set(message, OG_BAD_INPUT,
                          "--accuracies must be numbers from 0 to 1, with commas between the "
                          "workers and semicolons between contexts, not '%.60s'%s",
                          text, why);
}

static int32_t count_of(const char *text, size_t length, char what)
{
    int32_t count = 1;
    for (size_t k = 0; k < length; k++) {
        count += text[k] == what;
    }
    return count;
}

static og_status read_text(const char *text, og_accuracies *out, og_message *message)
{
    const char *at = text;
    out->contexts = count_of(text, strlen(text), ';');
    out->workers = count_of(text, strcspn(text, ";"), ',');
    if (out->contexts > CONTEXTS || out->workers > WORKERS) {
        return bad_text(text, ": there are too many", message);
    }
    size_t pairs = (size_t)out->contexts * (size_t)out->workers;
    out->accuracy = og_arena_array(&out->arena, pairs, sizeof *out->accuracy);
    OG_TRY(og_arena_status(&out->arena));
    for (size_t k = 0; k < pairs; k++) {
        size_t length = strcspn(at, ",;");
        bool last = (k + 1) % (size_t)out->workers == 0;
        char ends = k + 1 == pairs ? '\0' : last ? ';' : ',';
        if (!read_chance(at, length, &out->accuracy[k][0])) {
            return bad_text(text, "", message);
        }
        if (at[length] != ends) {
            return bad_text(text, ": its contexts have different workers", message);
        }
        at += length + 1;
    }
    return OG_OK;
}

/* ---- a file ---- */

/* Names, numbered by first appearance. */
typedef struct {
    char **name;
    int32_t count, most;
} file_names;

typedef struct {
    og_rows rows;
    og_arena *arena; /* for results */
    og_arena scratch;
    file_names context, worker;
    og_fraction **accuracy; /* [CONTEXTS], each NULL until read, then [WORKERS] */
} reader;

/* Returns -1 after a failure, with a message. */
static int32_t number_of(reader *in, file_names *names, const char *name, const char *what)
{
    for (int32_t k = 0; k < names->count; k++) {
        if (strcmp(names->name[k], name) == 0) {
            return k;
        }
    }
    if (names->count == names->most) {
        og_rows_fail(&in->rows, "there are more than %" PRId32 " %ss", names->most, what);
        return -1;
    }
    char *kept = og_arena_copy(in->arena, name, strlen(name) + 1, 1);
    if (kept == NULL) {
        og_rows_no_memory(&in->rows);
        return -1;
    }
    names->name[names->count] = kept;
    return names->count++;
}

/* NULL if memory runs out. */
static og_fraction *cell_of(reader *in, int32_t s, int32_t j)
{
    if (in->accuracy[s] == NULL) {
        og_fraction *row = og_arena_array(&in->scratch, WORKERS, sizeof *row);
        for (int32_t k = 0; row != NULL && k < WORKERS; k++) {
            row[k] = missing;
        }
        in->accuracy[s] = row;
    }
    return in->accuracy[s] != NULL ? &in->accuracy[s][j] : NULL;
}

static bool read_line(reader *in, const og_columns *columns)
{
    const char *context = og_columns_field(columns, OG_COLUMN_CONTEXT);
    const char *worker = og_columns_field(columns, OG_COLUMN_WORKER);
    const char *text = og_columns_field(columns, OG_COLUMN_ACCURACY);
    og_fraction chance;
    if (!read_chance(text, strlen(text), &chance)) {
        return og_rows_fail(&in->rows, "the accuracy must be from 0 to 1, not '%.*s'", SHOWN, text);
    }
    int32_t s = number_of(in, &in->context, context, "context");
    int32_t j = s >= 0 ? number_of(in, &in->worker, worker, "worker") : -1;
    if (j < 0) {
        return false;
    }
    og_fraction *cell = cell_of(in, s, j);
    if (cell == NULL) {
        return og_rows_no_memory(&in->rows);
    }
    if (cell->num >= 0) {
        return og_rows_fail(&in->rows, "a second accuracy of worker '%.*s' in context '%.*s'",
                            SHOWN, worker, SHOWN, context);
    }
    *cell = chance;
    return true;
}

/* A header may name the columns; without one they are in this order. */
static void read_rows(reader *in, const og_tables *how)
{
    static const og_column column[] = {OG_COLUMN_CONTEXT, OG_COLUMN_WORKER, OG_COLUMN_ACCURACY};
    static const og_tables usual = {.columns = "1,2,3"};
    bool given = how != NULL && how->columns != NULL;
    const og_columns_wanted wanted = {column, 3, given, NULL, 0};
    og_columns columns;
    bool going = og_rows_next(&in->rows);
    if (going && in->rows.field_count < 3) {
        going = og_rows_fail(
            &in->rows, "the line must be a context, a worker and an accuracy, in three columns");
    }
    going = going && og_columns_find_in(&columns, &in->rows, given ? how : &usual, &wanted);
    while (going && og_columns_next(&columns)) {
        going = read_line(in, &columns);
    }
}

static og_status take(const reader *in, const char *path, og_accuracies *out, og_message *message)
{
    out->contexts = in->context.count;
    out->workers = in->worker.count;
    out->context_name = in->context.name;
    out->worker_name = in->worker.name;
    if (out->contexts == 0) {
        return og_message_set(message, OG_BAD_INPUT,
                              "%.200s: no line has an accuracy; give lines CONTEXT WORKER ACCURACY",
                              path);
    }
    out->accuracy = og_arena_array(&out->arena, (size_t)out->contexts * (size_t)out->workers,
                                   sizeof *out->accuracy);
    OG_TRY(og_arena_status(&out->arena));
    for (int32_t s = 0; s < out->contexts; s++) {
        for (int32_t j = 0; j < out->workers; j++) {
            og_fraction chance = in->accuracy[s][j];
            if (chance.num < 0) {
                return og_message_set(
                    message, OG_BAD_INPUT,
                    "%.200s: worker '%.*s' has no accuracy in context '%.*s'; add it", path, SHOWN,
                    out->worker_name[j], SHOWN, out->context_name[s]);
            }
            out->accuracy[s * out->workers + j][0] = chance;
        }
    }
    return OG_OK;
}

static og_status read_file(const char *path, const og_tables *how, og_accuracies *out,
                           og_message *message)
{
    const og_rows_limits limits = og_table_limits(&(og_settings){.tables = how});
    reader in = {.arena = &out->arena, .context.most = CONTEXTS, .worker.most = WORKERS};
    in.context.name = og_arena_array(in.arena, CONTEXTS, sizeof *in.context.name);
    in.worker.name = og_arena_array(in.arena, WORKERS, sizeof *in.worker.name);
    OG_TRY(og_arena_status(in.arena));
    in.accuracy = og_arena_array(&in.scratch, CONTEXTS, sizeof(og_fraction *));
    OG_TRY(OG_ALLOCATED(in.accuracy));
    og_rows_open(&in.rows, path, OG_ROWS_BY_HEADER, '#', &limits, message);
    read_rows(&in, how);
    og_status status = og_rows_close(&in.rows);
    OG_THEN(status, take(&in, path, out, message));
    og_arena_clear(&in.scratch);
    return status;
}

bool og_accuracies_given(const char *text)
{
    return text[strspn(text, "0123456789.,;")] == '\0';
}

og_status og_accuracies_read(const char *text, const og_tables *how, og_accuracies *out,
                             og_message *message)
{
    og_accuracies read = {.contexts = 0};
    og_status status = og_accuracies_given(text) ? read_text(text, &read, message)
                                                 : read_file(text, how, &read, message);
    if (status != OG_OK) {
        og_arena_clear(&read.arena);
        return status;
    }
    *out = read;
    return OG_OK;
}
