/* Reads Beta priors of tasks or workers, and matches them with the recorded labels by name. */
#include "bench/recorded/betas.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/recorded/names.h"
#include "dp/prior/problem.h"

enum { NAME_SHOWN = 60, PATH_SHOWN = 200, FIELD_SHOWN = 24 };

typedef struct {
    og_rows rows;
    og_columns columns;
    og_column column;
    const og_labels *labels;
    uint32_t count; /* tasks or workers */
    og_names names; /* theirs, then those of the table */
    int at[2];      /* columns of the parameters */
    double *beta;   /* [2 * count] */
    int64_t *line;  /* [count] of the table; 0: none */
    uint32_t found;
} reader;

static const char *name_of(const reader *in, uint32_t i)
{
    return in->column == OG_COLUMN_TASK ? og_labels_task_name(in->labels, i)
                                        : og_labels_worker_name(in->labels, i);
}

static bool number_names(reader *in)
{
    uint32_t number;
    for (uint32_t i = 0; i < in->count; i++) {
        if (!og_names_number(&in->names, &in->rows, name_of(in, i), &number)) {
            return false;
        }
    }
    return true;
}

static bool find_columns(reader *in, const og_tables *how)
{
    static const char *const letters[][2] = {{"a", "b"}, {"c", "d"}};
    const char *const *names = letters[in->column == OG_COLUMN_WORKER];
    const og_columns_wanted wanted = {.column = &in->column, .count = 1};
    if (!og_columns_find(&in->columns, &in->rows, how, &wanted) ||
        (!in->columns.pending && !og_rows_columns(&in->rows, names, 2, in->at))) {
        return false;
    }
    if (in->columns.pending || in->at[0] < 0 || in->at[1] < 0) {
        return og_rows_fail(&in->rows, "the first line must name the columns %s, %s and %s",
                            og_column_word(in->column), names[0], names[1]);
    }
    for (int k = 0; k < 2; k++) {
        in->columns.last = in->at[k] > in->columns.last ? in->at[k] : in->columns.last;
    }
    return true;
}

static bool take_row(reader *in)
{
    const char *word = og_column_word(in->column);
    const char *name = og_columns_field(&in->columns, in->column);
    double read[2];
    uint32_t i;
    for (int k = 0; k < 2; k++) {
        const char *text = in->rows.field[in->at[k]];
        if (!og_rows_decimal(&in->rows, text, &read[k]) || read[k] < OG_PARAMETER_MIN ||
            read[k] > OG_PARAMETER_MAX) {
            return og_rows_fail(&in->rows, "'%.*s' must be a number from %g to %g", FIELD_SHOWN,
                                text, OG_PARAMETER_MIN, OG_PARAMETER_MAX);
        }
    }
    if (!og_names_number(&in->names, &in->rows, name, &i) || i >= in->count) {
        return in->rows.status == OG_OK;
    }
    double *beta = &in->beta[2 * (size_t)i];
    if (in->line[i] > 0 && (beta[0] != read[0] || beta[1] != read[1])) {
        return og_rows_fail(&in->rows,
                            "%s '%.*s' has two different priors, here and in line %" PRId64, word,
                            NAME_SHOWN, name, in->line[i]);
    }
    in->found += in->line[i] == 0;
    in->line[i] = in->line[i] == 0 ? in->rows.line : in->line[i];
    beta[0] = read[0];
    beta[1] = read[1];
    return true;
}

/* Those without a row. */
static og_status fill_rest(reader *in, const char *path, const double rest[2], og_message *message)
{
    const char *word = og_column_word(in->column);
    for (uint32_t i = 0; i < in->count; i++) {
        if (in->line[i] == 0 && (rest == NULL || in->found == 0)) {
            return og_message_set(message, OG_BAD_INPUT,
                                  "%.*s: %s '%.*s' has no prior; add a line%s", PATH_SHOWN, path,
                                  word, NAME_SHOWN, name_of(in, i),
                                  in->found == 0 ? ", as no name is one of --labels"
                                  : in->column == OG_COLUMN_WORKER ? ", or give --workers-prior A,B"
                                                                   : ", or give --prior A,B");
        }
        for (int k = 0; k < 2 && in->line[i] == 0; k++) {
            in->beta[2 * (size_t)i + (size_t)k] = rest[k];
        }
    }
    return OG_OK;
}

og_status og_betas_read(const char *path, og_column column, const og_labels *labels,
                        const og_settings *settings, const double rest[2], double *beta,
                        og_message *message)
{
    const og_rows_limits limits = og_table_limits(settings);
    reader in = {.column = column, .labels = labels, .beta = beta};
    in.count = column == OG_COLUMN_TASK ? labels->task_count : labels->worker_count;
    in.line = calloc((size_t)in.count + 1, sizeof *in.line);
    OG_TRY(OG_ALLOCATED(in.line));
    og_rows_open(&in.rows, path, OG_ROWS_BY_HEADER, '\0', &limits, message);
    bool goes_on =
        number_names(&in) && find_columns(&in, settings != NULL ? settings->tables : NULL);
    while (goes_on && og_columns_next(&in.columns)) {
        goes_on = take_row(&in);
    }
    og_status status = og_rows_close(&in.rows);
    OG_THEN(status, fill_rest(&in, path, rest, message));
    og_names_clear(&in.names);
    free(in.line);
    return status;
}
