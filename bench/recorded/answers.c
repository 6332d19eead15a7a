/* Files of labels in all forms, label by label: tables here, JSON in answers_json.c. */
#include "bench/recorded/answers.h"

#include <string.h>

#include "bench/recorded/answers_json.h"
#include "bench/recorded/classes.h"
#include "bench/recorded/columns.h"
#include "bench/recorded/exports.h"
#include "dp/base/arena.h"

/* ---- one label in a row ---- */

static char *field_of(const og_columns *columns, og_column column)
{
    static char nothing[] = "";
    return og_columns_have(columns, column) ? og_columns_field(columns, column) : nothing;
}

static const char *name_of(const og_columns *columns, og_column column)
{
    return og_columns_have(columns, column) ? columns->rows->field[columns->at[column]] : "";
}

static void tell_columns(const og_answers *answers, const og_columns *columns)
{
    const char *kind = answers->rows->keys.count > 0 ? "JSON with keys as columns" : "table";
    og_column last = answers->gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL;
    bool worker = og_columns_have(columns, OG_COLUMN_WORKER);
    const int *at = columns->at;
    if (columns->pending && worker) {
        og_answers_form(answers,
                        "table without a header: task, worker and label in columns %d, %d, %d",
                        at[OG_COLUMN_TASK] + 1, at[OG_COLUMN_WORKER] + 1, at[last] + 1);
    } else if (columns->pending) {
        og_answers_form(answers, "table without a header: task and label in columns %d, %d",
                        at[OG_COLUMN_TASK] + 1, at[last] + 1);
    } else if (worker) {
        og_answers_form(answers, "%s: task '%.60s', worker '%.60s', label '%.60s'", kind,
                        name_of(columns, OG_COLUMN_TASK), name_of(columns, OG_COLUMN_WORKER),
                        name_of(columns, last));
    } else {
        bool times = og_columns_have(columns, OG_COLUMN_TIMES);
        og_answers_form(answers, "%s: task '%.60s', label '%.60s'%s%.60s%s, no workers", kind,
                        name_of(columns, OG_COLUMN_TASK), name_of(columns, last),
                        times ? ", times '" : "", times ? name_of(columns, OG_COLUMN_TIMES) : "",
                        times ? "'" : "");
    }
}

static int place_of(char *const *names, int count, const char *name)
{
    while (count-- > 0 && strcmp(names[count], name) != 0) {
    }
    return count;
}

/*
 * Finds the number of times, if --columns does not give it, in these names: "times" or "count".
 * Beside workers, "count" may count anything. Keys of JSON may come later, but none that says so
 * of rows that were counted.
 */
static bool find_times(const og_answers *answers, og_columns *columns, char *const *names,
                       int count)
{
    int times = place_of(names, count, "times"), before = columns->at[OG_COLUMN_TIMES];
    bool worker = og_columns_have(columns, OG_COLUMN_WORKER);
    if (before >= 0 && times != before && (worker || times >= 0)) {
        return og_rows_fail(answers->rows,
                            "'count' was the number of labels, but is none beside a %s; add "
                            "--columns times=NAME or worker=NAME",
                            times >= 0 ? "'times'" : "worker");
    }
    times = times < 0 && !worker ? place_of(names, count, "count") : times;
    columns->at[OG_COLUMN_TIMES] = times;
    columns->last = times > columns->last ? times : columns->last;
    return true;
}

/* Passes on the label of a row as often as its column of times says. */
static bool take_row(const og_answers *answers, const og_columns *columns, og_column last)
{
    char *text = og_columns_have(columns, OG_COLUMN_TIMES)
                     ? og_columns_field(columns, OG_COLUMN_TIMES)
                     : NULL;
    int64_t times = 1;
    if (text != NULL && !og_label_is_missing(answers->how, text) &&
        !og_columns_whole(text, INT32_MAX, &times)) {
        return og_rows_fail(answers->rows, "the number of labels must be whole, not '%.40s'", text);
    }
    bool going = true;
    for (int64_t i = 0; going && i < times; i++) {
        going = og_answers_take(answers, og_columns_field(columns, OG_COLUMN_TASK),
                                field_of(columns, OG_COLUMN_WORKER), field_of(columns, last));
    }
    return going;
}

static void read_long(const og_answers *answers)
{
    static const og_column label_columns[] = {OG_COLUMN_TASK, OG_COLUMN_WORKER, OG_COLUMN_LABEL,
                                              OG_COLUMN_TIMES};
    static const og_column gold_columns[] = {OG_COLUMN_TASK, OG_COLUMN_GOLD};
    og_rows *rows = answers->rows;
    char name[OG_MESSAGE_BYTES];
    int known = rows->field_count;
    bool keys = rows->keys.count > 0; /* a task without labels may lack that key */
    bool given = og_columns_given(answers->how, OG_COLUMN_TIMES, 0, name, sizeof name);
    const og_columns_wanted labels = {label_columns, given ? 4 : 3, true, NULL, keys ? 14 : 10};
    const og_columns_wanted truths = {gold_columns, 2, false, NULL, 0};
    const og_column last = answers->gold ? OG_COLUMN_GOLD : OG_COLUMN_LABEL;
    og_columns columns;
    bool going =
        og_columns_find_in(&columns, rows, answers->how, answers->gold ? &truths : &labels);
    bool finds = !given && !answers->gold;
    if (going && finds && !columns.pending) {
        going = find_times(answers, &columns, rows->field, known);
    }
    if (going) {
        tell_columns(answers, &columns);
    }
    while (going && og_columns_next(&columns)) {
        if (finds && rows->keys.count > known) {
            known = rows->keys.count;
            going = find_times(answers, &columns, rows->keys.name, known);
        }
        going = going && take_row(answers, &columns, last);
    }
    if (going && rows->status == OG_OK && !og_columns_have(&columns, last)) {
        rows->line = 0; /* of the whole file */
        rows->field = rows->keys.name;
        rows->field_count = rows->keys.count;
        og_columns_lacks(rows, last);
    }
}

/* ---- a column for each worker ---- */

typedef struct {
    og_arena arena;
    char **name; /* [count] */
    int *at;     /* [count] columns */
    int count;
    bool numbered; /* tasks are rows, which have numbers from 1 on */
    int64_t row;
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

/* Keys of a JSON object that no object before had are workers too. */
static bool find_more_workers(answer_workers *workers, const og_answers *answers, int known)
{
    og_rows named = *answers->rows;
    char name[OG_MESSAGE_BYTES];
    if (og_columns_given(answers->how, OG_COLUMN_WORKER, 0, name, sizeof name)) {
        return true;
    }
    size_t count = (size_t)named.keys.count;
    workers->name = og_arena_copy(&workers->arena, workers->name, count, sizeof *workers->name);
    workers->at = og_arena_copy(&workers->arena, workers->at, count, sizeof *workers->at);
    if (workers->name == NULL || workers->at == NULL) {
        return og_rows_no_memory(answers->rows);
    }
    named.field = named.keys.name;
    for (int at = known; at < named.keys.count; at++) {
        if (!is_gold(&named, answers->how, at, true) && !add_worker(workers, &named, at, true)) {
            return og_rows_no_memory(answers->rows);
        }
    }
    return true;
}

/* A task without any label is one; a blank cell is not a missing label. */
static bool take_wide_row(answer_workers *workers, const og_columns *columns,
                          const og_answers *answers)
{
    const og_rows *rows = answers->rows;
    bool any = false, going = true;
    char nothing[] = "", number[24], *task = number;
    snprintf(number, sizeof number, "%lld", (long long)++workers->row);
    task = workers->numbered ? number : og_columns_field(columns, OG_COLUMN_TASK);
    for (int i = 0; going && i < workers->count; i++) {
        char *label = workers->at[i] < rows->field_count ? rows->field[workers->at[i]] : nothing;
        if (*label != '\0') {
            any = true;
            going = og_answers_take(answers, task, workers->name[i], label);
        }
    }
    return going && (any || answers->take(answers->user, answers->rows, task, nothing, nothing));
}

/* Without a usual name for the tasks: they are in a first column without a name, which is the index
 * that pandas writes, or else the rows are tasks. */
static bool find_tasks(og_columns *columns, answer_workers *workers, const og_answers *answers)
{
    static const og_column task_column[] = {OG_COLUMN_TASK};
    const int index = *answers->rows->field[0] == '\0' ? 0 : -1;
    bool named = og_columns_has(answers->rows, answers->how, OG_COLUMN_TASK);
    const og_columns_wanted wanted = {task_column, 1, true, &index, named ? 0 : 1};
    bool found = og_columns_find_in(columns, answers->rows, answers->how, &wanted);
    workers->numbered = found && !og_columns_have(columns, OG_COLUMN_TASK);
    return found;
}

static void read_wide(const og_answers *answers)
{
    og_columns columns;
    answer_workers all = {.count = 0};
    int known = answers->rows->field_count;
    bool going = find_tasks(&columns, &all, answers) && find_workers(&all, &columns, answers->how);
    if (answers->numbered != NULL) {
        *answers->numbered = all.numbered;
    }
    if (going && all.numbered) {
        og_answers_form(answers, "table with a column for each of %d workers: tasks are rows",
                        all.count);
    } else if (going) {
        og_answers_form(answers, "table with a column for each of %d workers: task %s'%.60s'",
                        all.count, columns.pending ? "in the first row " : "",
                        og_columns_field(&columns, OG_COLUMN_TASK));
    }
    while (going && og_columns_next(&columns)) {
        going = answers->rows->keys.count <= known || find_more_workers(&all, answers, known);
        known = answers->rows->keys.count > known ? answers->rows->keys.count : known;
        going = going && take_wide_row(&all, &columns, answers);
    }
    og_arena_clear(&all.arena);
}

/* ---- counts of labels ---- */

typedef struct {
    int at[OG_CLASSES_READ]; /* columns of the classes */
    const char *name[OG_CLASSES_READ];
    int count;
} class_columns;

static int find_exactly(const og_rows *rows, const char *name, size_t length)
{
    int at = rows->field_count;
    while (at-- > 0 &&
           !(strlen(rows->field[at]) == length && memcmp(rows->field[at], name, length) == 0)) {
    }
    return at;
}

/* The columns of the classes that --classes names, if the table has all. */
static bool find_classes(const og_answers *answers, og_arena *arena, class_columns *out)
{
    const char *rest = answers->how != NULL ? answers->how->classes : NULL;
    out->count = 0;
    while (rest != NULL && out->count < OG_CLASSES_READ) {
        size_t length = strcspn(rest, ",");
        int at = find_exactly(answers->rows, rest, length);
        char *name = at >= 0 ? og_arena_copy(arena, answers->rows->field[at], length + 1, 1) : NULL;
        if (name == NULL) {
            out->count = 0;
            return false;
        }
        out->at[out->count] = at;
        out->name[out->count++] = name;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return out->count > 0;
}

/* Does the table have counts in place of labels? */
static bool has_counts(const og_answers *answers, og_arena *arena, class_columns *out)
{
    const og_tables *how = answers->how;
    og_rows *rows = answers->rows;
    return !answers->gold && !og_columns_has(rows, how, OG_COLUMN_LABEL) &&
           (find_classes(answers, arena, out) || (og_columns_has(rows, how, OG_COLUMN_POSITIVE) &&
                                                  og_columns_has(rows, how, OG_COLUMN_NEGATIVE)));
}

static bool take_count(const og_answers *answers, char *task, const char *class, const char *field)
{
    int64_t count = 0;
    char label[OG_MESSAGE_BYTES], nobody[] = "";
    bool going =
        *field == '\0' || og_columns_whole(field, INT32_MAX, &count) ||
        og_rows_fail(answers->rows, "the number of labels must be whole, not '%.40s'", field);
    for (int64_t i = 0; going && i < count; i++) {
        snprintf(label, sizeof label, "%s", class);
        going = answers->take(answers->user, answers->rows, task, nobody, label);
    }
    return going;
}

static void read_counts(const og_answers *answers, class_columns *classes)
{
    static const og_column column[] = {OG_COLUMN_TASK, OG_COLUMN_NEGATIVE, OG_COLUMN_POSITIVE};
    bool two = classes->count == 0;
    const og_columns_wanted wanted = {column, two ? 3 : 1, true, NULL, 0};
    og_columns columns;
    bool going = og_columns_find_in(&columns, answers->rows, answers->how, &wanted);
    for (int k = 0; going && two && k < 2; k++) {
        classes->at[k] = columns.at[column[k + 1]];
        classes->name[k] = k == 0 ? "negative" : "positive";
        classes->count++;
    }
    if (going) {
        og_answers_form(answers, "table of counts: task '%.60s', numbers of labels in '%.60s', ...",
                        name_of(&columns, OG_COLUMN_TASK),
                        answers->rows->field[classes->at[classes->count - 1]]);
    }
    while (going && og_columns_next(&columns)) {
        char *task = og_columns_field(&columns, OG_COLUMN_TASK), nothing[] = "";
        bool any = false;
        for (int k = 0; going && k < classes->count; k++) {
            bool there = classes->at[k] < answers->rows->field_count;
            const char *field = there ? answers->rows->field[classes->at[k]] : "";
            any = any || (*field != '\0' && strcmp(field, "0") != 0);
            going = take_count(answers, task, classes->name[k], field);
        }
        going =
            going && (any || answers->take(answers->user, answers->rows, task, nothing, nothing));
    }
}

/* ---- all ---- */

/* True if the header, the current row, is one of the format that --format names. */
static bool is_of_format(const og_answers *answers)
{
    const char *format = answers->how != NULL ? answers->how->format : NULL;
    bool any = format == NULL || strcmp(format, "auto") == 0 || strcmp(format, "table") == 0 ||
               strcmp(format, "gal") == 0 || strcmp(format, "truth-inference") == 0;
    og_export shown = og_export_of(answers->rows, NULL);
    if (any || answers->gold ||
        (shown != OG_EXPORT_NONE && shown == og_export_of(answers->rows, answers->how))) {
        return true;
    }
    return og_rows_fail(answers->rows,
                        "the columns are not those of --format %s; omit it, or give another one",
                        format);
}

static void read_table(const og_answers *answers)
{
    og_arena arena = {0};
    class_columns classes = {.count = 0};
    if (!og_rows_next(answers->rows)) {
        bool empty = answers->rows->keys.count == 0 && answers->rows->json == 0;
        if (empty) {
            og_rows_fail(answers->rows, "the file is empty");
        }
        return;
    }
    if (!is_of_format(answers)) {
        return;
    }
    og_export kind = og_export_of(answers->rows, answers->how);
    if (answers->how != NULL && answers->how->wide && !answers->gold) {
        read_wide(answers);
    } else if (kind != OG_EXPORT_NONE) {
        og_answers_read_export(answers, kind);
    } else if (has_counts(answers, &arena, &classes)) {
        read_counts(answers, &classes);
    } else {
        read_long(answers);
    }
    og_arena_clear(&arena);
}

void og_answers_read(const og_answers *answers)
{
    const char *format = answers->how != NULL ? answers->how->format : NULL;
    bool table = format != NULL && (strcmp(format, "table") == 0 || strcmp(format, "gal") == 0);
    char first = table ? '\0' : og_rows_peek(answers->rows);
    if ((first != '{' && first != '[') || !og_answers_read_json(answers)) {
        read_table(answers);
    }
}
