/* Files of labels in all forms, label by label: tables here, JSON in answers_json.c. */
#include "bench/recorded/answers.h"

#include <string.h>

#include "bench/recorded/answers_json.h"
#include "bench/recorded/columns.h"
#include "bench/recorded/exports.h"
#include "dp/base/arena.h"

/* ---- one label in a row ---- */

static void tell_columns(const og_answers *answers, const og_columns *columns)
{
    char **name = answers->rows->field;
    og_column last = answers->gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL;
    const int *at = columns->at;
    if (columns->pending) {
        og_answers_form(answers,
                        "table without a header: task, worker and label in columns %d, %d, %d",
                        at[OG_COLUMN_TASK] + 1, at[OG_COLUMN_WORKER] + 1, at[last] + 1);
    } else {
        og_answers_form(answers, "table: task '%.60s', worker '%.60s', label '%.60s'",
                        name[at[OG_COLUMN_TASK]], answers->gold ? "" : name[at[OG_COLUMN_WORKER]],
                        name[at[last]]);
    }
}

static void read_long(const og_answers *answers)
{
    static const og_column label_columns[] = {OG_COLUMN_TASK, OG_COLUMN_WORKER, OG_COLUMN_LABEL};
    static const og_column gold_columns[] = {OG_COLUMN_TASK, OG_COLUMN_GOLD};
    const og_columns_wanted labels = {label_columns, 3, true, NULL, 0};
    const og_columns_wanted truths = {gold_columns, 2, false, NULL, 0};
    char nobody[] = "";
    og_columns columns;
    if (!og_rows_next(answers->rows)) {
        og_rows_fail(answers->rows, "the file is empty");
        return;
    }
    og_export kind = og_export_of(answers->rows, answers->how);
    if (kind != OG_EXPORT_NONE) {
        og_answers_read_export(answers, kind);
        return;
    }
    bool going = og_columns_find_in(&columns, answers->rows, answers->how,
                                    answers->gold ? &truths : &labels);
    if (going) {
        tell_columns(answers, &columns);
    }
    while (going && og_columns_next(&columns)) {
        going = answers->take(
            answers->user, answers->rows, og_columns_field(&columns, OG_COLUMN_TASK),
            answers->gold ? nobody : og_columns_field(&columns, OG_COLUMN_WORKER),
            og_columns_field(&columns, answers->gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL));
    }
}

/* ---- a column for each worker ---- */

typedef struct {
    og_arena arena;
    char **name; /* [count] */
    int *at;     /* [count] columns */
    int count;
} answer_workers;

static bool add_worker(answer_workers *workers, og_rows *rows, int at, bool header)
{
    char number[16];
    snprintf(number, sizeof number, "%d", at + 1);
    const char *name = header ? rows->field[at] : number;
    if (*name == '\0') {
        return og_rows_fail(rows, "column %d has no name, and is to be a worker", at + 1);
    }
    workers->at[workers->count] = at;
    workers->name[workers->count] = og_arena_copy(&workers->arena, name, strlen(name) + 1, 1);
    return workers->name[workers->count++] != NULL || og_rows_no_memory(rows);
}

/* Is this column given as a worker's, by its name or number? */
static bool is_named(const og_rows *rows, const og_tables *how, int at, bool header)
{
    char name[OG_MESSAGE_BYTES], number[16];
    snprintf(number, sizeof number, "%d", at + 1);
    for (int i = 0; og_columns_given(how, OG_COLUMN_WORKER, i, name, sizeof name); i++) {
        if (strcmp(name, number) == 0 || (header && strcmp(name, rows->field[at]) == 0)) {
            return true;
        }
    }
    return false;
}

/* Is it the column of the true labels? */
static bool is_gold(const og_rows *rows, const og_tables *how, int at, bool header)
{
    char name[OG_MESSAGE_BYTES], number[16];
    const char *const *usual = og_column_names(OG_COLUMN_GOLD);
    bool found = false;
    snprintf(number, sizeof number, "%d", at + 1);
    if (og_columns_given(how, OG_COLUMN_GOLD, 0, name, sizeof name)) {
        return strcmp(name, number) == 0 || (header && strcmp(name, rows->field[at]) == 0);
    }
    for (int i = 0; header && usual[i] != NULL; i++) {
        found = found || og_column_named(rows->field[at], usual[i]);
    }
    return found;
}

static bool find_workers(answer_workers *workers, const og_columns *columns, const og_tables *how)
{
    char name[OG_MESSAGE_BYTES];
    og_rows *rows = columns->rows;
    size_t count = (size_t)rows->field_count;
    bool header = !columns->pending, named = false;
    workers->name = og_arena_array(&workers->arena, count, sizeof *workers->name);
    workers->at = og_arena_array(&workers->arena, count, sizeof *workers->at);
    if (workers->name == NULL || workers->at == NULL) {
        return og_rows_no_memory(rows);
    }
    named = og_columns_given(how, OG_COLUMN_WORKER, 0, name, sizeof name);
    for (int at = 0; at < rows->field_count; at++) {
        bool worker = named ? is_named(rows, how, at, header)
                            : at != columns->at[OG_COLUMN_TASK] && !is_gold(rows, how, at, header);
        if (worker && !add_worker(workers, rows, at, header)) {
            return false;
        }
    }
    return workers->count > 0 || og_rows_fail(rows, "no column of a worker (--wide)");
}

/* A task without any label is one; a blank cell is not a missing label. */
static bool take_wide_row(const answer_workers *workers, const og_columns *columns,
                          og_answer_taker *take, void *user)
{
    og_rows *rows = columns->rows;
    bool any = false, going = true;
    char nothing[] = "";
    for (int i = 0; going && i < workers->count; i++) {
        char *label = workers->at[i] < rows->field_count ? rows->field[workers->at[i]] : nothing;
        if (*label != '\0') {
            any = true;
            going = take(user, rows, og_columns_field(columns, OG_COLUMN_TASK), workers->name[i],
                         label);
        }
    }
    return going &&
           (any || take(user, rows, og_columns_field(columns, OG_COLUMN_TASK), nothing, nothing));
}

static void read_wide(const og_answers *answers)
{
    static const og_column task_column[] = {OG_COLUMN_TASK};
    const og_columns_wanted wanted = {task_column, 1, true, NULL, 0};
    og_columns columns;
    answer_workers all = {.count = 0};
    bool going = og_columns_find(&columns, answers->rows, answers->how, &wanted) &&
                 find_workers(&all, &columns, answers->how);
    if (going) {
        og_answers_form(answers, "table with a column for each of %d workers: task %s'%.60s'",
                        all.count, columns.pending ? "in the first row " : "",
                        og_columns_field(&columns, OG_COLUMN_TASK));
    }
    while (going && og_columns_next(&columns)) {
        going = take_wide_row(&all, &columns, answers->take, answers->user);
    }
    og_arena_clear(&all.arena);
}

void og_answers_read(const og_answers *answers)
{
    bool table =
        answers->how != NULL && answers->how->format != NULL &&
        (strcmp(answers->how->format, "table") == 0 || strcmp(answers->how->format, "gal") == 0);
    char first = table ? '\0' : og_rows_peek(answers->rows);
    if (first == '{' || first == '[') {
        og_answers_read_json(answers);
    } else if (answers->how != NULL && answers->how->wide && !answers->gold) {
        read_wide(answers);
    } else {
        read_long(answers);
    }
}
